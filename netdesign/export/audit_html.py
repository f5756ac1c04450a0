"""The report of an audit as one page that needs nothing else: no script, nothing from outside."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netdesign.audit.acceptance import Answer
from netdesign.audit.context import Context
from netdesign.audit.report import FileReport, Finding
from netdesign.audit.whole import Audit
from netdesign.errors import DesignError
from netdesign.export.audit_words import figures, summary_lines, verdict
from netdesign.export.preflight_script import pass_mark, shown
from netdesign.units import bytes_per_second_to_gbps
from netdesign.wording import named, one_line, plural

if TYPE_CHECKING:
    import jinja2

MOST_UNREAD = 50  # lines not understood that the report shows of a file
_MOST_NAMED = 20


@dataclass(frozen=True)
class Drawing:
    """A picture of a file with what it shows in words."""

    svg: str
    label: str


def audit_html(
    found: Audit,
    context: Context,
    drawings: Mapping[int, Sequence[Drawing]] | None = None,
    plan_drawing: Drawing | None = None,
) -> str:
    """The report as a page; everything that comes from a file is escaped.

    Parameters
    ----------
    found : Audit
    context : Context               what the files were held against
    drawings : mapping              pictures by the position of their report
    plan_drawing : Drawing          of the cable plan
    """
    pictures = drawings or {}
    reports, answers = found.reports, found.answers
    return _template().render(
        title=_title(context, answers),
        subtitle=_subtitle(reports, context),
        answers=[_answer(answer) for answer in answers],
        plan=[_finding(finding) for finding in found.plan_findings],
        plan_pictures=[] if plan_drawing is None else [_picture(plan_drawing)],
        files=[_file(report, pictures.get(i, ())) for i, report in enumerate(reports)],
        foot="Made by netdesign. Bands: four measured systems in five lie inside.",
    )


def check_html_place(path: Path) -> None:
    """Refuse a place for a report before there is one.

    Raises
    ------
    DesignError     when its name does not end in .html, or its folder is not there
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise DesignError("report", path.name, "is not .html", "end it with .html")
    if not path.parent.is_dir():
        raise DesignError(
            str(path), None, "cannot be written: its folder is not there", "make the folder first"
        )
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise DesignError(str(path), None, "cannot be written", "choose another place")


def write_html(text: str, path: Path) -> None:
    """Write a report to a file.

    Raises
    ------
    DesignError     when its name does not end in .html, or it cannot be written
    """
    check_html_place(path)
    try:
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise DesignError(
            str(path), None, f"cannot be written: {reason}", "choose another place"
        ) from None


@cache
def _template() -> jinja2.Template:
    import jinja2

    text = (resources.files("netdesign.export") / "templates" / "audit.html").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(text)


def _title(context: Context, answers: Sequence[Answer]) -> str:
    what = "Acceptance report" if answers else "Audit"
    design = context.evaluation.design.name if context.evaluation else ""
    return f"{what}: {one_line(design)}" if design else what


def _subtitle(reports: Sequence[FileReport], context: Context) -> str:
    files = plural(len(reports), "file")
    known = []
    if context.port_rate is not None:
        known.append(f"NIC ports of {bytes_per_second_to_gbps(context.port_rate):g} Gb/s")
    if context.ports_per_node is not None:
        known.append(f"{context.ports_per_node} a node")
    held = f", held against {', '.join(known)}" if known else ", line rate not given"
    return f"{files}{held}."


def _file(report: FileReport, drawings: Sequence[Drawing]) -> dict[str, Any]:
    word = verdict(report)
    errors = any(finding.severity == "error" for finding in report.findings)
    shown_unread = report.not_understood[:MOST_UNREAD]
    count = len(report.not_understood) + report.not_listed
    return {
        "name": one_line(report.name),
        "kinds": ", ".join(report.kinds) or report.kind,
        "verdict": word,
        "class": "healthy" if word == "healthy" else "error" if errors else "warning",
        "lines": [one_line(line) for line in summary_lines(report)],
        "pictures": [_picture(entry) for entry in drawings],
        "findings": [_finding(finding) for finding in report.findings],
        "unread": [{"line": entry.line, "text": one_line(entry.text)} for entry in shown_unread],
        "unread_count": plural(count, "line"),
        "unread_more": f"and {count - len(shown_unread):,} more" if count > MOST_UNREAD else "",
    }


def _picture(drawing: Drawing) -> dict[str, str]:
    return {"label": one_line(drawing.label), "svg": b64encode(drawing.svg.encode()).decode()}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "where": one_line(finding.where),
        "message": one_line(finding.message),
        "rule": finding.rule,
        "figures": [(one_line(key), one_line(value)) for key, value in figures(finding)],
    }


def _answer(answer: Answer) -> dict[str, Any]:
    check = answer.check
    runs = [run.file for run in answer.failed]
    runs += [f"{run.file}: {run.invalid}" for run in answer.runs if run.invalid]
    return {
        "title": check.title,
        "verdict": answer.verdict,
        "class": answer.verdict if answer.verdict != "not run" else "quiet",
        "measured": "" if answer.worst is None else shown(check, answer.worst),
        "limit": pass_mark(check),
        "expected": shown(check, check.expected),
        "runs": len(answer.runs),
        "where": one_line(named(runs, _MOST_NAMED)),
    }
