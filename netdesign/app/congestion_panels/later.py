"""Work for the idle time after a control stops: piece by piece, dropped at any change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

FIRST_S, BETWEEN_S = 0.5, 0.01


class Later:
    """Runs an iterator piece by piece on the kernel's event loop; nothing where there is none."""

    def __init__(self) -> None:
        self._pieces: Iterator[None] | None = None
        self._handle: asyncio.TimerHandle | None = None

    def start(self, pieces: Iterator[None], *, wait_s: float = FIRST_S) -> None:
        """Drop what was under way, and begin these when the page has been still for a while."""
        self.stop()
        self._pieces = pieces
        self._next(wait_s)

    def stop(self) -> None:
        """Drop what is under way."""
        if self._handle is not None:
            self._handle.cancel()
        self._pieces = self._handle = None

    def finish(self) -> None:
        """Do all that is left now."""
        pieces, self._pieces = self._pieces, None
        for _ in pieces or ():
            pass

    def _next(self, wait_s: float) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        self._handle = loop.call_later(wait_s, self._step)

    def _step(self) -> None:
        if self._pieces is None:
            return
        for _ in self._pieces:
            self._next(BETWEEN_S)
            return
        self._pieces = None
