"""The step on the built fabric that stands beside the comparison."""

from __future__ import annotations

import pytest

from netdesign.comparison import Pricing, compare, compare_transports
from netdesign.comparison.on_graph import built_step_s
from netdesign.congestion import congestion
from netdesign.design import default_design
from netdesign.export.comparison import built_line


def test_it_is_the_step_that_the_built_fabric_gives():
    own = default_design()
    side = compare(own, own).first
    assert built_step_s(side) == pytest.approx(congestion(side.evaluation).step.step_s)


def test_a_fabric_that_cannot_be_built_has_none():
    own = default_design()
    too_large = own.with_values({"cluster.gpus": 131072, "network.family": "single-switch"})
    side = compare(too_large, own).first
    assert built_step_s(side) is None
    found = compare(own, own)
    assert built_line(found, None, None) == []
    (line,) = built_line(found, None, 2.0)
    assert "B 2.00 s" in line
    assert "A " not in line


def test_queue_pairs_of_a_planner_are_on_the_built_fabric_too():
    pair = ("infiniband", "roce-hashed")
    steps = [
        built_step_s(
            compare_transports(
                default_design(), pair, overrides={"roce-hashed": {"queue_pairs": pairs}}
            ).second
        )
        for pairs in (1, 64)
    ]
    assert None not in steps
    assert steps[1] < steps[0]


def test_a_hashed_step_is_said_as_a_worst_case_beside_what_was_measured():
    pair = ("infiniband", "roce-hashed")
    found = compare_transports(default_design(), pair, pricing=Pricing(0.1))
    table = found.second.step_time_s
    worst, others = built_line(found, found.first.step_time_s, 1.05 * table)
    assert worst.startswith("The step at its worst: B ")
    assert "5.0 % longer than in the table" in worst
    assert "(B 92.2 %, secondary)" in worst
    assert "A " not in worst
    assert "no flow hashed: A " in others
    assert "as in the table" in others
    assert built_line(found, None, 0.9 * table)[0].count("10.0 % shorter") == 1
