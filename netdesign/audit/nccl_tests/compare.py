"""Tables of one file beside each other: a slow pair of nodes, runs that differ, more nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median_high

from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.curve import curve_of
from netdesign.audit.nccl_tests.rates import spans_one_domain
from netdesign.audit.nccl_tests.results import is_invalid, is_single
from netdesign.audit.nccl_tests.tables import Table
from netdesign.audit.nccl_tests.wording import gbs, machine, rate_text
from netdesign.audit.report import Finding
from netdesign.wording import binary_size

_MOST_NAMED = 8  # hosts in a message


def compare_findings(tables: Sequence[Table]) -> Iterator[Finding]:
    """Verdicts that take more than one table."""
    sound = [
        (number, table)
        for number, table in enumerate(tables, 1)
        if table.rows and table.operation and not is_invalid(table) and not is_single(table)
    ]
    alike: dict[tuple[object, ...], list[tuple[int, Table]]] = {}
    for number, table in sound:
        key = (table.operation, table.ranks, table.nodes, table.devices, table.rows[0].type)
        if table.ranks is not None:
            alike.setdefault(key, []).append((number, table))
    for group in alike.values():
        yield from _alike(group)
    yield from _with_nodes(sound)


def _at_common_size(tables: Sequence[Table]) -> tuple[int, list[float]] | None:
    """The largest size that all have, and its bandwidths."""
    curves = [{point.size: point.busbw for point in curve_of(table.rows)} for table in tables]
    common = set(curves[0]).intersection(*curves[1:])
    size = max(common, default=0)
    if size < limit("cliff-from"):
        return None
    return size, [curve[size] for curve in curves]


def _alike(group: Sequence[tuple[int, Table]]) -> Iterator[Finding]:
    """Runs of the same operation and number of GPUs."""
    if len(group) < 2 or (found := _at_common_size([table for _, table in group])) is None:
        return
    size, rates = found
    usual = median_high(rates)
    slow = [place for place, rate in enumerate(rates) if rate < limit("worth-a-look") * usual]
    if not slow:
        return
    suspects = _suspects(group, slow)
    worst = min(slow, key=lambda place: rates[place])
    one = group[0][1]
    said = (
        f"{len(slow)} of {len(group)} runs of {one.operation} on {machine(one)} are slow: down to "
        f"{rate_text(rates[worst])} at {binary_size(size)}, where {rate_text(usual)} is usual"
    )
    names = ", ".join(suspects[:_MOST_NAMED])
    evidence = {
        "tables": [group[place][0] for place in slow],
        "slowest_gbs": gbs(rates[worst]),
        "usual_gbs": gbs(usual),
        "size_bytes": size,
        "hosts": suspects[:100],
    }
    if suspects:
        yield Finding(
            "sick-node",
            "warning",
            f"table {group[worst][0]}",
            f"{said}. Every slow run, and no other, has {names}: look at the NICs, cables and "
            "GPUs there.",
            evidence,
        )
    else:
        yield Finding(
            "runs-differ",
            "note",
            f"table {group[worst][0]}",
            f"{said}. With the same settings that is a sick link, other traffic, or nodes that are "
            "further apart with an oversubscribed or badly balanced tier between them: test pairs "
            "of nodes to find it.",
            evidence,
        )


def _suspects(group: Sequence[tuple[int, Table]], slow: Sequence[int]) -> list[str]:
    """Hosts of every slow run that no other run has."""
    if len(group) < 3 or len(slow) * 2 > len(group):
        return []
    hosts = [set(table.hosts) for _, table in group]
    every = set.intersection(*(hosts[place] for place in slow))
    others = [hosts[place] for place in range(len(group)) if place not in slow]
    return sorted(every.difference(*others))


def _with_nodes(tables: Sequence[tuple[int, Table]]) -> Iterator[Finding]:
    """Bandwidth that falls as nodes are added; that of two nodes may be twice what they carry."""
    by_operation: dict[str, dict[int, Table]] = {}
    for _, table in tables:
        nodes = table.nodes or 0
        ring = table.operation in ("all_reduce", "all_gather", "reduce_scatter")
        if ring and nodes > 1 and not spans_one_domain(table):
            by_operation.setdefault(table.operation or "", {}).setdefault(nodes, table)
    for operation, by_nodes in by_operation.items():
        counts = sorted(by_nodes)
        pair = 2 in by_nodes
        starts = counts[1:] if pair else counts
        said = False
        if len(starts) > 1:
            entry = _fall(operation, by_nodes, starts[0], starts[-1], 1.0)
            said = entry is not None
            if entry is not None:
                yield entry
        if pair and starts and not said:
            twice = 0.5 if operation == "all_reduce" else 1.0
            entry = _fall(operation, by_nodes, 2, starts[-1], twice)
            if entry is not None:
                yield entry


def _fall(
    operation: str, by_nodes: dict[int, Table], few: int, many: int, counts_for: float
) -> Finding | None:
    """Many nodes against few, of whose figure only a part counts."""
    found = _at_common_size([by_nodes[few], by_nodes[many]])
    if found is None:
        return None
    size, (first, last) = found
    if last >= limit("worth-a-look") * first * counts_for:
        return None
    half = " (a tree may have doubled that)" if counts_for < 1 else ""
    lost = ""
    if last < limit("deep-fall") * first:
        lost = " So deep a fall is most often RoCE that loses packets: PFC and ECN are missing."
    if set(by_nodes[many].network.links) == {"IB"}:  # which loses none
        lost = ""
    return Finding(
        "falls-with-nodes",
        "warning",
        f"{operation}, {few} to {many} nodes",
        f"Bandwidth at {binary_size(size)} falls from {rate_text(first)} on {few} nodes{half} to "
        f"{rate_text(last)} on {many}.{lost} From three nodes on large messages should keep it: "
        "look for oversubscription, flows that collide, a fabric that loses packets, or one slow "
        "node; small messages fall by themselves.",
        {
            "size_bytes": size,
            "nodes": [few, many],
            "first_gbs": gbs(first),
            "last_gbs": gbs(last),
        },
    )
