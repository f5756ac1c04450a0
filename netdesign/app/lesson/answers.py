"""Is an answer right, and if not, which mistake does it look like? No widgets here."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from netdesign import units
from netdesign.errors import DesignError, shown

Quantity = Literal["time", "bandwidth"]

LONGEST_ANSWER = 40
FAR_OFF = 30.0  # an answer this many times too large or too small is a matter of units

# The first unit of each quantity is the one that is offered.
UNITS: Mapping[str, Mapping[str, Callable[[float], float]]] = MappingProxyType(
    {
        "time": MappingProxyType(
            {
                "s": float,
                "ms": units.milliseconds_to_seconds,
                "µs": units.microseconds_to_seconds,
            }
        ),
        "bandwidth": MappingProxyType(
            {
                "Gb/s": units.gbps_to_bytes_per_second,
                "GB/s": units.gigabytes_to_bytes,
            }
        ),
    }
)
_COMMA_AS_POINT = re.compile(r"^\d+,\d{1,2}$|^\d+,\d{4,}$|^0,\d+$")
_TOO = {
    "time": ("That is too short", "That is too long"),
    "bandwidth": ("That is too slow", "That is too fast"),
}


@dataclass(frozen=True)
class Mistake:
    """A wrong way to an answer: what it gives (SI), and what to say about it."""

    value: float
    feedback: str


@dataclass(frozen=True)
class Exercise:
    """A question with one number as its answer; all values SI."""

    title: str
    question: str
    quantity: Quantity
    answer: float
    tolerance: float  # relative
    praise: str  # why the answer is right
    hint: str
    solution: str
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What to tell the reader."""

    right: bool
    sentence: str


def read_number(text: str) -> float:
    """A positive number as people type it: 0.56, .56, 1,200, 0,56 or 5.6e-1.

    Raises
    ------
    DesignError     saying what would be right
    """
    typed = text.strip()[: LONGEST_ANSWER + 1]
    hint = "type a number above zero, such as 0.75"
    plain = typed.replace("\u00a0", "").replace(" ", "")
    plain = plain.replace(",", ".") if _COMMA_AS_POINT.match(plain) else plain.replace(",", "")
    if not plain:
        raise DesignError("answer", "", "is blank", hint)
    try:
        value = float(plain) if len(typed) <= LONGEST_ANSWER and "_" not in plain else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value <= 0:
        raise DesignError("answer", typed, "is not a number above zero", hint)
    return value


def read_answer(text: str, quantity: Quantity, unit: str) -> float:
    """An answer in SI units, from what was typed and the unit chosen beside it.

    Raises
    ------
    DesignError     saying what would be right
    """
    try:
        to_si = UNITS[quantity][unit]
    except KeyError:
        known = ", ".join(UNITS[quantity])
        raise DesignError("unit", unit, "does not fit the question", f"one of {known}") from None
    return to_si(read_number(text))


def complaint(error: DesignError) -> str:
    """What is wrong with an answer, without the name of the field."""
    if error.value == "":
        return f"Please {error.hint}."
    return f"{shown(error.value)} {error.reason}; {error.hint}."


def close(value: float, other: float, tolerance: float) -> bool:
    """Whether two positive numbers are the same within a relative tolerance."""
    return abs(value - other) <= tolerance * other


def judge(exercise: Exercise, value: float) -> Verdict:
    """Right within the tolerance; else the nearest known mistake; else too much or too little."""
    if close(value, exercise.answer, exercise.tolerance):
        return Verdict(True, f"Right. {exercise.praise}")
    known = [m for m in exercise.mistakes if close(value, m.value, exercise.tolerance)]
    if known:
        nearest = min(known, key=lambda mistake: abs(value - mistake.value))
        return Verdict(False, f"Not yet. {nearest.feedback}")
    less, more = _TOO[exercise.quantity]
    sentence = less if value < exercise.answer else more
    ratio = max(value / exercise.answer, exercise.answer / value)
    if ratio > FAR_OFF:
        return Verdict(False, f"Not yet. {sentence} by far: check units and powers of ten.")
    return Verdict(False, f"Not yet. {sentence}. {exercise.hint}")
