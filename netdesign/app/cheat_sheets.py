"""An NCCL environment and what the checker says of it, as a table under a notebook's cell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.lesson.page import LessonPage
from netdesign.audit.nccl_check import FAULTS, Finding, Report, check_settings
from netdesign.catalog import references
from netdesign.catalog.nccl_variables import fabric_named, version_of, version_text

_HEADS = (Head("Setting"), Head("Verdict"), Head("Why"))


def page() -> LessonPage:
    """The top of the page: its title and its style."""
    return LessonPage("NCCL cheat sheets")


@dataclass(frozen=True)
class CheckedSheet:
    """A checked environment; a notebook shows it as a table."""

    report: Report

    def _repr_html_(self) -> str:
        return str(report_table(self.report))


def check_sheet(text: str, nccl: str | None = None, fabric: str | None = None) -> CheckedSheet:
    """Check settings as they stand in a script.

    Parameters
    ----------
    nccl : str      release, "2.27"; the newest known if None
    fabric : str    infiniband, roce, roce-hashed, efa, ...; None: verdicts say what they depend on
    """
    return CheckedSheet(
        check_settings(
            text,
            version=version_of(nccl) if nccl else None,
            fabric=fabric_named(fabric) if fabric else None,
        )
    )


def report_table(report: Report) -> Markup:
    """The findings of a report, a row each, in the order of the file."""
    rows = [
        (
            tag("code", _breakable(f"{finding.variable}={finding.value}")),
            tag("strong", finding.verdict) if finding.verdict in FAULTS else finding.verdict,
            join([_sentence(finding.reason), _better(finding), _source(finding)]),
        )
        for finding in report.findings
    ]
    network = report.fabric.name if report.fabric else "network not given"
    caption = f"NCCL {version_text(report.version)}, {network}"
    notes = join(tag("p", note) for note in report.notes)
    return join([table(caption, _HEADS, rows, class_="nd-checked"), notes])


def _better(finding: Finding) -> Markup:
    return (
        join([Markup("<br>→ "), _sentence(finding.suggestion)]) if finding.suggestion else Markup()
    )


def _source(finding: Finding) -> Markup:
    title = references()[finding.source].title
    return join([" ", tag("small", _breakable(f"[{finding.source}]"), title=title)])


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _breakable(setting: str) -> Markup:
    """A long setting may go on in the next line after a sign, and nowhere else."""
    pieces = re.split(r"(?<=[=_,:;/-])", setting)
    return join(
        piece if place == 0 else join([Markup("<wbr>"), piece])
        for place, piece in enumerate(pieces)
    )
