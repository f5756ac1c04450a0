"""What a number may be: a Python scalar or a NumPy array that broadcasts with the others."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Numeric: TypeAlias = float | Array


def as_float(value: Numeric) -> float:
    """The single number in ``value``; an array of more than one element is an error."""
    return float(np.asarray(value).reshape(()))
