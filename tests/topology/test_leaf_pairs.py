"""What two leaves share of their uplinks: arithmetic, built graph and traffic say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_fabrics import two_tiers

from netdesign.congestion import phase
from netdesign.topology.clos import spines_that_share
from netdesign.topology.clos_request import resolve
from netdesign.topology.families import build, size
from netdesign.topology.leaf_pairs import leaf_pairs, link_counts, shared_uplinks
from netdesign.topology.routing import Flows
from netdesign.topology.sizing import size_fabric
from netdesign.topology.spec import FabricSpec

RULE = st.sampled_from([None, True, False])


def tree(leaves, radix=64, taper=4, tiers=2, even=None, **more):
    """A fat tree of full leaves."""
    down = int(radix * taper / (taper + 1) + 1e-9)
    return FabricSpec(
        "fat-tree",
        endpoints=leaves * down,
        radix=radix,
        tiers=tiers,
        oversubscription=taper,
        gpus_per_server=1,
        spread_evenly=even,
        **more,
    )


def wiring(fabric):
    """Links of each leaf to each spine."""
    between = (fabric.a >= fabric.hosts) & (fabric.kind == 1)
    leaves, spines = (int(np.count_nonzero(fabric.tier == tier)) for tier in (0, 1))
    leaf = fabric.a[between].astype(np.int64) - fabric.hosts
    spine = fabric.b[between] - fabric.hosts - leaves
    return np.bincount(leaf * spines + spine, minlength=leaves * spines).reshape(leaves, spines)


def least_shared(fabric):
    """Links of the two leaves with a spine in common that share least."""
    links = wiring(fabric)
    pod = fabric.pod[fabric.tier == 0]
    found = []
    for leaf in range(1, len(links)):
        others = np.flatnonzero(pod[:leaf] == pod[leaf])
        found += np.minimum(links[others], links[leaf]).sum(axis=1).tolist()
    return min(found, default=None)


def leaf_to_leaf(fabric, target):
    """Every endpoint sends to its like below leaf ``target[own leaf]``; leaves are full."""
    each = fabric.endpoints // len(target)
    place = np.arange(each)
    source = (np.arange(len(target))[:, None] * each + place).ravel()
    return Flows.of(source, (np.asarray(target)[:, None] * each + place).ravel())


def share_of_peak(fabric, flows):
    return 1 / phase(fabric, flows, "adaptive", fair=False).slowdown


def test_golden_13_uplinks_over_5_spines():
    """24 leaves of 51 below 5 spines of 64 ports: 312 of 320 ports, so no two are wired alike."""
    spec = tree(24, even=False)
    fabric, pairs = build(spec), leaf_pairs(resolve(spec).shape)
    assert (pairs.spines, pairs.uplinks, pairs.worst) == (5, 13, 11)
    assert least_shared(fabric) == 11
    across = np.roll(np.arange(24), -1)
    assert share_of_peak(fabric, leaf_to_leaf(fabric, across)) == pytest.approx(11 / 51)
    # Leaves 2 apart share 12 links' worth, those 5 apart all 13.
    assert [shared_uplinks(13, 5, apart) for apart in (1, 2, 3, 4, 5)] == [11, 12, 12, 11, 13]
    # 21 leaves leave 3 ports of a spine for each: 5 spines are enough, wired alike.
    alike = build(tree(21, even=False))
    assert wiring(alike).tolist() == [[3, 3, 3, 2, 2]] * 21
    assert share_of_peak(alike, leaf_to_leaf(alike, np.roll(np.arange(21), -1))) == (
        pytest.approx(13 / 51)
    )
    # Two ports of a spine for each of 24: 7 spines, which do not divide 13 either.
    chosen = build(tree(24))
    assert wiring(chosen).tolist() == [[2, 2, 2, 2, 2, 2, 1]] * 24
    assert share_of_peak(chosen, leaf_to_leaf(chosen, across)) == pytest.approx(13 / 51)
    assert size(tree(24, even=True)).switches["spine"] == 13


@settings(max_examples=150, deadline=None)
@given(
    half=st.integers(3, 32),
    leaves=st.integers(2, 40),
    even=st.sampled_from([None, None, True]),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_a_4_to_1_fat_tree_gives_a_quarter_of_peak_to_any_traffic(half, leaves, even, seed, data):
    """Two tiers whose spines let any two leaves share all uplinks: S >= ceil(u / floor(R / L)).

    Whoever sends to whom, as long as no endpoint sends or receives more than its port carries.
    """
    radix = 2 * half
    spec = tree(leaves, radix=radix, even=even)
    counts = size(spec)
    assume(counts.buildable and sum(counts.links.values()) < 6000)
    fabric = build(spec)
    assert resolve(spec).shape.spines >= -(-(radix - radix * 4 // 5) // (radix // leaves))
    order = np.random.default_rng(seed)
    kept = [share_of_peak(fabric, leaf_to_leaf(fabric, order.permutation(leaves)))]
    ends = fabric.endpoints - data.draw(st.integers(0, fabric.endpoints // leaves - 1))
    kept.append(share_of_peak(fabric, Flows.of(order.permutation(ends), order.permutation(ends))))
    assert min(kept) >= 0.25 - 1e-9
    assert min(kept) >= 1 / counts.oversubscription - 1e-9
    assert max(kept) <= 1 + 1e-9


@settings(max_examples=100, deadline=None)
@given(half=st.integers(3, 20), leaves=st.integers(2, 40), even=RULE, data=st.data())
def test_three_tiers_give_a_quarter_inside_a_pod_where_the_spines_divide(half, leaves, even, data):
    spec = tree(leaves, radix=2 * half, tiers=3, even=even)
    counts = size(spec)
    assume(counts.buildable and sum(counts.links.values()) < 6000)
    fabric, pairs = build(spec), leaf_pairs(resolve(spec).shape)
    pod = fabric.pod[fabric.tier == 0]
    target = np.arange(leaves)
    for number in np.unique(pod):
        of_pod = np.flatnonzero(pod == number)
        target[of_pod] = of_pod[data.draw(st.permutations(range(len(of_pod))))]
    worst = 1.0 if pairs is None else pairs.share
    kept = share_of_peak(fabric, leaf_to_leaf(fabric, target))
    assert kept >= worst / counts.oversubscription - 1e-9
    if even:
        assert worst == 1.0
        assert kept >= 0.25 - 1e-9


@settings(max_examples=200, deadline=None)
@given(
    family=st.sampled_from(["fat-tree", "rail-optimised", "rail-only"]),
    servers=st.integers(2, 60),
    radix=st.integers(3, 24).map(lambda half: 2 * half),
    taper=st.sampled_from([1.0, 1.5, 2.0, 3.0, 4.0]),
    tiers=st.sampled_from([2, 3]),
    split=st.booleans(),
    even=RULE,
)
def test_what_leaves_share_is_what_is_cabled(family, servers, radix, taper, tiers, split, even):
    spec = FabricSpec(
        family,
        endpoints=8 * servers,
        radix=radix,
        port_gbps=800.0,
        endpoint_gbps=400.0 if split else None,
        tiers=tiers,
        oversubscription=taper,
        gpus_per_server=8,
        rails=None if family == "fat-tree" else 4,
        spread_evenly=even,
    )
    found = resolve(spec)
    assume(not found.reason and size(spec).links["leaf_spine"] < 10_000)
    pairs, shape = leaf_pairs(found.shape), found.shape
    fabric = build(spec)
    if family == "fat-tree" and tiers == 3:
        assert least_shared(fabric) == (None if pairs is None else pairs.worst)
        return
    links = wiring(fabric)
    apart = shape.leaves.count  # of a copy: rails that never meet are told one by one
    links = links[:apart, : shape.spines] if shape.request.copies > 1 else links
    if tiers == 2 and pairs is not None:
        both = [np.minimum(links[:leaf], links[leaf]).sum(axis=1) for leaf in range(1, len(links))]
        assert pairs.worst == min(np.concatenate(both))
        if not shape.alike(shape.pods[0]):
            assert np.array_equal(links, link_counts(pairs.uplinks, pairs.spines, pairs.leaves))
        if even is None:
            assert pairs.worst == pairs.uplinks


@settings(deadline=None)
@given(st.integers(1, 80), st.integers(1, 80), st.integers(2, 80))
def test_fewer_spines_have_no_ports_for_leaves_that_are_wired_alike(leaves, uplinks, ports):
    assume(leaves <= ports)
    spines = spines_that_share(leaves, uplinks, ports)
    assert -(-uplinks // spines) * leaves <= ports
    assert spines == 1 or -(-uplinks // (spines - 1)) * leaves > ports
    assert spines >= -(-leaves * uplinks // ports)
    if ports % leaves == 0:
        assert spines == -(-leaves * uplinks // ports)
    together = spines_that_share(np.array([leaves, 1]), uplinks, ports)
    assert together.tolist() == [spines, -(-uplinks // ports)]


def test_two_tiers_take_the_spines_that_share_and_say_so():
    # 30 leaves of 35 below 29 uplinks: two ports of a spine each.
    broad = {"servers": 128, "ports_per_server": 8, "gpus_per_server": 8, "radix": 64}
    assert size_fabric("fat-tree", **broad, oversubscription=1.25).spines == 15
    said = "7 spines, 2 more than have the ports, so that any two leaves share all their uplinks"
    assert said in size(tree(24)).notes
    assert not any("share" in note for note in size(tree(21)).notes)
    uneven = "5 spines do not divide the 13 uplinks of a leaf: some leaves share 11 of them"
    assert uneven in size(tree(24, even=False)).notes


def test_a_spine_carries_what_its_narrower_side_can():
    """3, 3 and 1 links below leaf 0, 1, 3 and 3 below leaf 1: they share 1 + 3 + 1."""
    fabric = two_tiers([[3, 3, 1], [1, 3, 3]], 7)
    across = Flows.of(np.arange(7), np.arange(7, 14))
    assert share_of_peak(fabric, across) == pytest.approx(5 / 7)
    alike = two_tiers([[3, 3, 1]] * 2, 7)
    assert share_of_peak(alike, across) == pytest.approx(1.0)
