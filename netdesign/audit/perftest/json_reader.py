"""Reading perftest's JSON by its keys: whole, one after another, cut, on one line, bare keys."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from netdesign.audit.document import Line
from netdesign.audit.perftest import grammar
from netdesign.audit.perftest.content import Run
from netdesign.audit.perftest.rows import (
    Cells,
    bandwidth_row,
    compare_units,
    latency_row,
    setup_of,
    unit_seen,
)

MOST_TESTS = 20_000
MOST_ROWS = 500_000  # of the whole file
_PAIR = re.compile(r'(?:"([^"\\]{1,40})"|\b(sl))\s*:\s*(?:"([^"\\]{0,100})"|([-+.\w]{1,40}))?')
_INFO = {
    "Dual_port": "Dual-port",
    "Device": "Device",
    "Number_of_qps": "Number of qps",
    "Transport_type": "Transport type",
    "Connection_type": "Connection type",
    "Using_SRQ": "Using SRQ",
    "PCIe_relax_order": "PCIe relax order",
    "ibv_wr_API": "ibv_wr* API",
    "TX_depth": "TX depth",
    "RX_depth": "RX depth",
    "CQ_Moderation": "CQ Moderation",
    "Mtu": "Mtu",
    "Link_type": "Link type",
    "GID_index": "GID index",
    "Max_inline_data": "Max inline data",
    "Outstand_reads": "Outstand reads",
    "rdma_cm_QPs": "rdma_cm QPs",
    "Use_ROCm_memory": "Use ROCm memory",
    "cuda_device": "cuda",
    "Data_ex_method": "Data ex. method",
    "TOS": "TOS",
}
_CELLS = {
    "MsgSize": "bytes",
    "n_iterations": "iterations",
    "BW_peak": "peak",
    "BW_average": "average",
    "MsgRate": "rate",
    "CPU_util": "cpu",
    "CPU_Util": "cpu",
    "sl": "sl",
    "t_min": "t_min",
    "t_max": "t_max",
    "t_typical": "t_typical",
    "t_avg": "t_avg",
    "t_stdev": "t_stdev",
    "percentile_99": "p99",
    "percentile_99.9": "p999",
    "tps_average": "tps",
}
_LATENCY = grammar.Columns(("bytes", "t_avg"), "")


@dataclass
class _Object:
    line: int
    title: str = ""
    given: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, Cells]] = field(default_factory=list)


class JsonRuns:
    """Collects tests line by line."""

    def __init__(self) -> None:
        self._objects: list[_Object] = []
        self._rows = 0

    def take(self, line: Line) -> bool:
        """Whether the line holds keys of perftest's JSON, or only its brackets."""
        text = line.text
        if ":" not in text or ('"' not in text and "sl" not in text):
            return bool(self._objects) and text.strip(" \t,{}[]") == ""
        known = False
        for found in _PAIR.finditer(text):
            key = found[1] or found[2]
            value = found[3] if found[3] is not None else found[4] or ""
            known = self._pair(key, value, line.number) or known
        return known

    def _pair(self, key: str, value: str, number: int) -> bool:
        if key == "test_info" or (key == "test" and grammar.title_of(value)):
            return self._start(key, value, number)
        if key == "results":
            return bool(self._objects)
        if key in _INFO and self._objects:
            self._objects[-1].given.setdefault(_INFO[key], value)
            return True
        if key not in _CELLS or (key == "sl" and not self._objects):
            return False
        return self._cell(_CELLS[key], value, number)

    def _start(self, key: str, value: str, number: int) -> bool:
        last = self._objects[-1] if self._objects else None
        if last is None or last.rows or (last.title and key == "test") or last.given:
            if len(self._objects) >= MOST_TESTS:
                return False
            self._objects.append(_Object(number))
        if key == "test":
            self._objects[-1].title = value
        return True

    def _cell(self, name: str, value: str, number: int) -> bool:
        if self._rows >= MOST_ROWS:
            return False
        if not self._objects:
            self._objects.append(_Object(number))
        rows = self._objects[-1].rows
        if not rows or name in rows[-1][1]:
            rows.append((number, {}))
            self._rows += 1
        rows[-1][1][name] = grammar.number(value)
        return True

    def tests(self) -> list[Run]:
        """All tests; bandwidth only where message rate x bytes tells its unit."""
        return [_test(entry) for entry in self._objects if entry.rows or entry.title]


def _test(entry: _Object) -> Run:
    title = grammar.title_of(entry.title)
    rows = [(line, cells) for line, cells in entry.rows if cells.get("bytes") is not None]
    ratios: dict[str, list[float]] = {}
    for _, cells in rows:
        compare_units(ratios, cells)
    ratios.pop("MB/sec", None)
    seen = unit_seen(ratios)
    measures = ["bw" if "average" in cells else "lat" for _, cells in rows]
    measure = title[1] if title else (measures or ["bw"])[0]
    setup = setup_of(entry.given, {})
    return Run(
        verb=title[0] if title else None,
        measure="bw" if measure == "bw" else "lat",
        line=entry.line,
        setup=replace(
            setup,
            bidirectional=title is not None and title[2],
            gpu_memory=setup.gpu_memory or "cuda" in entry.given,
            is_server="Mtu" in entry.given and "TX depth" not in entry.given,
            by_duration=any("tps" in cells for _, cells in rows),
        ),
        bandwidth=tuple(bandwidth_row(cells, seen, line) for line, cells in rows)
        if measure == "bw"
        else (),
        latency=tuple(latency_row(cells, _LATENCY, line) for line, cells in rows)
        if measure == "lat"
        else (),
        has_table=bool(entry.rows),
        unit=seen,
        unit_seen=seen,
    )
