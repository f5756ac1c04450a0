"""A description of a Clos fabric with every open choice made, and what was chosen in words."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from netdesign.errors import DesignError
from netdesign.topology.clos_leaves import Request
from netdesign.topology.clos_shape import ClosShape, shape_of
from netdesign.topology.leaf_pairs import leaf_pairs
from netdesign.topology.rail import default_rails
from netdesign.topology.spec import FabricSpec

TITLES = {
    "single-switch": "single switch",
    "fat-tree": "fat tree",
    "rail-optimised": "rail-optimised fabric",
    "rail-only": "rail-only fabric",
    "multi-plane": "multi-plane fabric",
}
_TIERS = {
    "single-switch": (1,),
    "fat-tree": (1, 2, 3),
    "rail-optimised": (2, 3),
    "rail-only": (1, 2, 3),
    "multi-plane": (1, 2, 3),
}
_TIER_WORDS = {1: "one-tier", 2: "two-tier", 3: "three-tier"}
_DUAL = ("fat-tree", "rail-optimised")
_DUAL_HOMES = 2
_FLAT = 2  # tiers up to which planes are worth their switches
_USUAL_SERVER = 8
_USUAL_RADIX = 64
_USUAL_PLANES = 2
_LARGEST_RADIX = 4096
_LARGEST_ENDPOINTS = 20_000_000


@dataclass(frozen=True)
class Resolved:
    """The shape that was found, and what was chosen on the way."""

    shape: ClosShape
    largest: int  # endpoints of the largest allowed structure
    notes: tuple[str, ...]
    reason: str  # why it cannot be built; empty if it can


def resolve(spec: FabricSpec) -> Resolved:
    """The first of the allowed structures that holds all endpoints.

    Fewer tiers come first; ports between switches are split only where that saves a tier; in a
    multi-plane fabric every endpoint has a port to each plane unless only dealing the endpoints
    over the planes keeps it at two tiers.

    Raises
    ------
    DesignError     for a value that no fabric can have
    """
    draft, notes = _draft(spec)
    shapes = [shape_of(request) for request in _attempts(spec, draft)]
    largest = max(shape.largest for shape in shapes) // draft.homes
    for shape in shapes:
        if shape.buildable:
            return Resolved(shape, largest, (*notes, *_choices(spec, shape)), "")
    return Resolved(shapes[-1], largest, notes, _why_not(spec, shapes[-1], largest))


def _attempts(spec: FabricSpec, draft: Request) -> Iterator[Request]:
    allowed = _TIERS[spec.family]
    tiers = (spec.tiers,) if spec.tiers and len(allowed) > 1 else allowed
    if spec.tiers is None and (draft.unit_machines or draft.homes > 1):
        tiers = (2, 3)
    whole_servers = draft.endpoints % draft.server_ports == 0
    can_be_dealt = draft.planes > 1 and draft.server_ports % draft.planes == 0 and whole_servers
    flat = [count for count in tiers if count <= _FLAT]
    tall = [count for count in tiers if count > _FLAT]
    for counts in (flat, tall):
        for dealt in (False, True) if can_be_dealt else (False,):
            for count in counts:
                for split in (False, True) if draft.breakout > 1 else (False,):
                    rails = _rails_of_a_plane(draft) if dealt else draft.rails
                    request = replace(draft, tiers=count, dealt=dealt, split=split, rails=rails)
                    yield request
                    if count > _FLAT and draft.unit_machines:
                        yield replace(request, grouped=False)


def _rails_of_a_plane(draft: Request) -> int:
    """Rails of planes that take the server's ports in turn: the planes stand for some of them."""
    apart = draft.rails // draft.planes if draft.rails % draft.planes == 0 else 0
    return apart if apart and draft.server_ports // draft.planes % apart == 0 else 1


def _draft(spec: FabricSpec) -> tuple[Request, tuple[str, ...]]:
    notes = _server_notes(spec)
    radix = spec.radix
    if radix is None:
        radix = _USUAL_RADIX
        notes.append(f"switches of {radix} ports of {spec.port_gbps:g}G")
    _check_ports(spec, radix - spec.spare_ports)
    endpoint_gbps = spec.endpoint_gbps or spec.port_gbps
    planes = spec.planes or (_USUAL_PLANES if spec.family == "multi-plane" else 1)
    if spec.planes is None and planes > 1:
        notes.append(f"{planes} planes")
    server_ports, gpus, machine_ports = _machine(spec)
    rails = _rails(spec, server_ports, gpus, machine_ports)
    homes = _homes(spec)
    draft = Request(
        family=spec.family,
        endpoints=homes * (spec.endpoints or machine_ports),
        homes=homes,
        machines=1,
        machine_ports=homes * machine_ports,
        server_ports=homes * server_ports,
        gpus_per_server=gpus,
        rails=homes * rails,
        apart=spec.family == "rail-only",
        planes=planes,
        dealt=False,
        unit_machines=_unit_machines(spec, server_ports, machine_ports, notes),
        grouped=True,
        tiers=0,
        radix=radix - spec.spare_ports,
        spare_ports=spec.spare_ports,
        breakout=max(int(spec.port_gbps / endpoint_gbps + 1e-9), 1),
        split=False,
        oversubscription=spec.oversubscription,
        core_oversubscription=spec.core_oversubscription,
        even=spec.spread_evenly,
        port_gbps=spec.port_gbps,
        endpoint_gbps=endpoint_gbps,
    )
    if spec.endpoints is None:
        draft = _full(spec, draft)
        notes.append(f"{draft.endpoints // homes:,} endpoints, all that it holds")
    _check_machines(draft)
    machines = math.ceil(draft.endpoints / draft.machine_ports)
    return replace(draft, machines=machines), tuple(notes)


def _check_ports(spec: FabricSpec, ports: int) -> None:
    """A switch needs two ports, and a leaf one up and one down."""
    if ports < 2:
        raise DesignError(
            "spare_ports", spec.spare_ports, "leave fewer than 2 ports to use", "keep fewer"
        )
    for name in ("oversubscription", "core_oversubscription"):
        taper = getattr(spec, name)
        if spec.family != "single-switch" and taper > ports - 1:
            raise DesignError(
                name,
                taper,
                f"leaves no uplink on a switch of {ports} ports",
                f"give at most {ports - 1}",
            )


def _full(spec: FabricSpec, draft: Request) -> Request:
    """The draft with as many endpoints as its first structure of two tiers or fewer holds."""
    tiers = spec.tiers or min(_TIERS[spec.family][-1], _FLAT)
    largest = shape_of(replace(draft, tiers=tiers)).largest
    return replace(draft, endpoints=max(largest // draft.machine_ports, 1) * draft.machine_ports)


def _machine(spec: FabricSpec) -> tuple[int, int, int]:
    """Ports and GPUs of a server, and ports of a machine: a server or a larger scale-up domain."""
    gpus = spec.gpus_per_server or _usual_server(spec)
    ports = spec.ports_per_server or gpus
    if spec.domain is None or spec.domain <= gpus or spec.family in ("single-switch", "fat-tree"):
        return ports, gpus, ports
    if spec.domain % gpus:
        raise DesignError(
            "domain", spec.domain, f"is no whole number of servers of {gpus} GPUs", "change either"
        )
    return ports, gpus, spec.domain // gpus * ports


def _server_notes(spec: FabricSpec) -> list[str]:
    """What is said of servers that are smaller than usual because the endpoints ask for it."""
    if spec.gpus_per_server is not None or spec.rails is not None:
        return []
    gpus = _usual_server(spec)
    return [] if gpus == _USUAL_SERVER else [f"servers of {gpus} GPU{'s' if gpus > 1 else ''}"]


def _usual_server(spec: FabricSpec) -> int:
    if spec.rails:
        return spec.rails if not (spec.domain and spec.domain % spec.rails) else _USUAL_SERVER
    if spec.family in ("fat-tree", "single-switch") or (
        spec.family == "multi-plane" and not spec.unit_servers
    ):
        return math.gcd(spec.endpoints or _USUAL_SERVER, _USUAL_SERVER)
    return math.gcd(spec.domain or _USUAL_SERVER, _USUAL_SERVER)


def _rails(spec: FabricSpec, server_ports: int, gpus: int, machine_ports: int) -> int:
    if spec.family in ("single-switch", "fat-tree"):
        return 1
    rails = spec.rails
    if rails is None:
        if spec.family == "rail-only":
            rails = machine_ports
        elif spec.family == "multi-plane" and not spec.unit_servers:
            rails = 1
        else:
            rails = int(default_rails(server_ports, gpus))
    if machine_ports % rails:
        raise DesignError(
            "rails", rails, f"do not divide the {machine_ports} ports of a server", "change either"
        )
    return rails


def _homes(spec: FabricSpec) -> int:
    """Leaves of an endpoint: two with dual top-of-rack switches, each a rail of its own."""
    if not spec.dual_tor:
        return 1
    if spec.family not in _DUAL:
        raise DesignError(
            "dual_tor", spec.family, "has no spines that two leaves share", " or ".join(_DUAL)
        )
    return _DUAL_HOMES


def _unit_machines(
    spec: FabricSpec, server_ports: int, machine_ports: int, notes: list[str]
) -> int:
    if not spec.unit_servers or spec.family in ("single-switch", "rail-only"):
        return 0
    ports = spec.unit_servers * server_ports
    if ports % machine_ports == 0:
        return ports // machine_ports
    notes.append(f"a scalable unit of {spec.unit_servers} scale-up domains")
    return spec.unit_servers


def _check_machines(draft: Request) -> None:
    """Rails and dealt planes need whole machines; a tree takes any number of endpoints."""
    for name, value in (
        ("endpoints", draft.endpoints),
        ("unit_servers", draft.unit_machines * draft.machine_ports),
    ):
        if value > _LARGEST_ENDPOINTS:
            raise DesignError(
                name, value, "ports are too many", f"at most {_LARGEST_ENDPOINTS:,} are counted"
            )
    ports, endpoints = draft.machine_ports // draft.homes, draft.endpoints // draft.homes
    rest = endpoints % ports
    if rest and (draft.rails > 1 or draft.unit_machines):
        below, above = endpoints - rest, endpoints - rest + ports
        near = f"{below:,} or {above:,}" if below else f"{above:,}"
        raise DesignError(
            "endpoints", endpoints, f"are no whole servers of {ports} ports", f"give {near}"
        )


def _choices(spec: FabricSpec, shape: ClosShape) -> Iterator[str]:
    request = shape.request
    if spec.tiers is None:
        yield f"{request.tiers} tier{'s' if request.tiers > 1 else ''}, the fewest that hold all"
        if request.tiers > 1 and request.endpoints <= request.radix * request.breakout:
            yield "one switch would hold all endpoints: a single switch saves the spines"
    if spec.rails is None and request.rails > request.homes:
        yield f"{request.rails // request.homes} rails"
    if request.planes > 1:
        yield (
            "endpoints dealt over the planes, one port each"
            if request.dealt
            else "a port of every endpoint to each plane"
        )
    if request.homes > 1:
        yield "a port of every endpoint to each of two leaves, which share their spines"
    if request.tiers > 1 and request.even is None:
        fewest = shape_of(replace(request, even=False))
        above, copies = shape.spines + shape.cores, request.copies
        if above > fewest.spines + fewest.cores:
            more = copies * (above - fewest.spines - fewest.cores)
            cores = f" and {copies * shape.cores} cores" if shape.cores > fewest.cores else ""
            yield (
                f"{copies * shape.spines} spines{cores}, {more} more than have the ports, so "
                "that any two leaves share all their uplinks"
            )
    pairs = leaf_pairs(shape)
    if pairs is not None and pairs.worst < pairs.uplinks:
        yield (
            f"{pairs.spines} spines do not divide the {pairs.uplinks} uplinks of a leaf: some "
            f"leaves share {pairs.worst} of them"
        )
    if request.split:
        yield f"ports between switches split to {request.endpoint_gbps:g}G, which saves a tier"
    if shape.core_groups:
        yield f"{shape.core_groups} core groups above the scalable units"


def _why_not(spec: FabricSpec, shape: ClosShape, most: int) -> str:
    request = shape.request

    def largest(radix: int) -> int:
        return shape_of(replace(request, radix=radix)).largest

    ways = []
    for tiers in _TIERS[spec.family]:
        if tiers > request.tiers and shape_of(replace(request, tiers=tiers)).buildable:
            ways.append(f"{('one', 'two', 'three')[tiers - 1]} tiers")
            break
    even = range(request.radix + 2 - request.radix % 2, _LARGEST_RADIX, 2)
    enough = bisect_left(even, request.endpoints, key=largest)
    if enough < len(even):
        ways.append(f"{even[enough] + request.spare_ports} ports a switch")
    if request.tiers == 1 and not ways:
        ways.append("a fat tree")
    switch = f"{request.radix}-port switch"
    name = f"{_TIER_WORDS[request.tiers]} {TITLES[request.family]} of {switch}es"
    return (
        f"A {f'single {switch}' if request.copies * request.tiers == 1 else name} ends at "
        f"{most:,} endpoints; {request.endpoints // request.homes:,} need "
        f"{' or '.join(ways) or 'another family'}."
    )
