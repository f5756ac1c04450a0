"""The plan of benchmarks before the build, held against the logs after it: passed or not?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from netdesign.acceptance.benchmarks import Benchmark
from netdesign.audit.nccl_tests.results import is_invalid
from netdesign.audit.report import FileReport

Verdict = Literal["passed", "failed", "invalid", "incomplete", "not run"]
_SAME_SIZE = 0.01  # nccl-tests rounds a size down to whole elements of every rank


@dataclass(frozen=True)
class Measurement:
    """What one log says of one check."""

    file: str
    value: float | None  # SI: bytes/s of bus bandwidth or bandwidth, s of latency
    size: float | None = None  # bytes at which it was read
    invalid: str = ""  # why the number does not count


@dataclass(frozen=True)
class Answer:
    """A check with what was measured."""

    check: Benchmark
    runs: tuple[Measurement, ...]

    @property
    def failed(self) -> tuple[Measurement, ...]:
        """Runs that count and are not good."""
        return tuple(
            run
            for run in self.runs
            if not run.invalid and run.value is not None and not self.check.passes(run.value)
        )

    @property
    def worst(self) -> float | None:
        """The worst measured number that counts; None if there is none."""
        values = [run.value for run in self.runs if run.value is not None and not run.invalid]
        if not values:
            return None
        return min(values) if self.check.more_is_better else max(values)

    @property
    def is_bad(self) -> bool:
        """Whether a run failed or does not count."""
        return self.verdict in ("failed", "invalid")

    @property
    def verdict(self) -> Verdict:
        if not self.runs:
            return "not run"
        if any(run.invalid for run in self.runs):
            return "invalid"
        if self.failed:
            return "failed"
        return "passed" if len(self.runs) >= self.check.runs else "incomplete"


def accept(checks: Sequence[Benchmark], reports: Sequence[FileReport]) -> tuple[Answer, ...]:
    """Every check of a plan with the runs that belong to it.

    A log that the plan's script wrote names its check in its first line. Any other log belongs to
    the checks of the same operation, number of GPUs and size.

    Parameters
    ----------
    checks : sequence of Benchmark
    reports : sequence of FileReport

    Returns
    -------
    tuple of Answer         one a check, in the order of the plan
    """
    return tuple(Answer(check, tuple(_runs(check, reports))) for check in checks)


def _runs(check: Benchmark, reports: Sequence[FileReport]) -> Iterator[Measurement]:
    for report in reports:
        if report.check and report.check != check.id:
            continue
        told = bool(report.check)
        found = list(
            _collective(check, report, told=told)
            if check.quantity == "busbw"
            else _port(check, report, told=told)
        )
        if told and not found:
            found = [Measurement(report.name, None, invalid="the log holds no result")]
        yield from found


def _collective(check: Benchmark, report: FileReport, *, told: bool) -> Iterator[Measurement]:
    content = report.contents.get("nccl-tests")
    for table in content.tables if content is not None else ():
        ranks_fit = table.ranks in (check.group_ranks, check.ranks)
        if not told and (table.operation != check.operation or not ranks_fit):
            continue
        row = _row_of(table, check)
        if row is None or row.out_of_place is None:
            if told:
                yield Measurement(report.name, None, invalid="no row of this size")
            continue
        yield Measurement(
            report.name,
            row.out_of_place.busbw,
            row.size,
            "results are wrong: see #wrong" if is_invalid(table) else "",
        )


def _row_of(table: Any, check: Benchmark) -> Any:
    """The row of the check's size; of a sweep that ended early its last one."""
    near = [row for row in table.rows if abs(row.size - check.size) <= _SAME_SIZE * check.size]
    if near:
        return near[0]
    if check.sweep and table.rows and table.complete:
        return table.rows[-1]
    return None


def _port(check: Benchmark, report: FileReport, *, told: bool) -> Iterator[Measurement]:
    content = report.contents.get("perftest")
    for test in content.tests if content is not None else ():
        if not told and f"{test.verb}_{_SHORT.get(test.measure or '')}" != check.operation:
            continue
        rows = test.bandwidth if check.quantity == "bandwidth" else test.latency
        near = [row for row in rows if abs(row.size - check.size) <= _SAME_SIZE * check.size]
        if near and near[0].average is not None:
            yield Measurement(report.name, near[0].average, near[0].size)


_SHORT = {"bandwidth": "bw", "latency": "lat", "bw": "bw", "lat": "lat"}
