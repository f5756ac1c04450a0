"""Design -> Evaluation: the one output, from which everything is drawn, priced and told."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from netdesign.arrays import as_float
from netdesign.catalog import PriceBook, load_catalog
from netdesign.design import Design
from netdesign.economics.bom import BillOfMaterials
from netdesign.economics.cost import Cost, cost
from netdesign.findings import Finding, find
from netdesign.order import Parts, bill_of, networks_beside, order_of, parts_of
from netdesign.performance.calibration import Calibration, calibration_for
from netdesign.performance.compute import operand_bytes
from netdesign.performance.goodput import Goodput
from netdesign.performance.machine import Machine, Training, machine_for
from netdesign.performance.requirement import Requirement, requirement
from netdesign.performance.search import best_plan
from netdesign.performance.step import StepTime, step_time
from netdesign.performance.tails import Tail
from netdesign.reliability import goodput_for, tail_for
from netdesign.topology.fabric import FabricSize
from netdesign.topology.side_networks import SideNetworks
from netdesign.topology.sizing import size_fabric
from netdesign.topology.spec import SPINE_RULES
from netdesign.workload.architecture import architecture_for_size, architecture_from_model
from netdesign.workload.memory import Memory, memory_per_gpu
from netdesign.workload.plan import (
    RECOMPUTE,
    SHARDING,
    Plan,
    check_plan,
    members_within,
    micro_batches,
)
from netdesign.workload.traffic import Collective, traffic
from netdesign.workload.transformer import (
    Architecture,
    active_parameter_count,
    parameter_count,
)


@dataclass(frozen=True)
class Evaluation:
    """Numbers of one design, SI units; scalars only."""

    design: Design
    architecture: Architecture
    parameters: float
    active_parameters: float
    tokens_per_step: float
    servers: int
    plan: Plan
    plan_label: str  # "TP 8 · PP 4 · DP 32, micro-batch 1, ZeRO-1"
    training: Training
    machine: Machine
    memory: Memory
    memory_limit: float  # bytes that a job can use of the card
    traffic: tuple[Collective, ...]
    requirement: Requirement
    step: StepTime
    fabric: FabricSize
    bom: BillOfMaterials  # servers and compute fabric
    beside: SideNetworks  # storage, in-band and out-of-band networks
    order: BillOfMaterials  # the bill and the networks beside
    cost: Cost
    tail: Tail  # barriers of a step and what jitter costs at them
    goodput: Goodput  # failures, checkpoints, and what is left of the time
    crosses_taper: bool  # some group of the plan reaches over an oversubscribed tier
    taper_slowdown: float  # step time over that of the same fabric without a taper
    gpus_that_fit: int | None  # where no plan fits: the fewest GPUs (doubling) on which one does
    batch_that_fills: int | None  # where the bubble is large: the batch (doubling) that mends it
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class _Job:
    """Everything the step-time model needs besides the plan."""

    arch: Architecture
    gpus: int
    training: Training
    machine: Machine
    calibration: Calibration
    gradient_bytes: int
    memory_limit: float

    def step(self, plan: Plan) -> StepTime:
        return step_time(
            self.arch,
            plan,
            self.training,
            self.machine,
            self.calibration,
            gradient_bytes=self.gradient_bytes,
        )


def evaluate(design: Design, price_book: PriceBook | None = None) -> Evaluation:
    """Everything netdesign has to say about a design; pure.

    Parameters
    ----------
    design : Design
    price_book : PriceBook      the planner's own prices, over the book that the design names

    Raises
    ------
    DesignError
        when the manual plan cannot be run at all, or a precision has no peak on the card.
    """
    parts = parts_of(design, price_book)
    servers = math.ceil(design.cluster.gpus / parts.server.gpus)
    fabric = _fabric(design, parts, servers)
    job = _job(design, parts, fabric)
    plan, fits = _plan(design, job)
    step = job.step(plan)
    collectives = _traffic(design, job, plan)
    bom = bill_of(design, parts, servers, fabric)
    beside = networks_beside(parts, servers, fabric)
    crosses = _crosses_taper(collectives, fabric)
    parameters = as_float(parameter_count(job.arch))
    money = _cost(design, bom, step)
    evaluation = Evaluation(
        design=design,
        architecture=job.arch,
        parameters=parameters,
        active_parameters=as_float(active_parameter_count(job.arch)),
        tokens_per_step=design.training.global_batch * design.training.sequence_length,
        servers=servers,
        plan=plan,
        plan_label=plan_label(plan, job.training),
        training=job.training,
        machine=job.machine,
        memory=_memory(design, job, plan),
        memory_limit=job.memory_limit,
        traffic=collectives,
        requirement=_requirement(design, job, plan, parts),
        step=step,
        fabric=fabric,
        bom=bom,
        beside=beside,
        order=order_of(design, parts, bom, beside),
        cost=money,
        tail=tail_for(design, collectives, step),
        goodput=goodput_for(design, parameters, step, money),
        crosses_taper=crosses,
        taper_slowdown=_taper_slowdown(job, plan, step) if crosses else 1.0,
        gpus_that_fit=None if fits else _gpus_that_fit(job),
        batch_that_fills=_batch_that_fills(job, plan, step, best=design.plan.mode == "best"),
    )
    return replace(evaluation, findings=find(evaluation))


@lru_cache(maxsize=64)
def architecture_of(preset: str, parameters_billion: float) -> Architecture:
    """The architecture that is trained: a published one, or one made for a size."""
    if preset == "by-size":
        return architecture_for_size(parameters_billion * 1e9)
    return architecture_from_model(load_catalog().models[preset])


def plan_label(plan: Plan, training: Training | None = None) -> str:
    """A plan in one line, without the degrees that are 1, and a schedule other than 1F1B."""
    chunks = f" x {int(plan.virtual_stages)} chunks" if plan.virtual_stages > 1 else ""
    names = (
        ("TP", plan.tensor, ""),
        ("CP", plan.context, ""),
        ("EP", plan.expert, ""),
        ("PP", plan.pipeline, chunks),
        ("DP", plan.data, ""),
    )
    degrees = " · ".join(f"{name} {int(n)}{more}" for name, n, more in names if n > 1) or "1 GPU"
    stage = ("DDP", "ZeRO-1", "ZeRO-2", "FSDP")[int(plan.sharding)]
    if plan.sharding == SHARDING["fsdp"] and 0 < plan.shard_group < plan.data * plan.context:
        stage = f"HSDP over {int(plan.shard_group)}"
    recompute = ("no recompute", "selective recompute", "full recompute")[int(plan.recompute)]
    schedule = ""
    if training is not None and training.zero_bubble:
        schedule = ", DualPipe" if training.expert_overlap else ", zero-bubble"
    return f"{degrees}, micro-batch {int(plan.micro_batch)}, {stage}, {recompute}{schedule}"


def training_of(design: Design) -> Training:
    """What the step-time model is told of a design's training and of its schedule."""
    chosen, schedule = design.training, design.plan.schedule
    return Training(
        sequence_length=chosen.sequence_length,
        global_batch=chosen.global_batch,
        precision=chosen.precision,
        dispatch_bytes=1 if chosen.dispatch_precision == "fp8" else None,
        zero_bubble=schedule in ("zero-bubble", "dualpipe"),
        expert_overlap=schedule == "dualpipe",
    )


def _fabric(design: Design, parts: Parts, servers: int) -> FabricSize:
    return size_fabric(
        design.network.family,
        servers=servers,
        ports_per_server=parts.server.network_ports,
        gpus_per_server=parts.server.gpus,
        radix=parts.switch.radix(parts.link_gbps),
        oversubscription=design.network.oversubscription,
        core_oversubscription=design.network.core_oversubscription,
        even_spread=SPINE_RULES[design.network.spines],
    )


def _job(design: Design, parts: Parts, fabric: FabricSize) -> _Job:
    calibration = calibration_for(parts.accelerator.generation)
    machine = machine_for(
        parts.server,
        parts.accelerator,
        parts.transport,
        fabric,
        design.training.precision,
        in_network_reduction=design.network.in_network_reduction,
        calibration=calibration,
        own=design.measured.speeds,
    )
    slowed = machine.network_bandwidth * parts.link_gbps / parts.server.port_gbps
    return _Job(
        arch=architecture_of(design.model.preset, design.model.parameters_billion),
        gpus=design.cluster.gpus,
        training=training_of(design),
        machine=replace(machine, network_bandwidth=slowed),
        calibration=calibration,
        gradient_bytes=design.training.gradient_bytes,
        memory_limit=as_float(machine.memory_bytes * calibration.usable_memory_share),
    )


def _plan(design: Design, job: _Job) -> tuple[Plan, bool]:
    if design.plan.mode == "best":
        return _best(job, job.gpus)
    plan = manual_plan(design)
    ranks = int(plan.tensor * plan.pipeline * plan.context)
    used = job.gpus - job.gpus % ranks if ranks <= job.gpus else job.gpus
    check_plan(job.arch, plan, used, design.training.global_batch)
    return plan, True


def _best(job: _Job, gpus: int) -> tuple[Plan, bool]:
    return best_plan(
        job.arch,
        gpus,
        job.training,
        job.machine,
        job.calibration,
        gradient_bytes=job.gradient_bytes,
        memory_limit=job.memory_limit,
        comfortable_share=load_catalog().rules["memory-tight"].value,
    )


def manual_plan(design: Design) -> Plan:
    """The plan that the numbers of a design spell out; what divides is checked elsewhere."""
    chosen, training = design.plan, design.training
    model_ranks = chosen.tensor * chosen.pipeline * chosen.context
    data = max(1, design.cluster.gpus // model_ranks)
    return Plan(
        tensor=chosen.tensor,
        pipeline=chosen.pipeline,
        context=chosen.context,
        expert=chosen.expert,
        data=data,
        micro_batch=chosen.micro_batch,
        micro_batches=micro_batches(training.global_batch, data, chosen.micro_batch),
        virtual_stages=chosen.virtual_stages,
        sharding=SHARDING[chosen.sharding],
        shard_group=chosen.shard_group if chosen.sharding == "hsdp" else data * chosen.context,
        recompute=RECOMPUTE[chosen.recompute],
        sequence_parallel=chosen.sequence_parallel,
    )


def _gpus_that_fit(job: _Job) -> int | None:
    highest = load_catalog().parameters["cluster.gpus"].highest or 0
    gpus = 2 * job.gpus
    while gpus <= highest:
        if _best(job, gpus)[1]:
            return gpus
        gpus *= 2
    return None


def _batch_that_fills(job: _Job, plan: Plan, step: StepTime, *, best: bool) -> int | None:
    limit = load_catalog().rules["bubble-share-high"].value
    if step.bubble_share <= limit:
        return None
    highest = load_catalog().parameters["training.global_batch"].highest or 0
    unit = int(plan.data * plan.micro_batch)
    fuller = plan
    while unit * fuller.micro_batches * 2 <= highest:
        fuller = replace(fuller, micro_batches=2 * fuller.micro_batches)
        batch = int(unit * fuller.micro_batches)
        larger = replace(job, training=replace(job.training, global_batch=batch))
        if larger.step(_best(larger, job.gpus)[0] if best else fuller).bubble_share <= limit:
            return batch
    return None


def _memory(design: Design, job: _Job, plan: Plan) -> Memory:
    return memory_per_gpu(
        job.arch,
        plan,
        design.training.sequence_length,
        gradient_bytes=job.gradient_bytes,
        workspace=job.calibration.workspace_bytes,
        operand_bytes=operand_bytes(design.training.precision),
    )


def _traffic(design: Design, job: _Job, plan: Plan) -> tuple[Collective, ...]:
    return traffic(
        job.arch,
        plan,
        design.training.sequence_length,
        domain_gpus=job.machine.domain_gpus,
        gradient_bytes=job.gradient_bytes,
        dispatch_bytes=job.training.dispatch_bytes,
    )


def _requirement(design: Design, job: _Job, plan: Plan, parts: Parts) -> Requirement:
    return requirement(
        job.arch,
        plan,
        job.training,
        job.machine,
        job.calibration,
        communication_share=design.target.communication_share,
        gpus_per_server=parts.server.gpus,
        gradient_bytes=job.gradient_bytes,
    )


def _crosses_taper(collectives: tuple[Collective, ...], fabric: FabricSize) -> bool:
    if fabric.oversubscription * fabric.core_oversubscription <= 1:
        return False
    return any(
        entry.calls > 0
        and entry.network_bytes_per_gpu > 0
        and entry.span.ranks > members_within(entry.span, fabric.pod_gpus)
        for entry in collectives
    )


def _taper_slowdown(job: _Job, plan: Plan, step: StepTime) -> float:
    untapered = replace(job, machine=replace(job.machine, oversubscription=1.0))
    return as_float(step.step_time_s / untapered.step(plan).step_time_s)


def _cost(design: Design, bom: BillOfMaterials, step: StepTime) -> Cost:
    money, training = design.economics, design.training
    return cost(
        bom,
        gpus=design.cluster.gpus,
        step_time_s=step.step_time_s,
        tokens_per_step=training.global_batch * training.sequence_length,
        token_budget=training.token_budget_trillion * 1e12,
        network_exposed_s=step.network_exposed_s,
        rental_usd_per_gpu_hour=money.rental_usd_per_gpu_hour,
        pue=money.pue,
        usd_per_kwh=money.usd_per_kwh,
        amortisation_years=money.amortisation_years,
        interest_rate=money.interest_rate,
        operations_share=money.operations_share,
    )
