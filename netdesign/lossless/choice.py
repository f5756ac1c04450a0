"""What a planner may set about lossless Ethernet; what is left out comes from the data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import lossless_rows
from netdesign.errors import DesignError
from netdesign.network.lossless.headroom import METHODS, PacketMix, WorstCaseFrames
from netdesign.network.lossless.traffic_class import traffic_class

HIGHEST_PRIORITY = 7
LONGEST_CABLE_M = 200_000.0


@dataclass(frozen=True)
class LosslessChoice:
    """Settings of a plan, SI units; None takes the design's value or the one in the data."""

    chip: str | None = None  # that of the design's switch
    gbps: float | None = None  # that of the design's links
    access_length: float | None = None  # m
    spine_length: float | None = None  # m
    port_mtu: float | None = None  # bytes, of the whole port
    lossless_mtu: float | None = None  # bytes, of the lossless class
    small_packet_share: float | None = None
    priorities: tuple[int, ...] = ()
    traffic_class: int | None = None  # the byte of NCCL_IB_TC
    method: str = ""  # the first that is known for the chip
    profile: str = ""  # which published rows
    headroom: float | None = None  # bytes, from a vendor
    oversubscribe: float = 1.0  # headroom of all groups over the pool, where the chip has none
    marking: str = ""  # id of a recommendation
    round_trip: float | None = None  # s


@dataclass(frozen=True)
class Settings:
    """A choice with every gap filled."""

    mix: PacketMix
    frames: WorstCaseFrames
    light_speed: float
    priorities: tuple[int, ...]
    traffic_class: int
    alpha_power: int  # a group may take 2 to this power of what is left
    round_trip: float
    roce_headers: float


def number(name: str) -> float:
    """A number of lossless.csv."""
    return lossless_rows(data_directory()).require(name, "number").value


def settled(choice: LosslessChoice) -> Settings:
    """The settings of a choice, checked.

    Raises
    ------
    DesignError     naming the setting that cannot be used
    """
    _check(choice)
    share = choice.small_packet_share
    byte = _or(choice.traffic_class, "traffic_class")
    return Settings(
        mix=PacketMix(
            port_mtu=_or(choice.port_mtu, "port_mtu"),
            lossless_mtu=_or(choice.lossless_mtu, "lossless_mtu"),
            small_share=_or(share, "small_packet_share"),
        ),
        frames=WorstCaseFrames(
            mtu=_or(choice.port_mtu, "worst_case_mtu"),
            frame_overhead=number("frame_overhead"),
            pause_frame=number("maximum_pfc_frame"),
            cable_delay=number("cable_delay"),
        ),
        light_speed=number("light_speed"),
        priorities=tuple(sorted(set(choice.priorities))) or (int(number("priority")),),
        traffic_class=traffic_class(int(byte)).byte,
        alpha_power=int(number("dynamic_threshold")),
        round_trip=_or(choice.round_trip, "round_trip"),
        roce_headers=number("roce_headers"),
    )


def with_changes(choice: LosslessChoice, **changes: Any) -> LosslessChoice:
    """The choice with those changes that say something."""
    return replace(choice, **{name: value for name, value in changes.items() if value is not None})


def _or(value: float | None, name: str) -> float:
    return number(name) if value is None else value


_RANGES: dict[str, tuple[float, float, str]] = {
    "gbps": (1, 3200, "Gb/s"),
    "access_length": (0.1, LONGEST_CABLE_M, "m"),
    "spine_length": (0.1, LONGEST_CABLE_M, "m"),
    "port_mtu": (64, 65_535, "bytes"),
    "lossless_mtu": (64, 65_535, "bytes"),
    "small_packet_share": (0, 1, ""),
    "headroom": (1, 1e12, "bytes"),
    "oversubscribe": (1, 1000, "times"),
    "round_trip": (1e-9, 10, "s"),
}


def _check(choice: LosslessChoice) -> None:
    for name, (low, high, unit) in _RANGES.items():
        value = getattr(choice, name)
        if value is not None and not (math.isfinite(value) and low <= value <= high):
            limits = f"give {low:g} to {high:,.10g} {unit}".strip()
            raise DesignError(name, value, "is out of range", limits)
    for priority in choice.priorities:
        if not 0 <= priority <= HIGHEST_PRIORITY:
            raise DesignError(
                "priorities", priority, "is no priority", f"give 0 to {HIGHEST_PRIORITY}"
            )
    if choice.method and choice.method not in METHODS:
        raise DesignError(
            "method", choice.method, "is not known", "use one of " + ", ".join(METHODS)
        )
