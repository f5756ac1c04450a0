"""The network picture of a small fabric: each server, each switch, each link."""

from __future__ import annotations

from typing import Any, NamedTuple

from netdesign.charts.network_shape import BOX_HEIGHT, LEFT, RIGHT, Row, Shape

Marks = list[dict[str, Any]]

ONE = {"server": "Server", "leaf": "Leaf", "spine": "Spine", "core": "Core"}
_WIDEST_BOX = 9.0
_LINE_WIDTH = 1.3


class _End(NamedTuple):
    lower: int
    upper: int
    tip: str


def draw(shape: Shape) -> tuple[Marks, Marks, Marks, Marks]:
    """Boxes, links and names of every single thing; no link is counted."""
    boxes: Marks = []
    names: Marks = []
    for row in shape.rows:
        for index in range(row.count):
            left, right = _edges(row, index)
            name = f"{ONE[row.kind]} {index + 1}"
            middle = (left + right) / 2
            boxes.append(_box(left, right, row.y, name))
            short = name if row.count <= 8 else str(index + 1)
            names.append({"x": middle, "y": row.y, "text": short, "tip": name})
    links: Marks = []
    for lower, upper in zip(shape.rows, shape.rows[1:], strict=False):
        ends = _access(shape) if lower.kind == "server" else _uplinks(shape, lower, upper)
        links.extend(_lines(lower, upper, ends))
    return boxes, links, names, []


def _edges(row: Row, index: int) -> tuple[float, float]:
    slot = (RIGHT - LEFT) / row.count
    half = min(0.76 * slot, _WIDEST_BOX) / 2
    centre = LEFT + (index + 0.5) * slot
    return centre - half, centre + half


def _box(left: float, right: float, y: float, tip: str) -> dict[str, Any]:
    half = BOX_HEIGHT / 2
    return {"x": left, "x2": right, "y": y - half, "y2": y + half, "tip": tip}


def _access(shape: Shape) -> list[_End]:
    """Each port of each server to its leaf."""
    ends = []
    for server in range(shape.rows[0].count):
        for port in range(shape.cabling.ports):
            leaf = shape.cabling.leaf(server, port)
            tip = f"Server {server + 1}, port {port + 1} to leaf {leaf + 1}"
            ends.append(_End(server, leaf, tip))
    return ends


def _uplinks(shape: Shape, lower: Row, upper: Row) -> list[_End]:
    """Uplinks go round the switches above, or round those of their rail, one after the other."""
    ends = []
    fabrics = shape.fabrics
    below, above = lower.count // fabrics, upper.count // fabrics
    for switch in range(lower.count):
        fabric = switch // below
        first = lower.links_up * switch // lower.count
        last = lower.links_up * (switch + 1) // lower.count
        before = lower.links_up * fabric * below // lower.count
        for link in range(first, last):
            goal = fabric * above + (link - before) % above
            names = f"{ONE[lower.kind]} {switch + 1} to {ONE[upper.kind].lower()} {goal + 1}"
            ends.append(_End(switch, goal, names))
    return ends


def _lines(lower: Row, upper: Row, ends: list[_End]) -> Marks:
    """Each link between its own two ports, ports in the order of what they lead to."""
    bottom = _ports(lower, [(end.lower, end.upper, n) for n, end in enumerate(ends)])
    top = _ports(upper, [(end.upper, end.lower, n) for n, end in enumerate(ends)])
    half = BOX_HEIGHT / 2
    return [
        {
            "x": bottom[n],
            "y": lower.y + half,
            "x2": top[n],
            "y2": upper.y - half,
            "width": _LINE_WIDTH,
            "opacity": 0.75,
            "tapered": lower.taper > 1,
            "tip": end.tip,
        }
        for n, end in enumerate(ends)
    ]


def _ports(row: Row, ends: list[tuple[int, int, int]]) -> dict[int, float]:
    """Where each link meets its box in this row."""
    at: dict[int, list[tuple[int, int]]] = {}
    for box, other, number in ends:
        at.setdefault(box, []).append((other, number))
    places: dict[int, float] = {}
    for box, links in at.items():
        left, right = _edges(row, box)
        for position, (_, number) in enumerate(sorted(links)):
            places[number] = left + (right - left) * (position + 0.5) / len(links)
    return places
