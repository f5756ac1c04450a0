"""Reads iblinkinfo: every port of every node, with what it is joined to; by LIDs, or one-line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from netdesign.audit.document import Document
from netdesign.audit.found.names import adapter_of, is_aggregation_name, is_switch_name
from netdesign.audit.found.network import FoundNetwork, Role
from netdesign.audit.found.tiers import Tiered, tiered
from netdesign.audit.infiniband.builder import Builder
from netdesign.audit.infiniband.words import (
    Listed,
    guid_of,
    is_prompt,
    listed_of,
    speed_of,
    switch_of,
    unreached_of,
)
from netdesign.audit.report import Understood

_HEADER = re.compile(r"(Switch|CA|Router)\s*:?\s+(?:0x([0-9a-fA-F]{1,16})\s)?(.*):\Z")
_NEAR = re.compile(r"(?:0x([0-9a-fA-F]{1,16}) +)?(\d{1,6}) +(\d{1,4})\[")
_FAR = re.compile(r"(?:0x([0-9a-fA-F]{1,16}) +)?(\d{1,6}) +(\d{1,4})\[[ \d]*\] *")
_WIDTH = re.compile(r"(\d{1,2})X\b")
_RATE = re.compile(r"([\d.]{1,12}) Gbps")
_STATE = re.compile(r"([A-Z][A-Za-z]+) ?/ *([A-Za-z]+)")
_ROLES: dict[str, Role] = {"Switch": "switch", "CA": "host", "Router": "unknown"}
_MOST_LISTED = 200_000
_MOST_UNREACHED = 1000
_MOST_PORTS_OF_A_CARD = 4


@dataclass(frozen=True)
class LinkReport:
    """What iblinkinfo, and ibswitches or ibhosts beside it, say."""

    network: FoundNetwork
    ports: int = 0  # lines of ports
    not_active: tuple[str, ...] = ()  # "LEAF-01 port 3: Initialize"; cabled, and not in use yet
    listed: tuple[Listed, ...] = ()
    conflicts: tuple[str, ...] = ()
    conflict_count: int = 0
    unreached: tuple[str, ...] = ()  # paths on which the tool got no answer
    cut: tuple[str, ...] = ()  # devices whose list of ports ends before one that is in use

    @cached_property
    def tiers(self) -> Tiered:
        """The network with the tiers of its switches."""
        return tiered(self.network)


@dataclass(slots=True)
class _Section:
    """A node whose ports follow."""

    role: Role
    name: str
    guid: str  # "" where the header does not say it
    line: int
    key: str = ""


@dataclass(slots=True)
class _Row:
    """One port, as it stands."""

    line: int
    section: _Section | None
    guid: str  # of the port
    lid: int
    port: str
    name: str  # of the node, in one-line mode
    speed: str
    could: str
    state: str
    far_guid: str
    far_lid: int
    far_port: str  # "" where nothing is joined
    far_name: str
    block: int  # rows with nothing else between them
    subnet: int = 0  # LIDs are those of one subnet


@dataclass(slots=True)
class _Reader:
    used: Understood = field(default_factory=Understood)
    rows: list[_Row] = field(default_factory=list)
    listed: dict[str, Listed] = field(default_factory=dict)
    section: _Section | None = None
    block: int = 0
    unreached: list[str] = field(default_factory=list)

    def line(self, number: int, text: str) -> bool:
        start = text.find("==(")
        end = text.find("==>", start + 3) if start >= 0 else -1
        if end >= 0:
            return self._row(number, text[:start].strip(), text[start + 3 : end], text[end + 3 :])
        if text[0] in "SCR" and self._header(number, text):
            return True
        place = unreached_of(text)
        if place:  # in the midst of a dump
            if len(self.unreached) < _MOST_UNREACHED:
                self.unreached.append(place)
            return True
        self.block += 1
        self.section = None
        return is_prompt(text)

    def _header(self, number: int, text: str) -> bool:
        match = _HEADER.match(text) if text[-1] == ":" else None
        if match is not None:
            kind, guid, name = match.groups()
            self.section = _Section(_ROLES[kind], name.strip(), guid_of(guid or ""), number)
            return True
        device = listed_of(text)
        if device is not None and len(self.listed) < _MOST_LISTED:
            self.listed.setdefault(device.guid, device)
        return device is not None

    def _row(self, number: int, near: str, link: str, far: str) -> bool:
        name = ""
        first, last = near.find('"'), near.rfind('"')
        if last > first >= 0:  # of --line
            name = near[first + 1 : last].strip()
            near = near[:first] + near[last + 1 :].lstrip()
            self.section = None
        match = _NEAR.match(near)
        if match is None:
            return False
        guid, lid, port = match.groups()
        width, rate = _WIDTH.search(link), _RATE.search(link)
        lane = "FDR10" if "FDR10" in link else rate[1] if rate is not None else ""
        speed = speed_of(width[1], lane) if width is not None else ""
        state = _STATE.search(link)
        far = far.strip()
        other = _FAR.match(far)
        far_name, message = "", ""
        if other is not None:
            first, last = far.find('"', other.end()), far.rfind('"')
            far_name = far[first + 1 : last].strip() if last > first >= 0 else ""
            message = far[last + 1 :]
        self.rows.append(
            _Row(
                number,
                self.section,
                guid_of(guid) if guid else "",
                int(lid),
                port,
                name,
                speed,
                _could_be(message, width[1] if width is not None else "", lane),
                state[1] if state is not None else "",
                guid_of(other[1]) if other is not None and other[1] else "",
                int(other[2]) if other is not None else 0,
                other[3] if other is not None else "",
                far_name,
                self.block,
            )
        )
        return True


def _could_be(message: str, width: str, lane: str) -> str:
    """The speed that both ends could run at, where the tool says one."""
    if "Could be" not in message:
        return ""
    better, rate = _WIDTH.search(message), _RATE.search(message)
    lane = rate[1] if rate is not None else "FDR10" if "be FDR10" in message else lane
    return speed_of(better[1] if better is not None else width, lane)


def read_link_report(document: Document) -> tuple[LinkReport, Understood]:
    """Read all ports that stand in a document.

    Source: ``print_port`` of iblinkinfo (infiniband-diags, rdma-core).
    """
    reader = _Reader()
    for number, text, _ in document.lines():
        text = text.lstrip()
        if text[:2] in ("< ", "> "):
            text = text[2:].lstrip()
        if text and reader.line(number, text):
            reader.used.add(number)
    return _assembled(reader), reader.used


class _Keys:
    """Which device is meant by a GUID, a LID or a name."""

    def __init__(self, reader: _Reader) -> None:
        self.by_lid: dict[tuple[int, int], str] = {}
        self.lids = {entry.lid: entry.guid for entry in reader.listed.values() if entry.lid}
        self.roles = {entry.name: entry.role for entry in reader.listed.values()}
        self.by_name: dict[str, str] = {}
        self.most: dict[str, int] = {}  # highest port of each device
        self.guessed: dict[str, Role] = {}
        adapters: dict[str, set[str]] = {}  # at the other ends of each device
        for row in reader.rows:
            section = row.section
            if section is not None and not section.key:
                section.key = section.guid if section.guid.strip("0") else row.guid
                section.key = section.key or (f"lid {row.lid}" if row.lid else section.name)
                self.by_name.setdefault(section.name, section.key)
        self._subnets(reader.rows)
        for row in reader.rows:
            key, far = self.near(row), self.far(row)
            self.most[key] = max(self.most.get(key, 0), int(row.port))
            if row.far_port:
                self.most[far] = max(self.most.get(far, 0), int(row.far_port))
                if adapter_of(row.far_name).adapter:
                    adapters.setdefault(key, set()).add(far)
        self.hubs = {key for key, found in adapters.items() if len(found) > 1}

    def _subnets(self, rows: list[_Row]) -> None:
        """Tell subnets apart: a LID that is given to two devices is of two of them."""
        subnet = 0
        for _, block in groupby(rows, key=lambda row: row.block):
            members = list(block)
            mine: dict[int, str] = {}
            for row in members:
                if row.lid and (key := self._own(row)):
                    mine[row.lid] = key
            if any(self.by_lid.get((subnet, lid), key) != key for lid, key in mine.items()):
                subnet += 1
            self.by_lid.update(((subnet, lid), key) for lid, key in mine.items())
            for row in members:
                row.subnet = subnet

    def _own(self, row: _Row) -> str:
        """The key that a row gives by itself; "" if it has only a LID."""
        if row.section is not None and not row.name:
            return row.section.key
        return row.guid

    def near(self, row: _Row) -> str:
        return self._own(row) or self._by_lid(row.subnet, row.lid)

    def far(self, row: _Row) -> str:
        if row.far_guid:
            return row.far_guid
        if row.far_lid:
            return self._by_lid(row.subnet, row.far_lid)
        return self.by_name.get(row.far_name) or row.far_name or f"line {row.line}"

    def _by_lid(self, subnet: int, lid: int) -> str:
        key = self.by_lid.get((subnet, lid)) or self.lids.get(lid)
        return key or (f"lid {lid} of subnet {subnet + 1}" if subnet else f"lid {lid}")

    def role_of(self, name: str, key: str) -> Role:
        """What a device is that is only named at the far end."""
        found = self.guessed.get(key)
        if found is None:
            found = self.guessed[key] = self._guess(name, key)
        return found

    def _guess(self, name: str, key: str) -> Role:
        if is_aggregation_name(name):
            return "aggregation"
        known = self.roles.get(name)
        if known is not None:
            return known
        if is_switch_name(name):
            return "switch"
        if adapter_of(name).adapter:
            return "host"
        if key not in self.hubs and self.most.get(key, 0) <= _MOST_PORTS_OF_A_CARD:
            return "host"
        return "switch"


def _assembled(reader: _Reader) -> LinkReport:
    keys, build, waiting = _Keys(reader), Builder(), []
    for row in reader.rows:
        key, section = keys.near(row), row.section
        name = section.name if section is not None and not row.name else row.name
        role = section.role if section is not None and not row.name else _near_role(row, keys)
        line = section.line if section is not None else row.line
        device = build.device(key, _plain(role, name), role, line)
        if section is not None:
            device.role = role if device.role != "aggregation" else device.role
        device.listed = True
        if role == "switch":
            device.ports = max(device.ports or 0, int(row.port))
            model = switch_of(name).model
            if model:
                device.facts["model"] = model
    for row in reader.rows:
        key = keys.near(row)
        if not row.far_port:
            build.ports_down += build.devices[key].role == "switch"
            build.devices[key].last = max(build.devices[key].last, int(row.port))
            continue
        other = keys.far(row)
        role = keys.role_of(row.far_name, other)
        build.device(other, _plain(role, row.far_name), role, row.line)
        build.end(key, row.port, other, row.far_port, row.speed, row.line, row.could)
        build.devices[key].last = max(build.devices[key].last, int(row.port))
        if row.state and row.state != "Active":
            waiting.append(f"{build.devices[key].name} port {row.port}: {row.state}")
    build.join_ports_of_adapters()
    return LinkReport(
        build.network(),
        len(reader.rows),
        tuple(waiting),
        tuple(reader.listed.values()),
        tuple(build.conflicts),
        build.conflict_count,
        tuple(reader.unreached),
        build.cut(),
    )


def _near_role(row: _Row, keys: _Keys) -> Role:
    """What a node is whose line does not stand below a header."""
    if row.name:
        return keys.role_of(row.name, keys.near(row))
    return "host" if row.guid else "switch"  # lines of switches have no GUID of their port


def _plain(role: Role, name: str) -> str:
    return switch_of(name).name if role == "switch" else name.strip()
