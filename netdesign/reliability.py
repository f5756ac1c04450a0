"""The section ``reliability`` of a Design as the models of floor 2 take it."""

from __future__ import annotations

from netdesign.arrays import as_float
from netdesign.catalog.reliability import failure_rates, reliability
from netdesign.design import Design
from netdesign.economics.cost import Cost
from netdesign.performance.goodput import Goodput, Stops, Writing, goodput_of
from netdesign.performance.step import StepTime
from netdesign.performance.storage import checkpoint_bytes, ingest_bandwidth
from netdesign.performance.tails import Tail, tail_of
from netdesign.units import (
    DAYS_PER_YEAR,
    SECONDS_PER_MINUTE,
    gigabytes_to_bytes,
    hours_to_seconds,
    microseconds_to_seconds,
)
from netdesign.workload.traffic import Collective

GIVEN = "given"
_USUAL_NODE = 8
_THOUSAND = 1000.0


def stops_of(design: Design) -> Stops:
    """How often the job of a design stops and what each stop costs."""
    chosen = design.reliability
    row = failure_rates().get(chosen.fleet)
    per_day = chosen.stops_per_1000_node_days / _THOUSAND if row is None else row.per_day
    return Stops(
        fleet=chosen.fleet,
        failures_per_node_day=per_day,
        node_gpus=_USUAL_NODE if row is None else row.node_gpus or _USUAL_NODE,
        restart_s=chosen.restart_minutes * SECONDS_PER_MINUTE,
        optimistic_below_gpus=reliability("optimistic-below"),
        measured_over_model=reliability("small-job-mttf") / reliability("small-job-model"),
    )


def writing_of(design: Design, parameters: float) -> Writing:
    """How the checkpoints of a design are written."""
    chosen = design.reliability
    each = gigabytes_to_bytes(chosen.storage_write_gbytes_per_s_per_gpu)
    interval = chosen.checkpoint_interval_minutes * SECONDS_PER_MINUTE
    return Writing(
        size=as_float(checkpoint_bytes(parameters, reliability("checkpoint-bytes"))),
        bandwidth=each * design.cluster.gpus,
        stall_s=chosen.checkpoint_stall_s or None,
        interval_s=interval or None,
    )


def goodput_for(design: Design, parameters: float, step: StepTime, cost: Cost) -> Goodput:
    """Failures and checkpoints of an evaluated design.

    Parameters
    ----------
    design : Design
    parameters : float      of the model, all experts
    step : StepTime         of scalars
    cost : Cost             of scalars
    """
    tokens_per_s = as_float(step.tokens_per_s)
    return goodput_of(
        stops_of(design),
        writing_of(design, parameters),
        gpus=design.cluster.gpus,
        step_time_s=as_float(step.step_time_s),
        training_days=as_float(cost.training_days),
        tokens_per_s=tokens_per_s,
        usd_per_gpu_hour=as_float(cost.usd_per_gpu_hour),
        rental_usd_per_gpu_hour=design.economics.rental_usd_per_gpu_hour,
        ingest=as_float(ingest_bandwidth(tokens_per_s, reliability("token-bytes"))),
    )


def tail_for(design: Design, collectives: tuple[Collective, ...], step: StepTime) -> Tail:
    """What jitter costs a step of an evaluated design."""
    return tail_of(
        collectives,
        step.communication,
        gpus=design.cluster.gpus,
        jitter_s=microseconds_to_seconds(design.reliability.jitter_us),
        step_time_s=as_float(step.step_time_s),
    )


def optimism(found: Goodput) -> str:
    """What the planner of a small job must know of the model; empty for a large one."""
    if not found.optimistic:
        return ""
    gpus, measured, model = (
        reliability(name) for name in ("small-job-gpus", "small-job-mttf", "small-job-model")
    )
    return (
        f"optimistic: jobs below about {reliability('optimistic-below'):,.0f} GPUs also stop for "
        f"other causes; for {gpus:,.0f} GPUs of Meta's RSC-1 the model gives {model:g} h between "
        f"stops where {measured:g} h was measured"
    )


def link_failures_per_s(design: Design) -> float:
    """Failures of one link in a second."""
    return design.reliability.link_failures_per_year / hours_to_seconds(24.0 * DAYS_PER_YEAR)


def switch_failures_per_s(design: Design) -> float:
    """Failures of one switch in a second."""
    return design.reliability.switch_failures_per_year / hours_to_seconds(24.0 * DAYS_PER_YEAR)
