"""A Studio without a browser, and a clock that a test moves."""

from __future__ import annotations

import pytest

from netdesign.app.studio import Studio


class Clock:
    """A clock that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def studio(clock: Clock) -> Studio:
    return Studio(clock=clock)
