"""Slurm's hostlist expressions: ``n[001-003,7],m5`` and ``rack[1-2]n[0-3]``.

A comma outside brackets starts a new name, with nothing of the one before it. The width of a
range's first number is kept; several brackets multiply. The limits are those of Slurm's own
``hostlist.c``, which also refuses text behind the last bracket.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

MOST_IN_RANGE = 64 * 1024  # MAX_RANGE and MAX_PREFIX_CNT of hostlist.c
_DIGITS = "0123456789"
_MOST_DIGITS = 18  # of a number in a name that is still a number of a sequence


@dataclass(frozen=True, slots=True)
class Hostlist:
    """Names in their order, and what could not be read as a name."""

    names: tuple[str, ...]
    faults: tuple[str, ...] = ()  # reasons, each with the text that it is about
    is_cut: bool = False  # names were left out: more than Slurm takes
    is_full: bool = False  # names were left out: more than were asked for


class _FullError(Exception):
    """An item has more names than are still wanted."""


def expand(text: str, most: int) -> Hostlist:
    """The names of an expression, at most ``most`` of them."""
    if "[" not in text and "]" not in text:
        plain = tuple(filter(None, text.replace(",", " ").replace("\t", " ").split(" ")))
        return Hostlist(plain[: max(0, most)], is_full=len(plain) > most)
    names: list[str] = []
    faults: list[str] = []
    is_cut = is_full = False
    for item in _items(text):
        try:
            found, fault, too_large = _expand_item(item, most - len(names))
        except _FullError:
            is_full = True
            continue
        names += found
        is_cut = is_cut or too_large
        if fault and len(faults) < 5:
            faults.append(fault)
    return Hostlist(tuple(names), tuple(faults), is_cut, is_full)


def _items(text: str) -> Iterator[str]:
    """Parts between commas and white space outside brackets."""
    opened = text.find("[")
    if opened == text.rfind("[") and text.find("]") == len(text) - 1:
        before, mark, last = text[:opened].replace("\t", ",").replace(" ", ",").rpartition(",")
        yield from filter(None, before.split(","))
        yield text[len(before) + len(mark) :]
        return
    start = depth = 0
    for place, letter in enumerate(text):
        if letter == "[":
            depth += 1
        elif letter == "]":
            depth = max(0, depth - 1)
        elif depth == 0 and letter in ", \t":
            if place > start:
                yield text[start:place]
            start = place + 1
    if len(text) > start:
        yield text[start:]


def _expand_item(item: str, most: int) -> tuple[list[str], str, bool]:
    """Names of one item, what is wrong with it, and whether it is more than Slurm takes.

    Raises
    ------
    _FullError          when it has more than ``most`` names
    """
    shown = item if len(item) <= 60 else item[:57] + "..."
    names = [""]
    rest = item
    fault = ""
    while rest:
        literal, bracket, after = rest.partition("[")
        if "]" in literal:
            return [], f"{shown}: a bracket is closed that was not opened", False
        if len(names) > most:
            raise _FullError
        if literal:
            names = [name + literal for name in names]
        if not bracket:
            if literal and literal is not item and "[" in item:
                fault = f"{shown}: Slurm refuses text behind the last bracket"
            break
        inside, closing, rest = after.partition("]")
        if not closing:
            return [], f"{shown}: the bracket is not closed", False
        if len(names) > MOST_IN_RANGE:
            reason = f"{len(names):,} names before its last bracket"
            return [], f"{shown}: too large, {reason}, Slurm allows {MOST_IN_RANGE:,}", True
        numbers, reason, too_large = _numbers(inside, most // max(1, len(names)))
        if too_large:
            return [], f"{shown}: too large, {reason}", True
        if reason:
            fault = f"{shown}: {reason}"
        names = [name + number for name in names for number in numbers]
    if len(names) > most:
        raise _FullError
    return names, fault, False


def _numbers(inside: str, most: int) -> tuple[list[str], str, bool]:
    """The numbers between two brackets as they are written."""
    numbers: list[str] = []
    reason = ""
    for part in inside.split(","):
        first, dash, last = part.strip().partition("-")
        if not (_is_number(first) and (not dash or _is_number(last))):
            reason = (
                f"[{inside[:30]}] holds {part[:20] or 'nothing'!r}, which is no number or range"
            )
            continue
        low, high = int(first), int(last or first)
        if high < low:
            reason = f"the range {part[:30]} runs backwards"
            continue
        if high - low >= MOST_IN_RANGE:
            size = f"{high - low + 1:,}" if len(last) <= _MOST_DIGITS else "far too many"
            return [], f"{size} names in a range, Slurm allows {MOST_IN_RANGE:,}", True
        if len(numbers) + high - low + 1 > most:
            raise _FullError
        if not dash:
            numbers.append(first)
            continue
        width = len(first)
        numbers += [f"{number:0{width}d}" for number in range(low, high + 1)]
    return numbers, reason, False


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 40


class Numbered(NamedTuple):
    """A name as a member of a sequence: ``gpu`` 7 ``-ib``."""

    prefix: str
    number: int
    suffix: str
    width: int  # digits as written


def numbered(name: str) -> Numbered | None:
    """A name by its last number; None where it has none."""
    end = len(name)
    while end and not "0" <= name[end - 1] <= "9":
        end -= 1
    digits = name if end == len(name) else name[:end]
    start = len(digits.rstrip(_DIGITS))
    if start == end or end - start > _MOST_DIGITS:
        return None
    return Numbered(name[:start], int(name[start:end]), name[end:], end - start)


def fold(names: Iterable[str], most: int = 12) -> str:
    """Names as a hostlist, in the order of their numbers, at most ``most`` pieces of it."""
    names = tuple(names)
    if len(names) == 1:
        return names[0]
    pieces: list[str] = []
    families: dict[tuple[str, str, int], list[int]] = {}
    for name in names:
        part = numbered(name)
        if part is None:
            pieces.append(name)
            continue
        is_padded = part.width > len(str(part.number))
        key = (part.prefix, part.suffix, part.width if is_padded else 0)
        families.setdefault(key, []).append(part.number)
    for (prefix, suffix, width), numbers in _padded_together(families).items():
        pieces += _folded(prefix, suffix, width, sorted(set(numbers)))
    if len(pieces) > most:
        return ",".join(pieces[:most]) + f" and {len(pieces) - most} more"
    return ",".join(pieces)


def _padded_together(
    families: dict[tuple[str, str, int], list[int]],
) -> dict[tuple[str, str, int], list[int]]:
    """``n09`` and ``n10`` are of one family: the second has the width without a leading zero."""
    merged: dict[tuple[str, str, int], list[int]] = {}
    widths: dict[tuple[str, str], list[int]] = {}
    for prefix, suffix, width in families:
        if width:
            widths.setdefault((prefix, suffix), []).append(width)
    for (prefix, suffix, width), numbers in families.items():
        for number in numbers:
            fits = width
            if not width and len(str(number)) in widths.get((prefix, suffix), ()):
                fits = len(str(number))
            merged.setdefault((prefix, suffix, fits), []).append(number)
    return merged


def _folded(prefix: str, suffix: str, width: int, numbers: list[int]) -> list[str]:
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    texts = [
        str(low).zfill(width)
        if low == high
        else f"{str(low).zfill(width)}-{str(high).zfill(width)}"
        for low, high in runs
    ]
    if len(texts) == 1 and "-" not in texts[0]:
        return [f"{prefix}{texts[0]}{suffix}"]
    shown = texts if len(texts) <= 24 else [*texts[:24], "..."]
    return [f"{prefix}[{','.join(shown)}]{suffix}"]
