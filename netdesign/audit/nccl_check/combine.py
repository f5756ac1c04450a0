"""Settings that contradict one another, or make one another void."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from netdesign.audit.nccl_check.judge import SEVERITY, Context, Finding, fits
from netdesign.audit.nccl_check.values import number
from netdesign.catalog.nccl_variables import NcclCombination, Verdict, holds, nccl_tables

_BESIDE = ("product-above", "above-other", "below-other", "same-as-other")


def combined(finding: Finding, values: Mapping[str, str | None], context: Context) -> Finding:
    """The finding on an effective value, after a look at what is set beside it.

    Parameters
    ----------
    values : mapping        the effective values of the file by name; None is not known here
    """
    if finding.verdict in ("unknown", "invalid-value"):
        return finding
    for row in _rows_for(finding.variable):
        if holds(row.since, row.before, context.version) and _applies(
            row, finding, values, context
        ):
            finding = _worse(finding, row)
    return finding


def _rows_for(name: str) -> Iterable[NcclCombination]:
    tables = nccl_tables()
    variable = tables.variables.get(name)
    scope = f"scope:{variable.scope}" if variable else ""
    for row in tables.combinations:
        if row.variable in (name, scope) and row.other != name:
            yield row


def _applies(
    row: NcclCombination, finding: Finding, values: Mapping[str, str | None], context: Context
) -> bool:
    tables = nccl_tables()
    value, other = values.get(finding.variable), values.get(row.other)
    if value is None:
        return False
    if row.test in _BESIDE:
        return other is not None and _beside(row, value, other)
    if not fits(row.test, row.operand, tables.variables[finding.variable], value, context.version):
        return False
    if row.other_test == "absent":
        return row.other not in values
    if other is None:
        return row.other_test in ("is-not", "is-not-above") and row.other not in values
    return fits(
        row.other_test, row.other_operand, tables.variables[row.other], other, context.version
    )


def _beside(row: NcclCombination, value: str, other: str) -> bool:
    mine, theirs = number(value), number(other)
    if mine is None or theirs is None:
        return False
    if row.test == "product-above":
        return mine * theirs > int(row.operand)
    if row.test == "above-other":
        return mine > theirs
    return mine < theirs if row.test == "below-other" else mine == theirs


def _worse(finding: Finding, row: NcclCombination) -> Finding:
    """The worse verdict leads; what else was found stays in the reason."""
    if _rank(row.verdict) > _rank(finding.verdict):
        keep = f"; {finding.reason}" if finding.verdict in ("harmful", "deprecated") else ""
        return replace(
            finding,
            verdict=row.verdict,
            reason=row.reason + keep,
            suggestion=row.suggestion or finding.suggestion,
            source=row.source,
        )
    return replace(finding, reason=f"{finding.reason}; {row.reason}")


def _rank(verdict: Verdict) -> int:
    return SEVERITY.index(verdict)
