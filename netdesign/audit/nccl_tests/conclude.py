"""From the lines of a table to what it is: units, operation, ranks, nodes, whether it is whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from netdesign.audit.nccl_tests import operations
from netdesign.audit.nccl_tests.cells import Cells, Half, number
from netdesign.audit.nccl_tests.draft import Draft, RankList
from netdesign.audit.nccl_tests.header import THIS_NODE
from netdesign.audit.nccl_tests.seen import LogSeen
from netdesign.audit.nccl_tests.tables import Row, Side, Source, Table

_MOST_MORE_PODS = 1000  # beyond the highest that is named
_TIME_UNITS = (1e-6, 1e-3, 1.0)
_SHORTEST, _LONGEST = 1e-9, 1e3  # s; beyond them time and bandwidth are not of one run


def table_of(draft: Draft, run: Sequence[Draft], name: str) -> Table:
    """The table of a draft; ``run`` are the drafts of one run of the program, this one too."""
    rows = _rows(draft)
    claimed = draft.claimed_ranks or _log(draft).ranks
    shares = operations.ranks_by_count(rows)
    bounds = operations.ratio_bounds(rows)
    possible = tuple(name for name in _possible(draft, rows, shares) if _fits(name, bounds, shares))
    told, told_from = _told(draft, possible, name)
    if told is None and possible == ("all_reduce", "sendrecv"):
        possible = _summed(draft, bounds)
    listed = draft.ranks.listed if draft.jobs == 1 else 1
    operation, source = _operation(told, told_from, possible)
    ranks = _ranks(operation, possible, shares, bounds, draft, claimed)
    nodes, nodes_from = _nodes(draft, ranks.count)
    whole = [other for other in run if _ended(other)]
    single = len(run) == 1
    shown = next((other for other in whole if other.bounds is not None), draft)
    return Table(
        operation=operation,
        operation_from=source,
        told_operation=told,
        possible=possible,
        ranks=ranks.count,
        ranks_from=ranks.source,
        listed_ranks=listed,
        claimed_ranks=claimed,
        ratio_ranks=ranks.by_ratio,
        groups=max(1, len(draft.ranks.groups)),
        nodes=nodes,
        nodes_from=nodes_from,
        hosts=tuple(host for host in draft.ranks.hosts if host != THIS_NODE),
        devices=tuple(draft.ranks.devices),
        version=draft.version,
        nccl_version=draft.nccl_version or next(iter(_log(draft).versions), None),
        options=dict(draft.options),
        rows=rows,
        printed_average=_average(draft) if single else None,
        average_ok=shown.average_ok,
        out_of_bounds=shown.bounds,
        out_of_bounds_ok=shown.bounds_ok,
        complete=bool(whole) and bool(rows) or _reached_its_end(draft, rows),
        first_line=draft.first_line,
        last_line=draft.last_line,
        pods=draft.pods,
        job_names=draft.job_names,
        headers_version=draft.headers_version,
        splices=draft.dots,
        jobs=draft.jobs,
        failures=tuple(draft.failures),
        network=_log(draft).frozen(),
    )


def _log(draft: Draft) -> LogSeen:
    return draft.log if draft.log is not None else LogSeen()


def _ended(draft: Draft) -> bool:
    return draft.average is not None or draft.bounds is not None or draft.concluded is not None


def _average(draft: Draft) -> float | None:
    value = None if draft.average is None else number(draft.average)
    return None if value is None else value * (draft.rate_unit or 1e9)


def _rows(draft: Draft) -> tuple[Row, ...]:
    rate = draft.rate_unit or 1e9
    unit = _time_unit(draft.cells, rate) or draft.time_unit or 1e-6
    counts_wrong = _counts_wrong(draft)
    return tuple(
        Row(
            cells.size,
            cells.count,
            cells.type,
            cells.redop,
            cells.root,
            _side(cells.halves[0], unit, rate, counts_wrong),
            _side(cells.halves[1], unit, rate, counts_wrong),
            cells.line,
        )
        for cells in draft.cells
    )


def _counts_wrong(draft: Draft) -> bool:
    """Whether the fourth column counts wrong elements, and is not the largest deviation."""
    if draft.columns is not None:
        return "error" not in draft.columns
    return any(cells.root is not None for cells in draft.cells)


def _side(half: Half | None, unit: float, rate: float, counts_wrong: bool) -> Side | None:
    if half is None:
        return None
    return Side(
        half.time * unit,
        half.algbw * rate,
        half.busbw * rate,
        half.wrong if counts_wrong else None,
        None if counts_wrong else half.wrong,
        10.0**-half.decimals * rate,
    )


def _time_unit(cells: Sequence[Cells], rate: float) -> float | None:
    """Seconds of the unit that brings size over time nearest to the printed bandwidth."""
    found = []
    for row in cells:
        for half in row.halves:
            if half is not None and half.time > 0 and half.algbw > 20 * 10.0**-half.decimals:
                unit = row.size / (half.algbw * rate) / half.time
                if _SHORTEST < unit < _LONGEST:
                    found.append(unit)
                break
    if not found:
        return None
    middle = median(found)
    return min(_TIME_UNITS, key=lambda unit: abs(math.log(unit / middle)))


def _possible(draft: Draft, rows: Sequence[Row], shares: int | None) -> tuple[str, ...]:
    if draft.jobs > 1 or (draft.ranks.listed == 1 and shares == 1 and not _is_sent(rows)):
        return ()  # one rank has the columns of every operation
    possible = operations.possible_operations(rows, shares)
    columns = draft.columns
    if columns is None or "error" not in columns or "root" in columns or len(possible) < 2:
        return possible
    if "all_reduce" in possible:
        return possible
    if draft.time_unit is None:
        return ()  # the first versions count otherwise
    # Before the columns were the same for all, only all-gather had none for the reduction.
    return ("alltoall",) if "redop" in columns else ("all_gather",)


def _is_sent(rows: Sequence[Row]) -> bool:
    return any(row.redop is not None and (row.busbw or 0) > 0 for row in rows)


def _told(draft: Draft, possible: Sequence[str], name: str) -> tuple[str | None, Source]:
    claims: tuple[tuple[str | None, Source], ...] = (
        (draft.started and operations.operation_named(draft.started), "header"),
        (draft.concluded and operations.operation_named(draft.concluded), "concluded"),
        (draft.command, "command"),
    )
    for operation, source in claims:
        if operation:
            return operation, source
    named = operations.operation_in_name(name)
    if named is not None and not operations.is_denied(named, possible):
        return named, "file name"
    return None, "unknown"


def _operation(
    told: str | None, source: Source, possible: Sequence[str]
) -> tuple[str | None, Source]:
    """What was told, unless the rows deny it and leave one other."""
    if told is not None and not operations.is_denied(told, possible):
        return told, source
    others = [name for name in possible if name != told]
    if len(others) == 1:
        return others[0], "columns"
    return told, source


def _summed(draft: Draft, bounds: tuple[float, float] | None) -> tuple[str, ...]:
    """All-reduce, unless more ranks are listed than its ratio allows."""
    listed = draft.ranks.listed or 0
    even = bounds is not None and bounds[0] <= 1 <= bounds[1]
    return ("sendrecv",) if even and listed > 2 else ("all_reduce",)


def _fits(operation: str, bounds: tuple[float, float] | None, shares: int | None) -> bool:
    """Whether busbw over algbw can be that of an operation, early versions too."""
    if bounds is None or bounds[1] == 0:
        return True
    found = operations.ranks_of_ratio(operation, *bounds)
    if found is None or (shares is not None and shares > 1 and bounds[0] <= 1 <= bounds[1]):
        return True
    return found[0] <= found[1]


@dataclass(frozen=True)
class _Ranks:
    count: int | None
    source: Source
    by_ratio: tuple[int, int] | None


def _ranks(
    operation: str | None,
    possible: Sequence[str],
    shares: int | None,
    bounds: tuple[float, float] | None,
    draft: Draft,
    claimed: int | None,
) -> _Ranks:
    """Ranks by the list, else by count, else by ratio; a list that they deny is given up."""
    name = operation or next(iter(possible), None)
    by_ratio = _whole(name, bounds)
    groups = max(1, len(draft.ranks.groups))
    listed = draft.ranks.listed if draft.jobs == 1 else 1
    divided = shares if shares is not None and shares > 1 else None
    if draft.jobs == 1 and divided is not None and (name in operations.DIVIDED):
        if listed is not None and listed == divided * groups:
            return _Ranks(listed, "rank lines", by_ratio)
        return _Ranks(divided, "count", by_ratio)
    if listed is not None and (by_ratio is None or _within(listed // groups, by_ratio)):
        return _Ranks(listed, "rank lines", by_ratio)
    if by_ratio is not None and by_ratio[0] == by_ratio[1]:
        return _Ranks(by_ratio[0], "ratio", by_ratio)
    log = _log(draft).ranks
    for count, source in ((log, "NCCL log"), (claimed, "surroundings")):
        if count is not None and (by_ratio is None or _within(count, by_ratio)):
            return _Ranks(count, "NCCL log" if source == "NCCL log" else "surroundings", by_ratio)
    if listed is not None and draft.ranks.is_whole:
        return _Ranks(listed, "rank lines", by_ratio)
    return _Ranks(None, "unknown", by_ratio)


def _whole(operation: str | None, bounds: tuple[float, float] | None) -> tuple[int, int] | None:
    if operation is None or bounds is None:
        return None
    found = operations.ranks_of_ratio(operation, *bounds)
    if found is None or found[0] > found[1] or found == (1.0, math.inf):
        return None
    low = math.ceil(found[0] - 1e-6)
    high = math.floor(min(found[1], 1e7) + 1e-6)
    if low > high:  # the digits were rounded twice
        low = high = round((found[0] + found[1]) / 2)
    return max(1, low), max(1, high)


def _within(count: int, span: tuple[int, int]) -> bool:
    return span[0] <= count <= span[1]


def _nodes(draft: Draft, ranks: int | None) -> tuple[int | None, Source]:
    listed = draft.ranks
    if draft.jobs > 1:
        return None, "unknown"
    if listed.hosts and not listed.nameless and not listed.shared_places:
        if listed.is_whole and listed.listed == ranks:
            return len(listed.hosts), "rank lines"
        by_device = _nodes_by_device(listed, ranks)
        if by_device is not None:
            return by_device, "device numbers"
    if ranks is not None and ranks > 1 and ranks == draft.gpus_of_a_process:
        return 1, "settings"
    log = _log(draft)
    if log.nodes is not None and ranks is not None and log.ranks == ranks:
        return log.nodes, "NCCL log"
    if draft.claimed_nodes is not None and (ranks is None or ranks % draft.claimed_nodes == 0):
        return draft.claimed_nodes, "surroundings"
    if draft.pods is not None and ranks is not None and draft.pods <= ranks:
        nearby = range(draft.pods, min(ranks, draft.pods + _MOST_MORE_PODS) + 1)
        fits = next((nodes for nodes in nearby if ranks % nodes == 0), None)
        return fits, "unknown" if fits is None else "surroundings"
    return (1, "rank lines") if ranks == 1 else (None, "unknown")


def _nodes_by_device(listed: RankList, ranks: int | None) -> int | None:
    """Nodes when every node has as many ranks as the device numbers of the listed ones reach."""
    if ranks is None:
        return None
    per_node = max(host.device for host in listed.hosts.values()) + 1
    spans = [host.highest - host.lowest + 1 for host in listed.hosts.values()]
    if ranks % per_node or max(spans) > per_node or len(listed.hosts) > ranks // per_node:
        return None
    if any(host.lowest // per_node != host.highest // per_node for host in listed.hosts.values()):
        return None
    highest = max(listed.hosts.values(), key=lambda host: host.highest)
    if highest.highest % per_node != highest.device:
        return None
    return ranks // per_node


def _reached_its_end(draft: Draft, rows: Sequence[Row]) -> bool:
    """Whether the largest size that was asked for was run."""
    if not rows:
        return False
    most = number(draft.options.get("maxBytes", ""))
    step = draft.options.get("step", "")
    amount = number(step.partition("(")[0])
    if most is None or amount is None:
        return False
    following = rows[-1].size + amount if "bytes" in step else rows[-1].size * max(2.0, amount)
    return following > 1.01 * most
