"""Every device of a fabric with its role, its place in the fabric and its place on the floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from netdesign.topology.built import Fabric, Ints
from netdesign.topology.naming import device_names

if TYPE_CHECKING:
    from netdesign.topology.layout import Placement


@dataclass(frozen=True, eq=False)
class DeviceTable:
    """One entry a device, hosts first; -1 where a device serves several pods, rails or planes."""

    name: list[str]
    role: list[str]  # server, or node in a fabric without switches; the tier of a switch
    tier: Ints  # 0 for hosts, 1 for the lowest switches
    pod: Ints  # of a host: that of its first switch
    rail: Ints
    plane: Ints
    rack: list[str]  # "" without a placement
    unit: Ints  # rack unit, 0 without a placement

    def __len__(self) -> int:
        return len(self.name)


def device_table(fabric: Fabric, placement: Placement | None = None) -> DeviceTable:
    """The devices of a fabric, numbered as in the fabric."""
    hosts = np.full(fabric.hosts, -1)
    host = "server" if fabric.switches else "node"
    if placement is None:
        rack, unit = [""] * fabric.devices, np.zeros(fabric.devices, dtype=np.int32)
    else:
        rack = [placement.rack_names[index] for index in placement.rack.tolist()]
        unit = placement.unit
    return DeviceTable(
        name=device_names(fabric),
        role=[host] * fabric.hosts + [fabric.tier_names[index] for index in fabric.tier.tolist()],
        tier=np.concatenate([np.zeros(fabric.hosts), fabric.tier + 1]).astype(np.int32),
        pod=np.concatenate([host_pods(fabric), fabric.pod]).astype(np.int32),
        rail=np.concatenate([hosts, fabric.rail]).astype(np.int32),
        plane=np.concatenate([hosts, fabric.plane]).astype(np.int32),
        rack=rack,
        unit=unit,
    )


def host_links(fabric: Fabric) -> Ints:
    """Indices of the links between a host and a switch, by host and then by port of the host."""
    found = np.flatnonzero((fabric.a < fabric.hosts) & (fabric.b >= fabric.hosts))
    return found[np.lexsort((fabric.a_slot[found], fabric.a[found]))].astype(np.int32)


def first_switches(fabric: Fabric) -> Ints:
    """The switch at the first cabled port of every host, numbered as a device; -1 without one."""
    links = host_links(fabric)
    hosts, first = np.unique(fabric.a[links], return_index=True)
    found = np.full(fabric.hosts, -1, dtype=np.int32)
    found[hosts] = fabric.b[links[first]]
    return found


def host_pods(fabric: Fabric) -> Ints:
    """The pod of every host: that of its first switch, -1 without one."""
    first = first_switches(fabric)
    pods = np.full(fabric.hosts, -1, dtype=np.int32)
    cabled = first >= 0
    pods[cabled] = fabric.pod[first[cabled] - fabric.hosts]
    return pods
