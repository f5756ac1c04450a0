"""One phase of communication on a built fabric: all its messages are sent at the same time.

The flows of a collective keep in step, so the link that has most to carry for its speed sets the
pace. Beside that stand the max-min fair rates of the flows: what each would get on its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric
from netdesign.topology.flows import capacities, link_loads, solved
from netdesign.topology.forwarding import hosts_forward
from netdesign.topology.routing import Flows, Lost, Policy, Routes, endpoint_links, routes

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Phase:
    """Times, shares and link loads of one phase."""

    flows: int
    size: float  # bytes of all flows
    host_time_s: float  # if only the ports of the hosts were shared
    time_s: float  # on this fabric; infinite where a flow has no way
    load: Reals  # of each link: bytes over what it could carry in the phase, busier direction
    unreachable: int  # flows without a way
    slowest_share: float  # fair rate of the slowest flow, of what its host ports allow
    mean_share: float

    @property
    def slowdown(self) -> float:
        """Time over that with host ports alone; 1 for a phase without messages."""
        return self.time_s / self.host_time_s if self.host_time_s > 0 else 1.0


def phase_time(load: Reals, capacity: Reals) -> float:
    """Time of a phase whose flows keep in step: that of the link with most to carry.

    Parameters
    ----------
    load : float array [links], bytes          on each directed link
    capacity : float array [links], bytes/s    0 where a link is broken

    Returns
    -------
    float, s
    """
    carrying = np.where(load > 0, load, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(carrying > 0, carrying / capacity, 0.0)
    return float(times.max(initial=0.0))


def host_time(fabric: Fabric, flows: Flows) -> float:
    """Seconds of a phase if only the ports of the hosts were shared."""
    sent, received = host_loads(fabric, flows)
    speed = endpoint_speeds(fabric)
    return max(phase_time(sent, speed), phase_time(received, speed))


def host_loads(fabric: Fabric, flows: Flows) -> tuple[Reals, Reals]:
    """Bytes that every endpoint sends and receives; messages to itself are left out."""
    count = len(endpoint_links(fabric))
    moves = flows.source != flows.target
    size = flows.size[moves]
    sent = np.bincount(flows.source[moves], size, minlength=count).astype(np.float64)
    return sent, np.bincount(flows.target[moves], size, minlength=count).astype(np.float64)


def endpoint_speeds(fabric: Fabric) -> Reals:
    """Bytes/s of every endpoint, one direction; where hosts forward, all links of a host."""
    speed = capacities(fabric)[::2]
    if not hosts_forward(fabric):
        return speed[endpoint_links(fabric)]
    ends = np.concatenate([fabric.a, fabric.b])
    both = np.bincount(ends, np.tile(speed, 2), minlength=fabric.devices)
    return both[: fabric.hosts].astype(np.float64)


def phase(
    fabric: Fabric,
    flows: Flows,
    policy: Policy,
    *,
    seed: int = 0,
    queue_pairs: int = 1,
    lost: Lost | None = None,
    fair: bool = True,
) -> Phase:
    """Send flows over a fabric.

    Parameters
    ----------
    fabric : Fabric
    flows : Flows
    policy : str            ecmp, static or adaptive
    seed : int              of the hash
    queue_pairs : int       sub-flows of each flow that hash apart
    lost : Lost             what is broken
    fair : bool             also find the fair rates; without them both shares are not a number
    """
    way = routes(fabric, flows, policy, seed=seed, queue_pairs=queue_pairs, lost=lost)
    return routed(fabric, flows, way, fair=fair)


def routed(fabric: Fabric, flows: Flows, way: Routes, *, fair: bool = True) -> Phase:
    """Times, shares and loads of flows on their routes."""
    load = link_loads(way, flows.size)
    capacity = capacities(fabric)
    pace = phase_time(load, capacity)
    unreachable = int(np.count_nonzero(way.unreachable))
    share = load / (capacity * pace) if pace > 0 else load
    slowest = mean = float("nan")
    if fair:
        result = solved(fabric, flows, way, coupled=True)
        slowest, mean = result.slowest_share, result.mean_share
    return Phase(
        flows=len(flows),
        size=float(flows.size.sum()),
        host_time_s=host_time(fabric, flows),
        time_s=float("inf") if unreachable else pace,
        load=np.maximum(share[::2], share[1::2]),
        unreachable=unreachable,
        slowest_share=slowest,
        mean_share=mean,
    )
