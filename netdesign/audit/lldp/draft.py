"""Which neighbours has a file named so far? LLDP tables while they are being read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from netdesign.audit.lldp.content import Dump, LldpContent, Neighbour

_MOST_ROWS = 1 << 18  # so that no file fills the memory
_MOST_PORTS = 4096  # of one device
_LONGEST = 200  # characters of a value that is kept
_NOTHING = frozenset(
    ("", "-", "--", "n/a", "na", "null", "none", "not advertised", "not-advertised", "unknown")
)
_LETTERS = {
    "R": "router",
    "B": "bridge",
    "T": "telephone",
    "C": "docsis",
    "W": "wlan",
    "P": "repeater",
    "S": "station",
    "O": "other",
}
_WORDS = (
    ("station", "station"),
    ("bridge", "bridge"),
    ("switch", "bridge"),
    ("router", "router"),
    ("wlan", "wlan"),
    ("access point", "wlan"),
    ("tel", "telephone"),
    ("phone", "telephone"),
    ("docsis", "docsis"),
    ("repeater", "repeater"),
    ("other", "other"),
)


def told(value: object) -> str:
    """A value without quotes; "" where it says nothing."""
    if value == "":
        return ""
    if not isinstance(value, str):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return ""
        value = str(value)
    text = value.strip()[:_LONGEST].strip("\"'").strip()
    return "" if text.lower() in _NOTHING else text


def capability_letters(text: str) -> tuple[str, ...]:
    """BR, B R or B, R as words."""
    return tuple(dict.fromkeys(_LETTERS[letter] for letter in text if letter in _LETTERS))


def capability_words(texts: Iterable[str]) -> tuple[str, ...]:
    """Bridge, stationOnly, "WLAN Access Point" as words."""
    found: list[str] = []
    for text in texts:
        low = text.strip().lower()
        found += [word for start, word in _WORDS if start in low][:1]
    return tuple(dict.fromkeys(found))


@dataclass
class _DumpDraft:
    form: str
    local_device: str
    line: int
    interfaces: dict[str, None] = field(default_factory=dict)
    total: int | None = None
    shared: bool = False  # each row names its own device


@dataclass(slots=True)
class Entry:
    """One neighbour while its lines are still coming."""

    line: int = 0
    local_device: str = ""
    local_port: str = ""
    name: str = ""
    chassis: str = ""
    port: str = ""
    port_description: str = ""
    system_description: str = ""
    capabilities: tuple[str, ...] | None = None
    speed: str = ""
    management_address: str = ""


@dataclass
class Draft:
    """Tables and rows so far, and the device whose prompt stood last."""

    device: str = ""
    dumps: list[_DumpDraft] = field(default_factory=list)
    rows: list[Neighbour] = field(default_factory=list)
    unplaced: list[Neighbour] = field(default_factory=list)
    left_out: int = 0
    is_full: bool = False  # what comes is only counted
    cut_lines: list[int] = field(default_factory=list)  # too long to be seen whole, and used

    def start(self, form: str, line: int, device: str | None = None, shared: bool = False) -> None:
        """A new table begins."""
        name = self.device if device is None else device
        name = "" if shared or self.is_full else name
        self.dumps.append(_DumpDraft(form, name, line, shared=shared))

    def interface(self, name: str) -> None:
        """An interface is listed, with or without a neighbour."""
        port = told(name)
        if self.is_full:
            return
        if port and self.dumps and len(self.dumps[-1].interfaces) < _MOST_ROWS:
            self.dumps[-1].interfaces.setdefault(port)

    def total(self, count: int) -> None:
        """The device's own count of its entries."""
        if self.dumps and not self.is_full:
            self.dumps[-1].total = count

    def add(self, entry: Entry) -> bool:
        """A neighbour; whether it says enough to be one."""
        if self.is_full and entry.local_port and entry.name:
            self.left_out += 1
            return True
        local = told(entry.local_port)
        name, chassis = told(entry.name), told(entry.chassis)
        port = told(entry.port)
        description = entry.port_description and told(entry.port_description)
        if not self.dumps or not (name or chassis or port or description):
            return False
        if not local and not (port and (name or chassis)):
            return False
        rows = self.rows if local else self.unplaced
        if len(rows) >= _MOST_ROWS and not self.is_full:
            self._fill()
        if self.is_full:
            self.left_out += 1
            return True
        dump = self.dumps[-1]
        device = (entry.local_device and told(entry.local_device)) or dump.local_device
        if local and not dump.shared:
            self.interface(local)
        rows.append(
            Neighbour(
                local_device=device,
                local_port=local,
                remote_device=name or chassis,
                remote_port=port or description,
                line=entry.line,
                dump=len(self.dumps) - 1,
                chassis=chassis,
                port_description=description,
                system_description=entry.system_description and told(entry.system_description),
                capabilities=entry.capabilities,
                speed=entry.speed and told(entry.speed),
                management_address=entry.management_address and told(entry.management_address),
            )
        )
        return True

    def _fill(self) -> None:
        """Take no more; a device of which a part is read would seem to lack the rest."""
        self.is_full = True
        number = len(self.dumps) - 1
        parts = [[row for row in rows if row.dump == number] for rows in (self.rows, self.unplaced)]
        count = sum(map(len, parts))
        if number and count <= _MOST_PORTS:
            self.rows = [row for row in self.rows if row.dump != number]
            self.unplaced = [row for row in self.unplaced if row.dump != number]
            self.left_out += count
            last = self.dumps[-1]
            self.dumps[-1] = _DumpDraft(last.form, "", last.line, shared=last.shared)

    def finished(self) -> LldpContent:
        return LldpContent(
            dumps=tuple(
                Dump(
                    draft.form, draft.local_device, draft.line, tuple(draft.interfaces), draft.total
                )
                for draft in self.dumps
            ),
            neighbours=tuple(self.rows),
            unplaced=tuple(self.unplaced),
            left_out=self.left_out,
            cut_lines=tuple(self.cut_lines),
        )
