"""Findings about the job: memory, plan, batch, communication."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog
from netdesign.findings.finding import Finding
from netdesign.units import bytes_per_second_to_gbps, bytes_to_gigabytes
from netdesign.workload.plan import RECOMPUTE

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


def rule_value(name: str) -> float:
    """The threshold of a rule, from ``data/rules.csv``."""
    return load_catalog().rules[name].value


def memory_does_not_fit(evaluation: Evaluation) -> Finding | None:
    """More memory needed than the card has."""
    need, limit = float(evaluation.memory.total), evaluation.memory_limit
    if need <= limit:
        return None
    sentence = (
        f"Does not fit: {bytes_to_gigabytes(need):,.0f} GB needed per GPU, "
        f"the {evaluation.machine.accelerator} has {bytes_to_gigabytes(limit):,.0f} GB."
    )
    if evaluation.design.plan.mode == "manual":
        return Finding(
            "memory-does-not-fit",
            "error",
            sentence,
            f"Shed {bytes_to_gigabytes(need - limit):,.0f} GB: more tensor or pipeline "
            "parallelism, more sharding or more recompute; 'best' looks for a plan that fits.",
            "plan.mode",
            "best",
        )
    gpus = evaluation.gpus_that_fit
    return Finding(
        "memory-does-not-fit",
        "error",
        sentence,
        f"No plan fits on the {evaluation.design.cluster.gpus:,} of this design; {gpus:,} GPUs "
        "would do."
        if gpus
        else "No plan fits on any number of GPUs: choose a card with more memory, a shorter "
        "sequence or a smaller model.",
        "cluster.gpus" if gpus else "cluster.server",
        gpus,
    )


def memory_is_tight(evaluation: Evaluation) -> Finding | None:
    """Fits, but with little room for fragmentation."""
    share = float(evaluation.memory.total) / evaluation.memory_limit
    if not rule_value("memory-tight") < share <= 1:
        return None
    sentence = f"Memory is {share:.0%} full; fragmentation may stop the run."
    if evaluation.design.plan.mode == "best" or evaluation.plan.recompute == RECOMPUTE["full"]:
        return Finding(
            "memory-is-tight",
            "note",
            sentence,
            "It is the fastest plan that fits; more sharding, tensor or pipeline parallelism by "
            "hand makes room.",
        )
    return Finding(
        "memory-is-tight",
        "note",
        sentence,
        "Full recompute makes room, for about a third more compute.",
        "plan.recompute",
        "full",
    )


def tensor_leaves_the_domain(evaluation: Evaluation) -> Finding | None:
    """A tensor-parallel group that does not fit in the scale-up domain."""
    tensor, domain = int(evaluation.plan.tensor), int(evaluation.machine.domain_gpus)
    if tensor <= domain:
        return None
    ratio = float(evaluation.machine.domain_bandwidth / evaluation.machine.network_bandwidth)
    return Finding(
        "tensor-leaves-domain",
        "warning",
        f"Tensor parallelism over {tensor} GPUs leaves the NVLink domain of {domain}; "
        f"the network is {ratio:.0f} times slower.",
        f"Use at most {domain} tensor-parallel ranks.",
        "plan.tensor",
        domain,
    )


def idle_gpus(evaluation: Evaluation) -> Finding | None:
    """GPUs that the plan cannot use."""
    plan, gpus = evaluation.plan, evaluation.design.cluster.gpus
    unit = int(plan.tensor * plan.pipeline * plan.context)
    used = unit * int(plan.data)
    if used == gpus:
        return None
    if evaluation.design.plan.mode == "best":
        reason = (
            f"no legal plan can feed more from a batch of "
            f"{evaluation.design.training.global_batch:,} sequences"
        )
        fix = f"Use {used:,} GPUs, a larger batch, or a count with more divisors."
    else:
        reason = f"the plan needs multiples of {unit:,}"
        fix = f"Use {used:,} or {used + unit:,} GPUs, or another plan."
    return Finding(
        "idle-gpus",
        "warning",
        f"{gpus - used:,} of {gpus:,} GPUs idle: {reason}.",
        fix,
        "cluster.gpus",
        used,
    )


def communication_over_budget(evaluation: Evaluation) -> Finding | None:
    """More waiting for the network than the planner accepts."""
    need = evaluation.requirement
    reached, budget = float(need.share_reached), float(need.communication_share)
    if reached <= budget:
        return None
    close = f"{reached:.1%}" == f"{budget:.1%}"
    bandwidth = float(need.bandwidth_per_gpu)
    if math.isfinite(bandwidth):
        given = bytes_per_second_to_gbps(float(evaluation.machine.network_bandwidth))
        fix = (
            f"{bytes_per_second_to_gbps(bandwidth):,.0f} Gb/s per GPU would keep to it; the "
            f"design has {given:,.0f}."
        )
    else:
        calls = sum(
            float(entry.calls) for entry in evaluation.traffic if entry.network_bytes_per_gpu > 0
        )
        fix = (
            f"No bandwidth is enough: {float(need.share_floor):.1%} remain with an endless one, "
            f"the start-up of {calls:,.0f} calls a step. Fewer and larger calls help: a larger "
            "batch, fewer stages or chunks."
        )
    return Finding(
        "communication-over-budget",
        "warning",
        f"Waiting for the network takes {reached:.{2 if close else 1}%} of the step, the budget "
        f"is {budget:.1%}.",
        fix,
    )


def bubble_is_large(evaluation: Evaluation) -> Finding | None:
    """A pipeline that waits for itself."""
    share, limit = float(evaluation.step.bubble_share), rule_value("bubble-share-high")
    plan, batch = evaluation.plan, evaluation.batch_that_fills
    if share <= limit:
        return None
    return Finding(
        "bubble-is-large",
        "warning",
        f"The pipeline bubble takes {share:.0%} of the step: {int(plan.pipeline)} stages share "
        f"{int(plan.micro_batches)} micro-batches.",
        f"A global batch of {batch:,} sequences brings it under {limit:.0%}; more virtual stages "
        "help too."
        if batch
        else "No batch brings it down: choose stages that divide the layers.",
        "training.global_batch" if batch else "plan.pipeline",
        batch,
    )


def batch_does_not_divide(evaluation: Evaluation) -> Finding | None:
    """A global batch that the data ranks cannot share evenly."""
    plan, batch = evaluation.plan, evaluation.design.training.global_batch
    unit = int(plan.data * plan.micro_batch)
    used = unit * int(plan.micro_batches)
    if used == batch:
        return None
    highest = load_catalog().parameters["training.global_batch"].highest or used
    even = used if used <= highest else used - unit
    return Finding(
        "batch-does-not-divide",
        "note",
        f"{unit:,} sequences pass at once: a step has {used:,} places for {batch:,} sequences, "
        f"{used - batch:,} stay empty.",
        f"Use a global batch of {even:,} sequences.",
        "training.global_batch",
        even,
    )


def uneven_stages(evaluation: Evaluation) -> Finding | None:
    """Layers that do not divide by the stages."""
    plan, layers = evaluation.plan, int(evaluation.architecture.layers)
    stages = int(plan.pipeline * plan.virtual_stages)
    if layers % stages == 0:
        return None
    return Finding(
        "uneven-stages",
        "note",
        f"{layers} layers over {stages} stages: the longest holds {math.ceil(layers / stages)}, "
        f"an even share would be {layers / stages:.1f}.",
        "A number of stages that divides the layers wastes nothing.",
    )


def longer_than_the_model_was_made_for(evaluation: Evaluation) -> Finding | None:
    """A sequence beyond the published context of the preset."""
    design = evaluation.design
    row = load_catalog().models.get(design.model.preset)
    if row is None or design.training.sequence_length <= row.context:
        return None
    return Finding(
        "longer-than-context",
        "note",
        f"{row.name} was published with a context of {row.context:,} tokens; the design trains "
        f"on {design.training.sequence_length:,}.",
        f"{row.context:,} tokens is what was published.",
        "training.sequence_length",
        row.context,
    )
