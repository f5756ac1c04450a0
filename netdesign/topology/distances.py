"""How far apart are the endpoints of a built fabric, and over how many shortest paths?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import Counts, Forwarding, components, forwarding, waves

_ALL_SOURCES = 4096  # up to so many leaves every one is a source
_SAMPLE = 512
_PATH_SOURCES = 32
_TOGETHER = 512  # sources of one pass


@dataclass(frozen=True)
class Distances:
    """Hops between endpoints that can reach each other; a hop is a link between two switches.

    Where hosts forward a hop is a link between nodes. A host's own link is not a hop.
    """

    diameter: int
    mean_hops: float  # over ordered pairs of two endpoints
    share: tuple[float, ...]  # of these pairs, by hops from 0
    sources: int  # leaves from which it was searched
    leaves: int  # leaves that have endpoints

    @property
    def exact(self) -> bool:
        return self.sources == self.leaves

    @property
    def note(self) -> str:
        if self.exact:
            return "from every leaf"
        return f"from {self.sources:,} of {self.leaves:,} leaves, evenly spaced"


@dataclass(frozen=True)
class PathCounts:
    """Shortest paths between two leaves that reach each other; parallel links multiply."""

    least: int
    median: float
    most: int
    sources: int
    leaves: int


def distances(fabric: Fabric, *, sources: int | None = None) -> Distances:
    """Diameter and mean hops, by breadth-first search.

    Parameters
    ----------
    fabric : Fabric
    sources : int or None       leaves to search from, evenly spaced over the leaves of each part;
                                None: all up to 4,096 leaves, 512 beyond

    Returns
    -------
    Distances                   of parts that do not meet the largest diameter counts; from a
                                sample the diameter is a lower bound
    """
    return graph_distances(forwarding(fabric), sources=sources)


def graph_distances(
    graph: Forwarding, *, sources: int | None = None, part: Counts | None = None
) -> Distances:
    """The same of a graph at hand; ``part`` of each node where it is known already."""
    leaves = graph.terminals
    if sources is None:
        sources = len(leaves) if len(leaves) <= _ALL_SOURCES else _SAMPLE
    part = components(graph) if part is None else part
    chosen = _spaced(leaves, part, sources)
    pairs: list[float] = []
    for begin in range(0, len(chosen), _TOGETHER):
        some = chosen[begin : begin + _TOGETHER]
        for hops, wave in enumerate(waves(graph, some)):
            met = _pairs(wave[leaves], graph.endpoints[leaves], graph.endpoints[some])
            if hops == 0:
                met -= float(graph.endpoints[some].sum())
            pairs += [0.0] * (hops + 1 - len(pairs))
            pairs[hops] += met
    total = sum(pairs)
    reached = np.array(pairs)
    return Distances(
        diameter=max((hops for hops, count in enumerate(pairs) if count > 0), default=0),
        mean_hops=float(reached @ np.arange(len(pairs)) / total) if total else 0.0,
        share=tuple(float(count / total) for count in pairs) if total else (),
        sources=len(chosen),
        leaves=len(leaves),
    )


def path_count(fabric: Fabric, host_a: int, host_b: int) -> int:
    """Shortest paths between two hosts over any of their ports; 0 where they do not meet.

    Parameters
    ----------
    fabric : Fabric
    host_a, host_b : int        host numbers, two different ones

    Returns
    -------
    int                         parallel links multiply, exact up to 2^53

    Raises
    ------
    DesignError                 for a host that the fabric does not have
    """
    for field, host in (("host_a", host_a), ("host_b", host_b)):
        if not 0 <= host < fabric.hosts:
            raise DesignError(field, host, "is no host", f"give 0 to {fabric.hosts - 1}")
    if host_a == host_b:
        raise DesignError("host_b", host_b, "is host_a too", "give two different hosts")
    graph = forwarding(fabric)
    ports = _ports(fabric, graph, host_b)
    hops, paths = _paths(graph, _ports(fabric, graph, host_a))
    met = (ports > 0) & (hops >= 0)
    if not np.any(met):
        return 0
    nearest = met & (hops == hops[met].min())
    return int(np.sum(paths[nearest] * ports[nearest]))


def path_counts(fabric: Fabric, *, sources: int = _PATH_SOURCES) -> PathCounts:
    """Shortest paths from some leaves, evenly spaced, to all others that they reach.

    Parameters
    ----------
    fabric : Fabric
    sources : int, >= 1         leaves to count from

    Returns
    -------
    PathCounts                  0 where no two leaves meet
    """
    graph = forwarding(fabric)
    leaves = graph.terminals
    chosen = _spaced(leaves, components(graph), sources)
    found = [np.zeros(0)]
    for source in chosen:
        hops, paths = _paths(graph, np.bincount([source], minlength=graph.nodes))
        found.append(paths[leaves][hops[leaves] > 0])
    counts = np.concatenate(found)
    if not len(counts):
        return PathCounts(0, 0.0, 0, len(chosen), len(leaves))
    return PathCounts(
        least=int(counts.min()),
        median=float(np.median(counts)),
        most=int(counts.max()),
        sources=len(chosen),
        leaves=len(leaves),
    )


def _pairs(wave: npt.NDArray[np.uint64], weight: Counts, source_weight: Counts) -> float:
    """Ordered pairs of endpoints that a wave joins: endpoints of its leaves times its sources'."""
    octets = np.ascontiguousarray(wave).astype("<u8", copy=False).view(np.uint8)
    bits = np.unpackbits(octets, axis=1, count=len(source_weight), bitorder="little")
    return float(weight.astype(np.float64) @ bits @ source_weight)


def _spaced(leaves: Counts, part: Counts, sources: int) -> Counts:
    """So many leaves, evenly spaced when sorted by part, and at least one of each part."""
    if sources >= len(leaves):
        return leaves
    ordered = leaves[np.argsort(part[leaves], kind="stable")]
    spaced = ordered[np.arange(sources) * len(ordered) // max(sources, 1)]
    firsts = ordered[np.unique(part[ordered], return_index=True)[1]]
    return np.union1d(spaced, firsts)


def _ports(fabric: Fabric, graph: Forwarding, host: int) -> Counts:
    """Links of a host to each node; one to itself where hosts forward."""
    if graph.first == 0:
        return np.bincount([host], minlength=graph.nodes)
    return np.bincount(fabric.b[fabric.a == host] - graph.first, minlength=graph.nodes)


def _paths(graph: Forwarding, begin: Counts) -> tuple[Counts, npt.NDArray[np.float64]]:
    """Hops to each node from where paths begin (-1: none) and how many shortest paths lead there.

    ``begin`` holds how many paths begin at each node, all at no hops.
    """
    hops = np.where(begin > 0, 0, -1)
    paths = begin.astype(np.float64)
    front = paths
    for step in range(1, graph.nodes + 1):
        there = np.bincount(graph.high, front[graph.low] * graph.links, minlength=graph.nodes)
        there += np.bincount(graph.low, front[graph.high] * graph.links, minlength=graph.nodes)
        front = np.where(hops < 0, there, 0.0)
        if not np.any(front):
            break
        hops[front > 0] = step
        paths = paths + front
    return hops, paths
