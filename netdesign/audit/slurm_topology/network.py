"""A tree of Slurm as devices and links."""

from __future__ import annotations

from collections.abc import Mapping

from netdesign.audit.found.network import FoundDevice, FoundLink, FoundNetwork
from netdesign.audit.slurm_topology.content import Topology, Unit


def network_of(topology: Topology) -> FoundNetwork:
    """A tree as devices and links; how many cables a link has is not in the file."""
    shape = topology.shape
    units = {unit.name: unit for unit in topology.units}
    devices: dict[str, FoundDevice] = {
        unit.name: FoundDevice(
            unit.name, unit.name, "switch", tier=shape.levels.get(unit.name), line=unit.line
        )
        for unit in topology.units
    }
    links: list[FoundLink] = []
    for unit in topology.units:
        for node in dict.fromkeys(unit.nodes):
            key = node if node not in units else f"node {node}"
            devices.setdefault(key, FoundDevice(key, node, "host", line=unit.line))
            links.append(FoundLink(key, "", unit.name, "", line=unit.line))
    links += _between(units, shape.parents)
    return FoundNetwork(devices, tuple(links))


def _between(units: Mapping[str, Unit], parents: Mapping[str, tuple[str, ...]]) -> list[FoundLink]:
    links = []
    for name, above in parents.items():
        for parent in above:
            speed, other = units[name].link_speed, units[parent].link_speed
            links.append(
                FoundLink(
                    name,
                    "",
                    parent,
                    "",
                    speed="" if speed is None else str(speed),
                    other_speed="" if other is None else str(other),
                    line=units[parent].line,
                )
            )
    return links
