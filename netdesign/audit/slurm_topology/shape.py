"""How the switches of a tree stand to each other: parents, levels, roots, islands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from netdesign.audit.slurm_topology.content import Topology, Unit

_MOST_STEPS = 2_000_000  # from roots down to leaves, all roots together


@dataclass(frozen=True)
class Shape:
    """The tree, or what it is instead of one."""

    parents: Mapping[str, tuple[str, ...]]  # of each switch that has one
    levels: Mapping[str, int]  # 0 leaf and up, as Slurm counts; without the cycles
    leaves: tuple[Unit, ...]  # switches without child switches
    roots: tuple[str, ...]  # switches without a parent
    islands: tuple[tuple[str, ...], ...]  # roots that are joined by some switch, island by island
    below: Mapping[str, frozenset[str]] | None  # leaves of each root; None if too many to follow
    undefined: tuple[tuple[str, str], ...]  # (switch, child that is defined nowhere)
    cycles: tuple[str, ...]  # switches that are below themselves, or above one that is

    @property
    def has_common_root(self) -> bool | None:
        """Whether some switch reaches every leaf; None if that is not known."""
        if self.below is None:
            return None
        return any(len(leaves) == len(self.leaves) for leaves in self.below.values())


def shape_of(topology: Topology) -> Shape:
    """The shape of a tree; linear in its links, apart from a bounded walk down from the roots."""
    units = {unit.name: unit for unit in topology.units}
    parents: dict[str, list[str]] = {}
    undefined: list[tuple[str, str]] = []
    children: dict[str, list[str]] = {}
    for unit in topology.units:
        for child in dict.fromkeys(unit.children):
            if child not in units:
                undefined.append((unit.name, child))
                continue
            parents.setdefault(child, []).append(unit.name)
            children.setdefault(unit.name, []).append(child)
    levels, cycles = _levels(units, children, parents)
    roots = tuple(name for name in units if name not in parents)
    leaves = tuple(unit for unit in topology.units if not unit.children)
    return Shape(
        parents={name: tuple(above) for name, above in parents.items()},
        levels=levels,
        leaves=leaves,
        roots=roots,
        islands=_islands(units, children, roots),
        below=_below(roots, children, {unit.name for unit in leaves}),
        undefined=tuple(undefined),
        cycles=cycles,
    )


def _levels(
    units: Mapping[str, Unit],
    children: Mapping[str, list[str]],
    parents: Mapping[str, list[str]],
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Levels from the leaves up; what is never reached stands on a cycle or above one."""
    waiting = {name: len(children.get(name, ())) for name in units}
    levels = {name: int(bool(units[name].children)) for name, open_ in waiting.items() if not open_}
    ready = list(levels)
    while ready:
        name = ready.pop()
        for above in parents.get(name, ()):
            waiting[above] -= 1
            if not waiting[above]:
                levels[above] = 1 + max(levels[child] for child in children[above])
                ready.append(above)
    return levels, tuple(name for name in units if name not in levels)


def _islands(
    units: Mapping[str, Unit], children: Mapping[str, list[str]], roots: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    head = {name: name for name in units}

    def find(name: str) -> str:
        while head[name] != name:
            head[name] = head[head[name]]
            name = head[name]
        return name

    for name, below in children.items():
        for child in below:
            head[find(child)] = find(name)
    islands: dict[str, list[str]] = {}
    for name in roots:
        islands.setdefault(find(name), []).append(name)
    return tuple(tuple(names) for names in islands.values())


def _below(
    roots: tuple[str, ...], children: Mapping[str, list[str]], leaves: set[str]
) -> dict[str, frozenset[str]] | None:
    below: dict[str, frozenset[str]] = {}
    alike: dict[tuple[str, ...], frozenset[str]] = {}
    steps = 0
    for root in roots:
        first = tuple(children.get(root, ()))
        if first and first in alike:
            below[root] = alike[first]
            continue
        seen = {root}
        waiting = [root]
        while waiting:
            for child in children.get(waiting.pop(), ()):
                steps += 1
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)
            if steps > _MOST_STEPS:
                return None
        below[root] = alike[first] = frozenset(seen & leaves)
    return below
