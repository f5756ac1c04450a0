"""Which network does this job need?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from netdesign.arrays import Array, Numeric, as_float
from netdesign.performance.calibration import Calibration
from netdesign.performance.machine import Machine, Training
from netdesign.performance.step import step_of, work_of
from netdesign.workload.plan import Plan
from netdesign.workload.transformer import Architecture

SPAN = 64.0  # the search covers this many times less and more than the design has
POINTS = 65
ENDLESS = 1e12


@dataclass(frozen=True)
class Requirement:
    """The least network that keeps its exposed communication under a share of the step.

    Only communication over the scale-out network counts: what NVLink exposes no network can mend.
    """

    communication_share: Numeric  # asked for
    bandwidth_per_gpu: Numeric  # bytes/s, one direction; inf if no bandwidth is enough
    bandwidth_per_server: Numeric
    latency_tolerated_s: Numeric  # end to end, one message; 0 if none is low enough
    share_reached: Numeric  # with the network of the design
    share_floor: Numeric  # with an infinitely fast network of the same latency
    bandwidth_curve: tuple[tuple[float, float], ...] = ()  # (bytes/s per GPU, share of step)


def requirement(
    arch: Architecture,
    plan: Plan,
    training: Training,
    machine: Machine,
    calibration: Calibration,
    *,
    communication_share: float,
    gpus_per_server: int,
    gradient_bytes: Numeric = 4,
) -> Requirement:
    """The least bandwidth and the greatest latency that keep to a communication share.

    The step is computed for all candidate networks at once, again for a finer grid around the
    crossing, and interpolated there, in 1/bandwidth, where exposed time is linear. Bandwidths are
    searched from a 64th to 64 times that of the design, latencies from 0 to 64^2 times.

    Parameters
    ----------
    arch, plan, training, machine, calibration      of scalars
    communication_share : float                     exposed over step time that is accepted
    gradient_bytes : float                          per gradient value on the wire
    """
    given, latency = as_float(machine.network_bandwidth), as_float(machine.network_latency)
    work = work_of(arch, plan, training, machine, calibration, gradient_bytes=gradient_bytes)

    def shares(bandwidths: Array, latencies: Array) -> Array:
        networks = replace(machine, network_bandwidth=bandwidths, network_latency=latencies)
        step = step_of(work, arch, plan, training, networks, calibration)
        return np.broadcast_to(step.network_exposed_s / step.step_time_s, bandwidths.shape)

    bandwidths = given * np.geomspace(1 / SPAN, SPAN, POINTS)
    latencies = np.concatenate([[0.0], latency * np.geomspace(1 / SPAN, SPAN**2, POINTS)])
    share = shares(
        np.concatenate([bandwidths, [given, given * ENDLESS], np.full_like(latencies, given)]),
        np.concatenate([np.full(POINTS + 2, latency), latencies]),
    )
    by_bandwidth, by_latency = share[:POINTS], share[POINTS + 2 :]
    curve = tuple(zip(bandwidths.tolist(), by_bandwidth.tolist(), strict=True))
    between = _around_first(bandwidths, by_bandwidth <= communication_share)
    below = _around_first(latencies, by_latency > communication_share)
    if between.size + below.size:
        finer = shares(
            np.concatenate([between, np.full_like(below, given)]),
            np.concatenate([np.full_like(between, latency), below]),
        )
        bandwidths, by_bandwidth = _finer(between, finer[: between.size], bandwidths, by_bandwidth)
        latencies, by_latency = _finer(below, finer[between.size :], latencies, by_latency)
    bandwidth = _least_bandwidth(bandwidths, by_bandwidth, communication_share)
    return Requirement(
        communication_share=communication_share,
        bandwidth_per_gpu=bandwidth,
        bandwidth_per_server=bandwidth * gpus_per_server,
        latency_tolerated_s=_greatest_latency(latencies, by_latency, communication_share),
        share_reached=float(share[POINTS]),
        share_floor=float(share[POINTS + 1]),
        bandwidth_curve=curve,
    )


def _around_first(grid: Array, reached: Array) -> Array:
    """A finer grid between the first point that is reached and the one before it."""
    first = int(np.argmax(reached))
    if not reached[first] or first == 0:
        return grid[:0]
    return np.linspace(grid[first - 1], grid[first], POINTS)


def _finer(near: Array, near_share: Array, grid: Array, share: Array) -> tuple[Array, Array]:
    return (near, near_share) if near.size else (grid, share)


def _least_bandwidth(bandwidths: Array, share: Array, limit: float) -> float:
    if not share.any():
        return 0.0
    within = np.flatnonzero(share <= limit)
    if not within.size:
        return float("inf")
    first = int(within[0])
    if first == 0:
        return float(bandwidths[0])
    near = slice(first - 1, first + 1)
    return float(1 / np.interp(limit, share[near][::-1], 1 / bandwidths[near][::-1]))


def _greatest_latency(latencies: Array, share: Array, limit: float) -> float:
    within = np.flatnonzero(share <= limit)
    if not within.size:
        return 0.0
    last = int(within[-1])
    if last == latencies.size - 1:
        return float(latencies[-1]) if share.any() else float("inf")
    return float(np.interp(limit, share[last : last + 2], latencies[last : last + 2]))
