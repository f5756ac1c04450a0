"""Acceptance of a built cluster, and the plan before it, as JSON, text and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from netdesign.acceptance.benchmarks import Benchmark, hours_of
from netdesign.audit.acceptance import Answer
from netdesign.charts.own_words import own_measurements
from netdesign.evaluate import Evaluation
from netdesign.export.failure_plan import escaped, how_lines, number, sign
from netdesign.export.preflight_script import goal, pass_mark, shown, tool_command
from netdesign.failures.preflight import PlannedTest
from netdesign.units import (
    bytes_per_second_to_gbps,
    bytes_to_gigabytes,
    seconds_to_microseconds,
)
from netdesign.wording import binary_size, named, plural, printable

_UNITS = {"busbw": "GB/s", "bandwidth": "Gb/s", "latency": "us"}
_MOST_NAMED = 5


def check_record(check: Benchmark) -> dict[str, Any]:
    """One check, numbers in ``unit``."""
    return {
        "check": check.id,
        "title": check.title,
        "operation": check.operation,
        "ranks": check.ranks,
        "group_ranks": check.group_ranks,
        "nodes": check.nodes,
        "split": check.split,
        "size_bytes": round(check.size),
        "unit": _UNITS[check.quantity],
        "expected": _in_unit(check, check.expected),
        "low": _in_unit(check, check.low),
        "high": _in_unit(check, check.high),
        "limit": _in_unit(check, check.limit),
        "more_is_better": check.more_is_better,
        "command": tool_command(check),
        "why": check.why,
        "remark": check.remark,
    }


def test_record(test: PlannedTest) -> dict[str, Any]:
    """One test by hand, numbers in ``unit``."""
    return {
        "test": test.row.id,
        "title": test.row.name,
        "procedure": test.procedure,
        "command": test.command,
        "measure": test.measure,
        "unit": test.row.unit,
        "expected": test.expected,
        "low": test.low,
        "high": test.high,
        "limit": test.limit,
        "more_is_better": test.more_is_better,
        "remark": test.remark,
        "source": test.row.source,
    }


def acceptance_record(answers: Sequence[Answer]) -> list[dict[str, Any]]:
    """Every check with its verdict."""
    return [
        check_record(answer.check)
        | {
            "verdict": answer.verdict,
            "measured": None if answer.worst is None else _in_unit(answer.check, answer.worst),
            "runs": len(answer.runs),
            "runs_due": answer.check.runs,
            "failed": [run.file for run in answer.failed],
            "invalid": [f"{run.file}: {run.invalid}" for run in answer.runs if run.invalid],
        }
        for answer in answers
    ]


def acceptance_lines(answers: Sequence[Answer]) -> list[str]:
    """The verdicts as lines for a terminal."""
    counts = [(word, sum(a.verdict == word for a in answers)) for word in _VERDICTS]
    lines = ["Acceptance: " + ", ".join(f"{count} {word}" for word, count in counts if count)]
    for answer in answers:
        if answer.verdict == "not run":
            continue
        lines.append(f"  {answer.verdict}: {answer.check.id}: {_measured(answer)}")
    return lines


_VERDICTS = ("passed", "failed", "invalid", "incomplete", "not run")


def runs_text(answer: Answer) -> str:
    """3 of 32 runs; of a check that has all of them their number."""
    done, due = len(answer.runs), answer.check.runs
    return f"{done:,} of {due:,} runs" if done < due else plural(done, "run")


def _measured(answer: Answer) -> str:
    worst = "no number" if answer.worst is None else shown(answer.check, answer.worst)
    files = [run.file for run in answer.failed] or [r.file for r in answer.runs if r.invalid]
    runs = f"{runs_text(answer)}, worst {worst}"
    where = f": {named(map(printable, files), _MOST_NAMED)}" if files else ""
    return f"{runs}; {goal(answer.check)}{where}"


def plan_document(
    evaluation: Evaluation, checks: Sequence[Benchmark], tests: Sequence[PlannedTest]
) -> str:
    """The plan before the build as Markdown: benchmarks with their numbers, then tests by hand."""
    own = own_measurements(evaluation.design)
    refitted = f", refitted on {own}" if own else ""
    lines = [
        f"# Pre-flight plan: {escaped(evaluation.design.name)}",
        "",
        f"{evaluation.design.cluster.gpus:,} GPUs, plan {escaped(evaluation.plan_label)}. Expected "
        f"numbers are the model's for this design{refitted}; four measured systems in five lie "
        "between low and high. A benchmark passes at its limit. Run them in this order: what fails "
        "first is the cause of what fails later. The tests between ports take about "
        f"{max(hours_of(tuple(checks), evaluation), 0.1):.1f} h for each pair of servers when "
        "run one after the other, and all pairs can run at once.",
        "",
        "| Check | Runs on | Size | Expected | Between | Passes if | Measured |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for check in checks:
        low, high = shown(check, check.low), shown(check, check.high)
        lines.append(
            f"| {escaped(check.title)} | {_where(check)} | {binary_size(check.size)} "
            f"| {shown(check, check.expected)} | {low} to {high} "
            f"| {pass_mark(check)} | |"
        )
    for check in checks:
        lines += ["", f"## {escaped(check.title)}", "", escaped(check.why), ""]
        lines.append(f"    {printable(tool_command(check))}")
        if check.remark:
            lines += ["", escaped(check.remark[:1].upper() + check.remark[1:]) + "."]
    lines += ["", "# Failures and soak", "", "While the job runs, by hand.", ""]
    lines += ["| Test | Measure | Expected | Passes if | Measured |", "|---|---|---:|---:|---|"]
    for test in tests:
        unit = test.row.unit
        lines.append(
            f"| {escaped(test.row.name)} | {escaped(test.measure)} "
            f"| {number(test.expected)} {unit} | {sign(test)} {number(test.limit)} {unit} | |"
        )
    lines += how_lines(tests)
    return "\n".join([*lines, ""])


def _where(check: Benchmark) -> str:
    if check.quantity != "busbw":
        return "pairs of servers"
    groups = check.ranks // check.group_ranks
    if groups > 1:
        return f"{groups:,} groups of {check.group_ranks:,} GPUs"
    return f"{check.ranks:,} GPUs, {plural(check.nodes, 'server')}"


def _in_unit(check: Benchmark, value: float) -> float:
    if check.quantity == "latency":
        return float(seconds_to_microseconds(value))
    if check.quantity == "bandwidth":
        return float(bytes_per_second_to_gbps(value))
    return float(bytes_to_gigabytes(value))
