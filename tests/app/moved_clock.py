"""A clock that a test moves."""

from __future__ import annotations


class Clock:
    """A clock that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now
