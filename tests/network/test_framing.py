"""Framing and latency of transports."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.network.transport import effective_bandwidth, frame_efficiency

ROCE_HEADERS = 8 + 12 + 14 + 4 + 20 + 8 + 12 + 4  # preamble, gap, Ethernet, FCS, IP, UDP, BTH, ICRC
INFINIBAND_HEADERS = 8 + 12 + 4 + 2  # LRH, BTH, ICRC, VCRC


# Ceilings by framing: RoCEv2 98.0 and 92.6 %, InfiniBand 99.4 and 97.5 %.
@pytest.mark.parametrize(
    ("mtu", "headers", "share"),
    [
        (4096, ROCE_HEADERS, 0.980),
        (1024, ROCE_HEADERS, 0.926),
        (4096, INFINIBAND_HEADERS, 0.994),
        (1024, INFINIBAND_HEADERS, 0.975),
    ],
)
def test_frames(mtu, headers, share):
    assert frame_efficiency(mtu, headers) == pytest.approx(share, abs=5e-4)


def test_roce_tops_out_1_4_percent_below_infiniband():
    ratio = frame_efficiency(4096, ROCE_HEADERS) / frame_efficiency(4096, INFINIBAND_HEADERS)
    assert 1 - ratio == pytest.approx(0.014, abs=1e-3)


# DeepSeek, ISCA 2025, Table 5, 64 B end to end: same leaf, cross leaf (two switches more).
@pytest.mark.parametrize(
    ("transport", "same", "cross"), [("infiniband", 2.8, 3.7), ("roce-hashed", 3.6, 5.6)]
)
def test_latency_across_leaves(transport, same, cross):
    row = load_catalog().transports[transport]
    assert row.latency(1) * 1e6 == pytest.approx(same)
    assert row.latency(2) * 1e6 == pytest.approx(cross)


@settings(deadline=None)
@given(
    line=st.floats(1e8, 1e12),
    framing=st.floats(0.5, 1),
    balance=st.floats(0.05, 1),
    share=st.floats(0, 1),
)
def test_effective_bandwidth_is_between_balance_and_line(line, framing, balance, share):
    reached = effective_bandwidth(line, framing, balance, share)
    assert line * framing * balance * (1 - 1e-9) <= reached <= line * framing * (1 + 1e-9)
    assert effective_bandwidth(line, framing) == line * framing
    assert effective_bandwidth(line, framing, balance, 0.0) == pytest.approx(line * framing)


def test_arrays_equal_loops():
    balance = np.array([0.5, 0.8, 1.0])
    together = effective_bandwidth(50e9, 0.98, balance, 0.5)
    assert together == pytest.approx([effective_bandwidth(50e9, 0.98, b, 0.5) for b in balance])
