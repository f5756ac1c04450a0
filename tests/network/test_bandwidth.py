"""algbw and busbw as nccl-tests states them."""

from __future__ import annotations

import numpy as np
import pytest

from netdesign.errors import DesignError
from netdesign.network.collectives import (
    OPERATIONS,
    algorithm_bandwidth,
    bus_bandwidth,
    bus_bandwidth_factor,
)


# Factors of doc/PERFORMANCE.md of nccl-tests for 8 ranks.
@pytest.mark.parametrize(
    ("operation", "factor"),
    [
        ("all-reduce", 1.75),
        ("reduce-scatter", 0.875),
        ("all-gather", 0.875),
        ("all-to-all", 0.875),
        ("broadcast", 1.0),
        ("send", 1.0),
    ],
)
def test_factors(operation, factor):
    assert bus_bandwidth_factor(operation, 8) == factor
    assert operation in OPERATIONS


# Rows as nccl-tests printed them: operation, ranks, bytes, microseconds, algbw and busbw in GB/s.
PRINTED = [
    # xxrjun/nccl-tests-cluster, one node of 8 H100
    ("all-reduce", 8, 17179869184, 62340.7, 275.58, 482.27),
    ("all-gather", 8, 17179869184, 41542.0, 413.55, 361.86),
    ("all-to-all", 8, 17179869184, 43193.3, 397.74, 348.03),
    # deepops, two DGX A100
    ("all-reduce", 16, 4294967296, 42715, 100.55, 188.53),
    # mghpcc/aicr-benchmarks, one node of B200
    ("broadcast", 8, 17179869184, 24853.1, 691.26, 691.26),
]


@pytest.mark.parametrize(("operation", "ranks", "size", "us", "algbw", "busbw"), PRINTED)
def test_rows_as_printed(operation, ranks, size, us, algbw, busbw):
    time = us * 1e-6
    assert algorithm_bandwidth(size, time) / 1e9 == pytest.approx(algbw, rel=2e-4)
    assert bus_bandwidth(operation, size, time, ranks) / 1e9 == pytest.approx(busbw, rel=2e-4)


def test_one_rank_shows_no_bus_bandwidth():
    for operation in OPERATIONS:
        assert bus_bandwidth(operation, 1e9, 1.0, 1) == 0


def test_arrays():
    ranks = np.array([1, 2, 4, 8])
    assert bus_bandwidth("all-reduce", 1e9, 1.0, ranks) == pytest.approx(
        [0, 1e9, 1.5e9, 1.75e9], rel=1e-12
    )


def test_an_unknown_operation_is_named():
    with pytest.raises(DesignError, match="'allreduce'.*all-reduce"):
        bus_bandwidth("allreduce", 1.0, 1.0, 8)
