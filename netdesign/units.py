"""Conversions between the units people write and the SI units used inside.

Inside: bytes, seconds, bytes per second, FLOP/s, watts. Every function takes a number or a NumPy
array and keeps its shape. GB is 10^9 bytes, GiB is 2^30 bytes; a bandwidth is one direction.
This is the only module that knows that eight bits make a byte.
"""

from __future__ import annotations

from typing import Final, TypeVar

from netdesign.arrays import Array, Numeric

Quantity = TypeVar("Quantity", float, Array, Numeric)

BITS_PER_BYTE: Final = 8
SECONDS_PER_MINUTE: Final = 60
SECONDS_PER_HOUR: Final = 3600
SECONDS_PER_DAY: Final = 86_400
HOURS_PER_DAY: Final = 24
HOURS_PER_YEAR: Final = 8760
DAYS_PER_YEAR: Final = 365
BYTES_PER_KIBIBYTE: Final = 2**10
BYTES_PER_MEBIBYTE: Final = 2**20
BYTES_PER_GIBIBYTE: Final = 2**30


def gbps_to_bytes_per_second(gbps: Quantity) -> Quantity:
    """Gigabits per second to bytes per second."""
    return gbps * (1e9 / BITS_PER_BYTE)


def bytes_per_second_to_gbps(bandwidth: Quantity) -> Quantity:
    """Bytes per second to gigabits per second."""
    return bandwidth * (BITS_PER_BYTE / 1e9)


def gigabytes_to_bytes(gigabytes: Quantity) -> Quantity:
    """Gigabytes (10^9) to bytes; also GB/s to bytes/s."""
    return gigabytes * 1e9


def bytes_to_gigabytes(size: Quantity) -> Quantity:
    """Bytes to gigabytes (10^9); also bytes/s to GB/s."""
    return size / 1e9


def terabytes_to_bytes(terabytes: Quantity) -> Quantity:
    """Terabytes (10^12) to bytes; also TB/s to bytes/s."""
    return terabytes * 1e12


def bytes_to_terabytes(size: Quantity) -> Quantity:
    """Bytes to terabytes (10^12); also bytes/s to TB/s."""
    return size / 1e12


def megabytes_to_bytes(megabytes: Quantity) -> Quantity:
    """Megabytes (10^6) to bytes."""
    return megabytes * 1e6


def bytes_to_megabytes(size: Quantity) -> Quantity:
    """Bytes to megabytes (10^6)."""
    return size / 1e6


def kibibytes_to_bytes(kibibytes: Quantity) -> Quantity:
    """Kibibytes (2^10) to bytes."""
    return kibibytes * float(BYTES_PER_KIBIBYTE)


def bytes_to_kibibytes(size: Quantity) -> Quantity:
    """Bytes to kibibytes (2^10)."""
    return size / float(BYTES_PER_KIBIBYTE)


def mebibytes_to_bytes(mebibytes: Quantity) -> Quantity:
    """Mebibytes (2^20) to bytes."""
    return mebibytes * float(BYTES_PER_MEBIBYTE)


def bytes_to_mebibytes(size: Quantity) -> Quantity:
    """Bytes to mebibytes (2^20)."""
    return size / float(BYTES_PER_MEBIBYTE)


def gibibytes_to_bytes(gibibytes: Quantity) -> Quantity:
    """Gibibytes (2^30) to bytes."""
    return gibibytes * float(BYTES_PER_GIBIBYTE)


def bytes_to_gibibytes(size: Quantity) -> Quantity:
    """Bytes to gibibytes (2^30)."""
    return size / float(BYTES_PER_GIBIBYTE)


def teraflops_to_flops(teraflops: Quantity) -> Quantity:
    """TFLOP/s to FLOP/s."""
    return teraflops * 1e12


def flops_to_teraflops(flops: Quantity) -> Quantity:
    """FLOP/s to TFLOP/s."""
    return flops / 1e12


def nanoseconds_to_seconds(nanoseconds: Quantity) -> Quantity:
    """Nanoseconds to seconds."""
    return nanoseconds / 1e9


def seconds_to_nanoseconds(seconds: Quantity) -> Quantity:
    """Seconds to nanoseconds."""
    return seconds * 1e9


def microseconds_to_seconds(microseconds: Quantity) -> Quantity:
    """Microseconds to seconds."""
    return microseconds / 1e6


def seconds_to_microseconds(seconds: Quantity) -> Quantity:
    """Seconds to microseconds."""
    return seconds * 1e6


def milliseconds_to_seconds(milliseconds: Quantity) -> Quantity:
    """Milliseconds to seconds."""
    return milliseconds / 1e3


def seconds_to_milliseconds(seconds: Quantity) -> Quantity:
    """Seconds to milliseconds."""
    return seconds * 1e3


def seconds_to_hours(seconds: Quantity) -> Quantity:
    """Seconds to hours."""
    return seconds / float(SECONDS_PER_HOUR)


def hours_to_seconds(hours: Quantity) -> Quantity:
    """Hours to seconds."""
    return hours * float(SECONDS_PER_HOUR)


def seconds_to_days(seconds: Quantity) -> Quantity:
    """Seconds to days."""
    return seconds / float(SECONDS_PER_DAY)


def days_to_seconds(days: Quantity) -> Quantity:
    """Days to seconds."""
    return days * float(SECONDS_PER_DAY)


def watts_to_kilowatts(watts: Quantity) -> Quantity:
    """Watts to kilowatts."""
    return watts / 1e3


def kilowatts_to_watts(kilowatts: Quantity) -> Quantity:
    """Kilowatts to watts."""
    return kilowatts * 1e3


def watts_to_megawatts(watts: Quantity) -> Quantity:
    """Watts to megawatts."""
    return watts / 1e6
