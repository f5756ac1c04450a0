"""Text from anywhere as cells of a table: RFC 4180 quoting, and no cell that runs as a formula."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from netdesign.wording import printable

LINE_END = "\r\n"
_QUOTED = re.compile(r'[",\r\n]')
_UNSAFE_START = re.compile(r"\A\s*[=+\-@]")


def harmless(text: str) -> str:
    """One line of printable text that no spreadsheet takes for a formula.

    Control characters become "?", and an apostrophe is set before ``= + - @``.
    """
    text = printable(text)
    return "'" + text if _UNSAFE_START.match(text) else text


def cells(values: Sequence[str]) -> list[str]:
    """Texts as cells of a CSV file; a text that occurs often is looked at once."""
    known = {text: _cell(text) for text in set(values)}
    return [known[text] for text in values]


def csv_text(header: Sequence[str], columns: Sequence[Iterable[str]]) -> str:
    """A table in CSV: columns of finished cells, all of one length, below a header."""
    lines = [",".join(header)]
    lines += map(",".join, zip(*columns, strict=True))
    lines.append("")
    return LINE_END.join(lines)


def _cell(text: str) -> str:
    text = harmless(text)
    if _QUOTED.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
