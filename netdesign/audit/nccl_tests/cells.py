"""The cells of one row, wherever in a line it stands, and the columns they belong to."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from netdesign.audit.nccl_tests.operations import TYPE_BYTES

_START = re.compile(
    r"(?<![\w.])(\d{1,19}+)\s++(\d{1,19}+)\s++("
    + "|".join(sorted(TYPE_BYTES, key=len, reverse=True))
    + r")(?![\w.])"
)
_VALUE = re.compile(
    r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\*?|-?nan|-?inf|n/?a|-|[x*?]+(?:\.[x*?]+)?", re.I
)
_GLUED = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_REDOP = re.compile(r"none|sum|prod|min|max|avg|mulsum|all|copy", re.I)
_ROOT = re.compile(r"-?\d{1,7}")
_LOG = re.compile(r"NCCL (?:INFO|WARN|TRACE|ERROR)")
_TAIL = re.compile(r"(?:(?<=\s)|^)(?:-?\d[\d.e+-]*|N/A|-?nan|-?inf)(?=\s|$)", re.I)
_GAP = re.compile(r"\S(\s{20,})\S")
_LONGEST_SIZE = 19  # digits
_SIDE = ("time", "algbw", "busbw", "wrong")
_GUESSED = tuple(  # layouts without a header, the usual first
    (root, sides, extra) for extra in (0, 4, 1, 5) for sides in (2, 1) for root in (True, False)
)


@dataclass(frozen=True, slots=True)
class Half:
    """Half a row as printed: GB/s, and a time in a unit that the table tells."""

    time: float
    algbw: float
    busbw: float
    wrong: float | None
    decimals: int


@dataclass(slots=True)
class Cells:
    """A row that may still lack its end."""

    size: int
    count: int
    type: str
    redop: str | None
    values: list[str]
    line: int
    gap: bool = False  # the first half was left blank
    root: int | None = None
    halves: list[Half | None] = field(default_factory=list)  # out of place, in place

    @property
    def key(self) -> tuple[str, str | None, int | None]:
        return self.type, self.redop, self.root


def start_of_row(text: str, line: int) -> Cells | None:
    """The row that begins in this line, None if none does."""
    if "|" in text:
        text = text.replace("|", " ")
    found = _START.search(text)
    if found is None:
        return None
    rest = text[found.end() :]
    words = rest.split(None, 40)
    redop = None
    while words and words[0] == "...":
        words.pop(0)
    if words and _REDOP.fullmatch(words[0]):
        redop = words.pop(0).lower()
    values = _values(words, spliced=_LOG.search(rest) is not None)
    gap = len(values) > 1 and _GAP.search(rest) is not None
    return Cells(
        int(found[1]),
        int(found[2]),
        found[3],
        None if redop in (None, "none") else redop,
        values,
        line,
        gap,
    )


def short_row(text: str, names: tuple[str, ...], line: int) -> Cells | None:
    """A row of a table with only these columns; None for any other line."""
    words = text.replace("|", " ").split()
    if len(words) != len(names) or not words[0].isdecimal() or len(words[0]) > _LONGEST_SIZE:
        return None
    named = dict(zip(names, words, strict=True))
    half = _half([*(named[name] for name in _SIDE[:3]), named.get("wrong", "N/A")])
    size = int(words[0])
    if half is None or not is_consistent(size, half):
        return None
    return Cells(size, 0, "", None, words[1:], line, halves=[half, None])


def rest_of_row(text: str) -> list[str]:
    """Values at the end of a line: what is left of a row that another line broke."""
    values: list[str] = []
    for word in reversed(text[-400:].split()):
        if _TAIL.fullmatch(word) is None or len(values) > 20:
            break
        values.append(word)
    values.reverse()
    return values


def _values(words: Sequence[str], *, spliced: bool) -> list[str]:
    values = []
    for word in words:
        plain = word.strip("\"',;`")
        if _VALUE.fullmatch(plain):
            values.append(plain)
            continue
        glued = _GLUED.match(plain) if spliced else None
        if glued is not None and plain[glued.end() :][:1].isalpha():
            values.append(glued[0])
        break
    return values


def fill(cells: Cells, columns: tuple[str, ...] | None) -> bool:
    """Give the values to their columns; whether the row is whole.

    The column names win over the usual layouts unless time and bandwidth then contradict each
    other: a header may stand above rows of another version.

    Parameters
    ----------
    columns         names behind the type, as ``columns_of`` gives them; None if not known
    """
    named = None if columns is None else _first_fit(cells, _layouts_of(columns), most=None)
    found = named if named is not None and named.fits else None
    if found is None:
        found = _first_fit(cells, _GUESSED, most=2)
        found = found if found is not None and found.fits else named
    if found is None:
        return False
    cells.root = found.root
    halves = found.halves
    if len(halves) == 1:
        halves = [None, *halves] if cells.gap else [*halves, None]
    cells.halves = halves
    return True


@dataclass(frozen=True, slots=True)
class _Fit:
    root: int | None
    halves: list[Half | None]
    fits: bool  # time and bandwidth belong together


def _first_fit(
    cells: Cells, layouts: Sequence[tuple[bool, int, int]], most: int | None
) -> _Fit | None:
    """The first layout that holds together, else the first for which there are enough values.

    Parameters
    ----------
    most            values that may be left over; None: any number
    """
    first = None
    values = cells.values
    for root, sides, extra in layouts:
        need = root + sides * (4 + extra)
        if len(values) < need or (most is not None and len(values) > need + most):
            continue
        if root and _ROOT.fullmatch(values[0]) is None:
            continue
        halves = [_half(values[root + place * (4 + extra) :][:4]) for place in range(sides)]
        fits = all(half is None or is_consistent(cells.size, half) for half in halves)
        found = _Fit(int(values[0]) if root else None, halves, fits)
        if fits:
            return found
        first = first or found
    return first


@lru_cache(maxsize=64)
def _layouts_of(columns: tuple[str, ...]) -> Sequence[tuple[bool, int, int]]:
    root = "root" in columns
    sides = sum(name in ("time", "cputime") for name in columns)
    times = [place for place, name in enumerate(columns) if name in ("time", "cputime")]
    width = times[1] - times[0] if len(times) > 1 else 4
    extra = max(0, width - 4)
    known = [(root, 2, extra), (root, 1, extra)] if sides != 1 else [(root, 1, extra)]
    return known


def is_consistent(size: int, half: Half) -> bool:
    """Whether time and bandwidth belong together, in microseconds or milliseconds.

    Early versions leave the rank's own share out of the algorithm bandwidth: down to half of it.
    """
    if half.time <= 0:
        return half.algbw == 0
    for scale in (1e3, 1e6):
        rate = size / half.time / scale
        slack = 0.6 * 10.0**-half.decimals + 0.02 * rate
        if 0.45 * rate - slack <= half.algbw <= rate + slack:
            return True
    return False


def _half(values: Sequence[str]) -> Half | None:
    time, algbw, busbw = (number(value) for value in values[:3])
    if time is None or algbw is None or busbw is None or min(time, algbw, busbw) < 0:
        return None
    digits = values[2].lower().partition("e")[0].partition(".")[2]
    return Half(time, algbw, busbw, number(values[3].rstrip("*")), len(digits))


def number(text: str) -> float | None:
    """A finite number, None for N/A, nan and redacted cells."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
