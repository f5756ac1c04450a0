"""All valid plans of a job by step time, and what each of the leading ones spends its time on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from netdesign.arrays import Array, as_float
from netdesign.catalog import load_catalog
from netdesign.evaluate import Evaluation, plan_label
from netdesign.performance.calibration import Calibration, calibration_for
from netdesign.performance.compute import operand_bytes
from netdesign.performance.machine import Machine, Training
from netdesign.performance.step import StepTime, step_time
from netdesign.ranking.enumeration import valid_plans
from netdesign.workload.memory import memory_per_gpu
from netdesign.workload.plan import RECOMPUTE, Plan, plan_at
from netdesign.workload.transformer import Architecture

LEADING = 8  # plans that are looked at closely, one of each set of degrees
WITHIN_REACH = 2.0  # times the memory: a plan that needs more is no news about memory
CHUNK = 16_384  # plans that are evaluated at once: their arrays stay in the cache
SAME = 1e-9  # relative difference that is only rounding
_CUT = ("tensor", "pipeline", "context", "expert", "data")


@dataclass(frozen=True)
class Job:
    """What the step-time and memory models need besides the plan."""

    arch: Architecture
    training: Training
    machine: Machine
    calibration: Calibration
    gradient_bytes: float
    memory_limit: float  # bytes
    comfortable_share: float  # of it, that a plan keeps to if that costs little speed

    def step(self, plans: Plan) -> StepTime:
        return step_time(
            self.arch,
            plans,
            self.training,
            self.machine,
            self.calibration,
            gradient_bytes=self.gradient_bytes,
        )

    def memory(self, plans: Plan) -> Array:
        """Bytes on the fullest GPU, of the shape of the plans."""
        total = memory_per_gpu(
            self.arch,
            plans,
            self.training.sequence_length,
            gradient_bytes=self.gradient_bytes,
            workspace=self.calibration.workspace_bytes,
            operand_bytes=operand_bytes(self.training.precision),
        ).total
        return np.broadcast_to(total, np.shape(plans.data))


@dataclass(frozen=True)
class Standing:
    """One plan of a ranking and where its step goes."""

    rank: int  # 1 is the fastest of the plans that fit; 0: does not fit
    plan: Plan
    label: str
    step_time_s: float
    step_time_low_s: float  # the band of the calibration
    step_time_high_s: float
    memory_bytes: float
    parts: Mapping[str, float]  # s: compute, recompute, bubble, kinds of communication, ...
    variants: int  # plans of the same degrees that fit, this one included
    roomy: bool  # keeps the share of memory free that allocators and forecasts need


@dataclass(frozen=True)
class Ranking:
    """Plans that fit, the fastest first; ties go to the one that needs less memory."""

    job: Job
    plans: Plan  # 1-D arrays; empty where none fits
    step_time_s: Array
    memory_bytes: Array
    valid: int  # plans that could be run if memory had no end
    tried: int  # of these; fewer where a limit left some out
    left_out: tuple[str, ...]  # settings that were not tried
    best_of_cut: Array  # positions of the fastest plan of each set of degrees
    of_cut: Array  # plans that fit of each of these sets
    own: Standing  # the plan of the design
    unfitting: Standing | None  # without its parts: the fastest plan that does not fit, if it beats
    # all that do and needs at most twice the memory; where none fits the one that needs least

    @property
    def fitting(self) -> int:
        """Plans that fit."""
        return len(self.step_time_s)

    def standings(self, most: int, *, every_variant: bool = False) -> tuple[Standing, ...]:
        """The leading plans, one of each set of degrees unless every variant is asked for."""
        if not every_variant and most <= LEADING:
            return self._leading[:most]
        positions = np.arange(self.fitting) if every_variant else self.best_of_cut
        return self._standings(positions[:most])

    def ahead(self) -> Standing | None:
        """The first, where it is faster than the design's plan by more than a rule asks for."""
        first = next(iter(self.standings(1)), None)
        if first is None or self.own.rank == 1:
            return None
        worth = load_catalog().rules["plan-ahead"].value
        beaten = self.own.rank == 0 or self.own.step_time_s > (1 + worth) * first.step_time_s
        return first if beaten else None

    def runner_up(self) -> Standing | None:
        """The fastest plan that cuts the job in another way than the design's plan does."""
        own = tuple(int(getattr(self.own.plan, name)) for name in _CUT)
        for standing in self.standings(2):
            if tuple(int(getattr(standing.plan, name)) for name in _CUT) != own:
                return standing
        return None

    @cached_property
    def _leading(self) -> tuple[Standing, ...]:
        return self._standings(self.best_of_cut[:LEADING])

    def _standings(self, positions: Array) -> tuple[Standing, ...]:
        if not len(positions):
            return ()
        plans = plan_at(self.plans, positions)
        counts = dict(zip(self.best_of_cut.tolist(), self.of_cut.tolist(), strict=True))
        parts = parts_of_steps(self.job, plans)
        low, high = self.job.calibration.error_band(self.job.arch.experts)
        memory, limit = self.memory_bytes, self.job.comfortable_share * self.job.memory_limit
        return tuple(
            Standing(
                rank=position + 1,
                plan=(plan := plan_at(plans, i)),
                label=plan_label(plan, self.job.training),
                step_time_s=(time := as_float(self.step_time_s[position])),
                step_time_low_s=as_float(time * low),
                step_time_high_s=as_float(time * high),
                memory_bytes=as_float(memory[position]),
                parts={name: as_float(values[i]) for name, values in parts.items()},
                variants=counts.get(position, 1),
                roomy=bool(memory[position] <= limit),
            )
            for i, position in enumerate(positions.tolist())
        )


def job_of(evaluation: Evaluation) -> Job:
    """The job of an Evaluation without its plan."""
    return Job(
        arch=evaluation.architecture,
        training=evaluation.training,
        machine=evaluation.machine,
        calibration=calibration_for(evaluation.machine.generation),
        gradient_bytes=evaluation.design.training.gradient_bytes,
        memory_limit=evaluation.memory_limit,
        comfortable_share=load_catalog().rules["memory-tight"].value,
    )


def rank_plans(evaluation: Evaluation, *, most: int | None = None) -> Ranking:
    """All valid plans for the model and the GPUs of a design, by step time within memory.

    Parameters
    ----------
    evaluation : Evaluation      of the design; its plan gets a place, in the ranking or beside it
    most : int or None           plans to try at most, for a screen that follows a slider; what is
                                 left out is named, and tried after all where nothing else fits

    Returns
    -------
    Ranking
    """
    job = job_of(evaluation)
    found = valid_plans(
        job.arch,
        evaluation.design.cluster.gpus,
        int(job.training.global_batch),
        int(job.machine.domain_gpus),
        int(job.training.sequence_length),
        most=most,
    )
    plans = found.plans
    memory = job.memory(plans)
    fits = memory <= job.memory_limit
    inside = np.flatnonzero(fits)
    if found.left_out and not len(inside):
        return rank_plans(evaluation)
    beyond = _least_recomputing(plans, ~fits & (memory <= WITHIN_REACH * job.memory_limit))
    if not len(inside):
        beyond = np.array([np.argmin(memory)])
    both = _step_times(job, plans, np.concatenate([inside, beyond]))
    times, beyond_times = both[: len(inside)], both[len(inside) :]
    order = np.lexsort((memory[inside], times))
    ranked, times = inside[order], times[order]
    ordered = plan_at(plans, ranked)
    firsts, counts = _cuts_of(ordered)
    return Ranking(
        job=job,
        plans=ordered,
        step_time_s=times,
        memory_bytes=memory[ranked],
        valid=found.count,
        tried=len(memory),
        left_out=found.left_out,
        best_of_cut=firsts,
        of_cut=counts,
        own=_own(evaluation, job, times),
        unfitting=_unfitting(job, plan_at(plans, beyond), beyond_times, memory[beyond], times[:1]),
    )


def parts_of_steps(job: Job, plans: Plan) -> dict[str, Array]:
    """Seconds of each part of the steps of several plans; the parts sum to the step time.

    Returns
    -------
    dict of arrays, s       compute (without what is computed again), recompute, bubble, the exposed
                            time of each kind of communication, optimizer, overhead
    """
    count = len(np.atleast_1d(plans.data))
    step = job.step(_and_without_recomputation(plans))
    whole = {
        "compute": step.compute_s,
        "bubble": step.bubble_s,
        **{part.parallelism: part.exposed_s for part in step.communication},
        "optimizer": step.optimizer_s,
        "overhead": step.overhead_s,
    }
    parts = {name: np.broadcast_to(values, (2 * count,)) for name, values in whole.items()}
    once = parts["compute"][count:]
    again = parts["compute"][:count] - once
    return {name: v[:count] for name, v in parts.items()} | {"compute": once, "recompute": again}


def _and_without_recomputation(plans: Plan) -> Plan:
    """The plans, and after them the same without recomputation."""
    twice: dict[str, Any] = {
        name: np.concatenate([values, values])
        for name, values in vars(plans).items()
        if isinstance(values, np.ndarray)
    }
    twice["recompute"][len(twice["recompute"]) // 2 :] = RECOMPUTE["none"]
    return replace(plans, **twice)


def _step_times(job: Job, plans: Plan, which: Array) -> Array:
    chunks = [which[i : i + CHUNK] for i in range(0, len(which), CHUNK)]
    times = [
        np.broadcast_to(job.step(plan_at(plans, chunk)).step_time_s, chunk.shape)
        for chunk in chunks
    ]
    return np.concatenate(times) if times else np.zeros(0)


def _least_recomputing(plans: Plan, chosen: Array) -> Array:
    """Positions of the chosen plans but those of which the same with less recomputation is chosen.

    Recomputation never makes a step shorter; it varies fastest in an enumeration.
    """
    code = np.asarray(plans.recompute)
    less = np.zeros_like(chosen)
    less[1:] = chosen[:-1] & (code[:-1] < code[1:])
    return np.flatnonzero(chosen & ~less)


def _cuts_of(plans: Plan) -> tuple[Array, Array]:
    """Of plans in order: the first of each set of degrees, and how many have these degrees."""
    key = np.zeros(np.shape(plans.data), dtype=np.int64)
    for name in _CUT:
        values = np.asarray(getattr(plans, name), dtype=np.int64)
        key = key * (int(values.max(initial=0)) + 1) + values
    _, firsts, counts = np.unique(key, return_index=True, return_counts=True)
    order = np.argsort(firsts)
    return firsts[order], counts[order]


def _own(evaluation: Evaluation, job: Job, times: Array) -> Standing:
    step, memory = as_float(evaluation.step.step_time_s), as_float(evaluation.memory.total)
    parts = parts_of_steps(job, _as_arrays(evaluation.plan))
    rank = 1 + int(np.searchsorted(times, step * (1 - SAME)))
    return _alone(job, evaluation.plan, step, memory, rank, parts)


def _unfitting(
    job: Job, plans: Plan, times: Array, memory: Array, fastest: Array
) -> Standing | None:
    """The fastest of plans that do not fit, unless the fastest that fits is as fast."""
    if not len(times) or (len(fastest) and times.min() >= fastest[0]):
        return None
    best = int(np.argmin(times))
    return _alone(job, plan_at(plans, best), float(times[best]), float(memory[best]), 0, {})


def _alone(
    job: Job, plan: Plan, step: float, memory: float, rank: int, parts: Mapping[str, Array]
) -> Standing:
    low, high = job.calibration.error_band(job.arch.experts)
    return Standing(
        rank=rank if memory <= job.memory_limit else 0,
        plan=plan,
        label=plan_label(plan, job.training),
        step_time_s=step,
        step_time_low_s=as_float(step * low),
        step_time_high_s=as_float(step * high),
        memory_bytes=memory,
        parts={name: as_float(values) for name, values in parts.items()},
        variants=1,
        roomy=memory <= job.comfortable_share * job.memory_limit,
    )


def _as_arrays(plan: Plan) -> Plan:
    """A plan of scalars as one of arrays of one element; flags stay."""
    values: dict[str, Any] = {field.name: getattr(plan, field.name) for field in fields(plan)}
    for name, value in values.items():
        if type(value) in (int, float):
            values[name] = np.array([value])
    return Plan(**values)
