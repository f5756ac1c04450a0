"""What is a fabric when every switch, port and link of it exists?

Devices are numbered: hosts first (0 to ``hosts`` - 1), then switches. Every link has two ends, each
a device and a slot. A slot is the smallest part of a port that can carry a link of its own: a port
that splits in two has two slots, a whole-port link takes both. ``a`` is the end nearer the hosts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LinkKind:
    """What all links between two tiers have in common."""

    name: str  # host | leaf_spine | spine_core | local | global | ...
    gbps: float
    slots: int = 1  # slots of a switch port that a link takes


@dataclass(frozen=True, eq=False)
class Fabric:
    """Every switch and link of one fabric, as arrays."""

    family: str
    hosts: int
    host_ports: int  # ports of a host to this fabric
    gpus_per_host: int
    endpoints: int  # host ports that are cabled
    tier_names: tuple[str, ...]  # lowest first: leaf, spine, core
    tier: Ints  # of each switch, index into tier_names
    pod: Ints  # pod, unit or group of each switch; -1 where it serves all
    rail: Ints  # of each switch; -1 where it serves several
    plane: Ints  # of each switch
    ports: Ints  # of each switch, at port_gbps
    port_gbps: float
    breakout: int  # slots of a port
    spare_ports: int  # of each switch, kept empty on purpose
    kinds: tuple[LinkKind, ...]  # host first where there is one
    kind: Ints  # of each link, index into kinds
    a: Ints  # lower device of each link
    a_slot: Ints
    b: Ints  # upper device of each link
    b_slot: Ints
    media: tuple[str, ...] = ()  # keys of the catalogue's link media
    medium: Ints | None = None  # of each link, index into media; -1 none reaches
    length_m: Floats | None = None  # of each link
    host_port: str = "nic"  # what a port of a host is called, before its number
    notes: tuple[str, ...] = ()

    @property
    def switches(self) -> int:
        return len(self.tier)

    @property
    def links(self) -> int:
        return len(self.kind)

    @property
    def devices(self) -> int:
        return self.hosts + len(self.tier)

    def links_of(self, name: str) -> int:
        """How many links are of a kind; 0 for a kind that this fabric does not have."""
        names = [kind.name for kind in self.kinds]
        return int(np.count_nonzero(self.kind == names.index(name))) if name in names else 0
