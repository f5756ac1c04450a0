"""Files of an audit as a list, and one of them, the acceptance or the cable plan in full."""

from __future__ import annotations

from collections.abc import Sequence

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.audit.acceptance import Answer
from netdesign.audit.report import FileReport, Finding
from netdesign.audit.whole import Audit
from netdesign.export.audit_words import figures, summary_lines, verdict
from netdesign.export.preflight_script import shown
from netdesign.wording import one_line, plural

ACCEPTANCE, PLAN = "acceptance", "cable-plan"
MOST_UNREAD = 30  # lines not understood that are listed
MOST_FINDINGS = 200
_LONGEST_FIGURE = 600
_HERE = "On this page: choose a design, or the rate and the number of the ports, above."
_FINDINGS = (Head("Severity"), Head("Where"), Head("What"))


def places(found: Audit, *, faults: bool = False) -> list[tuple[str, str, str]]:
    """What can be looked at, or where something is wrong: its key, its name, its verdict."""
    rows = []
    bad = sum(answer.is_bad for answer in found.answers)
    if found.answers and (bad or not faults):
        rows.append((ACCEPTANCE, "Acceptance", f"{bad} not passed" if bad else "passed so far"))
    planned = found.plan is not None and found.plan.is_as_planned
    if found.plan_findings and not (faults and planned):
        rows.append((PLAN, "Cable plan", "as planned" if planned else "not as planned"))
    rows += [
        (str(n), report.name, verdict(report))
        for n, report in enumerate(found.reports)
        if not (faults and report.is_healthy)
    ]
    return rows


def listing(found: Audit, chosen: str, *, faults: bool) -> Markup:
    """The files, a button each, and one that leaves out what is healthy."""
    if not places(found):
        return Markup()
    entries = places(found, faults=faults)
    buttons = [
        tag(
            "button",
            tag("span", one_line(name)[:80], class_="nd-file-name"),
            tag("span", said, class_="nd-file-verdict"),
            type="button",
            class_="nd-file",
            data_act="choose",
            data_value=key,
            aria_pressed="true" if key == chosen else "false",
        )
        for key, name, said in entries
    ]
    only = tag(
        "button",
        "Only faults",
        type="button",
        class_="nd-button nd-faults",
        data_act="faults",
        aria_pressed="true" if faults else "false",
        title="Leave out healthy files and notes",
    )
    none = "" if entries else tag("p", "Nothing has a fault.", class_="nd-quiet")
    files = tag("nav", join(buttons), class_="nd-files", aria_label="Files")
    return join([tag("div", only, none, class_="nd-actions"), files if entries else ""])


def report_section(report: FileReport, *, faults: bool = False) -> Markup:
    """One file: what it holds and what is wrong."""
    shown_findings = [entry for entry in report.findings if not (faults and _is_note(entry))]
    notes = len(report.findings) - len(shown_findings)
    hidden = f"{notes} note{'s are' if notes != 1 else ' is'} left out."
    lines = tag("ul", join(tag("li", one_line(line)) for line in summary_lines(report)))
    kinds = ", ".join(report.kinds) or report.kind
    return tag(
        "section",
        tag("h2", one_line(report.name)),
        tag("p", tag("strong", verdict(report)), f" ({kinds})", class_="nd-quiet"),
        lines,
        findings_table(shown_findings, "Findings"),
        tag("p", hidden, class_="nd-quiet") if notes else "",
        class_="nd-part",
    )


def unread_section(report: FileReport) -> Markup:
    """The lines of a file that no reader understood."""
    count = len(report.not_understood) + report.not_listed
    if not count:
        return Markup()
    rows = [
        (entry.line, tag("code", one_line(entry.text)))
        for entry in report.not_understood[:MOST_UNREAD]
    ]
    more = f"and {count - len(rows):,} more" if count > len(rows) else ""
    heads = (Head("Line", number=True), Head("Text"))
    return tag(
        "details",
        tag("summary", f"Not understood: {plural(count, 'line')}"),
        table("Lines that were not understood", heads, rows),
        tag("p", more, class_="nd-quiet") if more else "",
    )


def findings_table(findings: Sequence[Finding], caption: str) -> Markup:
    """Findings, the worst first."""
    if not findings:
        return tag("p", "Nothing is wrong.")
    rows = [
        (
            tag("strong", finding.severity, class_=f"nd-{finding.severity}"),
            one_line(finding.where),
            _message(finding),
        )
        for finding in findings[:MOST_FINDINGS]
    ]
    left = len(findings) - len(rows)
    more = tag("p", f"and {left:,} more", class_="nd-quiet") if left > 0 else ""
    return join([table(caption, _FINDINGS, rows, class_="nd-findings-table"), more])


def _is_note(finding: Finding) -> bool:
    return finding.severity == "note"


def _message(finding: Finding) -> Markup:
    """The sentence, and its figures on demand."""
    here = f" {_HERE}" if finding.rule == "line-rate-unknown" else ""
    said = f"{one_line(finding.message)}{here} "
    told = [
        tag("div", tag("dt", one_line(key)), tag("dd", one_line(value)[:_LONGEST_FIGURE]))
        for key, value in figures(finding)
    ]
    if not told:
        return join([said, tag("small", f"[{finding.rule}]")])
    summary = tag("summary", tag("small", f"Figures [{finding.rule}]"))
    return join([said, tag("details", summary, tag("dl", join(told)), class_="nd-figures")])


def plan_section(found: Audit) -> Markup:
    """What is not as the cable plan has it."""
    return tag(
        "section",
        tag("h2", "Cable plan"),
        findings_table(found.plan_findings, "Against the cable plan"),
        class_="nd-part",
    )


def acceptance_section(answers: Sequence[Answer]) -> Markup:
    """Every check of the pre-flight plan."""
    heads = (
        Head("Check"),
        Head("Verdict"),
        Head("Measured", number=True),
        Head("Passes if", number=True),
        Head("Expected", number=True),
        Head("Runs", number=True),
    )
    return tag(
        "section",
        tag("h2", "Acceptance"),
        tag("p", "Checks of the pre-flight plan, each with the worst of its runs."),
        table("Acceptance", heads, [_answer(answer) for answer in answers]),
        class_="nd-part",
    )


def _answer(answer: Answer) -> tuple[object, ...]:
    check = answer.check
    sign = "at least" if check.more_is_better else "at most"
    bad = answer.is_bad
    named = [run.file for run in answer.failed] + [r.file for r in answer.runs if r.invalid]
    where = tag("small", " ", one_line(", ".join(named[:3]))) if named else ""
    return (
        join([check.title, where]),
        tag("strong", answer.verdict, class_="nd-error") if bad else answer.verdict,
        "" if answer.worst is None else shown(check, answer.worst),
        f"{sign} {shown(check, check.limit)}",
        shown(check, check.expected),
        len(answer.runs),
    )
