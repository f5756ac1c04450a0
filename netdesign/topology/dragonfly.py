"""Dragonfly: groups of routers that all see each other, groups that all see each other (kim-2008).

A router has p endpoints, a - 1 links inside its group and h links to other groups. Balanced is
a = 2p = 2h; up to a h + 1 groups can be joined. With fewer groups the global ports are still all
used, so that pairs of groups are joined several times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.direct import (
    Attachment,
    Obstacle,
    assemble,
    check,
    check_links,
    complete_graphs,
    lanes,
    link_speeds,
    refuse,
    usable_ports,
)
from netdesign.topology.group_links import (
    Ends,
    crossing_links,
    group_links,
    linked_ports,
    port_distances,
    spread_links,
)
from netdesign.topology.spec import FabricCounts, FabricSpec

KINDS = ("host", "local", "global")
# So many pairs of routers are walked between; beyond, the bound stands: 3 links.
_MOST_PAIRS = 4_000_000


@dataclass(frozen=True)
class DragonflyShape:
    """A dragonfly with every number settled."""

    endpoints: int
    groups: int
    p: int  # endpoints of a router
    a: int  # routers of a group
    h: int  # global ports of a router
    breakout: int
    radix: int  # ports of a router, spare ones included
    spare_ports: int
    obstacle: Obstacle | None
    notes: tuple[str, ...]

    @property
    def routers(self) -> int:
        return self.groups * self.a

    @property
    def attached(self) -> Attachment:
        return Attachment(self.endpoints, self.routers, self.p, self.breakout)

    @property
    def local_links(self) -> int:
        return self.groups * self.a * (self.a - 1) // 2

    @property
    def global_links(self) -> int:
        return linked_ports(self.groups, self.a * self.h) // 2

    @property
    def largest(self) -> int:
        """Endpoints in as many groups as the global ports can join."""
        return self.a * self.p * (self.a * self.h + 1)


def dragonfly_shape(spec: FabricSpec) -> DragonflyShape:
    """Settle p, a, h and the groups of a dragonfly.

    Raises
    ------
    DesignError    no size is given, or the switch has too few ports for any dragonfly
    """
    check(spec)
    breakout = lanes(spec)
    usable = usable_ports(spec)
    p, a, h = _router(spec, breakout, usable)
    needed = -(-p // breakout) + a - 1 + h
    most = a * h + 1
    groups = spec.groups
    if groups is None:
        groups = most if spec.endpoints is None else -(-spec.endpoints // (a * p))
    endpoints = spec.endpoints if spec.endpoints is not None else groups * a * p
    return DragonflyShape(
        # Places for hosts end with the groups that were asked for; the obstacle says so.
        endpoints=min(endpoints, groups * a * p),
        groups=groups,
        p=p,
        a=a,
        h=h,
        breakout=breakout,
        radix=spec.radix if spec.radix is not None else needed + spec.spare_ports,
        spare_ports=spec.spare_ports,
        obstacle=_obstacle(spec, endpoints, groups, (p, a, h), needed, usable),
        notes=_notes(spec, groups, p, a, h),
    )


def size_dragonfly(spec: FabricSpec) -> FabricCounts:
    """Counts of a dragonfly by formula.

    The bisection is that between halves of whole groups (as near to halves as an odd number of
    groups allows), of a single group that of its complete graph; None where groups are empty. The
    diameter is that between routers with hosts.
    """
    shape = dragonfly_shape(spec)
    attached = shape.attached
    links = {
        "host": shape.endpoints,
        "local": shape.local_links,
        "global": shape.global_links,
    }
    between = shape.local_links + shape.global_links
    usable = shape.routers * (shape.radix - shape.spare_ports)
    return FabricCounts(
        family=spec.family,
        endpoints=shape.endpoints,
        switches={"router": shape.routers},
        links=links,
        link_gbps=link_speeds(spec, KINDS),
        oversubscription=1.0,
        diameter=_host_diameter(shape),
        bisection_links=_bisection(shape),
        transceivers=attached.transceivers + 2 * between,
        stranded_ports=max(usable - attached.ports - 2 * between, 0),
        largest=shape.largest,
        buildable=shape.obstacle is None,
        reason="" if shape.obstacle is None else shape.obstacle.sentence,
        notes=shape.notes,
    )


def build_dragonfly(spec: FabricSpec) -> Fabric:
    """Every router and link of a dragonfly; routers are numbered group by group.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = dragonfly_shape(spec)
    if shape.obstacle is not None:
        refuse(shape.obstacle)
    total = shape.endpoints + shape.local_links + shape.global_links
    check_links("dragonfly", total, shape.endpoints)
    return assemble(
        spec,
        shape.attached,
        {
            "local": complete_graphs(shape.groups, shape.a),
            "global": _global_links(shape.groups, shape.a, shape.h),
        },
        ports=shape.radix,
        group=np.repeat(np.arange(shape.groups), shape.a),
        notes=shape.notes,
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


def _obstacle(
    spec: FabricSpec,
    endpoints: int,
    groups: int,
    router: tuple[int, int, int],
    needed: int,
    usable: int | None,
) -> Obstacle | None:
    p, a, h = router
    most = a * h + 1
    if usable is not None and needed > usable:
        kept = f" beside {spec.spare_ports} spare ones" if spec.spare_ports else ""
        sentence = (
            f"A router with p = {p}, a = {a}, h = {h} needs {needed} ports{kept}; "
            f"the switch has {spec.radix}."
        )
        return Obstacle("radix", spec.radix or 0, sentence)
    if spec.endpoints is not None and endpoints > a * p * most:
        ports = 4 * _balanced(endpoints, lanes(spec)) + spec.spare_ports
        kind = f"{spec.radix}-port switches" if spec.radix else f"p = {p}, a = {a}, h = {h}"
        sentence = (
            f"A dragonfly of {kind} ends at {a * p * most:,} endpoints; "
            f"{endpoints:,} need {ports} ports a switch."
        )
        return Obstacle("endpoints", endpoints, sentence)
    if groups > most:
        sentence = (
            f"A group of {a} routers with {h} global links each reaches {a * h:,} other groups, "
            f"so {most:,} groups at most; {groups:,} need {-(-(groups - 1) // a)} a router."
        )
        return Obstacle("groups", groups, sentence)
    if endpoints > groups * a * p:
        sentence = (
            f"A dragonfly of {groups:,} groups holds {groups * a * p:,} endpoints; "
            f"{endpoints:,} need {-(-endpoints // (a * p)):,} groups."
        )
        return Obstacle("endpoints", endpoints, sentence)
    return None


def _notes(spec: FabricSpec, groups: int, p: int, a: int, h: int) -> tuple[str, ...]:
    notes = []
    chosen = [
        f"{name} = {value}"
        for name, value, given in (("p", p, spec.p), ("a", a, spec.a), ("h", h, spec.h))
        if given is None
    ]
    if chosen:
        notes.append(f"Chosen near the balance a = 2p = 2h: {', '.join(chosen)}.")
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


def _host_diameter(shape: DragonflyShape) -> int:
    occupied = -(-shape.endpoints // shape.p)
    if occupied <= shape.a:
        return min(occupied - 1, 1)
    return _diameter(shape.groups, shape.a, shape.h)


def _bisection(shape: DragonflyShape) -> int | None:
    if shape.endpoints <= (shape.groups - 1) * shape.a * shape.p:
        return None
    if shape.groups == 1:
        return shape.a * shape.a // 4
    return crossing_links(shape.groups, shape.a * shape.h)


def _global_links(groups: int, a: int, h: int) -> tuple[Ends, Ends]:
    """Routers at both ends of every global link; consecutive ports of a group share a router."""
    left, left_port, right, right_port = group_links(groups, a * h, spread=h)
    return left * a + left_port // h, right * a + right_port // h


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
    for left, right in (complete_graphs(groups, a), _global_links(groups, a, h)):
        for start, end in ((left, right), (right, left)):
            known = place[start] >= 0
            near[place[start[known]], end[known]] = 1
    if near.all():
        return 1
    starts = range(0, len(chosen), len(routers))
    met = all((near[row : row + len(routers)] @ near.T > 0).all() for row in starts)
    return 2 if met else 3
