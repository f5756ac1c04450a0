"""A Studio without a browser."""

from __future__ import annotations

import pytest
from moved_clock import Clock

from netdesign.app.studio import Studio


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def studio(clock: Clock) -> Studio:
    return Studio(clock=clock)
