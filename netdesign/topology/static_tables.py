"""Static tables by destination, as a subnet manager lays them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.topology.built import Fabric
from netdesign.topology.flow_paths import Flows, Routes, endpoint_nodes
from netdesign.topology.forwarding import Counts, hosts_forward
from netdesign.topology.hop_walk import Walk, walked
from netdesign.topology.next_hops import Arcs, Choices


@dataclass(frozen=True, eq=False)
class _Lines:
    """The way down to each endpoint that was laid first: at ``node`` of a line take ``arc``."""

    node: Counts  # [levels, sub-flows]; -1 where the line ends
    arc: Counts

    def above(self, sub: Counts, tier: Counts) -> Counts:
        """The node of a sub-flow's line one tier above; -1 where it has none."""
        if not len(self.node):
            return np.full(len(sub), -1)
        inside = tier < len(self.node)
        return np.where(inside, self.node[np.where(inside, tier, 0), sub], -1)


def static_routes(fabric: Fabric, walk: Walk, flows: Flows) -> Routes:
    """Ways by tables in which the destination alone decides.

    Endpoints are ranked by leaf. In a Clos fabric a switch of tier t sends rank r up by its link
    number floor(r / (u_0 u_1 ... u_(t-1))) mod k, k links leading nearer and u_t being the most
    uplinks of a switch of tier t: d-mod-k, which keeps shift patterns of a whole fat tree without
    contention (zahavi-2012), and spreads the endpoints of each leaf evenly over all links down to
    it. The way down to an endpoint is laid first, from its leaf upwards by the same rule, and every
    switch on it follows it, as OpenSM's ftree does; so parallel links share the endpoints too. A
    switch whose k-th link does not meet that way while another does takes the other.
    Between switches of one tier the rank mod k decides. Where hosts forward, links are taken in
    dimension order, and the rank decides between the two ways round a ring.

    After a loss all tables are laid again over what is left.

    Parameters
    ----------
    fabric : Fabric
    walk : Walk         with one queue pair
    flows : Flows       the same flows

    Returns
    -------
    Routes              one sub-flow a flow
    """
    rank = _ranks(fabric)[flows.target[walk.flow]]
    if hosts_forward(fabric):
        return _dimension_order(fabric, walk, rank)
    divisor, tier = _divisors(fabric), fabric.tier.astype(np.int64)
    lines = _lines(fabric, walk, rank, divisor)

    def pick(sub: Counts, node: Counts, first: Counts, count: Counts, arc: Counts) -> Counts:
        digit = rank[sub] // divisor[tier[node]]
        taken = arc[first + digit % count]
        ahead = lines.above(sub, tier[node])
        missed = np.flatnonzero((ahead >= 0) & (walk.arcs.head[taken] != ahead))
        found = _leading_to(ahead[missed], first[missed], count[missed], arc, walk.arcs.head)
        met = missed[found.count > 0]
        begin, several = found.start[found.count > 0], found.count[found.count > 0]
        taken[met] = found.arc[begin + digit[met] % several]
        for at, along in zip(lines.node, lines.arc, strict=True):
            taken = np.where(at[sub] == node, along[sub], taken)
        return taken

    return walked(walk, pick)


def _leading_to(ahead: Counts, first: Counts, count: Counts, arc: Counts, head: Counts) -> Choices:
    """Of the choices first to first + count in ``arc``, those that lead to a node."""
    state = np.repeat(np.arange(len(ahead)), count)
    place = np.arange(len(state)) + np.repeat(first - np.cumsum(count) + count, count)
    fits = head[arc[place]] == ahead[state]
    found = np.bincount(state[fits], minlength=len(ahead))
    return Choices(np.cumsum(found) - found, found, arc[place[fits]])


def _ranks(fabric: Fabric) -> Counts:
    """Place of each endpoint when they are sorted by leaf and number."""
    nodes = endpoint_nodes(fabric)
    rank = np.empty(len(nodes), dtype=np.int64)
    rank[np.argsort(nodes, kind="stable")] = np.arange(len(nodes))
    return rank


def _divisors(fabric: Fabric) -> Counts:
    """The product of the uplinks of the tiers below, for each tier."""
    tiers = len(fabric.tier_names)
    between = fabric.a >= fabric.hosts
    a, b = fabric.a[between] - fabric.hosts, fabric.b[between] - fabric.hosts
    rising = fabric.tier[a] < fabric.tier[b]
    uplinks = np.bincount(a[rising], minlength=fabric.switches)
    most = np.ones(max(tiers, 1), dtype=np.int64)
    np.maximum.at(most, fabric.tier, uplinks)
    return np.cumprod(np.concatenate([[1], most[:-1]]))


def _lines(fabric: Fabric, walk: Walk, rank: Counts, divisor: Counts) -> _Lines:
    """Climb from every destination's leaf as long as links lead up."""
    arcs = walk.arcs
    rises = fabric.tier[arcs.tail] < fabric.tier[arcs.head]
    up = np.flatnonzero(rises)
    count = np.bincount(arcs.tail[up], minlength=arcs.nodes)
    first = np.cumsum(count) - count
    back = _opposite(arcs)
    node = walk.targets[walk.target]
    nodes, taken = [], []
    for _ in range(len(fabric.tier_names) - 1):
        rising = (node >= 0) & (count[node] > 0)
        here = np.where(rising, node, 0)
        number = first[here] + rank // divisor[fabric.tier[here]] % np.maximum(count[here], 1)
        arc = up[np.where(rising, number, 0)] if len(up) else np.zeros(len(node), dtype=np.int64)
        node = np.where(rising, arcs.head[arc], -1) if len(up) else np.full(len(node), -1)
        nodes.append(node)
        taken.append(back[arc] if len(up) else arc)
    shape = (len(nodes), len(rank))
    return _Lines(np.array(nodes).reshape(shape), np.array(taken).reshape(shape))


def _opposite(arcs: Arcs) -> Counts:
    """The arc of the other direction of the same link, for each arc."""
    place = np.zeros(int(arcs.link.max(initial=-1)) + 2, dtype=np.int64)
    place[arcs.link] = np.arange(len(arcs.link))
    return np.asarray(place[arcs.link ^ 1])


def _dimension_order(fabric: Fabric, walk: Walk, rank: Counts) -> Routes:
    kind = fabric.kind[walk.arcs.link // 2]

    def pick(sub: Counts, node: Counts, first: Counts, count: Counts, arc: Counts) -> Counts:
        one = arc[first]
        other = arc[first + (count > 1)]
        return np.where((kind[one] == kind[other]) & (rank[sub] % 2 == 1), other, one)

    return walked(walk, pick)
