"""topology.yaml, line by line: a cut or spliced file still gives what is sure.

The layout is Slurm's (25.05 and later): a list of topologies, each a tree, blocks, rings, a torus
or flat. Keys and values are all that is looked at, so block style, flow style and JSON read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from netdesign.audit.document import Document
from netdesign.audit.report import Understood
from netdesign.audit.slurm_topology.content import Plugin, Unit
from netdesign.audit.slurm_topology.draft import Draft, TopologyDraft, whole_names, whole_number

_PLUGINS: dict[str, Plugin] = {
    "tree": "tree",
    "block": "block",
    "ring": "ring",
    "torus3d": "torus3d",
    "torus": "torus3d",
    "flat": "flat",
}
_UNITS = frozenset(("switch", "block", "ring", "torus", "name"))
_MEMBERS = frozenset(("nodes", "children"))
_LISTS = frozenset(("switches", "blocks", "rings", "toruses", "regions", "placements"))
_OTHER = frozenset(("anchor", "anchor_seed", "anchor_spacing", "dims", "x", "y", "z"))
_KNOWN = frozenset(
    (
        *_PLUGINS,
        *_UNITS,
        *_MEMBERS,
        *_LISTS,
        *_OTHER,
        "topology",
        "cluster_default",
        "block_sizes",
        "link_speed",
    )
)
_MARKS = re.compile("[\"'{}]")  # of flow style and quotes
_KEY = re.compile(r"""["']?([A-Za-z_0-9]{1,24})["']?\s{0,4}:(?=\s|$|["'\[{])\s{0,64}""")
_START = re.compile(r"""\s*(?:-\s+)*\{?\s*["']?topology["']?\s{0,4}:\s{0,8}["']?[^\s"'{\[]""")


class _Pair(NamedTuple):
    key: str
    value: str
    starts_item: bool  # behind a dash or an opening brace


@dataclass
class _Item:
    """A switch, block, ring or torus whose keys are still coming."""

    line: int = 0
    name: str = ""
    nodes: list[str] = field(default_factory=list)
    children: list[str] = field(default_factory=list)
    link_speed: int | None = None
    size: dict[str, int] = field(default_factory=dict)


class _Reader:
    """One pass over the lines."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._topology: TopologyDraft | None = None
        self._item = _Item()
        self._list_key = ""  # whose values stand on the lines below as "- value"
        self._sizes: list[int] = []
        self._in_regions = False

    def line(self, number: int, text: str) -> bool:
        """Take a line in; whether it was understood."""
        if self._topology is None and _START.match(text) is None:
            return False
        pairs = list(_pairs(text))
        if not pairs:
            return self._bare(number, text)
        if not any(pair.key in _KNOWN for pair in pairs):
            return False
        for pair in pairs:
            self._pair(number, pair)
        return True

    def end(self) -> None:
        self._finish_topology()

    def _bare(self, number: int, text: str) -> bool:
        value = text.strip().removeprefix("-").strip(" \t\"',")
        if not value.strip("-[]{}"):
            return text.strip() != ""
        if not self._list_key or not text.lstrip().startswith(("-", '"', "'")):
            return self._list_key in ("nodes", "children") and self._more(number, text)
        self._value(number, self._list_key, value)
        return True

    def _more(self, number: int, text: str) -> bool:
        """A scalar that goes on below its key."""
        words = text.split()
        if len(words) == 1 and text[:1] in " \t" and len(words[0]) > 1:
            self._value(number, self._list_key, words[0].rstrip(","))
            return True
        return False

    def _pair(self, number: int, pair: _Pair) -> None:
        key, value = pair.key, pair.value
        if key == "topology" and value:
            self._finish_topology()
            self._topology = TopologyDraft(value, "unknown", number)
            self._draft.topologies.append(self._topology)
            return
        if self._topology is None:
            return
        self._list_key = key if not value and key in (*_MEMBERS, "block_sizes") else ""
        if key == "cluster_default":
            self._topology.is_default = value.lower() in ("true", "yes", "on")
        elif key in _PLUGINS and key not in _UNITS:
            if key != "flat" or value.lower() in ("true", "yes", "on", ""):
                self._plugin(number, _PLUGINS[key])
        elif key in _PLUGINS and not value:
            self._plugin(number, _PLUGINS[key])
        elif key in _UNITS:
            if self._topology.plugin == "unknown" and key in ("switch", "block"):
                self._topology.plugin = "tree" if key == "switch" else "block"
            if pair.starts_item or self._item.name:
                self._finish_item()
            self._item.line, self._item.name = number, value
        elif key in ("regions", "placements"):
            self._in_regions = True
        elif key in (*_MEMBERS, "block_sizes", "link_speed"):
            if pair.starts_item and not self._in_regions:
                self._finish_item()
            self._item.line = self._item.line or number
            if value:
                self._value(number, key, value)
        elif key in ("x", "y", "z") and not self._in_regions:
            size = whole_number(value)
            if size is not None:
                self._item.size.setdefault(key, size)

    def _value(self, number: int, key: str, value: str) -> None:
        if key == "block_sizes":
            for part in value.strip("[]").split(",")[:64]:
                self._size(number, part.strip(" \"'"))
        elif key == "link_speed":
            self._item.link_speed = whole_number(value)
        else:
            owner = self._item.name or "an unnamed unit"
            names = self._draft.names(value.strip("\"'"), number, owner)
            (self._item.nodes if key == "nodes" else self._item.children).extend(names)

    def _size(self, number: int, text: str) -> None:
        size = whole_number(text)
        if size:
            self._sizes.append(size)
            return
        self._draft.fault(
            "invalid-block-sizes",
            "error",
            f"line {number}",
            f"block_sizes holds {text[:20]!r}, which is no size; Slurm stops here.",
        )

    def _plugin(self, number: int, plugin: Plugin) -> None:
        self._finish_item()
        self._in_regions = False
        if self._topology is None:
            return
        before = self._topology.plugin
        if before not in ("unknown", plugin):
            self._draft.fault(
                "two-plugins",
                "error",
                f"line {number}, {self._topology.name}",
                f"The topology {self._topology.name} is {before} and also {plugin}; Slurm takes "
                "exactly one. Make two topologies of it.",
                {"line": number},
            )
            return
        self._topology.plugin = plugin

    def _finish_item(self) -> None:
        item, self._item = self._item, _Item()
        self._in_regions = False
        if self._topology is None or not (item.name or item.nodes or item.children):
            return
        if not item.name:
            self._draft.fault(
                "no-name",
                "error",
                f"line {item.line}, {self._topology.name}",
                f"A unit of the topology {self._topology.name} has no name; Slurm refuses it.",
            )
        nodes, children = tuple(item.nodes), tuple(item.children)
        if nodes and children:
            self._draft.fault(
                "nodes-and-switches",
                "error",
                f"switch {item.name}",
                f"Switch {item.name} has both nodes and child switches. Give the nodes to a leaf "
                "switch of their own below it.",
                {"nodes": len(nodes), "switches": len(children)},
            )
        name = item.name or f"(line {item.line})"
        size = item.size
        dimensions = (size["x"], size["y"], size["z"]) if len(size) == 3 else None
        self._draft.add(
            self._topology, Unit(name, item.line, nodes, children, item.link_speed, dimensions)
        )

    def _finish_topology(self) -> None:
        self._finish_item()
        if self._topology is not None and self._sizes:
            self._topology.block_sizes = tuple(self._sizes)
        self._sizes, self._list_key = [], ""
        self._topology = None


def read_yaml(document: Document, draft: Draft, used: Understood) -> None:
    """Every topology of the document, whatever stands around it."""
    reader = _Reader(draft)
    for line in document.lines():
        text = line.text
        place = text.find("#")
        if place == 0 or (place > 0 and text[place - 1] in " \t"):
            text = text[:place].rstrip()
            if not text.strip():
                used.add(line.number)
                continue
        if line.cut:
            text = whole_names(text)
        if text and reader.line(line.number, text):
            used.add(line.number)
            if line.cut:
                draft.cut_lines.append(line.number)
    reader.end()


def _pairs(text: str) -> Iterator[_Pair]:
    """Keys with their values; a flow mapping gives several."""
    if _MARKS.search(text) is None:
        plain = text.lstrip(" ")
        starts_item = plain.startswith("- ")
        key, colon, value = (plain[2:] if starts_item else plain).partition(": ")
        if colon and key in _KNOWN and ":" not in value and not value.endswith(","):
            yield _Pair(key, _unquoted(value.strip()), starts_item)
            return
    found = [entry for entry in _KEY.finditer(text) if _is_key(text, entry.start())]
    is_flow = "{" in text or len(found) > 1
    for place, entry in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        value = text[entry.end() : end].strip()
        if is_flow:
            value = value.rstrip(",{}- \t")
            if value.count("]") > value.count("["):
                value = value.rstrip("]").rstrip(" }")
        else:
            value = value.rstrip(",") if value.endswith(('",', "],")) else value
        before = text[: entry.start()].rstrip()
        yield _Pair(
            entry.group(1).lower() if entry.group(1).lower() in _KNOWN else entry.group(1),
            _unquoted(value),
            before.endswith(("-", "{")),
        )


def _is_key(text: str, place: int) -> bool:
    before = text[max(0, place - 1) : place]
    return before in ("", " ", "\t", "{", ",", "-")


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return "" if value in ("{", "[", "|", ">", "{}", "[]") else value
