"""Lines of a log cut into NCCL's messages, however they were written into one another.

Source: NVIDIA/nccl, src/debug.cc (``host:pid:tid [dev] NCCL INFO``).
"""

from __future__ import annotations

from typing import NamedTuple

_MOST_CACHED = 100_000
_LONGEST_PREFIX = 300
_MARKS = ("NCCL INFO ", "NCCL WARN ", "NCCL TRACE ")
_OF_A_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-<>*")


class Message(NamedTuple):
    """One message of NCCL."""

    host: str  # "" where the line was cut before it
    level: str  # INFO, WARN, TRACE
    text: str
    whole: bool = True  # not run into by another one


class Splitter:
    """Finds messages; remembers the prefixes that it has seen."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def first(self, text: str) -> tuple[Message | None, bool]:
        """The message of a line; also whether there are more in it."""
        place, mark = _mark(text, 0)
        if place < 0:
            return None, False
        body = text[place + len(mark) :]
        message = Message(self._host(text[:place]), mark[5:-1], body)
        return message, "NCCL " in body and _mark(body, 0)[0] >= 0

    def _host(self, prefix: str) -> str:
        if len(prefix) > _LONGEST_PREFIX:
            prefix = prefix[-_LONGEST_PREFIX:]
        known = self._seen.get(prefix)
        if known is None:
            start, end = origin(prefix)
            known = prefix[start:end]
            if len(self._seen) < _MOST_CACHED:
                self._seen[prefix] = known
        return known

    def all(self, text: str) -> list[Message]:
        """All messages of a line into which several were written."""
        messages: list[Message] = []
        place, mark = _mark(text, 0)
        host = self._host(text[:place]) if place >= 0 else ""
        while place >= 0:
            start = place + len(mark)
            level = mark[5:-1]
            place, mark = _mark(text, start)
            if place < 0:
                messages.append(Message(host, level, text[start:]))
                break
            between = text[max(start, place - _LONGEST_PREFIX) : place]
            first, last = origin(between)
            end = place - len(between) + first if last else place
            messages.append(Message(host, level, text[start:end], whole=False))
            host = between[first:last]
        return messages


def _mark(text: str, start: int) -> tuple[int, str]:
    """Where the next message begins, and how; -1 if there is none."""
    place = text.find("NCCL ", start)
    while place >= 0:
        for mark in _MARKS:
            if text.startswith(mark, place):
                return place, mark
        place = text.find("NCCL ", place + 5)
    return -1, ""


def origin(prefix: str) -> tuple[int, int]:
    """Start and end of the host's name in ``host:pid:tid [dev] ...``; (0, 0) if it is not there."""
    head = prefix[: prefix.rfind(" [")] if " [" in prefix else prefix.rstrip()
    rest, _, thread = head.rpartition(":")
    name, _, process = rest.rpartition(":")
    if not (name and thread.isdecimal() and process.isdecimal()):
        return 0, 0
    start = len(name)
    while start and name[start - 1] in _OF_A_NAME:
        start -= 1
    if start > 3 and name[start - 4] in "+-" and name[start - 1] == ":":
        zone = name[start - 3 : start - 1] + name[start : start + 2]  # a time runs into the name
        start += 2 if zone.isdecimal() and len(zone) == 4 else 0
    return (start, len(name)) if start < len(name) else (0, 0)
