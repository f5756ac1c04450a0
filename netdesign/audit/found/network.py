"""Devices and links as they stand in a dump, each link once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["switch", "host", "aggregation", "unknown"]


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """A switch, a host (a channel adapter or a server), or a switch's aggregation node."""

    key: str  # unique in the dump: a GUID, or the name where there is none
    name: str  # as a person knows it
    role: Role
    ports: int | None = None  # of a switch, without those to its aggregation node
    tier: int | None = None  # 0 leaf and up; None where it was not found or has none
    line: int = 0  # where it stands first
    facts: Mapping[str, Any] = field(default_factory=dict)  # model, firmware, LID, ...


@dataclass(frozen=True, slots=True)
class FoundLink:
    """One cable; ``a`` and ``b`` are keys of devices, in the order of the dump."""

    a: str
    a_port: str
    b: str
    b_port: str
    gbps: float | None = None  # per direction, of the slower end; None if not said
    speed: str = ""  # as the dump's ``a`` end says it: 4xNDR
    other_speed: str = ""  # as the ``b`` end says it; "" where it says nothing
    possible_gbps: float | None = None  # what both ends could do, where the dump says so
    possible: str = ""  # the same as the dump says it: 4xHDR
    one_sided: bool = False  # only one end is in the dump although both devices are
    is_management: bool = False  # not part of the fabric
    line: int = 0


@dataclass(frozen=True)
class FoundNetwork:
    """What one dump says of a network."""

    devices: Mapping[str, FoundDevice]  # by key
    links: tuple[FoundLink, ...]
    ports_down: int = 0  # ports of switches without a cable, where the dump lists them
