"""What do dragonfly and dragonfly+ share? Equal groups, joined by links between their switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from netdesign.topology.direct import (
    DirectShape,
    Ends,
    Obstacle,
    lanes,
    port_obstacle,
    ports_of_switch,
)
from netdesign.topology.group_links import (
    crossing_links,
    group_links,
    linked_ports,
    spread_links,
)
from netdesign.topology.spec import FabricSpec


@dataclass(frozen=True)
class Group:
    """One group, before it is known how many there are."""

    family: str  # as a sentence names it
    joined_by: str  # router | spine: the switch that has the global ports
    p: int  # endpoints of a router or leaf
    a: int  # switches that have the global ports, and as many that have the endpoints
    h: int  # global ports of one of them
    needed: int  # ports of a switch
    needs: str  # the switch that needs them, with its verb
    switches: Mapping[str, int]  # by tier name
    links: Mapping[str, int]  # inside the group, by kind
    balanced_ports: Callable[[int, int], int]  # of the least that holds endpoints, with a breakout

    @property
    def endpoints(self) -> int:
        return self.a * self.p

    @property
    def most(self) -> int:
        """Groups that the global ports can join."""
        return self.a * self.h + 1


@dataclass(frozen=True, kw_only=True)
class GroupedShape(DirectShape):
    """A dragonfly or dragonfly+ with every number settled."""

    groups: int
    a: int
    h: int

    @property
    def has_empty_groups(self) -> bool:
        return self.endpoints <= (self.groups - 1) * self.a * self.p

    @property
    def crossing_links(self) -> int:
        """Global links between two halves of the groups."""
        return crossing_links(self.groups, self.a * self.h)


def grouped_shape(spec: FabricSpec, group: Group, notes: tuple[str, ...]) -> GroupedShape:
    """As many groups as are asked for, else as the endpoints need, else as can be joined."""
    groups = spec.groups
    if groups is None:
        groups = group.most if spec.endpoints is None else -(-spec.endpoints // group.endpoints)
    endpoints = spec.endpoints if spec.endpoints is not None else groups * group.endpoints
    within = {name: groups * count for name, count in group.links.items()}
    return GroupedShape(
        # Places for hosts end with the groups that were asked for; the obstacle says so.
        endpoints=min(endpoints, groups * group.endpoints),
        groups=groups,
        p=group.p,
        a=group.a,
        h=group.h,
        breakout=lanes(spec),
        radix=ports_of_switch(spec, group.needed),
        spare_ports=spec.spare_ports,
        switches={name: groups * count for name, count in group.switches.items()},
        between={**within, "global": linked_ports(groups, group.a * group.h) // 2},
        largest=group.endpoints * group.most,
        obstacle=port_obstacle(spec, group.needs, group.needed)
        or _obstacle(spec, group, groups, endpoints),
        notes=(*notes, *_notes(spec, group, groups)),
    )


def global_links(groups: int, a: int, h: int) -> tuple[Ends, Ends]:
    """Switches at both ends of every global link; consecutive ports of a group share a switch.

    Switches are numbered from 0, group by group, ``a`` of ``h`` global ports in each.
    """
    left, left_port, right, right_port = group_links(groups, a * h, spread=h)
    return left * a + left_port // h, right * a + right_port // h


def _obstacle(spec: FabricSpec, group: Group, groups: int, endpoints: int) -> Obstacle | None:
    p, a, h, most = group.p, group.a, group.h, group.most
    if spec.endpoints is not None and endpoints > group.endpoints * most:
        ports = group.balanced_ports(endpoints, lanes(spec)) + spec.spare_ports
        kind = f"{spec.radix}-port switches" if spec.radix else f"p = {p}, a = {a}, h = {h}"
        sentence = (
            f"A {group.family} of {kind} ends at {group.endpoints * most:,} endpoints; "
            f"{endpoints:,} need {ports} ports a switch."
        )
        return Obstacle("endpoints", endpoints, sentence)
    if groups > most:
        sentence = (
            f"A group of {a} {group.joined_by}s with {h} global links each reaches {a * h:,} other "
            f"groups, so {most:,} groups at most; {groups:,} need {-(-(groups - 1) // a)} a "
            f"{group.joined_by}."
        )
        return Obstacle("groups", groups, sentence)
    if endpoints > groups * group.endpoints:
        sentence = (
            f"A {group.family} of {groups:,} groups holds {groups * group.endpoints:,} endpoints; "
            f"{endpoints:,} need {-(-endpoints // group.endpoints):,} groups."
        )
        return Obstacle("endpoints", endpoints, sentence)
    return None


def _notes(spec: FabricSpec, group: Group, groups: int) -> tuple[str, ...]:
    notes = []
    if spec.groups is None:
        why = "the most that can be joined" if spec.endpoints is None else "as the endpoints need"
        notes.append(f"{groups:,} groups, {why}")
    if groups == 1:
        notes.append("one group: no global links, the global ports stay empty")
    elif groups < group.most:
        each, rest = spread_links(groups, group.a * group.h)
        several = f"{each} or {each + 1}" if rest else f"{each}"
        notes.append(f"all global ports are used: {several} links between two groups")
    return tuple(notes)
