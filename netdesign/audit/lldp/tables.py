"""Tables: one neighbour a row, under a heading that says which column is what."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from netdesign.audit.lldp.draft import Draft, Entry, capability_letters
from netdesign.audit.lldp.table_forms import FORMS

_RULE = re.compile(r"\s*-{2,}[- \t|+]*\Z")
_GAP = re.compile(r"\s{2,}")
_TOTAL = re.compile(r"\s*Total entries displayed\s*:\s*(\d{1,9})", re.IGNORECASE)
_COUNTERS = (
    "capability codes",
    "(r) router",
    "(w) wlan",
    "last table change time",
    "number of table",
    "matching lldp records",
    "capability flags",
    "b - bridge",
    "lldp neighbor information",
    "total neighbor entries",
)
_MOST_OTHERS = 200  # lines without a row after which a table has ended
_LETTERS = re.compile(r"[RBTCWPSO](?:,?[RBTCWPSO]){0,7},?\Z")  # BR, or IOS-XE's B,R

_FIRST_TITLES = tuple({titles[0][0] for _, titles in FORMS})


class Column(NamedTuple):
    """A column's meaning and where it starts."""

    meaning: str
    start: int


class TableReader:
    """Reads rows once a heading has been seen."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._form = ""
        self._columns: tuple[Column, ...] = ()
        self._spans: tuple[int, ...] = ()  # where the columns of a rule start
        self._layout: tuple[tuple[str, int], ...] = ()  # meanings, with the cell of each
        self._titles = ""
        self._pending: tuple[int, str] | None = None  # a long name, its port on the next line
        self._command_port = ""
        self._others = 0  # lines since the last row
        self.used_before = 0  # the line of a pending name that was used after all

    def command(self, text: str) -> None:
        """A command starts: no table is open any more."""
        self.close()
        found = re.search(r"\binterface\s+(\S{1,40})\s+lldp\b", text)
        self._command_port = found.group(1) if found else ""

    def close(self) -> None:
        self._form, self._columns, self._spans, self._pending = "", (), (), None
        self._layout = ()
        self._others = 0

    def line(self, number: int, text: str) -> bool:
        """Take a line in; whether it was understood."""
        self.used_before = 0
        total = _TOTAL.match(text) if "otal" in text else None
        if total:
            self._draft.total(int(total.group(1)))
            self.close()
            return True
        if _may_hold_a_title(text) and self._heading(number, text):
            return True
        if text.lstrip()[:32].lower().startswith(_COUNTERS):
            return True
        if not self._form:
            return False
        if "--" in text and _RULE.match(text):
            spans = tuple(found.start() for found in re.finditer(r"-+", text))
            if not self._spans and len(spans) >= len(self._columns):  # else one line across
                self._spans, self._layout = spans, ()
            return True
        reader = _ROWS.get(self._form, TableReader._spanned)
        is_row = reader(self, number, text)
        self._others = 0 if is_row else self._others + 1
        if self._others > _MOST_OTHERS:
            self.close()
        return is_row

    def _heading(self, number: int, text: str) -> bool:
        low = text.lower()
        begins = low.lstrip()
        if len(text) > 400 or not begins.startswith(_FIRST_TITLES):
            return False
        begins = begins.lstrip(" \t|>")
        for form, titles in FORMS:
            columns = _columns(low, titles) if begins.startswith(titles[0][0]) else ()
            if columns:
                self.close()
                self._form, self._columns, self._titles = form, columns, text
                self._draft.start(form, number, shared=form == "NetQ table")
                return True
        return False

    def _spanned(self, number: int, text: str) -> bool:
        """A row whose cells stand under a rule or a heading."""
        starts = self._spans or tuple(column.start for column in self._columns)
        cells = _cells(text, starts)
        self._layout = self._layout or _layout(self._columns, starts)
        values = {meaning: cells[index] for meaning, index in self._layout}
        local = values.get("local", "") or (self._command_port if "local" not in values else "")
        begins = len(text) - len(text.lstrip())
        is_port = _is_port(local) or _is_numbered(local) if local else False
        if not is_port or " " in local or begins != starts[0]:
            return False
        entry = Entry(
            line=number,
            local_device=values.get("device", ""),
            local_port=local,
            name=values.get("name", ""),
            port=values.get("port", ""),
            port_description=values.get("description", ""),
            chassis=values.get("chassis", ""),
            speed=values.get("speed", ""),
        )
        if "letters" in values:
            entry.capabilities = capability_letters(values["letters"])
        if self._form == "NVUE table" and not entry.name:
            self._draft.interface(local)
            return True
        return self._draft.add(entry)

    def _nxos(self, number: int, text: str) -> bool:
        tokens = list(re.finditer(r"\S+", text))
        hold = next(
            (
                place
                for place in range(1, len(tokens))
                if tokens[place].group().isdigit() and _is_port(tokens[place - 1].group())
            ),
            None,
        )
        if hold is None:
            alone = bool(tokens) and len(text.strip()) <= 120 and ":" not in text
            self._pending = (number, text.strip()) if alone and len(tokens) <= 6 else None
            return False
        name, local = text[: tokens[hold - 1].start()].strip(), tokens[hold - 1].group()
        border = {column.meaning: column.start for column in self._columns}["local"]
        if not name and self._pending:
            self.used_before, name = self._pending
        elif hold == 1 and text[0] not in " \t" and border < len(local):
            name, local = text[:border], local[border:]  # a cut name, up against its port
        self._pending = None
        rest = tokens[hold + 1 :]
        letters = ""
        while len(rest) > 1 and _LETTERS.match(rest[0].group()):
            letters += rest.pop(0).group()
        if (
            len(rest) == 1
            and _LETTERS.match(rest[0].group())
            and self._stands_under(rest[0].start())
        ):
            letters += rest.pop(0).group()
        return self._draft.add(
            Entry(
                line=number,
                local_port=local,
                name=name,
                port=text[rest[0].start() :].strip() if rest else "",
                capabilities=capability_letters(letters),
            )
        )

    def _stands_under(self, place: int) -> bool:
        """Whether a last word is in the column of the capabilities, and the port is blank."""
        starts = {column.meaning: column.start for column in self._columns}
        return abs(place - starts["letters"]) < abs(place - starts["port"])

    def _eos(self, number: int, text: str) -> bool:
        tokens = text.split()
        if len(tokens) < 3 or not tokens[-1].isdigit() or not _is_port(tokens[0]):
            return False
        middle = text.strip()[len(tokens[0]) : -len(tokens[-1])].strip()
        cells = _GAP.split(middle)
        if len(cells) == 1:
            cells = _two(middle)
        return self._draft.add(
            Entry(line=number, local_port=tokens[0], name=cells[0], port=" ".join(cells[1:]))
        )

    def _junos(self, number: int, text: str) -> bool:
        tokens = text.split(None, 3 if "parent" in self._titles.lower() else 2)
        if len(tokens) < 3 or not _is_port(tokens[0]):
            return False
        if "parent" not in self._titles.lower():
            tokens.insert(1, "-")
        if len(tokens) < 4:
            return False
        cells = _GAP.split(tokens[3].strip())
        has_name = "system name" in self._titles.lower()
        if len(cells) == 1 and has_name:
            under_name = text.rindex(cells[0]) >= self._titles.lower().index("system name")
            cells = ["", cells[0]] if under_name else _two(cells[0], last=True)
        return self._draft.add(
            Entry(
                line=number,
                local_port=tokens[0],
                chassis=tokens[2],
                port=cells[0],
                name=cells[-1] if len(cells) > 1 and has_name else "",
            )
        )


_ROWS: dict[str, Callable[[TableReader, int, str], bool]] = {
    "NX-OS table": TableReader._nxos,
    "EOS table": TableReader._eos,
    "Junos table": TableReader._junos,
}


def _may_hold_a_title(text: str) -> bool:
    """Spelled out, since every line passes it."""
    return "ort" in text or "ntf" in text or "eer" in text or "nterface" in text or "PORT" in text


def _columns(low: str, titles: tuple[tuple[str, str], ...]) -> tuple[Column, ...]:
    columns: list[Column] = []
    place = 0
    for title, meaning in titles:
        place = _whole_word(low, title, place)
        if place < 0:
            return ()
        columns.append(Column(meaning, place))
        place += len(title)
    first = columns[0].start
    return tuple(columns) if not low[:first].strip(" \t|>") else ()


def _whole_word(low: str, title: str, place: int) -> int:
    while True:
        place = low.find(title, place)
        if place < 0:
            return -1
        before = low[place - 1 : place] if place else ""
        after = low[place + len(title) : place + len(title) + 1]
        if before in ("", " ", "\t", "|") and after in ("", " ", "\t", "|", "\u2026"):
            return place
        place += 1


def _layout(columns: tuple[Column, ...], starts: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
    """The meaning of each column, and the last cell that starts at or before it."""
    return tuple(
        (
            column.meaning,
            max((place for place, start in enumerate(starts) if start <= column.start), default=0),
        )
        for column in columns
        if column.meaning
    )


def _cells(text: str, starts: tuple[int, ...]) -> list[str]:
    """Text between the starts; a word that hangs over a border belongs to where it begins."""
    borders = []
    size = len(text)
    for start in starts:
        border = start if start < size else size
        while 0 < border < size and text[border - 1] not in " \t" and text[border] not in " \t":
            border -= 1
        borders.append(border)
    ends = [*borders[1:], size]
    return [text[start:end].strip() for start, end in zip(borders, ends, strict=True)]


def _two(text: str, last: bool = False) -> list[str]:
    """Two cells that a single blank parts, if any."""
    first, _, second = text.rpartition(" ") if last else text.partition(" ")
    return [first.strip(), second.strip()] if first and second else [text]


@lru_cache(maxsize=1 << 16)
def _is_port(text: str) -> bool:
    return (
        len(text) <= 64
        and text[0].isalpha()
        and any(letter.isdigit() for letter in text)
        and ":" not in text[:3]
    )


def _is_numbered(text: str) -> bool:
    """A port whose name begins with a number, as 1/1/49 and 100GE1/0/3."""
    return len(text) <= 64 and "/" in text and text[0].isdigit()
