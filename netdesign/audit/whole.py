"""Several files audited together: each by itself, the plan of benchmarks, the cable plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from netdesign.audit.acceptance import Answer, accept
from netdesign.audit.beside import with_one_node, with_perftest
from netdesign.audit.cable_plan import PlanComparison, compare_with_plan, networks_of
from netdesign.audit.cable_plan_findings import plan_findings
from netdesign.audit.context import Context
from netdesign.audit.document import Document
from netdesign.audit.files import audit_whatever
from netdesign.audit.report import FileReport, Finding, worst_first
from netdesign.errors import DesignError
from netdesign.topology.built import Fabric


@dataclass(frozen=True)
class Audit:
    """Everything that is said of some files."""

    reports: tuple[FileReport, ...]
    answers: tuple[Answer, ...] = ()  # of the plan of benchmarks; none if no file belongs to it
    plan: PlanComparison | None = None  # of the cable plan; None without a network or a design
    plan_findings: tuple[Finding, ...] = ()
    planned: Fabric | None = None  # the fabric of the design, where it was held against

    @property
    def is_readable(self) -> bool:
        """Whether every file was."""
        return all(report.is_readable for report in self.reports)

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong with any file, check or cable."""
        return (
            all(report.is_healthy for report in self.reports)
            and not any(answer.is_bad for answer in self.answers)
            and all(finding.severity == "note" for finding in self.plan_findings)
        )


def audit_all(documents: Iterable[Document], context: Context | None = None) -> Audit:
    """Read and judge files, and hold them together against the design.

    Parameters
    ----------
    documents : iterable of Document
    context : Context           with the design, where there is one
    """
    known = context or Context()
    return together(tuple(audit_whatever(document, known) for document in documents), known)


def together(reports: tuple[FileReport, ...], known: Context) -> Audit:
    """Files that were read and judged one by one, held together against the design."""
    reports = with_one_node(with_perftest(reports))
    if known.evaluation is None:
        return Audit(reports)
    answers = accept(known.checks, reports)
    if not any(answer.runs for answer in answers):
        answers = ()
    network = networks_of(reports)
    if network is None:
        return Audit(reports, answers)
    try:
        fabric = known.planned
    except DesignError as error:
        finding = Finding("no-cable-plan", "note", "cable plan", f"No cable plan: {error}.")
        return Audit(reports, answers, None, (finding,))
    plan = compare_with_plan(network, fabric)
    said = plan_findings(plan)
    return Audit(_with_plan(reports, said), answers, plan, said, fabric)


def _with_plan(
    reports: tuple[FileReport, ...], said: tuple[Finding, ...]
) -> tuple[FileReport, ...]:
    """The reports, what is said of the cable plan with the first that holds a network."""
    holder = next((r for r in reports if networks_of([r]) is not None), reports[0])
    told = replace(holder, findings=worst_first([*holder.findings, *said]))
    return tuple(told if report is holder else report for report in reports)
