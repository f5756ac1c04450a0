"""The reader of data/references.bib: key, title, year and where it was published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from netdesign.errors import DesignError

_ENTRY = re.compile(r"^@(\w+)\{([^,\s]+),\s*$")
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?\s*$")
_PLACES = ("journal", "booktitle", "howpublished", "publisher", "institution")


@dataclass(frozen=True)
class Reference:
    """A source: where a formula or a number comes from."""

    key: str
    title: str
    year: int
    where: str
    author: str
    url: str


def read_references(path: Path) -> Mapping[str, Reference]:
    """Read a BibTeX file written one field a line, values in braces.

    Raises
    ------
    DesignError     naming the file and the line or entry
    """
    entries: dict[str, dict[str, str]] = {}
    current: dict[str, str] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        entry, field = _ENTRY.match(text), _FIELD.match(text)
        if current is None and entry:
            if entry[2] in entries:
                raise DesignError(
                    f"{path.name}, line {number}", entry[2], "stands twice", "keep one entry"
                )
            current = entries[entry[2]] = {}
        elif current is not None and text == "}":
            current = None
        elif current is not None and field:
            current[field[1].lower()] = field[2].replace("{", "").replace("}", "")
        else:
            raise DesignError(
                f"{path.name}, line {number}",
                text,
                "is not a line of an entry",
                "write one field a line: name = {value},",
            )
    return MappingProxyType({key: _reference(key, fields, path) for key, fields in entries.items()})


def _reference(key: str, fields: Mapping[str, str], path: Path) -> Reference:
    title, year = fields.get("title", ""), fields.get("year", "")
    if not title or not year.isdigit():
        raise DesignError(
            f"{path.name}, entry {key}", year, "lacks a title or a year", "give both fields"
        )
    where = next((fields[place] for place in _PLACES if fields.get(place)), "")
    return Reference(key, title, int(year), where, fields.get("author", ""), fields.get("url", ""))
