"""Modules and cables of a built fabric, against published bills and against the closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.economics.fabric_parts import fabric_parts
from netdesign.economics.link_parts import link_parts
from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.fabric import FabricSize
from netdesign.topology.layout import place, with_cables
from netdesign.topology.wiring import Bundle, wire

MEDIA = load_catalog().link_media


def two_tiers(servers, ports, leaves, spines, each, *, host, fabric, breakout=1, radix=64):
    """Port n of a server goes to leaf n of its unit; ``each`` links from a leaf to every spine."""
    unit = np.arange(servers) * (leaves // ports) // servers
    leaf = servers + np.repeat(unit * ports, ports) + np.tile(np.arange(ports), servers)
    up = servers + np.repeat(np.arange(leaves), spines * each)
    spine = servers + leaves + np.tile(np.repeat(np.arange(spines), each), leaves)
    wires = wire(
        [
            Bundle(host, np.repeat(np.arange(servers), ports), leaf,
                   np.tile(np.arange(ports), servers)),
            Bundle(fabric, up, spine),
        ],
        servers + leaves + spines,
    )  # fmt: skip
    tier = np.repeat([0, 1], [leaves, spines]).astype(np.int32)
    ones = np.ones(leaves + spines, np.int32)
    return Fabric(
        family="rail-optimised", hosts=servers, host_ports=ports, gpus_per_host=8,
        endpoints=servers * ports, tier_names=("leaf", "spine"), tier=tier, pod=-ones, rail=-ones,
        plane=0 * ones, ports=radix * ones, port_gbps=fabric.gbps, breakout=breakout,
        spare_ports=0, kinds=wires.kinds, kind=wires.kind,
        a=wires.a, a_slot=wires.a_slot, b=wires.b, b_slot=wires.b_slot,
    )  # fmt: skip


def ndr(servers, ports, leaves, spines, each):
    kinds = {"host": LinkKind("host", 400.0), "fabric": LinkKind("leaf_spine", 400.0)}
    return two_tiers(servers, ports, leaves, spines, each, **kinds)


def cabled(fabric, *media):
    """Every kind of link with its medium, whatever its length."""
    return replace(fabric, media=media, medium=fabric.kind)


def rows(parts):
    return {
        (part.place, part.kind, part.part_id): part.quantity
        for entry in parts
        for part in entry.parts
    }


def total(parts, kind, *places):
    return sum(
        part.quantity
        for entry in parts
        for part in entry.parts
        if part.kind == kind and (not places or part.place in places)
    )


def test_superpod_h100():
    # DGX SuperPOD H100 RA-11333-001, 4 SU / 127 nodes: 2,040 NDR cables, 1,536 twin-port modules in
    # switches, 508 in DGX. Laid out on the floor with optics everywhere.
    fabric = ndr(127, 8, 32, 16, 2)
    optics = [medium for medium in MEDIA.values() if medium.kind.startswith("optics")]
    built = with_cables(
        fabric, place(fabric), optics, server_twin_port_cages=True, switch_cage_ports=2
    )
    parts = fabric_parts(built, server_twin_port_cages=True, switch_cage_ports=2)
    assert total(parts, "cable") == 2040
    assert total(parts, "transceiver", "access", "leaf-spine") == 1536
    assert total(parts, "transceiver", "server") == 508
    assert [entry.links for entry in parts] == [1016, 1024]


def quad(medium, ports):
    return medium.model_copy(update={"id": f"{medium.id}-{ports}", "switch_end_ports": ports})


@pytest.mark.parametrize(
    ("gpus", "leaves", "spines", "front_leaves", "server", "switch"),
    [(64, 1, 1, 2, 80, 228), (256, 4, 2, 2, 320, 528), (1024, 16, 8, 2, 1280, 1728)],
)
def test_ocp_rail_optimised_clos(gpus, leaves, spines, front_leaves, server, switch):
    # OCP-OCDAI-training-fabric de057e89: 64 x 800G switches, servers on split ports, 800G between
    # switches. Server modules are links; switch modules are links/2 (back end), links/4 (front end)
    # and two for each link between switches. The front end always has 64 of those.
    servers = gpus // 8
    whole = {"breakout": 2, "radix": 64}
    rails = min(8, leaves)
    back = two_tiers(
        servers * 8 // rails, rails, leaves, spines, gpus // 2 // leaves // spines,
        host=LinkKind("host", 400.0), fabric=LinkKind("leaf_spine", 800.0, 2), **whole,
    )  # fmt: skip
    front = two_tiers(
        servers, 2, front_leaves, 1, 32, radix=64, breakout=4,
        host=LinkKind("host", 200.0), fabric=LinkKind("leaf_spine", 800.0, 4),
    )  # fmt: skip
    media = {**MEDIA, "four": quad(MEDIA["200g-sr4"], 4)}
    found = [
        fabric_parts(cabled(back, "400g-sr4-osfp", "800g-dr8"), media=media),
        fabric_parts(cabled(front, "four", "800g-dr8"), media=media),
    ]
    assert sum(total(parts, "transceiver", "server") for parts in found) == server
    assert sum(total(parts, "transceiver", "access", "leaf-spine") for parts in found) == switch
    between = back.links_of("leaf_spine") + front.links_of("leaf_spine")
    assert sum(total(parts, "cable") for parts in found) == server + between


@settings(deadline=None, max_examples=60)
@given(
    servers=st.integers(1, 8),
    units=st.integers(1, 4),
    spines=st.integers(1, 5),
    pairs=st.integers(1, 3),
    twin=st.booleans(),
    access=st.sampled_from(["400g-sr4-twin", "400g-sr4-osfp", "400g-dr4-osfp", "400g-dac-host"]),
    between=st.sampled_from(
        ["400g-sr4-twin", "400g-dr4-twin", "400g-fr4", "400g-dac-fabric", "400g-acc-fabric"]
    ),
)
def test_the_closed_form_agrees_where_cages_fill_evenly(
    servers, units, spines, pairs, twin, access, between
):
    # Two servers a cage, links between a pair of switches in twos: nothing is left half empty.
    count, leaves = 2 * servers * units, 8 * units
    twin = twin and access == "400g-sr4-twin"
    fabric = cabled(ndr(count, 8, leaves, spines, 2 * pairs), access, between)
    media = MEDIA
    if not twin and access == "400g-sr4-twin":
        single = MEDIA[access].model_copy(update={"host_end_ports": 1})
        media = {**MEDIA, access: single}
    size = FabricSize(
        family="rail-optimised", endpoints=count * 8, radix=64, tiers=2, leaves=leaves,
        spines=spines, cores=0, access_links=count * 8,
        leaf_spine_links=leaves * spines * 2 * pairs,
        spine_core_links=0, oversubscription=1, core_oversubscription=1, pod_gpus=1,
        stranded_ports=0, largest=1, buildable=True,
    )  # fmt: skip
    server = load_catalog().servers["dgx-h100"]
    closed = link_parts(size, server, count, media[access], media[between], None)
    assert rows(fabric_parts(fabric, twin, 2, media=media)) == rows(closed)


@settings(deadline=None, max_examples=40)
@given(servers=st.integers(1, 40), spines=st.integers(1, 4), each=st.integers(1, 3))
def test_single_port_cages_hold_a_module_for_each_end(servers, spines, each):
    fabric = cabled(ndr(servers, 8, 8, spines, each), "400g-sr4-osfp", "400g-sr4-twin")
    parts = fabric_parts(fabric)
    assert total(parts, "transceiver") == 2 * fabric.links
    assert total(parts, "cable") == fabric.links


@settings(deadline=None, max_examples=40)
@given(servers=st.integers(1, 40), spines=st.integers(1, 4), each=st.integers(1, 3))
def test_modules_are_between_half_of_the_ends_and_all_of_them(servers, spines, each):
    fabric = cabled(ndr(servers, 8, 8, spines, each), "400g-sr4-osfp", "400g-sr4-twin")
    modules = total(fabric_parts(fabric, False, 2), "transceiver", "access", "leaf-spine")
    ends = fabric.links_of("host") + 2 * fabric.links_of("leaf_spine")
    assert ends / 2 <= modules <= ends


def test_a_cage_of_both_kinds_shares_a_module_of_one_sort_only():
    odd = ndr(3, 8, 8, 1, 1)  # three links down and one up: two cages of each leaf
    same = fabric_parts(cabled(odd, "400g-sr4-osfp", "400g-sr4-twin"), False, 2)
    assert rows(same)["access", "transceiver", "mma4z00-ns"] == 16
    assert rows(same)["leaf-spine", "transceiver", "mma4z00-ns"] == 4  # the spine's own
    other = fabric_parts(cabled(odd, "400g-sr4-osfp", "400g-dr4-twin"), False, 2)
    assert rows(other)["leaf-spine", "transceiver", "mms4x00-ns"] == 8 + 4


def test_a_splitter_counts_once_for_two_servers():
    fabric = ndr(4, 8, 8, 1, 2)
    parts = fabric_parts(cabled(fabric, "400g-dac-host", "400g-dac-fabric"), False, 2)
    assert rows(parts) == {
        ("access", "cable", "mcp7y00"): 16,
        ("leaf-spine", "cable", "mcp4y10"): 8,
    }


def test_links_without_a_medium_are_an_entry_without_parts():
    fabric = cabled(ndr(4, 8, 8, 1, 2), "400g-sr4-osfp", "400g-fr4")
    medium = fabric.medium.copy()
    medium[fabric.kind == 1] = -1
    parts = fabric_parts(replace(fabric, medium=medium), False, 2)
    assert [(entry.place, entry.links, bool(entry.parts)) for entry in parts] == [
        ("access", 32, True),
        ("leaf-spine", 16, False),
    ]


def test_a_fabric_without_cables_is_refused():
    with pytest.raises(DesignError, match="has no cables yet; call with_cables"):
        fabric_parts(ndr(4, 8, 8, 1, 2))
