"""Which switches are leaves, spines and cores, and what each leaf has below and above it?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median_low

from netdesign.audit.found.network import FoundDevice, FoundLink, FoundNetwork
from netdesign.audit.limits import limit

TIER_NAMES = ("leaf", "spine", "core")
NO_TIER = 99  # above every tier: of hosts, and of switches that no host is below


def tier_name(tier: int) -> str:
    """leaf, spine, core, tier 4 and so on."""
    return TIER_NAMES[tier] if tier < len(TIER_NAMES) else f"tier {tier + 1}"


@dataclass(frozen=True, slots=True)
class Leaf:
    """Links of one leaf; aggregation nodes are inside of it and do not count."""

    key: str
    down: tuple[FoundLink, ...]  # to hosts
    up: tuple[FoundLink, ...]  # to a higher tier
    across: tuple[FoundLink, ...]  # to other switches of its tier

    @property
    def down_gbps(self) -> float | None:
        return total_gbps(self.down)

    @property
    def up_gbps(self) -> float | None:
        return total_gbps(self.up)

    @property
    def oversubscription(self) -> float | None:
        """Bandwidth down over bandwidth up; by number of links where no rate is known."""
        return _ratio(self.down_gbps, self.up_gbps, self.down, self.up)

    @property
    def possible_oversubscription(self) -> float | None:
        """The same if every link ran at what both of its ends can do."""
        return _ratio(
            total_gbps(self.down, possible=True),
            total_gbps(self.up, possible=True),
            self.down,
            self.up,
        )


def total_gbps(links: Sequence[FoundLink], possible: bool = False) -> float | None:
    """Gb/s per direction of all links; None if the rate of one of them is not known."""
    total = 0.0
    for link in links:
        gbps = (link.possible_gbps or link.gbps) if possible else link.gbps
        if gbps is None:
            return None
        total += gbps
    return total


def _ratio(
    down: float | None, up: float | None, downs: Sequence[FoundLink], ups: Sequence[FoundLink]
) -> float | None:
    if not ups or not downs:
        return None
    if down is None or up is None or up == 0:
        return len(downs) / len(ups) if _alike([*downs, *ups]) else None
    return down / up


def _alike(links: Iterable[FoundLink]) -> bool:
    return len({link.gbps for link in links}) == 1


@dataclass(frozen=True, eq=False)
class Tiered:
    """A found network with the tier of each switch; links of management ports are left out."""

    network: FoundNetwork
    tier: Mapping[str, int]  # of switches that a path from a host reaches; 0 leaf and up
    hosted_above: tuple[str, ...]  # switches above the leaves that also have hosts
    lists_switches: bool  # whether the file gives ports of switches, not only their names

    @cached_property
    def links(self) -> tuple[FoundLink, ...]:
        return tuple(link for link in self.network.links if not link.is_management)

    def role(self, key: str) -> str:
        return self.network.devices[key].role

    def device(self, key: str) -> FoundDevice:
        return self.network.devices[key]

    def called(self, key: str) -> str:
        """The name of a device, with its id where several bear that name."""
        name = self.device(key).name
        return f"{name} ({key})" if name != key and self._bearers[name] > 1 else name

    @cached_property
    def _bearers(self) -> Counter[str]:
        return Counter(device.name for device in self.network.devices.values())

    @cached_property
    def at(self) -> Mapping[str, list[tuple[FoundLink, str]]]:
        """Links of each device, with the device at the other end."""
        found: dict[str, list[tuple[FoundLink, str]]] = defaultdict(list)
        for link in self.links:
            found[link.a].append((link, link.b))
            if link.a != link.b:
                found[link.b].append((link, link.a))
        return found

    @cached_property
    def host_links(self) -> tuple[FoundLink, ...]:
        """Links between a host and a switch (or another host)."""
        return self._by_role["host"]

    @cached_property
    def aggregation_links(self) -> tuple[FoundLink, ...]:
        """Links inside of a switch, to its aggregation node."""
        return self._by_role["aggregation"]

    @cached_property
    def switch_links(self) -> tuple[FoundLink, ...]:
        """Links between two switches."""
        return self._by_role["switch"]

    @cached_property
    def _by_role(self) -> Mapping[str, tuple[FoundLink, ...]]:
        found: dict[str, list[FoundLink]] = {"host": [], "aggregation": [], "switch": []}
        devices = self.network.devices
        for link in self.links:
            one, other = devices[link.a].role, devices[link.b].role
            if one == "aggregation" or other == "aggregation":
                found["aggregation"].append(link)
            elif one == "host" or other == "host":
                found["host"].append(link)
            elif one == "switch" and other == "switch":
                found["switch"].append(link)
        return {role: tuple(links) for role, links in found.items()}

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Leaves whose ports are in the file, in its order."""
        return tuple(
            self._leaf(key)
            for key, tier in self.tier.items()
            if tier == 0 and self.is_listed(self.device(key))
        )

    def is_listed(self, device: FoundDevice) -> bool:
        """Whether the file gives the ports of this device."""
        return not self.lists_switches or device.facts.get("listed", True) is True

    def _leaf(self, key: str) -> Leaf:
        down: list[FoundLink] = []
        up: list[FoundLink] = []
        across: list[FoundLink] = []
        for link, other in self.at[key]:
            if other == key:
                continue
            role = self.role(other)
            if role == "host":
                down.append(link)
            elif role == "switch":
                higher = self.tier.get(other, 0) > 0
                (up if higher else across).append(link)
        return Leaf(key, tuple(down), tuple(up), tuple(across))

    @cached_property
    def by_tier(self) -> list[list[str]]:
        """Keys of switches, lowest tier first."""
        found: list[list[str]] = [[] for _ in range(max(self.tier.values(), default=-1) + 1)]
        for key, tier in self.tier.items():
            found[tier].append(key)
        return found

    @cached_property
    def components(self) -> list[list[str]]:
        """Devices that reach each other, largest set first; those without a link left out."""
        return joined_sets(self.at)


def joined_sets(
    at: Mapping[str, list[tuple[FoundLink, str]]], wanted: Callable[[str], bool] = bool
) -> list[list[str]]:
    """Sets of devices joined by links among those that are wanted, largest first."""
    seen: set[str] = set()
    sets: list[list[str]] = []
    for start in at:
        if start in seen or not wanted(start):
            continue
        seen.add(start)
        members = [start]
        for key in members:  # grows while it is read
            for _, other in at.get(key, ()):
                if other not in seen and wanted(other):
                    seen.add(other)
                    members.append(other)
        sets.append(members)
    return sorted(sets, key=len, reverse=True)


def tiered(network: FoundNetwork) -> Tiered:
    """Find the tiers: a leaf has hosts, a spine is next to leaves, a core is next to spines.

    A switch with a few hosts of its own among leaves that have many is a spine. Tiers that the
    file itself gives are kept.
    """
    switches = {key: dev for key, dev in network.devices.items() if dev.role == "switch"}
    hosts: dict[str, int] = dict.fromkeys(switches, 0)
    beside: dict[str, dict[str, int]] = {key: {} for key in switches}
    for link in network.links:
        if link.is_management or link.a == link.b:
            continue
        for key, other in ((link.a, link.b), (link.b, link.a)):
            if key in switches:
                role = network.devices[other].role
                hosts[key] += role == "host"
                if role == "switch":
                    beside[key][other] = beside[key].get(other, 0) + 1
    known = {key: dev.tier for key, dev in switches.items() if dev.tier is not None}
    hosted = [key for key in switches if hosts[key]]
    above = [] if known else [key for key in hosted if _is_above(key, hosts, beside)]
    tier = known or _distances([key for key in hosted if key not in set(above)], beside)
    ordered = {key: tier[key] for key in switches if key in tier}
    listed = any(dev.facts.get("listed") is True for dev in switches.values())
    return Tiered(network, ordered, tuple(above), listed)


def _is_above(key: str, hosts: Mapping[str, int], beside: Mapping[str, Mapping[str, int]]) -> bool:
    """Whether a switch with hosts stands above the leaves all the same."""
    near = [hosts[other] for other in beside[key]]
    uplinks = sum(beside[key].values())
    if len(near) < 2 or uplinks <= hosts[key]:
        return False
    return hosts[key] <= limit("few-hosts-on-a-spine") * median_low(near)


def _distances(leaves: Sequence[str], beside: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    found = dict.fromkeys(leaves, 0)
    edge = list(leaves)
    for key in edge:  # grows while it is read
        for other in beside[key]:
            if other not in found:
                found[other] = found[key] + 1
                edge.append(other)
    return found
