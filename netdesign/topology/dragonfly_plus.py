"""Dragonfly+: groups of leaves and spines, joined by links between their spines (shpiner-2017).

Inside a group every leaf sees every spine. Of k-port switches a group has k/2 leaves and k/2
spines, half of each switch's ports down and half up, and up to (k/2)^2 + 1 groups can be joined.
"""

from __future__ import annotations

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.direct import (
    check,
    check_buildable,
    direct_counts,
    direct_fabric,
    lanes,
    link_speeds,
    usable_ports,
)
from netdesign.topology.grouped import Group, GroupedShape, global_links, grouped_shape
from netdesign.topology.spec import FabricCounts, FabricSpec


def dragonfly_plus_shape(spec: FabricSpec) -> GroupedShape:
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
    group = Group(
        family="dragonfly+",
        joined_by="spine",
        p=p,
        a=a,
        h=h,
        needed=a + max(h, -(-p // breakout)),
        needs=f"Switches with p = {p}, a = {a}, h = {h} need",
        switches={"leaf": a, "spine": a},
        links={"leaf_spine": a * a},
        balanced_ports=lambda endpoints, lanes: 2 * _least_half(endpoints, lanes),
    )
    return grouped_shape(spec, group, _chosen(spec, p, a, h))


def size_dragonfly_plus(spec: FabricSpec) -> FabricCounts:
    """Counts of a dragonfly+ by formula.

    The diameter is that between leaves with hosts; the bisection that between halves of whole
    groups, or, where it is less, all that half the leaves send up; None where groups are empty.
    """
    shape = dragonfly_plus_shape(spec)
    return direct_counts(
        spec,
        shape,
        diameter=_diameter(shape),
        bisection_links=_bisection(shape),
        oversubscription=_oversubscription(spec, shape),
    )


def build_dragonfly_plus(spec: FabricSpec) -> Fabric:
    """Every switch and link of a dragonfly+; leaves are numbered group by group, then spines.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = dragonfly_plus_shape(spec)
    check_buildable("dragonfly+", shape.obstacle, shape.links, shape.endpoints)
    groups, a, leaves = shape.groups, shape.a, shape.switches["leaf"]
    leaf = np.repeat(np.arange(leaves, dtype=np.int64), a)
    spine = leaf // a * a + np.tile(np.arange(a, dtype=np.int64), leaves)
    left, right = global_links(groups, a, shape.h)
    return direct_fabric(
        spec,
        shape,
        {"leaf_spine": (leaf, leaves + spine), "global": (leaves + left, leaves + right)},
        group=np.tile(np.repeat(np.arange(groups), a), 2),
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
    """Half the ports of the smallest switch of which a balanced dragonfly+ holds the endpoints."""
    half = 1
    while half * half * breakout * (half * half + 1) < endpoints:
        half += 1
    return half


def _chosen(spec: FabricSpec, p: int, a: int, h: int) -> tuple[str, ...]:
    if None not in (spec.p, spec.a, spec.h):
        return ()
    return (f"{a} leaves and {a} spines a group, {p} endpoints a leaf, {h} global links a spine",)


def _diameter(shape: GroupedShape) -> int:
    """Leaf, spine, leaf inside a group; leaf, spine, spine, leaf between groups."""
    if shape.switches_with_hosts == 1:
        return 0
    return 2 if shape.switches_with_hosts <= shape.a else 3


def _bisection(shape: GroupedShape) -> int | None:
    if shape.has_empty_groups:
        return None
    uplinks = shape.switches["leaf"] // 2 * shape.a
    return uplinks if shape.groups == 1 else min(uplinks, shape.crossing_links)


def _oversubscription(spec: FabricSpec, shape: GroupedShape) -> float:
    """Of the fullest leaf; its free ports count as hosts until they fill its links to spines."""
    speed = link_speeds(spec, shape.links)
    up = shape.a * speed["leaf_spine"]
    down = min(shape.p, shape.endpoints) * speed["host"]
    free = max(shape.radix - shape.spare_ports - shape.a, 0) * speed["leaf_spine"]
    return max(down, min(free, up)) / up
