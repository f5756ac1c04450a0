"""Racks, cable lengths and media of a built fabric."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import data_directory, load_catalog
from netdesign.catalog.floor import read_floor
from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.cabling import cable_lengths, cages_of, stocked
from netdesign.topology.layout import default_floor, floor_for, place, with_cables
from netdesign.topology.wiring import Bundle, wire

MEDIA = load_catalog().link_media
OPTICS = tuple(medium for medium in MEDIA.values() if medium.kind.startswith("optics"))


def clos(servers, ports, leaves, spines, each, *, gpus=8, pods=False, cores=0):
    """Leaves by rail; ``each`` links between a leaf and every spine; cores over all spines."""
    hosts = np.arange(servers)
    unit = leaves // ports
    host = np.repeat(hosts, ports)
    leaf = servers + (host * unit // servers) * ports + np.tile(np.arange(ports), servers)
    up = np.repeat(np.arange(leaves), spines * each)
    spine = np.tile(np.repeat(np.arange(spines), each), leaves)
    bundles = [
        Bundle(LinkKind("host", 400.0), host, leaf, np.tile(np.arange(ports), servers)),
        Bundle(LinkKind("leaf_spine", 400.0), servers + up, servers + leaves + spine),
    ]
    if cores:
        lower, upper = np.divmod(np.arange(spines * cores), cores)
        first = servers + leaves
        bundles.append(Bundle(LinkKind("spine_core", 400.0), first + lower, first + spines + upper))
    switches = leaves + spines + cores
    wires = wire(bundles, servers + switches)
    tier = np.repeat([0, 1, 2], [leaves, spines, cores]).astype(np.int32)
    pod = np.where(tier == 2, -1, 0 if pods else np.where(tier == 0, 0, -1)).astype(np.int32)
    return Fabric(
        family="rail-optimised", hosts=servers, host_ports=ports, gpus_per_host=gpus,
        endpoints=servers * ports, tier_names=("leaf", "spine", "core")[: 3 if cores else 2],
        tier=tier, pod=pod, rail=np.full(switches, -1, np.int32),
        plane=np.zeros(switches, np.int32), ports=np.full(switches, 64, np.int32),
        port_gbps=400.0, breakout=1, spare_ports=0, kinds=wires.kinds, kind=wires.kind,
        a=wires.a, a_slot=wires.a_slot, b=wires.b, b_slot=wires.b_slot,
    )  # fmt: skip


def superpod():
    # DGX SuperPOD H100 RA-11333-001, 4 SU: 32 leaves, 16 spines, two links between each pair.
    return clos(127, 8, 32, 16, 2)


def assert_sound(fabric, placement, floor):
    assert len(placement.rack) == len(placement.unit) == fabric.devices
    assert placement.rack.min() >= 0
    assert placement.rack.max() < placement.racks
    top = placement.unit + placement.height - 1
    assert placement.unit.min() >= 1
    assert top.max() <= floor.rack_units
    units = np.repeat(placement.rack, placement.height).astype(np.int64) * 1000
    first = np.repeat(placement.unit, placement.height)
    within = np.arange(len(first)) - np.repeat(
        np.cumsum(placement.height) - placement.height, placement.height
    )
    assert len(np.unique(units + first + within)) == len(first)
    spots = list(zip(placement.row.tolist(), placement.column.tolist(), strict=True))
    assert len(set(spots)) == len(set(placement.rack_names)) == placement.racks
    stretch = placement.row.astype(np.int64) * 1000 + placement.column // floor.racks_per_row
    assert np.unique(stretch, return_counts=True)[1].max() <= floor.racks_per_row


@settings(deadline=None, max_examples=60)
@given(
    servers=st.integers(1, 300),
    ports=st.sampled_from([1, 2, 8]),
    units=st.integers(1, 6),
    spines=st.integers(1, 40),
    cores=st.integers(0, 12),
    gpus=st.sampled_from([1, 4, 8, 72]),
    pods=st.booleans(),
    per_row=st.integers(3, 20),
    per_rack=st.integers(1, 16),
)
def test_no_rack_is_overfull_and_no_unit_holds_two(
    servers, ports, units, spines, cores, gpus, pods, per_row, per_rack
):
    fabric = clos(servers, ports, ports * units, spines, 1, gpus=gpus, pods=pods, cores=cores)
    floor = replace(default_floor(), racks_per_row=per_row, switches_per_rack=per_rack)
    placement = place(fabric, floor)
    assert_sound(fabric, placement, floor)
    servers_of = np.bincount(placement.rack[: fabric.hosts])
    assert servers_of.max() <= max(1, floor.gpus_per_rack // gpus)
    switches = placement.rack[fabric.hosts :]
    assert np.bincount(switches).max() <= per_rack
    assert not set(switches) & set(placement.rack[: fabric.hosts])


def test_superpod_racks():
    # RA-11333-001: 127 servers, four a rack, in 32 of 38 racks; the others hold networks.
    fabric = superpod()
    placement = place(fabric)
    assert len(np.unique(placement.rack[:127])) == 32
    assert placement.racks == 32 + 3  # 48 compute switches, 16 a rack
    leaf_rows = placement.row[placement.rack[127 : 127 + 32]]
    assert np.bincount(leaf_rows).tolist() == [16, 16]


def test_a_host_of_72_gpus_is_a_rack():
    fabric = clos(16, 4, 8, 4, 1, gpus=72)
    placement = place(fabric)
    assert len(np.unique(placement.rack[:16])) == 16
    assert (placement.height[:16] == default_floor().rack_units).all()


def test_a_server_of_the_catalogue_brings_its_rack():
    server = load_catalog().servers["dgx-h100"]
    floor = floor_for(server)
    assert (floor.servers_per_rack, floor.server_units) == (4, 8)
    assert_sound(superpod(), place(superpod(), floor), floor)


def test_leaves_stand_in_the_row_of_their_servers():
    fabric = clos(512, 8, 128, 32, 1)
    placement = place(fabric)
    access = fabric.kind == 0
    apart = (
        placement.row[placement.rack[fabric.a[access]]]
        - (placement.row[placement.rack[fabric.b[access]]])
    )
    assert np.mean(apart == 0) > 0.8
    assert np.abs(apart).max() <= 1


def test_top_of_rack_leaves_stand_with_servers():
    fabric = clos(64, 1, 8, 4, 1)
    placement = place(fabric, leaves="top-of-rack")
    assert_sound(fabric, placement, default_floor())
    leaf_racks = set(placement.rack[64:72].tolist())
    assert leaf_racks <= set(placement.rack[:64].tolist())
    assert len(leaf_racks) == 8


@pytest.mark.parametrize(
    ("change", "leaves", "said"),
    [
        ({}, "top-of-rack", "room for 0"),
        ({}, "bottom", "use middle-of-row or top-of-rack"),
        ({"servers_per_rack": 99}, "middle-of-row", "give 1 to 1"),
        ({"server_units": 99}, "middle-of-row", "a rack of 48 units has"),
        ({"switches_per_rack": 25}, "middle-of-row", "give at most 24"),
    ],
)
def test_what_does_not_fit_is_one_sentence(change, leaves, said):
    with pytest.raises(DesignError, match=said) as error:
        place(clos(8, 4, 4, 2, 1, gpus=72), replace(default_floor(), **change), leaves=leaves)
    assert "\n" not in str(error.value)


def test_a_route_by_hand():
    fabric = clos(8, 1, 1, 1, 1)
    floor = default_floor()
    placement = place(fabric, floor)
    # Two server racks with the network rack between them; the leaf is on top of it.
    assert [name[0] for name in placement.rack_names] == ["A"] * 3
    tray = 48 * 0.04445 + 0.3
    server, leaf = 4 * 0.04445, 47 * 0.04445  # middle of units 1 to 8, and of 47 to 48
    route = 2 * 0.3 + (tray - server) + (tray - leaf) + 0.6
    wanted = stocked(np.array([1.1 * route]), floor)[0]
    assert cable_lengths(fabric, placement, floor)[0] == wanted == 5.0
    # Leaf and spine are neighbours in one rack: their cable stays inside.
    assert cable_lengths(fabric, placement, floor)[-1] == 1.0


def test_stocked_lengths_round_up():
    floor = default_floor()
    needed = np.array([0.1, 0.5, 0.51, 5.0, 5.01, 100.0, 100.1, 341.0])
    assert stocked(needed, floor).tolist() == [0.5, 0.5, 1.0, 5.0, 7.0, 100.0, 110.0, 350.0]


@settings(deadline=None, max_examples=30)
@given(servers=st.integers(1, 200), units=st.integers(1, 4), spines=st.integers(1, 8),
       twin=st.booleans(), cage=st.sampled_from([1, 2]), far=st.floats(1, 40))  # fmt: skip
def test_media_reach_and_cages_hold_one_module(servers, units, spines, twin, cage, far):
    fabric = clos(servers, 8, 8 * units, spines, 2)
    floor = replace(default_floor(), row_pitch=far, racks_per_row=6)
    cabled = with_cables(
        fabric, place(fabric, floor), floor=floor,
        server_twin_port_cages=twin, switch_cage_ports=cage,
    )  # fmt: skip
    reach = np.array([MEDIA[key].reach_m for key in cabled.media])
    has = cabled.medium >= 0
    assert (cabled.length_m[has] <= reach[cabled.medium[has]]).all()
    rows = [MEDIA[key] for key in cabled.media]
    cages = cages_of(fabric, server_twin_port_cages=twin, switch_cage_ports=cage)
    held: dict[int, set[str]] = {}
    for link in np.flatnonzero(has):
        row = rows[cabled.medium[link]]
        use = "host" if cabled.kind[link] == 0 else "fabric"
        assert row.serves(use)
        assert row.port_gbps == 400
        at_a = row.host_end_part if use == "host" else row.switch_end_part
        held.setdefault(int(cages.a[link]), set()).add(at_a or row.id)
        held.setdefault(int(cages.b[link]), set()).add(row.switch_end_part or row.id)
    if has.all() and fabric.links and reach.max() <= 100:
        assert all(len(modules) == 1 for modules in held.values())


def test_one_port_cages_get_the_shortest_reach_that_is_long_enough():
    cabled = with_cables(superpod(), place(superpod()))
    chosen = {(int(k), float(n)): cabled.media[m] for k, n, m in
              zip(cabled.kind, cabled.length_m, cabled.medium, strict=True)}  # fmt: skip
    for (kind, length), key in chosen.items():
        use = "host" if kind == 0 else "fabric"
        rivals = [m for m in MEDIA.values() if m.port_gbps == 400 and m.serves(use)
                  and m.reach_m >= length and (kind or m.suits_host(False))]  # fmt: skip
        assert MEDIA[key].reach_m == min(m.reach_m for m in rivals)


def test_copper_of_two_links_needs_both_in_one_cage():
    floor = replace(default_floor(), switches_per_rack=4)
    pairs = clos(8, 8, 8, 1, 2)  # both links of a pair leave one cage of the leaf
    cabled = with_cables(pairs, place(pairs, floor), floor=floor, switch_cage_ports=2)
    kinds = {MEDIA[cabled.media[m]].cable_links for m in cabled.medium[cabled.kind == 1]}
    assert 2 in kinds
    single = clos(8, 8, 8, 2, 1)  # they go to two spines
    cabled = with_cables(single, place(single, floor), floor=floor, switch_cage_ports=2)
    kinds = {MEDIA[cabled.media[m]].cable_links for m in cabled.medium[cabled.kind == 1]}
    assert kinds == {1}


def test_twin_port_servers_get_twin_port_modules():
    cabled = with_cables(
        superpod(), place(superpod()), OPTICS, server_twin_port_cages=True, switch_cage_ports=2
    )
    assert cabled.media == ("400g-sr4-twin",)
    assert (cabled.medium == 0).all()


def test_what_nothing_reaches_is_said():
    fabric = superpod()
    far = replace(default_floor(), rack_width=300.0)
    cabled = with_cables(fabric, place(fabric, far), floor=far)
    lost = int(np.count_nonzero(cabled.medium < 0))
    assert 0 < lost < fabric.links
    assert sum(int(note.split()[0]) for note in cabled.notes if "no medium" in note) == lost
    none = with_cables(fabric, place(fabric), ())
    assert (none.medium == -1).all()
    assert none.media == ()


def test_rows_of_a_large_floor_stand_several_in_a_line():
    fabric = clos(2048, 8, 256, 16, 1)
    placement = place(fabric)
    assert placement.column.max() >= default_floor().racks_per_row
    assert_sound(fabric, placement, default_floor())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("row-pitch,", "row-pitches,", "row 3, column name: 'row-pitches' is not known"),
        ("rack-units,48", "rack-units,48.5", "is not a whole number"),
        ("stocked-length,0.5", "stocked-length,1", "stands twice"),
        ("slack-share,0.1", "slack-share,-0.1", "is too small"),
    ],
)
def test_a_wrong_floor_file_names_the_row(tmp_path, old, new, said):
    text = (data_directory() / "floor.csv").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "floor.csv"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DesignError, match=said):
        read_floor(path)


def test_a_missing_row_of_the_floor_is_named(tmp_path):
    lines = (data_directory() / "floor.csv").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "floor.csv"
    path.write_text("\n".join(line for line in lines if "tray-height" not in line))
    with pytest.raises(DesignError, match="'tray-height' is missing"):
        read_floor(path)


def test_switches_follow_their_servers_whatever_their_numbers():
    fabric = clos(512, 8, 128, 32, 1)
    turned = np.where(fabric.b < 512 + 128, 2 * 512 + 127 - fabric.b, fabric.b).astype(np.int32)
    access = fabric.kind == 0
    backwards = replace(fabric, b=np.where(access, turned, fabric.b))
    placement = place(backwards)
    apart = (
        placement.row[placement.rack[backwards.a[access]]]
        - (placement.row[placement.rack[backwards.b[access]]])
    )
    assert np.abs(apart).max() <= 1


def test_a_cable_to_the_next_row_in_the_line_crosses_an_aisle():
    fabric = clos(2, 1, 1, 1, 1)
    floor = replace(default_floor(), stocked_lengths=(0.001,), made_to_order_step=0.001)
    placement = place(fabric, floor)
    server, leaf = placement.rack[0], placement.rack[2]
    column = placement.column.copy()
    column[server], column[leaf] = 18, 19
    same = cable_lengths(fabric, replace(placement, column=column), floor)[0]
    column[server], column[leaf] = 19, 20
    across = cable_lengths(fabric, replace(placement, column=column), floor)[0]
    assert across - same == pytest.approx(1.1 * floor.cross_aisle, abs=0.002)
