"""Runs predicted and scored: the step time, its band, the error, and what a flat MFU would say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from netdesign.arrays import Array
from netdesign.performance.calibration import Calibration, calibration_for
from netdesign.performance.compute import EIGHT_BIT
from netdesign.performance.measurements import (
    MeasuredRun,
    RunBatch,
    measured_accelerators,
    measured_runs,
    run_batches,
    scope_of,
)
from netdesign.validation.rows import Candidate, RunTable
from netdesign.validation.unseen import unseen_errors
from netdesign.workload.plan import RECOMPUTE, SHARDING

SMALLEST_CLUSTER = 64  # GPUs of the first step of sizes
Kind = tuple[str, bool]  # accelerator, and whether its matrix products are of 8 bits
FEW = 10  # runs; a flat MFU that fits fewer in hindsight proves nothing
MOST_TRIED = 512  # flat MFUs that are tried for a group of runs
CUTS: dict[str, Callable[[MeasuredRun], str]] = {
    "source": lambda run: run.source,
    "accelerator": lambda run: str(measured_accelerators()[run.accelerator].name),
    "style": lambda run: parallel_style(run),
}
MORE_CUTS: dict[str, Callable[[MeasuredRun], str]] = {
    "size": lambda run: size_band(run.gpus),
    "bandwidth": lambda run: (
        f"{run.network_gbps_per_gpu:g} Gb/s" if run.network_stated else "not stated"
    ),
}
ALL_CUTS: dict[str, Callable[[MeasuredRun], str]] = {
    "all": lambda run: "all",
    **CUTS,
    **MORE_CUTS,
}


@dataclass(frozen=True)
class Scores:
    """Predictions of runs; every array has one entry for each, in the order given.

    Times in s. ``measured`` and what follows from it is NaN where nothing was measured; ``error``
    is predicted over measured less 1. ``scored`` marks the measured runs that no rule leaves out.
    ``mfus`` holds the flat MFU of each accelerator and precision, with the number of runs that
    chose it in hindsight; ``flat`` is the step time by it, NaN where there is none.
    ``unseen_error`` is that of published runs by constants fitted without their source, else NaN.
    """

    candidates: tuple[Candidate, ...]
    predicted: Array
    low: Array
    high: Array
    measured: Array
    error: Array
    inside: Array
    fits_memory: Array
    mfus: Mapping[Kind, tuple[float, int]]
    flat: Array
    flat_error: Array
    scored: Array
    unseen_error: Array


@dataclass(frozen=True)
class GroupErrors:
    """Absolute errors of the scored runs of a group, ours and the flat MFU's."""

    cut: str
    name: str
    rows: int
    median: float
    percentile_90: float
    in_band: float
    flat_median: float
    flat_percentile_90: float
    unseen_median: float | None = None  # by constants fitted without the source of each run
    unseen_percentile_90: float | None = None

    @property
    def flat_is_better(self) -> bool:
        """Whether the flat MFU has the smaller median error."""
        return self.flat_median < self.median


def score(candidates: Sequence[Candidate], beside: Scores | None = None) -> Scores:
    """Predict runs with the shipped constants, as arrays.

    Parameters
    ----------
    candidates : sequence of Candidate
    beside : Scores     runs whose flat MFU stands in for a kind with fewer than ``FEW`` of its own
    """
    count = len(candidates)
    columns = {name: np.full(count, np.nan) for name in ("predicted", "low", "high", "ideal")}
    fits = np.zeros(count, dtype=bool)
    scopes: dict[str, list[int]] = {}
    for place, candidate in enumerate(candidates):
        scopes.setdefault(scope_of(candidate.run), []).append(place)
    for scope, places in scopes.items():
        calibration = calibration_for(scope)
        by_run = {id(candidates[place].run): place for place in places}
        for batch in run_batches([candidates[place].run for place in places], calibration):
            at = np.array([by_run[id(run)] for run in batch.runs])
            step = batch.step(calibration)
            columns["predicted"][at] = step.step_time_s
            columns["low"][at], columns["high"][at] = step.step_time_low_s, step.step_time_high_s
            gpus = np.array([run.gpus for run in batch.runs])
            columns["ideal"][at] = step.model_flops / (gpus * batch.machine.peak_flops)
            fits[at] = _fits(batch, calibration)
    return _scores(tuple(candidates), columns, fits, beside)


def score_table(table: RunTable, beside: Scores | None = None) -> tuple[RunTable, Scores]:
    """Predict the runs of a table; what no model can time is skipped with the others.

    Parameters
    ----------
    table : RunTable
    beside : Scores     as in ``score``
    """
    scores = score(table.candidates, beside)
    timed = np.isfinite(scores.predicted) & (scores.predicted > 0) & np.isfinite(scores.high)
    if timed.all():
        return table, scores
    kept = tuple(c for c, known in zip(table.candidates, timed, strict=True) if known)
    gone = [c.run.id for c, known in zip(table.candidates, timed, strict=True) if not known]
    skipped = (*table.skipped, *((name, "its numbers are beyond any machine") for name in gone))
    return replace(table, candidates=kept, skipped=skipped), score(kept, beside)


def _fits(batch: RunBatch, calibration: Calibration) -> Array:
    """Whether each run fits: with what it states, and what needs least where it states nothing."""
    plan = batch.plan
    unsaid = np.array([run.recompute in (None, "custom") for run in batch.runs])
    unsharded = np.array([run.sharding is None for run in batch.runs])
    least = replace(
        plan,
        recompute=np.where(unsaid, RECOMPUTE["full"], plan.recompute),
        sharding=np.where(unsharded, SHARDING["fsdp"], plan.sharding),
    )
    limit = batch.machine.memory_bytes * calibration.usable_memory_share
    fits: Array = np.asarray(replace(batch, plan=least).memory_bytes(calibration)) <= limit
    return fits


def _scores(
    candidates: tuple[Candidate, ...],
    columns: Mapping[str, Array],
    fits: Array,
    beside: Scores | None,
) -> Scores:
    measured = np.array([c.measured or np.nan for c in candidates], dtype=float)
    left_out = np.array([bool(c.left_out) for c in candidates], dtype=bool)
    scored = np.isfinite(measured) & ~left_out
    mfus = flat_mfus(candidates, columns["ideal"], measured, scored)
    for kind, (mfu, runs) in (beside.mfus if beside else {}).items():
        if mfus.get(kind, (0.0, 0))[1] < FEW:
            mfus[kind] = mfu, runs
    chosen = [mfus.get(_kind(candidate.run), (np.nan, 0))[0] for candidate in candidates]
    flat = columns["ideal"] / np.array(chosen, dtype=float)
    predicted = columns["predicted"]
    return Scores(
        candidates=candidates,
        predicted=predicted,
        low=columns["low"],
        high=columns["high"],
        measured=measured,
        error=predicted / measured - 1,
        inside=(measured >= columns["low"]) & (measured <= columns["high"]),
        fits_memory=fits,
        mfus=mfus,
        flat=flat,
        flat_error=flat / measured - 1,
        scored=scored,
        unseen_error=np.full(len(candidates), np.nan),
    )


def flat_mfus(
    candidates: Sequence[Candidate], ideal: Array, measured: Array, scored: Array
) -> dict[Kind, tuple[float, int]]:
    """The flat MFU of each accelerator and precision, and on how many runs it was chosen.

    It is the one with the least median error on the very runs that it is scored on, which is more
    than anyone has who plans.

    Parameters
    ----------
    candidates : sequence of Candidate
    ideal, measured : array, s      step time at an MFU of 1, and as measured
    scored : array of bool          runs that choose the MFU
    """
    groups: dict[Kind, list[int]] = {}
    for place in np.flatnonzero(scored).tolist():
        groups.setdefault(_kind(candidates[place].run), []).append(place)
    return {kind: (best_mfu(ideal[own] / measured[own]), len(own)) for kind, own in groups.items()}


def best_mfu(reached: Array) -> float:
    """The MFU with the least median error on runs that reached these MFUs."""
    ordered = np.sort(reached)
    tried = ordered[np.unique(np.linspace(0, ordered.size - 1, MOST_TRIED).astype(int))]
    errors = np.median(np.abs(ordered / tried[:, None] - 1), axis=1)
    return float(tried[int(np.argmin(errors))])


def _kind(run: MeasuredRun) -> Kind:
    return run.accelerator, run.precision in EIGHT_BIT


def group_errors(scores: Scores, cut: str) -> list[GroupErrors]:
    """Errors by the groups of a cut, a key of ``ALL_CUTS``; those with most runs first."""
    chosen = ALL_CUTS[cut]
    groups: dict[str, list[int]] = {}
    for place in np.flatnonzero(scores.scored).tolist():
        groups.setdefault(chosen(scores.candidates[place].run), []).append(place)
    found = [_errors_of(scores, cut, name, places) for name, places in groups.items()]
    return sorted(found, key=lambda group: -group.rows)


def _errors_of(scores: Scores, cut: str, name: str, places: list[int]) -> GroupErrors:
    ours, flat = np.abs(scores.error[places]), np.abs(scores.flat_error[places])
    unseen = np.abs(scores.unseen_error[places])
    known = bool(np.isfinite(unseen).all())
    return GroupErrors(
        cut=cut,
        name=name,
        rows=len(places),
        median=float(np.median(ours)),
        percentile_90=float(np.quantile(ours, 0.9)),
        in_band=float(np.mean(scores.inside[places])),
        flat_median=float(np.median(flat)),
        flat_percentile_90=float(np.quantile(flat, 0.9)),
        unseen_median=float(np.median(unseen)) if known else None,
        unseen_percentile_90=float(np.quantile(unseen, 0.9)) if known else None,
    )


def parallel_style(run: MeasuredRun) -> str:
    """What a plan leans on: experts, FSDP, pipeline, tensor or data."""
    if run.experts:
        return "experts"
    if run.sharding in ("fsdp", "hsdp", "zero-3"):
        return "FSDP"
    if run.pipeline > 1:
        return "pipeline"
    return "tensor" if run.tensor > 1 else "data"


def size_band(gpus: int) -> str:
    """The size of a cluster in steps of four."""
    for most in (SMALLEST_CLUSTER, 4 * SMALLEST_CLUSTER, 16 * SMALLEST_CLUSTER):
        if gpus <= most:
            return f"up to {most:,} GPUs"
    return f"over {16 * SMALLEST_CLUSTER:,} GPUs"


@cache
def published() -> Scores:
    """The published runs that no rule leaves out."""
    runs = [run for run in measured_runs().values() if not run.left_out]
    scores = score([Candidate(run, run.step_time_s) for run in runs])
    return replace(scores, unseen_error=unseen_errors(runs))


def rules_left_out() -> dict[str, list[MeasuredRun]]:
    """Published runs that are left out of fits and scores, by rule."""
    found: dict[str, list[MeasuredRun]] = {}
    for run in measured_runs().values():
        if run.left_out:
            found.setdefault(run.left_out, []).append(run)
    return found
