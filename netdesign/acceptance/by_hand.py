"""The failure and soak tests of a design that no benchmark of the plan covers."""

from __future__ import annotations

from netdesign.evaluate import Evaluation
from netdesign.failures import stage_of
from netdesign.failures.preflight import PlannedTest, preflight

_BY_BENCHMARK = ("gradients", "large")


def tests_by_hand(evaluation: Evaluation) -> tuple[PlannedTest, ...]:
    """What a person does while the job runs: cable pulls, flaps, a leaf, a soak."""
    found = preflight(stage_of(evaluation))
    return tuple(test for test in found if test.row.id not in _BY_BENCHMARK)
