"""What holds for a fabric of any family and size."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.errors import DesignError
from netdesign.topology.clos import leaf_downlinks, spread, three_tier_reach, two_tier_reach
from netdesign.topology.fabric import FabricSize
from netdesign.topology.sizing import FAMILIES, size_fabric

SERVERS = st.integers(1, 20_000)
RADIX = st.integers(4, 256)
TAPER = st.floats(0.25, 16)
MACHINES = st.sampled_from([(8, 8), (4, 8), (16, 8), (32, 8), (72, 72), (1, 1), (2, 4)])
FAMILY = st.sampled_from(sorted(FAMILIES))
COUNTS = ("leaves", "spines", "cores", "access_links", "leaf_spine_links", "spine_core_links")


def size(family, servers, radix, machine=(8, 8), **options):
    return size_fabric(
        family,
        servers=servers,
        ports_per_server=machine[0],
        gpus_per_server=machine[1],
        radix=radix,
        **options,
    )


@settings(max_examples=300, deadline=None)
@given(FAMILY, SERVERS, RADIX, MACHINES, TAPER, TAPER, st.booleans())
def test_links_use_ports_that_exist(family, servers, radix, machine, taper, core_taper, even):
    fabric = size(
        family,
        servers,
        radix,
        machine,
        oversubscription=taper,
        core_oversubscription=core_taper,
        even_spread=even,
    )
    if not fabric.buildable:
        assert fabric.reason.endswith(".")
        assert fabric.endpoints > fabric.largest
        return
    assert fabric.reason == ""
    assert fabric.endpoints == servers * machine[0] <= fabric.largest
    assert fabric.access_links == fabric.endpoints
    at_leaves = fabric.access_links + fabric.leaf_spine_links
    at_spines = fabric.leaf_spine_links + fabric.spine_core_links
    assert at_leaves <= fabric.leaves * radix
    assert at_spines <= fabric.spines * radix
    assert fabric.spine_core_links <= fabric.cores * radix
    ends = 2 * fabric.links - fabric.access_links
    assert fabric.stranded_ports == fabric.switches * radix - ends >= 0
    assert 0 < fabric.pod_gpus <= servers * machine[1]


@settings(max_examples=200, deadline=None)
@given(FAMILY, SERVERS, st.integers(2, 128).map(lambda half: 2 * half), MACHINES)
def test_non_blocking_means_oversubscription_one(family, servers, radix, machine):
    fabric = size(family, servers, radix, machine)
    if fabric.buildable:
        assert fabric.oversubscription == 1
        assert fabric.core_oversubscription == 1
        assert fabric.tiers == 1 or fabric.leaf_spine_links >= fabric.access_links
        assert fabric.tiers < 3 or fabric.spine_core_links == fabric.leaf_spine_links


@settings(max_examples=200, deadline=None)
@given(FAMILY, SERVERS, RADIX, MACHINES, TAPER)
def test_oversubscription_is_at_most_what_was_asked(family, servers, radix, machine, taper):
    fabric = size(family, servers, radix, machine, oversubscription=taper)
    if fabric.buildable and radix * taper / (1 + taper) >= 1:
        assert fabric.oversubscription <= max(taper, 1) + 1e-9


@settings(max_examples=200, deadline=None)
@given(FAMILY, SERVERS, st.integers(1, 5000), RADIX, MACHINES)
def test_more_servers_never_need_fewer_switches(family, servers, more, radix, machine):
    small = size(family, servers, radix, machine, even_spread=False)
    large = size(family, servers + more, radix, machine, even_spread=False)
    if large.buildable:
        assert small.buildable
        assert small.links < large.links
        if small.tiers == large.tiers and family != "rail-optimised":
            assert small.switches <= large.switches


@settings(max_examples=200, deadline=None)
@given(FAMILY, SERVERS, RADIX, MACHINES)
def test_even_spread_divides_the_uplinks_and_never_saves(family, servers, radix, machine):
    even = size(family, servers, radix, machine, even_spread=True)
    least = size(family, servers, radix, machine, even_spread=False)
    assert even.spines >= least.spines
    assert even.leaf_spine_links == least.leaf_spine_links
    if even.buildable and even.tiers == 2 and family != "rail-only":
        uplinks = even.leaf_spine_links // even.leaves
        assert uplinks % even.spines == 0


@settings(deadline=None)
@given(st.integers(1, 64), st.integers(8, 64).map(lambda half: 2 * half))
def test_rails_that_do_not_meet_add_up(units, radix):
    whole = size("rail-only", units * radix, radix)
    rail = size("fat-tree", units * radix, radix, machine=(1, 1))
    if rail.buildable and rail.endpoints > radix:
        for name in (*COUNTS, "stranded_ports", "switches", "links"):
            assert getattr(whole, name) == 8 * getattr(rail, name)
        assert whole.independent_fabrics == 8


@settings(deadline=None)
@given(SERVERS, RADIX, MACHINES)
def test_a_fat_tree_takes_the_fewest_tiers_that_reach(servers, radix, machine):
    chosen = size("fat-tree", servers, radix, machine)
    two = size("fat-tree-2", servers, radix, machine)
    three = size("fat-tree-3", servers, radix, machine)
    expected = two if two.buildable else three
    for name in COUNTS:
        assert getattr(chosen, name) == getattr(expected, name)


@settings(max_examples=100, deadline=None)
@given(FAMILY, st.integers(1, 2000), st.sampled_from([32, 64, 128, 144]))
def test_a_taper_never_needs_more_switches(family, servers, radix):
    tapers = np.arange(1, 16.25, 0.25)
    switches = size(family, servers, radix, oversubscription=tapers).switches
    assert np.all(
        np.broadcast_to(switches, tapers.shape) <= np.broadcast_to(switches, tapers.shape)[0]
    )


def test_a_tapered_leaf_needs_no_spines_that_divide_its_uplinks():
    # 35 ports down and 29 up: the only even spread is 29 spines, 14 have the ports; with 15 each
    # of the 30 leaves can have two links to a spine, and all are wired alike.
    assert size("fat-tree", 128, 64, oversubscription=1.25).spines == 15
    assert size("fat-tree", 128, 64, oversubscription=1.25, even_spread=False).spines == 14
    assert size("fat-tree", 128, 64, oversubscription=1.25, even_spread=True).spines == 29
    # Not tapered: 12 would do, 16 divide 32.
    assert size("fat-tree", 95, 64).spines == 16


def test_scalars_give_python_numbers():
    for family in FAMILIES:
        fabric = size(family, 4, 64)
        for entry in fields(FabricSize):
            assert type(getattr(fabric, entry.name)) in (int, float, bool, str), entry.name


@pytest.mark.parametrize("family", FAMILIES)
def test_arrays_equal_loops(family):
    servers = np.array([1, 4, 31, 95, 128, 200, 400, 3000, 9000])
    taper = np.array([1, 1, 1, 1, 2, 4, 1, 3, 1.0])
    core = np.array([1, 2, 1, 1, 2, 4, 1, 3, 1.0])
    together = size(family, servers, 64, oversubscription=taper, core_oversubscription=core)
    for place in range(servers.size):
        alone = size(
            family,
            int(servers[place]),
            64,
            oversubscription=float(taper[place]),
            core_oversubscription=float(core[place]),
        )
        for entry in fields(FabricSize):
            if entry.name not in ("family", "reason"):
                values = np.broadcast_to(getattr(together, entry.name), servers.shape)
                assert values[place] == pytest.approx(getattr(alone, entry.name)), entry.name
        assert bool(alone.reason) is not bool(np.broadcast_to(together.buildable, 9)[place])


@pytest.mark.parametrize(
    ("family", "servers", "radix", "words"),
    [
        ("single-switch", 9, 64, "A single 64-port switch ends at 64 endpoints; 72 need two tiers"),
        ("fat-tree-2", 1024, 64, "ends at 2,048 endpoints; 8,192 need three tiers or 128 ports"),
        ("fat-tree", 9000, 64, "A three-tier fat tree of 64-port switches ends at 65,536"),
        ("rail-optimised", 9000, 64, "ends at 65,536 endpoints; 72,000 need 68 ports a switch"),
        ("rail-only", 70000, 64, "ends at 524,288 endpoints; 560,000 need 66 ports a switch"),
        ("fat-tree", 1, 0, "switches of 2 ports; 8 and 0 given"),
        ("rail-optimised", 0, 64, "A fabric needs endpoints"),
    ],
)
def test_what_cannot_be_built_says_why(family, servers, radix, words):
    fabric = size(family, servers, radix)
    assert fabric.buildable is False
    assert words in fabric.reason
    assert "\n" not in fabric.reason


def test_the_radix_it_asks_for_is_enough():
    reason = size("rail-optimised", 9000, 64).reason
    assert "68 ports" in reason
    assert size("rail-optimised", 9000, 68).buildable
    assert not size("rail-optimised", 9000, 66).buildable


def test_arrays_say_how_many_do_not_fit():
    fabric = size("fat-tree-2", np.array([8, 1024, 4096]), 64)
    assert fabric.buildable.tolist() == [True, False, False]
    assert fabric.reason == "A two-tier fat tree does not hold 2 of 3 sizes."


def test_an_unknown_family_is_named():
    with pytest.raises(DesignError, match="'moebius'.*rail-optimised"):
        size("moebius", 1, 64)


# Pods: what reaches each other without a tapered link.
def test_pods():
    assert size("fat-tree", 1024, 64, oversubscription=3).pod_gpus == 48
    assert size("rail-optimised", 1024, 64, oversubscription=3).pod_gpus == 48 * 8
    assert size("rail-only", 1024, 64).pod_gpus == 8192
    assert size("rail-only", 1024, 64, oversubscription=3).pod_gpus == 48 * 8
    assert size("rail-only", 64, 64, oversubscription=3).pod_gpus == 512  # a switch for each rail
    assert size("single-switch", 8, 64).pod_gpus == 64
    # Only the cores are tapered, 7:1: a spine has 56 ports down, a pod 56 leaves of 32.
    core = {"core_oversubscription": 7}
    assert size("fat-tree", 1024, 64, **core).pod_gpus == 56 * 32
    assert size("rail-optimised", 1024, 64, **core).pod_gpus == 56 * 32
    assert size("rail-optimised", 16, 64, **core).pod_gpus == 16 * 8


def test_uplink_headroom_is_a_taper_below_one():
    fabric = size("fat-tree", 64, 64, oversubscription=0.5)
    assert fabric.oversubscription == pytest.approx(21 / 43)
    assert fabric.leaf_spine_links > fabric.access_links


@settings(deadline=None)
@given(st.integers(2, 512), st.floats(0.01, 100))
def test_split_of_a_switch(radix, taper):
    down = leaf_downlinks(radix, taper)
    assert 1 <= down <= radix - 1
    if down > 1:
        assert down / (radix - down) <= taper * (1 + 1e-6)
        assert radix == 2 or down + 1 == radix or (down + 1) / (radix - down - 1) > taper * 0.999


def test_reach_grows_with_ports():
    assert two_tier_reach(64, 32) == 2048
    assert three_tier_reach(64, 32, 32) == 65536
    assert three_tier_reach(64, 32, 42) == 86016


@settings(deadline=None)
@given(st.integers(1, 200), st.integers(1, 200))
def test_spread(uplinks, least):
    chosen = spread(uplinks, least, True)
    assert spread(uplinks, least, False) == least
    assert chosen >= least
    if least <= uplinks:
        assert uplinks % chosen == 0
        assert all(uplinks % fewer for fewer in range(least, chosen))
    assert spread(np.array([uplinks]), np.array([least]), True)[0] == chosen
    assert spread(uplinks, least, np.array([True, False])).tolist() == [chosen, least]
