"""Dragonfly+: groups of leaves and spines, joined by links between their spines (shpiner-2017).

Inside a group every leaf sees every spine. Of k-port switches a group has k/2 leaves and k/2
spines, half of each switch's ports down and half up, and up to (k/2)^2 + 1 groups can be joined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.direct import (
    Attachment,
    Obstacle,
    assemble,
    check,
    check_links,
    lanes,
    link_speeds,
    refuse,
    usable_ports,
)
from netdesign.topology.group_links import crossing_links, group_links, linked_ports, spread_links
from netdesign.topology.spec import FabricCounts, FabricSpec

KINDS = ("host", "leaf_spine", "global")


@dataclass(frozen=True)
class DragonflyPlusShape:
    """A dragonfly+ with every number settled."""

    endpoints: int
    groups: int
    p: int  # endpoints of a leaf
    a: int  # leaves of a group, and as many spines
    h: int  # global ports of a spine
    breakout: int
    radix: int  # ports of a switch, spare ones included
    spare_ports: int
    obstacle: Obstacle | None
    notes: tuple[str, ...]

    @property
    def leaves(self) -> int:
        return self.groups * self.a

    @property
    def attached(self) -> Attachment:
        return Attachment(self.endpoints, self.leaves, self.p, self.breakout)

    @property
    def leaf_spine_links(self) -> int:
        return self.groups * self.a * self.a

    @property
    def global_links(self) -> int:
        return linked_ports(self.groups, self.a * self.h) // 2

    @property
    def largest(self) -> int:
        """Endpoints in as many groups as the global ports can join."""
        return self.a * self.p * (self.a * self.h + 1)


def dragonfly_plus_shape(spec: FabricSpec) -> DragonflyPlusShape:
    """Settle the switches of a group and the groups.

    Raises
    ------
    DesignError    no size is given, or the switch has too few ports for any dragonfly+
    """
    check(spec)
    breakout = lanes(spec)
    usable = usable_ports(spec)
    half = _half(spec, breakout, usable)
    a = half if spec.a is None else spec.a
    h = spec.h
    if h is None:
        h = half if usable is None else max(min(half, usable - a), 1)
    p = spec.p
    if p is None:
        p = half * breakout if usable is None else max(min(half, usable - a), 1) * breakout
    groups = spec.groups
    if groups is None:
        groups = a * h + 1 if spec.endpoints is None else -(-spec.endpoints // (a * p))
    endpoints = spec.endpoints if spec.endpoints is not None else groups * a * p
    needed = a + max(h, -(-p // breakout))
    return DragonflyPlusShape(
        endpoints=min(endpoints, groups * a * p),
        groups=groups,
        p=p,
        a=a,
        h=h,
        breakout=breakout,
        radix=spec.radix if spec.radix is not None else needed + spec.spare_ports,
        spare_ports=spec.spare_ports,
        obstacle=_obstacle(spec, endpoints, groups, (p, a, h), needed),
        notes=_notes(spec, groups, p, a, h),
    )


def size_dragonfly_plus(spec: FabricSpec) -> FabricCounts:
    """Counts of a dragonfly+ by formula.

    The diameter is that between leaves with hosts; the bisection that between halves of whole
    groups, or, where it is less, all that half the leaves send up; None where groups are empty.
    """
    shape = dragonfly_plus_shape(spec)
    attached = shape.attached
    between = shape.leaf_spine_links + shape.global_links
    usable = 2 * shape.leaves * (shape.radix - shape.spare_ports)
    return FabricCounts(
        family=spec.family,
        endpoints=shape.endpoints,
        switches={"leaf": shape.leaves, "spine": shape.leaves},
        links={
            "host": shape.endpoints,
            "leaf_spine": shape.leaf_spine_links,
            "global": shape.global_links,
        },
        link_gbps=link_speeds(spec, KINDS),
        oversubscription=_oversubscription(spec, shape),
        diameter=_diameter(shape),
        bisection_links=_bisection(shape),
        transceivers=attached.transceivers + 2 * between,
        stranded_ports=max(usable - attached.ports - 2 * between, 0),
        largest=shape.largest,
        buildable=shape.obstacle is None,
        reason="" if shape.obstacle is None else shape.obstacle.sentence,
        notes=shape.notes,
    )


def build_dragonfly_plus(spec: FabricSpec) -> Fabric:
    """Every switch and link of a dragonfly+; leaves are numbered group by group, then spines.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = dragonfly_plus_shape(spec)
    if shape.obstacle is not None:
        refuse(shape.obstacle)
    total = shape.endpoints + shape.leaf_spine_links + shape.global_links
    check_links("dragonfly+", total, shape.endpoints)
    groups, a, h = shape.groups, shape.a, shape.h
    leaf = np.repeat(np.arange(shape.leaves, dtype=np.int64), a)
    spine = leaf // a * a + np.tile(np.arange(a, dtype=np.int64), shape.leaves)
    left, left_port, right, right_port = group_links(groups, a * h, spread=h)
    first = shape.leaves
    group = np.repeat(np.arange(groups), a)
    return assemble(
        spec,
        shape.attached,
        {
            "leaf_spine": (leaf, first + spine),
            "global": (
                first + left * a + left_port // h,
                first + right * a + right_port // h,
            ),
        },
        ports=shape.radix,
        group=np.concatenate([group, group]),
        tier_names=("leaf", "spine"),
        tier=np.repeat(np.arange(2), shape.leaves),
        notes=shape.notes,
    )


def _half(spec: FabricSpec, breakout: int, usable: int | None) -> int:
    """Leaves, and spines, of a group: half the ports of a switch."""
    if usable is not None:
        half = usable // 2
    elif spec.a is not None or spec.h is not None:
        half = spec.a or spec.h or 1
    elif spec.p is not None:
        half = -(-spec.p // breakout)
    elif spec.endpoints is not None:
        half = _least_half(spec.endpoints, breakout)
    else:
        raise DesignError("radix", None, "is not given", "give radix, endpoints, or p, a and h")
    if half < 1:
        least = 2 + spec.spare_ports
        raise DesignError(
            "radix", spec.radix, "is too few ports for leaves and spines", f"give at least {least}"
        )
    return half


def _least_half(endpoints: int, breakout: int) -> int:
    half = 1
    while half * half * breakout * (half * half + 1) < endpoints:
        half += 1
    return half


def _obstacle(
    spec: FabricSpec, endpoints: int, groups: int, switch: tuple[int, int, int], needed: int
) -> Obstacle | None:
    p, a, h = switch
    most = a * h + 1
    if spec.radix is not None and needed > spec.radix - spec.spare_ports:
        kept = f" beside {spec.spare_ports} spare ones" if spec.spare_ports else ""
        sentence = (
            f"Switches with p = {p}, a = {a}, h = {h} need {needed} ports{kept}; "
            f"the switch has {spec.radix}."
        )
        return Obstacle("radix", spec.radix, sentence)
    if spec.endpoints is not None and endpoints > a * p * most:
        ports = 2 * _least_half(endpoints, lanes(spec)) + spec.spare_ports
        kind = f"{spec.radix}-port switches" if spec.radix else f"p = {p}, a = {a}, h = {h}"
        sentence = (
            f"A dragonfly+ of {kind} ends at {a * p * most:,} endpoints; "
            f"{endpoints:,} need {ports} ports a switch."
        )
        return Obstacle("endpoints", endpoints, sentence)
    if groups > most:
        sentence = (
            f"A group of {a} spines with {h} global links each reaches {a * h:,} other groups, "
            f"so {most:,} groups at most; {groups:,} need {-(-(groups - 1) // a)} a spine."
        )
        return Obstacle("groups", groups, sentence)
    if endpoints > groups * a * p:
        sentence = (
            f"A dragonfly+ of {groups:,} groups holds {groups * a * p:,} endpoints; "
            f"{endpoints:,} need {-(-endpoints // (a * p)):,} groups."
        )
        return Obstacle("endpoints", endpoints, sentence)
    return None


def _notes(spec: FabricSpec, groups: int, p: int, a: int, h: int) -> tuple[str, ...]:
    notes = []
    if None in (spec.p, spec.a, spec.h):
        notes.append(
            f"{a} leaves and {a} spines a group, {p} endpoints a leaf, {h} global links a spine."
        )
    if spec.groups is None:
        why = "the most that can be joined" if spec.endpoints is None else "as the endpoints need"
        notes.append(f"{groups:,} groups, {why}.")
    if groups == 1:
        notes.append("One group: no global links, the global ports stay empty.")
    elif groups < a * h + 1:
        each, rest = spread_links(groups, a * h)
        several = f"{each} or {each + 1}" if rest else f"{each}"
        notes.append(f"All global ports are used: {several} links between two groups.")
    return tuple(notes)


def _diameter(shape: DragonflyPlusShape) -> int:
    """Leaf, spine, leaf inside a group; leaf, spine, spine, leaf between groups."""
    leaves = -(-shape.endpoints // shape.p)
    if leaves == 1:
        return 0
    return 2 if leaves <= shape.a else 3


def _bisection(shape: DragonflyPlusShape) -> int | None:
    if shape.endpoints <= (shape.groups - 1) * shape.a * shape.p:
        return None
    uplinks = shape.leaves // 2 * shape.a
    if shape.groups == 1:
        return uplinks
    return min(uplinks, crossing_links(shape.groups, shape.a * shape.h))


def _oversubscription(spec: FabricSpec, shape: DragonflyPlusShape) -> float:
    """Of the fullest leaf; its free ports count as hosts until they fill its links to spines."""
    speed = link_speeds(spec, KINDS)
    up = shape.a * speed["leaf_spine"]
    down = min(shape.p, shape.endpoints) * speed["host"]
    free = max(shape.radix - shape.spare_ports - shape.a, 0) * speed["leaf_spine"]
    return max(down, min(free, up)) / up
