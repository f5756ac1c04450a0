"""Units: round trips, shapes, and the traps of the field."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign import units

PAIRS = [
    (units.gbps_to_bytes_per_second, units.bytes_per_second_to_gbps),
    (units.gigabytes_to_bytes, units.bytes_to_gigabytes),
    (units.terabytes_to_bytes, units.bytes_to_terabytes),
    (units.megabytes_to_bytes, units.bytes_to_megabytes),
    (units.kibibytes_to_bytes, units.bytes_to_kibibytes),
    (units.mebibytes_to_bytes, units.bytes_to_mebibytes),
    (units.gibibytes_to_bytes, units.bytes_to_gibibytes),
    (units.teraflops_to_flops, units.flops_to_teraflops),
    (units.nanoseconds_to_seconds, units.seconds_to_nanoseconds),
    (units.microseconds_to_seconds, units.seconds_to_microseconds),
    (units.milliseconds_to_seconds, units.seconds_to_milliseconds),
    (units.hours_to_seconds, units.seconds_to_hours),
    (units.days_to_seconds, units.seconds_to_days),
    (units.kilowatts_to_watts, units.watts_to_kilowatts),
]
NAMES = [there.__name__ for there, _ in PAIRS]


@pytest.mark.parametrize(("there", "back"), PAIRS, ids=NAMES)
@given(value=st.floats(min_value=0, max_value=1e15))
def test_there_and_back(there, back, value):
    assert back(there(value)) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(("there", "back"), PAIRS, ids=NAMES)
def test_arrays_keep_their_shape_and_match_scalars(there, back):
    values = np.array([[0.0, 1.0, 2.5], [10.0, 400.0, 1e6]])
    for convert in (there, back):
        result = convert(values)
        assert result.shape == values.shape
        assert result.tolist() == [[convert(value) for value in row] for row in values.tolist()]


@pytest.mark.parametrize(
    ("convert", "value", "expected"),
    [
        (units.gbps_to_bytes_per_second, 400, 50e9),  # an NDR port moves 50 GB/s one way
        (units.bytes_per_second_to_gbps, 12.5e9, 100),
        (units.gigabytes_to_bytes, 80, 80e9),
        (units.mebibytes_to_bytes, 25, 26_214_400),
        (units.bytes_to_gibibytes, 2**30, 1),
        (units.terabytes_to_bytes, 3.35, 3.35e12),
        (units.teraflops_to_flops, 989, 989e12),
        (units.microseconds_to_seconds, 2.8, 2.8e-6),
        (units.nanoseconds_to_seconds, 500, 5e-7),
        (units.seconds_to_days, 86_400, 1),
        (units.watts_to_kilowatts, 10_200, 10.2),
        (units.watts_to_megawatts, 1.2e6, 1.2),
    ],
)
def test_known_values(convert, value, expected):
    assert convert(value) == pytest.approx(expected, rel=1e-15)


def test_checkpoint_sizes_of_mlperf_storage_are_gibibytes():
    # MLPerf Storage v2: 14 bytes a parameter give 104.7, 912.7 and 5,291.7 GiB.
    sizes = units.bytes_to_gibibytes(14.0 * np.array([8.03e9, 70.0e9, 405.85e9]))
    assert sizes == pytest.approx([104.7, 912.7, 5291.7], rel=1e-3)


def test_constants_agree():
    assert units.SECONDS_PER_DAY == units.HOURS_PER_DAY * units.SECONDS_PER_HOUR
    assert units.HOURS_PER_YEAR == units.DAYS_PER_YEAR * units.HOURS_PER_DAY == 8760
    assert units.SECONDS_PER_HOUR == 60 * units.SECONDS_PER_MINUTE
