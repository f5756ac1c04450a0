"""A file as numbered lines of text, whatever its encoding, its size and its noise.

Lines are read again on every pass, so that a log of gigabytes never stands in memory as text.
"""

from __future__ import annotations

import codecs
import io
import mmap
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from netdesign.errors import DesignError

LONGEST_LINE = 65_536  # characters of a line that a reader sees
LARGEST_TEXT = 256 * 2**20  # bytes of a file that is taken as one text (JSON, YAML)
_BLOCK = 1 << 20
_SAMPLE = 4096

_ESCAPE = re.compile(
    "\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # colours and cursor
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles and links
    r"|[@-Z\\-_]|\([0-9A-Z])"
)
_LAUNCHER = re.compile(r"\[\d+,\d+\]<std(?:out|err|diag)>:?")  # mpirun --tag-output
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd\ufeff]")
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffd\ufeff]|<std")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Line(NamedTuple):
    """One line without colours, launcher prefixes and control characters."""

    number: int  # 1 and up, as an editor counts
    text: str  # without white space at its end; at most LONGEST_LINE characters
    cut: bool = False  # longer than that in the file


@dataclass(frozen=True, eq=False)
class Document:
    """A file; ``content`` is its bytes in UTF-8, or in something near to it."""

    name: str  # what a person calls it, without its folder
    content: bytes | mmap.mmap

    def lines(self) -> Iterator[Line]:
        """Every line, also the blank ones; parts of a line between carriage returns in turn."""
        for number, raw in _split(self.content):
            cut = len(raw) > LONGEST_LINE
            text = raw[: LONGEST_LINE * 4 if cut else None].decode("utf-8", "replace")
            if _SUSPECT.search(text) is None:
                yield Line(number, text.rstrip()[:LONGEST_LINE], cut)
                continue
            for part in text.rstrip("\r\n").split("\r"):
                yield Line(number, clean(part)[:LONGEST_LINE], cut)

    def text(self) -> str:
        """All of it as one text, cleaned line by line.

        Raises
        ------
        DesignError     when the file is too large to be taken whole
        """
        if len(self.content) > LARGEST_TEXT:
            limit = LARGEST_TEXT // 2**20
            raise DesignError(
                self.name, None, "is too large to be read whole", f"give at most {limit} MiB"
            )
        whole = bytes(self.content).decode("utf-8", "replace")
        return "\n".join(clean(line) for line in whole.splitlines())

    def has(self, needle: bytes) -> int:
        """Where these bytes stand first, -1 if nowhere."""
        return self.content.find(needle)

    def line_at(self, place: int) -> str:
        """The cleaned line around a byte."""
        start = self.content.rfind(b"\n", max(0, place - LONGEST_LINE), place) + 1
        end = self.content.find(b"\n", place, place + LONGEST_LINE)
        end = min(len(self.content), place + LONGEST_LINE) if end < 0 else end
        return clean(
            bytes(self.content[max(start, place - LONGEST_LINE) : end]).decode("utf-8", "replace")
        )

    @property
    def is_noise(self) -> bool:
        """Whether the start of it is not text at all."""
        sample = bytes(self.content[:_SAMPLE]).decode("utf-8", "replace")
        odd = len(_CONTROL.findall(_ESCAPE.sub("", sample)))
        return odd > 0.3 * max(1, len(sample))


def clean(text: str) -> str:
    """A line without colours, ``[1,0]<stdout>:`` wherever it stands, and control characters."""
    without = _LAUNCHER.sub("", _ESCAPE.sub("", text))
    return _CONTROL.sub("", without).rstrip()


def open_document(path: Path) -> Document:
    """A file on disk.

    Raises
    ------
    DesignError     when it cannot be read
    """
    name = path.name
    try:
        with path.open("rb") as file:
            start = file.read(_SAMPLE)
            if _encoding(start) == "utf-8" and path.stat().st_size > _BLOCK:
                return Document(name, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            return document_of(name, start + file.read())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise DesignError(name, None, "cannot be read", reason or "give another file") from error


def document_of(name: str, content: bytes | str) -> Document:
    """A document of bytes or text that are at hand."""
    if isinstance(content, str):
        return Document(name, content.encode("utf-8", "replace"))
    encoding = _encoding(content[:_SAMPLE])
    if encoding == "utf-8":
        return Document(name, content)
    return Document(name, content.decode(encoding, "replace").encode("utf-8", "replace"))


def _encoding(start: bytes) -> str:
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return encoding
    pairs = len(start) // 2
    if pairs > 8:
        if start[1::2].count(0) > 0.4 * pairs and start[0::2].count(0) < 0.05 * pairs:
            return "utf-16-le"
        if start[0::2].count(0) > 0.4 * pairs and start[1::2].count(0) < 0.05 * pairs:
            return "utf-16-be"
    return "utf-8"


def _split(content: bytes | mmap.mmap) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; a line of many megabytes comes as its start alone."""
    if isinstance(content, bytes):
        yield from enumerate(io.BytesIO(content), 1)
        return
    number, place, size = 1, 0, len(content)
    rest = b""
    while place < size:
        block = rest + content[place : place + _BLOCK]
        place += _BLOCK
        pieces = block.split(b"\n")
        rest = pieces.pop()
        for piece in pieces:
            yield number, piece
            number += 1
        if len(rest) > _BLOCK:  # keep what a reader sees, and look for the end of the line
            end = content.find(b"\n", place)
            yield number, rest
            number += 1
            rest, place = b"", size if end < 0 else end + 1
    if rest:
        yield number, rest
