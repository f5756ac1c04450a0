"""XML of Junos and of lldpctl, element by element; a cut file still gives what is whole."""

from __future__ import annotations

import re

from netdesign.audit.lldp.draft import Draft, Entry, capability_words
from netdesign.audit.lldp.json_entries import junos_entry

_ELEMENT = re.compile(r"<(/?)([A-Za-z][\w:-]{0,80})([^<>]{0,400})>([^<]{0,2000})")
_ATTRIBUTE = re.compile(r"""([\w:-]{1,40})\s{0,4}=\s{0,4}["']([^"']{0,200})["']""")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))


class XmlReader:
    """Reads elements line by line."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._row: dict[str, str] | None = None  # of Junos
        self._entry: Entry | None = None  # of lldpctl
        self._part = ""
        self._number = 0
        self._form = ""

    def line(self, number: int, text: str) -> bool:
        """Take a line in; whether it was understood."""
        if "<" not in text:
            return False
        known = False
        for found in _ELEMENT.finditer(text):
            closing, name, inside, value = found.groups()
            known = self._element(number, bool(closing), name, inside, _plain(value)) or known
        return known

    def _element(self, number: int, closing: bool, name: str, inside: str, value: str) -> bool:
        if name in ("rpc-reply", "cli", "banner", "lldp-neighbors-information", "lldp"):
            self._form = ""
            return True
        if name == "lldp-neighbor-information":
            self._end_of_row()
            if not closing:
                self._start("Junos XML", number)
                self._row, self._number = {}, number
            return True
        if self._row is not None:
            if not closing and value:
                self._row.setdefault(name, value)
            return name.startswith("lldp-")
        return self._lldpctl(number, closing, name, inside, value)

    def _lldpctl(self, number: int, closing: bool, name: str, inside: str, value: str) -> bool:
        attributes = dict(_ATTRIBUTE.findall(inside)) if "=" in inside else {}
        if name == "interface" and not closing and "via" in attributes:
            self._end_of_entry()
            self._start("lldpctl XML", number)
            port = attributes.get("name", "")
            self._draft.interface(port)
            self._entry, self._part = Entry(number, local_port=port), ""
            return True
        if self._entry is None:
            return False
        if name == "interface" and closing:
            self._end_of_entry()
        elif name in ("chassis", "port"):
            self._part = "" if closing else name
        elif not closing and self._part == "chassis":
            self._of_chassis(self._entry, name, value, attributes)
        elif not closing and self._part == "port":
            if name == "id":
                self._entry.port = value
            elif name == "descr":
                self._entry.port_description = value
        return True

    @staticmethod
    def _of_chassis(entry: Entry, name: str, value: str, attributes: dict[str, str]) -> None:
        if name == "id":
            entry.chassis = value
        elif name == "name":
            entry.name = value
        elif name == "descr":
            entry.system_description = value
        elif name == "capability":
            known = entry.capabilities or ()
            on = attributes.get("enabled") == "on"
            entry.capabilities = (
                (*known, *capability_words([attributes.get("type", "")])) if on else known
            )

    def _start(self, form: str, number: int) -> None:
        if self._form != form:
            self._form = form
            self._draft.start(form, number)

    def _end_of_row(self) -> None:
        row, self._row = self._row, None
        if row:
            self._draft.add(junos_entry(self._number, row))

    def _end_of_entry(self) -> None:
        entry, self._entry = self._entry, None
        if entry is not None:
            self._draft.add(entry)

    def end(self) -> None:
        self._end_of_row()
        self._end_of_entry()


def _plain(value: str) -> str:
    text = value.strip()
    for entity, letter in _ENTITIES:
        text = text.replace(entity, letter)
    return text
