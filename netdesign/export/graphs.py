"""The fabric as a graph for other tools: Graphviz DOT to draw it, GraphML to analyse it.

DOT joins parallel links of one kind between two devices into one edge that says how many; GraphML
keeps every link as an edge of its own, with both ports.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import numpy as np

from netdesign.export.device_table import DeviceTable, device_table
from netdesign.topology.built import Fabric
from netdesign.topology.naming import port_names
from netdesign.wording import printable

if TYPE_CHECKING:
    from netdesign.topology.layout import Placement

_NODE_KEYS = {
    "label": "string",
    "role": "string",
    "tier": "int",
    "pod": "int",
    "rail": "int",
    "plane": "int",
    "rack": "string",
    "unit": "int",
}
_EDGE_KEYS = {
    "kind": "string",
    "gbps": "double",
    "length_m": "double",
    "medium": "string",
    "source_port": "string",
    "target_port": "string",
}


def to_dot(fabric: Fabric, placement: Placement | None = None) -> str:
    """An undirected graph in the DOT language of Graphviz, a rank for every tier.

    Edges carry ``links`` and ``gbps`` (of one link), and a label where links run in parallel;
    nodes carry ``role`` and, with a placement, ``rack``.
    """
    table = device_table(fabric, placement)
    names = [_dot(name) for name in table.name]
    lines = ["graph fabric {", "  rankdir=BT;", "  ranksep=1.5;", "  node [shape=box];"]
    tiers = np.asarray(table.tier)
    for tier in np.unique(tiers).tolist():
        members = np.flatnonzero(tiers == tier).tolist()
        lines.append(f"  subgraph tier_{tier} {{")
        lines.append("    rank=same;")
        lines += [
            f"    {names[device]} [role={_dot(table.role[device])}"
            + (f", rack={_dot(table.rack[device])}" if table.rack[device] else "")
            + "];"
            for device in members
        ]
        lines.append("  }")
    lines += _dot_edges(fabric, names)
    return "\n".join([*lines, "}", ""])


def write_dot(fabric: Fabric, placement: Placement | None, path: str | Path) -> None:
    """Write the DOT file in UTF-8."""
    Path(path).write_bytes(to_dot(fabric, placement).encode("utf-8"))


def to_graphml(fabric: Fabric, placement: Placement | None = None) -> str:
    """A GraphML document: a node a device, an edge a link; what is unknown is left out."""
    table = device_table(fabric, placement)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    for scope, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        lines += [
            f'  <key id="{scope}_{name}" for="{scope}" attr.name="{name}" attr.type="{kind}"/>'
            for name, kind in keys.items()
        ]
    lines.append('  <graph id="fabric" edgedefault="undirected">')
    lines += _nodes(table)
    lines += _edges(fabric)
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def write_graphml(fabric: Fabric, placement: Placement | None, path: str | Path) -> None:
    """Write the GraphML file in UTF-8."""
    Path(path).write_bytes(to_graphml(fabric, placement).encode("utf-8"))


def _dot_edges(fabric: Fabric, names: list[str]) -> list[str]:
    kinds = len(fabric.kinds)
    ends = np.stack([fabric.a, fabric.b]).astype(np.int64)
    low, high = ends.min(axis=0), ends.max(axis=0)
    keys, counts = np.unique(
        (low * fabric.devices + high) * max(kinds, 1) + fabric.kind, return_counts=True
    )
    pairs, kind = keys // max(kinds, 1), keys % max(kinds, 1)
    return [
        f"  {names[pair // fabric.devices]} -- {names[pair % fabric.devices]} "
        f"[kind={_dot(fabric.kinds[number].name)}, gbps={fabric.kinds[number].gbps:g}, "
        f"links={count}{_times(count, fabric.kinds[number].gbps)}];"
        for pair, number, count in zip(pairs.tolist(), kind.tolist(), counts.tolist(), strict=True)
    ]


def _times(count: int, gbps: float) -> str:
    return f', label="{count} x {gbps:g}G"' if count > 1 else ""


def _nodes(table: DeviceTable) -> list[str]:
    columns: dict[str, list[Any]] = {
        "label": table.name,
        "role": table.role,
        "tier": table.tier.tolist(),
        "pod": table.pod.tolist(),
        "rail": table.rail.tolist(),
        "plane": table.plane.tolist(),
        "rack": table.rack,
        "unit": table.unit.tolist(),
    }
    absent = {"pod": -1, "rail": -1, "plane": -1, "rack": "", "unit": 0}
    data = []
    for name, values in columns.items():
        missing = absent.get(name)
        known = {
            value: "" if value == missing else f'<data key="node_{name}">{_xml(str(value))}</data>'
            for value in set(values)
        }
        data.append([known[value] for value in values])
    return [
        f'    <node id="n{number}">{"".join(parts)}</node>'
        for number, parts in enumerate(zip(*data, strict=True))
    ]


def _edges(fabric: Fabric) -> list[str]:
    kinds = [
        f'<data key="edge_kind">{_xml(kind.name)}</data><data key="edge_gbps">{kind.gbps:g}</data>'
        for kind in fabric.kinds
    ]
    return [
        f'    <edge id="e{number}" source="n{a}" target="n{b}">{kinds[kind]}{length}{medium}'
        f'<data key="edge_source_port">{a_port}</data>'
        f'<data key="edge_target_port">{b_port}</data></edge>'
        for number, (a, b, kind, length, medium, a_port, b_port) in enumerate(
            zip(
                fabric.a.tolist(),
                fabric.b.tolist(),
                fabric.kind.tolist(),
                _lengths(fabric),
                _media(fabric),
                port_names(fabric, fabric.a_slot, fabric.a).tolist(),
                port_names(fabric, fabric.b_slot, fabric.b).tolist(),
                strict=True,
            )
        )
    ]


def _lengths(fabric: Fabric) -> list[str]:
    if fabric.length_m is None:
        return [""] * fabric.links
    metres = np.round(fabric.length_m.astype(np.float64), 2).tolist()
    return [f'<data key="edge_length_m">{length:g}</data>' for length in metres]


def _media(fabric: Fabric) -> list[str]:
    if fabric.medium is None:
        return [""] * fabric.links
    known = [f'<data key="edge_medium">{_xml(name)}</data>' for name in fabric.media]
    known.append("")
    return [known[index] for index in fabric.medium.tolist()]


def _dot(text: str) -> str:
    """A quoted identifier of DOT: only the quote needs a backslash, a backslash two."""
    text = printable(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _xml(text: str) -> str:
    return escape(printable(text))
