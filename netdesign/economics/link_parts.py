"""Which modules and cables make the links of a fabric, and how many of each?"""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.arrays import as_float
from netdesign.catalog import LinkMedium, Server
from netdesign.topology.fabric import FabricSize
from netdesign.topology.media import transceivers_needed


@dataclass(frozen=True)
class PartCount:
    """How many of a part go into the links of one place."""

    part_id: str
    kind: str  # transceiver | cable
    place: str  # server | access | leaf-spine | spine-core
    quantity: int


@dataclass(frozen=True)
class LinkParts:
    """What the links between two tiers are made of."""

    place: str  # access | leaf-spine | spine-core
    links: int
    port_gbps: float
    parts: tuple[PartCount, ...]  # empty if no medium is long enough


def link_parts(
    fabric: FabricSize,
    server: Server,
    servers: int,
    access_medium: LinkMedium | None,
    spine_medium: LinkMedium | None,
    core_medium: LinkMedium | None,
) -> tuple[LinkParts, ...]:
    """Modules and cables of every tier that has links.

    Links are shared evenly among the devices of a tier. Where links to both sides of a switch use
    the same module, one twin-port module may serve one of each.

    Parameters
    ----------
    fabric : FabricSize                                       of scalars
    server : Server
    servers : int
    access_medium, spine_medium, core_medium : LinkMedium     None where none is long enough
    """
    tiers = (
        ("leaf-spine", fabric.leaf_spine_links, spine_medium, fabric.leaves, fabric.spines),
        ("spine-core", fabric.spine_core_links, core_medium, fabric.spines, fabric.cores),
    )
    hosts, leaves = int(fabric.access_links), int(fabric.leaves)
    found = [access_parts(hosts, server.port_gbps, servers, leaves, access_medium)]
    below, medium_below = fabric.access_links, access_medium
    for place, links, medium, lower, upper in tiers:
        parts: tuple[PartCount, ...] = ()
        if medium is not None:
            shared = medium_below is not None and (
                medium_below.switch_end_part == medium.switch_end_part
            )
            parts = between_parts(
                place, int(links), medium, int(lower), int(upper), int(below) if shared else 0
            )
        speed = server.port_gbps if medium is None else medium.port_gbps
        found.append(LinkParts(place, int(links), speed, parts))
        below, medium_below = links, medium
    return tuple(entry for entry in found if entry.links)


def access_parts(
    links: int, port_gbps: float, servers: int, leaves: int, medium: LinkMedium | None
) -> LinkParts:
    """Modules and cables of the links from servers to leaves; none where no medium reaches."""
    if medium is None:
        return LinkParts("access", links, port_gbps, ())
    parts = [
        PartCount(part, "transceiver", place, _modules(links, ports, devices))
        for part, ports, place, devices in (
            (medium.host_end_part, medium.host_end_ports, "server", servers),
            (medium.switch_end_part, medium.switch_end_ports, "access", leaves),
        )
        if part
    ]
    cables = _modules(links, medium.cable_links, servers)
    parts.append(PartCount(medium.cable_part, "cable", "access", cables))
    return LinkParts("access", links, medium.port_gbps, tuple(parts))


def between_parts(
    place: str, links: int, medium: LinkMedium, lower: int, upper: int, shared: int
) -> tuple[PartCount, ...]:
    """Parts of the links between two tiers; ``shared`` links below use the same modules."""
    cables = PartCount(medium.cable_part, "cable", place, -(-links // medium.cable_links))
    if not medium.switch_end_part or not links:
        return (cables,)
    ports = medium.switch_end_ports
    below = _modules(links + shared, ports, lower) - _modules(shared, ports, lower)
    modules = below + _modules(links, ports, upper)
    return (PartCount(medium.switch_end_part, "transceiver", place, modules), cables)


def among_parts(
    place: str, links: int, medium: LinkMedium, devices: int, shared: int
) -> tuple[PartCount, ...]:
    """Parts of links that join devices of one kind; ``shared`` other ends use the same modules."""
    cables = PartCount(medium.cable_part, "cable", place, -(-links // medium.cable_links))
    if not medium.switch_end_part or not links:
        return (cables,)
    ports = medium.switch_end_ports
    modules = _modules(2 * links + shared, ports, devices) - _modules(shared, ports, devices)
    return (PartCount(medium.switch_end_part, "transceiver", place, modules), cables)


def _modules(links: int, ports: int, devices: int) -> int:
    return int(as_float(transceivers_needed(links, ports, devices)))
