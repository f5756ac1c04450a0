"""The cable plan read back: every link once, in the order of a crew, with labels that are one of a
kind."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from small_fabrics import rails, three_tiers
from small_floor import measured, on_floor

from netdesign.economics.fabric_parts import fabric_parts
from netdesign.export.cable_plan import (
    COLUMNS,
    CablePlan,
    cable_table,
    to_csv,
    write_csv,
    write_xlsx,
)
from netdesign.export.cable_workbook import bundle_rows, length_rows
from netdesign.export.csv_cells import cells
from netdesign.topology.built import Fabric
from netdesign.topology.families import build
from netdesign.topology.layout import place, with_cables
from netdesign.topology.naming import device_names, port_names
from netdesign.topology.spec import FabricSpec


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def ends_of(fabric: Fabric) -> set[tuple[str, str, str, str]]:
    names = device_names(fabric)
    a = port_names(fabric, fabric.a_slot, fabric.a).tolist()
    b = port_names(fabric, fabric.b_slot, fabric.b).tolist()
    return {
        (names[low], a_port, names[high], b_port)
        for low, a_port, high, b_port in zip(fabric.a, a, fabric.b, b, strict=True)
    }


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("name", ["rail_fabric", "tree", "split", "torus"])
def test_the_file_holds_every_link_of_the_fabric_once(
    name: str, placed: bool, request: pytest.FixtureRequest
) -> None:
    fabric = request.getfixturevalue(name)
    rows = read(to_csv(cable_table(fabric, on_floor(fabric) if placed else None)))
    assert len(rows) == fabric.links
    found = {
        (row["from_device"], row["from_port"], row["to_device"], row["to_port"]) for row in rows
    }
    assert found == ends_of(fabric)
    assert len({row["label"] for row in rows}) == fabric.links
    ports = [(row["from_device"], row["from_port"]) for row in rows]
    ports += [(row["to_device"], row["to_port"]) for row in rows]
    assert len(set(ports)) == 2 * fabric.links
    assert [int(row["order"]) for row in rows] == list(range(1, fabric.links + 1))


def test_the_header_is_the_documented_one(tree: Fabric) -> None:
    assert to_csv(cable_table(tree)).split("\r\n")[0] == ",".join(COLUMNS)


def test_a_label_names_the_cable_and_both_ends(rail_fabric: Fabric) -> None:
    plan = cable_table(rail_fabric, on_floor(rail_fabric))
    row = plan.label.index("C-000001 leaf-01:4 > spine-01:1")
    assert (plan.a_device[row], plan.a_port[row]) == ("leaf-01", "4")
    assert (plan.b_device[row], plan.b_port[row]) == ("spine-01", "1")
    assert row == 0


def test_bundles_are_pulled_whole_highest_tier_first_and_longest_first() -> None:
    fabric = three_tiers(pods=4, leaves=2, servers=2, cores=4)
    floor = on_floor(fabric, per_rack=3)
    fabric = measured(fabric, floor, ("aoc",), [0, 0, 0])
    plan = cable_table(fabric, floor)
    changes = np.flatnonzero(np.diff(plan.bundle))
    assert np.all(np.diff(plan.bundle) >= 0)
    assert len(changes) + 1 == plan.bundle.max()
    pairs = [tuple(sorted(pair)) for pair in zip(plan.a_rack, plan.b_rack, strict=True)]
    assert len(set(pairs)) == plan.bundle.max()
    keys = []
    for number in range(1, int(plan.bundle.max()) + 1):
        inside = np.flatnonzero(plan.bundle == number)
        kinds = [("host", "leaf_spine", "spine_core").index(plan.kind[row]) for row in inside]
        near, far = pairs[inside[0]]
        keys.append((near == far, -max(kinds), -plan.length_m[inside].max()))
    assert keys == sorted(keys)


def test_cables_inside_a_rack_come_last(rail_fabric: Fabric) -> None:
    floor = on_floor(rail_fabric, per_rack=2)
    rack = floor.rack.copy()
    rack[rail_fabric.hosts :] = 0
    plan = cable_table(rail_fabric, replace(floor, rack=rack))
    inside = [a == b for a, b in zip(plan.a_rack, plan.b_rack, strict=True)]
    assert any(inside)
    assert not all(inside)
    assert inside == sorted(inside)


def test_tails_of_a_splitter_share_the_number_of_the_cable() -> None:
    # A passive splitter carries two links (cable_links of 400g-dac-host in link_media.csv).
    # Behind twin-port cages ports 1 and 2 are one cage, 3 and 4 the next.
    fabric = rails(units=1, servers=4, rails=2, spines=1)
    floor = on_floor(fabric)
    fabric = measured(fabric, floor, ("400g-dac-host", "400g-sr4-twin"), [0, 1])
    plan = cable_table(fabric, floor, switch_cage_ports=2)
    host = [row for row in range(len(plan)) if plan.kind[row] == "host"]
    by_cable: dict[int, list[int]] = {}
    for row in host:
        by_cable.setdefault(int(plan.cable[row]), []).append(row)
    assert len(by_cable) == len(host) // 2
    for rows in by_cable.values():
        assert len({plan.b_device[row] for row in rows}) == 1
        low, high = sorted(int(plan.b_port[row]) for row in rows)
        assert (low % 2, high) == (1, low + 1)
        assert len({plan.label[row].split(" ")[0] for row in rows}) == 1
        assert len({plan.label[row] for row in rows}) == 2
    uplinks = [int(plan.cable[row]) for row in range(len(plan)) if plan.kind[row] != "host"]
    assert len(set(uplinks)) == len(uplinks)
    assert plan.cables == len(host) // 2 + len(uplinks)


def test_a_double_cable_between_switches_needs_both_ends_in_one_cage() -> None:
    fabric = rails(units=1, servers=4, rails=2, spines=2)
    floor = on_floor(fabric)
    media = ("400g-sr4-twin", "400g-dac-fabric")
    plan = cable_table(measured(fabric, floor, media, [0, 1]), floor, switch_cage_ports=2)
    up = [row for row in range(len(plan)) if plan.kind[row] == "leaf_spine"]
    # Two parallel links of each leaf to each spine lie in one cage at both ends.
    assert len({int(plan.cable[row]) for row in up}) == len(up) // 2
    for row in up:
        mates = [other for other in up if plan.cable[other] == plan.cable[row]]
        assert len({(plan.a_device[m], plan.b_device[m]) for m in mates}) == 1


def test_links_of_one_cage_to_different_switches_share_no_cable() -> None:
    fabric = three_tiers(pods=2, leaves=2, servers=2, cores=4)  # one link a pair of switches
    floor = on_floor(fabric)
    fabric = measured(fabric, floor, ("400g-sr4-twin", "400g-dac-fabric"), [0, 1, 1])
    assert cable_table(fabric, floor, switch_cage_ports=2).cables == fabric.links


def test_odd_links_get_a_cable_of_their_own() -> None:
    fabric = rails(units=1, servers=3, rails=2, spines=1)
    floor = on_floor(fabric)
    plan = cable_table(
        measured(fabric, floor, ("400g-dac-host", "x"), [0, -1]), floor, switch_cage_ports=2
    )
    host = [int(plan.cable[row]) for row in range(len(plan)) if plan.kind[row] == "host"]
    assert len(set(host)) == 4  # two leaves with three links: 2 + 1 each
    assert {plan.medium[row] for row in range(len(plan)) if plan.kind[row] != "host"} == {""}


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from([1, 2, 3]),
)
def test_a_cable_number_starts_where_it_is_first_pulled(
    units: int, servers: int, rail: int, spines: int, per_rack: int, cage: int
) -> None:
    fabric = rails(units, servers, rail, spines)
    floor = on_floor(fabric, per_rack)
    fabric = measured(fabric, floor, ("400g-dac-host", "400g-dac-fabric"), [0, 1])
    plan = cable_table(fabric, floor, switch_cage_ports=cage)
    assert sorted(plan.link.tolist()) == list(range(fabric.links))
    _, first = np.unique(plan.cable, return_index=True)
    assert np.all(np.diff(first) > 0)
    assert set(plan.cable.tolist()) == set(range(1, plan.cables + 1))
    assert np.bincount(plan.cable).max() <= 2


@pytest.mark.parametrize("cage", [1, 2])
@pytest.mark.parametrize(
    "spec",
    [
        FabricSpec("fat-tree", endpoints=500, radix=64, gpus_per_server=8),
        FabricSpec("rail-optimised", endpoints=1000, radix=64, gpus_per_server=8),
        FabricSpec("rail-optimised", endpoints=512, radix=64, port_gbps=800, endpoint_gbps=400),
    ],
    ids=["fat tree", "rails", "split ports"],
)
def test_the_plan_has_as_many_cables_as_the_bill(spec: FabricSpec, cage: int) -> None:
    fabric = build(spec)
    floor = place(fabric)
    fabric = with_cables(fabric, floor, switch_cage_ports=cage)
    bill = fabric_parts(fabric, switch_cage_ports=cage)
    ordered = sum(part.quantity for entry in bill for part in entry.parts if part.kind == "cable")
    plan = cable_table(fabric, floor, switch_cage_ports=cage)
    unreached = plan.medium.count("")
    assert plan.cables == ordered + unreached
    assert sum(row[3] for row in length_rows(plan)) == plan.cables


def test_an_unplaced_unmeasured_fabric_leaves_cells_empty(tree: Fabric) -> None:
    for row in read(to_csv(cable_table(tree))):
        assert row["from_rack"] == row["to_unit"] == row["medium"] == row["length_m"] == ""
        assert row["gbps"] == "400"


def test_a_fabric_without_links_gives_a_header_alone(tree: Fabric) -> None:
    none = np.zeros(0, dtype=np.int32)
    empty = replace(tree, kind=none, a=none, a_slot=none, b=none, b_slot=none)
    assert to_csv(cable_table(empty, on_floor(tree))) == ",".join(COLUMNS) + "\r\n"


def test_cells_of_strangers_are_quoted_and_run_no_formula() -> None:
    given_ = ['=cmd|"x"', "+1", "-1", "@a", " =1", "a,b", 'say "hi"', "a\r\nb", "plain", "\t=1"]
    line = ",".join(cells(given_))
    (found,) = csv.reader([line])
    assert found == [
        "'=cmd|\"x\"", "'+1", "'-1", "'@a", "' =1", "a,b", 'say "hi"', "a??b", "plain", "?=1",
    ]  # fmt: skip


def test_names_of_strangers_pass_the_whole_way(tree: Fabric) -> None:
    hostile = replace(tree, tier_names=("=1+1", 'le"af,', "core"))
    floor = replace(on_floor(tree), rack_names=("@rack",) * len(on_floor(tree).rack_names))
    rows = read(to_csv(cable_table(hostile, floor)))
    assert len(rows) == tree.links
    cell = [value for row in rows for value in row.values()]
    assert not [value for value in cell if value.lstrip()[:1] in {"=", "+", "-", "@"}]
    assert any(row["to_device"].startswith("'=1+1-") for row in rows)
    assert len({row["label"] for row in rows}) == tree.links


@pytest.fixture
def plan() -> CablePlan:
    fabric = rails(units=2, servers=4, rails=2, spines=2)
    floor = on_floor(fabric)
    fabric = measured(fabric, floor, ("400g-dac-host", "400g-sr4-twin"), [0, 1])
    return cable_table(fabric, floor, switch_cage_ports=2)


def test_the_file_is_utf_8_with_line_ends_of_rfc_4180(plan: CablePlan, tmp_path) -> None:
    write_csv(plan, tmp_path / "plan.csv")
    written = (tmp_path / "plan.csv").read_bytes()
    assert written.decode("utf-8") == to_csv(plan)
    assert written.count(b"\r\n") == written.count(b"\n") == len(plan) + 1


def test_the_workbook_says_the_same_as_the_csv(plan: CablePlan, tmp_path) -> None:
    write_xlsx(plan, tmp_path / "plan.xlsx")
    book = load_workbook(tmp_path / "plan.xlsx", read_only=True)
    assert book.sheetnames == ["Cables", "Bundles", "Lengths", "Devices"]
    header, *rows = book["Cables"].iter_rows(values_only=True)
    assert header == COLUMNS
    shown = [["" if cell is None else f"{cell}" for cell in row] for row in rows]
    for text, row in zip(read(to_csv(plan)), shown, strict=True):
        assert list(text.values())[:13] == row[:13]
        assert [float(text["gbps"]), float(text["length_m"])] == [float(row[13]), float(row[15])]
    _, *bundles = book["Bundles"].iter_rows(values_only=True)
    assert sum(row[5] for row in bundles) == len(plan)
    _, *lengths = book["Lengths"].iter_rows(values_only=True)
    assert sum(row[3] for row in lengths) == plan.cables
    assert sum(row[4] for row in lengths) == len(plan)
    _, *devices = book["Devices"].iter_rows(values_only=True)
    assert [row[0] for row in devices] == plan.devices.name
    assert sum(row[7] for row in devices) == 2 * len(plan)
    book.close()


def test_the_workbook_knows_no_time_of_day(plan: CablePlan, tmp_path) -> None:
    for name in ("one.xlsx", "two.xlsx"):
        write_xlsx(plan, tmp_path / name)
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.xlsx") as archive:
        assert {member.date_time[0] for member in archive.infolist()} == {1980}
        core = archive.read("docProps/core.xml").decode()
    assert core.count("1980-01-01") == 2


def test_no_cell_of_the_workbook_is_a_formula(tree: Fabric, tmp_path) -> None:
    hostile = replace(tree, tier_names=("=1+1", "@x\x07", "core"))
    write_xlsx(cable_table(hostile, on_floor(tree)), tmp_path / "plan.xlsx")
    book = load_workbook(tmp_path / "plan.xlsx")
    types = {cell.data_type for sheet in book for row in sheet for cell in row}
    assert "f" not in types


def test_summaries_count_cables_and_links(plan: CablePlan) -> None:
    for number, _, _, kinds, cables, links, longest in bundle_rows(plan):
        inside = plan.bundle == number
        assert links == np.count_nonzero(inside)
        assert cables == len(np.unique(plan.cable[inside]))
        assert longest == pytest.approx(plan.length_m[inside].max(), abs=0.01)
        assert set(kinds.split()) == {plan.kind[row] for row in np.flatnonzero(inside)}
    for medium, gbps, _, cables, links in length_rows(plan):
        assert gbps == 400.0
        assert links == (2 * cables if medium == "400g-dac-host" else cables)
