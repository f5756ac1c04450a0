"""A ring with one slow link: the closed form, the average that misleads, and the schedule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.network.collectives import ring_allreduce_time
from netdesign.network.slow_link import (
    average_link_bandwidth,
    ring_schedule,
    slow_ring_allreduce_time,
)

RANKS = st.integers(2, 24)
SHARE = st.floats(0.05, 1.0)
SIZE = st.floats(1e3, 1e11)
LATENCY = st.floats(0.0, 1e-4)
HEALTHY = 50e9  # 400 Gb/s


def links(ranks: int, share: float, slow: int = 0) -> np.ndarray:
    rates = np.full(ranks, HEALTHY)
    rates[slow % ranks] *= share
    return rates


def test_a_cable_at_half_rate_halves_the_ring() -> None:
    # Requirements guide, claim A03: "one bad cable can halve ring throughput". With the numbers
    # of claim A01: 7e9 bf16 gradients over 512 GPUs, 27.95 GB sent by each.
    sent = 2 * 511 / 512 * 14e9
    assert sent == pytest.approx(27.95e9, rel=1e-3)
    assert slow_ring_allreduce_time(14e9, 512, HEALTHY, 1.0, 0.0) == pytest.approx(sent / 50e9)
    assert slow_ring_allreduce_time(14e9, 512, HEALTHY, 0.5, 0.0) == pytest.approx(sent / 25e9)


def test_a_cable_above_half_rate_does_less() -> None:
    # Why the claim is conditional: the ring runs at the share of the link, whatever that is.
    whole = slow_ring_allreduce_time(14e9, 512, HEALTHY, 1.0, 0.0)
    assert slow_ring_allreduce_time(14e9, 512, HEALTHY, 0.8, 0.0) == pytest.approx(1.25 * whole)


def test_the_average_of_512_links_hides_the_slow_one() -> None:
    assert average_link_bandwidth(400.0, 512, 0.5) == pytest.approx(399.609375)
    assert average_link_bandwidth(400.0, 1, 0.5) == pytest.approx(200.0)


def test_arrays_broadcast() -> None:
    times = slow_ring_allreduce_time(1e9, np.array([[2], [8]]), HEALTHY, np.array([0.5, 1.0]), 0.0)
    assert times.shape == (2, 2)
    np.testing.assert_allclose(times[:, 0], 2 * times[:, 1])


def test_one_rank_takes_no_time() -> None:
    assert slow_ring_allreduce_time(1e9, 1, HEALTHY, 0.1, 1e-5) == 0
    assert ring_schedule(1e9, links(1, 0.1), 1e-5).duration == 0


@given(SIZE, RANKS, SHARE, LATENCY)
def test_a_healthy_ring_is_the_limit(size: float, ranks: int, share: float, latency: float) -> None:
    healthy = ring_allreduce_time(size, ranks, HEALTHY, latency)
    slow = slow_ring_allreduce_time(size, ranks, HEALTHY, share, latency)
    assert slow >= healthy * (1 - 1e-12)
    assert slow <= healthy / share * (1 + 1e-12)
    assert slow_ring_allreduce_time(size, ranks, HEALTHY, 1.0, latency) == pytest.approx(healthy)


@given(SIZE, RANKS, SHARE, LATENCY, st.integers(0, 23))
def test_the_schedule_takes_as_long_as_the_closed_form(
    size: float, ranks: int, share: float, latency: float, slow: int
) -> None:
    schedule = ring_schedule(size, links(ranks, share, slow), latency)
    closed = slow_ring_allreduce_time(size, ranks, HEALTHY, share, latency)
    assert schedule.duration == pytest.approx(closed, rel=1e-9)
    assert schedule.start.shape == (2 * (ranks - 1), ranks)


@given(SIZE, RANKS, SHARE, LATENCY, st.integers(0, 23))
def test_no_rank_sends_what_it_has_not_received(
    size: float, ranks: int, share: float, latency: float, slow: int
) -> None:
    schedule = ring_schedule(size, links(ranks, share, slow), latency)
    received = np.roll(schedule.end[:-1], 1, axis=1)
    assert np.all(schedule.start[1:] >= received)
    assert np.all(schedule.start[1:] >= schedule.end[:-1])


def test_only_the_slow_rank_is_always_busy() -> None:
    busy = ring_schedule(8e9, links(8, 0.25, slow=3), 0.0).busy_share
    assert busy[3] == pytest.approx(1.0)
    assert np.delete(busy, 3) == pytest.approx(0.25)
