"""Pictures of built fabrics: every link from its port to its port, counts that add up."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import vl_convert

from netdesign.charts import fabric_heat, fabric_ports, fabric_tiers, spec
from netdesign.charts.fabric_parts import parts_of
from netdesign.charts.fabric_places import dimensions
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.families import build
from netdesign.topology.spec import FabricSpec
from netdesign.topology.wiring import Bundle, wire

CHARTS = {"fabric_ports": fabric_ports, "fabric_tiers": fabric_tiers, "fabric_heat": fabric_heat}
SPECS = {
    "one switch": FabricSpec("single-switch", endpoints=64, radix=64, gpus_per_server=8),
    "rails": FabricSpec("rail-optimised", endpoints=64, radix=16, rails=8, gpus_per_server=8),
    "rails on 2 leaves": FabricSpec("rail-optimised", endpoints=64, radix=64, gpus_per_server=8),
    "rail-only": FabricSpec("rail-only", endpoints=128, radix=16, rails=8, gpus_per_server=8),
    "spare": FabricSpec("fat-tree", endpoints=64, radix=20, spare_ports=2, gpus_per_server=8),
    "split ports": FabricSpec("fat-tree", endpoints=64, radix=8, port_gbps=800, endpoint_gbps=400),
    "dragonfly": FabricSpec("dragonfly", p=2, a=4, h=2),
    "dragonfly+": FabricSpec("dragonfly-plus", endpoints=64, radix=8),
    "slim fly": FabricSpec("slim-fly", q=5),
    "hyperx": FabricSpec("hyperx", dims=(4, 4), p=4),
    "torus": FabricSpec("torus", dims=(4, 4, 4)),
    "flat torus": FabricSpec("torus", dims=(6, 5)),
}
# 64 k endpoints of radix 64 in three tiers, a quarter of the largest: k^3/4 = 65,536
LARGE = FabricSpec("fat-tree", endpoints=16384, radix=64, tiers=3, gpus_per_server=8)


@pytest.fixture(scope="module")
def large() -> Fabric:
    return build(LARGE)


@pytest.fixture(scope="module", params=SPECS, ids=list(SPECS))
def small(request: pytest.FixtureRequest) -> Fabric:
    return build(SPECS[request.param])


def rows(columns: Any) -> list[dict[str, Any]]:
    if isinstance(columns, list):
        return columns
    assert len({len(values) for values in columns.values()}) <= 1, "columns of unequal length"
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def named_sets(node: Any) -> set[str]:
    if isinstance(node, dict):
        own = {node["data"]["name"]} if "name" in node.get("data", {}) else set()
        return own.union(*(named_sets(value) for value in node.values()), set())
    return set().union(*map(named_sets, node)) if isinstance(node, list) else set()


def hand_built() -> Fabric:
    """Two servers of two ports, a leaf for each rail with one spare port, one spine."""
    wires = wire(
        [
            Bundle(
                LinkKind("host", 400.0),
                np.array([0, 0, 1, 1]),
                np.array([2, 3, 2, 3]),
                a_slot=np.array([0, 1, 0, 1]),
            ),
            Bundle(LinkKind("leaf_spine", 400.0), np.array([2, 2, 3, 3]), np.array([4, 4, 4, 4])),
        ],
        devices=5,
    )
    values = {name: np.array(value, dtype=np.int32) for name, value in _SWITCHES.items()}
    return Fabric(
        family="rail-optimised",
        hosts=2,
        host_ports=2,
        gpus_per_host=2,
        endpoints=4,
        tier_names=("leaf", "spine"),
        port_gbps=400.0,
        breakout=1,
        spare_ports=1,
        kinds=wires.kinds,
        kind=wires.kind,
        a=wires.a,
        a_slot=wires.a_slot,
        b=wires.b,
        b_slot=wires.b_slot,
        media=("400g-sr4-twin",),
        medium=np.zeros(8, dtype=np.int32),
        length_m=np.full(8, 30, dtype=np.float32),
        **values,
    )


_SWITCHES = {
    "tier": [0, 0, 1],
    "pod": [0, 0, -1],
    "rail": [0, 1, -1],
    "plane": [0, 0, 0],
    "ports": [6, 6, 6],
}


@pytest.mark.parametrize("name", CHARTS)
def test_data_of_every_family_fill_the_named_sets_and_are_drawn(name: str, small: Fabric) -> None:
    data = CHARTS[name].data(small)
    assert set(data) == named_sets(spec(name))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert CHARTS[name].label(small).endswith(".")
    drawing = spec(name)
    drawing["width"] = 390
    drawing["datasets"] = {key: rows(value) for key, value in data.items()}
    svg = vl_convert.vegalite_to_svg(json.dumps(drawing), vl_version="6.4")
    assert "NaN" not in svg
    assert "undefined" not in svg


@pytest.mark.parametrize("name", CHARTS)
def test_no_type_is_smaller_than_eleven_points(name: str) -> None:
    def sizes(node: Any) -> list[float]:
        if isinstance(node, dict):
            own = [value for key, value in node.items() if key.lower().endswith("fontsize")]
            return own + [size for value in node.values() for size in sizes(value)]
        return [size for value in node for size in sizes(value)] if isinstance(node, list) else []

    assert min(sizes(spec(name))) >= 11


def number_of(port: str) -> int:
    """The number of a port from its name or from what is said of it: nic2, 17 or 17/1."""
    return int(port.removeprefix("nic").removeprefix("port ").split()[0].split("/")[0].strip(","))


def test_every_link_ends_on_its_two_ports(small: Fabric) -> None:
    data = fabric_ports.data(small)
    links, ports = rows(data["links"]), rows(data["ports"])
    assert len(links) == small.links
    found = {(port["device"], number_of(port["tip"])): port for port in ports}
    for link in links:
        for end, x, y in (("a", "x", "y"), ("b", "x2", "y2")):
            port = found[link[end], number_of(link[f"{end}_port"])]
            assert port["state"] == "used"
            assert port["x"] - 0.01 <= link[x] <= port["x2"] + 0.01
            assert abs(link[y] - (port["y"] + port["y2"]) / 2) <= 1.5


def test_ports_of_a_row_stand_in_order(small: Fabric) -> None:
    lines: dict[tuple[str, float], list[tuple[int, float, float]]] = {}
    for port in rows(fabric_ports.data(small)["ports"]):
        place = (number_of(port["tip"]), port["x"], port["x2"])
        lines.setdefault((port["device"], port["y"]), []).append(place)
    for line in lines.values():
        for (_, _, end), (_, start, _) in zip(sorted(line), sorted(line)[1:], strict=False):
            assert end <= start + 0.01


def test_ports_are_counted_as_the_graph_has_them(small: Fabric) -> None:
    ports = rows(fabric_ports.data(small)["ports"])
    per_port = np.where(np.arange(small.devices) < small.hosts, 1, small.breakout)
    ends = np.concatenate([small.a, small.b])
    slots = np.concatenate([small.a_slot, small.b_slot])
    distinct = len({*zip(ends.tolist(), (slots // per_port[ends]).tolist(), strict=True)})
    assert Counter(port["state"] for port in ports)["used"] == distinct


def test_boxes_do_not_overlap(small: Fabric) -> None:
    boxes = rows(fabric_ports.data(small)["boxes"])
    assert len(boxes) == small.devices
    left, right = (np.array([box[key] for box in boxes]) for key in ("x", "x2"))
    low, high = (np.array([box[key] for box in boxes]) for key in ("y", "y2"))
    assert left.min() >= 0
    assert right.max() <= 100
    across = (left[:, None] < right - 0.01) & (left < right[:, None] - 0.01)
    up = (low[:, None] < high - 0.01) & (low < high[:, None] - 0.01)
    both = np.argwhere(np.triu(across & up, 1))
    assert [(boxes[i]["device"], boxes[j]["device"]) for i, j in both] == []


def test_a_link_and_a_port_say_what_they_are() -> None:
    data = fabric_ports.data(hand_built())
    first, last = rows(data["links"])[0], rows(data["links"])[-1]
    assert (first["a"], first["a_port"], first["b"], first["b_port"]) == (
        "server-01",
        "nic1",
        "leaf-01",
        "1",
    )
    assert (last["a"], last["a_port"], last["b"], last["b_port"]) == (
        "leaf-02",
        "4",
        "spine-01",
        "4",
    )
    assert last["what"] == "400 Gb/s, 30 m, multimode"
    tips = {f"{port['device']} {port['tip']}" for port in rows(data["ports"])}
    assert "leaf-02 port 4 to spine-01 port 4" in tips
    assert "server-02 nic1 to leaf-01 port 2" in tips
    assert "leaf-01 port 5, empty" in tips
    assert "leaf-01 port 6, spare" in tips
    assert "leaf-01: 4 of 6 ports used" in data["boxes"]["tip"]


def test_a_rail_keeps_its_colour_up_to_the_spine() -> None:
    links = rows(fabric_ports.data(hand_built())["links"])
    of_leaf = {
        leaf: {link["colour"] for link in links if leaf in (link["a"], link["b"])}
        for leaf in ("leaf-01", "leaf-02")
    }
    assert all(len(colours) == 1 for colours in of_leaf.values())
    assert of_leaf["leaf-01"] != of_leaf["leaf-02"]


def test_load_and_failures_reach_every_picture() -> None:
    fabric = hand_built()
    load = np.linspace(0, 1, fabric.links)
    broken = np.arange(fabric.links) == 7
    gone = np.arange(fabric.devices) == 4
    ports = fabric_ports.data(fabric, None, None, load, broken, gone)
    assert ports["links"]["load"][7] == 1.0
    assert ports["links"]["broken"] == broken.tolist()
    assert ports["boxes"]["broken"] == gone.tolist()
    assert ports["links"]["colour"][0] != ports["links"]["colour"][6]
    tiers = rows(fabric_tiers.data(fabric, None, load, broken)["links"])
    assert sum(link["broken"] for link in tiers) == 1
    heat = rows(fabric_heat.data(fabric, 1, load, broken)["cells"])
    assert [cell["load"] for cell in heat] == [0.714, 1.0]
    assert [cell["broken"] for cell in heat] == [0, 1]


def test_without_load_the_fields_are_there_and_neutral() -> None:
    fabric = hand_built()
    for data in (fabric_ports.data(fabric)["links"], fabric_heat.data(fabric)["cells"]):
        assert set(data["load"]) == {None}
        assert not any(data["broken"])


def test_port_data_of_the_largest_drawing_are_light() -> None:
    fabric = build(FabricSpec("fat-tree", endpoints=704, radix=64, gpus_per_server=8))
    assert fabric.links <= fabric_ports.MOST_DRAWN_LINKS
    assert fabric_ports.drawn_singly(fabric)
    assert len(json.dumps(fabric_ports.data(fabric), separators=(",", ":"))) < 400_000


def test_a_large_fabric_is_not_drawn_port_by_port(large: Fabric) -> None:
    assert not fabric_ports.drawn_singly(large)
    data = fabric_ports.data(large)
    assert not rows(data["links"])
    assert "too many" in data["notes"]["text"][0]


def test_sixteen_thousand_gpus_in_pods_with_counts(large: Fabric) -> None:
    """A pod of radix 64 has 32 leaves, 32 spines, 1,024 ports; 16 pods meet in 256 cores."""
    data = fabric_tiers.data(large)
    tips = {box["tip"] for box in data["boxes"]}
    assert "256 cores" in tips
    assert {f"pod 16: {count}" for count in ("128 servers", "32 leaves", "32 spines")} <= tips
    assert "… 8 more pods" in {note["text"] for note in data["notes"]}
    assert all("1,024 links of 400 Gb/s" in link["tip"] for link in data["links"])
    assert len(json.dumps(data)) < 100_000


def test_boxes_and_bundles_of_the_tiers_add_up(small: Fabric) -> None:
    parts = parts_of(small)
    assert parts.devices.sum() == small.devices
    assert parts.bundles().links.sum() == small.links


def test_groups_of_a_dragonfly_stand_in_a_ring() -> None:
    """The balanced dragonfly of Kim et al. 2008, figure 5: a = 4, p = h = 2, 9 groups."""
    data = fabric_tiers.data(build(SPECS["dragonfly"]))
    assert len(data["links"]) == 9 * 8 // 2
    notes = [note["text"] for note in data["notes"]]
    assert "9 groups of 8 servers, 4 routers" in notes
    assert "each pair joined by 1 link" in notes


def test_the_heat_map_counts_every_link_once(large: Fabric) -> None:
    cells = fabric_heat.data(large)["cells"]
    assert sum(cells["links"]) == large.links_of("leaf_spine")
    assert len(cells["links"]) <= fabric_heat.MOST_CELLS**2
    assert cells["row"][0] == "leaf-001 to 008"
    assert cells["column"][-1] == "spine-505 to 512"


def test_the_heat_map_of_a_direct_fabric_is_symmetric() -> None:
    fabric = build(SPECS["slim fly"])
    cells = rows(fabric_heat.data(fabric)["cells"])
    pairs = {(cell["row"], cell["column"]) for cell in cells}
    assert pairs == {(column, row) for row, column in pairs}
    assert sum(cell["links"] for cell in cells) == 2 * (fabric.links - fabric.links_of("host"))


@pytest.mark.parametrize(
    ("name", "dims"), [("torus", (4, 4, 4)), ("flat torus", (5, 6)), ("hyperx", (4, 4))]
)
def test_dimensions_are_found_from_the_links(name: str, dims: tuple[int, ...]) -> None:
    fabric = build(SPECS[name])
    assert dimensions(fabric) == dims
    assert dimensions(fabric, dims[::-1]) == dims


def test_one_switch_has_no_pairs_to_map() -> None:
    fabric = build(SPECS["one switch"])
    assert rows(fabric_heat.data(fabric)["cells"]) == []
    assert "nothing to map" in fabric_heat.data(fabric)["notes"]["text"][0]


def test_a_link_that_no_medium_reaches_says_so() -> None:
    fabric = replace(hand_built(), medium=np.full(8, -1, dtype=np.int32))
    assert fabric_ports.data(fabric)["links"]["what"][0] == "400 Gb/s, 30 m, no medium reaches"
