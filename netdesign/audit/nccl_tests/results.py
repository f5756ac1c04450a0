"""Verdicts on what a run is worth: wrong values, nothing checked, broken off, one rank only."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.nccl_tests.operations import shrinks_with_one_rank
from netdesign.audit.nccl_tests.tables import Table
from netdesign.audit.nccl_tests.wording import gbs
from netdesign.audit.report import Finding
from netdesign.wording import binary_size

# Largest deviation that versions before 2.13 let pass, by type; integers must be right.
_DEVIATIONS = {"half": 1e-2, "bfloat16": 1e-1, "float": 1e-5, "double": 1e-12}


def is_invalid(table: Table) -> bool:
    """Whether its bandwidth says nothing, since its results are wrong."""
    return table.wrong_sizes > 0 or bool(table.out_of_bounds) or table.out_of_bounds_ok is False


def is_single(table: Table) -> bool:
    """Whether every rank was alone."""
    if table.jobs > 1 or table.ranks == 1:
        return True
    rates = [side for row in table.rows for side in row.sides if side.algbw > 10 * side.resolution]
    return (
        len(rates) > 0
        and all(side.busbw == 0 for side in rates)
        and shrinks_with_one_rank(table.operation)
    )


def result_findings(table: Table, where: str) -> Iterator[Finding]:
    """Everything that makes the figures worthless, or of unknown worth."""
    yield from _wrong(table, where)
    yield from _deviating(table, where)
    if any(row.sides for row in table.rows) and not table.is_verified:
        yield _unchecked(table, where)
    yield from _incomplete(table, where)
    if is_single(table):
        yield _alone(table, where)
    if table.average_ok is False:
        yield Finding(
            "below-required-average",
            "error",
            where,
            "nccl-tests itself marks the average bus bandwidth FAILED: it is below nine tenths of "
            "what NCCL_TESTS_MIN_BW asks for.",
            {"average_busbw_gbs": _average(table)},
        )


def _wrong(table: Table, where: str) -> Iterator[Finding]:
    if not is_invalid(table):
        return
    sizes, rows = table.wrong_sizes, len(table.rows)
    count = table.out_of_bounds
    printed = "" if not count else f" nccl-tests counts {count:,} failures over sizes and ranks."
    look = (
        "Look for a broken GPU or link, a faulty plugin or in-network reduction, or memory errors "
        "before measuring again."
    )
    if table.operation == "hypercube":
        look = "hypercube_perf of some releases fails on sound machines too: try another operation."
    which = f"{sizes} of {rows} sizes" if sizes else "the run"
    yield Finding(
        "wrong-results",
        "error",
        where,
        f"Wrong results at {which}: every bandwidth of this table is INVALID.{printed} {look}",
        {"wrong_sizes": sizes, "sizes": rows, "out_of_bounds": count},
    )


def _deviating(table: Table, where: str) -> Iterator[Finding]:
    if is_invalid(table) or table.out_of_bounds is not None:
        return
    for row in table.rows:
        most = _DEVIATIONS.get(row.type, 0.0)
        worst = max((side.deviation or 0.0 for side in row.sides), default=0.0)
        if worst > most:
            yield Finding(
                "wrong-results",
                "error",
                where,
                f"At {binary_size(row.size)} the largest error is {worst:g}, above the {most:g} "
                f"that {row.type} may have: the bandwidth is INVALID until results are right.",
                {"size_bytes": row.size, "deviation": worst, "most": most},
            )
            return


def _unchecked(table: Table, where: str) -> Finding:
    okay = " The printed 0 OK counts nothing." if table.out_of_bounds == 0 else ""
    return Finding(
        "not-verified",
        "note",
        where,
        f"Results were not compared with the right ones (-c 0, or no column for it).{okay} "
        "Run once with -c 1 before trusting the machine.",
        {"out_of_bounds": table.out_of_bounds},
    )


def _incomplete(table: Table, where: str) -> Iterator[Finding]:
    if table.failures:
        yield Finding(
            "test-failed",
            "error",
            where,
            f"The run reports a failure: {table.failures[0]}",
            {"lines": list(table.failures)},
        )
    if table.rows and not any(row.sides for row in table.rows):
        yield Finding(
            "no-figures",
            "note",
            where,
            f"None of the {len(table.rows)} rows has figures: they were blanked, or are not "
            "numbers.",
            {"sizes": len(table.rows)},
        )
    if not table.rows:
        yield _empty(table, where)
    elif not table.complete:
        yield _cut(table, where)


def _empty(table: Table, where: str) -> Finding:
    if table.printed_average is not None or table.out_of_bounds is not None:
        return Finding(
            "rows-missing",
            "note",
            where,
            "Only the summary of this run is in the file: without its rows the average says "
            "nothing about large messages.",
            {"average_busbw_gbs": _average(table)},
        )
    return Finding(
        "incomplete-run",
        "error",
        where,
        "The run has a header and not one row: it hung, timed out or was stopped before its "
        "first size. Run it again with NCCL_DEBUG=INFO, and in pairs of nodes to find the one "
        "that hangs.",
        {"sizes": 0},
    )


def _cut(table: Table, where: str) -> Finding:
    last = table.rows[-1].size
    most = table.options.get("maxBytes", "")
    if most.isdecimal() and int(most) > last:
        return Finding(
            "incomplete-run",
            "error",
            where,
            f"The run stops at {binary_size(last)} of {binary_size(int(most))} and has no summary: "
            "it hung, was stopped, or the file is cut. The figures until there stand.",
            {"last_size_bytes": last, "max_bytes": int(most)},
        )
    return Finding(
        "no-summary",
        "note",
        where,
        "The lines that end a run are missing: this is an excerpt, or the run ended early.",
        {"last_size_bytes": last},
    )


def _alone(table: Table, where: str) -> Finding:
    copies = table.jobs if table.jobs > 1 else (table.claimed_ranks or 0)
    many = f", {copies} separate runs side by side" if copies > 1 else ""
    return Finding(
        "single-rank",
        "error",
        where,
        f"Every rank ran alone{many}: nothing was sent, so the bus bandwidth is 0 and says "
        "nothing. Usually mpirun or srun started a build without MPI: build with MPI=1, or give "
        "-g for several GPUs in one process.",
        {"ranks": 1, "runs": copies or 1},
    )


def _average(table: Table) -> float | None:
    return None if table.printed_average is None else gbs(table.printed_average)
