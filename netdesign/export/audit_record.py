"""What was read from logs and dumps, as JSON and as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from netdesign.audit.report import FileReport, Finding
from netdesign.audit.whole import Audit
from netdesign.export.acceptance_record import acceptance_lines, acceptance_record
from netdesign.export.audit_words import summary_lines, verdict
from netdesign.wording import one_line, plural

_MOST_UNREAD = 5  # lines not understood that the text shows
_MOST_FINDINGS = 200  # of a file that the text shows, the worst


def audit_record(found: Audit) -> dict[str, Any]:
    """Everything, ready for JSON; of a single file its keys also stand at the top."""
    files = [file_record(report) for report in found.reports]
    record = {**(files[0] if len(files) == 1 else {}), "files": files}
    if found.answers:
        record["acceptance"] = acceptance_record(found.answers)
    if found.plan_findings:
        record["cable_plan"] = _plan_record(found)
    return record


def _plan_record(found: Audit) -> dict[str, Any]:
    plan = found.plan
    counts = {}
    if plan is not None:
        counts = {
            "told_by": plan.how,
            "by_port": plan.by_port,
            "planned": plan.planned,
            "found": plan.found,
            "matched": plan.matched,
            "missing": len(plan.missing),
            "extra": len(plan.extra),
            "swapped": len(plan.swapped),
            "moved": len(plan.moved),
            "devices_missing": list(plan.devices_missing),
            "devices_extra": list(plan.devices_extra),
        }
    return {**counts, "findings": [finding_record(entry) for entry in found.plan_findings]}


def finding_record(finding: Finding) -> dict[str, Any]:
    """One finding, ready for JSON."""
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "where": plain(finding.where),
        "message": plain(finding.message),
        "evidence": plain(finding.evidence),
        "source": finding.source,
    }


def file_record(report: FileReport) -> dict[str, Any]:
    """One report, ready for JSON."""
    return {
        "file": report.name,
        "kind": report.kind,
        "kinds": list(report.kinds),
        "healthy": report.is_healthy,
        "summary": plain(report.summary),
        "findings": [finding_record(finding) for finding in report.findings],
        "not_understood": [
            {"line": entry.line, "text": entry.text} for entry in report.not_understood
        ],
        "not_listed": report.not_listed,
    }


def plain(value: Any) -> Any:
    """A value of which JSON knows every part; no number where it is not finite."""
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(entry) for key, entry in value.items()}
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # half a pair of surrogates is no text
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Sequence | set | frozenset):
        return [plain(entry) for entry in value]
    return str(value)


def audit_text(found: Audit) -> str:
    """Everything as lines for a terminal."""
    parts = [_lines(report) for report in found.reports]
    if found.answers:
        parts.append(acceptance_lines(found.answers))
    return "\n\n".join("\n".join(lines) for lines in parts)


def _finding(finding: Finding) -> str:
    where, message = one_line(finding.where), one_line(finding.message)
    return f"  {finding.severity}: {where}: {message} [{finding.rule}]"


def _lines(report: FileReport) -> list[str]:
    kinds = ", ".join(report.kinds) or report.kind
    lines = [f"{one_line(report.name)}: {kinds}: {verdict(report)}"]
    lines += [f"  {one_line(line)}" for line in summary_lines(report)]
    lines += [_finding(finding) for finding in report.findings[:_MOST_FINDINGS]]
    if len(report.findings) > _MOST_FINDINGS:
        lines.append(f"  {len(report.findings) - _MOST_FINDINGS:,} findings more with --json")
    unread = len(report.not_understood) + report.not_listed
    if unread:
        lines.append(f"  {plural(unread, 'line')} not understood:")
        lines += [
            f"    {entry.line}: {one_line(entry.text)}"
            for entry in report.not_understood[:_MOST_UNREAD]
        ]
        if unread > _MOST_UNREAD:
            lines.append("    ... all of them with --json")
    return lines
