"""Pictures of built fabrics: every link from its port to its port, counts that add up."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import vl_convert
from small_fabrics import small_fabric

from netdesign.charts import fabric_heat, fabric_ports, fabric_tiers, spec
from netdesign.charts.fabric_device import device_said
from netdesign.charts.fabric_paint import COLOURS
from netdesign.charts.fabric_parts import parts_of
from netdesign.charts.fabric_places import dimensions
from netdesign.charts.fabric_ports import MOST_AMONG_ROUTERS
from netdesign.charts.fabric_routers import MOST_GROUPS, MOST_THREADS
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.families import build
from netdesign.topology.layout import place
from netdesign.topology.spec import FabricSpec
from netdesign.topology.wiring import Bundle

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
    host = np.array([0, 0, 1, 1])
    nic = np.array([0, 1, 0, 1])
    fabric = small_fabric(
        [
            Bundle(LinkKind("host", 400.0), host, 2 + nic, a_slot=nic),
            Bundle(LinkKind("leaf_spine", 400.0), np.array([2, 2, 3, 3]), np.full(4, 4)),
        ],
        {"leaf": 2, "spine": 1},
        family="rail-optimised",
        hosts=2,
        host_ports=2,
        gpus_per_host=2,
        pod=np.array([0, 0, -1]),
        rail=np.array([0, 1, -1]),
        ports=6,
        spare_ports=1,
    )
    return replace(
        fabric,
        media=("400g-sr4-twin",),
        medium=np.zeros(8, dtype=np.int32),
        length_m=np.full(8, 30, dtype=np.float32),
    )


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


def test_a_dragonfly_shows_its_routers_and_what_joins_them() -> None:
    """The balanced dragonfly of Kim et al. 2008, figure 5: a = 4, p = h = 2, 9 groups."""
    data = fabric_tiers.data(build(SPECS["dragonfly"]))
    links = rows(data["links"])
    between = [link for link in links if link["a"].startswith("group")]
    assert len(between) == 9 * 8 // 2
    # 6 pairs in each of 9 groups of 4 see each other, 36 pairs of groups have a global link
    assert len(links) - len(between) == 9 * 6 + 36
    assert len(rows(data["boxes"])) == 36
    notes = [note["text"] for note in rows(data["notes"])]
    assert "9 groups of 8 servers, 4 routers" in notes
    assert "each pair joined by 1 link" in notes
    tips = {box["tip"] for box in rows(data["boxes"])}
    assert "router-01: 2 to servers, 3 inside a group, 2 between groups" in tips


def test_too_many_links_are_those_of_some_routers_and_all_that_are_broken() -> None:
    fabric = build(FabricSpec("dragonfly", p=16, a=32, h=16, groups=2))
    data = fabric_tiers.data(fabric)
    threads = [link for link in rows(data["links"]) if link["a"].startswith("router")]
    assert len(threads) <= MOST_THREADS
    assert "links drawn: those of 2 routers a group" in {n["text"] for n in rows(data["notes"])}
    (band,) = [link for link in rows(data["links"]) if link["a"] == "group 1"]
    assert band["tip"] == "group 1 to group 2: 512 links of 400 Gb/s"
    # each drawn router sees its whole group: 2 x 31 - 1 links in each of two groups
    local = [link for link in threads if link["colour"].startswith(COLOURS[1])]
    assert len(local) == 2 * (2 * 31 - 1)
    broken = np.asarray(fabric.kind) == 2
    hurt = rows(fabric_tiers.data(fabric, None, None, broken)["links"])
    assert sum(link["broken"] for link in hurt if link["a"].startswith("router")) == 512


def test_a_tangle_of_routers_is_not_drawn_port_by_port() -> None:
    """Of 32 routers that all see each other, 496 links say less than those of a few."""
    one_group = build(FabricSpec("dragonfly", endpoints=128, p=16, a=32, h=16))
    assert one_group.links > MOST_AMONG_ROUTERS
    assert not fabric_ports.drawn_singly(one_group)
    data = fabric_tiers.data(one_group)
    assert len(rows(data["boxes"])) == one_group.switches
    assert 0 < len(rows(data["links"])) <= MOST_THREADS
    # a torus has no routers between its nodes, and its rings stay clear
    assert fabric_ports.drawn_singly(build(FabricSpec("torus", dims=(6, 6, 8))))


def test_many_groups_are_boxes() -> None:
    fabric = build(FabricSpec("dragonfly", p=2, a=4, h=5))
    assert fabric.switches // 4 > MOST_GROUPS
    data = fabric_tiers.data(fabric)
    assert {box["tip"][:5] for box in data["boxes"]} == {"group"}
    # 4 routers that all see each other: 6 links
    assert "inside each group: 6 links" in {note["text"] for note in data["notes"]}


def test_a_large_torus_names_the_links_inside_its_layers() -> None:
    data = fabric_tiers.data(build(FabricSpec("torus", dims=(16, 16, 16))))
    notes = [note["text"] for note in data["notes"]]
    # two rings through each of 256 nodes inside a layer, one to the next layer
    assert notes == [
        "16 layers of 256 nodes",
        "16 of 120 pairs joined by 256 links",
        "inside each layer: 512 links",
    ]


def test_a_full_map_is_half_as_fine() -> None:
    fabric = build(FabricSpec("dragonfly", p=16, a=32, h=16, groups=2))
    cells = rows(fabric_heat.data(fabric)["cells"])
    assert len(cells) == 32 * 32
    assert sum(cell["links"] for cell in cells) == 2 * (fabric.links - fabric.links_of("host"))


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


@pytest.mark.parametrize(
    ("dims", "twist"),
    [((12, 12, 14), False), ((16, 16, 16), False), ((30, 36), False), ((4, 4, 8), True)],
)
def test_a_torus_is_folded_along_its_own_sides(dims: tuple[int, ...], twist: bool) -> None:
    fabric = build(FabricSpec("torus", dims=dims, twist=twist))
    assert sorted(dimensions(fabric) or ()) == sorted(dims)
    # links whose kinds say nothing tell the same of a grid that is not twisted
    if not twist and len(dims) == 2:
        mute = replace(fabric, kinds=tuple(replace(k, name="link") for k in fabric.kinds))
        assert np.prod(dimensions(mute)) == np.prod(dims)


def test_one_switch_has_no_pairs_to_map() -> None:
    fabric = build(SPECS["one switch"])
    assert rows(fabric_heat.data(fabric)["cells"]) == []
    assert "nothing to map" in fabric_heat.data(fabric)["notes"]["text"][0]


def test_a_link_that_no_medium_reaches_says_so() -> None:
    fabric = replace(hand_built(), medium=np.full(8, -1, dtype=np.int32))
    assert fabric_ports.data(fabric)["links"]["what"][0] == "400 Gb/s, 30 m, no medium reaches"


def test_a_device_is_told_with_its_tier_ports_and_neighbours() -> None:
    fabric = hand_built()
    assert device_said(fabric, 3) == (
        "leaf-02: leaf switch, rail 2.",
        "6 ports: 4 used, 1 kept spare, 1 empty.",
        "2 servers by 1 link each of 400 Gb/s: server-01, server-02.",
        "1 spine by 2 links of 400 Gb/s: spine-01.",
    )
    assert device_said(fabric, 0)[:2] == ("server-01: server.", "2 ports: 2 used, 0 empty.")


def test_a_device_is_told_where_it_stands() -> None:
    fabric = build(SPECS["dragonfly"])
    router = fabric.hosts
    placement = place(fabric)
    what, ports, *joined = device_said(fabric, router, placement)
    rack = placement.rack_names[placement.rack[router]]
    assert what == f"router-01: router, group 1, in rack {rack} from unit {placement.unit[router]}."
    assert ports == "8 ports: 7 used, 1 empty." or ports.startswith("7 ports: 7 used")
    assert (
        "3 routers by 1 link each of 400 Gb/s (inside a group): router-02 to router-04." in joined
    )


def test_neighbours_of_every_device_add_up_to_its_links(small: Fabric) -> None:
    degree = np.bincount(np.concatenate([small.a, small.b]), minlength=small.devices)
    for device in range(small.devices):
        total = 0
        for sentence in device_said(small, device)[2:]:
            who, _, rest = sentence.partition(" by ")
            number = int(rest.split()[0].replace(",", ""))
            total += number * (int(who.split()[0]) if " each " in rest else 1)
            if " to " in rest.partition(" link")[0]:  # uneven: only the least and the most are told
                break
        else:
            assert total == degree[device]
