"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from netdesign.charts import format as say
from netdesign.charts.scales import nice_ceiling


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (1.234, "1.23"),
        (9.996, "10.0"),
        (99.96, "100"),
        (1234.4, "1,234"),
        (math.inf, "∞"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_three_digits(value: float | None, text: str) -> None:
    assert say.digits(value) == text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (say.seconds(4.2), "4.20 s"),
        (say.seconds(0.0421), "42.1 ms"),
        (say.seconds(3e-6), "3.00 µs"),
        (say.seconds(0.9999), "1.00 s"),
        (say.size(9.08e9), "9.08 GB"),
        (say.bandwidth(50e9), "400 Gb/s"),
        (say.bandwidth(2.5e12), "20.0 Tb/s"),
        (say.dollars(42_700_000), "$42.7 M"),
        (say.dollars(950), "$950"),
        (say.power(1.37e6), "1.37 MW"),
        (say.percent(0.113), "11 %"),
        (say.percent(0.0871), "8.7 %"),
        (say.parameters(70_553_706_496), "70.6 B"),
        (say.days(0.5), "12.0 hours"),
        (say.days(148), "148 days"),
        (say.bandwidth(0), "0 Gb/s"),
        (say.seconds(math.inf), "∞ s"),
        (say.size(math.nan), "–"),
        (say.percent(12.01), "1,201 %"),
    ],
)
def test_units_follow_the_number(said: say.Said, text: str) -> None:
    assert str(said).replace(say.SPACE, " ") == text


def test_a_missing_price_is_said_in_words() -> None:
    assert say.unit_price(None) == "no price"
    assert say.unit_price(769.5) == "$769.50"
    assert say.unit_price(36000) == "$36,000"


@pytest.mark.parametrize(
    ("value", "end"), [(0, 1), (0.9, 1), (1, 1), (1.01, 1.5), (83, 100), (310, 500), (7600, 10000)]
)
def test_axis_ends_are_round(value: float, end: float) -> None:
    assert nice_ceiling(value) == end
