"""A floor for a small fabric: racks, lengths and media."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netdesign.topology.built import Fabric
from netdesign.topology.layout import Placement


def on_floor(fabric: Fabric, per_rack: int = 2) -> Placement:
    """Hosts in racks, ``per_rack`` in each; the switches of each tier in racks of their own."""
    host_rack = np.arange(fabric.hosts) // per_rack
    racks = int(host_rack.max(initial=-1)) + 1
    rack = np.concatenate([host_rack, racks + fabric.tier]).astype(np.int32)
    racks = int(rack.max(initial=-1)) + 1
    unit = np.ones(fabric.devices, dtype=np.int32)
    for number in range(racks):
        inside = np.flatnonzero(rack == number)
        unit[inside] = (
            1 + 8 * np.arange(len(inside))
            if number <= host_rack.max()
            else 1 + (np.arange(len(inside)))
        )
    return Placement(
        rack=rack,
        rack_names=tuple(f"A{number + 1:02d}" for number in range(racks)),
        row=np.zeros(racks, dtype=np.int32),
        column=np.arange(racks, dtype=np.int32),
        unit=unit,
        height=np.where(np.arange(fabric.devices) < fabric.hosts, 8, 1).astype(np.int32),
    )


def measured(fabric: Fabric, floor: Placement, media: tuple[str, ...], medium: list[int]) -> Fabric:
    """The same fabric with a length for every link and a medium for every kind."""
    apart = np.abs(floor.rack[fabric.a].astype(int) - floor.rack[fabric.b])
    return replace(
        fabric,
        media=media,
        medium=np.asarray(medium, dtype=np.int32)[fabric.kind],
        length_m=(2.0 + 1.25 * apart).astype(np.float32),
    )
