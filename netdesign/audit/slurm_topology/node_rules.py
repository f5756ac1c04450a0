"""Rules on the names of nodes: twice, nowhere, under another name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from netdesign.audit.limits import limit
from netdesign.audit.report import Finding
from netdesign.audit.slurm_topology.content import Topology
from netdesign.audit.slurm_topology.hostlist import fold, numbered
from netdesign.wording import named, plural

_MOST_LISTED = 50  # names in the evidence of one finding
_MOST_SPAN = 1 << 21  # numbers of a sequence that are looked at


@dataclass(frozen=True)
class Family:
    """Nodes that differ in their last number alone."""

    prefix: str
    suffix: str
    names: Mapping[int, str]

    @property
    def missing(self) -> list[int]:
        """Numbers between the lowest and the highest that no node has."""
        low, high = min(self.names), max(self.names)
        if high - low >= _MOST_SPAN:
            return []
        return [number for number in range(low, high + 1) if number not in self.names]

    def name(self, number: int) -> str:
        """A missing node's name, as wide as its neighbour's."""
        near = self.names[min(self.names, key=lambda other: abs(other - number))]
        part = numbered(near)
        width = part.width if part else 0
        return f"{self.prefix}{str(number).zfill(width)}{self.suffix}"


def node_findings(topology: Topology) -> Iterator[Finding]:
    """Everything that is said about nodes, whatever the plugin."""
    yield from _twice(topology)
    families = _families(topology)
    strays = _strays(families)
    yield from _outside(topology, families, strays)
    yield from _nowhere(topology, families, strays)


def _owners(topology: Topology) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Nodes that several units have, in the order of the file, with these units."""
    first: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for unit in topology.units:
        name = unit.name
        for node in unit.nodes:
            before = first.setdefault(node, name)
            if before != name:
                several.setdefault(node, [before]).append(name)
    if several:
        for node in first:
            if node in several:
                yield node, tuple(dict.fromkeys(several[node]))


def _twice(topology: Topology) -> Iterator[Finding]:
    one, several = topology.words
    rule = "node-on-two-leaves" if topology.plugin == "tree" else f"node-in-two-{several}"
    shared: dict[tuple[str, ...], list[str]] = {}
    for node, owners in _owners(topology):
        shared.setdefault(owners, []).append(node)
    for names, nodes in list(shared.items())[:_MOST_LISTED]:
        many = len(nodes) > 1
        shown = named(names, 4)
        yield Finding(
            rule,
            "error",
            fold(nodes),
            f"{fold(nodes)} {'are' if many else 'is'} on {len(names)} {several}: {shown}. Slurm "
            f"places jobs by the wrong {one} for {'them' if many else 'it'}; look up the cable "
            f"and keep {'each' if many else 'the node'} on one line.",
            {"nodes": nodes[:_MOST_LISTED], "count": len(nodes), several: list(names[:50])},
            "slurm-topology",
        )
    for unit in topology.units:
        if len(unit.nodes) > 1 and len(set(unit.nodes)) < len(unit.nodes):
            again = len(unit.nodes) - len(set(unit.nodes))
            yield Finding(
                "node-twice-in-a-list",
                "note",
                unit.name,
                f"The list of {unit.name} names {plural(again, 'node')} twice; it counts once.",
                {"repeats": again},
            )


def _families(topology: Topology) -> dict[tuple[str, str], Family]:
    members: dict[tuple[str, str], dict[int, str]] = {}
    for unit in topology.units:
        for node in unit.nodes:
            part = numbered(node)
            if part is None:
                continue
            key = (part.prefix, part.suffix)
            if key not in members:
                members[key] = {}
            members[key][part.number] = node
    return {key: Family(*key, names) for key, names in members.items()}


def _strays(families: Mapping[tuple[str, str], Family]) -> dict[tuple[str, str], Family]:
    """Small families whose numbers are just those that a large one lacks, by the lost prefix.

    ``circe-n[001-016],n[019-020]`` names n019 and not circe-n019.
    """
    strays: dict[tuple[str, str], Family] = {}
    least = limit("sequence-least")
    large = [entry for entry in families.values() if len(entry.names) >= least]
    if len(large) > _MOST_LISTED:
        return {}
    for key, small in families.items():
        for family in large:
            if (
                small.prefix != family.prefix
                and small.suffix == family.suffix
                and family.prefix.endswith(small.prefix)
                and 2 * len(small.names) <= len(family.names)
                and not any(number in family.names for number in small.names)
                and min(family.names) <= max(small.names) + 1
                and min(small.names) <= max(family.names) + 1
            ):
                strays[key] = family
    return strays


def _outside(
    topology: Topology,
    families: Mapping[tuple[str, str], Family],
    strays: Mapping[tuple[str, str], Family],
) -> Iterator[Finding]:
    for key, family in strays.items():
        nodes = list(families[key].names.values())
        meant = [family.name(number) for number in families[key].names]
        where = next(unit for unit in topology.units if nodes[0] in unit.nodes)
        yield Finding(
            "name-outside-prefix",
            "error",
            f"{where.name}, line {where.line}",
            f"{fold(nodes)} has not the prefix {family.prefix} of the other {len(family.names)} "
            f"nodes, and {fold(meant)} is named nowhere: a comma behind a bracket starts a new "
            f"name. Put the numbers into the bracket if {fold(meant)} is meant.",
            {"nodes": nodes[:_MOST_LISTED], "count": len(nodes), "meant": meant[:_MOST_LISTED]},
            "slurm-topology",
        )


def _nowhere(
    topology: Topology,
    families: Mapping[tuple[str, str], Family],
    strays: Mapping[tuple[str, str], Family],
) -> Iterator[Finding]:
    _, several = topology.words
    for key, family in families.items():
        if key in strays or len(family.names) < limit("sequence-least"):
            continue
        explained = {
            number
            for stray, home in strays.items()
            if home is family
            for number in families[stray].names
        }
        missing = [number for number in family.missing if number not in explained]
        span = max(family.names) - min(family.names) + 1
        if not missing or len(missing) > limit("sequence-most-missing") * span:
            continue
        is_hole = len(missing) <= limit("sequence-holes") * span and not _is_regular(missing)
        names = [family.name(number) for number in missing[: 20 * _MOST_LISTED]]
        low, high = family.names[min(family.names)], family.names[max(family.names)]
        yield Finding(
            "node-nowhere" if is_hole else "sequence-with-gaps",
            "error" if is_hole else "note",
            fold(names),
            f"{fold(names)} {'are' if len(names) > 1 else 'is'} on none of the {several}, though "
            f"{len(family.names):,} of the {span:,} names from {low} to {high} are. "
            + (
                "If the node exists, Slurm cannot place it by the network: add it to its line."
                if is_hole
                else "If those nodes do not exist, nothing is wrong."
            ),
            {"missing": names[:_MOST_LISTED], "count": len(missing), "first": low, "last": high},
            "slurm-topology" if is_hole else "",
        )


def _is_regular(missing: list[int]) -> bool:
    """Whether gaps come at equal distances: racks that are numbered in twenties, for one."""
    starts = [
        number
        for place, number in enumerate(missing)
        if place == 0 or number != missing[place - 1] + 1
    ]
    steps = {later - before for before, later in zip(starts, starts[1:], strict=False)}
    return len(starts) > 1 and len(steps) == 1 and len(missing) % len(starts) == 0
