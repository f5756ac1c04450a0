"""A file as numbered lines of text, whatever its encoding, its size and its noise.

Lines are read again on every pass, so that a log of gigabytes never stands in memory as text.
"""

from __future__ import annotations

import codecs
import mmap
import stat
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

from netdesign.audit.line_split import (
    BLOCK,
    LONGEST_LINE,
    Bytes,
    Line,
    blocks_of,
    clean,
    line_end,
    lines_of,
    share_of_noise,
)
from netdesign.audit.triples import Triples, may_hold, triples_of
from netdesign.errors import DesignError

__all__ = ["LARGEST_TEXT", "LONGEST_LINE", "Document", "Line", "clean"]

LARGEST_TEXT = 64 * 2**20  # bytes of a file that is taken as one text (JSON, YAML)
_SAMPLE = 4096
_SMALL = 1 << 16
_TEARING = (b"\x1b", b"<std", b"\0")
_NOISE = 0.3  # share of characters that are of no text
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, eq=False)
class Document:
    """A file; ``content`` is its bytes in UTF-8, or in something near to it."""

    name: str  # what a person calls it, without its folder
    content: Bytes

    def lines(self, skipped: Container[int] = ()) -> Iterator[Line]:
        """Every line, also the blank ones; parts of a line between carriage returns in turn.

        Lines whose numbers are in ``skipped`` are passed over.
        """
        return lines_of(self.content, skipped)

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
        whole = bytes(self.content).replace(b"\r\n", b"\n")
        if line_end(whole) == b"\r":
            whole = whole.replace(b"\r", b"\n")
        return clean(whole)

    def has(self, needle: bytes) -> int:
        """Where these bytes stand first, -1 if nowhere."""
        if self._triples is not None and not may_hold(self._triples, needle):
            return -1
        return self.sought.find(needle)

    @cached_property
    def sought(self) -> Bytes:
        """What is searched: the content, without the colours and prefixes that may tear a word."""
        if all(self.content.find(mark) < 0 for mark in _TEARING):
            return self.content
        cleaned = bytearray()
        for _, block in blocks_of(self.content, self._line_end):
            cleaned += clean(block).encode()
            cleaned += b"\n"
        return cleaned

    @cached_property
    def _triples(self) -> Triples | None:
        """Which three bytes stand in it; None of a small file, where nothing is gained."""
        return triples_of(self.sought) if len(self.sought) > _SMALL else None

    def line_around(self, place: int) -> tuple[str, int]:
        """The line around a place in what is searched, and its end; of a long one, what is near."""
        sought, mark = self.sought, self._line_end if self.sought is self.content else b"\n"
        first = max(0, place - LONGEST_LINE)
        start = sought.rfind(mark, first, place)
        end = sought.find(mark, place, place + LONGEST_LINE)
        if end < 0:
            end = min(len(sought), place + LONGEST_LINE)
        return clean(bytes(sought[first if start < 0 else start + 1 : end])).rstrip(), end

    @cached_property
    def _line_end(self) -> bytes:
        return line_end(self.content)

    @property
    def is_noise(self) -> bool:
        """Whether the start of it is not text at all."""
        return share_of_noise(bytes(self.content[:_SAMPLE])) > _NOISE


def open_document(path: Path, name: str | None = None) -> Document:
    """A file on disk, called by its own name if no other is given.

    Raises
    ------
    DesignError     when it cannot be read
    """
    name = (path.name if name is None else name).encode("utf-8", "replace").decode()
    try:
        status = path.stat()
        if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
            raise DesignError(name, None, "cannot be read", "it is a device, give a file")
        with path.open("rb") as file:
            start = file.read(_SAMPLE)
            encoding = _encoding(start)
            if encoding == "utf-8" and stat.S_ISREG(status.st_mode) and status.st_size > BLOCK:
                return Document(name, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            if encoding == "utf-8":
                return Document(name, start + file.read())
            rest = iter(partial(file.read, BLOCK), b"")
            return Document(name, _as_utf8(chain([start], rest), encoding))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = (reason or "give another file").lower()
        raise DesignError(name, None, "cannot be read", hint) from error


def document_of(name: str, content: bytes | str) -> Document:
    """A document of bytes or text that are at hand."""
    if isinstance(content, str):
        return Document(name, content.encode("utf-8", "replace"))
    encoding = _encoding(content[:_SAMPLE])
    if encoding == "utf-8":
        return Document(name, content)
    places = range(0, len(content), BLOCK)
    return Document(name, _as_utf8((content[at : at + BLOCK] for at in places), encoding))


def _as_utf8(blocks: Iterable[bytes], encoding: str) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    pieces = [decoder.decode(block).encode("utf-8", "replace") for block in blocks]
    return b"".join([*pieces, decoder.decode(b"", True).encode("utf-8", "replace")])


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
