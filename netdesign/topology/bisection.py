"""How much can one half of the endpoints of a built fabric send to the other half?

Only links between switches count (between nodes where hosts forward): what the hosts' own links
carry is not the network's. A leaf goes with its endpoints to one half. What lies exactly in the
middle, a leaf or the middle one of an odd number of groups or layers, is halved lengthwise: half of
each of its links goes to either side. A leaf that meets no other needs no links. Parts that do not
meet (rails, planes) are halved each for itself and add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import Counts, Forwarding, components, forwarding, neighbours

_SMALL = 20_000  # bundles of a fabric of which random halves are tried as well
_ORDERS = 64  # numberings of a regular graph that are tried
_FIRST, _SECOND, _RELAY, _MIDDLE = 0, 1, 2, 3
_BY_POD = "in the order of their pods"


@dataclass(frozen=True)
class Bisection:
    """The least that the halves tried share, each direction."""

    links: int
    gbps: float
    method: str  # "crossing links" where all switches have endpoints, else "max-flow"
    halves: str  # how the endpoints were halved for the least


@dataclass(frozen=True, eq=False)
class _Cut:
    """Two halves contracted: node 0 and node 1; what only passes traffic on are nodes from 2."""

    nodes: int
    low: Counts
    high: Counts
    capacity: Counts  # of each bundle, in half units, so that a halved leaf is a whole number


def bisection(fabric: Fabric, *, random_halves: int = 8, seed: int = 0) -> Bisection:
    """Links and bandwidth between two halves of the endpoints.

    The halves are the first and the second half of the leaves in the order of their numbers, and of
    the pods or groups where these are alike; where every switch has endpoints also the halves along
    each dimension of the numbering; in small fabrics random halves too. The least of what was tried
    is not less than the bisection, and is the bisection in a folded Clos whose leaves are alike.

    Where switches without endpoints stand between the halves it is a max-flow. Switches that are
    alike (colour refinement) are merged first: the value stays as it is and a large regular fabric
    becomes small (Grohe et al. 2014, Dimension reduction via colour refinement).

    Parameters
    ----------
    fabric : Fabric
    random_halves : int     how many to try in a fabric of up to 20,000 pairs of linked switches
    seed : int              of the random halves

    Returns
    -------
    Bisection               0 where no link joins the halves
    """
    return graph_bisection(forwarding(fabric), random_halves=random_halves, seed=seed)


def graph_bisection(
    graph: Forwarding, *, random_halves: int = 0, seed: int = 0, part: Counts | None = None
) -> Bisection:
    """The same of a graph at hand; ``part`` of each node where it is known already."""
    part = components(graph) if part is None else part
    least: Bisection | None = None
    for how, order in _orders(graph, random_halves, seed):
        half = halves(graph, part, order)
        if how == _BY_POD and not _halved(graph, part, half):
            continue
        links = _between(graph, half, graph.links)
        if least is not None and links >= least.links:
            continue
        method = "crossing links" if _direct(graph) else "max-flow"
        least = Bisection(links, _gbps_between(graph, half, links), method, how)
    return least if least is not None else Bisection(0, 0.0, "crossing links", "")


def halves(graph: Forwarding, part: Counts, order: Counts) -> Counts:
    """The half of each node: 0 first, 1 second, 2 only passes traffic on, 3 exactly in the middle.

    Parameters
    ----------
    graph : Forwarding
    part : int array [nodes]    which part each node belongs to
    order : int array [nodes]   place of each node in the line that is cut in the middle; nodes of
                                one place stay together unless they are a part of their own
    """
    leaves = graph.terminals
    line = leaves[np.lexsort((order[leaves], part[leaves]))]
    of, place = part[line], order[line]
    first = np.searchsorted(of, of)  # of the same part in the line
    last = np.searchsorted(of, of, side="right") - 1
    together = place[first] != place[last]
    place = np.where(together, place, np.arange(len(line)))
    new = np.diff(of, prepend=-1) != 0
    new[1:] |= place[1:] != place[:-1]
    block = np.cumsum(new) - 1
    weight = np.bincount(block, graph.endpoints[line]).astype(np.int64)
    before = np.cumsum(weight) - weight
    middle = 2 * (before[block] - before[block[first]]) + weight[block]
    total = np.bincount(of, graph.endpoints[line], minlength=len(part)).astype(np.int64)[of]
    half = np.full(graph.nodes, _RELAY, dtype=np.int64)
    half[line] = np.where(middle < total, _FIRST, np.where(middle > total, _SECOND, _MIDDLE))
    half[line[first == last]] = _RELAY
    return half


def _halved(graph: Forwarding, part: Counts, half: Counts) -> bool:
    """Whether both halves of each part have as many endpoints, and none stands in the middle."""
    if np.any(half == _MIDDLE):
        return False
    first, second = (
        np.bincount(part, graph.endpoints * (half == side)) for side in (_FIRST, _SECOND)
    )
    return np.array_equal(first, second)


def _orders(graph: Forwarding, random_halves: int, seed: int) -> Iterator[tuple[str, Counts]]:
    nodes = np.arange(graph.nodes)
    if not len(graph.low):
        return
    yield "in the order of their numbers", nodes
    if graph.pod[graph.terminals].min() >= 0:
        yield _BY_POD, graph.pod
    if _direct(graph):
        for step, turn in _strides(graph):
            yield f"along the dimension of stride {step:,}", nodes % turn // step
    if len(graph.low) <= _SMALL:
        random = np.random.default_rng(seed)
        for _ in range(random_halves):
            yield f"random, seed {seed}", random.permutation(graph.nodes)


def _direct(graph: Forwarding) -> bool:
    """Whether every node that has a link has endpoints: nothing stands between the halves."""
    ends = np.concatenate([graph.low, graph.high])
    return bool(np.all(graph.endpoints[ends] > 0))


def _strides(graph: Forwarding) -> list[tuple[int, int]]:
    """Stride of each dimension that the numbers may have, and the stride of the next one above.

    In a torus or HyperX numbered dimension after dimension neighbours of one dimension differ by
    its stride, which divides the number of nodes.
    """
    apart = np.unique(graph.high - graph.low)
    steps = [int(step) for step in apart if graph.nodes % step == 0]
    turns = [*steps, graph.nodes]
    pairs = [(step, turn) for step in steps for turn in turns if turn > step and not turn % step]
    sound = [(step, turn) for step, turn in pairs if _cuts_layers(graph, step, turn)]
    return sound[:_ORDERS]


def _cuts_layers(graph: Forwarding, step: int, turn: int) -> bool:
    """Whether the middle can be cut: layers are even, or links between them join equal places.

    Halving a layer lengthwise is sound only along a dimension; elsewhere it finds too little.
    """
    if turn // step % 2 == 0:
        return True
    low, high = graph.low % turn // step, graph.high % turn // step
    aside = graph.low - low * step != graph.high - high * step
    return not np.any((low != high) & aside)


def _between(graph: Forwarding, half: Counts, size: Counts) -> int:
    """Most that flows from the first half to the second, bundles being so wide; whole units."""
    cut = _merged(_contract(graph, half, size))
    direct = int(cut.capacity[(cut.low == _FIRST) & (cut.high == _SECOND)].sum())
    inner = (cut.high > _SECOND) | (cut.low > _SECOND)
    if not np.any(inner):
        return direct // 2
    return (
        direct + _max_flow(cut.nodes, cut.low[inner], cut.high[inner], cut.capacity[inner])
    ) // 2


def _gbps_between(graph: Forwarding, half: Counts, links: int) -> float:
    """The same in Gb/s; a flow of its own where links differ in speed."""
    speed = graph.gbps / graph.links
    if np.all(speed == speed[0]):
        return links * float(speed[0])
    unit = int(np.gcd.reduce(np.rint(graph.gbps * 1000).astype(np.int64))) / 1000
    return _between(graph, half, np.rint(graph.gbps / unit).astype(np.int64)) * unit


def _contract(graph: Forwarding, half: Counts, size: Counts) -> _Cut:
    """Each half as one node, bundles ``size`` wide; what only passes traffic on stays as it is."""
    relay = half == _RELAY
    number = np.where(relay, 1 + np.cumsum(relay), half)
    low, high = number[graph.low], number[graph.high]
    # What is in the middle stands in both halves; half of each of its links goes to either. A link
    # within the middle stays within each half.
    split_low, split_high = half[graph.low] == _MIDDLE, half[graph.high] == _MIDDLE
    split_low, split_high = split_low & ~split_high, split_high & ~split_low
    outside = (half[graph.low] != _MIDDLE) & (half[graph.high] != _MIDDLE)
    ends, capacity = [], []
    for a, b, chosen, share in (
        (low, high, outside, 2),
        (np.zeros_like(low), high, split_low, 1),
        (np.ones_like(low), high, split_low, 1),
        (low, np.zeros_like(low), split_high, 1),
        (low, np.ones_like(low), split_high, 1),
    ):
        ends.append(np.stack([np.minimum(a, b), np.maximum(a, b)])[:, chosen])
        capacity.append(share * size[chosen])
    both = np.concatenate(ends, axis=1)
    return _summed(2 + int(relay.sum()), both[0], both[1], np.concatenate(capacity))


def _summed(nodes: int, low: Counts, high: Counts, capacity: Counts) -> _Cut:
    """Bundles between the same two nodes as one; those within a node left out."""
    across = low != high
    pairs, bundle = np.unique(low[across] * nodes + high[across], return_inverse=True)
    total = np.bincount(bundle, capacity[across], minlength=len(pairs)).astype(np.int64)
    return _Cut(nodes, pairs // nodes, pairs % nodes, total)


def _merged(cut: _Cut) -> _Cut:
    """Nodes that see the same as one: an equitable partition by colour refinement.

    Spread evenly, a flow between classes is a flow between their nodes, and the other way round.
    """
    colour = np.minimum(np.arange(cut.nodes), _RELAY)
    around = neighbours(cut.nodes, cut.low, cut.high)
    linked = np.flatnonzero(np.diff(around.start))
    width = cut.capacity[around.bundle].astype(np.uint64)
    random = np.random.default_rng(1)
    while len(linked):
        colours = int(colour.max()) + 1
        key = random.integers(1, 2**63, size=(2, colours), dtype=np.uint64)
        sign = key[0][colour]
        sign[linked] += np.add.reduceat(key[1][colour[around.node]] * width, around.start[linked])
        # The halves keep colours of their own: whatever they see they are not merged.
        sign[: _SECOND + 1] = np.arange(_SECOND + 1, dtype=np.uint64)
        finer = np.unique(sign, return_inverse=True)[1]
        if int(finer.max()) + 1 == colours:
            break
        colour = finer
    low = np.minimum(colour[cut.low], colour[cut.high])
    high = np.maximum(colour[cut.low], colour[cut.high])
    return _summed(int(colour.max()) + 1, low, high, cut.capacity)


def _max_flow(nodes: int, low: Counts, high: Counts, capacity: Counts) -> int:
    """What node 0 can send to node 1, in units of the capacity; bundles carry both directions."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    both = (np.concatenate([low, high]), np.concatenate([high, low]))
    width: npt.NDArray[np.int32] = np.tile(capacity, 2).astype(np.int32)
    graph = csr_array((width, both), shape=(nodes, nodes))
    return int(maximum_flow(graph, _FIRST, _SECOND).flow_value)
