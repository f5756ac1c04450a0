"""The Audit page: drop logs and dumps in; see what they say, held against the design.

``AuditPage().widget`` is the page. A file comes from a stranger: bounded, parsed, shown escaped.
"""

from __future__ import annotations

import json
import logging

import ipywidgets as widgets

from netdesign.acceptance.benchmarks import benchmarks
from netdesign.app.audit_panels import detail, example, head
from netdesign.app.audit_panels.pictures import Pictures
from netdesign.app.courier import Courier
from netdesign.app.html import Markup, tag
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import STYLESHEETS, page_style
from netdesign.app.transport import PageWidget
from netdesign.audit.context import Context
from netdesign.audit.document import Document, document_of
from netdesign.audit.fabric_view import view_of_plan, view_of_report
from netdesign.audit.files import audit
from netdesign.audit.report import FileReport
from netdesign.audit.whole import Audit, together
from netdesign.design import Design, design_from_query, read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.units import gbps_to_bytes_per_second

logger = logging.getLogger(__name__)

UNEXPECTED = "This file could not be read. The page shows what it showed before."
MOST_FILES = 500
LONGEST_NAME = 120
HTML, JSON = "text/html;charset=utf-8", "application/json"
MARKDOWN, SHELL = "text/markdown;charset=utf-8", "text/x-shellscript;charset=utf-8"


class AuditPage:
    """The page and its wiring."""

    def __init__(self, page: PageWidget | None = None) -> None:
        self.page = page or PageWidget(title="Audit · netdesign")
        self.documents: list[Document] = []
        self.reports: tuple[FileReport, ...] = ()
        self.found: Audit | None = None
        self.design, self.rate, self.nics = head.NONE, "", ""
        self.linked: Design | None = None
        self.chosen, self.table = "", 0
        self.context = Context()
        self.courier = Courier()
        self.banner = LiveHtml()
        self.head = LiveHtml(
            acts={
                "upload": self.upload,
                "example": lambda _: self.upload(example.NAME, example.sample()),
                "forget": lambda _: self.forget(),
                "design": lambda value: self.hold_against(design=value),
                "rate": lambda value: self.hold_against(rate=value),
                "nics": lambda value: self.hold_against(nics=value),
                "report": lambda _: self._download_report(),
                "record": lambda _: self._download_record(),
                "plan": lambda _: self._download_plan(),
                "script": lambda _: self._download_script(),
            }
        )
        self.files = LiveHtml(acts={"choose": self.choose})
        self.detail, self.unread = LiveHtml(), LiveHtml()
        self.pictures = Pictures(self._choose_table)
        style = (page_style(), page_style(STYLESHEETS / "audit.css"))
        parts = (self.page, self.courier, *style, self.banner, self.head, self.files)
        shown = (self.detail, *self.pictures.widgets, self.unread)
        self.widget = box([*parts, *shown], "nd-sheet", "nd-audit")
        self.page.observe(lambda _: self._open_address(), "initial_query")
        self._show()
        self._open_address()

    def upload(self, name: str, content: bytes | None, size: int = 0) -> None:
        """Read a file of a stranger and show what it says."""
        with self.courier.bundle():
            self._say("")
            name = name[:LONGEST_NAME] or "file"
            if content is None or len(content) > head.LARGEST_UPLOAD:
                self._say(
                    f"{name}: {size:,} bytes are too many for a page, which takes "
                    f"{head.LARGEST_UPLOAD:,}. Use netdesign audit in a shell."
                )
                return
            if len(self.documents) >= MOST_FILES:
                self._say(f"{name}: a page takes {MOST_FILES} files. Remove all, or use a shell.")
                return
            try:
                document = document_of(name, content)
                report = audit(document, self.context)
            except Exception:
                logger.exception("a file could not be audited")
                self._say(UNEXPECTED)
                return
            self.documents.append(document)
            self.reports = (*self.reports, report)
            self.chosen, self.table = str(len(self.reports) - 1), 0
            self._show()

    def forget(self) -> None:
        """Take all files off the page."""
        with self.courier.bundle():
            self._say("")
            self.documents, self.reports, self.chosen = [], (), ""
            self._show()

    def hold_against(
        self, design: str | None = None, rate: str | None = None, nics: str | None = None
    ) -> None:
        """Judge all files again, against another design or another line rate."""
        with self.courier.bundle():
            self._say("")
            before = self.design, self.rate, self.nics
            self.design = self.design if design is None else design
            self.rate = self.rate if rate is None else rate
            self.nics = self.nics if nics is None else nics
            try:
                self.context = self._known()
            except DesignError as error:
                self._say(f"{error}.")
                self.design, self.rate, self.nics = before
                return
            self.reports = tuple(audit(entry, self.context) for entry in self.documents)
            self._show()

    def choose(self, key: str) -> None:
        """Look at another file."""
        with self.courier.bundle():
            self.chosen, self.table = key, 0
            self._show()

    def _choose_table(self, number: str) -> None:
        with self.courier.bundle():
            self.table = int(number) if number.isdecimal() else 0
            self._show()

    def _known(self) -> Context:
        rate = float(gbps_to_bytes_per_second(float(self.rate))) if self.rate else None
        nics = int(self.nics) if self.nics else None
        if self.design == head.NONE:
            return Context(rate, nics)
        linked = self.linked if self.design == head.FROM_LINK else None
        return Context(rate, nics, evaluate(linked or read_design(self.design)))

    def _show(self) -> None:
        self.found = together(self.reports, self.context)
        self.head.value = head.head(
            self.found, design=self.design, linked=self.linked, rate=self.rate, nics=self.nics
        )
        self._show_chosen(self.found)

    def _show_chosen(self, found: Audit) -> None:
        keys = [key for key, *_ in detail.places(found)]
        self.chosen = self.chosen if self.chosen in keys else (keys[0] if keys else "")
        self.files.value = detail.listing(found, self.chosen)
        report = self.reports[int(self.chosen)] if self.chosen.isdecimal() else None
        self.pictures.show_curve(report, self.context, self.table)
        self.unread.value = Markup() if report is None else detail.unread_section(report)
        if report is not None:
            self.detail.value = detail.report_section(report)
            self.pictures.show_fabric(view_of_report(report))
        elif self.chosen == detail.PLAN:
            drawn = found.plan is not None and found.plan.how != "counts"
            self.detail.value = detail.plan_section(found)
            self.pictures.show_fabric(
                view_of_plan(found.plan, found.planned)
                if drawn and found.plan is not None and found.planned is not None
                else None
            )
        else:
            answers = found.answers if self.chosen == detail.ACCEPTANCE else ()
            self.detail.value = detail.acceptance_section(answers) if answers else Markup()
            self.pictures.show_fabric(None)

    def _open_address(self) -> None:
        """Take the design from the address the page was opened with."""
        query = self.page.initial_query
        if not query:
            return
        try:
            self.linked, ignored = design_from_query(query)
        except DesignError as error:
            self._say(f"{error}.")
            return
        self.hold_against(design=head.FROM_LINK)
        if ignored:
            self._say("Ignored in the link: " + "; ".join(ignored))

    def _say(self, sentence: str) -> None:
        alert = tag("p", sentence, class_="nd-banner", role="alert") if sentence else ""
        self.banner.value = alert

    def _download_report(self) -> None:
        from netdesign.export.audit_drawings import drawings, plan_drawing
        from netdesign.export.audit_html import audit_html

        if self.found is not None and self.found.reports:
            pictures = drawings(self.found.reports, self.context)
            text = audit_html(self.found, self.context, pictures, plan_drawing(self.found))
            self.page.download("audit.html", text, HTML)

    def _download_record(self) -> None:
        from netdesign.export.audit_record import audit_record

        if self.found is not None and self.found.reports:
            text = json.dumps(audit_record(self.found), indent=2, allow_nan=False)
            self.page.download("audit.json", text, JSON)

    def _download_plan(self) -> None:
        from netdesign.acceptance.by_hand import tests_by_hand
        from netdesign.export.acceptance_record import plan_document

        evaluation = self.context.evaluation
        if evaluation is not None:
            text = plan_document(evaluation, benchmarks(evaluation), tests_by_hand(evaluation))
            self.page.download("preflight-plan.md", text, MARKDOWN)

    def _download_script(self) -> None:
        from netdesign.acceptance.by_hand import tests_by_hand
        from netdesign.export.preflight_script import preflight_script

        evaluation = self.context.evaluation
        if evaluation is not None:
            checks = benchmarks(evaluation)
            text = preflight_script(evaluation, checks, tests_by_hand(evaluation))
            self.page.download("preflight.sh", text, SHELL)


def audit_page() -> widgets.VBox:
    """What the notebook shows."""
    return AuditPage().widget
