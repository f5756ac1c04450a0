"""What can be read off a built fabric, leaf by leaf and tier by tier?

Distances, bisection and single points of failure have modules of their own beside this one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import (
    Counts,
    components,
    forwarding,
    host_links,
    hosts_forward,
    link_gbps,
    summed,
)

Gbps = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LeafLoad:
    """Bandwidth of every leaf, a switch with hosts; all arrays [leaves], one direction."""

    switch: Counts  # index among the switches
    down_links: Counts
    up_links: Counts
    down_gbps: Gbps
    up_gbps: Gbps  # to higher tiers; 0 in direct families and under a single switch
    oversubscription: Gbps

    @property
    def worst(self) -> float:
        return float(self.oversubscription.max()) if len(self.oversubscription) else 1.0

    @property
    def typical(self) -> float:
        return float(np.median(self.oversubscription)) if len(self.oversubscription) else 1.0


@dataclass(frozen=True)
class Ports:
    """Switch ports of one tier."""

    switches: int
    ports: int
    used: int
    spare: int  # kept empty on purpose
    stranded: int  # empty beyond the spare


@dataclass(frozen=True, eq=False)
class Parts:
    """Endpoints that reach each other: one part, or rails and planes that never meet."""

    endpoints: Counts  # of each part
    hosts: Counts  # with a port in each part
    switches: Counts  # in each part, 0 for hosts that are cabled to each other


def links_by_tier(fabric: Fabric) -> dict[str, int]:
    """Links of each kind, by its name."""
    counts = np.bincount(fabric.kind, minlength=len(fabric.kinds))
    return {kind.name: int(count) for kind, count in zip(fabric.kinds, counts, strict=True)}


def switches_by_tier(fabric: Fabric) -> dict[str, int]:
    """Switches of each tier, by its name."""
    counts = np.bincount(fabric.tier, minlength=len(fabric.tier_names))
    return {name: int(count) for name, count in zip(fabric.tier_names, counts, strict=True)}


def oversubscription_by_leaf(fabric: Fabric) -> LeafLoad:
    """Bandwidth down over bandwidth up of every leaf.

    A leaf whose free ports could fill its uplinks counts as filled so far: hosts that are missing
    do not make a design better than 1. A leaf without uplinks, as in direct families, has 1.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    LeafLoad            leaves in the order of their numbers
    """
    speed, first = link_gbps(fabric), fabric.hosts
    to_host = host_links(fabric)
    switches = np.minimum(fabric.a, fabric.b) >= first
    a, b = fabric.a[switches] - first, fabric.b[switches] - first
    upward = fabric.tier[b] > fabric.tier[a]
    ups, downs = a[upward], fabric.b[to_host] - first
    size = fabric.switches
    down_links, up_links = np.bincount(downs, minlength=size), np.bincount(ups, minlength=size)
    down = summed(downs, speed[to_host], size)
    up = summed(ups, speed[switches][upward], size)
    taken = _ports_by_switch(fabric, np.flatnonzero(switches)[upward])
    free = np.maximum(fabric.ports - fabric.spare_ports - taken, 0) * fabric.port_gbps
    full = np.maximum(down, np.minimum(free, up))
    leaf = np.flatnonzero(down_links)
    return LeafLoad(
        switch=leaf,
        down_links=down_links[leaf],
        up_links=up_links[leaf],
        down_gbps=down[leaf],
        up_gbps=up[leaf],
        oversubscription=np.where(up[leaf] > 0, full[leaf] / np.maximum(up[leaf], 1e-9), 1.0),
    )


def ports_by_tier(fabric: Fabric) -> dict[str, Ports]:
    """Ports used, spare and stranded of each tier; links that share a split port use one."""
    used = _ports_by_switch(fabric, np.arange(fabric.links))
    found = {}
    for tier, name in enumerate(fabric.tier_names):
        of_tier = fabric.tier == tier
        switches = int(np.count_nonzero(of_tier))
        ports, taken = int(fabric.ports[of_tier].sum()), int(used[of_tier].sum())
        spare = switches * fabric.spare_ports
        found[name] = Ports(switches, ports, taken, spare, ports - taken - spare)
    return found


def endpoint_parts(fabric: Fabric) -> Parts:
    """Endpoints, hosts and switches of each part of the fabric that has endpoints."""
    graph = forwarding(fabric)
    part = components(graph)
    size = int(part.max()) + 1 if len(part) else 0
    endpoints = np.bincount(part, graph.endpoints, minlength=size).astype(np.int64)
    device = np.arange(graph.nodes) + graph.first
    switches = np.bincount(part[device >= fabric.hosts], minlength=size)
    if hosts_forward(fabric):
        hosts = np.bincount(part[: fabric.hosts], minlength=size)
    else:
        cabled = host_links(fabric)
        of_link = part[fabric.b[cabled] - graph.first]
        pairs = np.unique(of_link * np.int64(max(fabric.hosts, 1)) + fabric.a[cabled])
        hosts = np.bincount(pairs // max(fabric.hosts, 1), minlength=size)
    some = endpoints > 0
    return Parts(endpoints[some], hosts[some], switches[some])


def _ports_by_switch(fabric: Fabric, links: npt.NDArray[np.intp]) -> Counts:
    """Ports that these links take on each switch; links that share a split port take one."""
    device = np.concatenate([fabric.a[links], fabric.b[links]]).astype(np.int64)
    slot = np.concatenate([fabric.a_slot[links], fabric.b_slot[links]])
    at_switch = device >= fabric.hosts
    port = slot[at_switch] // fabric.breakout
    width = int(port.max()) + 1 if len(port) else 1
    used = np.zeros(fabric.switches * width, dtype=bool)
    used[(device[at_switch] - fabric.hosts) * width + port] = True
    return np.asarray(used.reshape(fabric.switches, width).sum(axis=1), dtype=np.int64)
