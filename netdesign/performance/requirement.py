"""Which network does this job need?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.performance.calibration import Calibration
from netdesign.performance.machine import Machine, Training
from netdesign.performance.step import step_time
from netdesign.workload.plan import Plan
from netdesign.workload.transformer import Architecture

POINTS = 49


@dataclass(frozen=True)
class Requirement:
    """The least network that keeps exposed communication under a share of the step."""

    communication_share: Numeric  # asked for
    bandwidth_per_gpu: Numeric  # bytes/s, one direction; inf if no bandwidth is enough
    bandwidth_per_server: Numeric
    latency_tolerated_s: Numeric  # end to end, one message
    share_reached: Numeric  # with the network of the design
    share_floor: Numeric  # with an infinitely fast network
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

    Parameters
    ----------
    plan : Plan                         of scalars
    communication_share : float         exposed communication over step time that is accepted
    gpus_per_server : int

    Returns
    -------
    Requirement
    """

    def share(bandwidth: Numeric, latency: Numeric) -> Array:
        other = replace(machine, network_bandwidth=bandwidth, network_latency=latency)
        step = step_time(arch, plan, training, other, calibration, gradient_bytes=gradient_bytes)
        return np.asarray(step.exposed_s / step.step_time_s)

    given = float(np.asarray(machine.network_bandwidth))
    latency = float(np.asarray(machine.network_latency))
    bandwidths = given * np.concatenate([np.geomspace(1 / 256, 256, POINTS), [1.0, 1e9]])
    shares = np.broadcast_to(share(bandwidths, latency), bandwidths.shape)
    bandwidth = _least(bandwidths[:POINTS], shares[:POINTS], communication_share)
    if 0 < bandwidth < np.inf:
        near = bandwidth * np.linspace(0.8, 1.25, POINTS)
        near_shares = np.broadcast_to(share(near, latency), near.shape)
        bandwidth = _least(near, near_shares, communication_share)
    latencies = latency * np.geomspace(1 / 64, 4096, POINTS)
    late = np.broadcast_to(share(given, latencies), latencies.shape)
    within = np.flatnonzero(late <= communication_share)
    return Requirement(
        communication_share=communication_share,
        bandwidth_per_gpu=bandwidth,
        bandwidth_per_server=bandwidth * gpus_per_server,
        latency_tolerated_s=float(latencies[within[-1]]) if within.size else 0.0,
        share_reached=float(shares[POINTS]),
        share_floor=float(shares[POINTS + 1]),
        bandwidth_curve=tuple(
            zip(bandwidths[:POINTS].tolist(), shares[:POINTS].tolist(), strict=True)
        ),
    )


def _least(bandwidths: Array, shares: Array, limit: float) -> float:
    within = np.flatnonzero(shares <= limit)
    if not within.size:
        return float("inf")
    first = int(within[0])
    if first == 0:
        return 0.0 if shares[0] == shares[-1] else float(bandwidths[0])
    return float(np.interp(-limit, -shares[first - 1 : first + 1], bandwidths[first - 1 : first + 1]))
