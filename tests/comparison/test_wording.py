"""What a comparison says at a higher price, at equal prices, and of two sides that are the same."""

from __future__ import annotations

import math

import pytest

from netdesign.bands import Band
from netdesign.comparison import Comparison, Pricing, compare, compare_transports
from netdesign.comparison.verdict import condition, percent, signed, verdict
from netdesign.design import default_design
from netdesign.export.comparison import banded, comparison_text

PAIR = ("infiniband", "roce-hashed")


def said(found: Comparison) -> str:
    decided = verdict(found)
    return " ".join((decided.sentence, *decided.reasons))


def priced(discount: float, transports: tuple[str, str] = PAIR) -> Comparison:
    return compare_transports(default_design(), transports, pricing=Pricing(discount))


def test_a_dearer_fabric_is_dearer_and_not_cheaper_by_less_than_nothing() -> None:
    text = said(priced(-0.12))
    assert "is 12.0 % dearer (yours), so it must gain more than 1.2 % to win" in text
    assert "pays for a loss" not in text
    assert "-" not in text


def test_a_cheaper_fabric_pays_for_a_loss_and_an_equal_one_for_none() -> None:
    assert "40.0 % cheaper (yours), which pays for a loss of up to 4.0 %" in said(priced(0.4))
    assert "costs the same (yours), which pays for no loss" in said(priced(0.0))


def test_a_faster_fabric_wins_at_a_higher_price_up_to_a_limit() -> None:
    text = said(priced(-0.02, PAIR[::-1]))
    assert "InfiniBand, adaptive routing gains 0.12 % of the throughput" in text
    assert "It wins if it is less than 1.2 % dearer" in text


def test_the_same_design_on_both_sides_is_said_so() -> None:
    for found in (
        compare(default_design(), default_design()),
        priced(0.0, ("infiniband", "infiniband")),
        compare_transports(default_design(), ("infiniband", "infiniband")),
    ):
        assert found.identical
        assert verdict(found).sentence.startswith("Both sides are the same")
        assert "cheaper" not in said(found)
    other = priced(-0.12, ("infiniband", "infiniband"))
    assert not other.identical
    assert said(other).startswith("A wins: 1.1 % more tokens for a dollar than B. B is as fast as")
    assert "It wins if it is cheaper at all" in said(other)


def test_two_switches_under_one_transport_are_not_the_same() -> None:
    found = compare_transports(
        default_design(), ("infiniband", "infiniband"), switches=("", "qm9790")
    )
    assert not found.identical


def test_switches_of_other_ports_are_told_where_they_change_the_tiers() -> None:
    large = default_design().with_values({"cluster.gpus": 4096})
    by_book = compare_transports(large, PAIR)
    assert by_book.second.design.network.switch == "sn5600"
    assert "A has 3 tiers and B 2 tiers" in said(by_book)
    assert "tiers" not in said(compare_transports(large, PAIR, pricing=Pricing(0.1)))


@pytest.mark.parametrize(
    ("discount", "words"),
    [
        (0.0, "is cheaper at all"),
        (0.043, "is more than 4.3 % cheaper"),
        (-0.043, "is less than 4.3 % dearer"),
    ],
)
def test_the_price_at_which_the_second_wins(discount: float, words: str) -> None:
    assert condition(discount) == words


@pytest.mark.parametrize(
    ("share", "plain", "with_sign"),
    [
        (0.0, "0 %", "0 %"),
        (0.00081, "0.08 %", "+0.08 %"),
        (0.0123, "1.2 %", "+1.2 %"),
        (-0.4, "\u221240.0 %", "\u221240.0 %"),
    ],
)
def test_shares_as_they_are_read(share: float, plain: str, with_sign: str) -> None:
    assert percent(share) == plain
    assert signed(share) == with_sign


@pytest.mark.parametrize(
    ("band", "unit", "words"),
    [
        (Band(14.148, 12.61, 17.93), "s", "14.1 s (12.6 to 17.9)"),
        (Band(0.0000046, 0.0000046, 0.0000046), "s", "4.60 µs"),
        (Band(0.4467, 0.39871, 0.5651), "USD", "$0.447 ($0.399 to $0.565)"),
        (Band(180_357_120, 180_357_120, 180_357_120), "USD", "$180 M"),
        (Band(1_184_000, 935_400, 1_331_000), "1/s", "1.18 million (0.94 to 1.33)"),
        (Band(310_231, 245_786, 348_023), "1/USD", "310 thousand (246 to 348)"),
        (Band(5_645_800, 5_645_800, 5_645_800), "W", "5.65 MW"),
        (Band(42.16, 37.6, 53.2), "days", "42.2 days (37.6 to 53.2)"),
        (Band(999.96, 990.0, 1010.0), "USD", "$1.00 k ($0.99 to $1.01)"),
        (Band(math.nan, math.nan, math.nan), "USD", "unknown"),
        (Band(math.inf, math.inf, math.inf), "s", "no limit"),
        (Band(0.0, 0.0, 0.0), "USD", "$0"),
    ],
)
def test_a_value_and_its_band_have_one_precision(band: Band, unit: str, words: str) -> None:
    assert banded(band, unit) == words


def test_the_table_shows_the_bands_of_both_sides() -> None:
    row = next(r for r in comparison_text(priced(0.1)).splitlines() if r.startswith("step time"))
    assert row.count("(") == 3
