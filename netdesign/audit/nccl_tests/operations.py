"""Operations of nccl-tests: their names, their bus bandwidth factor, and what rows tell of them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from netdesign.audit.nccl_tests.tables import Row, Side
from netdesign.network.bandwidth import bus_bandwidth_factor

_LAW = {  # operation of nccl-tests: the one whose factor it has
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "alltoall": "all-to-all",
    "alltoallv": "all-to-all",
    "sendrecv": "send",
    "broadcast": "broadcast",
    "reduce": "broadcast",
    "gather": "all-gather",
    "scatter": "all-gather",
    "hypercube": "send",
}
OPERATIONS = tuple(_LAW)
# The printed size is that of all ranks together, the count that of one.
DIVIDED = ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter", "hypercube")
_ALIKE = {"all_gather", "alltoall", "alltoallv", "hypercube"}
_BY_LETTERS = {name.replace("_", ""): name for name in OPERATIONS} | {
    "all2all": "alltoall",
    "all2allv": "alltoallv",
    "bcast": "broadcast",
    "allreducebias": "all_reduce",
    "sendreceive": "sendrecv",
    "send": "sendrecv",
}
_PROGRAM = re.compile(r"\b([a-z][a-z0-9_]{3,30}?)_perf(?![a-z0-9])")
_IN_NAME = re.compile(
    r"(?<![a-z])(all[-_ ]?reduce|all[-_ ]?gather|reduce[-_ ]?scatter|all[-_ ]?to[-_ ]?allv?"
    r"|send[-_ ]?recv|broadcast|hypercube|gather|scatter|reduce)(?![a-z])"
)
TYPE_BYTES = {
    "int8": 1,
    "uint8": 1,
    "char": 1,
    "int32": 4,
    "uint32": 4,
    "int": 4,
    "int64": 8,
    "uint64": 8,
    "half": 2,
    "float": 4,
    "double": 8,
    "bfloat16": 2,
    "fp8_e4m3": 1,
    "fp8_e5m2": 1,
    "f8e4m3": 1,
    "f8e5m2": 1,
}


def operation_named(text: str) -> str | None:
    """The operation of a program or a person's name for it: all_reduce_perf, AllReduce."""
    letters = re.sub(r"[^a-z0-9]", "", text.lower().rsplit("/", 1)[-1].split("_perf")[0])
    return _BY_LETTERS.get(letters)


def operation_run(text: str) -> str | None:
    """The operation whose program stands in a command line, None if none does."""
    found = _PROGRAM.search(text)
    return None if found is None else operation_named(found[1])


def operation_in_name(name: str) -> str | None:
    """The one operation that a file's name speaks of."""
    found = {operation_named(word) for word in _IN_NAME.findall(name.lower())}
    return found.pop() if len(found) == 1 else None


def factor(operation: str, ranks: float) -> float:
    """Bus bandwidth over algorithm bandwidth, 1."""
    return float(bus_bandwidth_factor(_LAW[operation], ranks))


def shrinks_with_one_rank(operation: str | None) -> bool:
    """Whether one rank alone shows a bus bandwidth of 0."""
    return operation is None or _LAW[operation] not in ("send", "broadcast")


def ranks_of_ratio(operation: str, low: float, high: float) -> tuple[float, float] | None:
    """Ranks between which busbw over algbw lies from ``low`` to ``high``; None if it tells nothing.

    An empty range (first above second) says that the ratio is not one of this operation.
    """
    law = _LAW[operation]
    if law in ("send", "broadcast"):
        return (1.0, math.inf) if low <= 1 <= high else (math.inf, 0.0)
    top = 2.0 if law == "all-reduce" else 1.0
    if low >= top:
        return math.inf, 0.0
    return top / (top - max(0.0, low)), math.inf if high >= top else top / (top - high)


def ratio_bounds(rows: Sequence[Row]) -> tuple[float, float] | None:
    """Between which values busbw over algbw lies in every row, as far as printed digits tell.

    Half a row that is out of step with the others widens the bounds, it does not empty them.
    """
    parts = []
    for row in rows:
        for side in row.sides:
            half = side.resolution * 0.51
            if side.algbw < 40 * half:  # fewer digits tell nothing
                continue
            least = (side.busbw - half) / (side.algbw + half)
            parts.append((least, (side.busbw + half) / (side.algbw - half)))
    if not parts:
        return None
    parts.sort(key=lambda part: part[1] - part[0])
    low, high = parts[0]
    for lower, upper in parts[1:]:
        if max(low, lower) <= min(high, upper):
            low, high = max(low, lower), min(high, upper)
    return low, high


def ranks_by_count(rows: Sequence[Row]) -> int | None:
    """Printed size over that of the counted elements, if all rows agree; 1 for undivided ones."""
    found: int | None = None
    for row in rows:
        width = TYPE_BYTES.get(row.type)
        if width is None or row.count <= 0 or row.size <= 0:
            continue
        shares, rest = divmod(row.size, row.count * width)
        if rest or shares < 1 or found not in (None, shares):
            return None
        found = shares
    return found


def possible_operations(rows: Sequence[Row], shares: int | None) -> tuple[str, ...]:
    """Operations whose rows look like these; all that the columns do not rule out."""
    if not rows:
        return ()
    row = rows[0]
    reduces = row.redop is not None
    rooted = row.root is not None and row.root >= 0
    if shares is None:  # counts that do not divide the sizes, of a table typed by hand
        return () if reduces or rooted or row.root is None else _unrooted(rows)
    if reduces and shares > 1:
        return ("reduce_scatter",)
    if reduces:
        return ("reduce",) if rooted else _summed(rows)
    if shares == 1:
        return ("broadcast",) if rooted else ("sendrecv",)
    if rooted:
        return ("gather", "scatter")
    return _unrooted(rows)


def _summed(rows: Sequence[Row]) -> tuple[str, ...]:
    """Send-receive prints the reduction that it was given too, and never checks in place."""
    pairs = [(row.out_of_place, row.in_place) for row in rows if row.size > 0]
    checked = [(_is_checked(out), _is_checked(within)) for out, within in pairs if out and within]
    if any(within for _, within in checked):
        return ("all_reduce",)
    return ("sendrecv",) if any(out for out, _ in checked) else ("all_reduce", "sendrecv")


def _is_checked(side: Side) -> bool:
    return side.wrong is not None or side.deviation is not None


def is_denied(told: str, possible: Sequence[str]) -> bool:
    """Whether rows rule out an operation; what tells all-gather from all-to-all is too faint."""
    if not possible or told in possible:
        return False
    return told not in _ALIKE or not _ALIKE & set(possible)


def _unrooted(rows: Sequence[Row]) -> tuple[str, ...]:
    """All-gather checks its result in place; all-to-all cannot, and prints N/A there."""
    pairs = [(row.out_of_place, row.in_place) for row in rows if row.size > 0]
    checked = [(out.wrong, within.wrong) for out, within in pairs if out and within]
    if any(out is not None for out, _ in checked):
        if all(within is None for _, within in checked):
            return ("alltoall",)
        return ("all_gather",)
    return ("all_gather", "alltoall")
