"""Where should a queue begin to mark, and is that before its port pauses?

Recommendations disagree by orders of magnitude; all are kept, each under its own name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.catalog.switch_chips import EcnRow
from netdesign.formulas import formula


@dataclass(frozen=True)
class Marking:
    """One recommendation at one speed and buffer; bytes, None where the source is silent."""

    id: str
    name: str
    kmin: float | None
    kmax: float | None
    pmax: float | None
    meant_for: str
    lossless_queue: bool
    grade: str
    source: str
    note: str

    @property
    def begins(self) -> float:
        """Where marking begins; where it is full if the source says no more."""
        return self.kmin if self.kmin is not None else (self.kmax or 0.0)


@formula(latex=r"t_{PFC} \le \frac{B - n p f}{n p}", source="dcqcn-2015")
def pfc_threshold_bound(buffer: Numeric, reserved: Numeric, groups: Numeric) -> Numeric:
    """Highest threshold at which every priority group of a switch can still pause in time.

    Parameters
    ----------
    buffer : float or array, bytes      of the switch
    reserved : float or array, bytes    set aside as headroom of all groups
    groups : int or array               ports times lossless priorities

    Returns
    -------
    float or array, bytes               below 0 the buffer is too small for the headroom
    """
    return (buffer - reserved) / groups


@formula(
    latex=r"t_{ECN} < \frac{\beta\,(B - n p f)}{n p\,(\beta + 1)}",
    source="dcqcn-2015",
)
def ecn_threshold_bound(
    buffer: Numeric, reserved: Numeric, groups: Numeric, beta: Numeric
) -> Numeric:
    """Threshold below which every queue marks before any port pauses.

    Parameters
    ----------
    buffer : float or array, bytes      of the switch
    reserved : float or array, bytes    set aside as headroom of all groups
    groups : int or array               ports times lossless priorities
    beta : float or array               of what is left, a priority group may take so much

    Returns
    -------
    float or array, bytes
    """
    return beta * (buffer - reserved) / (groups * (beta + 1))


@formula(latex=r"D = B\,t", source="fabric-economics")
def bandwidth_delay_product(bandwidth: Numeric, round_trip: Numeric) -> Numeric:
    """Bytes under way when a sender fills a path.

    Parameters
    ----------
    bandwidth : float or array, bytes/s     one direction
    round_trip : float or array, s

    Returns
    -------
    float or array, bytes
    """
    return bandwidth * round_trip


@formula(
    latex=r"P = \begin{cases}0 & q \le K_{min}\\ P_{max}\frac{q-K_{min}}{K_{max}-K_{min}}"
    r"\\ 1 & q > K_{max}\end{cases}",
    source="dcqcn-2015",
)
def marking_probability(queue: Numeric, kmin: float, kmax: float, pmax: Numeric) -> Numeric:
    """Share of packets that a queue of this length marks.

    Parameters
    ----------
    queue : float or array, bytes
    kmin : float, bytes             marking begins
    kmax : float, bytes             above it every packet is marked
    pmax : float or array, 0 to 1   share just below kmax

    Returns
    -------
    float or array, 0 to 1
    """
    rise = np.clip((queue - kmin) / max(kmax - kmin, 1.0), 0.0, 1.0) * pmax
    return np.where(np.greater(queue, kmax), 1.0, rise)[()]


def markings(rows: Iterable[EcnRow], gbps: float, queue_share: float | None) -> tuple[Marking, ...]:
    """Every recommendation at this speed.

    Parameters
    ----------
    rows : iterable of EcnRow
    gbps : float                    speed of the port
    queue_share : float or None, bytes      what a queue may hold, of which some take a share
    """
    return tuple(marking(row, gbps, queue_share) for row in rows)


def marking(row: EcnRow, gbps: float, queue_share: float | None) -> Marking:
    """One recommendation at this speed; see ``markings``."""
    grow = gbps / row.scales_from_gbps if row.scales_from_gbps else 1.0
    return Marking(
        id=row.id,
        name=row.name,
        kmin=_bytes(row.kmin_bytes, row.kmin_share, grow, queue_share),
        kmax=_bytes(row.kmax_bytes, row.kmax_share, grow, queue_share),
        pmax=row.pmax,
        meant_for=row.meant_for,
        lossless_queue=row.lossless_queue,
        grade=row.grade,
        source=row.source,
        note=row.note,
    )


def _bytes(
    size: int | None, share: float | None, grow: float, queue_share: float | None
) -> float | None:
    if size is not None:
        return size * grow
    return None if share is None or queue_share is None else share * queue_share


def disagreement(found: Iterable[Marking]) -> tuple[float, float]:
    """Lowest and highest threshold at which marking begins, bytes, of those that say one."""
    begins = [entry.kmin for entry in found if entry.kmin is not None]
    return min(begins), max(begins)
