"""One setting for every property test: the same examples in every run, and no clock."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("netdesign", deadline=None, derandomize=True)
settings.load_profile("netdesign")
