"""Reads the log of ibdiagnet: what it counted, what it warns of, stage by stage."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_COUNT = re.compile(r"(Total Nodes|IB [A-Z][A-Za-z ]+?|Total number of links) *: *(\d+)\Z")
_LINKS_AT = re.compile(r"(?:-I- )?Links at (\d{1,2}x)(\S+) *: *(\d+)")
_ENABLED = re.compile(r"(Adaptive Routing|Hashed Based Forwarding) is enabled on (\d+) switches")
_SM = re.compile(r"(Master|Standby) SM *: *(.*)")
_STAGE = re.compile(r"-I- (\S.*?) {2,}(\d+) +(\d+)\b")
_HEAD = re.compile(r"-I- Stage +(Warnings|Errors) +(Warnings|Errors)")
_FIRMWARE = re.compile(r"-I- Devid: *(\S+), PSID: *(\S+), Latest FW Version: *(\S+)")
_OLD = re.compile(r"-W- (\S+) - .*PSID: *(\S+) has FW version (\S+) while the latest .* is (\S+)")
_OLD_COUNT = re.compile(r"(\d+) nodes \((\d+) Switches & (\d+) CA-s\) discovered")
_VERSION = re.compile(r'Running version *: *"?([^"]+)')
_TOTALS = re.compile(r"Total switches/ports \[(\d+)/(\d+)\], CAs/ports \[(\d+)/(\d+)\]")
_NAMES = {
    "Total Nodes": "nodes",
    "IB Switches": "switches",
    "IB Channel Adapters": "channel_adapters",
    "IB Aggregation Nodes": "aggregation_nodes",
    "IB Routers": "routers",
    "Total number of links": "links",
}
_PLAIN = (
    "Running command:",
    "Running timestamp:",
    "Switch label port numbering",
    "Load Plugins from:",
    "(You can specify more paths",
    "Plugin Name",
    "Quantum",
    "/usr/share/ibdiagnet",
    "libibdiagnet",
)
MOST_KEPT = 500


@dataclass(frozen=True)
class Stage:
    """One line of the table at the end of the log."""

    name: str
    warnings: int
    errors: int


@dataclass(frozen=True)
class Firmware:
    """The newest firmware of one kind of device, and the older ones beside it."""

    device: str  # 54002(0xd2f2)
    psid: str
    latest: str
    older: tuple[str, ...] = ()
    devices_behind: int = 0  # that the log names; it stops after a few


@dataclass
class Diagnosis:
    """What a log says; counts that it does not say are missing."""

    version: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    links_at: dict[tuple[str, str], int] = field(default_factory=dict)  # ("4x", "100") -> 271
    adaptive_routing: int | None = None  # switches
    routing_among: int | None = None  # switches, as the same part of the log counts them
    hashed_forwarding: int | None = None  # switches
    master: str = ""
    standby: str | None = None  # "" where it says that there is none
    stages: list[Stage] = field(default_factory=list)
    firmware: dict[str, Firmware] = field(default_factory=dict)  # by PSID
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    error_lines: int = 0
    warning_lines: int = 0
    lines: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.lines or self.counts or self.stages)


class LogReader:
    """Goes through the lines of a log."""

    def __init__(self) -> None:
        self.found = Diagnosis()
        self._in_table = False
        self._warnings_first = True
        self._paths: dict[str, None] = {}

    def line(self, text: str) -> bool:
        """Whether a line was understood."""
        if text[0] == "-" and text[1:4] in ("I- ", "W- ", "E- "):
            self.found.lines += 1
            return self._marked(text)
        return self._plain(text)

    def _marked(self, text: str) -> bool:
        if text[1] == "W":
            self.found.warning_lines += 1
            if len(self.found.warnings) < MOST_KEPT:
                self.found.warnings.append(text[4:].strip()[:400])
            self._behind(text)
        elif text[1] == "E":
            self.found.error_lines += 1
            if len(self.found.errors) < MOST_KEPT:
                self.found.errors.append(text[4:].strip()[:400])
        else:
            self._information(text)
        return True

    def _information(self, text: str) -> None:
        head = _HEAD.match(text)
        if head is not None:
            self._in_table, self._warnings_first = True, head[1] == "Warnings"
            self.found.stages.clear()
            return
        stage = _STAGE.match(text) if self._in_table else None
        if stage is not None:
            one, two = int(stage[2][:9]), int(stage[3][:9])
            warnings, errors = (one, two) if self._warnings_first else (two, one)
            if len(self.found.stages) < MOST_KEPT:
                self.found.stages.append(Stage(stage[1], warnings, errors))
            return
        firmware = _FIRMWARE.match(text)
        if firmware is not None and len(self.found.firmware) < MOST_KEPT:
            self.found.firmware[firmware[2]] = Firmware(firmware[1], firmware[2], firmware[3])
        totals = _TOTALS.search(text)
        if totals is not None:
            self.found.counts.setdefault("switches", int(totals[1][:9]))
            self.found.counts["adapters_with_aggregation"] = int(totals[3][:9])
        old = _OLD_COUNT.search(text)
        if old is not None:
            self.found.counts["switches"] = int(old[2][:9])
            self.found.counts["channel_adapters"] = int(old[3][:9])
        self._counts(text.removeprefix("-I- "))

    def _behind(self, text: str) -> None:
        match = _OLD.match(text) if "FW version" in text else None
        if match is None:
            return
        _, psid, old, latest = match.groups()
        known = self.found.firmware.get(psid) or Firmware("", psid, latest)
        older = known.older if old in known.older else (*known.older, old)[:20]
        self.found.firmware[psid] = Firmware(
            known.device, psid, known.latest, older, known.devices_behind + 1
        )

    def _counts(self, text: str) -> bool:
        match = _COUNT.match(text)
        if match is not None and match[1] in _NAMES:
            self.found.counts[_NAMES[match[1]]] = int(match[2][:9])
            return True
        match = _LINKS_AT.match(text)
        if match is not None:
            self.found.links_at[match[1], match[2]] = int(match[3][:9])
            return True
        match = _ENABLED.match(text)
        if match is not None:
            count = int(match[2][:9])
            if match[1] == "Adaptive Routing":
                self.found.adaptive_routing = count
                self.found.routing_among = self.found.counts.get("switches")
            else:
                self.found.hashed_forwarding = count
            return True
        match = _SM.match(text)
        if match is None:
            return False
        if match[1] == "Master":
            self.found.master = match[2][:200]
        elif not self.found.standby:
            self.found.standby = "" if match[2].startswith("No ") else match[2][:200]
        return True

    def _plain(self, text: str) -> bool:
        if self._counts(text):
            return True
        if text.startswith("Running version"):
            match = _VERSION.match(text)
            self.found.version = match[1][:80] if match is not None else ""
            return True
        return text.startswith(_PLAIN) or text in _TITLES


_TITLES = frozenset(
    (
        "Discovery",
        "Lids Check",
        "Links Check",
        "Subnet Manager",
        "Port Counters",
        "Nodes Information",
        "Speed / Width checks",
        "Virtualization",
        "Partition Keys",
        "Temperature Sensing",
        "Routers",
        "Post Reports Generation",
        "Fabric Summary",
        "Summary",
        "Cable Information",
        "Cable Diagnostic (Plugin)",
        "Phy Diagnostic (Plugin)",
        "Routing",
        "Alias GUIDs",
        "Credit Loops Check",
        "SHARP",
        "Rail Optimized Topology Validation",
    )
)
