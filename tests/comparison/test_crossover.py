"""Cross-overs: maps agree with single comparisons, lines with the break-even."""

from __future__ import annotations

import math

import numpy as np
import pytest

from netdesign.comparison import Pricing, compare_transports
from netdesign.comparison.crossover import (
    OPERATIONS,
    balance_map,
    exposure_case,
    exposure_lines,
    fabric_shares,
    message_curves,
    slowdown_of_exposed,
)
from netdesign.design import default_design, read_design
from netdesign.evaluate import evaluate
from netdesign.network.transport import frame_efficiency

PAIR = ("infiniband", "roce-hashed")
BALANCE = np.array([0.3, 0.5, 0.7, 0.922, 1.0])
GPUS = (64, 1024, 4096, 16384)


def mapped(discount=0.1, transports=PAIR, gpus=GPUS, balance=BALANCE, design=None):
    return balance_map(
        design or default_design(),
        transports,
        gpus=gpus,
        balance=balance,
        pricing=Pricing(discount),
    )


@pytest.mark.parametrize("gpus", GPUS)
@pytest.mark.parametrize("index", [0, 2, 4])
def test_a_cell_of_the_map_is_the_comparison_itself(gpus, index):
    found = mapped()
    balance = float(BALANCE[index])
    single = compare_transports(
        default_design().with_values({"cluster.gpus": gpus}),
        PAIR,
        pricing=Pricing(0.1),
        overrides={"roce-hashed": {"balance_efficiency": balance}},
    )
    ratio = 1 + single.measure("tokens_per_usd").difference.value
    assert found.ratio[GPUS.index(gpus), index] == pytest.approx(ratio, rel=1e-9)
    assert found.affordable[GPUS.index(gpus)] == pytest.approx(single.affordable_loss)


def test_queue_pairs_stay_out_of_a_swept_balance():
    # The balance of the map is that of the traffic: with or without queue pairs the same cells.
    design = default_design()
    with_pairs = balance_map(
        design,
        PAIR,
        gpus=(1024,),
        balance=BALANCE,
        pricing=Pricing(0.1),
        overrides={"roce-hashed": {"queue_pairs": 8}},
    )
    assert np.array_equal(with_pairs.ratio, mapped(gpus=(1024,)).ratio)


def test_more_balance_never_loses_tokens_and_the_line_lies_where_it_turns():
    found = mapped(discount=0.05, balance=np.linspace(0.3, 1, 71))
    assert np.all(np.diff(found.ratio, axis=1) >= -1e-12)
    assert np.sum((found.line > 0.3) & (found.line < 1)) >= 2
    for row, line in zip(found.ratio, found.line, strict=True):
        if 0 < line <= 1:
            at = float(np.interp(line, found.balance, row))
            # p = s d leaves out the energy: off by its share of a saving of half a per cent
            assert at == pytest.approx(1.0, abs=1.5e-3)


def test_a_larger_discount_lowers_the_line():
    lines = [mapped(discount=d).line for d in (0.02, 0.05, 0.1, 0.3)]
    for before, after in zip(lines, lines[1:], strict=False):
        known = ~np.isnan(before)
        assert not np.any(np.isnan(after[known]))
        assert np.all(after[known] <= before[known] + 1e-9)


def test_a_plan_that_does_not_fit_or_cannot_be_is_a_gap_with_a_reason():
    large = read_design("llama-3.1-405b-16384-h100")
    found = mapped(gpus=(64, 16384), design=large)
    assert found.problems[0]
    assert np.all(np.isnan(found.ratio[0]))
    assert not found.problems[1]
    assert np.all(np.isfinite(found.ratio[1]))


def test_the_map_has_the_switches_that_were_asked_for():
    named = balance_map(
        default_design(),
        PAIR,
        gpus=(4096,),
        balance=BALANCE,
        pricing=Pricing(0.1),
        switches=("", "sn5600"),
    )
    single = compare_transports(
        default_design().with_values({"cluster.gpus": 4096}),
        PAIR,
        pricing=Pricing(0.1),
        switches=("", "sn5600"),
    )
    ratio = 1 + single.measure("tokens_per_usd").difference.value
    assert named.ratio[0, 3] == pytest.approx(ratio, rel=1e-9)
    assert named.ratio[0, 3] != pytest.approx(mapped(gpus=(4096,)).ratio[0, 3], rel=1e-4)


def test_without_a_price_the_map_is_empty_but_has_no_problem():
    found = balance_map(
        default_design(), PAIR, gpus=(1024,), balance=BALANCE, switches=("", "sn5400")
    )
    assert np.all(np.isnan(found.ratio))
    assert found.problems == ("",)


def test_large_messages_feel_framing_and_small_ones_latency():
    # 64 GPUs: one pod, so that nothing crosses and balance is out of the play.
    design = default_design().with_values({"cluster.gpus": 64})
    found = compare_transports(design, PAIR)
    size = np.array([1024.0, 2.0**40])
    curves = {one.operation: one for one in message_curves(found.first, found.second, size)}
    assert set(curves) == set(OPERATIONS)
    framing = frame_efficiency(4096, 82) / frame_efficiency(4096, 26)
    assert curves["all-gather"].ratio[1] == pytest.approx(framing, abs=1e-4)
    waits = curves["all-gather"].second_s[0] - curves["all-gather"].first_s[0]
    hops = 7  # a ring of eight servers leaves one seven times
    assert waits == pytest.approx(hops * (5.6e-6 - 3.7e-6), rel=0.01)
    for curve in curves.values():
        assert np.all(np.diff(curve.first_s) > 0)
        assert np.all(curve.ratio < 1)


def test_the_lines_go_through_the_break_even():
    found = compare_transports(default_design(), PAIR, pricing=Pricing(0.1))
    lines = {line.name: line for line in exposure_lines(found, np.array([0.0, 0.1, 0.4]))}
    assert set(lines) == {"this design", "1 tier", "2 tiers", "3 tiers"}
    own = lines["this design"]
    assert own.exposed[0] == 0
    assert own.exposed[1] * slowdown_of_exposed(found) == pytest.approx(found.affordable_loss)
    at_it = exposure_case(found, own.exposed[1])
    assert at_it.loss == pytest.approx(at_it.affordable)
    assert at_it.winner == "same"
    assert lines["1 tier"].share < lines["2 tiers"].share < lines["3 tiers"].share


def test_the_loss_of_todays_exposure_is_that_of_the_sides():
    found = compare_transports(default_design(), PAIR, pricing=Pricing(0.4))
    case = exposure_case(found)
    slower = found.second.step_time_s / found.first.step_time_s - 1
    assert case.loss == pytest.approx(slower)
    assert not case.asked
    assert case.winner == "second"
    assert exposure_case(found, 0.95).exposed == 0.95


def test_a_faster_second_fabric_may_be_dearer_up_to_its_line():
    found = compare_transports(default_design(), PAIR[::-1], pricing=Pricing(-0.1))
    own = exposure_lines(found, np.array([0.0, 0.1, 0.4]))[0]
    assert own.discount.tolist() == [0.0, -0.1, -0.4]
    assert np.all(own.exposed[1:] > 0)
    # at the exposure of the line the gain is what the higher price asks for
    at_it = exposure_case(found, float(own.exposed[1]))
    assert at_it.loss < 0
    assert at_it.loss == pytest.approx(at_it.affordable)
    equal = compare_transports(default_design(), ("infiniband", "infiniband"))
    for line in exposure_lines(equal, np.array([0.0, 0.1])):
        assert np.all(np.isnan(line.exposed))
    unknown = compare_transports(default_design(), PAIR, switches=("", "sn5400"))
    assert exposure_case(unknown).winner == "unknown"


def test_shares_of_published_bills_are_those_of_the_model():
    # The sheet's servers and prices, at sizes of one, two and three tiers.
    for gpus, tiers in ((512, 1), (2048, 2), (32768, 3)):
        design = default_design().with_values(
            {
                "cluster.server": "hgx-h100",
                "cluster.gpus": gpus,
                "network.family": "rail-only" if tiers == 1 else "rail-optimised",
                "economics.price_book": "cheah-2024",
            }
        )
        evaluation = evaluate(design)
        row = next(row for row in fabric_shares() if row.tiers == tiers)
        share = evaluation.cost.network_share
        assert math.isfinite(share)
        assert int(evaluation.fabric.tiers) == tiers
        assert row.low - 5e-4 <= share <= row.high + 5e-4
