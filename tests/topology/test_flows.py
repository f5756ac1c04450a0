"""Loads and max-min fair rates against slow exact references, published tables and closed forms."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flow_cases import SMALL, broken, shuffled
from hypothesis import given, settings
from hypothesis import strategies as st
from small_fabrics import one_switch, two_tiers

from netdesign.errors import DesignError
from netdesign.network.congestion import (
    crossing_slowdown,
    ecmp_mean_efficiency,
    ecmp_slowest_efficiency,
)
from netdesign.topology.ecmp_seeds import ecmp_seeds
from netdesign.topology.families import build
from netdesign.topology.flows import (
    capacities,
    link_loads,
    max_min_rates,
    solved,
    wanted_rates,
)
from netdesign.topology.max_min import subflow_rates
from netdesign.topology.routing import POLICIES, Flows, Lost, Routes, routes
from netdesign.topology.spec import FabricSpec

LINE = 400e9 / 8
EVERY = pytest.mark.parametrize("name", SMALL)


def problem(rows, links) -> Routes:
    """Sub-flows given by {directed link: part}."""
    return Routes(
        flows=len(rows),
        links=links,
        flow=np.arange(len(rows)),
        share=np.ones(len(rows)),
        start=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        trunk=np.array([link for row in rows for link in row], dtype=np.int64),
        unreachable=np.zeros(len(rows), dtype=bool),
        weight=np.array([float(part) for row in rows for part in row.values()]),
    )


def filled(rows, capacity) -> list[Fraction]:
    """Progressive filling one bottleneck after the other, in fractions."""
    rates: dict[int, Fraction] = {}
    while len(rates) < len(rows):
        rising = [number for number in range(len(rows)) if number not in rates]
        shares = {}
        for link, size in enumerate(capacity):
            weight = sum((rows[f].get(link, Fraction(0)) for f in rising), Fraction(0))
            used = sum((rows[f].get(link, Fraction(0)) * r for f, r in rates.items()), Fraction(0))
            if weight:
                shares[link] = (size - used) / weight
        level = min(shares.values())
        full = {link for link, share in shares.items() if share == level}
        rates |= {f: level for f in rising if full & set(rows[f])}
    return [rates[number] for number in range(len(rows))]


PARTS = st.fractions(min_value=Fraction(1, 8), max_value=1, max_denominator=8)


@st.composite
def problems(draw):
    links = draw(st.integers(1, 4))
    row = st.dictionaries(st.integers(0, 2 * links - 1), PARTS, min_size=1, max_size=4)
    rows = draw(st.lists(row, min_size=1, max_size=9))
    capacity = draw(st.lists(st.integers(1, 20), min_size=2 * links, max_size=2 * links))
    return rows, capacity


@given(problems())
@settings(max_examples=400)
def test_rates_are_those_of_progressive_filling(case):
    rows, capacity = case
    found = subflow_rates(problem(rows, len(capacity) // 2), np.array(capacity, dtype=float))
    assert np.allclose(found, [float(rate) for rate in filled(rows, capacity)], rtol=1e-9)


@given(problems(), st.floats(0.01, 100))
def test_rates_scale_with_the_links(case, factor):
    rows, capacity = case
    routed = problem(rows, len(capacity) // 2)
    once = subflow_rates(routed, np.array(capacity, dtype=float))
    scaled = subflow_rates(routed, np.array(capacity) * factor)
    assert np.allclose(scaled, once * factor, rtol=1e-9)


@given(problems(), st.randoms(use_true_random=False))
def test_rates_do_not_depend_on_the_order_of_flows(case, dice):
    rows, capacity = case
    order = list(range(len(rows)))
    dice.shuffle(order)
    size = np.array(capacity, dtype=float)
    once = subflow_rates(problem(rows, len(capacity) // 2), size)
    again = subflow_rates(problem([rows[n] for n in order], len(capacity) // 2), size)
    assert np.allclose(again, once[order], rtol=1e-9)


@EVERY
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", [None, 8])
def test_every_flow_is_bound_by_a_full_link_where_none_has_more(name, policy, seed):
    fabric = SMALL[name]
    lost = None if seed is None else broken(fabric, seed)
    found = routes(fabric, shuffled(fabric, many=3), policy, lost=lost)
    capacity = capacities(fabric)
    rates = subflow_rates(found, capacity)
    crossing = np.diff(found.start) > 0
    assert np.all(np.isinf(rates[~crossing]))
    rows, trunk = found.subflow, found.trunk
    carried = np.bincount(trunk, rates[rows] * found.weights, minlength=found.trunks)
    room = found.of_trunks(capacity)
    assert np.all(carried <= room * (1 + 1e-9))
    most = np.zeros(found.trunks)
    np.maximum.at(most, trunk, rates[rows])
    binds = (carried[trunk] >= room[trunk] * (1 - 1e-9)) & (rates[rows] >= most[trunk] * (1 - 1e-9))
    bound = np.zeros(found.subflows, dtype=bool)
    np.logical_or.at(bound, rows, binds)
    assert np.all(bound[crossing])


@EVERY
@pytest.mark.parametrize("policy", POLICIES)
def test_what_enters_a_switch_leaves_it(name, policy):
    fabric = SMALL[name]
    flows = shuffled(fabric, many=2)
    found = routes(fabric, flows, policy, queue_pairs=3, lost=broken(fabric, 9))
    load = link_loads(found, flows.size)
    inward = np.bincount(fabric.b, load[0::2], minlength=fabric.devices)
    inward += np.bincount(fabric.a, load[1::2], minlength=fabric.devices)
    outward = np.bincount(fabric.a, load[0::2], minlength=fabric.devices)
    outward += np.bincount(fabric.b, load[1::2], minlength=fabric.devices)
    if name == "torus":
        met = ~found.unreachable
        inward += np.bincount(flows.source[met], minlength=fabric.hosts)
        outward += np.bincount(flows.target[met], minlength=fabric.hosts)
        assert np.allclose(inward, outward)
        return
    assert np.allclose(inward[fabric.hosts :], outward[fabric.hosts :])
    there = np.flatnonzero(~found.unreachable & (flows.source != flows.target))
    assert np.isclose(outward[: fabric.hosts].sum(), len(there))


def test_flows_to_one_endpoint_share_its_link():
    found = solved(one_switch(5), flows := Flows.of([0, 1, 2, 3], [4, 4, 4, 4], 1e9), routed(flows))
    assert np.allclose(found.rates, LINE / 4)
    assert found.mean_share == pytest.approx(1)
    assert found.time == pytest.approx(4e9 / LINE)
    assert found.utilisation.max() == pytest.approx(1)


def routed(flows: Flows) -> Routes:
    return routes(one_switch(5), flows, "ecmp")


def test_a_flow_to_itself_needs_no_time_and_one_without_a_way_never_ends():
    fabric = one_switch(5)
    flows = Flows.of([0, 1, 2], [0, 2, 3], 1e9)
    found = solved(fabric, flows, routes(fabric, flows, "ecmp", lost=Lost.of(fabric, links=[1])))
    assert found.rates.tolist() == [np.inf, 0, LINE]
    assert found.times.tolist() == [0, np.inf, 1e9 / LINE]
    assert (found.slowest_share, found.time) == (1, 1e9 / LINE)


@EVERY
def test_nobody_gets_more_than_the_hosts_links_allow_alone(name):
    fabric = SMALL[name]
    flows = shuffled(fabric)
    found = solved(fabric, flows, routes(fabric, flows, "adaptive"))
    assert found.slowest_share <= found.mean_share <= 1 + 1e-9


def test_a_non_blocking_fabric_with_adaptive_routing_gives_everybody_all():
    for name in ("two tiers", "three tiers", "rails", "split ports", "dual ToR"):
        flows = shuffled(SMALL[name], seed=4)
        found = solved(SMALL[name], flows, routes(SMALL[name], flows, "adaptive"))
        assert found.slowest_share == pytest.approx(1), name


def test_waiting_for_the_slowest_queue_pair_is_never_faster():
    fabric = SMALL["two tiers"]
    flows = shuffled(fabric)
    found = routes(fabric, flows, "ecmp", queue_pairs=4)
    capacity = capacities(fabric)
    each = subflow_rates(found, capacity).reshape(-1, 4)
    waiting = max_min_rates(found, capacity, coupled=True)
    assert np.allclose(waiting[found.flow[::4]], each.min(axis=1) * 4)
    assert np.allclose(max_min_rates(found, capacity)[found.flow[::4]], each.sum(axis=1))
    assert np.any(each.min(axis=1) * 4 < each.sum(axis=1) * 0.99)
    coupled = solved(fabric, flows, found, coupled=True)
    assert np.all(coupled.utilisation <= 1 + 1e-9)


def hashed(uplinks: int, flows_per_uplink: int):
    """All endpoints of one leaf send to another leaf: a link each, and 1 / q of its speed each."""
    many = uplinks * flows_per_uplink
    fabric = build(
        FabricSpec(
            "fat-tree",
            2 * uplinks * many,
            radix=2 * uplinks,
            tiers=2,
            endpoint_gbps=400.0 / flows_per_uplink,
        )
    )
    return ecmp_seeds(fabric, Flows.of(np.arange(many), many + np.arange(many)), 1500)


@pytest.mark.parametrize(
    ("uplinks", "flows_per_uplink", "slowest", "mean"),
    [
        (8, 1, 0.386, 0.660),
        (8, 4, 0.567, None),
        (8, 8, 0.655, None),
        (8, 16, 0.731, 0.908),
        (8, 32, 0.795, None),
        (16, 1, 0.325, 0.644),
        (16, 4, 0.508, None),
        (16, 8, 0.600, None),
        (16, 16, 0.681, 0.904),
        (32, 1, 0.282, 0.637),
        (32, 4, 0.461, None),
        (32, 8, 0.556, None),
        (64, 1, 0.253, 0.636),
        (64, 4, 0.426, None),
    ],
)
def test_flows_hashed_over_a_built_fabric_match_the_table(uplinks, flows_per_uplink, slowest, mean):
    found = hashed(uplinks, flows_per_uplink)
    assert found.slowest_efficiency == pytest.approx(slowest, abs=0.01)
    closed = float(ecmp_slowest_efficiency(uplinks, flows_per_uplink))
    assert found.slowest_efficiency == pytest.approx(closed, abs=0.015)
    assert mean is None or found.mean_efficiency == pytest.approx(mean, abs=0.01)
    closed = float(ecmp_mean_efficiency(uplinks, flows_per_uplink))
    assert found.mean_efficiency == pytest.approx(closed, abs=0.01)


def test_one_flow_per_uplink_gives_one_minus_one_over_e():
    found = hashed(64, 1)
    assert found.mean_efficiency == pytest.approx(1 - 1 / np.e, abs=0.01)
    assert found.quantile("mean", 0.05) < found.mean_efficiency < found.quantile("mean", 0.95)


@pytest.mark.parametrize("inside", [1, 2, 4, 8])
@pytest.mark.parametrize("uplinks", [1, 2, 4, 8])
def test_rings_that_leave_a_pod_slow_down_as_the_closed_form_says(inside, uplinks):
    """8 hosts a leaf; groups with so many members in each of 4 leaves, ordered by leaf."""
    fabric = two_tiers([[1] * uplinks] * 4, 8)
    member = np.arange(32).reshape(4, 8 // inside, inside)
    rings = np.moveaxis(member, 1, 0).reshape(8 // inside, 4 * inside)
    flows = Flows.of(rings.ravel(), np.roll(rings, -1, axis=1).ravel())
    found = solved(fabric, flows, routes(fabric, flows, "adaptive"))
    expected = crossing_slowdown(8 / uplinks, inside, 4 * inside, ordered=True)
    assert 1 / found.slowest_share == pytest.approx(float(expected))


@pytest.mark.parametrize("uplinks", [1, 2, 4, 8])
def test_an_all_to_all_over_a_taper_slows_down_as_the_closed_form_says(uplinks):
    fabric = two_tiers([[1] * uplinks] * 4, 8)
    source, target = np.nonzero(~np.eye(32, dtype=bool))
    flows = Flows.of(source, target)
    load = link_loads(routes(fabric, flows, "adaptive"), flows.size) / capacities(fabric)
    own = load[:64].max()
    expected = crossing_slowdown(8 / uplinks, 8, 32, ordered=False)
    assert load.max() / own == pytest.approx(float(expected))


def test_seeds_solved_together_are_those_solved_one_by_one():
    fabric = SMALL["three tiers"]
    flows = shuffled(fabric)
    flows = replace(flows, size=np.linspace(1e6, 2e6, len(flows)))
    lost = broken(fabric, 3)
    found = ecmp_seeds(fabric, flows, [5, 11, 2], queue_pairs=2, lost=lost)
    for place, seed in enumerate(found.seeds.tolist()):
        one = routes(fabric, flows, "ecmp", seed=seed, queue_pairs=2, lost=lost)
        alone = solved(fabric, flows, one, coupled=True)
        assert found.slowest[place] == pytest.approx(alone.slowest_share)
        assert found.mean[place] == pytest.approx(alone.mean_share)
        assert found.time[place] == pytest.approx(alone.time)
        busy = alone.load / capacities(fabric)
        assert found.hottest[place] == pytest.approx(busy.max())
        assert busy[found.hottest_link[place]] == pytest.approx(busy.max())
    assert found.hottest.max() <= found.time.max() * (1 + 1e-9)


def test_more_queue_pairs_even_the_hashing_out():
    fabric = SMALL["two tiers"]
    flows = shuffled(fabric)
    means = [ecmp_seeds(fabric, flows, 200, queue_pairs=n).mean_efficiency for n in (1, 4, 16)]
    assert means[0] < means[1] < means[2] < 1


def test_hosts_share_their_own_links_in_the_yardstick():
    flows = Flows.of([0, 0, 1, 2], [1, 2, 2, 2])
    assert (wanted_rates(one_switch(3), flows)[:3] / LINE).tolist() == [0.5, 0.5, 0.5]
    assert np.isinf(wanted_rates(one_switch(3), flows)[3])


def test_no_seed_is_said():
    with pytest.raises(DesignError, match="gives no seed"):
        ecmp_seeds(one_switch(3), Flows.of([0], [1]), [])


def test_a_scheduler_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DesignError, match="needs Dask, which is missing"):
        ecmp_seeds(one_switch(3), Flows.of([0], [1]), 4, scheduler="tcp://127.0.0.1:1")


def test_workers_of_a_real_cluster_give_the_same_distribution():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    fabric = SMALL["three tiers"]
    flows = shuffled(fabric)
    here = ecmp_seeds(fabric, flows, 200, queue_pairs=2)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        there = ecmp_seeds(fabric, flows, 200, queue_pairs=2, scheduler=cluster.scheduler_address)
    for name in ("seeds", "slowest", "mean", "time", "hottest", "hottest_link"):
        assert np.array_equal(getattr(here, name), getattr(there, name)), name
