"""Which single switch or link of a built fabric takes hosts away when it fails?

A host that keeps a port which reaches the larger rest is degraded, not cut off. When a loss splits
a part of the fabric (a rail, a plane) the piece with the most endpoints is the rest.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import (
    Bools,
    Counts,
    Forwarding,
    components,
    forwarding,
    host_links,
    neighbours,
)


@dataclass(frozen=True)
class WeakPoint:
    """Devices or links of one class whose loss, one at a time, costs the same."""

    name: str  # of a tier or of a kind of link; "host" for a host that forwards
    is_link: bool
    count: int  # how many there are
    hosts_cut_off: int  # by the loss of one of them, without the lost host itself
    hosts_degraded: int  # lose some of their ports
    endpoints_lost: int


@dataclass(frozen=True)
class Resilience:
    """What the loss of any one switch or link does, the worst first."""

    points: tuple[WeakPoint, ...]  # all that cost an endpoint or more
    survives_any_one_switch: bool  # no host is cut off
    survives_any_one_link: bool

    @property
    def single_points_of_failure(self) -> tuple[WeakPoint, ...]:
        """Those that cut hosts off."""
        return tuple(point for point in self.points if point.hosts_cut_off)


@dataclass(frozen=True, eq=False)
class _Ports:
    """Cabled ports of hosts: the host and the node that each leads to."""

    host: Counts
    node: Counts
    cabled: Counts  # of each host


def resilience(fabric: Fabric) -> Resilience:
    """Take every switch and every link away, one at a time.

    Only what can split the fabric is taken away in fact: nodes and links without a way around, by
    depth-first search over a breadth-first forest and a second forest of the rest. These two
    forests have the same such nodes and links as the whole (Eppstein et al. 1997,
    Sparsification). Any other switch costs the ports cabled to it.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    Resilience
    """
    graph = forwarding(fabric)
    ports = _host_ports(fabric, graph)
    nodes, bundles = _without_way_round(graph)
    lone = [int(bundle) for bundle in bundles if graph.links[bundle] == 1]
    losses: Counter[tuple[str, bool, int, int, int]] = Counter()
    losses.update(_plain_losses(fabric, graph, ports, nodes))
    for node in np.flatnonzero(nodes):
        loss = _loss(graph, ports, node=int(node))
        losses[(_name(fabric, int(node) + graph.first), False, *loss)] += 1
    kinds = _kinds_of_bundles(fabric, graph, lone)
    for bundle, kind in zip(lone, kinds, strict=True):
        losses[(kind, True, *_loss(graph, ports, bundle=bundle))] += 1
    losses.update(_host_link_losses(fabric, ports))
    points = sorted(
        (
            WeakPoint(name, is_link, count, *loss)
            for (name, is_link, *loss), count in losses.items()
            if any(loss)
        ),
        key=lambda point: (-point.hosts_cut_off, -point.endpoints_lost, point.is_link, point.name),
    )
    cutting = [point for point in points if point.hosts_cut_off]
    return Resilience(
        points=tuple(points),
        survives_any_one_switch=all(point.is_link for point in cutting),
        survives_any_one_link=not any(point.is_link for point in cutting),
    )


def _name(fabric: Fabric, device: int) -> str:
    return (
        "host" if device < fabric.hosts else fabric.tier_names[fabric.tier[device - fabric.hosts]]
    )


def _host_ports(fabric: Fabric, graph: Forwarding) -> _Ports:
    if graph.first == 0:
        host = np.arange(fabric.hosts)
        return _Ports(host, host, np.ones(fabric.hosts, dtype=np.int64))
    cabled = host_links(fabric)
    host = fabric.a[cabled].astype(np.int64)
    node = fabric.b[cabled].astype(np.int64) - graph.first
    return _Ports(host, node, np.bincount(host, minlength=fabric.hosts))


def _plain_losses(
    fabric: Fabric, graph: Forwarding, ports: _Ports, splitting: Bools
) -> Counter[tuple[str, bool, int, int, int]]:
    """Losses of the switches that split nothing: the ports cabled to each."""
    losses: Counter[tuple[str, bool, int, int, int]] = Counter()
    if graph.first == 0:
        return losses
    hosts = max(fabric.hosts, 1)
    pairs, links = np.unique(ports.node * hosts + ports.host, return_counts=True)
    node, whole = pairs // hosts, links == ports.cabled[pairs % hosts]
    cut_off = np.bincount(node[whole], minlength=graph.nodes)
    degraded = np.bincount(node[~whole], minlength=graph.nodes)
    rows = np.stack([fabric.tier, cut_off, degraded, graph.endpoints])[:, ~splitting]
    found, counts = np.unique(rows, axis=1, return_counts=True)
    for row, count in zip(found.T.tolist(), counts.tolist(), strict=True):
        losses[(fabric.tier_names[row[0]], False, row[1], row[2], row[3])] = count
    return losses


def _host_link_losses(fabric: Fabric, ports: _Ports) -> Counter[tuple[str, bool, int, int, int]]:
    """A link of a host cuts it off where it is its only one."""
    losses: Counter[tuple[str, bool, int, int, int]] = Counter()
    at_host = np.flatnonzero(host_links(fabric))
    if not len(at_host) or len(at_host) != len(ports.host):
        return losses
    only = (ports.cabled[ports.host] == 1).astype(np.int64)
    found, counts = np.unique(np.stack([fabric.kind[at_host], only]), axis=1, return_counts=True)
    for (kind, alone), count in zip(found.T.tolist(), counts.tolist(), strict=True):
        losses[(fabric.kinds[kind].name, True, alone, 1 - alone, 1)] = count
    return losses


def _loss(
    graph: Forwarding, ports: _Ports, *, node: int = -1, bundle: int = -1
) -> tuple[int, int, int]:
    """Hosts cut off, hosts degraded and endpoints lost without a node or a bundle."""
    before = components(graph)
    kept = (graph.low != node) & (graph.high != node)
    kept[bundle if bundle >= 0 else slice(0, 0)] = False
    left = Forwarding(
        first=graph.first,
        nodes=graph.nodes,
        low=graph.low[kept],
        high=graph.high[kept],
        links=graph.links[kept],
        gbps=graph.gbps[kept],
        endpoints=graph.endpoints,
        pod=graph.pod,
    )
    after = components(left)
    weight = np.where(np.arange(graph.nodes) == node, 0, graph.endpoints)
    size = np.bincount(after, weight, minlength=graph.nodes)
    # The largest piece of each part stays, of equal ones the first.
    order = np.lexsort((after, -size[after], before))
    leads = np.concatenate([[True], np.diff(before[order]) > 0])
    rest = np.zeros(graph.nodes, dtype=bool)
    rest[after[order[leads]]] = True
    dead = ~rest[after]
    if node >= 0:
        dead[node] = True
    gone = np.bincount(ports.host[dead[ports.node]], minlength=len(ports.cabled))
    itself = graph.first == 0 and 0 <= node < len(ports.cabled)
    cut_off = int(np.count_nonzero((gone > 0) & (gone == ports.cabled))) - int(itself)
    degraded = int(np.count_nonzero((gone > 0) & (gone < ports.cabled)))
    return cut_off, degraded, int(graph.endpoints[dead].sum()) - int(itself)


def _kinds_of_bundles(fabric: Fabric, graph: Forwarding, bundles: list[int]) -> list[str]:
    low = np.minimum(fabric.a, fabric.b) - graph.first
    high = np.maximum(fabric.a, fabric.b) - graph.first
    names = []
    for bundle in bundles:
        link = np.flatnonzero((low == graph.low[bundle]) & (high == graph.high[bundle]))[0]
        names.append(fabric.kinds[fabric.kind[link]].name)
    return names


def _without_way_round(graph: Forwarding) -> tuple[Bools, Counts]:
    """Nodes whose loss splits a part, and the bundles that do."""
    chosen = _two_forests(graph)
    around = neighbours(graph.nodes, graph.low[chosen], graph.high[chosen])
    search = _Search(
        start=around.start.tolist(),
        node=around.node.tolist(),
        bundle=chosen[around.bundle].tolist() if len(chosen) else [],
        found=[-1] * graph.nodes,
        lowest=[0] * graph.nodes,
    )
    for root in np.unique(components(graph), return_index=True)[1].tolist():
        search.below(root)
    splits = np.zeros(graph.nodes, dtype=bool)
    splits[search.splits] = True
    return splits, np.array(search.bridges, dtype=np.int64)


@dataclass(eq=False)
class _Search:
    """Depth-first search after Tarjan 1972; the neighbours of every node as in ``Neighbours``."""

    start: list[int]
    node: list[int]
    bundle: list[int]
    found: list[int]  # when each node was found; -1 not yet
    lowest: list[int]  # the earliest found that a node's branch reaches past the node above
    time: int = 0
    splits: list[int] = field(default_factory=list)
    bridges: list[int] = field(default_factory=list)

    def below(self, root: int) -> None:
        """Search everything that a root reaches."""
        place = self.start.copy()
        path, branches = [(root, -1)], 0
        self._find(root)
        while path:
            here, came = path[-1]
            at = place[here]
            if at == self.start[here + 1]:
                path.pop()
                branches += self._back(here, came, path[-1][0] if path else -1, root)
                continue
            place[here] += 1
            there = self.node[at]
            if self.found[there] < 0:
                self._find(there)
                path.append((there, self.bundle[at]))
            elif self.bundle[at] != came:
                self.lowest[here] = min(self.lowest[here], self.found[there])
        if branches > 1:
            self.splits.append(root)

    def _find(self, node: int) -> None:
        self.found[node] = self.lowest[node] = self.time
        self.time += 1

    def _back(self, here: int, came: int, above: int, root: int) -> int:
        """Leave a node for the one above; 1 where that was a branch of the root."""
        if above < 0:
            return 0
        self.lowest[above] = min(self.lowest[above], self.lowest[here])
        if self.lowest[here] > self.found[above]:
            self.bridges.append(came)
        if above != root and self.lowest[here] >= self.found[above]:
            self.splits.append(above)
        return int(above == root)


def _two_forests(graph: Forwarding) -> Counts:
    """Bundles of a breadth-first forest and of a spanning forest of what is left."""
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    size, part = graph.nodes + 1, components(graph)
    if not len(graph.low):
        return np.zeros(0, dtype=np.int64)
    # A node above one root of each part makes the forest a tree.
    roots = np.unique(part, return_index=True)[1]
    low = np.concatenate([graph.low, roots])
    high = np.concatenate([graph.high, np.full(len(roots), graph.nodes)])
    whole = csr_array((np.ones(len(low), dtype=np.int8), (low, high)), shape=(size, size))
    before = breadth_first_order(whole, graph.nodes, directed=False)[1].astype(np.int64)
    first = (before[graph.high] == graph.low) | (before[graph.low] == graph.high)
    rest = np.flatnonzero(~first)
    weights = coo_array((rest + 1.0, (graph.low[rest], graph.high[rest])), shape=(size, size))
    second = minimum_spanning_tree(weights.tocsr()).data.astype(np.int64) - 1
    return np.concatenate([np.flatnonzero(first), second])
