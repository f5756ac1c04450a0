"""Does a port's description say that its cable should end elsewhere?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from netdesign.audit.lldp.content import Neighbour
from netdesign.audit.lldp.network import Joined
from netdesign.audit.lldp.ports import canonical, family, is_of_host, is_of_switch
from netdesign.audit.lldp.prompts import FACTORY_NAMES
from netdesign.audit.report import Finding

_MOST_LISTED = 50
# "leaf01:Ethernet4", "to leaf01 Eth1/1", "leaf01_swp3", "Po1:leaf01:xe-0/1/0"
_MEANT = re.compile(
    r"(?:^|[\s:;,(\[])(?P<device>[A-Za-z][\w.-]{1,60}?)[:| _]\s?"
    r"(?P<port>[A-Za-z][A-Za-z-]{0,20} ?\d{1,4}(?:[/:.]\d{1,4}){0,4})(?=$|[\s,;)\]])"
)


class _Meant(NamedTuple):
    device: str
    port: str


def wiring_findings(joined: Joined) -> Iterator[Finding]:
    """Rows whose description of the neighbour's port names another device or another port."""
    known = {device.name.lower() for device in joined.network.devices.values()}
    known |= {name.partition(".")[0] for name in known}
    for row, own, remote in joined.rows:
        name = joined.local_devices.get(own, "")
        if not row.port_description or joined.is_management(row, remote):
            continue
        if not name or name.startswith("(") or name.lower() in FACTORY_NAMES:
            continue
        meant = _meant(row, known)
        if meant is None or _agrees(row, name, meant):
            continue
        there = f"{row.remote_device} {row.remote_port}"
        yield Finding(
            "miswired",
            "error",
            f"{name} {row.local_port}",
            f"{there} says that it goes to {meant.device} {meant.port}, but its cable ends at "
            f"{name} {row.local_port}: the cable is in the wrong port, or the description is old. "
            "Compare with the cable plan, then move the cable or mend the text.",
            {
                "description": row.port_description,
                "meant": [meant.device, meant.port],
                "found": [name, row.local_port],
                "line": row.line,
            },
        )


def _meant(row: Neighbour, known: set[str]) -> _Meant | None:
    """Where a description says the cable goes; None if it does not say it surely."""
    text = row.port_description[:200]
    end = 0
    while (found := _MEANT.search(text, end)) is not None:
        end = found.end("device")  # the word before may have been "to"
        device, port = found.group("device"), found.group("port")
        if not (is_of_switch(port) or is_of_host(port) or canonical(port).startswith("ethernet")):
            continue
        own_port = canonical(port) == canonical(row.remote_port)
        of_itself = device.lower().partition(".")[0] == row.remote_device.lower().partition(".")[0]
        if of_itself and own_port:
            continue
        if device.lower() in known:
            return _Meant(device, port)
    return None


def _agrees(row: Neighbour, name: str, meant: _Meant) -> bool:
    same = meant.device.lower().partition(".")[0] == name.lower().partition(".")[0]
    if not same:
        return False
    if family(meant.port) != family(row.local_port):
        return True  # another naming of the same ports: SONiC's aliases, for one
    return canonical(meant.port) == canonical(row.local_port)
