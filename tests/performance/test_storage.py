"""Sizes of checkpoints, bandwidths of storage, and what training reads."""

from __future__ import annotations

import pytest

from netdesign.catalog import references
from netdesign.catalog.reliability import reliability
from netdesign.congestion.settings import setting
from netdesign.performance.storage import (
    blocking_write_time,
    checkpoint_bytes,
    guideline,
    ingest_bandwidth,
    restart_read_bytes,
    write_bandwidth_needed,
)


# MLPerf Storage v2 lists 105 GB, 912 GB and 5.29 TB for 8B, 70B and 405B: GiB at 14 bytes.
@pytest.mark.parametrize(
    ("parameters", "gib"), [(8.03e9, 104.7), (70e9, 912.7), (405.853e9, 5291.7)]
)
def test_checkpoints_take_14_bytes_a_parameter(parameters: float, gib: float) -> None:
    size = checkpoint_bytes(parameters, reliability("checkpoint-bytes"))
    assert size / 2**30 == pytest.approx(gib, abs=0.06)


def test_bloom_wrote_its_checkpoint_in_40_s() -> None:
    size = checkpoint_bytes(176.25e9)
    assert size / 2**30 == pytest.approx(2298, rel=1e-3)
    assert size / 40 == pytest.approx(62e9, rel=0.01)
    assert blocking_write_time(size, 62e9) == pytest.approx(40, rel=0.01)


def test_a_trillion_parameters_in_a_tenth_of_a_quarter_of_an_hour() -> None:
    needed = write_bandwidth_needed(checkpoint_bytes(1e12), 15 * 60, 0.1)
    assert needed == pytest.approx(156e9, rel=5e-3)
    assert write_bandwidth_needed(14e12, 900) == pytest.approx(needed / 10)


def test_a_language_model_reads_next_to_nothing() -> None:
    # Llama 3.1 405B on 16,384 GPUs at 400 TFLOP/s each: 6 FLOPs a parameter and token.
    tokens_per_s = 16384 * 400e12 / (6 * 405.853e9)
    assert tokens_per_s == pytest.approx(2.7e6, rel=0.01)
    assert ingest_bandwidth(tokens_per_s, reliability("token-bytes")) == pytest.approx(
        11e6, rel=0.03
    )


def test_one_reader_and_a_broadcast_spare_the_storage() -> None:
    assert restart_read_bytes(70e9, 1) == checkpoint_bytes(70e9)
    assert restart_read_bytes(70e9, 128) / restart_read_bytes(70e9, 1) > 18


# DGX SuperPOD H100: GB/s to read and to write.
@pytest.mark.parametrize(
    ("level", "one", "unit", "four"),
    [
        ("good", (4, 2), (15, 7), (60, 30)),
        ("better", (8, 4), (40, 20), (160, 80)),
        ("best", (40, 20), (125, 62), (500, 250)),
    ],
)
def test_the_storage_guideline(
    level: str, one: tuple[int, int], unit: tuple[int, int], four: tuple[int, int]
) -> None:
    rows = guideline()
    for gpus, (read, write) in ((8, one), (256, unit), (1024, four)):
        row = rows[f"{level} {gpus}"]
        assert row.read_bandwidth == read * 1e9
        assert row.write_bandwidth == write * 1e9
        assert row.source in references()


def test_both_floors_count_the_same_bytes() -> None:
    assert reliability("checkpoint-bytes") == setting("checkpoint-bytes")
    assert reliability("token-bytes") == setting("token-bytes")
