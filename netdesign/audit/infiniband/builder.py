"""Ends of links, as a dump lists them from both sides, become links that stand once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from netdesign.audit.found.names import adapter_of, is_aggregation_name
from netdesign.audit.found.network import FoundDevice, FoundLink, FoundNetwork, Role
from netdesign.audit.found.rates import gbps_of

MOST_CONFLICTS = 100  # that are kept


class End(NamedTuple):
    """What one end of a link says."""

    other: str
    other_port: str
    speed: str  # 4xNDR; "" where it says nothing
    possible: str  # what it could be; "" where the dump does not say
    line: int


@dataclass(slots=True)
class Device:
    """A device while it is read."""

    name: str
    role: Role
    line: int
    ports: int | None = None
    listed: bool = False  # its own ports are in the dump
    last: int = 0  # of its ports that are in the dump, where a dump gives those without a cable too
    facts: dict[str, Any] = field(default_factory=dict)


class Builder:
    """Collects devices and ends of links."""

    def __init__(self) -> None:
        self.devices: dict[str, Device] = {}
        self.ends: dict[tuple[str, str], End] = {}  # the end that was read first
        self.backs: dict[
            tuple[str, str], str | tuple[str, str]
        ] = {}  # by that end: the other's speed
        self.second: list[tuple[str, str, End]] = []  # another word on a port
        self.conflicts: list[str] = []  # sentences
        self.conflict_count = 0
        self.ports_down = 0

    def device(self, key: str, name: str, role: Role, line: int) -> Device:
        """The device of this key; what is not yet known of it is taken over."""
        found = self.devices.get(key)
        if found is None:
            if role == "host" and is_aggregation_name(name):
                role = "aggregation"
            found = self.devices[key] = Device(name, role, line)
            return found
        if name and (not found.name or found.name == key):
            found.name = name
            if found.role == "host" and is_aggregation_name(name):
                found.role = "aggregation"
        if found.role == "unknown":
            found.role = role
        return found

    def end(
        self,
        key: str,
        port: str,
        other: str,
        other_port: str,
        speed: str,
        line: int,
        possible: str = "",
    ) -> None:
        """One end of a link; another word on the same port is a link too, and a conflict."""
        far = (other, other_port)
        known = self.ends.get(far)
        if known is not None and known.other == key and known.other_port == port:
            if far not in self.backs:
                self.backs[far] = (speed, possible) if possible else speed
            return
        known = self.ends.get((key, port))
        if known is None:
            self.ends[key, port] = End(other, other_port, speed, possible, line)
        elif (known.other, known.other_port) != far:
            self.second.append((key, port, End(other, other_port, speed, possible, line)))
            self._conflict(
                f"{self._name(key)} port {port} is cabled to {self._name(known.other)} port "
                f"{known.other_port} in line {known.line} and to {self._name(other)} port "
                f"{other_port} in line {line}"
            )
        elif (speed and not known.speed) or (possible and not known.possible):
            self.ends[key, port] = known._replace(
                speed=known.speed or speed, possible=known.possible or possible
            )

    def _conflict(self, text: str) -> None:
        self.conflict_count += 1
        if len(self.conflicts) < MOST_CONFLICTS:
            self.conflicts.append(text)

    def _name(self, key: str) -> str:
        device = self.devices.get(key)
        return device.name if device is not None and device.name else key

    def join_ports_of_adapters(self) -> None:
        """Adapters that are known by the ids of their ports: two ports of one name are one."""
        first: dict[str, str] = {}
        twins: list[tuple[str, str]] = []
        for key, device in self.devices.items():
            if device.role == "host":
                other = first.setdefault(device.name, key)
                if other != key and adapter_of(device.name).adapter:
                    twins.append((other, key))
        ports: dict[str, set[str]] = {key: set() for pair in twins for key in pair}
        for (key, port), end in self.ends.items():
            if key in ports:
                ports[key].add(port)
            if end.other in ports:
                ports[end.other].add(end.other_port)
        same: dict[str, str] = {}
        for other, key in twins:
            if not ports[other] & ports[key]:
                same[key] = other
                ports[other] |= ports[key]
                self.devices[other].listed |= self.devices[key].listed
        if same:
            self._rename(same)

    def _rename(self, same: Mapping[str, str]) -> None:
        for key in same:
            del self.devices[key]
        self.ends = {
            (same.get(key, key), port): end._replace(other=same.get(end.other, end.other))
            for (key, port), end in self.ends.items()
        }
        self.second = [
            (same.get(key, key), port, end._replace(other=same.get(end.other, end.other)))
            for key, port, end in self.second
        ]
        self.backs = {(same.get(key, key), port): said for (key, port), said in self.backs.items()}

    def network(self) -> FoundNetwork:
        """Everything that was collected; a link is a pair of ports and stands once."""
        links: list[FoundLink] = []
        inside: dict[str, int] = {}
        aggregation = {key for key, dev in self.devices.items() if dev.role == "aggregation"}
        for near, end in self._all_ends():
            key = near[0]
            back = self.backs.get(near) if self.ends[near] is end else None
            links.append(self._link(near, end, back))
            if key in aggregation:
                inside[end.other] = inside.get(end.other, 0) + 1
            elif end.other in aggregation:
                inside[key] = inside.get(key, 0) + 1
        self._name_first_chips()
        devices = {key: _found(key, dev, inside.get(key, 0)) for key, dev in self.devices.items()}
        return FoundNetwork(devices, tuple(links), self.ports_down)

    def cut(self) -> tuple[str, ...]:
        """Devices whose list of ports ends before a port that the other end says is in use."""
        found = {
            end.other: None
            for near, end in self.ends.items()
            if near not in self.backs and _is_beyond(self.devices[end.other], end.other_port)
        }
        return tuple(self.devices[key].name for key in found)

    def _name_first_chips(self) -> None:
        """A box with a second chip "name/U2" has a first one, which is called plainly."""
        boxes = {dev.name[:-3] for dev in self.devices.values() if dev.name.endswith("/U2")}
        if boxes:
            for device in self.devices.values():
                if device.name in boxes:
                    device.name += "/U1"

    def _all_ends(self) -> Iterator[tuple[tuple[str, str], End]]:
        """The first end of every link, those of conflicts last."""
        yield from self.ends.items()
        said: set[frozenset[tuple[str, str]]] = set()
        for key, port, end in self.second:
            far = (end.other, end.other_port)
            back, pair = self.ends.get(far), frozenset(((key, port), far))
            known = back is not None and (back.other, back.other_port) == (key, port)
            if not known and pair not in said:
                said.add(pair)
                yield (key, port), end

    def _link(
        self, near: tuple[str, str], end: End, back: str | tuple[str, str] | None
    ) -> FoundLink:
        other = self.devices[end.other]
        back_speed, back_could = back if isinstance(back, tuple) else (back or "", "")
        gbps, possible, possible_gbps = _rates(end.speed, back_speed, end.possible, back_could)
        return FoundLink(
            a=near[0],
            a_port=near[1],
            b=end.other,
            b_port=end.other_port,
            gbps=gbps,
            speed=end.speed,
            other_speed=back_speed,
            possible_gbps=possible_gbps,
            possible=possible,
            one_sided=back is None
            and other.listed
            and other.role != "aggregation"
            and not _is_beyond(other, end.other_port),
            line=end.line,
        )


def _is_beyond(device: Device, port: str) -> bool:
    return 0 < device.last < (int(port) if port.isdigit() else 0)


@lru_cache(maxsize=4096)
def _rates(
    speed: str, other: str, could: str, other_could: str
) -> tuple[float | None, str, float | None]:
    """Gb/s of the slower end, the better of what both ends could be, and its Gb/s."""
    known = [rate for rate in (gbps_of(speed), gbps_of(other)) if rate is not None]
    possible = max((could, other_could), key=lambda said: gbps_of(said) or 0.0)
    return (min(known) if known else None), possible, gbps_of(possible)


def _found(key: str, device: Device, inside: int) -> FoundDevice:
    ports = device.ports
    if ports is not None and device.role == "switch":
        ports = max(0, ports - inside)
    facts = {**device.facts, "listed": device.listed}
    return FoundDevice(key, device.name or key, device.role, ports, line=device.line, facts=facts)
