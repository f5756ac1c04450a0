"""Rates of InfiniBand lanes, as tools name and print them; rows of ``data/link_rates.csv``."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from netdesign.catalog.library import data_directory
from netdesign.catalog.tables import Name, Positive, Row, keyed_rows

_SPEED = re.compile(r"(\d{1,2})[xX] ?([A-Z]{2,3}\d{0,2})\Z")
_TEN = 10.0  # Gb/s: what tools print for QDR, and for FDR10 beside its name
_CLOSE = 0.005  # Gb/s


class LinkRateRow(Row):
    """One generation of lanes."""

    name: Name  # EDR
    lane_gbps: Positive  # what a lane is said to carry
    data_gbps: Positive  # after line coding
    printed_gbps: str = ""  # the figures that tools print for it, with spaces between


@cache
def link_rates() -> dict[str, LinkRateRow]:
    """Generations by name, slowest first."""
    return keyed_rows(data_directory() / "link_rates.csv", LinkRateRow, ("name",))


@cache
def _printed() -> tuple[tuple[float, str], ...]:
    return tuple(
        (float(figure), row.name)
        for row in link_rates().values()
        for figure in row.printed_gbps.split()
    )


@lru_cache(maxsize=1024)
def generation_of(gbps: float, named: str = "") -> str:
    """The generation of a lane of which a tool prints this figure; "" if there is none.

    Parameters
    ----------
    gbps : float        of one lane: 25.78125
    named : str         what stands beside it: FDR10
    """
    if named in link_rates():
        return named
    if abs(gbps - _TEN) < _CLOSE:
        return "QDR"
    return next((name for figure, name in _printed() if abs(figure - gbps) < _CLOSE), "")


@lru_cache(maxsize=1024)
def gbps_of(speed: str) -> float | None:
    """Gb/s per direction of "4xNDR"; None for ``4x???`` and the like."""
    lanes, row = _parts(speed)
    return None if row is None else lanes * row.lane_gbps


@lru_cache(maxsize=1024)
def data_gbps_of(speed: str) -> float | None:
    """Gb/s per direction of "4xQDR" that line coding leaves; None if it is not known."""
    lanes, row = _parts(speed)
    return None if row is None else lanes * row.data_gbps


def _parts(speed: str) -> tuple[int, LinkRateRow | None]:
    match = _SPEED.match(speed)
    if match is None:
        return 0, None
    return int(match[1]), link_rates().get(match[2])
