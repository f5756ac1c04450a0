"""Which numbers may stand in JSON? It has neither infinity nor NaN."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> float | None:
    """A number that JSON can hold; None for a missing one and for one without bound."""
    return float(value) if value is not None and math.isfinite(value) else None
