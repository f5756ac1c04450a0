"""Reads ibnetdiscover (dump and port listing), ibdiagnet's .lst and ibsim's net files."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cached_property

from netdesign.audit.document import Document
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

_HEADER = re.compile(r'(Switch|Ca|CA|Hca|HCA|Rt|RT)\s+(\d{1,5})\s+"([^"]*)"(.*)')
_PORT = re.compile(
    r"\[(\d{1,5})\](?:\[ext \d+\])?\s*(?:\([^()]*\))?\s*(?:\([^()]*\))?\s*"
    r'"([^"]*)"\s*(?:\[(\d{1,5})\])?(.*)'
)
_CONSOLE = re.compile(r"\s*nodeguid [0-9a-f]+ sysimgguid ")  # what ibsim's console shows
_HIDDEN = re.compile(r"[<>*?\u2026]|\.\.|[xX]{3}")
_SPEED = re.compile(r"\b(\d{1,2}x) ?([A-Z]{3}\d{0,2})\b")
_LID = re.compile(r"\blid (\d+)")
_ROW = re.compile(r"(SW|CA|RT) +(\d+) +(\d+) +0x([0-9a-fA-F]{1,16}) +(\d{1,2}x|\?\?) +(\S+)(.*)")
_FAR = re.compile(r" +- +(SW|CA|RT|\?\?) +(\d+) +(\d+) +0x([0-9a-fA-F]{1,16}) +\( *(.*)")
_LST = re.compile(
    r"\{ *(SW|CA|RT)\S* Ports:([0-9a-fA-F]+) SystemGUID:\w+ NodeGUID:(\w+) PortGUID:\w+"
    r" VenID:\w+ DevID:\w+ Rev:\w+ +(?:\{(.*?)\} +)?LID:(\w+) PN:([0-9a-fA-F]+) *\}"
)
_LST_LINK = re.compile(r"PHY=(\S+) LOG=(\S+) SPD=(\S+)")
_ROLES: dict[str, Role] = {
    "Switch": "switch",
    "Ca": "host",
    "CA": "host",
    "Hca": "host",
    "HCA": "host",
    "SW": "switch",
}
_PREFIXES: dict[str, Role] = {"S": "switch", "H": "host"}
_FACTS = ("vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "hcaguid")
_KNOWN = (*_FACTS, "Non-Chassis Nodes", "Chassis ", "Hostname: ", "module ", "include ", "do ")
_OWN_COMMENTS = (
    "Topology file: generated",
    "Initiated from node",
    "Max of ",
    "Reported max hops",
    "Total MADs",
    "File closed at",
)
_MOST_LISTED = 200_000
_MOST_COMMENTS = 1000
_MOST_SPEEDS = 100


@dataclass(frozen=True)
class Discovery:
    """What one file says of an InfiniBand network."""

    network: FoundNetwork
    forms: tuple[str, ...]  # dump | ports | lst | list: what was in the file
    made: str = ""  # when, as the file says it
    conflicts: tuple[str, ...] = ()  # sentences on ports that are said to lead to two places
    conflict_count: int = 0
    listed: tuple[Listed, ...] = ()  # devices that the file only names
    unreached: tuple[str, ...] = ()  # paths on which the tool got no answer

    @cached_property
    def tiers(self) -> Tiered:
        """The network with the tiers of its switches."""
        return tiered(self.network)


class _Reader:
    """Goes through the lines of one document."""

    def __init__(self) -> None:
        self.build = Builder()
        self.used = Understood()
        self.owner: str | None = None
        self.forms: dict[str, None] = {}
        self.made = ""
        self.listed: dict[str, Listed] = {}
        self.by_port_id = False
        self.unreached: list[str] = []
        self.comments: list[int] = []
        self.speeds: dict[str, str] = {}

    def line(self, number: int, text: str) -> bool:
        """Whether a line was understood."""
        first = text[0]
        if first == "[":
            return self._port(number, text) or is_prompt(text)
        if first == "{":
            return self._lst(number, text)
        if text.startswith(_KNOWN):
            if text.startswith(_FACTS):
                self.owner = None
            return True
        if first in "SCR" and (text.startswith(("SW ", "CA ", "RT ")) and self._row(number, text)):
            return True
        if (first in "SCHR" and self._header(number, text)) or is_prompt(text):
            return True
        place = unreached_of(text)
        if place and len(self.unreached) < _MOST_COMMENTS:
            self.unreached.append(place)
        return bool(place)

    def _comment(self, number: int, text: str) -> bool:
        """A comment belongs to the dump if a part of the dump is what comes next."""
        said = text.lstrip("# ")
        if said.startswith("Topology file: generated"):
            self.made = self.made or said.partition(" on ")[2][:64]
        if len(self.comments) < _MOST_COMMENTS:
            self.comments.append(number)
        return said.startswith(_OWN_COMMENTS)

    def take(self, number: int, text: str) -> None:
        """Read a line and note whether it was of use."""
        if text[0] == "#":
            understood = self._comment(number, text)
        else:
            understood = self.line(number, text)
            if self.comments:
                if understood:
                    for earlier in self.comments:
                        self.used.add(earlier)
                self.comments.clear()
        if understood:
            self.used.add(number)

    def _header(self, number: int, text: str) -> bool:
        match = _HEADER.match(text)
        if match is None:
            device = listed_of(text)
            if device is not None and len(self.listed) < _MOST_LISTED:
                self.listed.setdefault(device.guid, device)
                self.forms["list"] = None
            return device is not None
        kind, ports, key, rest = match.groups()
        if _CONSOLE.match(rest) is not None:
            self.owner = None
            return False
        role = _ROLES.get(kind, "unknown")
        description = _quoted(rest)[0]
        key = _whole(key, description)
        name, model = switch_of(description) if role == "switch" else (description.strip(), "")
        device_found = self.build.device(key, name or key, role, number)
        device_found.role = device_found.role if role in ("host", "unknown") else role
        device_found.listed = True
        device_found.ports = int(ports)
        if model:
            device_found.facts["model"] = model
        self.owner = key
        self.forms["dump"] = None
        return True

    def _port(self, number: int, text: str) -> bool:
        match = _PORT.match(text)
        if match is None or self.owner is None:
            return False
        port, other, other_port, rest = match.groups()
        description, tail = _quoted(rest)
        other = _whole(other, description)
        known = self.build.devices.get(other)
        if known is None or known.name == other:
            role = _PREFIXES.get(other[:1], "unknown") if other[1:2] == "-" else "unknown"
            name = switch_of(description).name if role == "switch" else description.strip()
            self.build.device(other, name or other, role, number)
        said = self._speed(tail)
        # ibsim takes port 1 where the other end is not said
        self.build.end(self.owner, port, other, other_port or "1", said, number)
        return True

    def _speed(self, tail: str) -> str:
        """The speed in what follows a name; it is mostly the last word."""
        last = tail[tail.rfind(" ") + 1 :]
        known = self.speeds.get(last)
        if known is not None:
            return known
        match = _SPEED.search(tail)
        said = "" if match is None else speed_of(match[1], match[2])
        if match is not None and match[0] == last and len(self.speeds) < _MOST_SPEEDS:
            self.speeds[last] = said
        return said

    def _row(self, number: int, text: str) -> bool:
        """A line of ``ibnetdiscover -p``."""
        match = _ROW.match(text)
        if match is None:
            return False
        kind, _, port, guid, width, lane, rest = match.groups()
        far = _FAR.match(rest)
        key = guid_of(guid)
        names = _names(rest if far is None else far[5])
        device = self.build.device(key, _plain(kind, names[0]), _ROLES.get(kind, "unknown"), number)
        device.listed = True
        self.forms["ports"] = None
        self.by_port_id = True
        if far is None:
            self.build.ports_down += kind == "SW"
            return True
        other = guid_of(far[4])
        role = _ROLES.get(far[1], "unknown")
        self.build.device(other, _plain(far[1], names[1]), role, number)
        self.build.end(key, port, other, far[3], speed_of(width, lane), number)
        return True

    def _lst(self, number: int, text: str) -> bool:
        """A line of ibdiagnet's list of links."""
        ends = []
        for kind, ports, guid, name, _, port in _LST.findall(text):
            key = guid_of(guid)
            device = self.build.device(key, _plain(kind, name), _ROLES.get(kind, "unknown"), number)
            device.listed = True
            device.ports = int(ports[:4], 16)
            ends.append((key, str(int(port[:4], 16))))
        if len(ends) != 2:
            return False
        self.forms["lst"] = None
        said = _LST_LINK.search(text)
        speed = "" if said is None else speed_of(said[1], said[3])
        for (key, port), (other, other_port) in (ends, ends[::-1]):
            self.build.end(key, port, other, other_port, speed, number)
        return True


def _plain(kind: str, name: str) -> str:
    return switch_of(name).name if kind == "SW" else name.strip()


def _whole(key: str, description: str) -> str:
    """The id of a device; with its name where somebody has hidden a part of the id."""
    return key if _HIDDEN.search(key) is None else f"{key} {description.strip()}"


def _quoted(rest: str) -> tuple[str, str]:
    """What stands between the first and the last quotes, and what comes after."""
    first = rest.find('"')
    if first < 0:
        return "", rest
    last = rest.rfind('"')
    return rest[first + 1 : last], rest[last + 1 :] if last > first else ""


def _names(text: str) -> tuple[str, str]:
    """The names in ``'one' - 'other' )``."""
    inner = text.strip().removesuffix(")").strip()
    one, _, other = inner.partition("' - '")
    return one.strip("'"), other.strip("'")


def read_discovery(document: Document) -> tuple[Discovery, Understood]:
    """Read whatever of these forms stands in a document.

    Source: the printing functions of ibnetdiscover (infiniband-diags, rdma-core), ibsim.
    """
    reader = _Reader()
    for number, text, _ in document.lines():
        if text[:1] == "[" and not reader.comments and reader.line(number, text):
            reader.used.add(number)  # nearly all lines
            continue
        text = text.lstrip()
        if not text:
            continue
        if text[:2] in ("< ", "> "):  # of --diff, or of a quoted mail
            text = text[2:].lstrip()
        if "&quot;" in text:
            text = html.unescape(text)
        if text:
            reader.take(number, text)
    if reader.by_port_id:
        reader.build.join_ports_of_adapters()
    network = reader.build.network()
    found = Discovery(
        network,
        tuple(reader.forms),
        reader.made,
        tuple(reader.build.conflicts),
        reader.build.conflict_count,
        tuple(reader.listed.values()),
        tuple(reader.unreached),
    )
    return found, reader.used
