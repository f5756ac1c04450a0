"""Which modules and cables make the links of a fabric that is only counted, not yet placed?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from netdesign.catalog import LinkMedium, load_catalog
from netdesign.economics.link_parts import (
    LinkParts,
    PartCount,
    access_parts,
    among_parts,
    between_parts,
)
from netdesign.topology.media import link_medium
from netdesign.topology.spec import FabricCounts

_TIERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"leaf_spine": ("leaf", "spine"), "spine_core": ("spine", "core")}
)


@dataclass(frozen=True)
class Cabling:
    """Lengths of cables and the servers at their ends."""

    servers: int
    access_length_m: float  # of a cable to a server
    spine_length_m: float  # of a cable between switches
    twin_port_cages: bool  # two ports of a server share a cage


def counted_parts(
    counts: FabricCounts, cabling: Cabling, media: Iterable[LinkMedium] | None = None
) -> tuple[LinkParts, ...]:
    """Modules and cables of every kind of link, as ``economics.link_parts`` gives those of a tree.

    Links are shared evenly among the devices of a tier, or among all of a family without tiers.

    Parameters
    ----------
    counts : FabricCounts
    cabling : Cabling
    media : of LinkMedium       those of the catalogue if None
    """
    rows = tuple(load_catalog().link_media.values() if media is None else media)
    found: list[LinkParts] = []
    below, part_below = 0, ""
    for kind, links in counts.links.items():
        if not links:
            continue
        gbps = counts.link_gbps[kind]
        if kind == "host":
            leaves = next(iter(counts.switches.values()))
            medium = link_medium(
                rows,
                gbps,
                cabling.access_length_m,
                "host",
                twin_port_cages=cabling.twin_port_cages,
            )
            found.append(access_parts(links, gbps, cabling.servers, leaves, medium))
        else:
            medium = link_medium(rows, gbps, cabling.spine_length_m, "fabric")
            shared = below if medium and medium.switch_end_part == part_below else 0
            parts = _between(counts, kind, medium, shared)
            found.append(LinkParts(kind.replace("_", "-"), links, gbps, parts))
        below = links if kind == "host" or kind in _TIERS else 2 * links
        part_below = medium.switch_end_part if medium else ""
    return tuple(found)


def _between(
    counts: FabricCounts, kind: str, medium: LinkMedium | None, shared: int
) -> tuple[PartCount, ...]:
    if medium is None:
        return ()
    place, links = kind.replace("_", "-"), counts.links[kind]
    tiers = _TIERS.get(kind)
    if tiers is None:
        devices = counts.total_switches or counts.endpoints
        return among_parts(place, links, medium, devices, shared)
    lower, upper = (counts.switches[tier] for tier in tiers)
    return between_parts(place, links, medium, lower, upper, shared)
