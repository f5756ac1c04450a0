"""Rows and parameters of perftest in SI units, and the unit that the figures themselves prove."""

from __future__ import annotations

import re
from statistics import median
from typing import Any

from netdesign.audit.perftest import grammar
from netdesign.audit.perftest.content import BandwidthRow, LatencyRow, PortShare, Setup

_CLOSE = 0.02  # relative: prints of two and six decimals agree within it
_SMALLEST_RATE = 1e-4  # million messages/s; below it six decimals are too few to tell
_MEGA = 1e6  # message rates are printed in millions
Cells = dict[str, float | None]


def bandwidth_row(cells: Cells, unit: str, line: int) -> BandwidthRow:
    """A row of a bandwidth table in SI units; a peak of 0 was not measured."""
    factor = grammar.FACTORS.get(unit)

    def speed(name: str) -> float | None:
        value = cells.get(name)
        return None if value is None or factor is None else value * factor

    ports = tuple(
        PortShare(speed(f"port{port}"), _per_second(cells.get(f"rate{port}")))
        for port in (1, 2)
        if f"port{port}" in cells
    )
    level = cells.get("sl")
    return BandwidthRow(
        size=int(cells["bytes"] or 0),
        iterations=_whole(cells.get("iterations")),
        average=speed("average"),
        peak=speed("peak") or None,
        messages=_per_second(cells.get("rate")),
        ports=ports,
        processor=cells.get("cpu"),
        service_level=_whole(level),
        line=line,
    )


def latency_row(cells: Cells, columns: grammar.Columns, line: int) -> LatencyRow:
    """A row of a latency table in seconds."""

    def time(name: str) -> float | None:
        value = cells.get(name)
        return None if value is None or columns.time == 0 else value * columns.time

    return LatencyRow(
        size=int(cells["bytes"] or 0),
        iterations=_whole(cells.get("iterations")),
        average=time("t_avg"),
        typical=time("t_typical"),
        minimum=time("t_min"),
        maximum=time("t_max"),
        deviation=time("t_stdev"),
        p99=time("p99"),
        p999=time("p999"),
        per_second=cells.get("tps"),
        line=line,
    )


def _per_second(millions: float | None) -> float | None:
    return None if millions is None else millions * _MEGA


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def compare_units(ratios: dict[str, list[float]], cells: Cells) -> None:
    """Keep, for each unit, what the message rate makes of the average; 1 where the unit is it."""
    average, rate = cells.get("average"), cells.get("rate")
    if not average or not rate or rate < _SMALLEST_RATE or average < 1:  # too few digits to tell
        return
    bandwidth = rate * _MEGA * (cells["bytes"] or 0)
    for unit, factor in (*grammar.FACTORS.items(), ("10^6 B/sec", _MEGA)):
        ratios.setdefault(unit, []).append(bandwidth / (average * factor))


def unit_seen(ratios: dict[str, list[float]]) -> str:
    """The unit that message rate x bytes proves; "" where none fits."""
    fitting = {unit: abs(median(values) - 1) for unit, values in ratios.items() if values}
    best = min(fitting, key=lambda unit: fitting[unit], default="")
    return best if best and fitting[best] < _CLOSE else ""


def setup_of(given: dict[str, str], command: dict[str, Any]) -> Setup:
    """The block of parameters; the command line fills what the block does not say."""
    dual = given.get("Dual-port")
    cm = given.get("rdma_cm QPs")
    return Setup(
        device=given.get("Device") or command.get("device"),
        transport=given.get("Transport type"),
        connection=given.get("Connection type") or command.get("connection"),
        link_type=given.get("Link type"),
        mtu=_leading(given.get("Mtu")),
        queue_pairs=_leading(given.get("Number of qps")) or command.get("queue_pairs"),
        gid_index=_leading(given.get("GID index")),
        outstanding_reads=_leading(given.get("Outstand reads")),
        bidirectional=bool(command.get("bidirectional")),
        dual_port=dual == "ON" if dual else bool(command.get("dual_port")),
        rdma_cm=cm == "ON" if cm else (True if command.get("rdma_cm") else None),
        gpu_memory=bool(command.get("gpu_memory")) or given.get("Use ROCm memory") == "ON",
        by_duration=bool(command.get("by_duration")),
    )


def _leading(text: str | None) -> int | None:
    """The whole number that a text begins with."""
    found = re.match(r"\d{1,9}", text or "")
    return int(found[0]) if found else None
