"""The lines around the rows: settings, rank list, column names, summary."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SETTINGS = re.compile(
    r"nThreads?:?\s+\d+\s+nGpus:?\s+\d+\b|nGpus\(perProc\)\s+\d+\s+minBytes\s+\d"
)
_OPTION = re.compile(
    r"(nThreads?|nGpus|minBytes|maxBytes|step|warmup ?iters|agg iters|[A-Za-z_]+):?\s+"
    r"(-?\d{1,18}|[A-Za-z0-9]{1,40})(?:\((\w+)\))?",
    re.I,
)
_RANK = re.compile(
    r"\bRank\s+(\d{1,7})\s+(?:Group\s+(\d{1,7})\s+)?(?:Pid\s+(\d{1,12})\s+)?"
    r"(?:on\s+(\S+)\s+)?(?:uses\s+)?"
    r"device\s+(\d{1,4})(?:\s+\[([^\]]{0,40})\])?\s*(.{0,120})"
)
_DEVICE = re.compile(r"^\W*Device\s+(\d{1,4})\s+->\s+(\d{1,4})\s+\[([^\]]{0,40})\]\s*(.{0,120})")
_TESTS = re.compile(r"(nccl|rccl)-tests:? version:?\s+(\S{1,60})", re.I)
_LIBRARY = re.compile(r"nccl-library=(\d{4,7})")
_BUILT = re.compile(r"nccl-headers=(\d{4,7})")
_NCCL = re.compile(r"\b[NR]CCL version\s*+:?\s*+(\d+\.\d+(?:\.\d+)?)")
_COMPILED = re.compile(r"NCCL Tests compiled with NCCL (\d+\.\d+[\w.]*)")
_COLLECTIVE = re.compile(r"Collective test (starting|concluded):\s*(\S{1,80})")
_BOUNDS = re.compile(r"Out of bounds values\s*:\s*(-?\d{1,18})(?!\d)\s*(OK|FAILED)?")
_AVERAGE = re.compile(r"Avg bus bandwidth\s*+:?\s*+([-+\w.]{1,30})(?:\s+(OK|FAILED))?")
_REDUCED = re.compile(r"Reducing maxBytes to (\d{1,18})(?!\d)")
_COMMENTS = re.compile(
    r"^\W*Using devices\s*$|#\s*(?:Blocking Enabled|Parallel Init Enabled|Per-Iteration Report"
    r"|Testing \d+ cycle"
    r"|Errors with asterisks|Writing JSON output|skipping json output|GPU memory usage"
    r"|Bitwise |Memory used|Using devices\b|NCCL Tests compiled|Report )"
    r"|^(?:HIP version |ROCm version|Hostname    |Librccl path)\s*:"
)
THIS_NODE = ""  # host of versions that run in one process only
_COLUMN_NAMES = {
    "bytes": "size",
    "n": "count",
    "op": "redop",
    "cputime": "cputime",
    "#wrong": "wrong",
    "wrong": "wrong",
    "error": "error",
    "res": "error",
}
_FAILURE_SIGNS = (
    "ailure",
    "ailed",
    "CANCELLED",
    "ABORT",
    "nccl",
    "unhandled",
    "Invalid",
    "not found",
)
_FAILURE = re.compile(
    r"Test (?:NCCL |CUDA |HIP )?failure\b|NCCL failure|\bTest failed\b|Invalid number of GPUs"
    r"|STEP \S+ (?:ON \S+ )?CANCELLED|CANCELLED AT .{0,80}TIME LIMIT|MPI_ABORT was invoked"
    r"|ncclInternalError|ncclUnhandledCudaError|ncclSystemError|ncclRemoteError"
    r"|unhandled (?:system|cuda) error|_perf: command not found"
)


@dataclass(frozen=True, slots=True)
class RankLine:
    """One GPU of the list under "Using devices"."""

    rank: int
    group: int
    pid: int | None
    host: str | None
    device: int
    bus: str
    name: str


def settings_of(text: str) -> dict[str, str] | None:
    """Options of the ``# nThread`` line, by their printed names."""
    found = _SETTINGS.search(text)
    if found is None:
        return None
    options: dict[str, str] = {}
    for name, value, kind in _OPTION.findall(text[found.start() : found.start() + 600]):
        plain = {"warmupiters": "warmup iters", "nthreads": "nThread"}.get(name.lower(), name)
        options.setdefault(plain, f"{value}({kind})" if kind else value)
    return options


def rank_line_of(text: str) -> RankLine | None:
    """A line of the list of GPUs, of any version."""
    found = _RANK.search(text)
    if found is not None:
        rank, group, pid, host, device, bus, name = found.groups()
        return RankLine(
            int(rank),
            int(group or 0),
            int(pid) if pid else None,
            THIS_NODE if host is None and " uses " in found[0] else host,
            int(device),
            bus or "",
            name.strip(),
        )
    old = _DEVICE.search(text)
    if old is None:
        return None
    return RankLine(int(old[1]), 0, None, THIS_NODE, int(old[2]), old[3], old[4].strip())


_FEWEST = {"time", "algbw", "busbw"}
_MORE = {"count", "wrong", "error"}


def columns_of(text: str) -> tuple[str, ...] | None:
    """Names of the columns behind the type, None when this is no line of column names."""
    words = text.replace("|", " ").lower().split()
    for start, word in enumerate(words[:12]):
        if word.lstrip("#") in ("size", "bytes") and start + 1 < len(words):
            break
    else:
        return None
    names = [_COLUMN_NAMES.get(word, word) for word in words[start + 2 :]]
    if "busbw" not in names or "type" not in names:
        return None
    return tuple(names[names.index("type") + 1 :])


def few_columns_of(text: str) -> tuple[str, ...] | None:
    """All names of a table that somebody shortened: size, time, algbw, busbw and no type."""
    words = text.replace("|", " ").replace("#", " ").lower().split()
    names = tuple(_COLUMN_NAMES.get(word, word) for word in words)
    if not names or names[0] not in ("size", "bytes") or len(set(names)) < len(names):
        return None
    return names if _FEWEST <= set(names) <= _FEWEST | _MORE | {names[0]} else None


def time_unit_of(text: str) -> float | None:
    """Seconds of the unit in the line under the column names."""
    for sign, seconds in (("(us)", 1e-6), ("(ms)", 1e-3), ("(s)", 1.0)):
        if sign in text:
            return seconds
    return None


def rate_unit_of(text: str) -> float | None:
    """Bytes/s of the unit in the line under the column names."""
    if "(GiB/s)" in text:
        return float(2**30)
    for sign, rate in (("(GB/s)", 1e9), ("(MB/s)", 1e6), ("(KB/s)", 1e3)):
        if sign in text:
            return rate
    return None


def collective_of(text: str) -> tuple[str, str] | None:
    """("starting" or "concluded", program)."""
    found = _COLLECTIVE.search(text)
    return None if found is None else (found[1], found[2])


def versions_of(text: str) -> dict[str, str]:
    """Versions that a line prints: of the tests, of the library, of the headers."""
    versions = {}
    if (tests := _TESTS.search(text)) is not None:
        versions["tests"] = tests[2]
    if (library := _LIBRARY.search(text)) is not None:
        versions["nccl"] = nccl_version_of(int(library[1]))
    if (built := _BUILT.search(text)) is not None:
        versions["headers"] = nccl_version_of(int(built[1]))
    if (printed := _NCCL.search(text)) is not None:
        versions["nccl"] = printed[1]
    if (compiled := _COMPILED.search(text)) is not None:
        versions["headers"] = compiled[1]
    return versions


def nccl_version_of(code: int) -> str:
    """2.28.7 of 22807; before 2.9 of 2804."""
    if code >= 10_000:
        return f"{code // 10_000}.{code // 100 % 100}.{code % 100}"
    return f"{code // 1000}.{code // 100 % 10}.{code % 100}"


def bounds_of(text: str) -> tuple[int, bool | None] | None:
    """Wrong values over all sizes and ranks, and the verdict of the tool."""
    found = _BOUNDS.search(text)
    if found is None:
        return None
    count = int(found[1])
    return count, (found[2] == "OK" if found[2] else count == 0)


def average_of(text: str) -> tuple[str, bool | None] | None:
    """The printed average, and the verdict of the tool when it was given a least one."""
    found = _AVERAGE.search(text)
    return None if found is None else (found[1], None if found[2] is None else found[2] == "OK")


def reduced_size_of(text: str) -> int | None:
    """The largest size when memory did not suffice for the one asked for."""
    found = _REDUCED.search(text)
    return None if found is None else int(found[1])


def is_failure(text: str) -> bool:
    """Whether a line says that a test broke off."""
    return any(sign in text for sign in _FAILURE_SIGNS) and _FAILURE.search(text) is not None


def is_known_comment(text: str) -> bool:
    """Whether nccl-tests prints this line, and it changes nothing here."""
    return _COMMENTS.search(text) is not None
