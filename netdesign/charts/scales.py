"""Axis ends that stand still while a slider moves: they go up in steps of 1, 1.5, 2, 3, 5, 7.5."""

from __future__ import annotations

import math

_STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0)


def nice_ceiling(value: float) -> float:
    """The next round number at or above a positive value; 1 for zero and for no number."""
    if not math.isfinite(value) or value <= 0:
        return 1.0
    magnitude = 10.0 ** math.floor(math.log10(value))
    for step in _STEPS:
        if value <= step * magnitude * (1 + 1e-9):
            return float(f"{step * magnitude:.6g}")
    return 10.0 * magnitude
