"""Which neighbours and ports of LLDP tables are not as they should be?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from netdesign.audit.context import Context
from netdesign.audit.found.checks import findings_of
from netdesign.audit.lldp.content import LldpContent, Neighbour
from netdesign.audit.lldp.network import THIS_DEVICE, Joined, JoinedRow, LldpFile
from netdesign.audit.lldp.ports import canonical, digits_of_mac, is_mac
from netdesign.audit.lldp.prompts import FACTORY_NAMES
from netdesign.audit.lldp.wiring import wiring_findings
from netdesign.audit.report import Finding, too_long
from netdesign.wording import named, plural

_MOST_LISTED = 50  # in the evidence of a finding
_MOST_TOLD = 8  # in its sentence
# Rules on any fabric that are said in other words here, or that LLDP cannot answer.
_SAID_HERE = ("one-sided-link", "unconnected", "speed-unknown", "separate-fabrics")


class _Place(NamedTuple):
    """A port of a device as a person says it."""

    device: str
    port: str

    def __str__(self) -> str:
        return self.port if self.device.startswith("(") else f"{self.device} {self.port}"


def judge(file: LldpFile, context: Context) -> list[Finding]:
    """Everything that is wrong or worth knowing about the tables of one file."""
    content, joined = file.tables, file.joined
    rules: tuple[Callable[[Joined], Iterator[Finding]], ...] = (
        _two_on_a_port,
        _seen_twice,
        _duplicate_names,
        wiring_findings,
        _one_sided,
        _several_links,
        _factory_names,
        _unnamed,
        _fabric,
    )
    found = [finding for rule in rules for finding in rule(joined)]
    apart = (_cut(content), _unplaced(content), _unknown_device(joined), _silent(content, joined))
    return [*found, *(finding for findings in apart for finding in findings)]


def _place(joined: Joined, row: Neighbour, own: str) -> _Place:
    return _Place(joined.local_devices.get(own, own), row.local_port)


def _shared(rows: Iterable[tuple[tuple[str, str], JoinedRow]]) -> Iterator[list[JoinedRow]]:
    """Rows of which several have one key, in the order of the first of each."""
    first: dict[tuple[str, str], JoinedRow] = {}
    several: dict[tuple[str, str], list[JoinedRow]] = {}
    for key, row in rows:
        before = first.setdefault(key, row)
        if before is not row:
            several.setdefault(key, [before]).append(row)
    if several:
        yield from (several[key] for key in first if key in several)


def _two_on_a_port(joined: Joined) -> Iterator[Finding]:
    heard = (((entry[1], canonical(entry[0].local_port)), entry) for entry in joined.rows)
    for rows in _shared(heard):
        row, own, _ = rows[0]
        place = _place(joined, row, own)
        told = [f"{other.remote_device} {other.remote_port}".strip() for other, _, _ in rows]
        apart = all(joined.is_management(other, remote) for other, _, remote in rows)
        yield Finding(
            "two-neighbours-on-a-port",
            "note" if apart else "warning",
            str(place),
            f"{place} hears {len(rows)} neighbours: {', '.join(told[:6])}. "
            + (
                "That is usual on a management network, where a switch in between passes LLDP on."
                if apart
                else "A cable has one other end: something in between passes LLDP on (a hub, a "
                "bridge in a server, a virtual switch), or an entry is stale. Look at the port, "
                "and clear the table if it was re-cabled."
            ),
            {"neighbours": told[:_MOST_LISTED], "count": len(rows), "line": row.line},
        )


def _seen_twice(joined: Joined) -> Iterator[Finding]:
    seen = (
        ((entry[2], canonical(entry[0].remote_port)), entry)
        for entry in joined.rows
        if entry[0].remote_port
        and entry[0].remote_device
        and not joined.is_management(entry[0], entry[2])
    )
    for rows in _shared(seen):
        places = [str(_place(joined, row, own)) for row, own, _ in rows]
        if len(set(places)) < 2:
            continue
        row = rows[0][0]
        host = is_mac(row.remote_port)
        yield Finding(
            "remote-port-seen-twice",
            "note" if host else "warning",
            f"{row.remote_device} {row.remote_port}",
            f"{row.remote_device} {row.remote_port} is heard on {len(places)} ports: "
            f"{', '.join(places[:6])}. "
            + (
                "The ports of a bond may all tell the same address."
                if host
                else "A port has one cable: two devices have the same name, or an entry is stale. "
                "Compare the chassis ids, and give each device its own name."
            ),
            {
                "ports": places[:_MOST_LISTED],
                "count": len(places),
                "chassis": [other.chassis for other, _, _ in rows if other.chassis][:_MOST_LISTED],
            },
        )


def _several_links(joined: Joined) -> Iterator[Finding]:
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for link in joined.network.links:
        if not link.is_management:
            pairs.setdefault((link.a, link.b), []).append((link.a_port, link.b_port))
    several = {
        pair: ports
        for pair, ports in pairs.items()
        if len(ports) > 1 and len({canonical(here) for here, _ in ports}) > 1
    }
    if not several:
        return
    devices = joined.network.devices
    told = [
        f"{devices[remote].name} ({len(ports)}: {', '.join(f'{a} to {b}' for a, b in ports[:8])})"
        for (_, remote), ports in several.items()
    ]
    yield Finding(
        "several-links",
        "note",
        ", ".join(devices[remote].name for _, remote in list(several)[:6]),
        f"{plural(len(several), 'neighbour has', 'neighbours have')} more than one link: "
        f"{named(told, _MOST_TOLD, '; ')}. Each is a cable of its own, and none is counted twice.",
        {
            "neighbours": {
                devices[remote].name: [list(ports) for ports in links[:16]]
                for (_, remote), links in list(several.items())[:_MOST_LISTED]
            },
            "count": len(several),
        },
    )


def _duplicate_names(joined: Joined) -> Iterator[Finding]:
    chassis: dict[str, dict[str, Neighbour]] = {}
    for row, _, remote in joined.rows:
        if row.chassis and row.remote_device and row.remote_device != row.chassis:
            # the last byte is left out: some systems tell the address of each port instead
            system = digits_of_mac(row.chassis)[:10]
            if system:
                chassis.setdefault(remote, {}).setdefault(system, row)
    for remote, rows in chassis.items():
        if len(rows) < 2:
            continue
        addresses = {row.management_address for row in rows.values()}
        if len(addresses) > 1 or "" in addresses:
            name = joined.network.devices[remote].name
            ids = [row.chassis for row in rows.values()]
            ports = [row.local_port for row in rows.values()]
            yield Finding(
                "duplicate-name",
                "warning",
                name,
                f"{len(rows)} devices call themselves {name}: chassis {', '.join(ids[:4])} on "
                f"{', '.join(ports[:4])}. They count as one here; give each its own name.",
                {"chassis": ids[:_MOST_LISTED], "ports": ports[:_MOST_LISTED]},
            )


def _one_sided(joined: Joined) -> Iterator[Finding]:
    links = [link for link in joined.network.links if link.one_sided and not link.is_management]
    if not links:
        return
    devices = joined.network.devices
    told = [
        f"{devices[link.a].name} {link.a_port} to {devices[link.b].name} {link.b_port}"
        for link in links
    ]
    yield Finding(
        "one-sided-link",
        "warning",
        f"{len(links)} links",
        f"{plural(len(links), 'link is', 'links are')} told by one end only, although "
        f"the tables of both are here: {named(told, _MOST_TOLD, '; ')}. LLDP is off "
        "at the other end, frames are lost in that direction, or the two tables are of different "
        "times.",
        {"links": told[:_MOST_LISTED], "count": len(links)},
    )


def _factory_names(joined: Joined) -> Iterator[Finding]:
    names = [device.name for key, device in joined.network.devices.items() if key in FACTORY_NAMES]
    if names:
        yield Finding(
            "factory-name",
            "note",
            ", ".join(names[:6]),
            f"{', '.join(names[:6])} is a name as it comes from the factory: if several devices "
            "have it they look like one. Give each its own name.",
            {"names": names[:_MOST_LISTED]},
        )


def _unnamed(joined: Joined) -> Iterator[Finding]:
    ports = [
        str(_place(joined, row, own))
        for row, own, _ in joined.rows
        if not row.remote_device or row.remote_device == row.chassis
    ]
    has_chassis = all(row.remote_device for row, _, _ in joined.rows)
    if ports:
        yield Finding(
            "no-system-name",
            "note",
            ", ".join(ports[:6]),
            f"{plural(len(ports), 'neighbour tells', 'neighbours tell')} no system name (on "
            f"{named(ports, _MOST_TOLD)})"
            + ("; the chassis id stands for it." if has_chassis else ".")
            + " Turn on the system name there, to see what is cabled to what.",
            {"ports": ports[:_MOST_LISTED], "count": len(ports)},
        )


def _fabric(joined: Joined) -> Iterator[Finding]:
    """What is said of any fabric; one switch's own table is too little to say it."""
    if len(joined.local_devices) < 2:
        return
    for finding in findings_of(joined.tiers):
        if finding.rule not in _SAID_HERE:
            yield finding


def _cut(content: LldpContent) -> Iterator[Finding]:
    entries = Counter(row.dump for rows in (content.neighbours, content.unplaced) for row in rows)
    for number, dump in enumerate(content.dumps):
        if dump.total is None:
            continue
        read = entries[number]
        if read != dump.total:
            yield Finding(
                "entries-differ",
                "warning" if read < dump.total else "note",
                f"line {dump.line}",
                f"The table says it has {dump.total} entries, {read} stand in the file: it is "
                "edited or cut. Give the whole table.",
                {"said": dump.total, "read": read},
            )
    if content.left_out:
        kept = len(content.neighbours) + len(content.unplaced)
        yield Finding(
            "entries-left-out",
            "note",
            "file",
            f"{plural(content.left_out, 'entry', 'entries')} beyond the first {kept:,} were not "
            "read: everything here is said of the first ones alone. Give the tables in several "
            "files, each of some of the switches.",
            {"count": content.left_out, "read": kept},
        )
    if content.cut_lines:
        yield too_long(content.cut_lines, "The neighbours at their ends are missing here.")


def _unplaced(content: LldpContent) -> Iterator[Finding]:
    rows = content.only_unplaced
    if rows:
        told = [f"{row.remote_device} {row.remote_port}" for row in rows]
        yield Finding(
            "local-port-unknown",
            "note",
            f"line {rows[0].line}",
            f"For {plural(len(rows), 'neighbour')} the file does not say on which port "
            f"{'they are' if len(rows) > 1 else 'it is'} heard: {named(told, _MOST_TOLD)}. Older "
            "systems leave it out of the detailed answer: give the brief table (show lldp "
            "neighbors) too.",
            {"neighbours": told[:_MOST_LISTED], "count": len(rows)},
        )


def _unknown_device(joined: Joined) -> Iterator[Finding]:
    unnamed = [key for key in joined.local_devices if key.startswith("(")]
    if unnamed and joined.rows:
        first = unnamed[0]
        line = next((row.line for row, own, _ in joined.rows if own == first), 0)
        several = f"{len(unnamed)} devices are" if len(unnamed) > 1 else "A device is"
        yield Finding(
            "local-device-unknown",
            "note",
            f"line {line}" if first == THIS_DEVICE else first,
            f"{several} not named: the file does not say whose table this is. Keep the prompt "
            "line (leaf01# show lldp neighbors) to join the tables of several switches.",
            {"count": len(unnamed)},
        )


def _silent(content: LldpContent, joined: Joined) -> Iterator[Finding]:
    heard = {(row.local_device, row.local_port) for row, _, _ in joined.rows}
    silent = sorted(port for device, port in content.interfaces - heard)
    if silent:
        yield Finding(
            "no-neighbour",
            "note",
            f"{len(silent)} interfaces",
            f"{len(silent)} of {len(content.interfaces)} interfaces hear no neighbour: "
            f"{named(silent, _MOST_TOLD)}. They are not "
            "cabled, down, or the other end does not speak LLDP.",
            {"ports": silent[:_MOST_LISTED], "count": len(silent)},
        )
