"""The built fabric against the closed forms: even tapers exactly, hashing within the seeds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.congestion import phase
from netdesign.congestion.closed import balls_in_bins, hashed_slowdown, wiring_slowdown
from netdesign.congestion.meeting import met
from netdesign.congestion.phase import routed
from netdesign.network.congestion import crossing_slowdown, ecmp_slowest_efficiency
from netdesign.topology.clos_request import resolve
from netdesign.topology.families import build
from netdesign.topology.flows import link_loads
from netdesign.topology.placement import hosts_in_order, seats
from netdesign.topology.routing import Flows, Lost, endpoint_links, routes
from netdesign.topology.spec import FabricSpec
from netdesign.workload.patterns import Sending, shape_flows


def tapered(taper, up, pods, *, family="fat-tree", gpus=1):
    """Leaves of taper x up endpoints below up uplinks; a pod is a leaf, or a leaf a rail."""
    rails = gpus if family == "rail-optimised" else 1
    spec = FabricSpec(
        family,
        endpoints=taper * up * pods * rails,
        radix=(taper + 1) * up,
        tiers=2,
        oversubscription=taper,
        gpus_per_server=gpus,
    )
    return build(spec)


def evenly_wired(fabric):
    """Whether every leaf has the same number of links to every spine."""
    between = fabric.a >= fabric.hosts
    leaf, spine = fabric.a[between].astype(np.int64), fabric.b[between].astype(np.int64)
    _, count = np.unique(leaf * fabric.devices + spine, return_counts=True)
    leaves, spines = (np.count_nonzero(fabric.tier == tier) for tier in (0, 1))
    return len(count) == leaves * spines and len(set(count.tolist())) == 1


def groups_of(ranks, stride):
    """Groups of evenly spaced ranks that reach over the whole job."""
    return np.arange(ranks).reshape(-1, stride).T


def slowdowns(fabric, stride, *, domain_gpus=1, placement="packed", seed=0, order="rank"):
    """Of the ring and of the all-to-all of all groups at once, adaptive."""
    ranks = fabric.hosts * fabric.gpus_per_host
    hosts = hosts_in_order(fabric.hosts, fabric.hosts, placement, seed=seed, piece_hosts=2)
    found = seats(fabric, hosts, ranks, domain_gpus=domain_gpus)
    sending = Sending(order=order)
    return tuple(
        phase(
            fabric,
            shape_flows(shape, groups_of(ranks, stride), found, sending=sending),
            "adaptive",
            fair=False,
        ).slowdown
        for shape in ("ring", "exchange")
    )


@settings(deadline=None, max_examples=60)
@given(
    taper=st.sampled_from([1, 2, 3, 4, 7]),
    up=st.sampled_from([4, 6, 8, 12]),
    pods=st.integers(2, 4),
    part=st.integers(0, 7),
)
def test_even_tapers_slow_rings_and_all_to_alls_as_the_closed_form_says(taper, up, pods, part):
    fabric = tapered(taper, up, pods)
    in_pod = taper * up
    divisors = [n for n in range(1, in_pod + 1) if in_pod % n == 0]
    inside = divisors[part % len(divisors)]
    ranks = inside * pods
    ring, exchange = slowdowns(fabric, in_pod // inside)
    assert ring == pytest.approx(crossing_slowdown(taper, inside, ranks, ordered=True))
    assert exchange == pytest.approx(crossing_slowdown(taper, inside, ranks, ordered=False))


@pytest.mark.parametrize(
    ("radix", "leaves", "even", "ring", "exchange"),
    [
        (64, 24, False, 13 / 11, 1.1153),  # 13 uplinks over 5 spines
        (40, 30, False, 8 / 6, 1.2299),
        (20, 11, False, 4 / 3, 1.2667),  # 4 over 3: two leaves share 3
        (64, 24, None, 1.0, 1.0),  # 7 spines
        (64, 21, False, 1.0, 1.0),  # 5 spines with ports for leaves that are wired alike
    ],
)
def test_uneven_wiring_slows_down_as_the_closed_form_says(radix, leaves, even, ring, exchange):
    """One member of each group below every leaf, so that all they send leaves it."""
    down = radix * 4 // 5
    spec = FabricSpec(
        "fat-tree",
        endpoints=down * leaves,
        radix=radix,
        tiers=2,
        oversubscription=4,
        gpus_per_server=1,
        spread_evenly=even,
    )
    shape, taper = resolve(spec).shape, down / (radix - down)
    added = [wiring_slowdown(shape, ordered=ordered) for ordered in (True, False)]
    found = slowdowns(build(spec), down)
    for form, slow, ordered in zip(added, found, (True, False), strict=True):
        assert slow == pytest.approx(
            crossing_slowdown(taper * form, 1, leaves, ordered=ordered), rel=1e-9
        )
    assert added == pytest.approx([ring, exchange], abs=1e-4)


@pytest.mark.parametrize(("units", "taper"), [(3, 4), (6, 4), (7, 5)])
def test_uneven_wiring_below_rails_slows_down_as_the_closed_form_says(units, taper):
    """One server of each group in every unit: its eight ports go to eight leaves."""
    down = 64 * taper // (taper + 1)
    spec = FabricSpec(
        "rail-optimised",
        endpoints=8 * down * units,
        radix=64,
        tiers=2,
        oversubscription=taper,
        gpus_per_server=8,
        spread_evenly=False,
    )
    shape, fabric = resolve(spec).shape, build(spec)
    found = slowdowns(fabric, 8 * down, domain_gpus=8)
    for slow, ordered in zip(found, (True, False), strict=True):
        added = wiring_slowdown(shape, ordered=ordered)
        form = crossing_slowdown(down / (64 - down) * added, 1, units, ordered=ordered)
        assert slow == pytest.approx(float(form), rel=1e-9)
        assert added > 1


@pytest.mark.parametrize("taper", [1, 2, 4])
@pytest.mark.parametrize(
    ("family", "stride"),
    [
        *(("fat-tree", stride) for stride in (1, 2, 4, 8, 16)),
        *(("rail-optimised", stride) for stride in (1, 2, 4, 8, 16, 32)),
    ],
)
def test_the_same_with_servers_of_eight_gpus(family, taper, stride):
    """Domains take the place of ranks: members of one server enter and leave it once."""
    up, pods = (16, 2) if family == "fat-tree" else (12, 2)
    fabric = tapered(taper, up, pods, family=family, gpus=8)
    assert evenly_wired(fabric)
    pod = fabric.hosts * 8 // pods
    inside = pod // max(stride, 8)
    domains = inside * pods
    ring, exchange = slowdowns(fabric, stride, domain_gpus=8)
    assert ring == pytest.approx(crossing_slowdown(taper, inside, domains, ordered=True))
    assert exchange == pytest.approx(crossing_slowdown(taper, inside, domains, ordered=False))


def test_meta_s_one_to_seven_with_24_members_in_the_pod_costs_nothing():
    """Pods of 168, uplinks 24: k = 168 / 7 = 24 members of each group, as 3,072 / (8 x 16)."""
    fabric = tapered(7, 24, 5)
    ring, exchange = slowdowns(fabric, 7)
    assert ring == pytest.approx(1.0)
    assert crossing_slowdown(7, 24, 128, ordered=True) == 1.0
    assert crossing_slowdown(7, 3_072 // (8 * 16), 16_384 // 128, ordered=True) == 1.0
    # The same fabric with 3 members of a group in the pod, and an all-to-all, do pay.
    few, _ = slowdowns(fabric, 56)
    assert few == pytest.approx(7 / 3)
    assert exchange == pytest.approx(7 * 96 / 119)


def test_a_4_to_1_taper_gives_between_25_and_100_percent_and_the_links_show_why():
    fabric = tapered(4, 8, 4)
    up = fabric.a >= fabric.hosts
    shares = {}
    for placement in ("packed", "fragmented", "random"):
        ranks = fabric.hosts
        hosts = hosts_in_order(ranks, ranks, placement, seed=5, piece_hosts=24)
        flows = shape_flows("ring", groups_of(ranks, 8), seats(fabric, hosts, ranks, domain_gpus=1))
        found = phase(fabric, flows, "adaptive")
        shares[placement] = 1 / found.slowdown
        assert found.load.max() == pytest.approx(1.0)
        if placement == "packed":
            assert found.load[~up].max() == pytest.approx(1.0)
        else:
            assert found.load[up].max() == pytest.approx(1.0)
            assert found.load[~up].max() == pytest.approx(1 / found.slowdown)
    assert shares["packed"] == pytest.approx(1.0)
    assert 0.25 <= shares["random"] < shares["fragmented"] < 1.0


def test_a_placement_blind_exchange_over_4_to_1_keeps_a_quarter():
    """HammingMesh: a 75 % tapered fat tree keeps 25.7 % of the global bandwidth."""
    fabric = tapered(4, 8, 40)
    assert evenly_wired(fabric)
    _, apart = slowdowns(fabric, 32)
    assert 1 / apart == pytest.approx(0.25)
    _, whole = slowdowns(fabric, 8)
    assert 1 / whole == pytest.approx(0.257, abs=0.003)


def test_a_ring_by_pod_mends_what_a_ring_by_rank_loses():
    fabric = tapered(4, 8, 4)
    for seed in range(3):
        by_rank, _ = slowdowns(fabric, 4, placement="random", seed=seed)
        by_pod, _ = slowdowns(fabric, 4, placement="random", seed=seed, order="pod")
        assert by_pod < by_rank


@pytest.mark.parametrize(("uplinks", "pairs"), [(8, 1), (8, 4), (16, 1), (16, 4), (32, 2)])
def test_hashing_is_balls_in_bins(uplinks, pairs):
    """Two full leaves, every flow across: each leaf's uplinks are bins, its sub-flows the balls."""
    fabric = build(
        FabricSpec("fat-tree", endpoints=2 * uplinks, radix=2 * uplinks, tiers=2, gpus_per_server=1)
    )
    port = np.arange(2 * uplinks)
    flows = Flows.of(port, (port + uplinks) % (2 * uplinks))
    own = np.flatnonzero(fabric.a == fabric.hosts)
    fullest, slow, closed = [], [], 0.0
    for seed in range(120):
        way = routes(fabric, flows, "ecmp", seed=seed, queue_pairs=pairs)
        fullest.append(link_loads(way, flows.size)[2 * own].max())
        found = routed(fabric, flows, way)
        slow.append(found.slowdown)
        closed = hashed_slowdown(balls_in_bins(fabric, way, flows.size), found.host_time_s)
        assert found.slowest_share == pytest.approx(1 / found.slowdown)
    error = np.std(fullest) / np.sqrt(len(fullest))
    expected = 1 / ecmp_slowest_efficiency(uplinks, pairs)
    assert np.mean(fullest) == pytest.approx(expected, abs=4 * error + 0.01)
    low, high = np.quantile(slow, [0.1, 0.9])
    assert low - 1e-9 <= closed <= high + 0.05


def test_more_queue_pairs_even_out():
    fabric = tapered(1, 16, 8)
    port = np.arange(fabric.hosts)
    flows = Flows.of(port, (port + 16) % fabric.hosts)
    means = [
        np.mean(
            [
                phase(fabric, flows, "ecmp", seed=seed, queue_pairs=pairs).slowdown
                for seed in range(20)
            ]
        )
        for pairs in (1, 4, 16)
    ]
    assert means[0] > means[1] > means[2] > 1.0
    assert phase(fabric, flows, "adaptive").slowdown == pytest.approx(1.0)


def test_a_phase_whose_flows_have_no_way_never_ends():
    fabric = tapered(1, 4, 2)
    port = np.arange(8)
    flows = Flows.of(port, (port + 4) % 8)
    leaf = Lost.of(fabric, switches=[0])
    found = phase(fabric, flows, "adaptive", lost=leaf)
    assert found.unreachable == 8
    assert found.slowdown == float("inf")
    spine = Lost.of(fabric, switches=[int(np.flatnonzero(fabric.tier == 1)[0])])
    if np.count_nonzero(fabric.tier == 1) > 1:
        assert phase(fabric, flows, "adaptive", lost=spine).slowdown > 1


def test_the_busier_direction_counts_at_the_ports_and_on_the_links():
    """Three ports of one leaf write to one port of the other: a third of the rate for each."""
    fabric = tapered(1, 4, 2)
    flows = Flows.of([0, 1, 2], [4, 4, 4], 50e9)
    found = phase(fabric, flows, "adaptive")
    assert found.host_time_s == pytest.approx(3.0)
    assert found.time_s == pytest.approx(3.0)
    assert found.slowest_share == pytest.approx(1.0)
    ports = endpoint_links(fabric)
    assert found.load[ports].tolist() == pytest.approx([1 / 3] * 3 + [0, 1, 0, 0, 0])
    back = phase(fabric, Flows.of([4, 4, 4], [0, 1, 2], 50e9), "adaptive")
    assert back.host_time_s == pytest.approx(3.0)
    assert np.allclose(found.load, back.load)


def test_who_meets_whom_is_kept_apart():
    """Job one sends one flow from a port, job two sends two from the same port."""
    fabric = tapered(1, 4, 2)
    scene = SimpleNamespace(fabric=fabric, policy="adaptive", queue_pairs=1)
    first = ("one", Flows.of([0], [4], 50e9))
    second = ("two", Flows.of([0, 0], [5, 6], 100e9))
    one, two = met(scene, 0, first, second)
    assert (one.own, one.other, two.own, two.other) == ("one", "two", "two", "one")
    assert (one.alone_s, one.together_s) == pytest.approx((1.0, 3.0))
    assert (two.alone_s, two.together_s) == pytest.approx((4.0, 6.0))
    assert one.slowdown == pytest.approx(3.0)
    assert one.utilisation.max() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "spec",
    [
        FabricSpec("single-switch", endpoints=32, radix=32, gpus_per_server=8),
        FabricSpec("rail-only", endpoints=256, radix=32, gpus_per_server=8),
        FabricSpec("multi-plane", endpoints=256, planes=4, radix=32),
        FabricSpec("fat-tree", endpoints=256, radix=32, dual_tor=True, gpus_per_server=8),
        FabricSpec("dragonfly", h=2),
        FabricSpec("dragonfly-plus", radix=8),
        FabricSpec("slim-fly", q=5),
        FabricSpec("hyperx", dims=(4, 4), p=4),
        FabricSpec("torus", dims=(4, 4, 4)),
    ],
    ids=lambda spec: spec.family,
)
@pytest.mark.parametrize("shape", ["ring", "tree", "exchange", "turn", "chain"])
def test_every_family_carries_every_pattern(spec, shape):
    fabric = build(spec)
    gpus = fabric.gpus_per_host
    ranks = fabric.hosts * gpus
    found = seats(fabric, np.arange(fabric.hosts), ranks, domain_gpus=gpus)
    flows = shape_flows(shape, groups_of(ranks, 1), found)
    for policy in ("ecmp", "static", "adaptive"):
        done = phase(fabric, flows, policy)
        assert done.unreachable == 0
        assert done.slowdown >= 1 - 1e-9
        assert done.load.max() == pytest.approx(1.0)
        assert 0 < done.slowest_share <= done.mean_share <= 1 + 1e-9


def test_nothing_to_send_takes_no_time():
    found = phase(tapered(1, 4, 2), Flows.of([], []), "adaptive")
    assert (found.time_s, found.slowdown) == (0.0, 1.0)
    assert not np.any(found.load)
