"""JSON about LLDP in the shapes of its many programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from netdesign.audit.lldp.draft import Draft, Entry, told
from netdesign.audit.lldp.json_entries import (
    DEVICE_KEYS,
    eos_entry,
    first_of,
    junos_entry,
    letters_of,
    listed,
    lldpctl_entry,
    lldpctl_ports,
    napalm_entries,
    nvue_entries,
    record_entry,
    value_of,
)
from netdesign.audit.lldp.json_graph import graph_entries, is_graph

_DEEPEST = 24  # levels that are looked through for a known shape
_MOST_FAILURES = 16  # places where a text looked like JSON and was none
_OPENING = re.compile(r"^[ \t]*[{\[]", re.MULTILINE)
_PIECE = re.compile(
    r'"([^"\\]{1,64})"\s{0,40}:\s{0,40}(?=\{\s{0,80}"(?:lldpNeighborInfo|via|rid)")'
)
_WRAPPERS = frozenset(
    ("result", "results", "output", "outputs", "body", "data", "stdout", "lldp", "ins_api", "msg")
)


class _Lines:
    """Line numbers of places that are asked for in rising order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._line = 1
        self._misses = 0  # each is a search to the end of the text

    def at(self, place: int) -> int:
        """Number of the line that a place is in, 1 and up."""
        self._line += self._text.count("\n", self._place, place)
        self._place = max(self._place, place)
        return self._line

    @property
    def here(self) -> int:
        return self._line

    def of_key(self, key: str) -> int:
        """Number of the line where a key stands next, or of the last place if it is not found."""
        place = self._text.find(f'"{key}"', self._place) if self._misses < _MOST_FAILURES else -1
        self._misses += place < 0
        return self._line if place < 0 else self.at(place)


def read_json(text: str, draft: Draft, device_at: Callable[[int], str]) -> list[tuple[int, int]]:
    """Every JSON value in a text that speaks of LLDP.

    Parameters
    ----------
    text : str
    draft : Draft           takes the rows
    device_at : function    from the number of a line to the device whose prompt stands before it

    Returns
    -------
    list of (first line, last line), 1 and up, that were used
    """
    used: list[tuple[int, int]] = []
    decoder = json.JSONDecoder()
    lines = _Lines(text)
    failures = place = 0
    while failures < _MOST_FAILURES:
        found = _OPENING.search(text, place)
        if found is None:
            break
        start = found.end() - 1
        first = lines.at(start)
        draft.device = device_at(first)
        try:
            value, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            failures += 1
            end = _pieces(text, start, draft, decoder, lines)
            if end > start:
                used.append((first, lines.at(end)))
            place = max(found.end(), end)
            continue
        if isinstance(value, dict | list) and _Walker(draft, lines).walk(value):
            used.append((first, lines.at(place)))
    return used


def _pieces(text: str, start: int, draft: Draft, decoder: json.JSONDecoder, lines: _Lines) -> int:
    """What is whole in a JSON text that is cut: interface by interface; where it ends."""
    end = start
    failures = 0
    for found in _PIECE.finditer(text, start):
        if found.start() < end:
            continue
        if failures >= _MOST_FAILURES:
            break
        try:
            value, after = decoder.raw_decode(text, found.end())
        except (ValueError, RecursionError):
            failures += 1
            continue
        shape: dict[str, Any] = {"lldpNeighbors": {found.group(1): value}}
        if "lldpNeighborInfo" not in value:
            shape = {"lldp": {"interface": {found.group(1): value}}}
        lines.at(found.start())
        _Walker(draft, lines, joined=end > start).walk(shape)
        end = after
    return end


class _Walker:
    """Looks through a value for the shapes that are known."""

    def __init__(self, draft: Draft, lines: _Lines, joined: bool = False) -> None:
        self._draft = draft
        self._lines = lines
        self._line = lines.here
        self._joined = joined  # a further piece of the same table

    def walk(self, value: Any) -> bool:
        """Whether anything of LLDP was found."""
        waiting: list[tuple[Any, str, int]] = [(value, "", 0)]
        found = False
        while waiting:
            here, device, depth = waiting.pop()
            if depth > _DEEPEST:
                continue
            if isinstance(here, list):
                if self._records(here, device):
                    found = True
                    continue
                waiting += [(entry, device, depth + 1) for entry in reversed(here)]
            elif isinstance(here, dict):
                device = next((told(here[key]) for key in DEVICE_KEYS if key in here), device)
                if self._known(here, device):
                    found = True
                    continue
                for key, entry in reversed(here.items()):
                    inner = device if key in _WRAPPERS or not _is_device(key) else told(key)
                    waiting.append((entry, inner, depth + 1))
        return found

    def _start(self, form: str, device: str) -> None:
        if not self._joined:
            self._draft.start(form, self._line, device or None)

    def _known(self, here: Mapping[str, Any], device: str) -> bool:
        if is_graph(here):
            self._draft.start("NetQ graph", self._line, shared=True)
            for entry in graph_entries(self._line, here):
                self._draft.add(entry)
            return True
        if "lldpNeighbors" in here:
            return self._eos(here["lldpNeighbors"], device)
        if isinstance(here.get("interface"), dict | list):
            return self._lldpctl(here["interface"], device)
        for key in ("lldp-neighbors-information", "lldp-neighbor-information"):
            if key in here:
                return self._junos(here[key], device)
        for table, row in (("TABLE_nbor", "ROW_nbor"), ("TABLE_nbor_detail", "ROW_nbor_detail")):
            if isinstance(here.get(table), dict | list):
                rows = [entry.get(row) for entry in listed(here[table]) if isinstance(entry, dict)]
                return self._nxos([one for some in rows for one in listed(some)], device)
        return self._by_port(here, device)

    def _eos(self, value: Any, device: str) -> bool:
        self._start("EOS JSON", device)
        if isinstance(value, list):
            for row in value:
                if isinstance(row, dict):
                    self._draft.add(
                        Entry(
                            self._line,
                            local_port=told(row.get("port")),
                            name=told(row.get("neighborDevice")),
                            port=told(row.get("neighborPort")),
                        )
                    )
            return True
        for port, info in value.items() if isinstance(value, dict) else ():
            self._draft.interface(port)
            line = self._lines.of_key(port)
            rows = info.get("lldpNeighborInfo") if isinstance(info, dict) else None
            for row in rows if isinstance(rows, list) else ():
                if isinstance(row, dict):
                    self._draft.add(eos_entry(line, port, row))
        return True

    def _lldpctl(self, value: Any, device: str) -> bool:
        ports = list(lldpctl_ports(value))
        if not ports:
            return False
        self._start("lldpctl JSON", device)
        for port, info in ports:
            self._draft.interface(port)
            line = self._lines.of_key(port)
            for chassis in listed(info.get("chassis")):
                if isinstance(chassis, dict):
                    self._draft.add(lldpctl_entry(line, port, info, chassis))
        return True

    def _junos(self, value: Any, device: str) -> bool:
        rows: list[Any] = []
        for entry in listed(value):
            inner = entry.get("lldp-neighbor-information") if isinstance(entry, dict) else None
            rows += listed(inner) if inner is not None else [entry]
        self._start("Junos JSON", device)
        for row in rows:
            if isinstance(row, dict):
                self._draft.add(junos_entry(self._line, {key: value_of(row[key]) for key in row}))
        return True

    def _nxos(self, rows: list[Any], device: str) -> bool:
        self._start("NX-OS JSON", device)
        for row in rows:
            if not isinstance(row, dict):
                continue
            letters = row.get("enabled_capability", row.get("capability"))
            brief = "sys_name" not in row
            self._draft.add(
                Entry(
                    self._line,
                    local_port=told(row.get("l_port_id")),
                    name=told(row.get("chassis_id" if brief else "sys_name")),
                    chassis="" if brief else told(row.get("chassis_id")),
                    port=told(row.get("port_id")),
                    port_description=told(row.get("port_desc")),
                    system_description=told(row.get("sys_desc")),
                    management_address=told(row.get("mgmt_addr")),
                    capabilities=letters_of(letters),
                )
            )
        return True

    def _by_port(self, here: Mapping[str, Any], device: str) -> bool:
        """NVUE and napalm: a mapping from ports to what is heard there."""
        rows = list(nvue_entries(self._line, here)) or list(napalm_entries(self._line, here))
        if not rows:
            return False
        self._start("JSON by port", device)
        for port in here:
            if isinstance(here[port], dict | list):
                self._draft.interface(port)
        for entry in rows:
            self._draft.add(entry)
        return True

    def _records(self, rows: list[Any], device: str) -> bool:
        """NetQ and others: a list of records that name port, peer and peer's port."""
        entries = [
            (row, entry)
            for row in rows
            if isinstance(row, dict) and (entry := record_entry(self._line, row)) is not None
        ]
        if not entries:
            return False
        shared = any(first_of(row, DEVICE_KEYS) for row, _ in entries)
        self._draft.start("records", self._line, device or None, shared=shared)
        for row, entry in entries:
            entry.local_device = first_of(row, DEVICE_KEYS)
            self._draft.add(entry)
        return True


def _is_device(key: str) -> bool:
    return bool(re.match(r"[A-Za-z][\w.-]{1,80}\Z", key)) and any(c.isdigit() for c in key)
