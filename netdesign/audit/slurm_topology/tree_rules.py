"""Do the switches of a topology file form one tree, as Slurm needs it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from netdesign.audit.report import Finding
from netdesign.audit.slurm_topology.content import Topology
from netdesign.audit.slurm_topology.shape import Shape
from netdesign.wording import named

_MOST_LISTED = 50
_MOST_NAMED = 6
_SOURCE = "slurm-topology"


def tree_findings(topology: Topology) -> Iterator[Finding]:
    """Everything that is said about the switches of a tree."""
    shape = topology.shape
    yield from _undefined(shape)
    yield from _cycles(shape)
    yield from _roots(topology, shape)
    yield from _several_parents(shape)
    yield from _link_speeds(topology)
    yield from _leaf_sizes(shape)
    yield from _depths(shape)
    yield from _empty(topology)


def _some(names: Iterable[str]) -> str:
    return named(names, _MOST_NAMED)


def _undefined(shape: Shape) -> Iterator[Finding]:
    missing: dict[str, list[str]] = {}
    for switch, child in shape.undefined:
        missing.setdefault(switch, []).append(child)
    for switch, children in list(missing.items())[:_MOST_LISTED]:
        plural = len(children) > 1
        yield Finding(
            "undefined-switch",
            "error",
            switch,
            f"{switch} has the child switch{'es' if plural else ''} {_some(children)}, and no line "
            f"defines {'them' if plural else 'it'}; Slurm stops here. Add the missing "
            f"line{'s' if plural else ''}, or mend the name.",
            {"children": children[:_MOST_LISTED], "count": len(children)},
            _SOURCE,
        )


def _cycles(shape: Shape) -> Iterator[Finding]:
    if shape.cycles:
        yield Finding(
            "switch-cycle",
            "error",
            _some(shape.cycles),
            f"The switches {_some(shape.cycles)} are below themselves, or above a switch that is: "
            "that is no tree, and Slurm stops. Let child switches only ever be lower ones.",
            {"switches": list(shape.cycles[:_MOST_LISTED]), "count": len(shape.cycles)},
            _SOURCE,
        )


def _roots(topology: Topology, shape: Shape) -> Iterator[Finding]:
    if len(topology.units) < 2 or not shape.roots:
        return
    evidence = {
        "roots": list(shape.roots[:_MOST_LISTED]),
        "count": len(shape.roots),
        "islands": len(shape.islands),
    }
    advice = (
        "That is legal, and right where the networks are separate; else add one top switch over "
        "all of them, or set TopologyParam=TopoOptional."
    )
    if all(not unit.children for unit in topology.units):
        yield Finding(
            "no-spine",
            "warning",
            _some(shape.roots),
            f"There is no spine: {len(shape.roots)} leaf switches and no switch above them, so no "
            f"job can span two of them. {advice}",
            evidence,
            _SOURCE,
        )
    elif len(shape.islands) > 1:
        yield Finding(
            "disjoint-roots",
            "warning",
            _some([island[0] for island in shape.islands]),
            f"The tree falls into {len(shape.islands)} parts without a common root "
            f"({_some([', '.join(island[:3]) for island in shape.islands])}), so no job can span "
            f"two of them. {advice}",
            evidence,
            _SOURCE,
        )
    elif shape.has_common_root is False:
        yield Finding(
            "no-common-root",
            "warning",
            _some(shape.roots),
            f"No switch reaches every leaf: each of the {len(shape.roots)} roots "
            f"({_some(shape.roots)}) has only some below it, so a job spans only the leaves of "
            f"one. {advice}",
            evidence,
            _SOURCE,
        )


def _several_parents(shape: Shape) -> Iterator[Finding]:
    counts = Counter(len(above) for above in shape.parents.values() if len(above) > 1)
    if not counts:
        return
    total = sum(counts.values())
    most = max(counts)
    over_all = ""
    if shape.below is not None and len(shape.roots) > 1:
        full = sum(len(below) == len(shape.leaves) for below in shape.below.values())
        if full > 1:
            over_all = f" {full} roots are each over all {len(shape.leaves)} leaves."
    yield Finding(
        "mesh",
        "note",
        f"{total} switches",
        f"{total} switches have several parents, up to {most}: that is a mesh of leaves and "
        f"spines, and nothing stands twice.{over_all} One top switch over the leaves tells Slurm "
        "the same and lets it place jobs faster.",
        {"switches": total, "most_parents": most},
        _SOURCE,
    )


def _link_speeds(topology: Topology) -> Iterator[Finding]:
    """Switches of one tier that say different speeds."""
    shape = topology.shape
    tiers: dict[int, dict[int | None, list[str]]] = {}
    for unit in topology.units:
        level = shape.levels.get(unit.name)
        if level is not None:
            tiers.setdefault(level, {}).setdefault(unit.link_speed, []).append(unit.name)
    for level, speeds in sorted(tiers.items()):
        if len(speeds) < 2:
            continue
        common = max(speeds, key=lambda speed: len(speeds[speed]))
        odd = {speed: names for speed, names in speeds.items() if speed != common}
        told = "; ".join(
            f"{_some(names)} {'no LinkSpeed' if speed is None else speed}"
            for speed, names in odd.items()
        )
        yield Finding(
            "link-speed-asymmetric",
            "note",
            _some([name for names in odd.values() for name in names]),
            f"Switches of one tier say different link speeds: {told}, against "
            f"{'no LinkSpeed' if common is None else common} of {len(speeds[common])} others. "
            "Slurm does not use the figure, but if it is true the links are asymmetric: check the "
            "cables, or mend the file.",
            {
                "tier": level,
                "speeds": {str(speed): names[:_MOST_LISTED] for speed, names in speeds.items()},
            },
            _SOURCE,
        )


def _leaf_sizes(shape: Shape) -> Iterator[Finding]:
    sizes = Counter(len(unit.nodes) for unit in shape.leaves if unit.nodes)
    if len(sizes) < 2:
        return
    low, high = min(sizes), max(sizes)
    few = [unit.name for unit in shape.leaves if len(unit.nodes) == low]
    many = [unit.name for unit in shape.leaves if len(unit.nodes) == high]
    yield Finding(
        "leaf-sizes-uneven",
        "note",
        f"{len(shape.leaves)} leaves",
        f"Leaves have {low} to {high} nodes ({low} on {named(few)}; {high} on "
        f"{named(many)}): a job of whole leaves fits some of them only.",
        {"nodes": {str(size): count for size, count in sorted(sizes.items())}},
    )


def _depths(shape: Shape) -> Iterator[Finding]:
    """Switches whose children are of different tiers."""
    levels: dict[str, set[int]] = {}
    for child, above in shape.parents.items():
        for parent in above:
            if child in shape.levels:
                levels.setdefault(parent, set()).add(shape.levels[child])
    uneven = [name for name, found in levels.items() if len(found) > 1]
    if uneven:
        yield Finding(
            "depth-uneven",
            "note",
            _some(uneven),
            f"{_some(uneven)} {'have' if len(uneven) > 1 else 'has'} child switches of different "
            "tiers, so that some leaves are further from the top than others. Slurm allows it.",
            {"switches": uneven[:_MOST_LISTED], "count": len(uneven)},
        )


def _empty(topology: Topology) -> Iterator[Finding]:
    empty = [unit.name for unit in topology.units if not unit.nodes and not unit.children]
    if empty:
        yield Finding(
            "empty-switch",
            "note",
            _some(empty),
            f"{_some(empty)} {'have' if len(empty) > 1 else 'has'} neither nodes nor child "
            "switches that could be read. Slurm takes it for a leaf without nodes.",
            {"switches": empty[:_MOST_LISTED], "count": len(empty)},
        )
