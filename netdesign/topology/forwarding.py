"""Which devices of a fabric pass traffic on, and over how many links do they reach each other?

In a fabric of switches only switches forward, and a switch with hosts stands for their endpoints.
Where hosts are cabled to each other (torus, HammingMesh) hosts forward too and stand for
themselves. Parallel links between a pair are one bundle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric

Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Forwarding:
    """Nodes that forward and the bundles between them; node n is device ``first`` + n."""

    first: int
    nodes: int
    low: Counts  # node at one end of each bundle
    high: Counts  # at the other, low < high
    links: Counts  # parallel links of each bundle
    gbps: npt.NDArray[np.float64]  # of each bundle, all its links together
    endpoints: Counts  # of each node; 0 where it only passes traffic on
    pod: Counts  # pod, unit or group of each node; -1 where it has none

    @property
    def terminals(self) -> Counts:
        """The nodes that have endpoints."""
        return np.flatnonzero(self.endpoints)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Neighbours of every node, node after node: those of n are from start[n] to start[n + 1]."""

    start: Counts
    node: Counts
    bundle: Counts  # which bundle leads there


def hosts_forward(fabric: Fabric) -> bool:
    """Whether hosts are cabled to each other and so pass traffic on."""
    return bool(np.any(np.maximum(fabric.a, fabric.b) < fabric.hosts))


def host_links(fabric: Fabric) -> Bools:
    """Links with a host at their lower end and a switch at the other, as a mask over links."""
    return np.asarray((fabric.a < fabric.hosts) & (fabric.b >= fabric.hosts))


def link_gbps(fabric: Fabric) -> npt.NDArray[np.float64]:
    """Speed of every link in Gb/s, one direction."""
    speeds = np.array([kind.gbps for kind in fabric.kinds], dtype=np.float64)
    return speeds[fabric.kind]


def summed(
    place: npt.NDArray[np.integer], gbps: npt.NDArray[np.float64], size: int
) -> npt.NDArray[np.float64]:
    """Sum of the bandwidths that fall on each of so many places."""
    return np.bincount(place, gbps, minlength=size).astype(np.float64)


def forwarding(fabric: Fabric) -> Forwarding:
    """The graph that traffic crosses between the first and the last device that forwards.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    Forwarding      nodes are switches, or all devices where hosts forward
    """
    whole = hosts_forward(fabric)
    first = 0 if whole else fabric.hosts
    nodes = fabric.devices - first
    between = np.minimum(fabric.a, fabric.b) >= first
    a = fabric.a[between].astype(np.int64) - first
    b = fabric.b[between].astype(np.int64) - first
    pairs, bundle = np.unique(
        np.minimum(a, b) * max(nodes, 1) + np.maximum(a, b), return_inverse=True
    )
    if whole:
        endpoints = (np.arange(nodes) < fabric.hosts).astype(np.int64)
    else:
        endpoints = np.bincount(fabric.b[host_links(fabric)] - first, minlength=nodes)
    return Forwarding(
        first=first,
        nodes=nodes,
        low=pairs // max(nodes, 1),
        high=pairs % max(nodes, 1),
        links=np.bincount(bundle, minlength=len(pairs)),
        gbps=summed(bundle, link_gbps(fabric)[between], len(pairs)),
        endpoints=endpoints,
        pod=np.concatenate([np.full(nodes - fabric.switches, -1), fabric.pod]).astype(np.int64),
    )


def neighbours(nodes: int, low: Counts, high: Counts) -> Neighbours:
    """Neighbours of every node by the bundles between them."""
    ends = np.concatenate([low, high])
    order = np.argsort(ends, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=nodes))])
    return Neighbours(start, np.concatenate([high, low])[order], order % max(len(low), 1))


def components(graph: Forwarding) -> Counts:
    """Which part each node belongs to: 0, 1, ... by the lowest node; parts do not reach each other.

    Labels flow to neighbours and jump to the label of their label, so that a long chain takes few
    rounds.
    """
    label = np.arange(graph.nodes)
    while True:
        lower = label.copy()
        np.minimum.at(lower, graph.low, label[graph.high])
        np.minimum.at(lower, graph.high, label[graph.low])
        lower = lower[lower]
        if np.array_equal(lower, label):
            return np.asarray(np.unique(label, return_inverse=True)[1], dtype=np.int64)
        label = lower


def waves(graph: Forwarding, sources: Counts) -> Iterator[npt.NDArray[np.uint64]]:
    """Breadth-first search from many sources at once, a bit for each.

    Parameters
    ----------
    graph : Forwarding
    sources : int array [S]     nodes

    Yields
    ------
    uint64 array [nodes, ceil(S / 64)]      at the n-th turn bit s of a node is set where it is n
                                            links away from source s; ends when none is new
    """
    place = np.arange(len(sources))
    new = np.zeros((graph.nodes, -(-len(sources) // 64)), dtype=np.uint64)
    np.bitwise_or.at(new, (sources, place // 64), np.uint64(1) << (place % 64).astype(np.uint64))
    around = neighbours(graph.nodes, graph.low, graph.high)
    linked = np.flatnonzero(np.diff(around.start))
    seen = new.copy()
    while np.any(new):
        yield new
        heard = np.zeros_like(new)
        if len(linked):
            heard[linked] = np.bitwise_or.reduceat(new[around.node], around.start[linked], axis=0)
        new = heard & ~seen
        seen |= new
