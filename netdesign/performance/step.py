"""How long does a training step take, and where does the time go?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.performance.calibration import Calibration
from netdesign.performance.compute import ComputeTime, compute_time, optimizer_time
from netdesign.performance.machine import Machine, Training
from netdesign.performance.overlap import TimedCollective, exposed_time, timed_collectives
from netdesign.performance.pipeline import Pipeline, pipeline_of
from netdesign.workload.plan import Plan, layers_per_stage, shard_ranks
from netdesign.workload.stages import fullest_parameters
from netdesign.workload.traffic import Buckets, Collective, traffic
from netdesign.workload.transformer import Architecture, flops_per_token

IN_LAYER = frozenset({"tensor", "context", "expert"})
STATES = frozenset({"data", "sharding"})  # gradients and weights


@dataclass(frozen=True)
class CommunicationTime:
    """One kind of communication over a step."""

    parallelism: str
    total_s: Numeric
    exposed_s: Numeric
    network_exposed_s: Numeric  # of the exposed part, what the scale-out network causes


@dataclass(frozen=True)
class StepTime:
    """Seconds of one step; the parts add up to ``step_time_s``."""

    compute_s: Numeric
    bubble_s: Numeric
    communication: tuple[CommunicationTime, ...]
    optimizer_s: Numeric
    overhead_s: Numeric
    step_time_s: Numeric
    step_time_low_s: Numeric  # 80 % band from the residuals of the calibration
    step_time_high_s: Numeric
    bubble_share: Numeric  # of the step
    model_flops: Numeric  # of the whole step, all GPUs, no recompute
    tokens_per_s: Numeric
    tokens_per_s_per_gpu: Numeric
    mfu: Numeric

    @property
    def exposed_s(self) -> Numeric:
        total: Numeric = 0.0
        for part in self.communication:
            total = total + part.exposed_s
        return total

    @property
    def network_exposed_s(self) -> Numeric:
        total: Numeric = 0.0
        for part in self.communication:
            total = total + part.network_exposed_s
        return total


@dataclass(frozen=True)
class Work:
    """What a step consists of, on any network."""

    compute: ComputeTime
    collectives: tuple[Collective, ...]


@formula(
    latex=r"\mathrm{MFU} = \frac{F_\mathrm{model}}{t\,n\,F_\mathrm{peak}}", source="chowdhery-2022"
)
def model_flops_utilisation(
    model_flops: Numeric, step_time: Numeric, gpus: Numeric, peak_flops: Numeric
) -> Numeric:
    """Share of the machine's peak that the model's own FLOPs use; recomputation earns nothing.

    Parameters
    ----------
    model_flops : float or array, FLOP      of the step, all GPUs
    step_time : float or array, s
    gpus : int or array
    peak_flops : float or array, FLOP/s     of one GPU, dense

    Returns
    -------
    float or array, 0 to 1
    """
    return model_flops / (step_time * gpus * peak_flops)


def step_overhead(gpus: Numeric, per_doubling: Numeric) -> Numeric:
    """Time of a step outside its passes: global norm, loss, data, and waiting for the last rank.

    All ranks meet several times a step; the more there are, the later is the last of them.

    Parameters
    ----------
    gpus : int or array, >= 1               of the job; 1 gives 0 s
    per_doubling : float or array, s        more for twice the GPUs

    Returns
    -------
    float or array, s
    """
    return per_doubling * np.log2(gpus)


def step_time(
    arch: Architecture,
    plan: Plan,
    training: Training,
    machine: Machine,
    calibration: Calibration,
    *,
    gradient_bytes: Numeric = 4,
) -> StepTime:
    """Time of one training step.

    Parameters
    ----------
    arch : Architecture
    plan : Plan                     ``micro_batches`` is taken from it
    training : Training
    machine : Machine
    calibration : Calibration       constants of the machine's generation
    gradient_bytes : float          per gradient value on the wire

    Returns
    -------
    StepTime, s                     broadcast shape of all numeric fields
    """
    work = work_of(arch, plan, training, machine, calibration, gradient_bytes=gradient_bytes)
    return step_of(work, arch, plan, training, machine, calibration)


def work_of(
    arch: Architecture,
    plan: Plan,
    training: Training,
    machine: Machine,
    calibration: Calibration,
    *,
    gradient_bytes: Numeric = 4,
) -> Work:
    """What a GPU has to compute and to send in a step; no network makes it more or less."""
    compute = compute_time(
        arch, plan, training, machine, calibration, gradient_bytes=gradient_bytes
    )
    collectives = traffic(
        arch,
        plan,
        training.sequence_length,
        domain_gpus=machine.domain_gpus,
        gradient_bytes=gradient_bytes,
        dispatch_bytes=training.dispatch_bytes,
        buckets=_buckets(calibration),
    )
    return Work(compute, collectives)


def step_of(
    work: Work,
    arch: Architecture,
    plan: Plan,
    training: Training,
    machine: Machine,
    calibration: Calibration,
) -> StepTime:
    """Time of a step whose work is known, on networks that may differ from one another.

    Parameters
    ----------
    work : Work                     of the same architecture, plan, training and cards
    arch, plan, training, machine, calibration      as of ``step_time``

    Returns
    -------
    StepTime, s
    """
    compute = work.compute
    timed = timed_collectives(work.collectives, machine, calibration)
    layers = layers_per_stage(arch.layers, plan)
    fill = arch.layers / (plan.pipeline * layers)
    communication = [
        _communication(entry, arch, plan, training, compute, fill, calibration)
        for entry in timed
        if entry.collective.parallelism not in STATES
    ]
    communication += _states(timed, arch, plan, training, compute, calibration)
    in_layer: Numeric = 0.0
    for part in communication:
        if part.parallelism in IN_LAYER:
            in_layer = in_layer + part.exposed_s
    pipeline = pipeline_of(arch, plan, compute, layers, in_layer, zero_bubble=training.zero_bubble)
    optimizer = _optimizer(arch, plan, machine, calibration)
    parts = (pipeline, communication, optimizer)
    return _step(arch, plan, training, machine, calibration, *parts)


def _step(
    arch: Architecture,
    plan: Plan,
    training: Training,
    machine: Machine,
    calibration: Calibration,
    pipeline: Pipeline,
    communication: list[CommunicationTime],
    optimizer: Numeric,
) -> StepTime:
    gpus = plan.tensor * plan.pipeline * plan.context * plan.data
    overhead = step_overhead(gpus, calibration.step_overhead_s)
    total = pipeline.compute + pipeline.idle + optimizer + overhead
    for part in communication:
        total = total + part.exposed_s
    tokens = training.global_batch * training.sequence_length
    flops = tokens * flops_per_token(arch, training.sequence_length, causal=training.causal)
    rate = tokens / total
    low, high = calibration.error_band(arch.experts)
    return StepTime(
        compute_s=pipeline.compute,
        bubble_s=pipeline.idle,
        communication=_by_parallelism(communication),
        optimizer_s=optimizer,
        overhead_s=overhead,
        step_time_s=total,
        step_time_low_s=total * low,
        step_time_high_s=total * high,
        bubble_share=pipeline.idle / total,
        model_flops=flops,
        tokens_per_s=rate,
        tokens_per_s_per_gpu=rate / gpus,
        mfu=model_flops_utilisation(flops, total, gpus, machine.peak_flops),
    )


def _buckets(calibration: Calibration) -> Buckets:
    return Buckets(
        calibration.bucket_parameters,
        calibration.bucket_parameters_per_rank,
        calibration.broadcasts_per_rank,
    )


def _communication(
    entry: TimedCollective,
    arch: Architecture,
    plan: Plan,
    training: Training,
    compute: ComputeTime,
    fill: Numeric,
    calibration: Calibration,
) -> CommunicationTime:
    kind, time = entry.collective.parallelism, entry.time
    slowdown = calibration.overlap_slowdown
    window: Numeric
    exposed: Numeric
    if kind == "tensor":
        exposed = time * fill * (1.0 - training.overlap * calibration.tensor_hidden_share)
    elif kind == "expert":
        exposed = time * fill * (1.0 - calibration.expert_hidden_share)
        if training.expert_overlap:
            layer = compute.layer_forward + compute.layer_backward
            window = layer * (plan.micro_batches - 1) * arch.layers / plan.pipeline
            exposed = exposed_time(time * fill, window, 0.0)
    elif kind == "context":
        # Keys and values travel while the attention of the previous ones is computed.
        window = 3.0 * compute.attention_forward * plan.micro_batches * arch.layers / plan.pipeline
        exposed = exposed_time(time * fill, window, slowdown)
    else:
        # A plain schedule waits for each message; an interleaved one sends most of them while it
        # computes, except the chunks that fill and drain it, about pipeline over micro_batches.
        filling = np.minimum(plan.pipeline / plan.micro_batches, 1.0)
        hides = training.overlap * calibration.pipeline_hidden_share * (plan.virtual_stages > 1)
        exposed = time * (1.0 - hides * (1.0 - filling))
    return CommunicationTime(kind, time, exposed, exposed * entry.network_share)


def _states(
    timed: list[TimedCollective],
    arch: Architecture,
    plan: Plan,
    training: Training,
    compute: ComputeTime,
    calibration: Calibration,
) -> list[CommunicationTime]:
    """Exposed time of gradients and weights, which share the computing they can run beside.

    FSDP gathers weights in both passes of every micro-batch and reduces gradients in the backward
    pass, where the two share the time; ZeRO-2 reduces in every backward pass. Otherwise gradients
    have the last backward pass and weights the first forward pass. Dense and expert states take
    turns on the same links.
    """
    entries = [entry for entry in timed if entry.collective.parallelism in STATES]
    gathered: Numeric = 0.0
    reduced: Numeric = 0.0
    for entry in entries:
        if entry.collective.operation == "all-gather":
            gathered = gathered + entry.time
        else:
            reduced = reduced + entry.time
    fully = plan.sharding == 3
    passes = np.where(fully | (plan.sharding == 2), plan.micro_batches, 1)
    hidden = np.where(fully, 1.0, training.overlap * calibration.gradient_hidden_share)
    layers = arch.layers / plan.pipeline
    slowdown = calibration.overlap_slowdown
    ahead = gathered * np.where(fully, 0.5, 1.0)  # of the forward pass
    behind = reduced + gathered - ahead
    forward = exposed_time(
        ahead, hidden * layers * compute.layer_forward * np.where(fully, passes, 1), slowdown
    )
    backward = exposed_time(behind, hidden * layers * compute.layer_backward * passes, slowdown)
    share_ahead = forward / np.maximum(ahead, 1e-30)
    share_behind = backward / np.maximum(behind, 1e-30)
    halves = 0.5 * (share_ahead + share_behind)
    found = []
    for entry in entries:
        gathers = entry.collective.operation == "all-gather"
        share = np.where(fully, halves, share_ahead) if gathers else share_behind
        exposed = entry.time * share
        found.append(
            CommunicationTime(
                entry.collective.parallelism, entry.time, exposed, exposed * entry.network_share
            )
        )
    return found


def _optimizer(
    arch: Architecture, plan: Plan, machine: Machine, calibration: Calibration
) -> Numeric:
    held = fullest_parameters(arch, plan)
    ranks = np.where(plan.sharding >= 1, shard_ranks(plan), 1)
    parameters = held.shared / ranks + held.experts / np.maximum(1, ranks / plan.expert)
    return optimizer_time(parameters, machine.memory_bandwidth * calibration.memory_efficiency)


def _by_parallelism(parts: list[CommunicationTime]) -> tuple[CommunicationTime, ...]:
    merged: dict[str, CommunicationTime] = {}
    for part in parts:
        known = merged.get(part.parallelism)
        merged[part.parallelism] = (
            part
            if known is None
            else CommunicationTime(
                part.parallelism,
                known.total_s + part.total_s,
                known.exposed_s + part.exposed_s,
                known.network_exposed_s + part.network_exposed_s,
            )
        )
    return tuple(merged.values())
