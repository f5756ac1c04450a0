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
_PLAIN = bytes(range(32, 127)) + b"\t\n"
_BLANK = b" \t\r\n"
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])

_ESCAPE = re.compile(
    b"\x1b(?:"
    rb"\[[0-?]*[ -/]*[@-~]"  # colours and cursor
    rb"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # titles and links
    rb"|[@-Z\\-_]|\([0-9A-Z])"
)
_LAUNCHER = re.compile(  # mpirun --tag-output; of release 5 with the name of the job
    rb"\[(?:[\w.-]{1,200}@)?\d+,\d+\]<std(?:out|err|diag)>:?"
)
_ODD = re.compile("[\x80-\x9f\ufffd\ufeff]")

Bytes = bytes | bytearray | mmap.mmap


class Line(NamedTuple):
    """One line without colours, launcher prefixes and control characters."""

    number: int  # 1 and up, as an editor counts
    text: str  # without white space at its end; at most LONGEST_LINE characters
    cut: bool = False  # longer than that in the file


def clean(raw: bytes) -> str:
    """Text without colours, ``[1,0]<stdout>:`` wherever it stands, and control characters.

    Line feeds, carriage returns and tabs stay.
    """
    if b"\x1b" in raw:
        raw = _ESCAPE.sub(b"", raw)
    if b"<std" in raw:
        raw = _LAUNCHER.sub(b"", raw)
    text = raw.translate(None, _CONTROLS).decode("utf-8", "ignore")
    return text if text.isascii() else _ODD.sub("", text)


def share_of_noise(raw: bytes) -> float:
    """Which part of some bytes is of no text."""
    return 1 - len(clean(raw).encode()) / max(1, len(_ESCAPE.sub(b"", raw)))


def line_end(content: Bytes) -> bytes:
    """What ends the lines: a carriage return alone where the file knows no other end."""
    if content.find(b"\n") >= 0 or content.find(b"\r") < 0:
        return b"\n"
    return b"\r"


def lines_of(content: Bytes, skipped: Container[int] = ()) -> Iterator[Line]:
    """Every line; see `Document.lines`. Of blank lines by the megabyte, one a block."""
    for number, block in blocks_of(content, line_end(content)):
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
    for at, whole in enumerate(clean(block).split("\n"), number):
        if at in skipped:
            continue
        for text in whole.rstrip("\r").split("\r") if "\r" in whole else (whole,):
            cut = len(text) > LONGEST_LINE
            yield Line(at, text[:LONGEST_LINE].rstrip() if cut else text.rstrip(), cut)


def blocks_of(content: Bytes, end: bytes) -> Iterator[tuple[int, bytes]]:
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
        if len(rest) > BLOCK:
            rest = rest.replace(b"\0", b"")  # a hole that the rotation of a log left
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
