"""Settings in Markdown: rows of tables, and names and values between backticks and stars."""

from __future__ import annotations

import re

_ROW = re.compile(r"^[ \t>]*\|([^\n]+)", re.MULTILINE)
_NAME = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]{2,100}")
_VALUE_HEAD = re.compile(r"values?|settings?|set to|our values?|use|recommend\w*( values?)?")
_OTHER_HEAD = re.compile(
    r"default|type|descri|mean|purpose|effect|what|why|note|explan|comment|since|range|allowed|"
    r"verdict|version|scope|unit",
)
_MARKS = "`* \t"
_NOTHING = frozenset(("", "-", "\N{EN DASH}", "\N{EM DASH}", "n/a", "N/A"))
_MARKED = re.compile(
    r"(?:[`*]{1,3}[ \t]*[:=]|[:=][`*]{1,3})[ \t]*(?:`([^`\n]{1,400})`|([^\s`|*]{1,400}))"
    r"[ \t.,;|]*(?=\n|\Z)"
)
_OPENED = re.compile(r"(?:^|[\s|>])[`*]{1,3}$")


def table_values(text: str) -> dict[int, tuple[str, int]]:
    """Values of variables in tables by the place of the name, with where their row ends.

    The column is the one whose head says value, setting or the like; without such a head, the one
    after the name unless its head says that it is something else (default, meaning, ...).
    """
    found: dict[int, tuple[str, int]] = {}
    column, below = None, -1
    for row in _ROW.finditer(text):
        cells = row[1].split("|")
        place, named = _named(cells)
        if row.start() != below:
            column = None if named is not None else _column(cells)
        below = row.end() + 1
        if named is None or column == -1:
            continue
        wanted = named + 1 if column is None else column
        value = _value(cells[wanted]) if wanted < len(cells) and wanted != named else ""
        if value:
            found[row.start(1) + place] = (value, row.end())
    return found


def _named(cells: list[str]) -> tuple[int, int | None]:
    """Place of the name in its row and number of its cell."""
    place = 0
    for number, cell in enumerate(cells):
        name = cell.strip(_MARKS)
        if _NAME.fullmatch(name):
            return place + cell.index(name), number
        place += len(cell) + 1
    return 0, None


def _column(heads: list[str]) -> int | None:
    """Number of the column of values; None where the next to the name is, -1 where none is."""
    words = [head.strip(_MARKS).lower() for head in heads]
    for number, word in enumerate(words):
        if _VALUE_HEAD.fullmatch(word):
            return number
    return -1 if len(words) > 1 and _OTHER_HEAD.search(words[1]) else None


def _value(cell: str) -> str:
    """One word, or what is between backticks; "" for a sentence or a blank."""
    text = cell.strip()
    if len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text[1:-1]:
        text = text[1:-1]
    elif len(text.split()) != 1:
        return ""
    text = text.strip("*\"'")
    return "" if text in _NOTHING or "`" in text else text


def marked_value(text: str, end: int, before: str) -> tuple[str, int] | None:
    """The value of a name between backticks or stars: a word or what is between backticks."""
    if not _OPENED.search(before):
        return None
    found = _MARKED.match(text, end)
    if found is None:
        return None
    return found[1] or found[2], found.end()


def without_stars(value: str, before: str) -> str:
    """The value without the stars that were opened before the name: ``**NAME=value**``."""
    stars = len(before) - len(before.rstrip("*"))
    return value.removesuffix("*" * stars) if stars else value
