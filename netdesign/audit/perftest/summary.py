"""What a file of perftest holds, in the units that its readers use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from netdesign.audit.context import Context
from netdesign.audit.perftest.content import BandwidthRow, LatencyRow, PerftestRuns, Run
from netdesign.units import bytes_per_second_to_gbps, seconds_to_microseconds

_MEGA = 1e6


def summarise(runs: PerftestRuns) -> dict[str, Any]:
    """``tests``, in the order of the file; null is what the file does not say."""
    return {"tests": [_test(test, runs) for test in runs.tests]}


def informed(runs: PerftestRuns, context: Context) -> PerftestRuns:
    """The runs with the rate of a port that is known beside the file."""
    return replace(runs, known_rate=context.port_rate)


def _test(test: Run, runs: PerftestRuns) -> dict[str, Any]:
    setup = test.setup
    record: dict[str, Any] = {
        "test": test.name,
        "line": test.line,
        "transport": setup.transport,
        "connection": setup.connection,
        "device": setup.device,
        "link_type": setup.link_type,
        "mtu_bytes": setup.mtu,
        "queue_pairs": setup.queue_pairs,
        "gid_index": setup.gid_index,
        "outstanding_reads": setup.outstanding_reads,
        "bidirectional": setup.bidirectional,
        "dual_port": setup.dual_port,
        "rdma_cm": setup.rdma_cm,
        "gpu_memory": setup.gpu_memory,
        "complete": bool(test.bandwidth or test.latency),
    }
    if test.measure == "bw":
        best = test.best
        record |= {
            "sizes": len({row.size for row in test.bandwidth}),
            "unit": test.unit or None,
            "best_gbps": None if best is None else gbps(best.average),
            "best_size_bytes": None if best is None else best.size,
            "share_of_line": _share(test, runs),
            "rows": [_bandwidth(row) for row in test.bandwidth],
        }
    else:
        first = min(test.latency, key=lambda row: row.size, default=None)
        record |= {
            "sizes": len({row.size for row in test.latency}),
            "latency_us": None if first is None else us(first.average),
            "latency_size_bytes": None if first is None else first.size,
            "rows": [_latency(row) for row in test.latency],
        }
    return record


def _share(test: Run, runs: PerftestRuns) -> float | None:
    rate = runs.port_rate
    if rate is None or test.best is None or test.best.average is None:
        return None
    return round(test.best.average / capacity(test, rate), 4)


def capacity(test: Run, port_rate: float) -> float:
    """Bytes/s that the ports of a test can carry in all directions that its figure sums."""
    return port_rate * (2 if test.setup.bidirectional else 1) * (2 if test.setup.dual_port else 1)


def gbps(value: float | None) -> float | None:
    """Gb/s of bytes/s."""
    return None if value is None else round(float(bytes_per_second_to_gbps(value)), 6)


def us(value: float | None) -> float | None:
    """Microseconds of seconds."""
    return None if value is None else round(float(seconds_to_microseconds(value)), 6)


def _mpps(value: float | None) -> float | None:
    return None if value is None else round(value / _MEGA, 6)


def _bandwidth(row: BandwidthRow) -> dict[str, Any]:
    record: dict[str, Any] = {
        "size_bytes": row.size,
        "iterations": row.iterations,
        "bw_average_gbps": gbps(row.average),
        "bw_peak_gbps": gbps(row.peak),
        "message_rate_mpps": _mpps(row.messages),
    }
    if row.service_level is not None:
        record["service_level"] = row.service_level
    if row.processor is not None:
        record["cpu_percent"] = row.processor
    if row.ports:
        record["ports"] = [
            {"bw_average_gbps": gbps(port.bandwidth), "message_rate_mpps": _mpps(port.messages)}
            for port in row.ports
        ]
    return record


def _latency(row: LatencyRow) -> dict[str, Any]:
    record = {
        "size_bytes": row.size,
        "iterations": row.iterations,
        "average_us": us(row.average),
        "typical_us": us(row.typical),
        "min_us": us(row.minimum),
        "max_us": us(row.maximum),
        "stdev_us": us(row.deviation),
        "p99_us": us(row.p99),
        "p999_us": us(row.p999),
    }
    if row.per_second is not None:
        record["messages_per_second"] = row.per_second
    return record
