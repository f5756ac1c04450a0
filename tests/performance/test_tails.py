"""The latest of many: percentiles, expected maxima, and what barriers cost a step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.design import default_design
from netdesign.evaluate import evaluate
from netdesign.performance.tails import (
    barrier_overhead,
    harmonic_number,
    latest_exponential,
    latest_normal,
    latest_pareto,
    participants_of_percentile,
    tail_of,
    tail_percentile,
)

LAW = settings(derandomize=True, deadline=None, max_examples=60)


# Percentile that matters, to the digits that tables of order statistics print; exact 2^(-1/N).
@pytest.mark.parametrize(
    ("participants", "percent", "digits"),
    [(64, 98.9, 1), (256, 99.73, 2), (1024, 99.93, 2), (4096, 99.983, 3), (16384, 99.9958, 4)],
)
def test_the_percentile_that_matters(participants: int, percent: float, digits: int) -> None:
    exact = float(tail_percentile(participants))
    assert round(100 * exact, digits) == percent
    assert exact == pytest.approx(1 - math.log(2) / participants, abs=1 / participants**2)


def test_p99_is_right_for_about_seventy() -> None:
    assert participants_of_percentile(0.99) == pytest.approx(69, abs=0.5)
    assert participants_of_percentile(tail_percentile(1024)) == pytest.approx(1024)


@pytest.mark.parametrize(("count", "printed"), [(64, 4.74), (1024, 7.51), (16384, 10.28)])
def test_harmonic_numbers(count: int, printed: float) -> None:
    assert harmonic_number(count) == pytest.approx(printed, abs=0.005)
    assert harmonic_number(count) == pytest.approx(sum(1 / i for i in range(1, count + 1)))
    assert latest_exponential(1e-4, count) == pytest.approx(1e-4 * printed, rel=1e-3)


@pytest.mark.parametrize(("count", "printed"), [(64, 2.88), (1024, 3.72), (16384, 4.41)])
def test_normal_delays(count: int, printed: float) -> None:
    assert latest_normal(0.0, 1.0, count) == pytest.approx(printed, abs=0.005)
    assert latest_normal(5.0, 0.0, count) == 5.0


def test_pareto_delays_grow_as_a_power() -> None:
    assert latest_pareto(1.0, 2.0, 4000) / latest_pareto(1.0, 2.0, 1000) == pytest.approx(2.0)
    draws = np.random.default_rng(1).pareto(3.0, (4000, 512)) + 1.0
    assert draws.max(axis=1).mean() == pytest.approx(float(latest_pareto(1.0, 3.0, 512)), rel=0.05)


def test_drawn_maxima_are_where_the_formulas_say() -> None:
    draws = np.random.default_rng(2).exponential(1.0, (20_000, 64))
    latest = draws.max(axis=1)
    assert latest.mean() == pytest.approx(float(latest_exponential(1.0, 64)), rel=0.02)
    share_below = 1 - math.exp(-float(np.median(latest)))
    assert share_below == pytest.approx(float(tail_percentile(64)), abs=5e-4)


def test_a_tail_without_a_count_of_barriers_says_nothing() -> None:
    assert barrier_overhead(1, 100e-6, 0.5) == pytest.approx(0.0002)
    assert barrier_overhead(1000, 100e-6, 0.5) == pytest.approx(0.2)


@LAW
@given(st.integers(2, 200_000), st.integers(2, 200_000))
def test_more_participants_look_further_into_the_tail(few: int, many: int) -> None:
    few, many = sorted((few, many))
    assert tail_percentile(few) <= tail_percentile(many) < 1
    assert harmonic_number(few) <= harmonic_number(many) + 1e-4


def test_the_tail_of_an_evaluation_counts_what_is_exposed() -> None:
    found = evaluate(default_design())
    tail = found.tail
    kinds = {kind.parallelism: kind for kind in tail.kinds}
    assert "tensor" not in kinds  # inside the scale-up domain
    assert kinds["pipeline"].participants == 2
    assert all(0 <= kind.exposed <= kind.calls for kind in tail.kinds)
    by_hand = sum(k.exposed * float(harmonic_number(k.participants)) for k in tail.kinds)
    assert tail.lateness_s == pytest.approx(by_hand * tail.jitter_s)
    assert tail.overhead_share == pytest.approx(tail.lateness_s / found.step.step_time_s)
    at_limit = tail_of(
        found.traffic,
        found.step.communication,
        gpus=1024,
        jitter_s=tail.tolerated_jitter_s,
        step_time_s=float(found.step.step_time_s),
    )
    assert at_limit.overhead_share == pytest.approx(0.01)


def test_a_job_in_one_server_has_no_barrier_on_the_network() -> None:
    small = default_design().with_values({"cluster.gpus": 8, "model.preset": "llama-3-8b"})
    tail = evaluate(small).tail
    assert tail.barriers == 0
    assert tail.overhead_share == 0
    assert tail.tolerated_jitter_s is None
