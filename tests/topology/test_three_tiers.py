"""Three tiers under a taper: what pods and leaves get between them, counted, built and sent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from netdesign.congestion import phase
from netdesign.topology.clos_request import resolve
from netdesign.topology.core_links import core_links, spine_in_turn, striped
from netdesign.topology.even_pods import even_pods
from netdesign.topology.families import build, size
from netdesign.topology.leaf_pairs import leaf_pairs
from netdesign.topology.pod_pairs import pod_pairs
from netdesign.topology.routing import Flows
from netdesign.topology.sizing import size_fabric
from netdesign.topology.spec import FabricSpec

MOST_LINKS = 6000
RULE = st.sampled_from([None, None, True, False])
TAPERS = st.sampled_from([(4.0, 1.0), (1.0, 4.0), (4.0, 1.0), (2.0, 2.0), (4.0, 4.0)])


def tree(leaves, radix, taper=4.0, core=1.0, even=None):
    """Three tiers below full leaves of one-port servers."""
    down = int(radix * taper / (taper + 1) + 1e-9)
    return FabricSpec(
        "fat-tree",
        endpoints=leaves * down,
        radix=radix,
        tiers=3,
        oversubscription=taper,
        core_oversubscription=core,
        gpus_per_server=1,
        spread_evenly=even,
    )


def share_of_peak(fabric, flows):
    return 1 / phase(fabric, flows, "adaptive", fair=False).slowdown


def leaves_of_pods(fabric):
    pod = fabric.pod[fabric.tier == 0]
    return [np.flatnonzero(pod == number) for number in np.unique(pod)]


def leaf_to_leaf(fabric, source, target):
    """All endpoints of some leaves send to those of others, in their order; leaves are full."""
    each = fabric.endpoints // int(np.count_nonzero(fabric.tier == 0))
    source, target = np.asarray(source)[:, None], np.asarray(target)[:, None]
    place = np.arange(each)
    return Flows.of((source * each + place).ravel(), (target * each + place).ravel())


def least_between_pods(fabric):
    """What two pods get whose leaves face each other, as many as the smaller has."""
    found = []
    pods = leaves_of_pods(fabric)
    for one in range(len(pods)):
        for other in range(one + 1, len(pods)):
            few = min(len(pods[one]), len(pods[other]))
            there = leaf_to_leaf(fabric, pods[one][:few], pods[other][:few])
            back = leaf_to_leaf(fabric, pods[other][:few], pods[one][:few])
            found += [share_of_peak(fabric, there), share_of_peak(fabric, back)]
    return min(found)


def alike(shape):
    """The condition of the promise: leaves share all uplinks, cores and spines divide the links."""
    pairs = leaf_pairs(shape)
    inside = pairs is None or pairs.worst == pairs.uplinks
    several = sum(pod.count for pod in shape.pods) > 1
    between = all(
        pod.core_links % shape.cores == 0 and pod.core_links % pod.spines == 0 for pod in shape.pods
    )
    return inside and (between or not several)


def promised(shape, oversubscription):
    """Peak over both tapers as they are cabled."""
    core = max(pod.leaves * shape.up_links / pod.core_links for pod in shape.pods)
    several = sum(pod.count for pod in shape.pods) > 1
    return 1 / (max(oversubscription, 1.0) * max(core if several else 1.0, 1.0))


def test_golden_14_leaves_of_20_ports():
    """Pods of 10 and 4 leaves with 40 and 16 links: 3 cores have the ports, 4 divide both."""
    chosen, fewest = tree(14, 20), tree(14, 20, even=False)
    assert [size(spec).switches["core"] for spec in (chosen, fewest)] == [4, 3]
    assert least_between_pods(build(chosen)) == pytest.approx(0.25)
    said = pod_pairs(resolve(fewest).shape, 4.0)
    assert (said.cores, said.core_links) == (3, 40)
    assert said.share == pytest.approx(0.2377, abs=1e-4)
    assert said.whole == 0.25
    assert least_between_pods(build(fewest)) == pytest.approx(said.share, rel=1e-9)
    notes = size(chosen).notes
    assert any(
        note.startswith("6 spines and 4 cores, 1 more than have the ports") for note in notes
    )


def test_a_small_last_pod_is_reached_over_all_spines():
    """37 leaves of 6 below 12-port switches: the last pod, a leaf, has 6 links to 19 cores."""
    spec = tree(37, 12, taper=1.0)
    shape = resolve(spec).shape
    assert (shape.pods[-1].leaves, shape.pods[-1].core_links, shape.cores) == (1, 6, 19)
    assert striped(shape)
    said = pod_pairs(shape, 1.0)
    # One spine after the other would lead there with 6 links of two spines: 1/3 of peak.
    assert said.share == pytest.approx(5 / 6)
    assert least_between_pods(build(spec)) == pytest.approx(5 / 6)


@settings(max_examples=120, deadline=None)
@given(
    half=st.integers(3, 14),
    leaves=st.integers(2, 60),
    tapers=st.sampled_from([(1.0, 1.0), (1.5, 1.0), (4.0, 1.0), (1.0, 3.0), (4.0, 2.0)]),
    even=RULE,
)
def test_what_pods_get_is_what_is_built(half, leaves, tapers, even):
    spec = tree(leaves, 2 * half, *tapers, even=even)
    counts, shape = size(spec), resolve(spec).shape
    assume(counts.buildable and sum(counts.links.values()) < MOST_LINKS)
    said = pod_pairs(shape, counts.oversubscription)
    if said is None:
        several = sum(pod.count for pod in shape.pods) > 1
        assert not several or not all(shape.alike(pod) for pod in shape.pods)
        return
    built = least_between_pods(build(spec))
    assert said.share <= said.whole * (1 + 1e-12)
    assert built == pytest.approx(said.share, rel=1e-9)


@settings(max_examples=150, deadline=None)
@given(
    half=st.integers(3, 16),
    leaves=st.integers(2, 60),
    tapers=TAPERS,
    even=st.sampled_from([None, None, True]),
    seed=st.integers(0, 99),
    data=st.data(),
)
def test_a_taper_gives_its_share_of_peak_to_any_traffic(half, leaves, tapers, even, seed, data):
    """Packed, pod to pod, or at random, as long as no port sends or receives more than it carries.

    Where the spines divide the uplinks of a leaf and the cores the links of every pod. With the
    setting "auto" that is so unless it takes more switches than the same fabric without a taper.
    """
    spec = tree(leaves, 2 * half, *tapers, even=even)
    counts, shape = size(spec), resolve(spec).shape
    assume(counts.buildable and sum(counts.links.values()) < MOST_LINKS)
    if not alike(shape):
        assert even is None
        untapered = size(
            FabricSpec("fat-tree", endpoints=spec.endpoints, radix=2 * half, tiers=3)
        ).switches
        divided = size(tree(leaves, 2 * half, *tapers, even=True)).switches
        assert sum(divided.values()) > sum(untapered.values())
        return
    fabric = build(spec)
    order = np.random.default_rng(seed)
    pods = np.concatenate(leaves_of_pods(fabric))
    packed = np.roll(pods, shape.pods[0].leaves)
    ends = fabric.endpoints - data.draw(st.integers(0, fabric.endpoints // leaves - 1))
    traffic = [
        leaf_to_leaf(fabric, pods, packed),
        leaf_to_leaf(fabric, np.arange(leaves), order.permutation(leaves)),
        Flows.of(order.permutation(ends), order.permutation(ends)),
    ]
    kept = [share_of_peak(fabric, flows) for flows in traffic]
    assert min(kept) >= promised(shape, counts.oversubscription) - 1e-9
    assert min(kept) >= 1 / (tapers[0] * tapers[1]) - 1e-9
    assert max(kept) <= 1 + 1e-9


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["fat-tree-3", "rail-optimised", "rail-only"]),
    st.integers(1, 2000),
    st.sampled_from([16, 33, 64, 128]),
    st.floats(1, 16),
    st.floats(1, 8),
)
def test_tapers_at_both_tiers_never_need_more_switches(family, servers, radix, taper, core):
    options = {"servers": servers, "ports_per_server": 8, "gpus_per_server": 8, "radix": radix}
    whole = size_fabric(family, **options)
    narrow = size_fabric(family, **options, oversubscription=taper, core_oversubscription=core)
    assume(whole.tiers == narrow.tiers == 3)
    assert narrow.switches <= whole.switches


@settings(max_examples=200, deadline=None)
@given(
    leaves=st.integers(1, 400),
    half=st.integers(2, 20),
    uplinks=st.integers(1, 20),
    down=st.integers(1, 39),
    wide=st.sampled_from([1, 2]),
)
def test_even_pods_fit_the_ports_of_their_switches(leaves, half, uplinks, down, wide):
    ports = 2 * half
    assume(down < ports and uplinks < ports)
    in_pod = down * wide
    assume(leaves <= in_pod * ports * wide)
    full, rest = divmod(leaves, in_pod)
    ways = even_pods(leaves, in_pod, uplinks, down, ports - down, wide=wide)
    for way in ways:
        assert way.all_core_links <= way.cores * ports * wide
        for held, spines, links in (
            (in_pod if full else 0, way.spines, way.core_links),
            (rest, way.last_spines, way.last_core_links),
        ):
            assert held * uplinks <= spines * down
            assert links <= spines * (ports - down) * wide
            assert links * down >= held * uplinks * (ports - down) * wide
            if spines and held <= down and leaves > in_pod:
                assert uplinks % spines == 0
    fewest = ways[-1]
    assert all(way.cores >= fewest.cores for way in ways)
    if len(ways) == 2:
        assert ways[0].core_links % ways[0].cores == 0
        assert ways[0].last_core_links % ways[0].cores == 0


@given(st.integers(1, 20), st.integers(1, 300), st.integers(1, 60))
def test_links_that_go_round_meet_every_spine_and_core_evenly(spines, links, cores):
    link = np.arange(links)
    spine = spine_in_turn(link, spines, cores)
    held = np.bincount(spine, minlength=spines)
    assert held.max() - held.min() <= 1
    both = np.bincount(spine * cores + link % cores, minlength=spines * cores)
    assert both.max() - both.min() <= 1 + (links >= spines * cores)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 60), st.integers(2, 10), RULE)
def test_core_links_are_those_of_the_built_fabric(leaves, half, even):
    spec = tree(leaves, 2 * half, taper=2.0, even=even)
    counts, shape = size(spec), resolve(spec).shape
    assume(counts.buildable and sum(counts.links.values()) < MOST_LINKS)
    fabric = build(spec)
    above = fabric.hosts + shape.leaves.count
    links = fabric.a >= above
    spine, core = core_links(shape)
    assert np.array_equal(fabric.a[links] - above, spine)
    assert np.array_equal(fabric.b[links] - above - shape.spines, core)
