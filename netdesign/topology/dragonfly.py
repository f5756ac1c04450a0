"""Dragonfly: groups of routers that all see each other, groups that all see each other (kim-2008).

A router has p endpoints, a - 1 links inside its group and h links to other groups. Balanced is
a = 2p = 2h; up to a h + 1 groups can be joined. With fewer groups the global ports are still all
used, so that pairs of groups are joined several times.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.direct import (
    Ends,
    check,
    check_buildable,
    complete_graphs,
    direct_counts,
    direct_fabric,
    lanes,
    over_balance,
    usable_ports,
)
from netdesign.topology.group_links import port_distances, spread_links
from netdesign.topology.grouped import Group, GroupedShape, global_links, grouped_shape
from netdesign.topology.spec import FabricCounts, FabricSpec

# So many pairs of routers are walked between; beyond, the bound stands: 3 links.
_MOST_PAIRS = 4_000_000


def dragonfly_shape(spec: FabricSpec) -> GroupedShape:
    """Settle p, a, h and the groups of a dragonfly.

    Raises
    ------
    DesignError    no size is given, or the switch has too few ports for any dragonfly
    """
    check(spec)
    breakout = lanes(spec)
    p, a, h = _router(spec, breakout, usable_ports(spec))
    group = Group(
        family="dragonfly",
        joined_by="router",
        p=p,
        a=a,
        h=h,
        needed=-(-p // breakout) + a - 1 + h,
        needs=f"A router with p = {p}, a = {a}, h = {h} needs",
        switches={"router": a},
        links={"local": a * (a - 1) // 2},
        balanced_ports=lambda endpoints, lanes: 4 * _balanced(endpoints, lanes),
    )
    return grouped_shape(spec, group, _chosen(spec, p, a, h))


def size_dragonfly(spec: FabricSpec) -> FabricCounts:
    """Counts of a dragonfly by formula.

    The bisection is that between halves of whole groups (as near to halves as an odd number of
    groups allows), of a single group that of its complete graph; None where groups are empty. The
    diameter is that between routers with hosts.
    """
    shape = dragonfly_shape(spec)
    return direct_counts(
        spec,
        shape,
        diameter=_host_diameter(shape),
        bisection_links=_bisection(shape),
        oversubscription=over_balance(spec, shape.p, shape.h) if shape.groups > 1 else 1.0,
    )


def build_dragonfly(spec: FabricSpec) -> Fabric:
    """Every router and link of a dragonfly; routers are numbered group by group.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = dragonfly_shape(spec)
    check_buildable("dragonfly", shape.obstacle, shape.links, shape.endpoints)
    return direct_fabric(
        spec,
        shape,
        {
            "local": complete_graphs(shape.groups, shape.a),
            "global": global_links(shape.groups, shape.a, shape.h),
        },
        group=np.repeat(np.arange(shape.groups), shape.a),
    )


def _router(spec: FabricSpec, breakout: int, usable: int | None) -> tuple[int, int, int]:
    """p, a and h: as given, else balanced (a = 2p = 2h) within the ports of the switch."""
    p, a, h = spec.p, spec.a, spec.h
    taken = 0 if p is None else -(-p // breakout)
    if h is None:
        if usable is not None:
            if a is None:
                h = (usable + 1) // 4 if p is None else (usable + 1 - taken) // 3
            else:
                h = (usable + 1 - a) // 2 if p is None else usable + 1 - a - taken
        elif a is not None:
            h = max(a // 2, 1)
        elif p is not None:
            h = taken
        elif spec.endpoints is not None:
            h = _balanced(spec.endpoints, breakout)
        else:
            raise DesignError("radix", None, "is not given", "give radix, or p, a and h")
        if h < 1:
            least = spec.spare_ports + (a or 2) + (taken or 1)
            reason = "leaves a router of this dragonfly no global port"
            raise DesignError("radix", spec.radix, reason, f"give at least {least}")
    if a is None:
        a = 2 * h
        if usable is not None and p is not None:
            a = max(min(a, usable + 1 - h - taken), 1)
    if p is None:
        p = h * breakout
        if usable is not None:
            p = max(min(p, (usable + 1 - a - h) * breakout), 1)
    return p, a, h


def _balanced(endpoints: int, breakout: int) -> int:
    """The least h of a balanced dragonfly that holds the endpoints."""
    h = 1
    while 2 * h * h * breakout * (2 * h * h + 1) < endpoints:
        h += 1
    return h


def _chosen(spec: FabricSpec, p: int, a: int, h: int) -> tuple[str, ...]:
    chosen = [
        f"{name} = {value}"
        for name, value, given in (("p", p, spec.p), ("a", a, spec.a), ("h", h, spec.h))
        if given is None
    ]
    return (f"chosen near the balance a = 2p = 2h: {', '.join(chosen)}",) if chosen else ()


def _host_diameter(shape: GroupedShape) -> int:
    if shape.switches_with_hosts <= shape.a:
        return min(shape.switches_with_hosts - 1, 1)
    return _diameter(shape.groups, shape.a, shape.h)


def _bisection(shape: GroupedShape) -> int | None:
    if shape.has_empty_groups:
        return None
    return shape.a * shape.a // 4 if shape.groups == 1 else shape.crossing_links


@lru_cache(maxsize=256)
def _diameter(groups: int, a: int, h: int) -> int:
    """Links on the longest shortest path between routers; at most local, global, local."""
    if groups == 1 or a == 1:
        return min(groups * a - 1, 1)
    # Within two links: own group, over each global link one group, and global links twice.
    if a + 2 * h * (a - 1) + h * h < groups * a:
        return 3
    all_joined = h >= (groups - 1) * a
    if h >= groups - 1 + spread_links(groups, a * h)[1] and not all_joined:
        return 2  # every router is sure to have a link to every group
    if a * h > _MOST_PAIRS:
        return 3
    missing = np.arange(a) if all_joined else _routers_missing_a_group(groups, a, h)
    if not len(missing):
        return 2
    return 3 if len(missing) * groups * groups * a > _MOST_PAIRS else _walked(groups, a, h, missing)


def _routers_missing_a_group(groups: int, a: int, h: int) -> Ends:
    """Routers of a group, from 0, that may lack a link to some other group.

    One that has a link to every group reaches every router over a global and a local link.
    """
    port = np.arange(a * h, dtype=np.int64)
    router, other = port // h, port_distances(groups, a * h)
    seen = np.unique((router * groups + other)[other > 0]) // groups
    return np.flatnonzero(np.bincount(seen, minlength=a) < groups - 1)


def _walked(groups: int, a: int, h: int, routers: Ends) -> int:
    """The longest way between these routers of all groups, 1 to 3, by walking two links."""
    chosen = (np.arange(groups)[:, None] * a + routers).ravel()
    place = np.full(groups * a, -1)
    place[chosen] = np.arange(len(chosen))
    near = np.zeros((len(chosen), groups * a), dtype=np.float32)
    near[np.arange(len(chosen)), chosen] = 1
    for left, right in (complete_graphs(groups, a), global_links(groups, a, h)):
        for start, end in ((left, right), (right, left)):
            known = place[start] >= 0
            near[place[start[known]], end[known]] = 1
    if near.all():
        return 1
    starts = range(0, len(chosen), len(routers))
    met = all((near[row : row + len(routers)] @ near.T > 0).all() for row in starts)
    return 2 if met else 3
