"""Metrics of fabrics that are wired by hand, against brute force and by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_fabrics import (
    joined,
    one_switch,
    rails_apart,
    small_dragonfly,
    three_tiers,
    torus,
    two_tiers,
    wired,
)

from netdesign.errors import DesignError
from netdesign.topology.bisection import bisection, graph_bisection, halves
from netdesign.topology.built import Fabric
from netdesign.topology.distances import distances, path_count, path_counts
from netdesign.topology.forwarding import Forwarding, components, forwarding
from netdesign.topology.metrics import (
    endpoint_parts,
    links_by_tier,
    oversubscription_by_leaf,
    ports_by_tier,
    switches_by_tier,
)
from netdesign.topology.resilience import WeakPoint, resilience

PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=14).map(
    lambda pairs: [(a, b) for a, b in pairs if a != b]
)
PARALLEL = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=5)


def hops_of(graph: Forwarding) -> np.ndarray:
    """All distances after Floyd and Warshall; infinite where there is no way."""
    far = np.full((graph.nodes, graph.nodes), np.inf)
    far[graph.low, graph.high] = far[graph.high, graph.low] = 1
    np.fill_diagonal(far, 0)
    for middle in range(graph.nodes):
        far = np.minimum(far, far[:, [middle]] + far[[middle], :])
    return far


def least_cut(graph: Forwarding, half: np.ndarray) -> int:
    """Of all ways to give the switches in between to a half, the fewest links that cross."""
    free = np.flatnonzero(half == 2)
    crossing = []
    for side in product((0, 1), repeat=len(free)):
        given = half.copy()
        given[free] = side
        crossing.append(int(graph.links[given[graph.low] != given[graph.high]].sum()))
    return min(crossing)


def losses(fabric: Fabric) -> set[tuple[str, bool, int, int, int]]:
    """What the loss of each switch and each link costs, by taking it away."""
    graph = forwarding(fabric)
    before = components(graph)
    ends = fabric.b if graph.first else fabric.a
    found = set()

    def lost(kept: np.ndarray, name: str, is_link: bool, gone: int = -1) -> None:
        parent = list(range(fabric.devices))

        def root(device: int) -> int:
            while parent[device] != device:
                device = parent[device]
            return device

        for link in np.flatnonzero(kept):
            if fabric.a[link] >= graph.first:
                parent[root(int(fabric.a[link]))] = root(int(fabric.b[link]))
        alive: dict[int, int] = {}
        for link in np.flatnonzero(kept & (fabric.a < fabric.hosts)):
            alive[root(int(ends[link]))] = alive.get(root(int(ends[link])), 0) + 1
        best: dict[int, int] = {}
        for device in range(graph.first, fabric.devices):
            part, piece = int(before[device - graph.first]), root(device)
            if alive.get(piece, 0) > alive.get(best.get(part, -1), 0):
                best[part] = piece
        keeps = set(best.values())
        total = np.bincount(fabric.a[fabric.a < fabric.hosts], minlength=fabric.hosts)
        good = np.zeros(fabric.hosts, dtype=int)
        for link in np.flatnonzero(kept & (fabric.a < fabric.hosts)):
            good[fabric.a[link]] += root(int(ends[link])) in keeps
        bad = total - good
        cost = (int(np.sum((bad > 0) & (good == 0))), int(np.sum((bad > 0) & (good > 0))))
        if bad.sum():
            found.add((name, is_link, *cost, int(bad.sum())))

    for switch in range(fabric.switches):
        device = fabric.hosts + switch
        name = fabric.tier_names[fabric.tier[switch]]
        lost((fabric.a != device) & (fabric.b != device), name, False)
    for link in range(fabric.links):
        lost(np.arange(fabric.links) != link, fabric.kinds[fabric.kind[link]].name, True)
    return found


def classes(points: tuple[WeakPoint, ...]) -> set[tuple[str, bool, int, int, int]]:
    return {
        (p.name, p.is_link, p.hosts_cut_off, p.hosts_degraded, p.endpoints_lost) for p in points
    }


# Tiers, ports and leaves.
def test_links_switches_and_ports_by_tier() -> None:
    fabric = two_tiers([[2, 1], [1, 1]], 3, spare_ports=1)
    assert links_by_tier(fabric) == {"host": 6, "leaf_spine": 5}
    assert switches_by_tier(fabric) == {"leaf": 2, "spine": 2}
    leaf, spine = ports_by_tier(fabric).values()
    assert (leaf.switches, leaf.ports, leaf.used, leaf.spare, leaf.stranded) == (2, 16, 11, 2, 3)
    assert (spine.used, spine.stranded) == (5, 9)


def test_oversubscription_of_every_leaf() -> None:
    load = oversubscription_by_leaf(two_tiers([[2, 2], [1, 1], [1, 0]], 3))
    assert load.switch.tolist() == [0, 1, 2]
    assert load.down_links.tolist() == [3, 3, 3]
    assert load.up_links.tolist() == [4, 2, 1]
    assert load.up_gbps.tolist() == [1600, 800, 400]
    assert load.down_gbps.tolist() == [1200] * 3
    assert load.oversubscription.tolist() == [1, 1.5, 3]
    assert (load.worst, load.typical) == (3, 1.5)


def test_a_leaf_with_slow_hosts_counts_bandwidth() -> None:
    # 4 hosts at 200 Gb/s on two split ports, one uplink of 400 Gb/s.
    fabric = wired(
        4,
        [("leaf", 1), ("spine", 1)],
        [("host", 200.0, [(host, 4) for host in range(4)]), ("leaf_spine", 400.0, [(4, 5)])],
        breakout=2,
        slots=(1, 2),
    )
    assert oversubscription_by_leaf(fabric).worst == 2


def test_parts_are_rails_or_the_whole() -> None:
    apart = endpoint_parts(rails_apart(4, 3))
    assert apart.endpoints.tolist() == apart.hosts.tolist() == [4, 4, 4]
    assert apart.switches.tolist() == [1, 1, 1]
    whole = endpoint_parts(three_tiers())
    assert (whole.endpoints.tolist(), whole.switches.tolist()) == ([16], [20])
    nodes = endpoint_parts(torus(3, 3))
    assert (nodes.endpoints.tolist(), nodes.switches.tolist()) == ([9], [0])


# Distances.
def test_hops_of_the_small_fat_tree() -> None:
    # Of 15 others 1 is on the same leaf, 2 in the pod, 12 beyond.
    far = distances(three_tiers())
    assert far.diameter == 4
    assert far.share == pytest.approx((1 / 15, 0, 2 / 15, 0, 12 / 15))
    assert far.mean_hops == pytest.approx((2 * 2 + 12 * 4) / 15)
    assert far.exact
    assert far.note == "from every leaf"


def test_a_sample_says_so_and_covers_every_part() -> None:
    far = distances(three_tiers(), sources=2)
    assert (far.sources, far.leaves, far.exact) == (2, 8, False)
    assert far.note == "from 2 of 8 leaves, evenly spaced"
    assert far.mean_hops == pytest.approx(distances(three_tiers()).mean_hops)
    assert distances(rails_apart(4, 3), sources=1).sources == 3


@settings(max_examples=100, deadline=None)
@given(PAIRS, st.integers(1, 3))
def test_distances_are_those_of_floyd_and_warshall(pairs, hosts) -> None:
    fabric = joined(hosts, 8, pairs)
    far = hops_of(forwarding(fabric))
    reached = far[np.isfinite(far)]
    found = distances(fabric)
    assert found.diameter == reached.max() if hosts > 1 or pairs else found.diameter == 0
    met = np.isfinite(far)
    pairs_met = hosts * hosts * met.sum() - 8 * hosts
    expected = hosts * hosts * far[met].sum() / pairs_met if pairs_met else 0
    assert found.mean_hops == pytest.approx(expected)


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_parts_are_the_nodes_that_reach_each_other(pairs) -> None:
    graph = forwarding(joined(1, 8, pairs))
    part = components(graph)
    assert np.array_equal(np.isfinite(hops_of(graph)), part[:, None] == part[None, :])


# Paths.
def test_paths_of_small_fabrics() -> None:
    assert path_count(three_tiers(), 0, 1) == 1  # on the same leaf
    assert path_count(three_tiers(), 0, 2) == 2  # over either spine of the pod
    assert path_count(three_tiers(), 0, 15) == 4  # over any core
    counts = path_counts(three_tiers())
    assert (counts.least, counts.median, counts.most) == (2, 4, 4)
    assert path_count(rails_apart(4, 3), 0, 1) == 3  # one on each rail
    assert path_count(torus(4, 4), 0, 5) == 2
    assert path_count(torus(4, 4), 0, 10) == 24
    assert path_counts(one_switch(4)).most == 0


def test_hosts_that_never_meet_have_no_path() -> None:
    assert path_count(joined(1, 2, []), 0, 1) == 0


@pytest.mark.parametrize(("a", "b"), [(0, 0), (-1, 0), (0, 16)])
def test_paths_need_two_hosts(a: int, b: int) -> None:
    with pytest.raises(DesignError):
        path_count(three_tiers(), a, b)


@settings(max_examples=100, deadline=None)
@given(PARALLEL)
def test_two_tiers_have_a_path_for_each_pair_of_links_to_a_spine(parallel) -> None:
    fabric = two_tiers(parallel, 1, ports=16)
    links = np.array(parallel)
    direct = int(links[0] @ links[1])
    if direct:
        assert path_count(fabric, 0, 1) == direct
    assert path_count(fabric, 0, 1) == path_count(fabric, 1, 0)
    assert (path_count(fabric, 0, 1) > 0) == np.isfinite(hops_of(forwarding(fabric))[0, 1])


# Bisection.
def test_bisections_by_hand() -> None:
    tree = bisection(three_tiers())
    assert (tree.links, tree.gbps, tree.method) == (8, 3200, "max-flow")
    # A 4:1 taper: 2 leaves with one uplink each.
    assert bisection(two_tiers([[1], [1]], 4)).links == 1
    # The spines that see one half only carry nothing across.
    assert bisection(two_tiers([[4, 0], [0, 4]], 4)).links == 0
    # A full mesh of 4 switches: 2 x 2 links.
    mesh = bisection(joined(1, 4, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]))
    assert (mesh.links, mesh.method) == (4, "crossing links")


def test_random_halves_find_less_where_the_order_misleads() -> None:
    # Two full meshes of 4 switches and a link between them; no numbering of a grid tells them.
    meshes = ((0, 3, 5, 6), (1, 2, 4, 7))
    pairs = [(a, b) for mesh in meshes for a in mesh for b in mesh if a < b] + [(0, 1)]
    fabric = joined(1, 8, pairs)
    assert bisection(fabric, random_halves=0).links > 1
    found = bisection(fabric, random_halves=300, seed=1)
    assert (found.links, found.halves) == (1, "random, seed 1")
    assert found == bisection(fabric, random_halves=300, seed=1)


def test_bandwidth_of_links_of_different_speed() -> None:
    # Two leaves, a spine at 400 and one at 100 Gb/s.
    hosts = [(0, 2), (1, 3)]
    fabric = wired(
        2,
        [("leaf", 2), ("spine", 2)],
        [
            ("host", 400.0, hosts),
            ("fast", 400.0, [(2, 4), (3, 4)]),
            ("slow", 100.0, [(2, 5), (3, 5)]),
        ],
    )
    found = bisection(fabric)
    assert (found.links, found.gbps) == (2, 500)


@settings(max_examples=150, deadline=None)
@given(PARALLEL, st.integers(1, 3))
def test_the_flow_is_the_least_cut(parallel, hosts) -> None:
    """Max-flow is min-cut, and merging switches that are alike leaves it as it is."""
    graph = forwarding(two_tiers(parallel, hosts, ports=16))
    part = components(graph)
    half = halves(graph, part, np.arange(graph.nodes))
    found = graph_bisection(graph).links
    assert found <= graph.links.sum()
    if not np.any(half == 3):
        assert found == least_cut(graph, half)
    links = np.array(parallel)
    if len(np.unique(part)) == 1 and len(links) % 2 == 0:
        upper, lower = np.split(links, 2)
        assert found >= np.minimum(upper.sum(axis=0), lower.sum(axis=0)).sum()


@settings(max_examples=100, deadline=None)
@given(PAIRS, PAIRS)
def test_the_flow_is_the_least_cut_of_any_graph(local, across) -> None:
    # 4 leaves with a host each; 4 relays among themselves and with the leaves.
    leaves, relays = 4, 8
    low = [(leaves + a % 4, relays + b % 4) for a, b in across]
    high = [(relays + a % 4, relays + b % 4) for a, b in local if a % 4 != b % 4]
    fabric = wired(
        leaves,
        [("leaf", 4), ("relay", 4)],
        [
            ("host", 400.0, [(host, leaves + host) for host in range(4)]),
            ("up", 400.0, low),
            ("side", 400.0, high),
        ],
        ports=64,
    )
    graph = forwarding(fabric)
    half = halves(graph, components(graph), np.arange(graph.nodes))
    if not np.any(half == 3):
        assert graph_bisection(graph).links == least_cut(graph, half)


# What breaks.
def test_a_leaf_takes_its_hosts_and_a_spine_takes_nobody() -> None:
    found = resilience(two_tiers([[2, 2], [2, 2]], 4))
    assert found.points == (
        WeakPoint("leaf", False, 2, hosts_cut_off=4, hosts_degraded=0, endpoints_lost=4),
        WeakPoint("host", True, 8, hosts_cut_off=1, hosts_degraded=0, endpoints_lost=1),
    )
    assert not found.survives_any_one_switch
    assert not found.survives_any_one_link


def test_the_only_spine_takes_all_but_one_leaf() -> None:
    points = resilience(two_tiers([[1], [1], [2]], 2)).single_points_of_failure
    assert points[0] == WeakPoint("spine", False, 1, 4, 0, 4)
    # The leaf with two uplinks does not hang on one of them.
    assert WeakPoint("leaf_spine", True, 2, 2, 0, 2) in points
    assert sum(point.count for point in points if point.name == "leaf_spine") == 2


def test_hosts_on_several_rails_are_only_degraded() -> None:
    found = resilience(rails_apart(4, 3))
    assert found.survives_any_one_switch
    assert found.survives_any_one_link
    assert found.single_points_of_failure == ()
    assert found.points[0] == WeakPoint("leaf", False, 3, 0, 4, 4)


def test_a_host_with_two_ports_on_two_leaves_survives() -> None:
    down = [(host, leaf) for host in range(3) for leaf in (3, 4)]
    fabric = wired(
        3,
        [("leaf", 2), ("spine", 1)],
        [("host", 400.0, down), ("leaf_spine", 400.0, [(3, 5), (4, 5)])],
        host_ports=2,
    )
    found = resilience(fabric)
    assert found.survives_any_one_switch
    assert found.survives_any_one_link


def test_nodes_of_a_torus_can_fail_and_those_of_a_chain_cannot() -> None:
    assert resilience(torus(3, 3)).points == ()
    chain = wired(4, [], [("neighbour", 400.0, [(0, 1), (1, 2), (2, 3)])])
    found = resilience(chain)
    # An inner node leaves one neighbour of its shorter side alone; the middle link two nodes.
    assert WeakPoint("host", False, 2, 1, 0, 1) in found.points
    assert WeakPoint("neighbour", True, 1, 2, 0, 2) in found.points
    assert WeakPoint("neighbour", True, 2, 1, 0, 1) in found.points


@settings(max_examples=150, deadline=None)
@given(PAIRS, st.integers(1, 2))
def test_losses_are_those_of_taking_each_away(pairs, hosts) -> None:
    fabric = joined(hosts, 8, pairs)
    assert classes(resilience(fabric).points) == losses(fabric)


@settings(max_examples=100, deadline=None)
@given(PARALLEL, st.integers(1, 3))
def test_losses_in_two_tiers(parallel, hosts) -> None:
    fabric = two_tiers(parallel, hosts, ports=16)
    assert classes(resilience(fabric).points) == losses(fabric)


@pytest.mark.parametrize(
    "fabric", [small_dragonfly(), three_tiers(), rails_apart(5, 2), one_switch(3)]
)
def test_losses_of_known_fabrics(fabric: Fabric) -> None:
    assert classes(resilience(fabric).points) == losses(fabric)
