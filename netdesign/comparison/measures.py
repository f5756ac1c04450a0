"""The measures of two sides: values with bands, the difference, and whether it can be told.

Where job, plan and machines are the same the error of the step model stretches both steps by the
same factor and leaves their ratio alone: what stays open is what the figures of the two transports
may be. Otherwise both errors count, as independent ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from netdesign.arrays import as_float
from netdesign.bands import Band
from netdesign.catalog import data_directory
from netdesign.catalog.tables import Name, NonNegative, Row, keyed_rows
from netdesign.comparison.money import Money
from netdesign.comparison.sides import Side
from netdesign.units import seconds_to_days

Better = Literal["first", "second", "same", "unknown"]


class LimitRow(Row):
    """A threshold of comparisons."""

    name: Name
    value: NonNegative
    unit: Name


@dataclass(frozen=True)
class Measure:
    """One number of both sides; the difference is that of the second over the first."""

    name: str
    label: str
    unit: str
    first: Band
    second: Band
    difference: Band  # second over first, less 1; 0.01 is 1 % more
    less_is_better: bool
    better: Better  # "same": not to be told apart
    reason: str  # why, where it is neither

    @property
    def known(self) -> bool:
        return math.isfinite(self.first.value) and math.isfinite(self.second.value)


@cache
def limit(name: str) -> float:
    """A threshold of comparison_limits.csv."""
    path = data_directory() / "comparison_limits.csv"
    return keyed_rows(path, LimitRow, ("name",))[name].value


def measures_of(
    first: Side, second: Side, first_money: Money, second_money: Money, *, shared: bool
) -> tuple[Measure, ...]:
    """Every measure of two sides.

    Parameters
    ----------
    first, second : Side
    first_money, second_money : Money
    shared : bool               the error of the step model is one and the same on both sides

    Returns
    -------
    tuple of Measure            in the order of a table
    """
    return (
        *_of_the_step((first, second), (first_money, second_money), shared=shared),
        *_of_parts((first, second), (first_money, second_money)),
    )


def _of_the_step(
    sides: tuple[Side, Side], monies: tuple[Money, Money], *, shared: bool
) -> tuple[Measure, ...]:
    times = (_time_band(sides[0]), _time_band(sides[1]))
    step = _step_difference(sides, times, shared=shared)
    rates = [as_float(side.step.tokens_per_s) for side in sides]
    budgets = [side.design.training.token_budget_trillion * 1e12 for side in sides]
    days = [seconds_to_days(budget / rate) for budget, rate in zip(budgets, rates, strict=True)]
    per_token = [
        money.usd_per_million_tokens(rate) for money, rate in zip(monies, rates, strict=True)
    ]
    tokens = [money.tokens_per_usd(rate) for money, rate in zip(monies, rates, strict=True)]
    of_time = (
        ("step_time_s", "step time", "s", [time.value for time in times]),
        ("training_days", "training", "days", days),
        ("usd_per_million_tokens", "cost of a million tokens", "USD", per_token),
    )
    of_speed = (
        ("tokens_per_s", "tokens a second", "1/s", rates),
        ("tokens_per_usd", "tokens for a dollar", "1/USD", tokens),
    )
    missing = _missing(monies)
    slower = [
        _measure(
            name,
            label,
            unit,
            [_scaled(*pair) for pair in zip(values, times, strict=True)],
            _about(step, values),
            why=missing,
        )
        for name, label, unit, values in of_time
    ]
    faster = [
        _measure(
            name,
            label,
            unit,
            [_inverse(*pair) for pair in zip(values, times, strict=True)],
            _about(_turned(step), values),
            less=False,
            why=missing,
        )
        for name, label, unit, values in of_speed
    ]
    return (*slower, *faster)


def _of_parts(sides: tuple[Side, Side], monies: tuple[Money, Money]) -> tuple[Measure, ...]:
    """Measures without a band of their own: as sure as the prices and figures behind them."""
    missing, dark = _missing(monies), _unmetered(monies)
    rows: tuple[tuple[str, str, str, list[float], str], ...] = (
        ("capex_usd", "purchase", "USD", [money.capex_usd for money in monies], missing),
        ("network_usd", "its fabric", "USD", [money.network_usd for money in monies], missing),
        ("power_w", "power", "W", [money.power_w for money in monies], dark),
        (
            "network_power_w",
            "of its fabric",
            "W",
            [money.network_power_w for money in monies],
            dark,
        ),
        ("latency_s", "latency end to end", "s", [side.latency_s for side in sides], ""),
        (
            "tolerated_jitter_s",
            "jitter that costs 1 % of a step",
            "s",
            [_endless(side.tail.tolerated_jitter_s) for side in sides],
            "no barrier of the step is exposed",
        ),
    )
    found = []
    for name, label, unit, values, why in rows:
        change = values[1] / values[0] - 1 if values[0] else math.nan
        one, other = (Band(value, value, value) for value in values)
        less = name != "tolerated_jitter_s"
        difference = Band(change, change, change)
        least = 0.0 if less else limit("smallest-difference")
        better, reason = _verdict(difference, less=less, least=least)
        said = why if better == "unknown" else reason
        found.append(Measure(name, label, unit, one, other, difference, less, better, said))
    return tuple(found)


def _endless(jitter_s: float | None) -> float:
    """A jitter that a step may have; where nothing waits for the network, any."""
    return math.inf if jitter_s is None else jitter_s


def _missing(monies: tuple[Money, Money]) -> str:
    names = sorted(
        {name for money in monies if money.basis == "unknown" for name in money.unpriced}
    )
    return f"no price of {', '.join(names)}" if names else "no price of the fabric"


def _unmetered(monies: tuple[Money, Money]) -> str:
    names = sorted({name for money in monies for name in money.unmetered})
    return f"no power figure of {', '.join(names)}" if names else ""


def _time_band(side: Side) -> Band:
    time = side.step
    return Band(
        as_float(time.step_time_s), as_float(time.step_time_low_s), as_float(time.step_time_high_s)
    )


def _step_difference(sides: tuple[Side, Side], times: tuple[Band, Band], *, shared: bool) -> Band:
    first, second = sides
    ratio = second.step_time_s / first.step_time_s
    if shared:
        return Band(
            ratio - 1,
            ratio * second.ratio_low / first.ratio_high - 1,
            ratio * second.ratio_high / first.ratio_low - 1,
        )
    below = math.hypot(times[1].below, times[0].above)
    above = math.hypot(times[1].above, times[0].below)
    return Band(ratio - 1, ratio * (1 - below) - 1, ratio * (1 + above) - 1)


def _measure(
    name: str,
    label: str,
    unit: str,
    values: Sequence[Band],
    difference: Band,
    *,
    less: bool = True,
    why: str = "",
) -> Measure:
    better, reason = _verdict(difference, less=less, least=limit("smallest-difference"))
    said = why if better == "unknown" else reason
    return Measure(name, label, unit, values[0], values[1], difference, less, better, said)


def _verdict(difference: Band, *, less: bool, least: float) -> tuple[Better, str]:
    if not math.isfinite(difference.value):
        return "unknown", ""
    if difference.value == 0:
        return "same", "equal"
    if abs(difference.value) < least:
        return "same", f"less than {100 * least:.2g} % apart"
    if difference.low <= 0 <= difference.high:
        return "same", "the band of the difference holds zero"
    return ("second" if (difference.value < 0) == less else "first"), ""


def _scaled(value: float, time: Band) -> Band:
    return Band(value, value * time.low / time.value, value * time.high / time.value)


def _inverse(value: float, time: Band) -> Band:
    return Band(value, value * time.value / time.high, value * time.value / time.low)


def _turned(step: Band) -> Band:
    """The difference in speed for one in time."""
    return Band(*(1 / (1 + end) - 1 for end in (step.value, step.high, step.low)))


def _about(difference: Band, values: Sequence[float]) -> Band:
    """A difference of these two values with the relative band of another."""
    factor = values[1] / values[0] / (1 + difference.value)
    ends = (difference.value, difference.low, difference.high)
    return Band(*((1 + end) * factor - 1 for end in ends))
