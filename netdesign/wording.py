"""How are counts, lists, message sizes and names from files said in one line of text?

Shared by findings, records, reports and pictures. Numbers with units that a page aligns are in
:mod:`netdesign.charts.format`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

_BINARY = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
_IRREGULAR = MappingProxyType({"leaf": "leaves", "switch": "switches", "entry": "entries"})
_NUMBERS = re.compile(r"(\d+)")
_LONGEST_NUMBER = 18  # digits: longer ones in a name are no counters, and slow to convert


def plural(number: Any, one: str, many: str | None = None) -> str:
    """``1 leaf`` or ``1,024 leaves``; ``many`` where the plural is irregular."""
    if number == 1:
        return f"{number:,.0f} {one}"
    return f"{number:,.0f} {many or _many(one)}"


def _many(one: str) -> str:
    before, space, last = one.rpartition(" ")
    return f"{before}{space}{_IRREGULAR.get(last, last + 's')}"


def named(texts: Iterable[str], most: int = 3, between: str = ", ") -> str:
    """The first of many in words: ``leaf1, leaf2, leaf3 and 5 more``."""
    every = list(texts)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return between.join(every[:most]) + more


def binary_size(size: float) -> str:
    """Bytes in the binary unit that nccl-tests and perftest use: ``64 KiB``, ``1.5 GiB``."""
    for unit, factor in _BINARY:
        if size >= factor:
            return f"{size / factor:.4g} {unit}"
    return f"{size:.0f} B"


def printable(text: str) -> str:
    """The text with "?" for each letter that cannot be printed, tabs and line ends among them."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def one_line(text: str) -> str:
    """Text of a file for a screen: printable, tabs as single spaces."""
    return printable(text.expandtabs(1))


def natural_order(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts ``node2`` before ``node10``."""
    return [
        (0, int(part[:_LONGEST_NUMBER]), "") if part.isdecimal() else (1, 0, part)
        for part in _NUMBERS.split(name)
        if part
    ]
