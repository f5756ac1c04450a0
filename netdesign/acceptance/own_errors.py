"""Errors of collectives on own machines by size and domains, and the band that own logs earn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from netdesign.acceptance.benchmarks import setting
from netdesign.arrays import Array
from netdesign.performance.collective_prediction import (
    BAND_SCOPES,
    SIZE_BINS,
    Band,
    shipped_band,
    size_bin,
)

_BEYOND = 0.1  # share of rows beyond each end of a band of four in five
ALL = "all"
WHERE = ("one domain", "several domains")


@dataclass(frozen=True)
class ErrorLine:
    """How far predictions are off: predicted over measured, less 1, without its sign."""

    where: str  # one domain | several domains | all
    size: str  # a bin of sizes | all
    rows: int
    median: float
    percentile_90: float


@dataclass(frozen=True, eq=False)
class Scopes:
    """Which part of the band each row belongs to."""

    bin: Array
    several: Array  # 0: one domain, 1: several


def scopes_of(size: Array, domains: Array) -> Scopes:
    """Scopes of rows.

    Parameters
    ----------
    size : array, bytes
    domains : array, >= 1   that the ranks span
    """
    return Scopes(size_bin(size), (domains > 1).astype(int))


def error_lines(scopes: Scopes, off: Array) -> tuple[ErrorLine, ...]:
    """Errors of all rows, then by domains and size; what has no row is left out.

    Parameters
    ----------
    scopes : Scopes
    off : array         logarithm of measured over predicted
    """
    error = np.abs(np.exp(-off) - 1)
    lines = [_line(ALL, ALL, error)]
    for several, where in enumerate(WHERE):
        for position, (_, size) in enumerate(SIZE_BINS):
            own = error[(scopes.bin == position) & (scopes.several == several)]
            if len(own):
                lines.append(_line(where, size, own))
    return tuple(lines)


def _line(where: str, size: str, error: Array) -> ErrorLine:
    return ErrorLine(
        where, size, len(error), float(np.median(error)), float(np.quantile(error, 0.9))
    )


def band_of_unseen(
    scopes: Scopes, unseen: Array | None, logs: Sequence[str]
) -> tuple[Band, tuple[str, ...]]:
    """The band of four calls in five, and the scopes in which own logs have earned their own.

    A scope has earned it where enough rows of enough logs, each predicted by the other logs
    alone, lie closer together than the shipped band is wide. Its ends are the tenth and the
    ninetieth percentile of those rows, one row further out, and hold 1.

    Parameters
    ----------
    scopes : Scopes
    unseen : array          logarithm of measured over predicted by the other logs, None if unknown
    logs : sequence of str  of each row
    """
    shipped = shipped_band()
    low, high = shipped.low.copy(), shipped.high.copy()
    earned: list[str] = []
    names = np.array(logs)
    for position in range(len(SIZE_BINS)):
        for several in range(len(WHERE)):
            own: Array = (scopes.bin == position) & (scopes.several == several)
            rows, tables = int(own.sum()), len(set(names[own].tolist()))
            few = rows < setting("own-band-rows") or tables < setting("own-band-logs")
            if unseen is None or few:
                continue
            ends = _ends(unseen[own])
            if np.log(high[position, several] / low[position, several]) <= ends[1] - ends[0]:
                continue
            low[position, several], high[position, several] = np.exp(ends)
            earned.append(BAND_SCOPES[position][several])
    return Band(low, high), tuple(earned)


def _ends(off: Array) -> tuple[float, float]:
    """Ends of four rows in five, one row further out at each end, around 0."""
    ordered, rows = np.sort(off), len(off)
    outside = max(0, int(np.floor(_BEYOND * rows)) - 1)
    low, high = float(ordered[outside]), float(ordered[rows - 1 - outside])
    return min(low, 0.0), max(high, 0.0)
