"""What nccl-tests writes with ``-J``: one JSON object for a run, versions 1 to 3."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from netdesign.audit.document import Document
from netdesign.audit.nccl_tests.cells import Cells, Half
from netdesign.audit.nccl_tests.draft import Draft
from netdesign.audit.nccl_tests.header import RankLine, nccl_version_of
from netdesign.audit.nccl_tests.operations import operation_named, operation_run
from netdesign.audit.report import Understood
from netdesign.errors import DesignError

_MOST_REPORTS = 10_000
_MOST_REPAIRS = 5
_LONGEST_REPAIR = 32 * 2**20  # characters
_DEEPEST = 50
_LARGEST = 2**63
_DECIMALS = 6  # of every printed figure
_START = re.compile(r'\{\s{0,80}"(?:version|results|config)"')
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[{}\[\]]', re.DOTALL)
_SETTINGS = {
    "nthreads": "nThread",
    "ngpus": "nGpus",
    "minimum_bytes": "minBytes",
    "maximum_bytes": "maxBytes",
    "warmup_iters": "warmup iters",
    "iterations": "iters",
    "aggregated_iterations": "agg iters",
    "validation": "validation",
    "graph": "graph",
}


def json_drafts(document: Document, used: Understood) -> list[Draft]:
    """The runs of a file that is, or holds, such objects."""
    try:
        text = document.text()
    except DesignError:
        return []
    drafts: list[Draft] = []
    line, counted = 1, 0
    for start, end, report in _objects(text):
        line += text.count("\n", counted, start)
        last = line + text.count("\n", start, end)
        drafts.append(_draft(report, line, last, -len(drafts) - 1))
        used.add_range(line, last)
        line, counted = last, end
    return drafts


def _objects(text: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Objects with results, also one that the end of the file cuts."""
    decoder = json.JSONDecoder(parse_constant=lambda _: None)
    repairs = _MOST_REPAIRS
    found = _START.search(text)
    for _ in range(_MOST_REPORTS):
        if found is None:
            return
        place = found.start()
        value: Any = None
        end = place + 1
        try:
            value, end = decoder.raw_decode(text, place)
        except RecursionError:
            return
        except ValueError:
            if not repairs:
                return
            repairs -= 1
            value, end = _repaired(text[place : place + _LONGEST_REPAIR], end)
        if isinstance(value, dict) and isinstance(value.get("results"), list):
            yield place, end, value
        found = _START.search(text, end)


def _repaired(text: str, start: int) -> tuple[Any, int]:
    """The object whose end is missing, up to its last whole part, and where that ends."""
    closers: list[str] = []
    whole = 0
    wanted = ""
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{[":
            closers.append("}" if sign == "{" else "]")
            if len(closers) > _DEEPEST:
                return None, start
        elif sign in "}]":
            if not closers or closers.pop() != sign or not closers:
                break
            whole, wanted = token.end(), "".join(reversed(closers))
    try:
        value = json.loads(text[:whole] + wanted, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None, start
    return value, start - 1 + whole


def _draft(report: dict[str, Any], first: int, last: int, run: int) -> Draft:
    draft = Draft(first, run, last)
    arguments = [str(word) for word in _list(report.get("args"))]
    results = _list(report.get("results"))
    program = next((operation_run(word) for word in arguments if "_perf" in word), None)
    names = (str(row.get("experiment_name")) for row in results if isinstance(row, dict))
    draft.command = program or operation_named(next(names, ""))
    code = report.get("nccl_version")
    if isinstance(code, int) and 1000 <= code < 10_000_000:
        draft.nccl_version = nccl_version_of(code)
    version = report.get("version")
    draft.version = f"JSON {version}" if isinstance(version, int) else None
    config = report.get("config")
    config = config if isinstance(config, dict) else {}
    draft.options = _options(config)
    for device in _list(config.get("devices")) or _list(report.get("devices")):
        _add_rank(draft, device)
    draft.columns = ("redop", "root", "time", "algbw", "busbw", "wrong")
    draft.time_unit, draft.rate_unit = 1e-6, 1e9
    for result in results:
        cells = _cells(result, first)
        if cells is not None:
            draft.cells.append(cells)
    _summary(draft, report)
    draft.failures = [str(text)[:200] for text in _list(report.get("errors")) if text][:5]
    if draft.failures == ["no error"]:
        draft.failures = []
    return draft


def _options(config: dict[str, Any]) -> dict[str, str]:
    options = {
        plain: str(config[key])
        for key, plain in _SETTINGS.items()
        if _int(config.get(key)) is not None
    }
    for kind in ("factor", "bytes"):
        if _int(config.get(f"step_{kind}")) is not None:
            options["step"] = f"{config[f'step_{kind}']}({kind})"
    return options


def _add_rank(draft: Draft, device: Any) -> None:
    if not isinstance(device, dict) or (rank := _int(device.get("rank"))) is None or rank < 0:
        return
    host = device.get("hostname", device.get("host"))
    draft.ranks.add(
        RankLine(
            min(rank, 10**7),
            _int(device.get("group")) or 0,
            _int(device.get("pid")),
            host if isinstance(host, str) else None,
            _int(device.get("device")) or 0,
            "",
            str(device.get("device_info", device.get("name", ""))).strip()[:120],
        )
    )


def _cells(result: Any, line: int) -> Cells | None:
    if not isinstance(result, dict):
        return None
    size, count = _int(result.get("size")), _int(result.get("count"))
    halves = [_half(result.get("out_of_place")), _half(result.get("in_place"))]
    if size is None or not 0 <= size < _LARGEST or halves == [None, None]:
        return None
    redop = str(result.get("redop", "none")).strip()
    cells = Cells(
        size,
        count or 0,
        str(result.get("type", "")),
        None if redop in ("none", "") else redop,
        [],
        line,
    )
    cells.root = _int(result.get("root"))
    cells.halves = list(halves)
    return cells


def _half(value: Any) -> Half | None:
    if not isinstance(value, dict):
        return None
    time = _float(value.get("time", value.get("cpu_time")))
    algbw, busbw = _float(value.get("alg_bw")), _float(value.get("bus_bw"))
    if time is None or algbw is None or busbw is None or min(time, algbw, busbw) < 0:
        return None
    return Half(time, algbw, busbw, _float(value.get("nwrong")), _DECIMALS)


def _summary(draft: Draft, report: dict[str, Any]) -> None:
    bounds = report.get("out_of_bounds")
    if isinstance(bounds, dict):
        draft.bounds = _int(bounds.get("count"))
        okay = str(bounds.get("okay")).lower()
        draft.bounds_ok = okay == "true" if okay in ("true", "false") else draft.bounds == 0
    average = report.get("average_bus_bandwidth")
    if isinstance(average, dict):
        value = _float(average.get("bandwidth"))
        draft.average = "nan" if value is None else repr(value)
        okay = str(average.get("okay")).lower()
        draft.average_ok = okay == "true" if okay in ("true", "false") else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _int(value: Any) -> int | None:
    if isinstance(value, str) and len(value) < 30:
        value = value.strip()
        return int(value) if value.lstrip("-").isdecimal() and value.isascii() else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _float(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    value = float(value) if abs(value) < 1e300 else float("inf")
    return value if value == value and value != float("inf") else None


@dataclass(frozen=True)
class Record:
    """One half of a row, as rccl-tests writes it to a file with ``-x``."""

    operation: str | None
    type: str
    redop: str | None
    ranks: int | None
    nodes: int | None
    size: int
    in_place: bool
    half: Half


def record_of(text: str) -> Record | None:
    """The record in a line, None if there is none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(text[start : end + 1], parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    size = _int(value.get("size"))
    half = _half(
        {
            "time": value.get("time"),
            "alg_bw": value.get("algBw"),
            "bus_bw": value.get("busBw"),
            "nwrong": _int(value.get("wrong")),
        }
    )
    if size is None or half is None or not 0 <= size < _LARGEST:
        return None
    redop = str(value.get("redop", "none"))
    tasks, gpus = _int(value.get("ranks")), _int(value.get("gpusPerRank")) or 1
    return Record(
        operation_named(str(value.get("name"))),
        str(value.get("type", "")),
        None if redop in ("none", "") else redop,
        None if tasks is None else tasks * gpus,
        _int(value.get("nodes")) or None,
        size,
        value.get("inPlace") in (1, True),
        half,
    )
