"""Over which links does traffic leave a switch on a shortest path to its destination?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric
from netdesign.topology.flow_paths import Lost, Reals
from netdesign.topology.forwarding import (
    Counts,
    Forwarding,
    hosts_forward,
    link_gbps,
    waves,
)

Words = npt.NDArray[np.uint64]
Hops = npt.NDArray[np.uint16]
FAR = np.uint16(65535)  # hops to what is out of reach
_TOGETHER = 4096  # destinations of one pass


@dataclass(frozen=True, eq=False)
class Arcs:
    """Directed links that carry, sorted by the node they leave; those of n from start[n]."""

    nodes: int
    start: Counts
    tail: Counts
    head: Counts
    link: Counts  # directed link
    speed: Counts  # rank of its speed among the speeds of the fabric
    speeds: Reals  # by rank, over the highest
    colour: Counts  # of each node, see ``coarsest``


@dataclass(frozen=True, eq=False)
class Choices:
    """Candidate arcs of (node, destination) pairs: those of pair p from start[p]."""

    start: Counts
    count: Counts
    arc: Counts


def alive_arcs(fabric: Fabric, lost: Lost | None = None, *, coarse: bool = True) -> Arcs:
    """The directed links between nodes that forward, without what is broken.

    Parameters
    ----------
    fabric : Fabric
    lost : Lost or None     what is broken; None: nothing
    coarse : bool           whether switches without hosts that stand alike share a colour
    """
    first = 0 if hosts_forward(fabric) else fabric.hosts
    nodes = fabric.devices - first
    between = np.minimum(fabric.a, fabric.b) >= first
    if lost is not None:
        between &= lost.alive(fabric)
    links = np.flatnonzero(between)
    a, b = fabric.a[links].astype(np.int64) - first, fabric.b[links].astype(np.int64) - first
    tail = np.stack([a, b], axis=1).ravel()
    head = np.stack([b, a], axis=1).ravel()
    order = np.argsort(tail, kind="stable")
    known, speeds = np.unique(link_gbps(fabric), return_inverse=True)
    start = np.concatenate([[0], np.cumsum(np.bincount(tail, minlength=nodes))])
    arcs = Arcs(
        nodes=nodes,
        start=start,
        tail=tail[order],
        head=head[order],
        link=np.stack([2 * links, 2 * links + 1], axis=1).ravel()[order],
        speed=np.repeat(speeds[links], 2)[order],
        speeds=known / known.max(initial=1.0),
        colour=np.arange(nodes),
    )
    if first == 0 or not coarse:
        return arcs
    apart = np.zeros(nodes, dtype=bool)
    apart[fabric.b[fabric.a < first] - first] = True
    return _coloured(arcs, apart)


def _coloured(arcs: Arcs, apart: npt.NDArray[np.bool_]) -> Arcs:
    """Colours of the coarsest equitable partition in which every node of ``apart`` is alone.

    Nodes of one colour have equally many links of each speed to the nodes of any other colour.
    Traffic that is spread evenly over shortest paths then loads all links between two colours
    alike, and all nodes of a colour are equally far from every leaf. Colours are refined by the
    colours around a node until none splits (weisfeiler-leman-1968).
    """
    colour = np.where(apart, np.cumsum(apart), 0)
    colours = len(np.unique(colour))
    while colours < arcs.nodes:
        seen = mixed((colour[arcs.head] * 64 + arcs.speed).astype(np.uint64))
        around = np.zeros(arcs.nodes, dtype=np.uint64)
        linked = np.flatnonzero(np.diff(arcs.start))
        if len(linked):
            around[linked] = np.add.reduceat(seen, arcs.start[linked])
        mine = mixed(colour.astype(np.uint64) + mixed(around))
        colour = np.unique(mine, return_inverse=True)[1].astype(np.int64)
        before, colours = colours, int(colour.max()) + 1
        if colours == before:
            break
    return replace(arcs, colour=colour)


def mixed(words: Words) -> Words:
    """Scramble 64-bit words (the finaliser of splitmix64); alike on every machine."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def hops_to(arcs: Arcs, targets: Counts) -> Hops:
    """Links from every colour to each destination.

    Parameters
    ----------
    arcs : Arcs
    targets : int array [T]         nodes, each alone in its colour

    Returns
    -------
    uint16 array [colours, T]       FAR where there is no way
    """
    colours = int(arcs.colour.max(initial=-1)) + 1
    tail, head = arcs.colour[arcs.tail], arcs.colour[arcs.head]
    pairs = np.unique(tail[tail < head] * max(colours, 1) + head[tail < head])
    graph = Forwarding(
        first=0,
        nodes=colours,
        low=pairs // max(colours, 1),
        high=pairs % max(colours, 1),
        links=np.ones(len(pairs), dtype=np.int64),
        gbps=np.ones(len(pairs)),
        endpoints=np.zeros(colours, dtype=np.int64),
        pod=np.zeros(colours, dtype=np.int64),
    )
    found = np.full((colours, len(targets)), FAR)
    for begin in range(0, len(targets), _TOGETHER):
        some = arcs.colour[targets[begin : begin + _TOGETHER]]
        part = found[:, begin : begin + _TOGETHER]
        for hops, wave in enumerate(waves(graph, some)):
            octets = np.ascontiguousarray(wave).astype("<u8", copy=False).view(np.uint8)
            bits = np.unpackbits(octets, axis=1, count=len(some), bitorder="little")
            part[bits.view(np.bool_)] = hops
    return found


def choices(arcs: Arcs, hops: Hops, node: Counts, target: Counts) -> Choices:
    """The arcs that bring traffic at ``node`` one link nearer to destination ``target``.

    Parameters
    ----------
    arcs : Arcs
    hops : uint16 array [colours, T]    from ``hops_to``
    node : int array [P]                not the destination, and not out of its reach
    target : int array [P]              column of ``hops``

    Returns
    -------
    Choices                             of each pair, in the order of the links
    """
    degree = arcs.start[node + 1] - arcs.start[node]
    ends = np.cumsum(degree)
    pair = np.repeat(np.arange(len(node)), degree)
    arc = np.arange(len(pair)) + np.repeat(arcs.start[node] - ends + degree, degree)
    nearer = hops[arcs.colour[node], target] - np.uint16(1)
    fits = hops[arcs.colour[arcs.head[arc]], target[pair]] == nearer[pair]
    count = np.bincount(pair[fits], minlength=len(node))
    return Choices(np.cumsum(count) - count, count, arc[fits])
