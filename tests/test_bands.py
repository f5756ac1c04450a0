"""The band of a step time, followed through everything that is made from it."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import pytest

from netdesign.bands import MEANING, Band, bands, told_apart, with_speed, with_time
from netdesign.design import default_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.export.record import to_record
from netdesign.export.text import to_text
from netdesign.performance.step import model_flops_utilisation

FALLING = ("mfu", "tokens_per_s", "tokens_per_s_per_gpu")
RISING = ("training_days", "training_gpu_hours", "training_usd", "usd_per_step")


def at(**changes: object) -> Evaluation:
    values = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(default_design().with_values(values))


@pytest.fixture(scope="module")
def tapered() -> Evaluation:
    """A design that waits for its network."""
    return at(network__oversubscription=4.0)


def test_the_ends_of_each_band_are_what_the_ends_of_the_step_time_give(
    tapered: Evaluation,
) -> None:
    found, step = bands(tapered), tapered.step
    assert (found.step_time_s.low, found.step_time_s.high) == (
        step.step_time_low_s,
        step.step_time_high_s,
    )
    gpus, peak = tapered.design.cluster.gpus, tapered.machine.peak_flops
    slow = model_flops_utilisation(step.model_flops, step.step_time_high_s, gpus, peak)
    assert found.mfu.low == pytest.approx(slow)
    assert found.tokens_per_s.high == pytest.approx(tapered.tokens_per_step / step.step_time_low_s)
    budget = tapered.design.training.token_budget_trillion * 1e12
    days = budget / tapered.tokens_per_step * step.step_time_high_s / 86_400
    assert found.training_days.high == pytest.approx(days)
    hours = step.step_time_low_s / 3600 * tapered.cost.usd_per_gpu_hour * gpus
    assert found.usd_per_million_tokens.low == pytest.approx(hours / tapered.tokens_per_step * 1e6)


def test_every_prediction_lies_in_its_band_and_every_band_is_as_wide(tapered: Evaluation) -> None:
    found = bands(tapered)
    for field in fields(found):
        band = getattr(found, field.name)
        assert band.low <= band.value <= band.high, field.name
    width = found.step_time_s.high / found.step_time_s.low
    for name in (*FALLING, *RISING, "usd_per_million_tokens"):
        band = getattr(found, name)
        assert band.high / band.low == pytest.approx(width), name


def test_a_faster_step_is_a_higher_rate_and_a_lower_cost() -> None:
    time = Band(10.0, 9.0, 12.5)
    assert with_time(100.0, time) == Band(100.0, 90.0, 125.0)
    rate = with_speed(100.0, time)
    assert (rate.value, rate.low, rate.high) == pytest.approx((100.0, 80.0, 1000 / 9))
    assert (time.below, time.above, time.overrun) == pytest.approx((0.1, 0.25, 2.5))


def test_the_wait_ranges_over_what_the_network_alone_could_explain(tapered: Evaluation) -> None:
    step, found = tapered.step, bands(tapered).network_wait_usd_per_day
    money = tapered.design.economics.rental_usd_per_gpu_hour * tapered.design.cluster.gpus * 24
    longer = step.step_time_high_s - step.step_time_s
    share = (step.network_exposed_s + longer) / step.step_time_high_s
    assert found.high == pytest.approx(money * share)
    assert found.high <= money
    assert found.low >= 0


def test_no_network_no_wait() -> None:
    found = bands(at(cluster__gpus=8)).network_wait_usd_per_day
    assert (found.value, found.low, found.high) == (0, 0, 0)


def test_money_that_is_not_known_has_no_band() -> None:
    evaluation = at()
    unknown = replace(evaluation, cost=replace(evaluation.cost, training_usd=math.nan))
    assert math.isnan(bands(unknown).training_usd.high)


def test_two_predictions_are_told_apart_when_one_lies_outside_the_band_of_the_other() -> None:
    first = Band(10.0, 9.0, 12.5)
    assert not told_apart(first, first)
    assert not told_apart(first, Band(10.5, 9.45, 13.1))
    assert told_apart(first, Band(13.0, 11.7, 16.2))
    assert told_apart(first, Band(11.5, 10.35, 14.4))


def test_the_record_and_the_text_have_every_band(tapered: Evaluation) -> None:
    record, found = json.loads(json.dumps(to_record(tapered))), bands(tapered)
    assert record["band"] == {"runs_share": 0.8, "meaning": MEANING}
    assert record["step"]["mfu_low_share"] == pytest.approx(found.mfu.low)
    assert record["step"]["high_tokens_per_s"] == pytest.approx(found.tokens_per_s.high)
    assert record["cost"]["training_high_days"] == pytest.approx(found.training_days.high)
    assert record["cost"]["low_usd_per_million_tokens"] == pytest.approx(
        found.usd_per_million_tokens.low
    )
    text = to_text(tapered)
    assert text.count(MEANING) == 1
    assert f"({found.mfu.low:.1%} to {found.mfu.high:.1%})" in text
    assert f"({found.training_days.low:,.1f} to {found.training_days.high:,.1f})" in text
