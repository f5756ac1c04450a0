"""An NCCL environment and what the checker says of it, as a table under a notebook's cell."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ipywidgets as widgets

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.lesson.page import LessonPage
from netdesign.app.live_html import LiveHtml
from netdesign.audit.nccl_check import FAULTS, Finding, Report, check_settings
from netdesign.catalog import references
from netdesign.catalog.nccl_variables import (
    fabric_named,
    nccl_tables,
    version_of,
    version_text,
)
from netdesign.errors import DesignError

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


class OwnSheet(widgets.VBox):
    """A field for a reader's own settings; the verdicts follow what is typed."""

    LONGEST = 200_000  # characters that are checked

    def __init__(self, text: str, nccl: str = "2.27", fabric: str = "infiniband") -> None:
        networks = [("not given", "")]
        networks += [(entry.name, key) for key, entry in nccl_tables().fabrics.items()]
        self.text = widgets.Textarea(value=text, rows=8, description="Settings")
        self.release = widgets.Text(value=nccl, description="NCCL", continuous_update=False)
        self.fabric = widgets.Dropdown(options=networks, value=fabric, description="Network")
        self.verdicts = LiveHtml()
        for field in (self.text, self.release, self.fabric):
            field.observe(lambda _: self._check(), "value")
        self.text.layout.width = "100%"
        row = widgets.HBox([self.release, self.fabric])
        row.layout.flex_flow = "row wrap"
        super().__init__([self.text, row, self.verdicts])
        self._check()

    def _check(self) -> None:
        try:
            text = self.text.value[: self.LONGEST]
            sheet = check_sheet(text, self.release.value.strip() or None, self.fabric.value or None)
        except DesignError as error:
            self.verdicts.value = tag("p", f"{error}.", class_="nd-complaint", role="alert")
            return
        self.verdicts.value = report_table(sheet.report)


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
