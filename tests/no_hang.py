"""A test that reads hostile input must end; how fast it is stands in the benchmarks."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE_S = 60  # far beyond any sound run, also on a busy machine


@contextmanager
def no_hang() -> Iterator[None]:
    """Fail what does not end."""

    def give_up(*_: Any) -> None:
        raise AssertionError(f"did not end within {PATIENCE_S} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
