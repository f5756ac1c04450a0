"""How much of a step's communication is not hidden behind computing?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.network.collectives import Links, collective_time
from netdesign.network.congestion import crossing_slowdown
from netdesign.network.own_speeds import share_of_line
from netdesign.network.transport import effective_bandwidth
from netdesign.performance.calibration import Calibration
from netdesign.performance.machine import Machine
from netdesign.workload.plan import members_within
from netdesign.workload.traffic import Collective

UNORDERED = frozenset({"all-to-all"})


@dataclass(frozen=True)
class TimedCollective:
    """Seconds of one kind of collective over a step, as if nothing else ran."""

    collective: Collective
    time: Numeric
    network_share: Numeric  # of the time, what would vanish on an infinitely fast network


@formula(
    latex=r"t_\mathrm{exposed} = \max(0,\,t-w) + \kappa\min(t,\,w)",
    source="zhao-2023",
)
def exposed_time(time: Numeric, window: Numeric, slowdown: Numeric) -> Numeric:
    """Time a step loses to communication that runs beside computing.

    What does not fit in the window is waited for; what does takes streaming multiprocessors and
    memory bandwidth from the computing and slows it down.

    Parameters
    ----------
    time : float or array, s        of the communication
    window : float or array, s      of computing it can run beside
    slowdown : float or array       seconds lost per hidden second, 0 to 1

    Returns
    -------
    float or array, s
    """
    hidden = np.minimum(time, window)
    return time - hidden + slowdown * hidden


def timed_collectives(
    collectives: tuple[Collective, ...], machine: Machine, calibration: Calibration
) -> list[TimedCollective]:
    """Time of every kind of collective that the plan runs, over the step."""
    return [
        _timed(collective, machine, calibration)
        for collective in collectives
        if np.any(collective.calls)
    ]


def links_of(collective: Collective, machine: Machine, calibration: Calibration) -> Links:
    """The links that one group of ranks gets: its tapers, its share of collisions, its start-up.

    What was measured on own machines (``machine.own``) counts on top of the calibration; the
    latency of wires and switches is not the library's and stays.
    """
    span, own = collective.span, machine.own
    ordered = collective.operation not in UNORDERED
    pod = members_within(span, machine.pod_gpus)
    inside = np.maximum(pod / span.local, 1.0)
    slowdown = crossing_slowdown(machine.oversubscription, inside, span.domains, ordered=ordered)
    beyond = np.maximum(1.0 - inside / span.domains, 0.0)
    crossing = beyond / inside if ordered else beyond
    network = effective_bandwidth(
        machine.network_bandwidth,
        machine.framing_efficiency,
        machine.balance_efficiency,
        crossing,
    )
    leaves = span.domains > 1
    inner = calibration.domain_start_up_s * own.domain_start_up
    outer = calibration.network_start_up_s * own.network_start_up
    return Links(
        domain_bandwidth=machine.domain_bandwidth
        * share_of_line(calibration.domain_efficiency, own.domain),
        domain_latency=machine.domain_latency * own.domain_start_up,
        network_bandwidth=network
        * (
            share_of_line(calibration.network_efficiency, own.network)
            / (slowdown * collective.distinct_share)
        ),
        network_latency=machine.network_latency + calibration.network_hop_s * own.network_start_up,
        start_up=inner + leaves * (outer - inner),
        in_network_reduction=machine.in_network_reduction,
    )


def _timed(collective: Collective, machine: Machine, calibration: Calibration) -> TimedCollective:
    links = links_of(collective, machine, calibration)
    one = collective_time(collective.operation, collective.size, collective.span, links)
    time = one * collective.calls
    inside = (collective.bytes_per_gpu - collective.network_bytes_per_gpu) / links.domain_bandwidth
    leaves = collective.span.domains > 1
    share = leaves * (1.0 - np.minimum(inside / np.maximum(time, 1e-30), 1.0))
    return TimedCollective(collective, time, share)
