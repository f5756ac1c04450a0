"""What do flows get from a built fabric: loads of links, fair rates, the slowest flow?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.topology.built import Fabric
from netdesign.topology.flow_paths import Flows, Reals, Routes, endpoint_links
from netdesign.topology.forwarding import Bools, hosts_forward, link_gbps, summed
from netdesign.topology.max_min import subflow_rates
from netdesign.units import gbps_to_bytes_per_second


@dataclass(frozen=True, eq=False)
class FlowResult:
    """Rates of flows that are all sent at the same time, and what the links carry."""

    rates: Reals  # bytes/s of each flow; 0 where it has no way, infinite to itself
    times: Reals  # s of each flow at its rate; infinite where it has no way
    wanted: Reals  # bytes/s of each flow if only the links of the hosts were shared
    unreachable: Bools
    load: Reals  # bytes on each directed link
    utilisation: Reals  # of each directed link, rates over capacity, 0 to 1

    @property
    def shares(self) -> Reals:
        """Rate of each flow that crosses a link, of what the links of its hosts allow."""
        met = np.isfinite(self.wanted) & ~self.unreachable
        return self.rates[met] / self.wanted[met]

    @property
    def slowest_share(self) -> float:
        """What a barrier sees; 1 where no flow crosses a link."""
        return float(self.shares.min(initial=1.0))

    @property
    def mean_share(self) -> float:
        """What a traffic tester sees."""
        return float(self.shares.mean()) if len(self.shares) else 1.0

    @property
    def time(self) -> float:
        """Seconds until the last flow that has a way is done."""
        return float(self.times[~self.unreachable].max(initial=0.0))


def capacities(fabric: Fabric) -> Reals:
    """Bytes/s of each directed link: 2 l upwards and 2 l + 1 downwards for link l."""
    return np.repeat(gbps_to_bytes_per_second(link_gbps(fabric)), 2)


def link_loads(routes: Routes, size: Reals) -> Reals:
    """Bytes on every directed link.

    Parameters
    ----------
    routes : Routes
    size : float array [F]      bytes of each flow; or bytes/s, which gives bytes/s

    Returns
    -------
    float array [2 links]
    """
    return _laid(routes, size[routes.flow] * routes.share)


def max_min_rates(routes: Routes, capacity: Reals, *, coupled: bool = False) -> Reals:
    """Max-min fair rate of every flow.

    Every queue pair is one party to the sharing, as on the wire.

    Parameters
    ----------
    routes : Routes
    capacity : float array [2 links]    bytes/s of each directed link
    coupled : bool                      the flow waits for its slowest queue pair, its data being
                                        cut in equal parts; else the sum of the queue pairs

    Returns
    -------
    float array [F], bytes/s            0 where there is no way, infinite where no link is crossed
    """
    return flow_rates(routes, subflow_rates(routes, capacity), coupled=coupled)


def flow_rates(routes: Routes, subflow: Reals, *, coupled: bool = False) -> Reals:
    """Rates of flows from those of their sub-flows; see ``max_min_rates``."""
    if not coupled:
        return summed(routes.flow, subflow, routes.flows)
    rates = np.full(routes.flows, np.inf)
    np.minimum.at(rates, routes.flow, subflow / routes.share)
    return np.where(routes.unreachable, 0.0, rates)


def solved(fabric: Fabric, flows: Flows, routes: Routes, *, coupled: bool = False) -> FlowResult:
    """Rates, times and loads of flows on their routes."""
    capacity = capacities(fabric)
    subflow = subflow_rates(routes, capacity)
    rates = flow_rates(routes, subflow, coupled=coupled)
    sent = rates[routes.flow] * routes.share if coupled else subflow
    carried = _laid(routes, np.where(np.isfinite(sent), sent, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(flows.size > 0, flows.size / rates, 0.0)
        utilisation = np.where(capacity > 0, carried / capacity, 0.0)
    times[routes.unreachable] = np.inf
    return FlowResult(
        rates=rates,
        times=times,
        wanted=wanted_rates(fabric, flows),
        unreachable=routes.unreachable,
        load=link_loads(routes, flows.size),
        utilisation=utilisation,
    )


def wanted_rates(fabric: Fabric, flows: Flows) -> Reals:
    """Max-min fair rates if only the hosts' own links were shared, and none broken.

    Where hosts forward a host sends and receives over all its links at once.
    """
    capacity = capacities(fabric)
    if hosts_forward(fabric):
        ends = np.concatenate([fabric.a, fabric.b])
        of_host = summed(ends, np.tile(capacity[0::2], 2), fabric.devices)
        own = of_host[: fabric.hosts]
    else:
        own = capacity[2 * endpoint_links(fabric)]
    crosses = np.flatnonzero(flows.source != flows.target)
    start = np.zeros(len(flows) + 1, dtype=np.int64)
    start[crosses + 1] = 2
    ends = np.stack([2 * flows.source[crosses], 2 * flows.target[crosses] + 1], axis=1)
    only_hosts = Routes(
        flows=len(flows),
        links=len(own),
        flow=np.arange(len(flows)),
        share=np.ones(len(flows)),
        start=np.cumsum(start),
        trunk=ends.ravel(),
        unreachable=np.zeros(len(flows), dtype=bool),
    )
    return subflow_rates(only_hosts, np.repeat(own, 2))


def _laid(routes: Routes, sent: Reals) -> Reals:
    """What sub-flows send, on the directed links."""
    entry = np.repeat(sent, np.diff(routes.start))
    if routes.weight is not None:
        entry = entry * routes.weight
    return routes.over_links(summed(routes.trunk, entry, routes.trunks))
