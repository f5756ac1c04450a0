"""Which switches and blocks has a file named so far? Topologies while they are being read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from netdesign.audit.report import Severity
from netdesign.audit.slurm_topology.content import (
    Fault,
    Plugin,
    SlurmContent,
    Topology,
    Unit,
)
from netdesign.audit.slurm_topology.hostlist import expand

MOST_NAMES = 1 << 18  # nodes and switches named in a file, so that no file fills the memory
_MOST_FAULTS = 200
_KINDS: Mapping[Plugin, str] = {"tree": "switch", "block": "block", "ring": "ring"}
_LONGEST_NAME = 64  # HOST_NAME_MAX


@dataclass
class TopologyDraft:
    """One topology; a name that stands twice is joined, and said."""

    name: str
    plugin: Plugin
    line: int
    units: dict[str, Unit] = field(default_factory=dict)
    block_sizes: tuple[int, ...] | None = None
    is_default: bool = False

    def finished(self) -> Topology:
        return Topology(
            name=self.name,
            plugin=self.plugin,
            units=tuple(self.units.values()),
            block_sizes=self.block_sizes,
            is_default=self.is_default,
            line=self.line,
        )


@dataclass
class Draft:
    """All of them, with what is wrong and how many names are left."""

    topologies: list[TopologyDraft] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    more_faults: int = 0
    left: int = field(default_factory=lambda: MOST_NAMES)
    units: int = 0
    full_line: int = 0  # from which on nothing is taken in, for there are too many names
    left_out: int = 0  # units behind it
    cut_lines: list[int] = field(default_factory=list)

    def fault(
        self,
        rule: str,
        severity: Severity,
        where: str,
        message: str,
        evidence: Mapping[str, Any] | None = None,
    ) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(Fault(rule, severity, where, message, evidence or {}))
        else:
            self.more_faults += 1

    def names(self, text: str, line: int, owner: str) -> tuple[str, ...]:
        """A hostlist expression expanded; what is wrong with it becomes faults."""
        if "{{" in text or "{%" in text:
            self.fault(
                "template",
                "warning",
                f"line {line}, {owner}",
                f"{text[:60]} is a place of a template (Jinja), and no names stand there: give "
                "the file that is made of it.",
                {"line": line},
            )
            return ()
        if self.full_line:
            return ()
        found = expand(text, self.left)
        self.left -= len(found.names)
        if found.is_full:
            self.full_line = line
        for reason in found.faults:
            rule = "range-too-large" if found.is_cut else "invalid-hostlist"
            self.fault(
                rule,
                "error",
                f"line {line}, {owner}",
                f"{reason}. Slurm refuses the list; here it counts as far as it can be read.",
                {"line": line},
            )
        return found.names

    def add(self, topology: TopologyDraft, unit: Unit) -> None:
        """A unit; its second definition is an error in Slurm."""
        self.units += 1
        if self.units > MOST_NAMES and not self.full_line:
            self.full_line = unit.line
        if self.full_line and unit.line > self.full_line:
            self.left_out += 1
            return
        if len(unit.name) > _LONGEST_NAME:
            self.fault(
                "name-too-long",
                "error",
                f"line {unit.line}",
                f"The name {unit.name[:40]}... has {len(unit.name)} characters; Slurm allows "
                f"{_LONGEST_NAME}.",
                {"characters": len(unit.name)},
            )
        before = topology.units.get(unit.name)
        if before is None:
            topology.units[unit.name] = unit
            return
        kind = _KINDS.get(topology.plugin, "unit")
        same = (before.nodes, before.children) == (unit.nodes, unit.children)
        self.fault(
            f"duplicate-{kind}",
            "error",
            unit.name,
            f"The {kind} {unit.name} is defined on line {before.line} and again on line "
            f"{unit.line}{' with the same members' if same else ' with other members'}; Slurm "
            "stops at the second definition. Keep one line with all its members.",
            {"lines": [before.line, unit.line]},
        )
        if not same:
            topology.units[unit.name] = replace(
                before,
                nodes=_joined(before.nodes, unit.nodes),
                children=_joined(before.children, unit.children),
            )

    def begins_anew(self, topology: TopologyDraft, name: str, apart: int, line: int) -> bool:
        """Whether a second definition is one of another file: text stands between the two."""
        before = topology.units.get(name)
        if before is None or before.line >= apart:
            return False
        self.fault(
            "several-files",
            "note",
            f"line {line}",
            f"{name} is defined on line {before.line} and again on line {line}, with other text "
            "in between: taken as two topologies. In one topology.conf Slurm would stop at the "
            "second definition.",
            {"lines": [before.line, line]},
        )
        return True

    def split(self, topology: TopologyDraft, apart: int) -> TopologyDraft:
        """A new topology with what was defined from a line on."""
        fresh = TopologyDraft(topology.name, topology.plugin, apart)
        fresh.units = {name: unit for name, unit in topology.units.items() if unit.line >= apart}
        topology.units = {name: unit for name, unit in topology.units.items() if unit.line < apart}
        self.topologies.append(fresh)
        return fresh

    def finished(self) -> SlurmContent:
        return SlurmContent(
            topologies=tuple(
                entry.finished() for entry in self.topologies if entry.units or entry.name
            ),
            faults=tuple(self.faults),
            more_faults=self.more_faults,
            full_line=self.full_line,
            left_out=self.left_out,
            cut_lines=tuple(self.cut_lines),
        )


def whole_names(text: str) -> str:
    """A line that is cut, without its last name, of which only a part may be here."""
    text = text[: max(text.rfind(","), text.rfind("["), text.rfind("=") + 1)]
    return text + "]" * (text.count("[") - text.count("]"))


def _joined(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first, *second]))


def whole_number(text: str) -> int | None:
    """A count as Slurm writes it; None if it is none."""
    plain = text.strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 12 else None
