"""Tapers and hash collisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.network.congestion import (
    crossing_efficiency,
    crossing_slowdown,
    ecmp_mean_efficiency,
    ecmp_slowest_efficiency,
    ecmp_slowest_estimate,
    step_slowdown,
)


# Meta's Llama 3: pods of 3,072 GPUs, 1:7, TP 8 x PP 16 leaves 24 members of a ring in a pod.
# Placement-blind, 4:1: a quarter of the bandwidth, the verdict on the article's 40 %.
@pytest.mark.parametrize(
    ("oversubscription", "inside", "ranks", "ordered", "slowdown"),
    [
        (7, 24, 128, True, 1.0),
        (4, 1, 16, True, 4.0),
        (4, 2, 16, True, 2.0),
        (4, 4, 16, True, 1.0),
        (4, 1, 1_000_000_000, False, 4.0),
        (4, 8, 16, False, 32 / 15),
        (4, 1, 2, False, 4.0),
        (4, 16, 16, False, 1.0),
        (4, 16, 16, True, 1.0),
        (4, 32, 16, True, 1.0),
        (16, 4, 4, True, 1.0),
    ],
)
def test_crossing(oversubscription, inside, ranks, ordered, slowdown):
    assert crossing_slowdown(oversubscription, inside, ranks, ordered=ordered) == pytest.approx(
        slowdown
    )


@settings(deadline=None)
@given(
    o=st.floats(0.5, 16),
    inside=st.integers(1, 512),
    ranks=st.integers(1, 4096),
    more=st.floats(1, 8),
)
def test_crossing_laws(o, inside, ranks, more):
    for ordered in (True, False):
        slow = crossing_slowdown(o, inside, ranks, ordered=ordered)
        assert slow >= 1
        assert crossing_slowdown(1.0, inside, ranks, ordered=ordered) == 1
        assert crossing_slowdown(o * more, inside, ranks, ordered=ordered) >= slow
        assert crossing_slowdown(o, inside + 1, ranks, ordered=ordered) <= slow
        assert slow <= max(1, o)


def test_crossing_of_mixed_arrays_equals_loops():
    ordered = np.array([True, False, True])
    inside = np.array([1, 4, 8])
    together = crossing_slowdown(4.0, inside, 32, ordered=ordered)
    pairs = zip(inside, ordered, strict=True)
    alone = [crossing_slowdown(4.0, int(k), 32, ordered=bool(o)) for k, o in pairs]
    assert together == pytest.approx(alone)


# 4,000 throws of dice for each cell; F = q L flows over L links.
SLOWEST = {
    8: (0.386, 0.567, 0.655, 0.731, 0.795),
    16: (0.325, 0.508, 0.600, 0.681, 0.756),
    32: (0.282, 0.461, 0.556, 0.645, 0.723),
    64: (0.253, 0.426, 0.520, 0.614, 0.696),
}
MEAN = {8: (0.660, 0.908), 16: (0.644, 0.904), 32: (0.637, 0.902), 64: (0.636, 0.902)}


@pytest.mark.parametrize("uplinks", SLOWEST)
def test_slowest_flow_as_thrown(uplinks):
    flows = np.array([1, 4, 8, 16, 32])
    assert ecmp_slowest_efficiency(uplinks, flows) == pytest.approx(SLOWEST[uplinks], abs=0.01)


@pytest.mark.parametrize("uplinks", MEAN)
def test_mean_flow_as_thrown(uplinks):
    assert ecmp_mean_efficiency(uplinks, np.array([1, 16])) == pytest.approx(
        MEAN[uplinks], abs=0.005
    )


def test_one_flow_a_link_keeps_63_percent():
    # 1 - 1/e: the "60 % on traditional Ethernet" of vendor slides.
    assert ecmp_mean_efficiency(1_000_000, 1) == pytest.approx(1 - np.exp(-1), abs=1e-3)


def test_estimate_is_pessimistic_by_less_than_a_tenth():
    for uplinks in SLOWEST:
        for flows in (1, 4, 8, 16, 32):
            exact = ecmp_slowest_efficiency(uplinks, flows)
            assert -0.005 < exact - ecmp_slowest_estimate(uplinks, flows) < 0.1


@settings(deadline=None)
@given(uplinks=st.integers(2, 128), flows=st.integers(1, 64))
def test_hashing_laws(uplinks, flows):
    slowest = ecmp_slowest_efficiency(uplinks, flows)
    mean = ecmp_mean_efficiency(uplinks, flows)
    assert 0 < slowest < mean < 1
    assert ecmp_slowest_efficiency(uplinks, flows + 8) > slowest
    assert ecmp_slowest_efficiency(uplinks * 2, flows) < slowest
    assert ecmp_slowest_efficiency(1, flows) == 1


def test_slowest_flow_of_arrays_equals_loops():
    uplinks, flows = np.array([[4], [16]]), np.array([1, 5, 20])
    together = ecmp_slowest_efficiency(uplinks, flows)
    assert together.shape == (2, 3)
    for place in np.ndindex(2, 3):
        alone = ecmp_slowest_efficiency(int(uplinks[place[0], 0]), int(flows[place[1]]))
        assert together[place] == pytest.approx(float(alone), abs=1e-6)


def test_only_what_crosses_is_slowed():
    assert crossing_efficiency(0.5, 0.0) == 1
    assert crossing_efficiency(0.5, 1.0) == 0.5
    assert crossing_efficiency(0.5, 0.5) == pytest.approx(1 / 1.5)


def test_a_seven_percent_loss_of_bandwidth_at_15_percent_exposed_is_one_percent():
    # The example of the break-even rule: 7 % busbw loss, c = 0.15 -> 1.1 % end to end.
    assert step_slowdown(0.15, 0.93) - 1 == pytest.approx(0.011, abs=5e-4)
    assert step_slowdown(0.0, 0.5) == 1
