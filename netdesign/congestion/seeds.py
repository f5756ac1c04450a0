"""Not one number but many: congestion over seeds of hashing and placement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from netdesign.congestion.report import congestion
from netdesign.congestion.scene import USUAL, Conditions
from netdesign.evaluate import Evaluation
from netdesign.scheduler import mapped

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spread:
    """Outcomes by seed."""

    seeds: npt.NDArray[np.int64]
    names: tuple[str, ...]  # of the collectives
    slowdown: Reals  # [seeds, collectives]
    slowest_share: Reals  # [seeds, collectives]
    mean_share: Reals  # [seeds, collectives]
    step_s: Reals  # [seeds]

    def quantiles(self, of: Reals, levels: Sequence[float] = (0.1, 0.5, 0.9)) -> Reals:
        """Quantiles over the seeds, [levels, ...]."""
        return np.asarray(np.quantile(of, levels, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class _Outcome:
    names: tuple[str, ...]
    slowdown: tuple[float, ...]
    slowest_share: tuple[float, ...]
    mean_share: tuple[float, ...]
    step_s: float


def spread(
    evaluation: Evaluation,
    conditions: Conditions = USUAL,
    *,
    seeds: int,
    scheduler: str | None = None,
) -> Spread:
    """Congestion with so many seeds, from that of the conditions upwards.

    Parameters
    ----------
    evaluation : Evaluation
    conditions : Conditions
    seeds : int, >= 1
    scheduler : str or None     address of a Dask scheduler (tcp://...); in this process if None

    Raises
    ------
    DesignError                 as ``congestion``
    """
    numbers = range(conditions.seed, conditions.seed + max(seeds, 1))
    outcomes = mapped(_outcome, numbers, (evaluation, conditions), scheduler=scheduler)
    return Spread(
        seeds=np.array(numbers, dtype=np.int64),
        names=outcomes[0].names,
        slowdown=np.array([entry.slowdown for entry in outcomes], dtype=np.float64),
        slowest_share=np.array([entry.slowest_share for entry in outcomes], dtype=np.float64),
        mean_share=np.array([entry.mean_share for entry in outcomes], dtype=np.float64),
        step_s=np.array([entry.step_s for entry in outcomes], dtype=np.float64),
    )


def _outcome(seed: int, evaluation: Evaluation, conditions: Conditions) -> _Outcome:
    found = congestion(evaluation, replace(conditions, seed=seed))
    return _Outcome(
        names=tuple(entry.name for entry in found.collectives),
        slowdown=tuple(entry.slowdown for entry in found.collectives),
        slowest_share=tuple(entry.phase.slowest_share for entry in found.collectives),
        mean_share=tuple(entry.phase.mean_share for entry in found.collectives),
        step_s=found.step.step_s,
    )
