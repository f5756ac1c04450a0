"""Routes over every family: they arrive, they are shortest, and each policy does what it says."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache

import networkx as nx
import numpy as np
import pytest
from flow_cases import (
    SMALL,
    broken,
    devices,
    endpoints,
    ends,
    graph_of,
    shifted,
    shuffled,
    ways,
)
from small_fabrics import joined, one_switch, rails, ring, three_tiers, torus, two_tiers

from netdesign.errors import DesignError
from netdesign.topology.adaptive import spread_routes
from netdesign.topology.flows import link_loads
from netdesign.topology.forwarding import link_gbps
from netdesign.topology.hop_walk import hashed_routes
from netdesign.topology.next_hops import alive_arcs, mixed
from netdesign.topology.routing import (
    POLICIES,
    Flows,
    Lost,
    endpoint_hosts,
    endpoint_links,
    endpoints_of_host,
    routes,
    walk_for,
)
from netdesign.topology.static_tables import static_routes

EVERY = pytest.mark.parametrize("name", SMALL)
ONE_WAY = ("ecmp", "static")


def test_endpoints_follow_hosts_and_their_slots():
    fabric = rails(units=2, servers=3, rails=4)
    assert endpoint_hosts(fabric).tolist() == np.repeat(np.arange(6), 4).tolist()
    assert endpoints_of_host(fabric, 2).tolist() == [8, 9, 10, 11]
    assert fabric.a_slot[endpoint_links(fabric)].tolist() == [0, 1, 2, 3] * 6
    with pytest.raises(DesignError, match="is no host"):
        endpoints_of_host(fabric, 6)


def test_a_host_that_forwards_is_an_endpoint():
    assert endpoint_links(ring(5)).tolist() == [-1] * 5
    assert endpoints_of_host(ring(5), 3).tolist() == [3]


@EVERY
@pytest.mark.parametrize("policy", ONE_WAY)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_every_way_is_a_shortest_one_over_what_is_left(name, policy, seed):
    fabric = SMALL[name]
    lost = Lost.nothing(fabric) if seed is None else broken(fabric, seed)
    flows = shuffled(fabric, many=2)
    found = routes(fabric, flows, policy, seed=7, lost=lost)
    graph, alive = graph_of(fabric, lost), lost.alive(fabric)
    host = endpoint_links(fabric)
    reached = set()
    for flow, way in zip(found.flow.tolist(), ways(found), strict=True):
        source, target = int(flows.source[flow]), int(flows.target[flow])
        assert alive[np.array(way, dtype=int) // 2].all()
        reached.add(flow)
        if source == target:
            assert way == []
            continue
        if host[source] >= 0:
            assert (way[0], way[-1]) == (2 * host[source], 2 * host[target] + 1)
            way = way[1:-1]
        here = devices(fabric, source)
        for step in way:
            assert ends(fabric, step)[0] == here
            here = ends(fabric, step)[1]
        assert here == devices(fabric, target)
        assert len(way) == nx.shortest_path_length(graph, devices(fabric, source), here)
    for flow in set(range(len(flows))) - reached:
        assert found.unreachable[flow]
        source, target = int(flows.source[flow]), int(flows.target[flow])
        own = host[[source, target]]
        joined_up = nx.has_path(graph, devices(fabric, source), devices(fabric, target))
        assert not joined_up or not alive[own[own >= 0]].all()
    assert set(np.flatnonzero(~found.unreachable)) == reached


@EVERY
@pytest.mark.parametrize("seed", [None, 3])
def test_colours_and_lists_change_no_route(name, seed):
    fabric = SMALL[name]
    lost = None if seed is None else broken(fabric, seed)
    flows = shuffled(fabric, many=3)
    plain = walk_for(fabric, flows, lost=lost, coarse=False, listed=False)
    quick = walk_for(fabric, flows, lost=lost, coarse=True, listed=True)
    seeds = np.array([0, 9])
    assert np.array_equal(hashed_routes(plain, seeds).trunk, hashed_routes(quick, seeds).trunk)
    laid = [static_routes(fabric, walk, flows).trunk for walk in (plain, quick)]
    assert np.array_equal(*laid)
    loads = [link_loads(spread_routes(walk), flows.size) for walk in (plain, quick)]
    assert np.allclose(*loads, rtol=1e-12, atol=1e-12)


def test_a_whole_fat_tree_has_a_colour_for_the_spines_of_a_pod_and_one_for_all_cores():
    assert len(set(alive_arcs(SMALL["three tiers"]).colour)) == 32 + 8 + 1
    assert len(set(alive_arcs(SMALL["three tiers"], coarse=False).colour)) == 80


def test_the_hash_is_splitmix64():
    first = mixed(np.zeros(1, dtype=np.uint64))[0]
    assert first == 0xE220A8397B1DCDAF


def test_golden_ways_of_a_seed():
    fabric = two_tiers([[1] * 4] * 2, 4)
    found = routes(fabric, Flows.of([0, 1, 2, 3], [4, 5, 6, 7]), "ecmp", seed=1)
    spines = [ends(fabric, way[1])[1] - 10 for way in ways(found)]
    assert spines == [3, 1, 1, 1]


def test_a_route_depends_on_its_own_flow_only():
    fabric = SMALL["three tiers"]
    flows = shuffled(fabric)
    whole = ways(routes(fabric, flows, "ecmp", seed=5, queue_pairs=2))
    some = np.arange(0, 128, 3)
    part = Flows.of(flows.source[some], flows.target[some])
    few = ways(routes(fabric, part, "ecmp", seed=5, queue_pairs=2))
    assert few[0::2] == [whole[2 * flow] for flow in some]
    assert few[1::2] == [whole[2 * flow + 1] for flow in some]


def test_parallel_links_are_choices_of_their_own():
    fabric = two_tiers([[3, 1], [1, 1]], 1)
    many = 4_000
    flows = Flows.of(np.zeros(many, dtype=int), np.ones(many, dtype=int))
    loads = link_loads(routes(fabric, flows, "ecmp"), flows.size)
    up = loads[0::2][(fabric.a == 2) & (fabric.b > 3)]
    assert up.sum() == many
    assert np.all(np.abs(up - many / 4) < 4 * np.sqrt(many * 3 / 16))


def test_tiers_do_not_repeat_each_others_choice():
    fabric = three_tiers()
    seeds = np.arange(400)
    found = hashed_routes(walk_for(fabric, Flows.of([0], [15])), seeds)
    links = 2 * fabric.links
    picked = [[step % links for step in way][1:3] for way in ways(found)]
    counts = np.unique(picked, axis=0, return_counts=True)[1]
    assert len(counts) == 4
    assert np.all(np.abs(counts - 100) < 4 * np.sqrt(400 * 3 / 16))


def test_queue_pairs_share_a_flow_and_hash_apart():
    fabric = two_tiers([[1] * 8] * 2, 2)
    found = routes(fabric, Flows.of([0, 1], [2, 3]), "ecmp", queue_pairs=16)
    assert found.flow.tolist() == [0] * 16 + [1] * 16
    assert np.bincount(found.flow, found.share).tolist() == [1, 1]
    assert len({way[1] for way in ways(found)[:16]}) > 4
    twins = routes(fabric, Flows.of([0] * 16, [2] * 16), "ecmp")
    assert len({way[1] for way in ways(twins)}) > 4


@EVERY
@pytest.mark.parametrize("seed", [None, 4, 5])
def test_static_tables_have_one_link_for_a_switch_and_a_destination(name, seed):
    fabric = SMALL[name]
    lost = None if seed is None else broken(fabric, seed)
    count = endpoints(fabric)
    pairs = np.indices((count, count)).reshape(2, -1)
    flows = Flows.of(*pairs)
    found = routes(fabric, flows, "static", lost=lost)
    tables = defaultdict(set)
    for flow, way in zip(found.flow.tolist(), ways(found), strict=True):
        for step in way[1:-1] if endpoint_links(fabric)[0] >= 0 else way:
            tables[ends(fabric, step)[0], int(flows.target[flow])].add(step)
    assert all(len(steps) == 1 for steps in tables.values())


@pytest.mark.parametrize(
    "fabric",
    [
        SMALL["three tiers"],
        SMALL["two tiers"],
        SMALL["split ports"],
        SMALL["parallel links"],
        SMALL["rails"],
        two_tiers([[2, 2]] * 3, 4),
    ],
    ids=["three tiers", "two tiers", "split ports", "parallel links", "rails", "by hand"],
)
def test_static_tables_send_every_shift_without_contention(fabric):
    """Zahavi 2012: d-mod-k routes any shift of a whole fat tree without contention."""
    speed = np.array([kind.gbps for kind in fabric.kinds])[fabric.kind] / fabric.kinds[0].gbps
    for by in range(1, endpoints(fabric)):
        loads = link_loads(routes(fabric, shifted(fabric, by), "static"), np.ones(fabric.endpoints))
        assert np.all(loads <= np.repeat(speed, 2))


def test_static_tables_after_a_loss_share_what_is_left():
    fabric = two_tiers([[1] * 4] * 4, 4)
    count = endpoints(fabric)
    everyone = Flows.of(*np.indices((count, count)).reshape(2, -1))
    lost = Lost.of(fabric, switches=[4])
    loads = link_loads(routes(fabric, everyone, "static", lost=lost), everyone.size)
    into_leaf = loads[1::2][(fabric.a >= fabric.hosts) & ~lost.links]
    # 4 endpoints over 3 spines, each hears from 12 others.
    assert sorted(into_leaf.reshape(4, 4)[0].tolist()) == [0, 12, 12, 24]


def test_torus_tables_go_in_dimension_order():
    fabric = SMALL["torus"]
    count = endpoints(fabric)
    found = routes(fabric, Flows.of(*np.indices((count, count)).reshape(2, -1)), "static")
    for way in ways(found):
        kinds = fabric.kind[np.array(way, dtype=int) // 2]
        assert np.all(np.diff(kinds) >= 0)


@EVERY
@pytest.mark.parametrize("seed", [None, 6])
def test_spread_flows_take_every_shortest_path_alike(name, seed):
    fabric = SMALL[name]
    lost = Lost.nothing(fabric) if seed is None else broken(fabric, seed)
    count = endpoints(fabric)
    source, target = 0, count - 1
    flows = Flows.of([source], [target], 3.0)
    found = routes(fabric, flows, "adaptive", lost=lost)
    expected = np.zeros(2 * fabric.links)
    if not found.unreachable[0]:
        own = endpoint_links(fabric)
        if own[source] >= 0:
            expected[[2 * own[source], 2 * own[target] + 1]] = 3.0
        for step, part in evenly(fabric, lost, source, target).items():
            expected[step] += 3.0 * float(part)
    assert np.allclose(link_loads(found, flows.size), expected, rtol=1e-12)


def evenly(fabric, lost, source, target) -> dict[int, Fraction]:
    """Parts of a flow on each directed link between switches, walked link by link."""
    graph = graph_of(fabric, lost)
    goal = devices(fabric, target)
    away = nx.single_source_shortest_path_length(graph, goal)
    leaving = defaultdict(list)
    for link in np.flatnonzero(lost.alive(fabric)):
        for step in (2 * int(link), 2 * int(link) + 1):
            tail, head = ends(fabric, step)
            if head in away and away.get(tail) == away[head] + 1:
                leaving[tail].append(step)
    speed = link_gbps(fabric)

    @cache
    def paths(node: int) -> Fraction:
        return Fraction(1) if node == goal else sum(map(weight, leaving[node]), Fraction(0))

    def weight(step: int) -> Fraction:
        return Fraction(speed[step // 2]) * paths(ends(fabric, step)[1])

    parts: dict[int, Fraction] = defaultdict(Fraction)
    here = {devices(fabric, source): Fraction(1)}
    while set(here) != {goal}:
        ahead: dict[int, Fraction] = defaultdict(Fraction)
        for node, part in here.items():
            for step in leaving[node]:
                given = part * weight(step) / paths(node)
                parts[step] += given
                ahead[ends(fabric, step)[1]] += given
        here = ahead
    return parts


@pytest.mark.parametrize("policy", POLICIES)
def test_what_cannot_be_reached_is_said(policy):
    fabric = two_tiers([[1, 1], [1, 1]], 2)
    flows = Flows.of([0, 1, 2, 0], [1, 2, 3, 3])
    lost = Lost.of(fabric, links=[4, 5])  # both uplinks of leaf 0
    assert fabric.a[[4, 5]].tolist() == [4, 4]
    found = routes(fabric, flows, policy, lost=lost)
    assert found.unreachable.tolist() == [False, True, False, True]
    assert set(found.flow.tolist()) == {0, 2}
    own = routes(fabric, flows, policy, lost=Lost.of(fabric, links=[0]))
    assert own.unreachable.tolist() == [True, False, False, True]


@pytest.mark.parametrize("policy", POLICIES)
def test_no_flows_have_no_routes(policy):
    found = routes(one_switch(3), Flows.of([], []), policy)
    assert (found.flows, found.subflows, len(found.trunk)) == (0, 0, 0)


@pytest.mark.parametrize("policy", POLICIES)
def test_rings_split_in_both_directions_only_where_both_are_shortest(policy):
    loads = link_loads(routes(ring(4), Flows.of([0], [1]), policy), np.ones(1))
    assert np.count_nonzero(loads) == 1
    half = link_loads(routes(torus(4), Flows.of([0], [2]), policy), np.ones(1))
    assert np.count_nonzero(half) == (4 if policy == "adaptive" else 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"policy": "magic"}, "policy: 'magic' is not known"),
        ({"queue_pairs": 0}, "queue_pairs: 0 cannot be opened"),
        ({"flows": Flows.of([0], [9])}, "target: 9 is no endpoint; give 0 to 2"),
        ({"flows": Flows.of([-1], [0])}, "source: -1 is no endpoint"),
    ],
)
def test_wrong_input_is_said(options, said):
    given = {"flows": Flows.of([0], [1]), "policy": "ecmp"} | options
    with pytest.raises(DesignError, match=said.replace("(", r"\(")):
        routes(one_switch(3), **given)


@pytest.mark.parametrize(
    ("source", "target", "size", "said"),
    [
        ([0], [1, 2], 1.0, "give 1"),
        ([0.5], [1], 1.0, "no list of whole numbers"),
        ([0, 1], [1, 2], [1.0], "give one or 2"),
        ([0], [1], -1.0, "no size"),
        ([0], [1], float("nan"), "no size"),
    ],
)
def test_flows_that_are_none_are_said(source, target, size, said):
    with pytest.raises(DesignError, match=said):
        Flows.of(source, target, size)


def test_joined_switches_use_the_direct_link():
    fabric = joined(1, 3, [(0, 1), (1, 2), (0, 2)])
    assert [len(way) for way in ways(routes(fabric, Flows.of([0, 0], [1, 2]), "ecmp"))] == [3, 3]
