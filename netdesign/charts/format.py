"""How a number is said to a person: three digits, a unit that fits, and nothing else.

The one place where SI numbers of an Evaluation become text. Every function returns a
:class:`Said` (number and unit apart, so that a page can align them); ``str()`` joins them with a
space that does not break.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from netdesign import units

SPACE = "\u00a0"
NOTHING = "–"
_SMALLEST_SHOWN = 1e-12


class Said(NamedTuple):
    """A number and its unit, as text."""

    number: str
    unit: str

    def __str__(self) -> str:
        return f"{self.number}{SPACE}{self.unit}" if self.unit else self.number


def digits(value: Any, significant: int = 3) -> str:
    """A number to three significant digits, thousands with commas: 0.0123, 1.23, 12.3, 1,234."""
    if value is None or math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) < _SMALLEST_SHOWN:
        return "0"
    rounded = float(f"{value:.{significant}g}")
    if abs(rounded) >= 10**significant:
        return f"{value:,.0f}"
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def _scaled(value: Any, steps: Sequence[tuple[float, str]]) -> Said:
    """The number in the largest unit that leaves at least 1 of it."""
    if value is None or math.isnan(value):
        return Said(NOTHING, "")
    if math.isinf(value):
        return Said(digits(value), steps[0][1])
    for factor, unit in steps:
        if abs(float(f"{value / factor:.3g}")) >= 1:
            return Said(digits(value / factor), unit)
    factor, unit = steps[-1]
    return Said(digits(value / factor), unit)


def count(value: Any) -> str:
    """A whole number with commas: 16,384."""
    if value is None or math.isnan(value) or math.isinf(value):
        return digits(value)
    return f"{value:,.0f}"


def seconds(value: Any) -> Said:
    """A time of a step or shorter: s, ms or µs."""
    if value == 0:
        return Said("0", "s")
    return _scaled(value, ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")))


def milliseconds(value: Any) -> str:
    """A time in ms, for a column that has its unit in the head."""
    return digits(units.seconds_to_milliseconds(value))


def days(value: Any) -> Said:
    """The length of a training run given in days: hours below two, years above a thousand."""
    if value is not None and value < 2:
        return Said(digits(value * units.HOURS_PER_DAY), "hours")
    if value is not None and math.isfinite(value) and value > 1000:
        return Said(digits(value / units.DAYS_PER_YEAR), "years")
    return Said(digits(value), "days")


def size(value: Any) -> Said:
    """Bytes, decimal units."""
    return _scaled(
        value,
        ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")),
    )


def gigabytes(value: Any) -> str:
    """Bytes in GB, for a column that has its unit in the head."""
    return digits(units.bytes_to_gigabytes(value))


def gigabits_per_second(value: Any) -> str:
    """Bytes/s in Gb/s, for a column or an axis that has its unit in the head."""
    return digits(units.bytes_per_second_to_gbps(value))


def bandwidth(value: Any) -> Said:
    """Bytes/s as bits: Gb/s, Tb/s above ten thousand, Mb/s below one."""
    gbps = units.bytes_per_second_to_gbps(value) if value is not None else None
    if gbps == 0:
        return Said("0", "Gb/s")
    if gbps is not None and math.isfinite(gbps) and gbps >= 10_000:
        return _scaled(gbps, ((1e6, "Pb/s"), (1e3, "Tb/s")))
    return _scaled(gbps, ((1.0, "Gb/s"), (1e-3, "Mb/s")))


_RATES = ((1e6, "M tok/s"), (1e3, "k tok/s"), (1.0, "tok/s"))


def rate(value: Any) -> Said:
    """Tokens per second."""
    return _scaled(value, _RATES)


def rates(low: Any, high: Any) -> str:
    """A range of tokens per second, both ends in the unit of the upper one."""
    last = rate(high)
    factor = next((factor for factor, unit in _RATES if unit == last.unit), 1.0)
    return between(Said(digits(low / factor), last.unit), last)


def parameters(value: Any) -> Said:
    """How many parameters: 70.6 B."""
    return _scaled(value, ((1e12, "T"), (1e9, "B"), (1e6, "M")))


def tokens(value: Any) -> Said:
    """How many tokens: 16.8 M."""
    return _scaled(value, ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"), (1.0, "")))


def dollars(value: Any) -> Said:
    """US dollars: $352 M."""
    said = _scaled(value, ((1e9, "B"), (1e6, "M"), (1e3, "k"), (1.0, "")))
    return said if said.number == NOTHING else Said(f"${said.number}", said.unit)


def cents(value: Any) -> str:
    """US dollars below a thousand, to three digits: $1.23."""
    return f"${digits(value)}"


def unit_price(value: Any) -> str:
    """The price of one part in full: $36,000 or $769.50; a missing one says so."""
    if value is None:
        return "no price"
    whole = abs(value - round(value)) < 0.005
    return f"${value:,.0f}" if whole or abs(value) >= 10_000 else f"${value:,.2f}"


def power(value: Any) -> Said:
    """Watts."""
    return _scaled(value, ((1e6, "MW"), (1e3, "kW"), (1.0, "W")))


def percent(share: Any) -> Said:
    """A share as per cent; one decimal below ten."""
    if share is None or not math.isfinite(share):
        return Said(digits(share), "%")
    hundredths = share * 100
    return Said(f"{hundredths:,.0f}" if abs(hundredths) >= 9.95 else f"{hundredths:.1f}", "%")


def between(low: Said | str, high: Said | str) -> str:
    """A range in words; a unit that both ends share is said once: 9.3 to 12.7 s."""
    first, last = str(low), str(high)
    number, _, unit = first.partition(SPACE)
    shared = unit and last.endswith(f"{SPACE}{unit}")
    return f"{number if shared else first} to {last}"


def ratio(value: Any) -> str:
    """An oversubscription: 2 : 1."""
    return f"{float(f'{value:.3g}'):g}{SPACE}:{SPACE}1"
