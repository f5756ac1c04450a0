"""DOT and GraphML read back by small readers: same devices, same links, same ports."""

from __future__ import annotations

import importlib.util
import io
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace

import pytest
from small_floor import measured, on_floor

from netdesign.export.graphs import to_dot, to_graphml, write_dot, write_graphml
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names, port_names

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
QUOTED = r'"((?:[^"\\]|\\.)*)"'
FABRICS = ["rail_fabric", "tree", "split", "torus"]


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def pairs(fabric: Fabric) -> Counter[tuple[frozenset[str], str]]:
    names = device_names(fabric)
    return Counter(
        (frozenset((names[a], names[b])), fabric.kinds[kind].name)
        for a, b, kind in zip(fabric.a, fabric.b, fabric.kind, strict=True)
    )


@pytest.mark.parametrize("name", FABRICS)
def test_dot_has_every_device_and_every_link(name: str, request: pytest.FixtureRequest) -> None:
    fabric = request.getfixturevalue(name)
    text = to_dot(fabric, on_floor(fabric))
    nodes = re.findall(rf"^    {QUOTED} \[role={QUOTED}, rack={QUOTED}\];$", text, re.M)
    assert [unquoted(node) for node, _, _ in nodes] == device_names(fabric)
    found: Counter[tuple[frozenset[str], str]] = Counter()
    edges = re.findall(
        rf"^  {QUOTED} -- {QUOTED} \[kind={QUOTED}, gbps=(\S+), links=(\d+)(.*)\];$", text, re.M
    )
    for a, b, kind, gbps, links, rest in edges:
        found[frozenset((unquoted(a), unquoted(b))), unquoted(kind)] += int(links)
        assert rest == (f', label="{links} x {gbps}G"' if int(links) > 1 else "")
    assert found == pairs(fabric)
    assert text.count(" -- ") == len(edges)
    assert text.count("rank=same") == len({0, *(1 + fabric.tier)})
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize("name", FABRICS)
def test_graphml_has_every_link_as_an_edge(name: str, request: pytest.FixtureRequest) -> None:
    fabric = request.getfixturevalue(name)
    floor = on_floor(fabric)
    fabric = measured(fabric, floor, ("aoc",), [0, -1, 0])
    root = ET.fromstring(to_graphml(fabric, floor))
    keys = {key.get("id"): key.get("attr.name") for key in root.iter(f"{NAMESPACE}key")}
    labels, found = {}, []
    for node in root.iter(f"{NAMESPACE}node"):
        data = {keys[entry.get("key")]: entry.text for entry in node}
        labels[node.get("id")] = data["label"]
        assert data["rack"] in floor.rack_names
    for edge in root.iter(f"{NAMESPACE}edge"):
        data = {keys[entry.get("key")]: entry.text for entry in edge}
        assert float(data["gbps"]) in {kind.gbps for kind in fabric.kinds}
        assert float(data["length_m"]) >= 2
        assert ("medium" in data) == (data["kind"] != "leaf_spine")
        found.append(
            (
                labels[edge.get("source")],
                data["source_port"],
                labels[edge.get("target")],
                data["target_port"],
                data["kind"],
            )
        )
    names = device_names(fabric)
    a_ports = port_names(fabric, fabric.a_slot, fabric.a).tolist()
    b_ports = port_names(fabric, fabric.b_slot, fabric.b).tolist()
    assert list(labels.values()) == names
    assert found == [
        (names[a], a_port, names[b], b_port, fabric.kinds[kind].name)
        for a, a_port, b, b_port, kind in zip(
            fabric.a, a_ports, fabric.b, b_ports, fabric.kind, strict=True
        )
    ]


def test_graphml_says_tier_pod_and_rail(rail_fabric: Fabric) -> None:
    root = ET.fromstring(to_graphml(rail_fabric))
    data = {
        node.find(f"{NAMESPACE}data[@key='node_label']").text: {
            entry.get("key").removeprefix("node_"): entry.text for entry in node
        }
        for node in root.iter(f"{NAMESPACE}node")
    }
    server, leaf, spine = data["server-04"], data["leaf-06"], data["spine-01"]
    assert (server["role"], server["tier"], server["pod"]) == ("server", "0", "1")
    assert (leaf["role"], leaf["tier"], leaf["pod"], leaf["rail"]) == ("leaf", "1", "1", "1")
    assert (spine["role"], spine["tier"]) == ("spine", "2")
    assert not {"pod", "rail", "rack", "unit"} & set(spine)


def test_names_of_strangers_break_neither_file(tree: Fabric) -> None:
    hostile = replace(tree, tier_names=('<a&"b\\>', "x\x00\nline", "core"))
    root = ET.fromstring(to_graphml(hostile))
    labels = [node[0].text for node in root.iter(f"{NAMESPACE}node")]
    assert '<a&"b\\>-01' in labels
    assert "x??line-01" in labels
    found = re.findall(rf"^    {QUOTED} \[role={QUOTED}\];$", to_dot(hostile), re.M)
    assert [unquoted(name) for name, _ in found] == labels


def test_files_hold_the_text(tree: Fabric, tmp_path) -> None:
    write_dot(tree, None, tmp_path / "a.dot")
    write_graphml(tree, None, tmp_path / "a.graphml")
    assert (tmp_path / "a.dot").read_text(encoding="utf-8") == to_dot(tree)
    assert (tmp_path / "a.graphml").read_text(encoding="utf-8") == to_graphml(tree)


def test_networkx_reads_the_graphml_where_it_is_installed(rail_fabric: Fabric) -> None:
    if importlib.util.find_spec("networkx") is None:
        pytest.skip("networkx is not installed; the XML itself is read by the tests above")
    import networkx

    graph = networkx.read_graphml(io.BytesIO(to_graphml(rail_fabric).encode()))
    assert graph.number_of_nodes() == rail_fabric.devices
    assert graph.number_of_edges() == rail_fabric.links
