"""Reads the tables of ibdiagnet: net_dump, net_dump_ext and the sections of db_csv."""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

from netdesign.audit.found.names import is_aggregation_name
from netdesign.audit.found.network import FoundNetwork, Role
from netdesign.audit.infiniband.builder import Builder
from netdesign.audit.infiniband.words import guid_of, speed_of, switch_of

_BLOCK = re.compile(r'"(.*)", [^,"]*, 0x([0-9a-fA-F]{1,16}), LID (\d+)\Z')
_HEX = re.compile(r"0x[0-9a-fA-F]{1,16}\Z")
_LID = re.compile(r"(\d{1,6})(?: *\(([^)]*)\))?")
_UP = ("ACT", "ARM", "INI")
# LinkWidthActv and LinkSpeedActv in db_csv (ibdm, IBLinkWidth and IBLinkSpeed)
_WIDTHS = {"1": "1x", "2": "4x", "4": "8x", "8": "12x", "16": "2x"}
_LANES = {
    "1": "SDR",
    "2": "DDR",
    "4": "QDR",
    str(1 << 8): "FDR",
    str(2 << 8): "EDR",
    str(4 << 8): "HDR",
    str(8 << 8): "NDR",
    str(1 << 16): "FDR10",
    str(1 << 24): "XDR",
}
_NODE_TYPES: dict[str, Role] = {"1": "host", "2": "switch"}
_SECTIONS = ("NODES", "PORTS", "LINKS")
_EMPTY = ("", "N/A")


class _Waiting(NamedTuple):
    """A port whose neighbour is known by the label that the neighbour prints."""

    key: str
    port: str
    far: str  # GUID, or LID in net_dump_ext
    far_label: str
    speed: str
    line: int


class TableReader:
    """Goes through the lines of any of these files."""

    def __init__(self) -> None:
        self.build = Builder()
        self.rows = 0
        self.findings: dict[str, int] = {}  # rows of the WARNINGS_ and ERRORS_ sections
        self._block: str | None = None
        self._columns: list[str] = []
        self._labels: dict[tuple[str, str], str] = {}
        self._waiting: list[_Waiting] = []
        self._by_lid: dict[str, str] = {}
        self._section = ""
        self._header: dict[str, int] = {}
        self._speeds: dict[tuple[str, str], str] = {}

    def line(self, number: int, text: str) -> bool:
        """Whether a line was understood."""
        if self._section:
            return self._csv(number, text)
        if text.startswith("START_"):
            self._section, self._header = text[6:].strip(), {}
            return True
        if " : " in text or text.startswith("# "):
            return self._row(number, text)
        if text[0] == '"':
            return self._block_of(number, text)
        return text.startswith(("SUBNET_MANAGER", "END_"))

    def _block_of(self, number: int, text: str) -> bool:
        match = _BLOCK.match(text)
        if match is None:
            return False
        self._block = guid_of(match[2])
        name, model = switch_of(match[1])
        device = self.build.device(self._block, name, "switch", number)
        device.listed = True
        if model:
            device.facts["model"] = model
        self._by_lid[match[3]] = self._block
        return True

    def _row(self, number: int, text: str) -> bool:
        if "Neighbor Guid" in text or "Conn LID" in text:
            self._columns = [cell.strip() for cell in text.split(" :")]
            return "Sta" in self._columns
        if not self._columns:
            return False
        cells = [cell.strip() for cell in text.split(" :", len(self._columns) - 1)]
        if len(cells) < len(self._columns) - 1:
            return False
        row = dict(zip(self._columns, cells, strict=False))
        done = self._extended(number, row) if "Conn LID (#)" in row else self._plain(number, row)
        self.rows += done
        return done

    def _plain(self, number: int, row: dict[str, str]) -> bool:
        """A port of net_dump."""
        key, port = self._block, row.get("IB#", "")
        if key is None or not port.isdigit():
            return False
        device = self.build.devices[key]
        device.ports = max(device.ports or 0, int(port[:5]))
        self._labels[key, row.get("#", "")] = port
        far = row.get("Neighbor Guid", "")
        if not row.get("Sta", "").startswith(_UP) or _HEX.match(far) is None:
            self.build.ports_down += 1
            return True
        other, name = guid_of(far), row.get("Neighbor Description", "").strip('"')
        role: Role = "switch" if name.startswith("MF0;") else "unknown"
        self.build.device(other, switch_of(name).name, role, number)
        self._wait(number, row, key, port, other, row.get("N#", ""))
        return True

    def _extended(self, number: int, row: dict[str, str]) -> bool:
        """A port of net_dump_ext, which names its neighbour by LID and label."""
        port, guid = row.get("#IB", ""), row.get("GUID", "")
        kind = row.get("Ty", "")
        if not port.isdigit() or _HEX.match(guid) is None or kind not in ("SW", "CA", "RTR", "RT"):
            return False
        key, name = guid_of(guid), row.get("Node Desc", "").strip('"')
        role: Role = "switch" if kind == "SW" else "host" if kind == "CA" else "unknown"
        plain = switch_of(name).name if role == "switch" else name
        device = self.build.device(key, plain, role, number)
        device.listed = True
        device.ports = max(device.ports or 0, int(port[:5]))
        self._labels[key, row.get("#", "")] = port
        lid = _LID.match(row.get("LID", ""))
        if lid is not None:
            self._by_lid[lid[1]] = key
        far = _LID.match(row.get("Conn LID (#)", ""))
        if not row.get("Sta", "").startswith(_UP) or far is None:
            self.build.ports_down += role == "switch"
            return True
        self._wait(number, row, key, port, f"lid {far[1]}", (far[2] or "").strip())
        return True

    def _wait(
        self, number: int, row: dict[str, str], key: str, port: str, far: str, label: str
    ) -> None:
        speed = speed_of(row.get("LWA", ""), row.get("LSA", ""))
        self._waiting.append(_Waiting(key, port, far, label, speed, number))

    def _csv(self, number: int, text: str) -> bool:
        if text.startswith("END_"):
            self._section = ""
            return True
        if text.startswith("START_"):  # the end of the last section is missing
            self._section, self._header = text[6:].strip(), {}
            return True
        section = self._section
        if section not in _SECTIONS:
            if section.startswith(("WARNINGS_", "ERRORS_")) and self._header:
                self.findings[section] = self.findings.get(section, 0) + 1
            self._header = self._header or {"": 0}
            return True
        cells = _cells(text)
        if not self._header:
            self._header = {cell.strip().lower(): place for place, cell in enumerate(cells)}
            return True
        get = _Getter(cells, self._header)
        if section == "NODES":
            return self._node(number, get)
        return self._csv_port(get) if section == "PORTS" else self._csv_link(number, get)

    def _node(self, number: int, get: _Getter) -> bool:
        guid = get("nodeguid")
        if _HEX.match(guid) is None:
            return False
        role = _NODE_TYPES.get(get("nodetype"), "unknown")
        name = get("nodedesc")
        plain = switch_of(name).name if role == "switch" else name.strip()
        device = self.build.device(guid_of(guid), plain, role, number)
        device.listed = True
        ports = get("numports")
        device.ports = int(ports) if ports.isdigit() and len(ports) < 6 else None
        self.rows += 1
        return True

    def _csv_port(self, get: _Getter) -> bool:
        guid, port = get("nodeguid"), get("portnum")
        width = _WIDTHS.get(get("linkwidthactv"), "")
        lane = _LANES.get(get("linkspeedactv"), "")
        if _HEX.match(guid) is not None and width and lane:
            self._speeds[guid_of(guid), port] = f"{width}{lane}"
        return True

    def _csv_link(self, number: int, get: _Getter) -> bool:
        ends = [(get(f"nodeguid{n}"), get(f"portnum{n}")) for n in (1, 2)]
        if any(_HEX.match(guid) is None or not port.isdigit() for guid, port in ends):
            return False
        (one, one_port), (two, two_port) = ends
        self._waiting.append(
            _Waiting(guid_of(one), one_port, guid_of(two), f"={two_port}", "", number)
        )
        self.rows += 1
        return True

    def network(self) -> FoundNetwork:
        """All links, once both ends have been seen."""
        build = self.build
        for wait in self._waiting:
            far = wait.far
            if far.startswith("lid "):
                far = self._by_lid.get(far[4:], far)
            if wait.far_label.startswith("="):  # of db_csv, which gives numbers and both ends
                port = wait.far_label[1:]
                for key in (wait.key, far):
                    build.device(key, key, "unknown", wait.line)
                self._end(wait.key, wait.port, far, port, wait.line)
                self._end(far, port, wait.key, wait.port, wait.line)
                continue
            build.device(far, far, "unknown", wait.line)
            port = self._labels.get((far, wait.far_label)) or _port_of(wait.far_label)
            build.end(wait.key, wait.port, far, port, wait.speed, wait.line)
        for device in build.devices.values():
            if device.role == "unknown":  # each switch has a block or a row of its own
                inside = is_aggregation_name(device.name)
                device.role = "aggregation" if inside else "host"
        return build.network()

    def _end(self, key: str, port: str, far: str, far_port: str, line: int) -> None:
        speed = self._speeds.get((key, port), "")
        self.build.end(key, port, far, far_port, speed, line)


class _Getter:
    """Cells of a row of a section by the name of their column."""

    def __init__(self, cells: list[str], header: dict[str, int]) -> None:
        self._cells = cells
        self._header = header

    def __call__(self, column: str) -> str:
        place = self._header.get(column)
        if place is None or place >= len(self._cells):
            return ""
        return self._cells[place].strip()


def _cells(text: str) -> list[str]:
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text]), [])
    except csv.Error:
        return text.split(",")


def _port_of(label: str) -> str:
    """The number of an adapter's port: B184D0F0/0/0/1 is its port 1."""
    return label.rsplit("/", 1)[-1] or "1"
