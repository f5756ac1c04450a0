"""Flows spread over all shortest paths by what these can carry, as adaptive routing does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.flow_paths import Reals, Routes
from netdesign.topology.forwarding import Counts, summed
from netdesign.topology.hop_walk import Walk

_TOGETHER = 4_000_000  # pairs times colours of one pass
_DENSE = 16  # places a key from which sorting is faster than marking every place
_MOST = 150_000_000  # entries held in memory
_NO_COUNTS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Trunks:
    """Directed links between the same two colours, and equally fast, as one; sorted by ``tail``."""

    of_link: Counts  # trunk of each directed link, -1 where it carries nothing
    start: Counts  # those that leave colour c begin at start[c]
    head: Counts  # colour
    width: Reals  # links of one node of the tail's colour, a slower one counts for less
    to_one: Reals  # width of all links of such a node to one node of the head's colour


@dataclass(frozen=True, eq=False)
class _Entries:
    """Trunks and the part of a sub-flow on them, row after row."""

    length: Counts  # of each row
    trunk: Counts
    weight: Reals


def spread_routes(walk: Walk) -> Routes:
    """Every flow evenly over all its shortest paths: a link gets as much as paths go on from it.

    Where links are not spread evenly, or some are lost, a switch so sends less to where fewer links
    lead on, as adaptive routing does that hears of the load ahead. A slower link counts for less.
    Where a single switch stands between two leaves the paths over it are not independent: it
    carries no more than the narrower of its two sides, and gets that much.

    Links between the same two colours of switches (see ``next_hops``) carry the same and are one
    trunk, so that a flow between two pods of a whole fat tree has 6 entries and not 2,114. What is
    the same for all flows between two leaves is found once.

    Parameters
    ----------
    walk : Walk         with one queue pair

    Returns
    -------
    Routes              one sub-flow a flow

    Raises
    ------
    DesignError         where so many flows over a fabric so uneven do not fit in memory
    """
    trunks = _trunks(walk)
    crosses = np.flatnonzero(walk.crosses)
    nodes = walk.arcs.nodes
    pairs, place = np.unique(
        walk.target[crosses] * nodes + walk.source[crosses], return_inverse=True
    )
    between = _between(walk, trunks, pairs % nodes, pairs // nodes)
    row = np.full(len(walk.flow), len(pairs))
    row[crosses] = place
    return _with_hosts(walk, trunks, between, row)


def _trunks(walk: Walk) -> _Trunks:
    arcs, colours = walk.arcs, len(walk.hops)
    speeds = int(arcs.speed.max(initial=0)) + 1
    pair = arcs.colour[arcs.tail] * colours + arcs.colour[arcs.head]
    keys, trunk, links = np.unique(
        pair * speeds + arcs.speed, return_inverse=True, return_counts=True
    )
    of_link = np.full(2 * walk.links, -1, dtype=np.int64)
    of_link[arcs.link] = trunk
    tail, head = keys // speeds // max(colours, 1), keys // speeds % max(colours, 1)
    start = np.concatenate([[0], np.cumsum(np.bincount(tail, minlength=colours))])
    nodes = np.bincount(arcs.colour, minlength=colours)
    width = links / nodes[tail] * arcs.speeds[keys % speeds]
    together = np.unique(keys // speeds, return_inverse=True)[1]
    to_one = summed(together, width, len(keys))[together] / nodes[head]
    return _Trunks(of_link, start, head, width, to_one)


def _between(walk: Walk, trunks: _Trunks, source: Counts, target: Counts) -> _Entries:
    """The entries of each pair of a source node and a destination, pairs sorted by destination."""
    step = max(_TOGETHER // max(len(walk.hops), 1), 1)
    parts, total = [_Entries(_NO_COUNTS, _NO_COUNTS.astype(np.int32), np.zeros(0))], 0
    for begin in range(0, len(source), step):
        some = slice(begin, begin + step)
        parts.append(_some_between(walk, trunks, source[some], target[some]))
        total += len(parts[-1].trunk)
        if total > _MOST:
            reason = "are spread over too many links to be held in memory"
            raise DesignError("flows", walk.flows, reason, "take fewer, or ecmp or static routes")
    return _Entries(
        np.concatenate([part.length for part in parts]),
        np.concatenate([part.trunk for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )


def _some_between(walk: Walk, trunks: _Trunks, source: Counts, target: Counts) -> _Entries:
    """Follow what each pair sends, all nodes of a colour at once, hop by hop."""
    colours, pairs = len(walk.hops), len(source)
    columns, column = np.unique(target, return_inverse=True)
    goal = walk.arcs.colour[walk.targets[target]]
    paths = _paths(walk, trunks, columns, np.unique(column * colours + walk.arcs.colour[source]))
    pair, colour, share = np.arange(pairs), walk.arcs.colour[source], np.ones(pairs)
    at_source = True
    found_pair, found_trunk, found_weight = [_NO_COUNTS], [_NO_COUNTS], [np.zeros(0)]
    while len(pair):
        states, state = _distinct(column[pair] * colours + colour, len(columns) * colours)
        first, count, trunk, weight = _onward(walk, trunks, columns, states, paths)
        if at_source:
            weight = _through_one(walk, trunks, columns, states, count, trunk, weight)
            at_source = False
        total = summed(np.repeat(np.arange(len(states)), count), weight, len(states))
        part = weight / np.repeat(total, count)
        sender = np.repeat(np.arange(len(pair)), count[state])
        entry = np.arange(len(sender)) + np.repeat(
            first[state] - np.cumsum(count[state]) + count[state], count[state]
        )
        sent = share[sender] * part[entry]
        found_pair.append(pair[sender])
        found_trunk.append(trunk[entry])
        found_weight.append(sent)
        there = pair[sender] * colours + trunks.head[trunk[entry]]
        keys, place = _distinct(there, pairs * colours)
        pair, colour, share = keys // colours, keys % colours, summed(place, sent, len(keys))
        on = colour != goal[pair]
        pair, colour, share = pair[on], colour[on], share[on]
    of_pair = np.concatenate(found_pair)
    order = np.argsort(of_pair, kind="stable")
    return _Entries(
        np.bincount(of_pair, minlength=pairs),
        np.concatenate(found_trunk)[order].astype(np.int32),
        np.concatenate(found_weight)[order],
    )


def _paths(walk: Walk, trunks: _Trunks, columns: Counts, states: Counts) -> Reals:
    """How many shortest paths lead from each state (column, colour) to the column's destination."""
    colours = len(walk.hops)
    paths = np.zeros(len(columns) * colours)
    goals = np.arange(len(columns)) * colours + walk.arcs.colour[walk.targets[columns]]
    paths[goals] = 1.0
    far = walk.hops[states % colours, columns[states // colours]]
    rounds, met = [], np.zeros(0, dtype=np.int64)
    for hops in range(int(far.max(initial=0)), 0, -1):
        now = np.union1d(states[far == hops], met)
        rounds.append(now)
        _, _, trunk, ahead = _nearer(walk, trunks, columns, now)
        met = _distinct(ahead, len(paths))[0]
    for now in reversed(rounds):
        _, count, _, weight = _onward(walk, trunks, columns, now, paths)
        paths[now] = summed(np.repeat(np.arange(len(now)), count), weight, len(now))
    return paths


def _nearer(
    walk: Walk, trunks: _Trunks, columns: Counts, states: Counts
) -> tuple[Counts, Counts, Counts, Counts]:
    """Where the ways on begin for each state, how many; their trunks, and the states ahead."""
    colours = len(walk.hops)
    column, colour = states // colours, states % colours
    degree = trunks.start[colour + 1] - trunks.start[colour]
    state = np.repeat(np.arange(len(states)), degree)
    offset = trunks.start[colour] - np.cumsum(degree) + degree
    trunk = np.arange(len(state)) + np.repeat(offset, degree)
    nearer = walk.hops[colour, columns[column]] - np.uint16(1)
    fits = walk.hops[trunks.head[trunk], columns[column][state]] == nearer[state]
    state, trunk = state[fits], trunk[fits]
    count = np.bincount(state, minlength=len(states))
    return np.cumsum(count) - count, count, trunk, column[state] * colours + trunks.head[trunk]


def _onward(
    walk: Walk, trunks: _Trunks, columns: Counts, states: Counts, paths: Reals
) -> tuple[Counts, Counts, Counts, Reals]:
    """As ``_nearer``, with the paths over each trunk instead of the states ahead."""
    first, count, trunk, ahead = _nearer(walk, trunks, columns, states)
    return first, count, trunk, trunks.width[trunk] * paths[ahead]


def _through_one(
    walk: Walk,
    trunks: _Trunks,
    columns: Counts,
    states: Counts,
    count: Counts,
    trunk: Counts,
    weight: Reals,
) -> Reals:
    """Weights of the ways from each source; where one switch lies between, its narrower side."""
    colours = len(walk.hops)
    two = walk.hops[states % colours, columns[states // colours]] == 2
    width = trunks.width[trunk]
    narrower = width * np.minimum(1.0, weight / width / trunks.to_one[trunk])
    return np.asarray(np.where(np.repeat(two, count), narrower, weight), dtype=np.float64)


def _distinct(keys: Counts, space: int) -> tuple[Counts, Counts]:
    """The distinct keys below ``space``, ascending, and the place of each key among them."""
    if len(keys) * _DENSE < space:
        found, place = np.unique(keys, return_inverse=True)
        return found, place
    seen = np.zeros(space, dtype=bool)
    seen[keys] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[keys]


def _with_hosts(walk: Walk, trunks: _Trunks, between: _Entries, row: Counts) -> Routes:
    """Routes of every sub-flow: its host's link, its row between the switches, the other host's."""
    length = np.append(between.length, 0)
    first = np.concatenate([[0], np.cumsum(length)])
    has_up, inner, has_down = walk.up >= 0, length[row], walk.down >= 0
    start = np.concatenate([[0], np.cumsum(has_up + inner + has_down)])
    # Trunks of host links follow those between switches.
    of_link, several = trunks.of_link.copy(), len(trunks.head)
    ends = np.unique(np.concatenate([walk.up[has_up], walk.down[has_down]]))
    of_link[ends] = several + np.arange(len(ends))
    trunk = np.empty(start[-1], dtype=np.int32)
    weight = np.ones(start[-1])
    trunk[start[:-1][has_up]] = of_link[walk.up[has_up]]
    trunk[start[1:][has_down] - 1] = of_link[walk.down[has_down]]
    within = np.arange(int(inner.sum())) - np.repeat(np.cumsum(inner) - inner, inner)
    to = np.repeat(start[:-1] + has_up, inner) + within
    origin = np.repeat(first[row], inner) + within
    trunk[to], weight[to] = between.trunk[origin], between.weight[origin]
    return Routes(
        flows=walk.flows,
        links=walk.links,
        flow=walk.flow,
        share=walk.share,
        start=start,
        trunk=trunk,
        unreachable=walk.unreachable,
        weight=weight,
        trunk_of=of_link,
    )
