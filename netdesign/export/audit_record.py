"""What was read from logs and dumps, as JSON and as text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from netdesign.audit.report import FileReport

_MOST_UNREAD = 5  # lines not understood that the text shows


def audit_record(reports: Sequence[FileReport]) -> dict[str, Any]:
    """All reports, ready for JSON; of a single file its keys also stand at the top."""
    files = [file_record(report) for report in reports]
    top = files[0] if len(files) == 1 else {}
    return {**top, "files": files}


def file_record(report: FileReport) -> dict[str, Any]:
    """One report, ready for JSON."""
    return {
        "file": report.name,
        "kind": report.kind,
        "kinds": list(report.kinds),
        "healthy": report.is_healthy,
        "summary": plain(report.summary),
        "findings": [
            {
                "rule": finding.rule,
                "severity": finding.severity,
                "where": finding.where,
                "message": finding.message,
                "evidence": plain(finding.evidence),
                "source": finding.source,
            }
            for finding in report.findings
        ],
        "not_understood": [
            {"line": entry.line, "text": entry.text} for entry in report.not_understood
        ],
        "not_listed": report.not_listed,
    }


def plain(value: Any) -> Any:
    """A value of which JSON knows every part; no number where it is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, Sequence | set | frozenset):
        return [plain(entry) for entry in value]
    return str(value)


def audit_text(reports: Sequence[FileReport]) -> str:
    """All reports as lines for a terminal."""
    return "\n\n".join("\n".join(_lines(report)) for report in reports)


def _lines(report: FileReport) -> list[str]:
    lines = [f"{printable(report.name)}: {', '.join(report.kinds) or report.kind}"]
    lines += [
        f"  {finding.severity}: {printable(finding.where)}: {printable(finding.message)}"
        f" [{finding.rule}]"
        for finding in report.findings
    ]
    if not report.findings:
        lines.append("  nothing is wrong")
    unread = len(report.not_understood) + report.not_listed
    if unread:
        lines.append(f"  {unread:,} line{'s' if unread != 1 else ''} not understood:")
        lines += [
            f"    {entry.line}: {printable(entry.text)}"
            for entry in report.not_understood[:_MOST_UNREAD]
        ]
        if unread > _MOST_UNREAD:
            lines.append("    ... all of them with --json")
    return lines


def printable(text: str) -> str:
    """One line without anything that moves a cursor."""
    spaced = text.expandtabs(1)
    return "".join(letter if letter.isprintable() else "?" for letter in spaced)
