"""What does one slow link do to a ring all-reduce?

``slow_ring_allreduce_time`` is the closed form, ``average_link_bandwidth`` what intuition puts in
its place, and ``ring_schedule`` plays the ring step by step: it shows why the closed form holds.
``SlowRing`` holds one such ring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Array, Numeric, as_float
from netdesign.formulas import formula
from netdesign.network.one_tier import ring_allreduce_time


@formula(
    latex=r"t = 2(n-1)\alpha + \frac{2(n-1)}{n}\frac{S}{\varphi B}",
    source="patarasuk-yuan-2009",
)
def slow_ring_allreduce_time(
    size: Numeric,
    ranks: Numeric,
    bandwidth: Numeric,
    slow_share: Numeric,
    latency: Numeric,
) -> Numeric:
    """Time of a ring all-reduce in which one link runs below the rate of the others.

    Every link carries every chunk that goes round, so the slowest link sets the pace of all.

    Parameters
    ----------
    size : float or array, bytes            message of each rank
    ranks : int or array, >= 1              1 gives 0 s
    bandwidth : float or array, bytes/s     of a healthy link, one direction
    slow_share : float or array, 0 to 1     rate of the slow link, of a healthy one; above 0
    latency : float or array, s             per hop

    Returns
    -------
    float or array, s                       broadcast shape of the arguments
    """
    return ring_allreduce_time(size, ranks, bandwidth * slow_share, latency)


@formula(latex=r"\bar B = B\,\frac{n-1+\varphi}{n}", source="patarasuk-yuan-2009")
def average_link_bandwidth(bandwidth: Numeric, ranks: Numeric, slow_share: Numeric) -> Numeric:
    """Mean rate of the links of a ring in which one is slow; the ring does not run at it.

    Parameters
    ----------
    bandwidth : float or array, bytes/s     of a healthy link, one direction
    ranks : int or array, >= 1              as many as links
    slow_share : float or array, 0 to 1     rate of the slow link, of a healthy one

    Returns
    -------
    float or array, bytes/s
    """
    return bandwidth * (ranks - 1 + slow_share) / ranks


@dataclass(frozen=True)
class SlowRing:
    """One all-reduce over a ring in which one link is slow; SI units, scalars."""

    size: float  # bytes, of each rank
    ranks: int
    bandwidth: float  # bytes/s of a healthy link, one direction
    latency: float  # s per hop
    slow_share: float = 1.0  # rate of the slow link, of a healthy one

    @property
    def sent(self) -> float:
        """What each rank sends, bytes."""
        return as_float(2 * (self.ranks - 1) / self.ranks * self.size)

    @property
    def time(self) -> float:
        """What the all-reduce takes, s."""
        return as_float(self.times(self.slow_share))

    @property
    def healthy_time(self) -> float:
        """What it would take with every link in order, s."""
        return as_float(self.times(1.0))

    @property
    def time_at_average(self) -> float:
        """What it would take if the average of the links counted, s."""
        return as_float(self.times_at_average(self.slow_share))

    @property
    def waiting_share(self) -> float:
        """Share of the time in which a rank with a healthy link waits."""
        return 1.0 - self.healthy_time / self.time

    def times(self, slow_share: Numeric) -> Numeric:
        """Seconds at other rates of the slow link."""
        return slow_ring_allreduce_time(
            self.size, self.ranks, self.bandwidth, slow_share, self.latency
        )

    def times_at_average(self, slow_share: Numeric) -> Numeric:
        """Seconds at other rates of the slow link, if the average of the links counted."""
        average = average_link_bandwidth(self.bandwidth, self.ranks, slow_share)
        return ring_allreduce_time(self.size, self.ranks, average, self.latency)

    def schedule(self, slow_rank: int = 0) -> RingSchedule:
        """Every send, the link from ``slow_rank`` to its neighbour being the slow one."""
        rates = np.full(self.ranks, self.bandwidth)
        rates[slow_rank] *= self.slow_share
        return ring_schedule(self.size, rates, self.latency)


@dataclass(frozen=True)
class RingSchedule:
    """When each rank sends its chunks; both arrays are steps by ranks, s."""

    start: Array
    end: Array

    @property
    def duration(self) -> float:
        """Until the last chunk has arrived, s; 0 for one rank."""
        return float(self.end.max(initial=0.0))

    @property
    def busy_share(self) -> Array:
        """Share of the duration in which each rank sends."""
        sending = (self.end - self.start).sum(axis=0)
        return np.asarray(sending / (self.duration or 1.0))


def ring_schedule(size: float, bandwidths: Array, latency: float) -> RingSchedule:
    """Every send of a ring all-reduce, without a barrier between the steps.

    In step s a rank passes on the chunk it received in step s - 1, as soon as that chunk is there
    and its own link is free.

    Parameters
    ----------
    size : float, bytes                 message of each rank, cut into one chunk a rank
    bandwidths : array (n,), bytes/s    of the link from each rank to the next, one direction
    latency : float, s                  per hop

    Returns
    -------
    RingSchedule                        2 (n - 1) steps by n ranks
    """
    ranks = len(bandwidths)
    hop = latency + size / ranks / np.asarray(bandwidths, dtype=float)
    start = np.zeros((2 * (ranks - 1), ranks))
    end = np.zeros_like(start)
    free = np.zeros(ranks)
    for step in range(len(start)):
        start[step] = np.maximum(free, np.roll(free, 1))
        end[step] = start[step] + hop
        free = end[step]
    return RingSchedule(start, end)
