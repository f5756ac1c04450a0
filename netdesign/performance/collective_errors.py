"""How far off is the prediction of collectives, by size, collective, network, source and system?

Beside the error of the prediction stands that of NCCL's own table, which is what one has without
any measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from netdesign.arrays import Array
from netdesign.catalog import data_directory
from netdesign.catalog.nccl import CollectiveErrorRow
from netdesign.catalog.tables import read_rows
from netdesign.network.nccl.choice import searched_group, tuning_time
from netdesign.network.nccl.constants import shipped_constants
from netdesign.network.nccl.prediction import PEERS
from netdesign.network.nccl.tables import ALGORITHMS, PROTOCOLS
from netdesign.performance.collective_prediction import (
    SIZE_BINS,
    Case,
    Predictions,
    batches,
    size_bin,
    verdict,
)

CUTS: dict[str, Callable[[Case], str]] = {
    "all": lambda case: "all",
    "condition": lambda case: "sick" if case.sick else "healthy",
    "size": lambda case: size_name(case),
    "domains": lambda case: "one domain" if case.domains == 1 else "several domains",
    "collective": lambda case: case.operation,
    "network": lambda case: case.hardware.fabric if case.domains > 1 else "none",
    "link": lambda case: case.hardware.link or "none",
    "source": lambda case: case.source or "not stated",
    "system": lambda case: case.system or "not stated",
}


@dataclass(frozen=True)
class ErrorStatistics:
    """Absolute errors, predicted over measured, of the measured cases of a group."""

    cut: str
    name: str
    cases: int
    median: float
    percentile_90: float
    in_band: float  # share
    far_below: int  # cases measured far below the prediction


def size_name(case: Case) -> str:
    """The size bin of a case in words."""
    return SIZE_BINS[int(size_bin(np.array(case.size)))][1]


def verdicts(cases: Sequence[Case], found: Predictions) -> list[str]:
    """What each measured time says against its prediction."""
    far = float(shipped_constants().far_below[0])
    return [
        verdict(float(time), float(low), float(high), case.measured, far)
        for case, time, low, high in zip(cases, found.time, found.low, found.high, strict=True)
    ]


def error_statistics(
    cases: Sequence[Case], found: Predictions, cuts: Sequence[str] = tuple(CUTS)
) -> list[ErrorStatistics]:
    """Errors of the measured cases, by several cuts.

    Parameters
    ----------
    cases : sequence of Case
    found : Predictions         of these cases
    cuts : sequence of str      keys of ``CUTS``

    Returns
    -------
    list of ErrorStatistics     groups in the order in which they occur, those without any left out
    """
    measured = np.array([case.measured or np.nan for case in cases], dtype=float)
    known = np.isfinite(measured)
    error = np.abs(found.time / np.where(known, measured, 1.0) - 1)
    words = np.array(verdicts(cases, found))
    statistics = []
    for cut in cuts:
        names = [CUTS[cut](case) for case in cases]
        labels = np.array(names)
        for name in dict.fromkeys(names):
            own: Array = known & (labels == name)
            if own.any():
                statistics.append(
                    ErrorStatistics(
                        cut=cut,
                        name=name,
                        cases=int(own.sum()),
                        median=float(np.median(error[own])),
                        percentile_90=float(np.quantile(error[own], 0.9)),
                        in_band=float(np.mean(words[own] == "as predicted")),
                        far_below=int(np.sum(words[own] == "measured far below the prediction")),
                    )
                )
    return statistics


def tuning_times(cases: Sequence[Case]) -> Array:
    """Time of each case by NCCL's table alone, s; NaN for sends and receives, which it lacks."""
    found = np.full(len(cases), np.nan)
    for batch in batches(cases):
        if batch.operation in PEERS:
            continue
        algorithm, protocol = ALGORITHMS[batch.algorithm], PROTOCOLS[batch.protocol]
        group = searched_group(batch.ranks)
        found[batch.positions] = tuning_time(
            batch.operation, algorithm, protocol, batch.size, group
        )
    return found


@cache
def stored_errors() -> tuple[CollectiveErrorRow, ...]:
    """The errors on fitted and on unseen systems when the constants were last fitted."""
    return read_rows(data_directory() / "collective_errors.csv", CollectiveErrorRow)
