"""Collectives over equal links: published cost formulas, limits and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.network.collectives import (
    binomial_broadcast_time,
    bruck_all_to_all_time,
    bus_bandwidth,
    chain_broadcast_time,
    nvls_allreduce_time,
    pairwise_all_to_all_time,
    rabenseifner_allreduce_time,
    recursive_doubling_all_gather_time,
    recursive_doubling_allreduce_time,
    recursive_halving_reduce_scatter_time,
    ring_all_gather_time,
    ring_allreduce_time,
    ring_reduce_scatter_time,
    scatter_all_gather_broadcast_time,
    send_time,
    tree_allreduce_time,
    two_tree_broadcast_time,
)

EVERY = [
    binomial_broadcast_time,
    bruck_all_to_all_time,
    chain_broadcast_time,
    nvls_allreduce_time,
    pairwise_all_to_all_time,
    rabenseifner_allreduce_time,
    recursive_doubling_all_gather_time,
    recursive_doubling_allreduce_time,
    recursive_halving_reduce_scatter_time,
    ring_all_gather_time,
    ring_allreduce_time,
    ring_reduce_scatter_time,
    scatter_all_gather_broadcast_time,
    tree_allreduce_time,
    two_tree_broadcast_time,
]
REDUCING = [
    binomial_broadcast_time,
    rabenseifner_allreduce_time,
    recursive_doubling_allreduce_time,
    recursive_halving_reduce_scatter_time,
    ring_allreduce_time,
    ring_reduce_scatter_time,
]

SIZES = st.floats(1, 1e12)
RANKS = st.integers(1, 4096)
BANDWIDTHS = st.floats(1e8, 1e12)
LATENCIES = st.floats(0, 1e-3)

# n = 8, S = 8 units, B = 1 unit a second, a = 10 s: the rows of Thakur, Rabenseifner and Gropp
# (2005), Patarasuk and Yuan (2009), Bruck (1997) and Sanders, Speck and Traeff (2009), by hand.
BY_HAND = [
    (ring_reduce_scatter_time, 7 * 10 + 7),
    (ring_all_gather_time, 7 * 10 + 7),
    (ring_allreduce_time, 14 * 10 + 14),
    (recursive_doubling_allreduce_time, 3 * 18),
    (recursive_halving_reduce_scatter_time, 30 + 7),
    (recursive_doubling_all_gather_time, 30 + 7),
    (rabenseifner_allreduce_time, 60 + 14),
    (binomial_broadcast_time, 3 * 18),
    (scatter_all_gather_broadcast_time, 100 + 14),
    (chain_broadcast_time, (math.sqrt(60) + math.sqrt(8)) ** 2),
    (two_tree_broadcast_time, 8 + 60 + 2 * math.sqrt(2 * 3 * 10 * 8)),
    (tree_allreduce_time, 60 + 16),
    (pairwise_all_to_all_time, 7 * 11),
    (bruck_all_to_all_time, 3 * 14),
    (nvls_allreduce_time, 10 + 8),
]


@pytest.mark.parametrize(("function", "seconds"), BY_HAND, ids=lambda value: str(value))
def test_formula_by_hand(function, seconds):
    assert function(8.0, 8, 1.0, 10.0) == pytest.approx(seconds, rel=1e-12)


# gamma = 1 s a unit on top: (n-1)/n S for what reduces once, S a round for whole messages.
@pytest.mark.parametrize(
    ("function", "extra"),
    [
        (ring_reduce_scatter_time, 7),
        (ring_allreduce_time, 7),
        (recursive_halving_reduce_scatter_time, 7),
        (rabenseifner_allreduce_time, 7),
        (recursive_doubling_allreduce_time, 24),
        (binomial_broadcast_time, 24),
    ],
)
def test_reduction_adds_its_bytes(function, extra):
    assert function(8.0, 8, 1.0, 10.0, 1.0) - function(8.0, 8, 1.0, 10.0) == pytest.approx(extra)


def test_rabenseifner_pays_two_more_messages_beyond_a_power_of_two():
    # Thakur 2005: about 2 a + 2 S b + S y more for other rank counts.
    at_power = rabenseifner_allreduce_time(8.0, 8, 1.0, 10.0, 1.0)
    assert rabenseifner_allreduce_time(8.0, 9, 1.0, 10.0, 1.0) - at_power == pytest.approx(
        20 + 16 + 8
    )


def test_seven_billion_parameters_on_512_gpus_move_28_gigabytes():
    # Claim A01 of the requirements guide: bf16 gradients of 7B over 512 GPUs, "about 28 GB".
    moved = ring_allreduce_time(7e9 * 2, 512, 1.0, 0.0)
    assert moved == pytest.approx(27.945e9, rel=1e-4)


def test_dispatch_and_combine_of_deepseek():
    # DeepSeek-V3 (ISCA 2025): (1 + 2) bytes x 32 tokens x 9 experts x 7,000 at 50 GB/s = 120.96 us.
    assert send_time((1 + 2) * 32 * 9 * 7000, 50e9, 0.0) == pytest.approx(120.96e-6, rel=1e-9)


def test_a_bfloat16_gradient_of_70b_in_one_second():
    # Claim B09: 2 x 70e9 x 2 bytes in 1 s is 280 GB/s, the limit of a ring of many ranks.
    time = ring_allreduce_time(70e9 * 2, 1_000_000, 280e9, 0.0)
    assert time == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("function", EVERY, ids=lambda function: function.__name__)
@settings(max_examples=30, deadline=None)
@given(size=SIZES, bandwidth=BANDWIDTHS, latency=LATENCIES)
def test_one_rank_takes_no_time(function, size, bandwidth, latency):
    assert function(size, 1, bandwidth, latency) == 0


@pytest.mark.parametrize("function", EVERY, ids=lambda function: function.__name__)
@settings(max_examples=30, deadline=None)
@given(size=SIZES, ranks=RANKS, bandwidth=BANDWIDTHS, latency=LATENCIES, more=st.floats(1, 100))
def test_more_bytes_never_faster_more_bandwidth_never_slower(
    function, size, ranks, bandwidth, latency, more
):
    time = function(size, ranks, bandwidth, latency)
    slack = 1 + 1e-12
    assert function(size * more, ranks, bandwidth, latency) * slack >= time
    assert function(size, ranks, bandwidth * more, latency) <= time * slack
    assert function(size, ranks, bandwidth, latency * more) * slack >= time


@pytest.mark.parametrize("function", EVERY, ids=lambda function: function.__name__)
def test_arrays_equal_loops(function):
    sizes = np.array([1.0, 1e6, 1e9])[:, None]
    ranks = np.array([1, 2, 7, 8, 100])
    times = function(sizes, ranks, 50e9, 5e-6)
    assert times.shape == (3, 5)
    for row, size in enumerate(sizes[:, 0]):
        for column, count in enumerate(ranks):
            assert times[row, column] == pytest.approx(
                float(function(float(size), int(count), 50e9, 5e-6)), rel=1e-12
            )


@settings(deadline=None)
@given(size=SIZES, ranks=st.integers(2, 4096), bandwidth=BANDWIDTHS)
def test_busbw_of_a_perfect_ring_is_the_link_rate(size, ranks, bandwidth):
    times = {
        "all-reduce": ring_allreduce_time(size, ranks, bandwidth, 0.0),
        "all-gather": ring_all_gather_time(size, ranks, bandwidth, 0.0),
        "reduce-scatter": ring_reduce_scatter_time(size, ranks, bandwidth, 0.0),
        "all-to-all": pairwise_all_to_all_time(size, ranks, bandwidth, 0.0),
    }
    for operation, time in times.items():
        assert bus_bandwidth(operation, size, time, ranks) == pytest.approx(bandwidth, rel=1e-9)


@settings(deadline=None)
@given(size=SIZES, ranks=st.integers(2, 4096), bandwidth=BANDWIDTHS, latency=LATENCIES)
def test_ring_allreduce_is_reduce_scatter_then_all_gather(size, ranks, bandwidth, latency):
    halves = ring_reduce_scatter_time(size, ranks, bandwidth, latency) + ring_all_gather_time(
        size, ranks, bandwidth, latency
    )
    assert ring_allreduce_time(size, ranks, bandwidth, latency) == pytest.approx(halves, rel=1e-9)


@settings(deadline=None)
@given(size=SIZES, ranks=st.integers(2, 4096), bandwidth=BANDWIDTHS, latency=LATENCIES)
def test_no_allreduce_beats_the_bandwidth_bound(size, ranks, bandwidth, latency):
    # Patarasuk and Yuan 2009: every all-reduce on hosts alone moves 2 (n-1)/n S a rank.
    bound = 2 * (ranks - 1) / ranks * size / bandwidth
    for function in (ring_allreduce_time, rabenseifner_allreduce_time, tree_allreduce_time):
        assert function(size, ranks, bandwidth, latency) >= bound * (1 - 1e-9)


def test_short_messages_want_few_rounds_and_long_ones_a_ring():
    short, long = 1e3, 1e10
    at = (1024, 50e9, 5e-6)
    assert recursive_doubling_allreduce_time(short, *at) < ring_allreduce_time(short, *at)
    assert ring_allreduce_time(long, *at) < recursive_doubling_allreduce_time(long, *at)
    assert bruck_all_to_all_time(short, *at) < pairwise_all_to_all_time(short, *at)
    assert pairwise_all_to_all_time(long, *at) < bruck_all_to_all_time(long, *at)


def test_reducing_functions_take_no_reduction_by_default():
    for function in REDUCING:
        assert function(1e9, 8, 1e9, 0.0) == function(1e9, 8, 1e9, 0.0, 0.0)
