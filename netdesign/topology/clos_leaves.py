"""What is asked of a Clos fabric, and the leaves that its endpoints meet. Whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from netdesign.topology.clos import ROUNDING, ceil_divide, leaf_downlinks


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
