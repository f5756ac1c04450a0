"""What the file leaves open or contradicts: ranks, nodes, operation, versions, rows left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.operations import factor, is_denied, ranks_of_ratio, ratio_bounds
from netdesign.audit.nccl_tests.tables import Table
from netdesign.audit.nccl_tests.wording import gbs, rate_text
from netdesign.audit.report import Finding
from netdesign.wording import binary_size

_VERSION = re.compile(r"(?<![\d.])(\d\.\d{1,2}\.\d{1,2})(?![\d.]*\d)")


def doubt_findings(table: Table, where: str, name: str) -> Iterator[Finding]:
    """What to ask the person who gave the file, and what to mistrust in it."""
    if table.rows:
        yield from _operation(table, where)
        yield from _ranks(table, where)
        yield from _nodes(table, where)
        yield from _sizes(table, where)
        yield from _average(table, where)
    yield from _versions(table, where, name)
    if table.groups > 1 and table.communicator is not None:
        yield Finding(
            "several-groups",
            "note",
            where,
            f"{table.groups} groups of {table.communicator} ranks ran at the same time: the "
            "bandwidth is that of one group, and the NICs carried all of them.",
            {"groups": table.groups, "ranks_of_a_group": table.communicator},
        )


def _operation(table: Table, where: str) -> Iterator[Finding]:
    told = table.told_operation
    if table.operation is None:
        which = " or ".join(table.possible) or "any operation"
        yield Finding(
            "operation-unknown",
            "note",
            where,
            f"Cannot tell which operation this is: {which}? Give the command, or the line "
            '"# Collective test starting".',
            {"possible": list(table.possible)},
        )
    elif told is not None and (told != table.operation or is_denied(told, table.possible)):
        rows = " or ".join(table.possible) or "another operation"
        yield Finding(
            "mislabelled",
            "warning",
            where,
            f"The run is said to be {told}, but its rows are those of {rows}: size, count and "
            "columns do not fit. The file was put together from different runs, or is mislabelled.",
            {"told": told, "rows": list(table.possible), "told_by": table.operation_from},
        )
    else:
        yield from _ratio(table, where)


def _ratio(table: Table, where: str) -> Iterator[Finding]:
    bounds = ratio_bounds(table.rows)
    n = table.communicator
    if bounds is None or n is None or table.operation is None or n < 2:
        return
    found = ranks_of_ratio(table.operation, *bounds)
    if found is None or found[0] - 0.5 <= n <= found[1] + 0.5 or bounds[1] == 0:
        return
    if table.operation in ("all_gather", "reduce_scatter") and bounds[0] <= 1 <= bounds[1]:
        return  # early versions
    ratio = (bounds[0] + bounds[1]) / 2
    yield Finding(
        "mislabelled",
        "warning",
        where,
        f"Bus over algorithm bandwidth is {ratio:.4f}; {table.operation} of {n} ranks prints "
        f"{factor(table.operation, n):.4f}. Operation or number of ranks is not what it is said "
        "to be.",
        {"ratio": round(ratio, 5), "expected": round(factor(table.operation, n), 5), "ranks": n},
    )


def _ranks(table: Table, where: str) -> Iterator[Finding]:
    if table.ranks is None:
        span = table.ratio_ranks
        said = f" Between {span[0]:,} and {span[1]:,} fit the figures." if span else ""
        likely = _likely(span)
        if likely is not None:
            said = f"{said[:-1]}, and of those {likely:,} is the likeliest."
        yield Finding(
            "ranks-unknown",
            "note",
            where,
            f"The number of GPUs is not in the file.{said} Give the rank list or the command.",
            {"fewest": span and span[0], "most": span and span[1], "likely": likely},
        )
        return
    evidence = {"ranks": table.ranks, "listed": table.listed_ranks, "asked": table.claimed_ranks}
    how = f"bus over algorithm bandwidth says {table.ranks}"
    if table.ranks_from == "count":
        how = f"size over count says {table.ranks}"
    if table.listed_ranks is not None and table.listed_ranks != table.ranks and table.jobs == 1:
        yield Finding(
            "rank-list-contradicted",
            "note",
            where,
            f"The rank list reaches {table.listed_ranks} GPUs, but {how}: the list is not whole, "
            "or is that of another run.",
            evidence,
        )
    if table.claimed_ranks is not None and table.claimed_ranks != table.ranks:
        yield Finding(
            "asked-ranks-contradicted",
            "note",
            where,
            f"{table.claimed_ranks} ranks were asked for around this table, but it is of "
            f"{table.ranks}.",
            evidence,
        )
    yield from _job_name(table, where)


def _likely(span: tuple[int, int] | None) -> int | None:
    """The one number of ranks that full nodes give, else half nodes; None without one."""
    if span is None:
        return None
    most = int(limit("gpus-of-a-node"))
    for per_node in (most, most // 2):
        first = -(-span[0] // per_node) * per_node
        if first <= span[1] < first + per_node:
            return first
    return None


def _job_name(table: Table, where: str) -> Iterator[Finding]:
    for name in table.job_names:
        numbers = [int(text) for text in re.findall(r"(?<!\d)\d{2,5}(?!\d)", name)]
        known = {table.ranks, table.nodes}
        if numbers and table.ranks is not None and not known & set(numbers):
            yield Finding(
                "job-name-contradicted",
                "note",
                where,
                f"The job is named {name}, but its figures are those of {table.ranks} GPUs "
                f"(by {table.ranks_from}).",
                {"name": name, "ranks": table.ranks, "pods_at_least": table.pods},
            )


def _nodes(table: Table, where: str) -> Iterator[Finding]:
    if table.nodes is None and table.ranks is not None and table.ranks > 1:
        yield Finding(
            "nodes-unknown",
            "note",
            where,
            f"How the {table.ranks} GPUs are spread over nodes is not in the file: give the rank "
            "list, or say how many nodes.",
            {"ranks": table.ranks},
        )


def _sizes(table: Table, where: str) -> Iterator[Finding]:
    most, least = table.options.get("maxBytes", ""), table.options.get("minBytes", "")
    last, first = table.rows[-1].size, table.rows[0].size
    if most.isdecimal() and last > int(most) * 1.01:
        yield Finding(
            "settings-contradicted",
            "note",
            where,
            f"The settings end at {binary_size(int(most))}, the rows at {binary_size(last)}: "
            "header and rows are of different runs, or the header was edited.",
            {"max_bytes": int(most), "last_size_bytes": last},
        )
    if least.isdecimal() and int(least) > 0 and first > 2 * max(int(least), 1024):
        yield Finding(
            "rows-missing",
            "note",
            where,
            f"The settings start at {binary_size(int(least))}, the rows at {binary_size(first)}: "
            "rows were left out.",
            {"min_bytes": int(least), "first_size_bytes": first},
        )


def _average(table: Table, where: str) -> Iterator[Finding]:
    printed, computed = table.printed_average, table.computed_average
    if printed is None or computed is None or printed <= 0:
        return
    slack = limit("average-mismatch")
    resolution = max(side.resolution for row in table.rows for side in row.sides)
    if abs(printed - computed) > slack * printed + resolution:
        yield Finding(
            "average-contradicted",
            "note",
            where,
            f"The printed average is {rate_text(printed)}, that of the rows {rate_text(computed)}: "
            "rows are missing, or are of another run.",
            {"printed_gbs": gbs(printed), "computed_gbs": gbs(computed)},
        )


def _versions(table: Table, where: str, name: str) -> Iterator[Finding]:
    printed = {table.nccl_version, table.headers_version, *table.network.versions}
    seen = sorted(version for version in printed if version)
    if any(not _are_one(seen[0], other) for other in seen[1:]):
        yield Finding(
            "versions-differ",
            "note",
            where,
            f"More than one NCCL is at work: {', '.join(seen)}. Headers, library and log should be "
            "of one release; check LD_LIBRARY_PATH on every node.",
            {"versions": seen},
        )
    named = [version for version in _VERSION.findall(name) if version.startswith("2.")]
    if len(named) == 1 and seen and not any(_are_one(named[0], other) for other in seen):
        yield Finding(
            "file-name-contradicted",
            "note",
            where,
            f"The file is named for {named[0]}, but NCCL prints {', '.join(seen)}.",
            {"named": named[0], "printed": seen},
        )


def _are_one(first: str, second: str) -> bool:
    """Whether one of two versions is the other with more digits."""
    return all(a == b for a, b in zip(first.split("."), second.split("."), strict=False))
