"""The tables of one or several devices as one network, each cable once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from netdesign.audit.found.network import FoundDevice, FoundLink, FoundNetwork, Role
from netdesign.audit.found.tiers import Tiered, tiered
from netdesign.audit.lldp.content import LldpContent, Neighbour
from netdesign.audit.lldp.ports import (
    canonical,
    gbps_of,
    is_management,
    is_surely_management,
    port_name,
)
from netdesign.audit.lldp.roles import local_role, role_of, stronger

THIS_DEVICE = "(this device)"
JoinedRow = tuple[Neighbour, str, str]  # entry, key of its device, key of its neighbour


@dataclass(frozen=True)
class Joined:
    """Rows with the keys of their devices, and the network that they make."""

    rows: tuple[JoinedRow, ...]
    network: FoundNetwork
    local_devices: Mapping[str, str]  # keys of devices whose tables are in the files, with names
    roles: Mapping[str, Role]

    def is_management(self, row: Neighbour, remote: str) -> bool:
        """Whether a row is of the management network."""
        return _is_management(row, self.roles.get(remote, "unknown"))

    @cached_property
    def fabric(self) -> FoundNetwork:
        """Without management links, and without devices that only these lead to."""
        links = tuple(link for link in self.network.links if not link.is_management)
        inside = {key for link in links for key in (link.a, link.b)} | set(self.local_devices)
        devices = {key: dev for key, dev in self.network.devices.items() if key in inside}
        return FoundNetwork(devices, links, self.network.ports_down)

    @cached_property
    def tiers(self) -> Tiered:
        """The fabric in its tiers."""
        return tiered(self.fabric)


@dataclass(frozen=True)
class LldpFile:
    """A file's tables and the network that they make."""

    tables: LldpContent
    joined: Joined

    @property
    def network(self) -> FoundNetwork:
        return self.joined.network


def network_of(*files: LldpFile) -> FoundNetwork:
    """One network of the tables of several files, each cable once."""
    return join(file.tables for file in files).network


def join(contents: Iterable[LldpContent]) -> Joined:
    """Match names and ports of all tables; entries that are told twice count once."""
    rows: list[tuple[Neighbour, str]] = []
    ports: dict[str, list[str]] = {}
    forms: dict[str, str] = {}
    names: dict[str, str] = {}
    unnamed = 0
    for content in contents:
        own, unnamed = _unnamed_devices(content, unnamed)
        key_of = {name: _key(name) for name in {row.local_device for row in content.neighbours}}
        for number, dump in enumerate(content.dumps):
            key = own.get(number) or _key(dump.local_device)
            if not key or not (dump.interfaces or dump.local_device):
                continue
            names.setdefault(key, dump.local_device or key)
            forms.setdefault(key, dump.form)
            ports.setdefault(key, []).extend(dump.interfaces)
        for row in content.neighbours:
            key = key_of[row.local_device] or own.get(row.dump, THIS_DEVICE)
            if key not in names:
                names[key] = row.local_device or key
                forms[key] = content.dumps[row.dump].form if content.dumps else ""
                ports[key] = []
            ports[key].append(row.local_port)
            rows.append((row, key))
    short = _short_names(names)
    longest: dict[str, list[str]] = {}
    for name in names:
        longest.setdefault(name.partition(".")[0], []).append(name)
    remotes = {
        name: _remote_key(name, short, names, longest)
        for name in {row.remote_device for row, _ in rows}
    }
    matched = _distinct(
        (row, short.get(key, key), remotes[row.remote_device] or f"(unnamed at {row.local_port})")
        for row, key in rows
    )
    roles = _roles(
        matched,
        {short.get(key, key): forms[key] for key in names},
        {short.get(key, key): ports[key] for key in names},
    )
    devices = _devices(matched, {short.get(key, key): name for key, name in names.items()}, roles)
    local = {short.get(key, key): name for key, name in names.items()}
    links = _links(matched, set(local), roles)
    return Joined(tuple(matched), FoundNetwork(devices, tuple(links)), local, roles)


def _key(name: str) -> str:
    return name.strip().lower()


def _unnamed_devices(content: LldpContent, count: int) -> tuple[dict[int, str], int]:
    """Keys of tables without a name: the same device unless two tables contradict each other."""
    keys: dict[int, str] = {}
    heard: dict[str, set[tuple[str, str]]] = {}
    by_dump: dict[int, list[Neighbour]] = {}
    for row in content.neighbours:
        if not row.local_device:
            by_dump.setdefault(row.dump, []).append(row)
    current = ""
    for number, dump in enumerate(content.dumps):
        if dump.local_device:
            continue
        told = by_dump.get(number, ())
        if not current or any(
            row.local_port in heard
            and (row.remote_device, row.remote_port) not in heard[row.local_port]
            for row in told
            if not is_management(row.local_port)
        ):
            count += 1
            current = THIS_DEVICE if count == 1 else f"(device {count})"
            heard = {}
        keys[number] = current
        for row in told:
            heard.setdefault(row.local_port, set()).add((row.remote_device, row.remote_port))
    return keys, count


def _short_names(names: Mapping[str, str]) -> dict[str, str]:
    """leaf01.example.com is leaf01 where only one device is called so."""
    owners: dict[str, set[str]] = {}
    for key in names:
        owners.setdefault(key.partition(".")[0], set()).add(key)
    return {
        key: short
        for short, keys in owners.items()
        if len(keys) > 1 and short in keys and len({key.partition(".")[2] for key in keys}) == 2
        for key in keys
    }


def _remote_key(
    name: str,
    short: Mapping[str, str],
    local: Mapping[str, str],
    longest: Mapping[str, Sequence[str]],
) -> str:
    """The key of a neighbour: that of a device whose table is at hand, if one is called so.

    "" of a neighbour that tells no name.
    """
    key = _key(name)
    if key in local:
        return short.get(key, key)
    first = key.partition(".")[0]
    if "." in key and first in local:
        return short.get(first, first)
    longer = longest.get(key, ())
    if len(longer) == 1:
        return short.get(longer[0], longer[0])
    return key


def _distinct(rows: Iterable[JoinedRow]) -> list[JoinedRow]:
    seen: dict[tuple[str, str, str, str], JoinedRow] = {}
    for entry in rows:
        row, local, remote = entry
        place = (local, canonical(row.local_port), remote, canonical(row.remote_port))
        seen.setdefault(place, entry)
    return list(seen.values())


def _is_management(row: Neighbour, role: Role) -> bool:
    if is_management(row.local_port):
        return True
    port, description = row.remote_port, row.port_description
    if is_surely_management(port) or is_surely_management(description):
        return True
    return role == "switch" and (is_management(port) or is_management(description))


def _roles(
    rows: Sequence[JoinedRow],
    forms: Mapping[str, str],
    ports: Mapping[str, Sequence[str]],
) -> dict[str, Role]:
    roles: dict[str, Role] = {
        key: local_role(form, ports.get(key, ())) for key, form in forms.items()
    }
    apart: dict[str, Role] = {}
    for row, _, remote in rows:
        found = roles if not is_management(row.local_port) else apart
        found[remote] = stronger(found.get(remote, "unknown"), role_of(row))
    for key, role in apart.items():
        if roles.get(key, "unknown") == "unknown":
            roles[key] = role
    return roles


def _devices(
    rows: Sequence[JoinedRow],
    local: Mapping[str, str],
    roles: Mapping[str, Role],
) -> dict[str, FoundDevice]:
    devices: dict[str, FoundDevice] = {}
    for key, name in local.items():
        line = next((row.line for row, own, _ in rows[:1] if own == key), 0)
        devices[key] = FoundDevice(
            key, name, roles.get(key, "unknown"), line=line, facts={"listed": True}
        )
    for row, _, remote in rows:
        if remote not in devices:
            facts = {
                "chassis": row.chassis or None,
                "system": row.system_description or None,
                "listed": False,
            }
            devices[remote] = FoundDevice(
                remote, row.remote_device or remote, roles[remote], line=row.line, facts=facts
            )
    return devices


def _links(
    rows: Sequence[JoinedRow], local: set[str], roles: Mapping[str, Role]
) -> list[FoundLink]:
    """Each cable once; two rows are of one cable where each names the other's port."""
    ends: dict[tuple[str, str, str], list[int]] = {}
    for index, (row, own, remote) in enumerate(rows):
        ends.setdefault((own, canonical(row.local_port), remote), []).append(index)
    taken: set[int] = set()
    links: list[FoundLink] = []
    for index, (row, own, remote) in enumerate(rows):
        if index in taken:
            continue
        taken.add(index)
        other = _other_end(rows, index, ends, taken) if remote in local else None
        if other is not None:
            taken.add(other)
        links.append(
            FoundLink(
                a=own,
                a_port=row.local_port,
                b=remote,
                b_port=port_name(row.remote_port, row.port_description)
                if other is None
                else rows[other][0].local_port,
                gbps=_slower(row.speed, "" if other is None else rows[other][0].speed),
                speed=row.speed,
                other_speed="" if other is None else rows[other][0].speed,
                one_sided=other is None and remote in local and own != remote,
                is_management=_is_management(row, roles.get(remote, "unknown")),
                line=row.line,
            )
        )
    return links


def _slower(speed: str, other: str) -> float | None:
    rates = [rate for text in (speed, other) if (rate := gbps_of(text)) is not None]
    return min(rates, default=None)


def _other_end(
    rows: Sequence[JoinedRow],
    index: int,
    ends: Mapping[tuple[str, str, str], list[int]],
    taken: set[int],
) -> int | None:
    row, own, remote = rows[index]
    here = {canonical(row.local_port)}
    free = [
        other
        for port in dict.fromkeys((canonical(row.remote_port), canonical(row.port_description)))
        for other in ends.get((remote, port, own), ())
        if other not in taken
    ]
    for other in free:
        back = rows[other][0]
        if here & {canonical(back.remote_port), canonical(back.port_description)}:
            return other
    return free[0] if len(free) == 1 else None
