"""The verdict on every table of a file: what its rows alone, NICs and links say of it."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.context import Context
from netdesign.audit.nccl_tests.against_model import model_findings
from netdesign.audit.nccl_tests.compare import compare_findings
from netdesign.audit.nccl_tests.curve import curve_findings, peak_of
from netdesign.audit.nccl_tests.doubts import doubt_findings
from netdesign.audit.nccl_tests.rates import is_saturated, rate_findings
from netdesign.audit.nccl_tests.results import is_invalid, is_single, result_findings
from netdesign.audit.nccl_tests.tables import NcclTests, Table
from netdesign.audit.nccl_tests.wording import place
from netdesign.audit.report import Finding


def judge(content: NcclTests, context: Context) -> tuple[Finding, ...]:
    """Findings on all tables, in their order."""
    findings: list[Finding] = []
    for number, table in enumerate(content.tables, 1):
        where = place(table, number, len(content.tables))
        findings.extend(_of_table(table, context, where, content.name))
    findings.extend(compare_findings(content.tables))
    if content.rows_left_out:
        findings.append(
            Finding(
                "rows-not-read",
                "note",
                "file",
                f"{content.rows_left_out:,} rows beyond the first ones were not judged: give the "
                "file in parts.",
                {"rows": content.rows_left_out},
            )
        )
    return tuple(findings)


def _of_table(table: Table, context: Context, where: str, name: str) -> Iterator[Finding]:
    yield from result_findings(table, where)
    yield from doubt_findings(table, where, name)
    peak = peak_of(table)
    if peak is None or peak.busbw <= 0 or is_single(table) or is_invalid(table):
        return
    saturated = is_saturated(table, peak, context)
    yield from curve_findings(table, where, saturated=saturated)
    yield from rate_findings(table, peak, context, where)
    yield from model_findings(table, context, where)
