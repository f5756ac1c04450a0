"""Cables that stay, move, come and go; what to buy now so that none moves; the sum that says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_fabrics import small_fabric

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.clos_request import resolve
from netdesign.topology.clos_shape import ClosShape
from netdesign.topology.families import build
from netdesign.topology.growth import compare, moved_cables, part_for, ready_to_grow
from netdesign.topology.naming import device_names
from netdesign.topology.recabling import recabled
from netdesign.topology.spec import FabricSpec
from netdesign.topology.wiring import Bundle


def two_tiers(leaves: int, down: int, up: int, spines: int, *, rails: int = 1) -> Fabric:
    """Leaves of ``down`` hosts; uplink j of leaf l goes to spine (l * up + j) mod spines.

    With rails: that many such fabrics that do not meet, one after the other.
    """
    hosts, copies = leaves * down, np.arange(rails)
    leaf = hosts + np.add.outer(copies * leaves, np.arange(leaves))
    spine = hosts + rails * leaves + copies[:, None] * spines
    cards = np.broadcast_to(copies[:, None], (rails, hosts)).ravel()
    bundles = [
        Bundle(
            LinkKind("host", 400.0),
            np.tile(np.arange(hosts), rails),
            np.repeat(leaf, down, axis=1).ravel(),
            cards,
        ),
        Bundle(
            LinkKind("leaf_spine", 400.0),
            np.repeat(leaf, up, axis=1).ravel(),
            (spine + np.arange(leaves * up) % spines).ravel(),
        ),
    ]
    rail = np.r_[np.repeat(copies, leaves), np.repeat(copies, spines)]
    return small_fabric(
        bundles,
        {"leaf": rails * leaves, "spine": rails * spines},
        family="fat-tree" if rails == 1 else "rail-only",
        hosts=hosts,
        host_ports=rails,
        gpus_per_host=rails,
        rail=rail if rails > 1 else -1,
        ports=down + up,
    )


def test_a_cable_drawn_by_hand() -> None:
    """Two leaves of two uplinks on one spine; tomorrow three leaves, each on two spines.

    Leaf 1 and leaf 2 keep one of their two cables to spine 1 and move the other to spine 2.
    """
    growth = compare(today := two_tiers(2, 1, 2, 1), tomorrow := two_tiers(3, 1, 2, 2))
    assert growth.stays == {"host": 2, "leaf_spine": 2}
    assert growth.moves == {"host": 0, "leaf_spine": 2}
    assert growth.new == {"host": 1, "leaf_spine": 2}
    assert growth.gone == {"host": 0, "leaf_spine": 0}
    assert moved_cables(growth, today, tomorrow) == [
        ("leaf_spine", "leaf-01", "spine-01", "spine-02"),
        ("leaf_spine", "leaf-02", "spine-01", "spine-02"),
    ]


def test_half_of_the_cables_move_when_the_spines_double() -> None:
    """32 leaves on 16 spines, 2 links each, to 64 leaves on 32 spines, 1 link each."""
    growth = compare(two_tiers(32, 32, 32, 16), two_tiers(64, 32, 32, 32))
    assert growth.stays == {"host": 1024, "leaf_spine": 512}
    assert growth.moves == {"host": 0, "leaf_spine": 512}
    assert growth.new == {"host": 1024, "leaf_spine": 1024}
    assert growth.moved_between_switches == 512


def test_a_spine_that_is_given_up_leaves_cables_without_use() -> None:
    """Half the uplinks: the cables that are left over are gone, not moved."""
    growth = compare(two_tiers(4, 4, 4, 4), two_tiers(4, 4, 2, 2))
    assert growth.stays["leaf_spine"] == 8
    assert growth.gone["leaf_spine"] == 8
    assert growth.moves["leaf_spine"] == growth.new["leaf_spine"] == 0


def test_a_rail_that_grows_is_not_renumbered() -> None:
    """Rails that never meet: leaf 5 of today is the first of the second rail, and so tomorrow."""
    growth = compare(two_tiers(4, 4, 4, 2, rails=2), two_tiers(8, 4, 4, 4, rails=2))
    assert growth.stays == {"host": 32, "leaf_spine": 16}
    assert growth.moves == {"host": 0, "leaf_spine": 16}


def test_the_part_that_todays_hosts_need_keeps_every_uplink() -> None:
    tomorrow = two_tiers(64, 32, 32, 32)
    part, devices = part_for(tomorrow, 1024)
    assert [int(n) for n in np.bincount(part.tier)] == [32, 32]
    assert part.links_of("leaf_spine") == 1024
    assert compare(part, tomorrow).moved == 0


def test_ports_and_names_of_the_part_are_those_of_tomorrow() -> None:
    """What is cabled by the plan of the part is never renamed: only the width of numbers grows."""
    spec = FabricSpec("rail-optimised", 256, 16, gpus_per_server=8)
    ready = ready_to_grow(spec, larger := replace(spec, endpoints=512))
    tomorrow = build(larger)
    names = device_names(tomorrow)
    for name, device in zip(device_names(ready.fabric), ready.devices.tolist(), strict=True):
        tier, _, number = name.partition("-")
        assert names[device].partition("-")[0] == tier
        assert int(names[device].partition("-")[2]) == int(number)
    links = {
        *zip(tomorrow.a, tomorrow.a_slot, tomorrow.b, tomorrow.b_slot, strict=True),
    }
    part = ready.fabric
    ends = (ready.devices[part.a], part.a_slot, ready.devices[part.b], part.b_slot)
    assert set(zip(*ends, strict=True)) <= links


def test_a_ring_that_grows_moves_one_cable() -> None:
    """A torus of 8 x 8 x 8 to 8 x 8 x 16: of each of the 64 rings the wrap-around moves."""
    today = build(FabricSpec("torus", dims=(8, 8, 8)))
    growth = compare(today, build(FabricSpec("torus", dims=(8, 8, 16))))
    assert growth.moved == growth.moves["dim3"] == 64
    assert sum(growth.stays.values()) == 3 * 512 - 64
    assert sum(growth.gone.values()) == 0


def test_one_leaf_needs_no_spine_yet() -> None:
    part, _ = part_for(two_tiers(8, 4, 4, 4), 4)
    assert [int(n) for n in np.bincount(part.tier)] == [1]


@pytest.mark.parametrize("fabric", [two_tiers(3, 2, 4, 3), two_tiers(4, 2, 2, 2, rails=3)])
def test_nothing_happens_to_a_fabric_that_does_not_change(fabric: Fabric) -> None:
    growth = compare(fabric, fabric)
    assert growth.moved == sum(growth.new.values()) == sum(growth.gone.values()) == 0
    assert sum(growth.stays.values()) == fabric.links


FAMILY = st.sampled_from(["single-switch", "fat-tree", "rail-optimised", "rail-only"])


@st.composite
def growing(draw: st.DrawFn) -> tuple[FabricSpec, FabricSpec]:
    """A fabric of few ports a switch, so that sizes cross tiers, sets and pods."""
    gpus = draw(st.sampled_from([1, 2, 4, 8]))
    servers = draw(st.integers(1, 150))
    more = draw(st.sampled_from([servers, servers, draw(st.integers(0, 200))]))
    spec = FabricSpec(
        family=draw(FAMILY),
        endpoints=servers * gpus,
        radix=draw(st.integers(4, 24)),
        tiers=draw(st.sampled_from([None, None, 2, 3])),
        oversubscription=draw(st.sampled_from([1.0, 1.0, 2.0, 3.0])),
        core_oversubscription=draw(st.sampled_from([1.0, 1.0, 2.0])),
        gpus_per_server=gpus,
        rails=draw(st.sampled_from([None, 1, gpus])),
        spread_evenly=draw(st.sampled_from([None, True, False])),
        unit_servers=draw(st.sampled_from([None, None, None, 2, 4])),
    )
    return spec, replace(spec, endpoints=(servers + more) * gpus)


def shapes(specs: tuple[FabricSpec, FabricSpec]) -> tuple[ClosShape, ClosShape]:
    """The shapes of a fabric that can be built at both sizes."""
    try:
        found = [resolve(spec) for spec in specs]
    except DesignError:
        assume(False)
    assume(not any(each.reason for each in found))
    return found[0].shape, found[1].shape


@settings(max_examples=400, deadline=None)
@given(growing())
def test_the_sum_is_what_the_built_graphs_say(specs: tuple[FabricSpec, FabricSpec]) -> None:
    said = recabled(*shapes(specs))
    found = compare(build(specs[0]), build(specs[1]))
    assert said.host == found.moves["host"]
    assert said.leaf_spine == found.moves.get("leaf_spine", 0)
    assert said.spine_core == found.moves.get("spine_core", 0)


@settings(max_examples=200, deadline=None)
@given(growing())
def test_nothing_moves_when_todays_fabric_is_built_as_a_part(
    specs: tuple[FabricSpec, FabricSpec],
) -> None:
    said = recabled(*shapes(specs))
    ready = ready_to_grow(*specs)
    assert ready.prepared.moved == sum(ready.prepared.gone.values()) == 0
    assert sum(ready.prepared.stays.values()) == ready.fabric.links
    assert ready.fabric.links_of("host") == specs[0].endpoints
    assert ready.extra == {tier: said.ready[tier] - said.today[tier] for tier in said.today}


@settings(max_examples=100, deadline=None)
@given(growing())
def test_every_cable_is_accounted_for(specs: tuple[FabricSpec, FabricSpec]) -> None:
    shapes(specs)
    today, tomorrow = build(specs[0]), build(specs[1])
    growth = compare(today, tomorrow)
    for name in growth.stays:
        kept = growth.stays[name] + growth.moves[name]
        assert kept + growth.gone[name] == today.links_of(name)
        assert kept + growth.new[name] == tomorrow.links_of(name)
    assert len(moved_cables(growth, today, tomorrow)) == growth.moved
