"""Bytes cut into lines, a block at a time; a line of many megabytes never stands there whole.

Most blocks of a log are plain letters: they are decoded and cut at once, which is what makes a
pass over 100 MB take about a second.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Container, Iterator
from typing import NamedTuple

LONGEST_LINE = 65_536  # characters of a line that a reader sees
BLOCK = 1 << 20
_MOST_BYTES = 4 * LONGEST_LINE  # of a line that are decoded
_PLAIN = bytes(range(32, 127)) + b"\t\n"
_BLANK = b" \t\r\n"

_ESCAPE = re.compile(
    "\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # colours and cursor
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and links
    r"|[@-Z\\-_]|\([0-9A-Z])"
)
_LAUNCHER = re.compile(  # mpirun --tag-output; of release 5 with the name of the job
    r"\[(?:[\w.-]{1,200}@)?\d+,\d+\]<std(?:out|err|diag)>:?"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd\ufeff]")
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd\ufeff]|<std")

Bytes = bytes | mmap.mmap


class Line(NamedTuple):
    """One line without colours, launcher prefixes and control characters."""

    number: int  # 1 and up, as an editor counts
    text: str  # without white space at its end; at most LONGEST_LINE characters
    cut: bool = False  # longer than that in the file


def clean(text: str) -> str:
    """A line without colours, ``[1,0]<stdout>:`` wherever it stands, and control characters."""
    if _SUSPECT.search(text) is None:
        return text.rstrip()
    without = _LAUNCHER.sub("", _ESCAPE.sub("", text))
    return _CONTROL.sub("", without).rstrip()


def share_of_noise(text: str) -> float:
    """Which part of the characters is of no text."""
    return len(_CONTROL.findall(_ESCAPE.sub("", text))) / max(1, len(text))


def line_end(content: Bytes) -> bytes:
    """What ends the lines: a carriage return alone where the file knows no other end."""
    if content.find(b"\n") >= 0 or content.find(b"\r") < 0:
        return b"\n"
    return b"\r"


def lines_of(content: Bytes, skipped: Container[int] = ()) -> Iterator[Line]:
    """Every line; see `Document.lines`. Of blank lines by the megabyte, one a block."""
    for number, block in _blocks(content, line_end(content)):
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if len(block) > LONGEST_LINE and not block.strip(_BLANK):
            yield Line(number, "")
        elif block.translate(None, _PLAIN) or b"<std" in block:
            yield from _cleaned(number, block, skipped)
        else:
            for at, text in enumerate(block.decode("ascii").split("\n"), number):
                if at not in skipped:
                    cut = len(text) > LONGEST_LINE
                    yield Line(at, text[:LONGEST_LINE].rstrip() if cut else text.rstrip(), cut)


def _cleaned(number: int, block: bytes, skipped: Container[int]) -> Iterator[Line]:
    for at, raw in enumerate(block.split(b"\n"), number):
        if at in skipped:
            continue
        for part in raw.rstrip(b"\r").split(b"\r") if b"\r" in raw else (raw,):
            text = part[:_MOST_BYTES].decode("utf-8", "replace")
            cut = len(text) > LONGEST_LINE or len(part) > _MOST_BYTES
            text = clean(text)
            yield Line(at, text[:LONGEST_LINE].rstrip() if cut else text, cut)


def _blocks(content: Bytes, end: bytes) -> Iterator[tuple[int, bytes]]:
    """Whole lines, joined by line feeds, with the number of the first one.

    Of a line longer than a block: its parts between carriage returns, or its start alone.
    """
    number, place, size = 1, 0, len(content)
    rest = b""
    while place < size:
        block = rest + content[place : place + BLOCK]
        place += BLOCK
        whole, found, rest = block.rpartition(end)
        if found:
            yield number, whole if end == b"\n" else whole.replace(end, b"\n")
            number += whole.count(end) + 1
        if len(rest) <= BLOCK:
            continue
        parts, found, tail = rest.rpartition(b"\r")
        if found:
            yield number, parts
            rest = tail
            continue
        yield number, rest
        number += 1
        next_end = content.find(end, place)
        rest, place = b"", size if next_end < 0 else next_end + 1
    if rest:
        yield number, rest
