"""NetQ's graph of a topology: nodes in tiers, and cables bundled by pairs of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from netdesign.audit.lldp.draft import Entry, told
from netdesign.audit.lldp.json_entries import listed


class _Node(NamedTuple):
    name: str
    is_switch: bool


def is_graph(here: Mapping[str, Any]) -> bool:
    """Whether this is one: a list of links that are bundles of cables."""
    links = here.get("links")
    return isinstance(links, list) and any(
        isinstance(link, dict) and "compounded_links" in link for link in links
    )


def graph_entries(line: int, here: Mapping[str, Any]) -> Iterator[Entry]:
    """Each cable from its switch; between two switches from both ends, for both are in it."""
    nodes = dict(_nodes(here.get("nodes")))
    for bundle in listed(here.get("links")):
        cables = bundle.get("compounded_links") if isinstance(bundle, dict) else None
        for cable in listed(cables):
            ends = _ends(cable)
            if len(ends) != 2:
                continue
            (a, a_port), (b, b_port) = ends
            known = [nodes.get(name, _Node(name, True)) for name in (a, b)]
            if known[0].is_switch or not known[1].is_switch:
                yield _entry(line, known[0], a_port, known[1], b_port)
            if known[1].is_switch:
                yield _entry(line, known[1], b_port, known[0], a_port)


def _entry(line: int, own: _Node, own_port: str, other: _Node, other_port: str) -> Entry:
    return Entry(
        line,
        local_device=own.name,
        local_port=own_port,
        name=other.name,
        port=other_port,
        capabilities=("bridge",) if other.is_switch else ("station",),
    )


def _ends(cable: Any) -> list[tuple[str, str]]:
    interfaces = cable.get("interfaces") if isinstance(cable, dict) else None
    ends = [
        (told(end.get("node")), told(end.get("interface")))
        for end in listed(interfaces)
        if isinstance(end, dict)
    ]
    return [(node, port) for node, port in ends if node and port]


def _nodes(value: Any) -> Iterator[tuple[str, _Node]]:
    """Nodes by id; those of a tier stand inside of it."""
    for tier in listed(value):
        if not isinstance(tier, dict):
            continue
        for node in (tier, *listed(tier.get("compounded_nodes"))):
            if isinstance(node, dict) and told(node.get("id")) and told(node.get("name")):
                kind = told(node.get("device_type")).lower()
                tier = node.get("tier")
                is_switch = "switch" in kind or (not kind and isinstance(tier, int) and tier > 0)
                yield told(node["id"]), _Node(told(node["name"]), is_switch)
