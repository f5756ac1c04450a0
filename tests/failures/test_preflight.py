"""The failure and soak tests that a design gets, with the number expected of each."""

from __future__ import annotations

import csv
import io
import math

import pytest

from netdesign.catalog import references
from netdesign.export.failure_plan import COLUMNS, plan_csv, plan_markdown
from netdesign.failures.preflight import _NUMBERS as NUMBERS
from netdesign.failures.preflight import (
    PlannedTest,
    failure_test_rows,
    poisson_band,
    preflight,
)

from .breaking import after, stage


def planned(**changes: object) -> dict[str, PlannedTest]:
    return {test.row.id: test for test in preflight(stage(**changes))}


def test_every_row_has_its_number_and_its_source() -> None:
    rows = failure_test_rows()
    assert set(rows) == set(NUMBERS)
    assert {row.source for row in rows.values()} <= set(references())
    assert {"cable", "flap-1", "flap-10", "flap-40", "leaf", "spine", "optic"} <= set(rows)
    assert {"half-rate", "pause-storm", "storage", "soak", "tail"} <= set(rows)


def test_numbers_are_those_of_the_model() -> None:
    tests, evaluation = planned(), stage().evaluation
    assert tests["step"].expected == float(evaluation.step.step_time_s)
    assert tests["cable"].expected == pytest.approx(30.06 + 600, abs=0.01)
    assert tests["spine"].expected == pytest.approx(after("spine").slowdown)
    assert tests["flap-1"].expected < tests["flap-10"].expected < 30 < tests["flap-40"].expected
    assert tests["soak"].expected == pytest.approx(48 * 3600 / evaluation.goodput.mttf_s)
    assert tests["soak-ettr"].expected == evaluation.goodput.ettr
    assert tests["storage"].expected == pytest.approx(evaluation.goodput.write_s)
    assert tests["tail"].limit > tests["tail"].expected
    assert tests["half-rate-bus"].expected < 0.6 * tests["large"].expected
    assert "pause-storm" not in tests  # InfiniBand has no pause frames


def test_what_is_expected_passes_and_what_is_broken_does_not() -> None:
    for test in planned().values():
        assert test.low <= test.expected <= test.high, test.row.id
        assert all(math.isfinite(n) for n in (test.expected, test.low, test.high, test.limit))
        assert test.passes(test.expected), test.row.id
        worse = test.limit * (0.9 if test.more_is_better else 1.1)
        assert not test.passes(worse), test.row.id
        assert "{" not in test.procedure + test.command + test.measure + test.remark
    # A benchmark with one slow NIC must not be able to look like a healthy one.
    tests = planned()
    assert tests["half-rate-bus"].limit < tests["large"].limit


def test_ethernet_gets_its_own_commands_and_the_watchdog() -> None:
    tests = planned(network__switch="sn5600", network__transport="roce-adaptive")
    assert tests["pause-storm"].expected == pytest.approx(0.8)  # 0.2 s for each 32 ports of 128
    assert "pfcwd" in tests["pause-storm"].command
    assert "config interface" in tests["flap-10"].command
    assert "mlxlink" in planned()["flap-10"].command


def test_one_tier_has_no_spine_to_lose() -> None:
    tests = planned(cluster__gpus=32, network__family="single-switch", model__preset="llama-3-8b")
    assert "spine" not in tests
    assert "uplink" not in tests


# 95 % of a Poisson number, by hand from its sum.
@pytest.mark.parametrize(("mean", "low", "high"), [(0.1, 0, 1), (1.0, 0, 3), (15.5, 8, 24)])
def test_counts_that_chance_explains(mean: float, low: int, high: int) -> None:
    assert poisson_band(mean) == (low, high)


def test_the_plan_as_csv_and_as_a_page() -> None:
    tests = preflight(stage())
    rows = list(csv.DictReader(io.StringIO(plan_csv(tests))))
    assert tuple(rows[0]) == COLUMNS
    assert [row["test"] for row in rows] == [test.row.id for test in tests]
    assert all(row["measured"] == "" for row in rows)
    page = plan_markdown(stage().evaluation, tests)
    assert page.startswith("# Failure and soak tests")
    for test in tests:
        assert f"## {test.row.name.split(',')[0][:4]}" in page


def test_a_strangers_name_stays_text() -> None:
    named = stage(name="=cmd() | `x` <b>")
    page = plan_markdown(named.evaluation, preflight(named))
    assert "\\<b\\>" in page
    assert "| `x`" not in page
