"""The Audit page: drop logs and dumps in; see what they say, held against the design.

``AuditPage().widget`` is the page. A file comes from a stranger: bounded, parsed, shown escaped.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace

import ipywidgets as widgets

from netdesign.acceptance.benchmarks import benchmarks
from netdesign.app.audit_panels import detail, example, head, own_logs
from netdesign.app.audit_panels.pictures import Pictures
from netdesign.app.courier import Courier
from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import STYLESHEETS, page_style
from netdesign.app.transport import PageWidget
from netdesign.audit.context import Context
from netdesign.audit.document import Document, document_of
from netdesign.audit.fabric_view import view_of_plan, view_of_report
from netdesign.audit.files import audit_whatever
from netdesign.audit.report import FileReport
from netdesign.audit.whole import Audit, together
from netdesign.design import Design, design_from_query, read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.units import gbps_to_bytes_per_second
from netdesign.wording import one_line

logger = logging.getLogger(__name__)

UNEXPECTED = "could not be read. The page shows what it showed before."
MOST_FILES = 500
MOST_BYTES = 256 * 2**20  # of all files of a page
MOST_REFUSED = 4  # whose refusals are listed
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
        self.chosen, self.table, self.faults = "", 0, False
        self.refused: list[str] = []
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
                "calibrate": lambda _: self.calibrate(),
            }
        )
        self.files = LiveHtml(
            acts={"choose": self.choose, "faults": lambda _: self.only_faults(not self.faults)}
        )
        self.own = LiveHtml()
        self.detail, self.unread = LiveHtml(), LiveHtml()
        self.pictures = Pictures(self._choose_table)
        style = (page_style(), page_style(STYLESHEETS / "audit.css"))
        parts = (self.page, self.courier, *style, self.banner, self.head, self.own)
        shown = (self.files, self.detail, *self.pictures.widgets, self.unread)
        self.widget = box([*parts, *shown], "nd-sheet", "nd-audit")
        self.page.observe(lambda _: self._open_address(), "initial_query")
        self._show()
        self._open_address()

    def upload(self, name: str, content: bytes | None, size: int = 0) -> None:
        """Read a file of a stranger and show what it says."""
        with self.courier.bundle():
            name = name[:LONGEST_NAME] or "file"
            if content is None or len(content) > head.LARGEST_UPLOAD:
                self._refuse(
                    f"{name} has {max(size, len(content or b'')) / 2**20:.1f} MiB; a page takes "
                    f"{head.LARGEST_UPLOAD // 2**20}. In a shell, netdesign audit takes any size."
                )
                return
            held = sum(len(entry.content) for entry in self.documents)
            if len(self.documents) >= MOST_FILES or held + len(content) > MOST_BYTES:
                self._refuse(
                    f"{name}: a page takes {MOST_FILES} files and {MOST_BYTES // 2**20} MiB in "
                    "all. Remove all, or use netdesign audit in a shell."
                )
                return
            before = self.documents, self.reports, self.chosen
            try:
                document = document_of(name, content)
                if self._is_here(document):
                    return
                document = replace(document, name=self._free_name(name))
                self.documents = [*self.documents, document]
                self.reports = (*self.reports, audit_whatever(document, self.context))
                self.chosen, self.table = str(len(self.reports) - 1), 0
                self._show()
            except Exception:
                logger.exception("a file could not be audited")
                self.documents, self.reports, self.chosen = before
                self._refuse(f"{name}: {UNEXPECTED}")
                self._show()

    def _is_here(self, document: Document) -> bool:
        """Whether the same file was dropped before; it is looked at again then."""
        for number, entry in enumerate(self.documents):
            if entry.content == document.content and entry.name.startswith(document.name):
                self._refuse(f"{document.name} is here already.")
                self.chosen, self.table = str(number), 0
                self._show_chosen()
                return True
        return False

    def _free_name(self, name: str) -> str:
        taken = {entry.name for entry in self.documents}
        numbers = (f"{name} ({number})" for number in range(2, MOST_FILES + 2))
        return name if name not in taken else next(n for n in numbers if n not in taken)

    def _refuse(self, sentence: str) -> None:
        """Say why a file is not taken; files of one drop come one after the other."""
        if sentence not in self.refused:
            self.refused.append(sentence)
        more = len(self.refused) - MOST_REFUSED
        said = [f"And {more} more."] if more > 0 else []
        self._draw_banner([*self.refused[:MOST_REFUSED], *said])

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
            self.reports = tuple(audit_whatever(entry, self.context) for entry in self.documents)
            self._show()

    def only_faults(self, faults: bool) -> None:
        """Leave out what is healthy, or show it again."""
        with self.courier.bundle():
            self.faults = faults
            self._show_chosen()

    def calibrate(self) -> None:
        """Fit the model to the logs of the machines of the design; say how far off it is."""
        from netdesign.audit.own_measurements import calibrate

        with self.courier.bundle():
            self._say("")
            if self.context.evaluation is None:
                return
            try:
                design = self.context.evaluation.design
                logs = [entry for entry in self.reports if "nccl-tests" in entry.kinds]
                self.own.value = own_logs.own_section(calibrate(logs, design), design)
            except DesignError as error:
                self._say(f"{error}.")

    def choose(self, key: str) -> None:
        """Look at another file."""
        with self.courier.bundle():
            self._say("")
            self.chosen, self.table = key, 0
            self._show_chosen()

    def _choose_table(self, number: str) -> None:
        with self.courier.bundle():
            self.table = int(number) if number.isdecimal() else 0
            self._show_chosen()

    def _known(self) -> Context:
        rate = float(gbps_to_bytes_per_second(float(self.rate))) if self.rate else None
        nics = int(self.nics) if self.nics else None
        if self.design == head.NONE:
            return Context(rate, nics)
        linked = self.linked if self.design == head.FROM_LINK else None
        return Context(rate, nics, evaluate(linked or read_design(self.design)))

    def _show(self) -> None:
        self.found = together(self.reports, self.context)
        self.own.value = Markup()
        self.head.value = head.head(
            self.found, design=self.design, linked=self.linked, rate=self.rate, nics=self.nics
        )
        self._show_chosen()

    def _show_chosen(self) -> None:
        found = self.found or together(self.reports, self.context)
        keys = [key for key, *_ in detail.places(found, faults=self.faults)]
        self.chosen = self.chosen if self.chosen in keys else (keys[0] if keys else "")
        self.files.value = detail.listing(found, self.chosen, faults=self.faults)
        report = found.reports[int(self.chosen)] if self.chosen.isdecimal() else None
        self.pictures.show_curve(report, self.context, self.table)
        self.unread.value = Markup() if report is None else detail.unread_section(report)
        if report is not None:
            self.detail.value = detail.report_section(report, faults=self.faults)
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
        self.refused = []
        self._draw_banner([sentence] if sentence else [])

    def _draw_banner(self, sentences: Sequence[str]) -> None:
        self.banner.value = join(
            tag("p", one_line(sentence), class_="nd-banner", role="alert") for sentence in sentences
        )

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
