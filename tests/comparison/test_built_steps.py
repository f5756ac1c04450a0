"""The step on the built fabric that stands beside the comparison."""

from __future__ import annotations

import pytest

from netdesign.comparison import compare
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
    assert built_line(None, None) == []
    assert "A unknown, B 2 s" in built_line(None, 2.0)[0]
