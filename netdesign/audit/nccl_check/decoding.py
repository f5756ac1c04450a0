"""Bytes as text: what can be read, and one sentence about what cannot."""

from __future__ import annotations

import codecs
import re

from netdesign.errors import DesignError

LARGEST_FILE_BYTES = 10_000_000
_UTF_8 = "save it as UTF-8 text"
_UTF_16 = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_UTF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_LINE_ENDS = ("\r\n", "\r", "\x00", "\x85", "\u2028", "\u2029")
_BEGINNINGS = {
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"\x1f\x8b": "a gzip archive",
    b"PK\x03\x04": "a ZIP archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\x89PNG": "a picture",
    b"%PDF-": "a PDF document",
}
_CONTROL = bytes((*range(1, 8), *range(14, 27), *range(28, 32), 127))
_SAMPLE = 65_536
_FEWEST_CONTROL = 8
_MOST_CONTROL = 0.05  # of the bytes of a text; a compressed file has a tenth
_ENTRY = re.compile(rb"\s*[A-Za-z_][A-Za-z0-9_]*=")


def text_of(content: str | bytes, name: str) -> str:
    """The text, with every end of a line as a line feed.

    UTF-8, UTF-8 or UTF-16 with its mark, and NULs between the entries of an environment as in
    /proc/PID/environ are read; letters of other encodings are passed over.

    Raises
    ------
    DesignError     for what is too long or no text
    """
    if len(content) > LARGEST_FILE_BYTES:
        limit = f"give at most {LARGEST_FILE_BYTES:,} bytes"
        raise DesignError(name, len(content), "is too long to read", limit)
    text = content if isinstance(content, str) else _decoded(content, name)
    text = text.removeprefix("\ufeff")
    for end in _LINE_ENDS:
        text = text.replace(end, "\n")
    return text


def _decoded(content: bytes, name: str) -> str:
    if content.startswith(_UTF_32):
        raise DesignError(name, None, "is UTF-32, which is not read here", _UTF_8)
    for mark, encoding in _UTF_16:
        if content.startswith(mark):
            text = content[len(mark) :].decode(encoding, errors="replace")
            if not any(letter.isascii() and letter.isalnum() for letter in text):
                raise DesignError(name, None, "is marked as UTF-16 and holds no text", _UTF_8)
            return text
    for beginning, kind in _BEGINNINGS.items():
        if content.startswith(beginning):
            raise DesignError(name, None, f"is {kind}, not text", "give the text in it")
    if b"\x00" in content and not _is_environment(content):
        if _is_wide(content):
            raise DesignError(name, None, "looks like UTF-16 or UTF-32 without its mark", _UTF_8)
        raise DesignError(name, None, "holds NUL bytes: it is no text", "give a text file")
    sample = content[:_SAMPLE]
    control = len(sample) - len(sample.translate(None, _CONTROL))
    if control >= _FEWEST_CONTROL and control > _MOST_CONTROL * len(sample):
        raise DesignError(name, None, "is binary, not text", "give a text file")
    return content.decode("utf-8", errors="replace")


def _is_environment(content: bytes) -> bool:
    """Whether NULs part entries NAME=value, at least half of what is between them."""
    entries = [entry for entry in content.split(b"\x00") if entry]
    return 2 * sum(_ENTRY.match(entry) is not None for entry in entries) >= len(entries) > 0


def _is_wide(content: bytes) -> bool:
    """Whether nearly every second byte is NUL, as in UTF-16 of a text in English."""
    sample = content[:1000]
    halves = (sample[::2], sample[1::2])
    return any(len(half) > 1 and half.count(0) > 0.8 * len(half) for half in halves)
