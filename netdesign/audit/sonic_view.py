"""A configuration with what it is held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from netdesign.audit.sonic_ports import PortView, Profile
from netdesign.audit.sonic_tables import SonicTables, number_of, reference
from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import SwitchChip, chip_of_platform, switch_chips
from netdesign.lossless import LosslessPlan
from netdesign.lossless.choice import number
from netdesign.network.lossless.ecn import ecn_threshold_bound
from netdesign.network.lossless.shared_buffer import dynamic_threshold
from netdesign.network.lossless.traffic_class import TrafficClass

HIGHEST_POWER = 10  # of two, in a threshold


@dataclass(frozen=True)
class SwitchView:
    """One switch: its tables, its ports, and the plan, chip and class that it must serve."""

    tables: SonicTables
    ports: tuple[PortView, ...]
    plan: LosslessPlan | None
    chip: SwitchChip | None
    traffic_class: TrafficClass | None

    @cached_property
    def pausing(self) -> tuple[PortView, ...]:
        """Ports with PFC on some priority."""
        return tuple(port for port in self.ports if port.paused)

    @cached_property
    def groups_of_pool(self) -> Mapping[str, int]:
        """Lossless priority groups by the pool that they use."""
        found: dict[str, int] = {}
        for port in self.ports:
            for profile in port.lossless_groups.values():
                found[profile.pool] = found.get(profile.pool, 0) + 1
        return found

    @cached_property
    def headroom_of_pool(self) -> Mapping[str, float]:
        """Headroom that all groups of a pool may ask for, bytes."""
        found: dict[str, float] = {}
        for port in self.ports:
            for profile in port.lossless_groups.values():
                found[profile.pool] = found.get(profile.pool, 0.0) + (profile.xoff or 0.0)
        return found

    @property
    def frame(self) -> float:
        """Largest RoCE frame with its headers, bytes."""
        mix = self.plan.settings.mix if self.plan is not None else None
        payload = mix.lossless_mtu if mix is not None else number("lossless_mtu")
        return payload + number("roce_headers")

    def shared(self, pool: str) -> float | None:
        """Bytes of a pool that queues share, without its headroom."""
        row = self.tables.table("BUFFER_POOL").get(pool, {})
        size, xoff = number_of(row.get("size")), number_of(row.get("xoff")) or 0.0
        if size is None:
            return None
        counts_inside = self.chip is not None and self.chip.pool_holds_headroom
        return max(size - xoff, 0.0) if counts_inside else size

    def pause_alone(self, profile: Profile) -> float | None:
        """Bytes at which a group that fills alone pauses."""
        fixed = number_of(profile.row.get("static_th"))
        if fixed is not None:
            return fixed
        alpha, shared = _alpha(profile), self.shared(profile.pool)
        if alpha is None or shared is None:
            return None
        return float(dynamic_threshold(shared, alpha, 1))

    def mark_bound(self, profile: Profile) -> float | None:
        """Bytes below which marking begins before any pause, all groups of the pool filling."""
        alpha, shared = _alpha(profile), self.shared(profile.pool)
        if alpha is None or shared is None:
            return None
        groups = self.groups_of_pool.get(profile.pool, 1)
        return float(ecn_threshold_bound(shared, 0.0, groups, alpha))

    def marking(self, port: PortView, queue: int) -> tuple[str, Mapping[str, str]] | None:
        """Name and row of the WRED profile of a queue."""
        name = reference(port.queues.get(queue, {}).get("wred_profile", ""))
        row = self.tables.table("WRED_PROFILE").get(name)
        return None if row is None else (name, row)


def _alpha(profile: Profile) -> float | None:
    power = number_of(profile.row.get("dynamic_th"))
    if power is None or abs(power) > HIGHEST_POWER:
        return None
    return float(2.0**power)


def platform_chip(tables: SonicTables) -> SwitchChip | None:
    """The chip that the platform of the file tells, None if it tells none."""
    device = tables.table("DEVICE_METADATA").get("localhost", {})
    words = f"{device.get('platform', '')} {device.get('hwsku', '')}"
    return chip_of_platform(switch_chips(data_directory()), words)
