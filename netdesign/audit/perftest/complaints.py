"""What perftest's own complaints mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from netdesign.audit.perftest.content import Fault, PerftestRuns
from netdesign.audit.report import Finding

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)*")
_MEANINGS = (
    ("to rtr", "the other end's address is wrong: another GID index, MTU or subnet on each side"),
    ("modify qp", "the queue pair was refused: GID index, MTU or port state differ on the sides"),
    ("status 12", "retries ran out: the peer or the path is gone, or RoCE loses packets"),
    ("status 13", "the receiver was not ready: its queue is too short, or it stopped"),
    ("status 5", "the queue pair was already in error: look at the complaint before this one"),
    ("status 4", "the memory was refused: registration, or GPUDirect, failed"),
    (
        "completion with error",
        "the transfer broke: look at the status and at the link's counters",
    ),
    ("connect", "the control connection failed: server not started, wrong name, or a firewall"),
    ("init the socket", "the control connection failed: server not started, or a firewall"),
    ("refused", "the control connection failed: server not started, or a firewall"),
    ("down", "the port is down: check cable, switch port and subnet manager"),
    ("not found", "no such device: see ibv_devinfo"),
    (
        "detect devices",
        "no RDMA device is visible: driver, or no /dev/infiniband here",
    ),
    ("allocate mr", "memory could not be registered: ulimit -l, or GPUDirect is not loaded"),
    ("below", "the limit that the command set was missed"),
    ("exchange data", "the peer stopped, or runs another version or other options"),
)


def complaints(runs: PerftestRuns) -> Iterator[Finding]:
    """One error for each kind of complaint."""
    groups: dict[str, list[Fault]] = {}
    for fault in runs.faults:
        groups.setdefault(_NUMBER.sub("#", fault.text), []).append(fault)
    for group in groups.values():
        first = group[0]
        low = first.text.lower()
        meaning = next((text for key, text in _MEANINGS if key in low), "the run is not valid")
        times = f" ({len(group)} times)" if len(group) > 1 else ""
        yield Finding(
            "run-failed",
            "error",
            f"line {first.line}",
            f'perftest says "{first.text}"{times}: {meaning}.',
            {"lines": [fault.line for fault in group[:20]], "count": len(group)},
        )
