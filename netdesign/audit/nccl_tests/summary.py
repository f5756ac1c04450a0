"""A table in figures, in the units of nccl-tests: GB/s (10^9) and microseconds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, Literal

from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.results import is_invalid, is_single
from netdesign.audit.nccl_tests.tables import NcclTests, Row, Side, Table
from netdesign.units import bytes_to_gigabytes

_MOST_ROWS = 2000  # of a table that are listed
Half = Literal["out_of_place", "in_place"]


def summarise(content: NcclTests) -> dict[str, Any]:
    """``tests``, one entry a table."""
    return {"tests": [_table(table) for table in content.tables]}


def _table(table: Table) -> dict[str, Any]:
    rows = table.rows
    average = table.printed_average
    return {
        "operation": table.operation,
        "operation_from": table.operation_from,
        "possible_operations": list(table.possible) if table.operation is None else [],
        "ranks": table.ranks,
        "ranks_from": table.ranks_from,
        "ranks_by_ratio": list(table.ratio_ranks) if table.ratio_ranks else None,
        "nodes": table.nodes,
        "nodes_from": table.nodes_from,
        "groups": table.groups,
        "sizes": len(rows),
        "first_size_bytes": rows[0].size if rows else None,
        "last_size_bytes": rows[-1].size if rows else None,
        "avg_busbw_gbs": _gbs(table.computed_average if average is None else average),
        "avg_from": "printed" if average is not None else ("computed" if rows else None),
        "best_busbw_gbs": _gbs(
            max((row.busbw for row in rows if row.busbw is not None), default=None)
        ),
        **_side_summary(rows, "out_of_place", ""),
        **_side_summary(rows, "in_place", "in_place_"),
        "smallest_latency_us": _micros(smallest_time(rows)),
        "median_small_latency_us": _micros(small_time(rows)),
        "factor": _factor(rows),
        "wrong": table.out_of_bounds if table.is_verified else None,
        "out_of_bounds": table.out_of_bounds,
        "wrong_sizes": table.wrong_sizes,
        "verified": table.is_verified,
        "bandwidth_valid": None if not rows else not (is_invalid(table) or is_single(table)),
        "complete": table.complete,
        "data_type": rows[0].type if rows else None,
        "redop": rows[0].redop if rows else None,
        "hosts": list(table.hosts),
        "devices": list(table.devices),
        "version": table.version,
        "nccl_version": table.nccl_version,
        "options": dict(table.options),
        "first_line": table.first_line,
        "last_line": table.last_line,
        "rows": [_row(row) for row in rows[:_MOST_ROWS]],
    }


def _side_summary(rows: Sequence[Row], half: Half, prefix: str) -> dict[str, Any]:
    run = [(row, side) for row in rows if (side := getattr(row, half)) is not None]
    if not run:
        names = ("peak_busbw_gbs", "peak_size_bytes", "peak_algbw_gbs", "last_busbw_gbs")
        return dict.fromkeys([f"{prefix}{name}" for name in (*names, "mean_busbw_gbs")])
    row, side = max(run, key=lambda pair: pair[1].busbw)
    mean = sum(other.busbw for _, other in run) / len(run)
    return {
        f"{prefix}peak_busbw_gbs": _gbs(side.busbw),
        f"{prefix}peak_size_bytes": row.size,
        f"{prefix}peak_algbw_gbs": _gbs(side.algbw),
        f"{prefix}last_busbw_gbs": _gbs(run[-1][1].busbw),
        f"{prefix}mean_busbw_gbs": _gbs(mean),
    }


def smallest_time(rows: Sequence[Row]) -> float | None:
    """Least time of a message that is not empty, out of place where that was run, s."""
    times = [row.sides[0].time for row in rows if row.size > 0 and row.sides]
    return min(times, default=None)


def small_time(rows: Sequence[Row]) -> float | None:
    """Median time of small messages, both halves, s; None when no small one was run."""
    most = limit("small-message")
    times = [side.time for row in rows if 0 < row.size <= most for side in row.sides]
    return median(times) if times else None


def _factor(rows: Sequence[Row]) -> float | None:
    sides = [side for row in rows for side in row.sides if side.algbw > 0]
    if not sides:
        return None
    best = max(sides, key=lambda side: side.algbw / side.resolution)
    return round(best.busbw / best.algbw, 4)


def _row(row: Row) -> dict[str, Any]:
    entry: dict[str, Any] = {"size_bytes": row.size, "count": row.count, "line": row.line}
    entry.update(_side(row.out_of_place))
    entry["in_place"] = None if row.in_place is None else _side(row.in_place)
    return entry


def _side(side: Side | None) -> dict[str, Any]:
    if side is None:
        return dict.fromkeys(("time_us", "algbw_gbs", "busbw_gbs", "wrong"))
    return {
        "time_us": _micros(side.time),
        "algbw_gbs": _gbs(side.algbw),
        "busbw_gbs": _gbs(side.busbw),
        "wrong": side.wrong,
    }


def _gbs(rate: float | None) -> float | None:
    return None if rate is None else float(f"{bytes_to_gigabytes(rate):.9g}")


def _micros(time: float | None) -> float | None:
    return None if time is None else float(f"{time * 1e6:.9g}")
