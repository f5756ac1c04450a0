"""How do findings on nccl-tests say a rate, a time, a table and its machine?"""

from __future__ import annotations

from netdesign.audit.nccl_tests.tables import Table
from netdesign.units import bytes_per_second_to_gbps, bytes_to_gigabytes
from netdesign.wording import plural


def rate_text(rate: float) -> str:
    """GB/s with as many digits as nccl-tests prints."""
    return f"{bytes_to_gigabytes(rate):.2f} GB/s"


def gbs(rate: float) -> float:
    """GB/s for evidence."""
    return round(float(bytes_to_gigabytes(rate)), 4)


def gbps_text(rate: float) -> str:
    """Gb/s of a port."""
    return f"{bytes_per_second_to_gbps(rate):g} Gb/s"


def time_text(time: float) -> str:
    """Microseconds, or milliseconds from ten of them on."""
    return f"{time * 1e3:.4g} ms" if time >= 10e-3 else f"{time * 1e6:.4g} us"


def place(table: Table, number: int, tables: int) -> str:
    """Where a table stands in its file."""
    name = table.operation or "operation not known"
    label = f"table {number} ({name})" if tables > 1 else name
    return f"{label}, lines {table.first_line} to {table.last_line}"


def machine(table: Table) -> str:
    """16 GPUs on 2 nodes."""
    if table.ranks is None:
        return "an unknown number of GPUs"
    gpus = plural(table.ranks, "GPU")
    return gpus if table.nodes is None else f"{gpus} on {plural(table.nodes, 'node')}"
