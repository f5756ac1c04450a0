"""Communicators that begin to initialise, and those that come to the end of it."""

from __future__ import annotations

import re

from netdesign.audit.nccl_log.messages import Message

MOST_OPEN = 50_000  # initialisations that are kept
_WHO = re.compile(r"(?:comm (0x[0-9a-f]{1,16}) )?rank (\d{1,7}) n[rR]anks (\d{1,7})")
_Key = tuple[str, str, int]


class Starts:
    """Takes messages that say ``Init START`` or ``Init COMPLETE``."""

    def __init__(self) -> None:
        self._open: dict[_Key, None] = {}
        self.completed = 0

    def take(self, message: Message) -> None:
        """Use one message, if it is one of the two."""
        text = message.text
        done = "Init COMPLETE" in text
        if not done and "Init START" not in text:
            return
        found = _WHO.search(text)
        if found is None:
            return
        key = (message.host, found[1] or "", int(found[2]))
        if done:
            self.completed += 1
            self._open.pop(key, None)
        elif len(self._open) < MOST_OPEN:
            self._open[key] = None

    def unfinished(self) -> dict[str, tuple[int, ...]]:
        """By host, the ranks that begin and are not seen to end."""
        ranks: dict[str, set[int]] = {}
        for host, _, rank in self._open:
            ranks.setdefault(host, set()).add(rank)
        return {host: tuple(sorted(some)) for host, some in ranks.items()}
