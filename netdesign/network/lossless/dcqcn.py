"""How does a sender react to marks? Timers and steps of DCQCN, by named set.

The same protocol runs with timers that differ 50 times: thresholds on the switch without the
timers of the adapters are half a configuration.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from netdesign import units
from netdesign.catalog.switch_chips import DcqcnRow

_BOTH = "both"


@dataclass(frozen=True)
class SenderSet:
    """DCQCN of an adapter at one speed; SI units."""

    name: str
    gain: float  # g, of the estimate of congestion
    additive_increase: float  # bytes/s
    hyper_increase: float  # bytes/s
    alpha_timer: float  # s, between two updates of the estimate
    decrease_timer: float  # s, between two cuts of the rate
    increase_timer: float  # s, between two steps up
    grade: str
    source: str

    def recovery_time(self, lost: float) -> float:
        """Time to climb back by additive steps alone, s; ``lost`` in bytes/s.

        Fast recovery halves the way before these steps begin, so this is the slow end.
        """
        return lost / self.additive_increase * self.increase_timer


def sender_sets(rows: Iterable[DcqcnRow], gbps: float) -> tuple[SenderSet, ...]:
    """Every named set at this speed."""
    known = tuple(rows)
    names = dict.fromkeys(row.set for row in known if row.set != _BOTH)
    return tuple(_set(name, known, gbps) for name in names)


def _set(name: str, rows: tuple[DcqcnRow, ...], gbps: float) -> SenderSet:
    mine = {row.parameter: row for row in rows if row.set in (_BOTH, name)}
    steps = {
        key: units.gbps_to_bytes_per_second(mine[key].value / 1e3) * _growth(mine[key], gbps)
        for key in ("additive_increase", "hyper_increase")
    }
    timers = {
        key: units.microseconds_to_seconds(mine[key].value)
        for key in ("alpha_timer", "decrease_timer", "increase_timer")
    }
    first = mine["alpha_timer"]
    return SenderSet(
        name=name,
        gain=mine["gain"].value,
        grade=first.grade,
        source=first.source,
        **steps,
        **timers,
    )


def _growth(row: DcqcnRow, gbps: float) -> float:
    return gbps / row.scales_from_gbps if row.scales_from_gbps else 1.0
