"""Flows on their way, hop by hop; at each switch a hash picks the next link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from netdesign.topology.built import Fabric
from netdesign.topology.flow_paths import Flows, Lost, Routes, endpoint_links, endpoint_nodes
from netdesign.topology.forwarding import Bools, Counts
from netdesign.topology.next_hops import (
    FAR,
    Arcs,
    Choices,
    Hops,
    Words,
    alive_arcs,
    choices,
    hops_to,
    mixed,
)
from netdesign.topology.wiring import occurrence

_WHOLE_TABLE = 4_000_000  # arcs times destinations up to which every choice is listed beforehand
_LOOKED_UP = 8  # times the links of a switch that a flow would look at on its way, about
_NONE = np.int64(-1)

Pick = Callable[[Counts, Counts, Counts, Counts, Counts], Counts]


@dataclass(frozen=True, eq=False)
class Walk:
    """The sub-flows that have a way, and everything that decides their next links."""

    arcs: Arcs
    hops: Hops
    table: Choices | None  # of every (node, destination), node after node; None: too many
    targets: Counts  # node of each destination
    flows: int
    links: int
    unreachable: Bools
    flow: Counts  # of each sub-flow
    share: np.ndarray[tuple[int], np.dtype[np.float64]]
    source: Counts  # node where each sub-flow begins
    target: Counts  # column of ``hops``
    up: Counts  # directed link from its host, -1 where there is none
    down: Counts
    key: Words  # what its queue pair hashes to

    @property
    def crosses(self) -> Bools:
        """Sub-flows that leave the switch of their host."""
        return np.asarray(self.source != self.targets[self.target])


def walk_for(
    fabric: Fabric,
    flows: Flows,
    *,
    lost: Lost | None = None,
    queue_pairs: int = 1,
    coarse: bool = True,
    listed: bool | None = None,
    seeds: int = 1,
) -> Walk:
    """Prepare flows for a walk; seeds, and policies, can share it.

    ``coarse`` and ``listed`` choose ways to the same result: distances by colours, and all choices
    listed beforehand (None: where they are few, for the flows of so many seeds).
    """
    arcs = alive_arcs(fabric, lost, coarse=coarse)
    links, nodes = endpoint_links(fabric), endpoint_nodes(fabric)
    targets, target = np.unique(nodes[flows.target], return_inverse=True)
    hops = hops_to(arcs, targets)
    source = nodes[flows.source]
    unreachable = hops[arcs.colour[source], target] == FAR
    up, down = 2 * links[flows.source], 2 * links[flows.target] + 1
    up[links[flows.source] < 0] = down[links[flows.target] < 0] = _NONE
    if lost is not None:
        alive = np.append(lost.alive(fabric), True)
        unreachable |= ~(alive[links[flows.source]] & alive[links[flows.target]])
    itself = flows.source == flows.target
    up[itself] = down[itself] = _NONE
    flow = np.repeat(np.flatnonzero(~unreachable), queue_pairs)
    if listed is None:
        looked_up = len(flow) * seeds * _LOOKED_UP * len(arcs.tail) // max(arcs.nodes, 1)
        listed = len(arcs.tail) * len(targets) <= min(_WHOLE_TABLE, looked_up)
    return Walk(
        arcs=arcs,
        hops=hops,
        table=_whole_table(arcs, hops, targets) if listed else None,
        targets=targets,
        flows=len(flows),
        links=fabric.links,
        unreachable=np.asarray(unreachable),
        flow=flow,
        share=np.full(len(flow), 1.0 / queue_pairs),
        source=source[flow],
        target=target[flow],
        up=up[flow],
        down=down[flow],
        key=_keys(flows, queue_pairs)[~unreachable].ravel(),
    )


def _keys(flows: Flows, queue_pairs: int) -> Words:
    """What each queue pair hashes to: its endpoints, which of their flows it is, and its number."""
    most = max(int(flows.target.max(initial=0)), int(flows.source.max(initial=0))) + 1
    which = occurrence(flows.source * most + flows.target).astype(np.uint64)
    ends = (flows.source.astype(np.uint64) << np.uint64(32)) | flows.target.astype(np.uint64)
    pair = np.arange(queue_pairs, dtype=np.uint64) << np.uint64(40)
    return mixed(mixed(ends)[:, None] + (which[:, None] | pair))


def _whole_table(arcs: Arcs, hops: Hops, targets: Counts) -> Choices:
    """The choices of every node and destination, node after node; none where there is no way."""
    node = np.repeat(np.arange(arcs.nodes), len(targets))
    target = np.tile(np.arange(len(targets)), arcs.nodes)
    asked = (node != targets[target]) & (hops[arcs.colour[node], target] != FAR)
    found = choices(arcs, hops, node[asked], target[asked])
    count = np.zeros(len(node), dtype=np.int64)
    count[asked] = found.count
    return Choices(np.cumsum(count) - count, count, found.arc)


def choices_at(walk: Walk, node: Counts, target: Counts) -> tuple[Counts, Counts, Counts]:
    """First choice and number of choices of each (node, destination), and the arcs they lie in."""
    state = node * len(walk.targets) + target
    if walk.table is not None:
        return walk.table.start[state], walk.table.count[state], walk.table.arc
    states, place = np.unique(state, return_inverse=True)
    width = len(walk.targets)
    found = choices(walk.arcs, walk.hops, states // width, states % width)
    return found.start[place], found.count[place], found.arc


def hashed_routes(walk: Walk, seeds: Counts) -> Routes:
    """Ways of every sub-flow for each seed; for several seeds the sub-flows stand seed by seed.

    Parameters
    ----------
    walk : Walk
    seeds : int array [K]

    Returns
    -------
    Routes      of K times the flows over K times the links: flow f of seed k is flow k F + f, and
                its links are those of a copy of the fabric of its own
    """
    copies = len(seeds)
    key = np.tile(walk.key, copies)
    salt = np.repeat(mixed(seeds.astype(np.int64).view(np.uint64)), len(walk.key))

    def pick(sub: Counts, node: Counts, first: Counts, count: Counts, arc: Counts) -> Counts:
        # Each switch has a salt of its own, so tiers do not repeat each other's choice.
        word = mixed(key[sub] ^ mixed(salt[sub] + node.astype(np.uint64))) >> np.uint64(32)
        chosen = word * count.astype(np.uint64) >> np.uint64(32)
        return arc[first + chosen.astype(np.int64)]

    return walked(walk, pick, copies)


def walked(walk: Walk, pick: Pick, copies: int = 1) -> Routes:
    """Follow every sub-flow to its destination.

    ``pick`` gets sub-flows, the nodes where they are, and as ``choices_at`` returns them where
    their choices begin and how many they are in a list of arcs; it returns the arc each takes.
    """
    subflows = len(walk.flow)
    columns = [np.tile(walk.up, copies)]
    node, target = np.tile(walk.source, copies), np.tile(walk.target, copies)
    going = np.flatnonzero(np.tile(walk.crosses, copies))
    while len(going):
        first, count, arc = choices_at(walk, node[going], target[going])
        taken = pick(going, node[going], first, count, arc)
        column = np.full(subflows * copies, _NONE)
        column[going] = walk.arcs.link[taken]
        columns.append(column)
        node[going] = walk.arcs.head[taken]
        going = going[node[going] != walk.targets[target[going]]]
    columns.append(np.tile(walk.down, copies))
    return _packed(walk, np.stack(columns, axis=1), copies)


def _packed(walk: Walk, ways: Counts, copies: int) -> Routes:
    there = ways >= 0
    copy = np.repeat(np.arange(copies), len(walk.flow))
    return Routes(
        flows=walk.flows * copies,
        links=walk.links * copies,
        flow=np.tile(walk.flow, copies) + copy * walk.flows,
        share=np.tile(walk.share, copies),
        start=np.concatenate([[0], np.cumsum(there.sum(axis=1))]),
        trunk=(ways + (2 * walk.links * copy)[:, None])[there],
        unreachable=np.tile(walk.unreachable, copies),
    )
