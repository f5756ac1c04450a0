"""What does a Clos fabric of one description consist of? Whole numbers, before any link is drawn.

A shape holds one copy of the fabric; planes, and rails that never meet, are further copies of it.
Links inside a copy are counted in slots: a port that is split in two has two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.clos import (
    ROUNDING,
    ceil_divide,
    leaf_downlinks,
    pod_spines,
    pod_uplinks,
    spines_that_share,
)

_FEW_MORE = 4 / 3  # spines that it is worth to have all cores alike


@dataclass(frozen=True)
class Request:
    """A Clos fabric with every choice made."""

    family: str
    endpoints: int  # ports to be cabled, in each plane
    homes: int  # leaves below shared spines that an endpoint is cabled to
    machines: int  # servers, or scale-up domains larger than a server
    machine_ports: int
    server_ports: int
    gpus_per_server: int
    rails: int  # 1 where the place of a port does not count
    apart: bool  # rails are fabrics of their own
    planes: int
    dealt: bool  # each endpoint on one plane; else each has a port to every plane
    unit_machines: int  # of a scalable unit; 0 without
    grouped: bool  # in three tiers a unit has spines for each rail, and cores stand in groups
    tiers: int
    radix: int  # ports of a switch that may be used
    spare_ports: int
    breakout: int  # endpoints of a port
    split: bool  # ports between switches are split as well
    oversubscription: float
    core_oversubscription: float
    even: bool | None
    port_gbps: float
    endpoint_gbps: float

    @property
    def copies(self) -> int:
        return self.planes * (self.rails if self.apart else 1)

    @property
    def copy_rails(self) -> int:
        """Rails inside a copy."""
        return 1 if self.apart else self.rails

    @property
    def copy_ports(self) -> int:
        """Ports of a machine to one copy."""
        ports = self.machine_ports // (self.planes if self.dealt else 1)
        return ports // self.rails if self.apart else ports

    @property
    def copy_endpoints(self) -> int:
        """Endpoints of one copy."""
        return self.endpoints // (
            (self.planes if self.dealt else 1) * (self.rails if self.apart else 1)
        )

    @property
    def wide(self) -> int:
        """Links between switches that a whole port carries."""
        return self.breakout if self.split else 1

    @property
    def host_links(self) -> int:
        return self.endpoints * (1 if self.dealt else self.planes)


@dataclass(frozen=True)
class LeafSets:
    """How the endpoints of a copy meet its leaves.

    A set is the leaves that are filled side by side, one or more for each rail.
    """

    machines: int  # of a full set; 0 for a tree, where endpoints fill leaf after leaf
    capacity: int  # endpoints of a leaf
    for_rail: int  # leaves of a rail in a set; 1 but for wide machines
    count: int  # leaves of the copy
    per_unit: int  # leaves that belong together
    unit_endpoints: int
    down: int  # ports of a leaf meant for hosts
    up: int  # ports of a leaf that are cabled upwards
    partial_leaves: int  # leaves of the set that is not full, shared by rails; 0 if none is
    loads: tuple[tuple[int, int], ...]  # (leaves, endpoints on each)


@dataclass(frozen=True)
class Pods:
    """Alike pods of a copy: leaves below one set of spines."""

    count: int
    leaves: int
    spines: int
    core_links: int  # of a pod


@dataclass(frozen=True)
class ClosShape:
    """Leaves, pods and cores of one copy, and how far the family reaches."""

    request: Request
    leaves: LeafSets
    pods: tuple[Pods, ...]
    cores: int
    core_groups: int  # cores that spines of equal place share; 0 without scalable units
    largest: int  # endpoints of the whole fabric
    buildable: bool

    @property
    def up_links(self) -> int:
        """Links of a leaf to spines."""
        return self.leaves.up * self.request.wide if self.pods else 0

    @property
    def spines(self) -> int:
        return sum(pod.count * pod.spines for pod in self.pods)

    @property
    def core_links(self) -> int:
        return sum(pod.count * pod.core_links for pod in self.pods)

    def alike(self, pod: Pods) -> bool:
        """Whether every leaf of a pod has as many links to a spine as the other leaves.

        Then any two leaves share all their uplinks. Below cores only where the spines divide the
        uplinks, for their own links up are spread evenly.
        """
        each, more = divmod(self.up_links, pod.spines)
        if not more:
            return True
        room = self.request.radix * self.request.wide
        return self.request.tiers == 2 and each > 0 and (each + 1) * pod.leaves <= room


def alike_pods(shape: ClosShape) -> npt.NDArray[np.bool_]:
    """Of each pod, whether its leaves are cabled alike."""
    counts = [pod.count for pod in shape.pods]
    return np.repeat(np.array([shape.alike(pod) for pod in shape.pods], dtype=bool), counts)


def shape_of(request: Request) -> ClosShape:
    """The shape of a request; one that does not reach is not an error but not buildable."""
    leaves = leaf_sets(request)
    if request.tiers == 1:
        capacity = request.radix * request.breakout
        return _finished(request, leaves, (), 0, 0, capacity)
    even = _even(request, leaves)
    if request.tiers == 2:
        spines = int(pod_spines(leaves.count, leaves.up, request.radix, even))
        if request.even is None and not even:
            spines = max(spines, _sharing_spines(request, leaves))
        pods = (Pods(1, leaves.count, spines, 0),)
        units = request.radix * request.wide // leaves.per_unit
        return _finished(request, leaves, pods, 0, 0, units * leaves.unit_endpoints)
    if request.unit_machines and request.grouped:
        return _units(request, leaves)
    return _three_tiers(request, leaves, even)


def ports_for_hosts(request: Request) -> int:
    """Ports of a leaf that face down when it is full."""
    return int(leaf_downlinks(request.radix, request.oversubscription))


def leaf_sets(request: Request) -> LeafSets:
    """The leaves of a copy."""
    if request.tiers == 1:
        ports = request.copy_endpoints
        return LeafSets(0, ports, 1, 1, 1, ports, request.radix, 0, 0, ((1, ports),))
    down = ports_for_hosts(request)
    if request.copy_rails == 1 and not request.unit_machines:
        return _tree(request, down)
    return _rails(request, down)


def _tree(request: Request, down: int) -> LeafSets:
    capacity = down * request.breakout
    full, rest = divmod(request.copy_endpoints, capacity)
    loads = ((full, capacity), (int(rest > 0), rest))
    up = max(request.radix - down, 1)
    count = full + (rest > 0)
    return LeafSets(0, capacity, 1, count, 1, capacity, down, up, 0, _present(loads))


def _rails(request: Request, down: int) -> LeafSets:
    rails, ports = request.copy_rails, request.copy_ports
    in_rail = max(ports // rails, 1)
    capacity = down * request.breakout
    most = max(capacity // in_rail, 1)
    for_rail = int(ceil_divide(in_rail, capacity))
    unit = request.unit_machines
    sets = int(ceil_divide(unit, most)) if unit else 1
    machines = int(ceil_divide(unit, sets)) if unit else most
    sets = int(ceil_divide(unit, machines)) if unit else 1
    design = int(ceil_divide(min(machines * in_rail, capacity), request.breakout))
    up = _uplinks(request, design, down)
    per_unit = sets * rails * for_rail
    if unit:
        count = int(ceil_divide(request.machines, unit)) * per_unit
        loads = _unit_loads(request.machines, unit, machines, sets, rails * for_rail, in_rail)
        partial = 0
    else:
        count, loads, partial = _set_loads(request, machines, rails, in_rail, for_rail, capacity)
    return LeafSets(
        machines=machines,
        capacity=capacity,
        for_rail=for_rail,
        count=count,
        per_unit=per_unit,
        unit_endpoints=(unit or machines) * ports,
        down=design,
        up=up,
        partial_leaves=partial,
        loads=_split_wide(loads, for_rail),
    )


def _uplinks(request: Request, design: int, down: int) -> int:
    """Ports up of a leaf meant for so many ports down.

    A leaf of a scalable unit that is smaller than it could be has as many as the ratio asks for;
    others have the share that a full leaf has.
    """
    if request.unit_machines and design < down:
        return max(math.ceil(design / request.oversubscription - ROUNDING), 1)
    return max(int(ceil_divide(design * (request.radix - down), down)), 1)


def _set_loads(
    request: Request, machines: int, rails: int, in_rail: int, for_rail: int, capacity: int
) -> tuple[int, list[tuple[int, int]], int]:
    """Leaves, their loads, and the leaves of a set that is not full: several rails share those."""
    full, rest = divmod(request.machines, machines)
    loads = [(full * rails * for_rail, machines * in_rail)]
    partial = 0
    if rest:
        shared = max(capacity // (rest * in_rail), 1)
        partial = int(ceil_divide(rails, shared)) * for_rail
        each, more = divmod(rails, partial)
        loads += [(more, (each + 1) * rest * in_rail), (partial - more, each * rest * in_rail)]
    return full * rails * for_rail + partial, loads, partial


def _unit_loads(
    total: int, unit: int, machines: int, sets: int, leaves: int, in_rail: int
) -> list[tuple[int, int]]:
    """Loads of the leaves of scalable units; the last unit is built whole, however few it holds."""
    units, rest = divmod(total, unit)
    loads = []
    for times, held in ((units, unit), (1, rest)):
        for number in range(sets if times and held else 0):
            on_set = min(max(held - number * machines, 0), machines)
            loads.append((times * leaves, on_set * in_rail))
    return loads


def _split_wide(loads: list[tuple[int, int]], for_rail: int) -> tuple[tuple[int, int], ...]:
    """A machine wider than a leaf has several leaves a rail, which share its ports evenly."""
    if for_rail == 1:
        return _present(loads)
    spread_loads = []
    for leaves, endpoints in loads:
        each, more = divmod(endpoints, for_rail)
        groups = leaves // for_rail
        spread_loads += [(groups * more, each + 1), (groups * (for_rail - more), each)]
    return _present(spread_loads)


def _present(
    loads: list[tuple[int, int]] | tuple[tuple[int, int], ...],
) -> tuple[tuple[int, int], ...]:
    return tuple((leaves, endpoints) for leaves, endpoints in loads if leaves)


def _even(request: Request, leaves: LeafSets) -> bool:
    """Spread evenly where asked; where left open, if the leaf is not tapered."""
    return abs(leaves.down - leaves.up) <= 1 if request.even is None else request.even


def _sharing_spines(request: Request, leaves: LeafSets) -> int:
    """Spines of two tiers with which any two leaves share all uplinks; counted in links."""
    up, room = leaves.up * request.wide, request.radix * request.wide
    return int(spines_that_share(leaves.count, up, room))


def _three_tiers(request: Request, leaves: LeafSets, even: bool) -> ClosShape:
    spine_down = int(leaf_downlinks(request.radix, request.core_oversubscription))
    spine_up = request.radix - spine_down
    slots_down = spine_down * request.wide
    aligned = slots_down // leaves.per_unit * leaves.per_unit
    in_pod = aligned or slots_down
    pods = []
    for count, held in ((leaves.count // in_pod, in_pod), (1, leaves.count % in_pod)):
        if count and held:
            spines = pod_spines(held, leaves.up, spine_down, even)
            links = pod_uplinks(held, leaves.up, spine_down, spine_up)
            pods.append(Pods(count, held, int(spines), int(links) * request.wide))
    cables = sum(pod.count * pod.core_links for pod in pods)
    radix = request.radix * request.wide
    largest = radix * in_pod // leaves.per_unit * leaves.unit_endpoints
    return _finished(request, leaves, tuple(pods), int(ceil_divide(cables, radix)), 0, largest)


def _units(request: Request, leaves: LeafSets) -> ClosShape:
    """Each scalable unit has a group of spines for each rail; spines of equal place share cores."""
    rails = request.copy_rails
    in_group = leaves.per_unit // rails
    spine_down = int(leaf_downlinks(request.radix, request.core_oversubscription))
    spines = _alike_spines(request, in_group, leaves.up, spine_down)
    used = int(ceil_divide(in_group * leaves.up, spines))
    spine_up = int(pod_uplinks(1, used, spine_down, request.radix - spine_down)) * request.wide
    groups = leaves.count // in_group
    radix = request.radix * request.wide
    cores = spines * int(ceil_divide(groups * spine_up, radix))
    pods = (Pods(groups, in_group, spines, spines * spine_up),)
    fits = in_group <= spine_down * request.wide
    largest = radix // rails * leaves.unit_endpoints if fits else 0
    return _finished(request, leaves, pods, cores, spines, largest)


def _alike_spines(request: Request, leaves: int, up: int, spine_down: int) -> int:
    """Spines of a group: evenly spread where asked, or where that takes few more than it needs."""
    least = int(pod_spines(leaves, up, spine_down, False))
    even = int(pod_spines(leaves, up, spine_down, True))
    return even if request.even or even <= _FEW_MORE * least else least


def _finished(
    request: Request,
    leaves: LeafSets,
    pods: tuple[Pods, ...],
    cores: int,
    core_groups: int,
    largest: int,
) -> ClosShape:
    """The shape; ``largest`` is that of one copy and becomes that of the whole fabric."""
    whole_fabric = largest * request.endpoints // request.copy_endpoints
    return ClosShape(
        request=request,
        leaves=leaves,
        pods=pods,
        cores=cores,
        core_groups=core_groups,
        largest=whole_fabric,
        buildable=request.copy_endpoints <= largest,
    )
