"""Where to mark: the bounds of the paper, the named recommendations, the timers of senders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import dcqcn_rows, ecn_rows, lossless_rows
from netdesign.errors import DesignError
from netdesign.network.lossless.dcqcn import sender_sets
from netdesign.network.lossless.ecn import (
    bandwidth_delay_product,
    disagreement,
    ecn_threshold_bound,
    marking_probability,
    markings,
    pfc_threshold_bound,
)
from netdesign.network.lossless.traffic_class import traffic_class

FOLDER = data_directory()


def test_the_papers_example():
    # 12 MB, 32 ports, 8 priorities, 22.4 KB of headroom each, beta 8.
    numbers = lossless_rows(FOLDER)
    groups = 32 * numbers["paper_priorities"].value
    reserved = groups * 22.4e3
    assert pfc_threshold_bound(12e6, reserved, groups) == pytest.approx(24.47e3, rel=1e-3)
    bound = ecn_threshold_bound(12e6, reserved, groups, numbers["paper_beta"].value)
    assert bound == pytest.approx(21.75e3, rel=1e-3)


@pytest.mark.parametrize(("gbps", "size"), [(400, 400e3), (800, 800e3)])
def test_bytes_in_flight(gbps, size):
    assert bandwidth_delay_product(gbps / 8 * 1e9, 8e-6) == pytest.approx(size)


def test_every_recommendation_at_400g():
    found = {entry.id: entry for entry in markings(ecn_rows(FOLDER).values(), 400, 1e6)}
    assert len(found) == 9
    assert (found["dcqcn-paper"].kmin, found["dcqcn-paper"].kmax) == (5e3, 200e3)
    assert (found["hpcc-artefact"].kmin, found["hpcc-artefact"].kmax) == (1.6e6, 6.4e6)
    assert found["hpcc-dctcp"].kmin == found["hpcc-dctcp"].kmax == 1.2e6
    assert found["onyx-roce"].kmin == 150e3
    assert found["cumulus-roce"].kmin is None
    assert found["cumulus-roce"].begins == 1_501_500
    assert found["sonic-azure-lossless"].kmin == 2**20
    assert found["sonic-arista-th5"].kmax == 262_144
    assert (found["apstra-dcqcn"].kmin, found["apstra-dcqcn"].kmax) == (550e3, 900e3)
    assert {entry.grade for entry in found.values()} == {"verified", "recalled"}
    assert disagreement(found.values()) == (5e3, 1.6e6)


def test_those_that_grow_with_the_speed_do_and_others_do_not():
    at = {
        gbps: {entry.id: entry.kmin for entry in markings(ecn_rows(FOLDER).values(), gbps, 1e6)}
        for gbps in (25, 100)
    }
    assert at[25]["hpcc-artefact"] == 100e3
    assert at[100]["hpcc-artefact"] == 400e3
    assert at[25]["onyx-roce"] == at[100]["onyx-roce"]


def test_the_share_of_marked_packets():
    queue = np.array([0, 5e3, 102.5e3, 200e3, 201e3])
    share = marking_probability(queue, 5e3, 200e3, 0.01)
    np.testing.assert_allclose(share, [0, 0, 0.005, 0.01, 1.0])
    np.testing.assert_allclose(marking_probability(np.array([3e4, 3.1e4]), 3e4, 3e4, 1.0), [0, 1])


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    buffer=st.floats(1e6, 1e9),
    share=st.floats(0, 2),
    groups=st.integers(1, 2048),
    beta=st.floats(0.01, 100),
)
def test_marking_is_bounded_below_the_pause(buffer, share, groups, beta):
    pause = pfc_threshold_bound(buffer, share * buffer, groups)
    mark = ecn_threshold_bound(buffer, share * buffer, groups, beta)
    assert (pause < 0) == (share > 1)
    assert abs(mark) <= abs(pause)
    assert mark == pytest.approx(pause * beta / (beta + 1))


def test_timers_differ_fifty_times():
    paper, tuned = sender_sets(dcqcn_rows(FOLDER), 400)
    assert (paper.name, tuned.name) == ("paper", "vendor-tuned")
    assert [paper.alpha_timer, paper.decrease_timer, paper.increase_timer] == [50e-6, 50e-6, 55e-6]
    assert [tuned.alpha_timer, tuned.decrease_timer, tuned.increase_timer] == [1e-6, 4e-6, 300e-6]
    assert paper.alpha_timer / tuned.alpha_timer == pytest.approx(50)
    assert paper.gain == 1 / 256
    # 5 Mb/s at 25G are 80 Mb/s at 400G.
    assert paper.additive_increase == pytest.approx(80e6 / 8)
    assert paper.hyper_increase == pytest.approx(800e6 / 8)
    assert paper.recovery_time(25e9) == pytest.approx(2500 * 55e-6)


@pytest.mark.parametrize(
    ("byte", "dscp", "ecn", "priority"),
    [
        (160, 40, 0, 5),
        (41, 10, 1, 1),
        (104, 26, 0, 3),
        (106, 26, 2, 3),
        (0, 0, 0, 0),
        (96, 24, 0, 3),
    ],
)
def test_the_byte_of_nccl(byte, dscp, ecn, priority):
    found = traffic_class(byte)
    assert (found.dscp, found.ecn, found.ordinary_priority) == (dscp, ecn, priority)


@pytest.mark.parametrize("byte", [-1, 256, 1000])
def test_a_class_that_is_no_byte(byte):
    with pytest.raises(DesignError, match="is not a byte; give 0 to 255"):
        traffic_class(byte)
