"""The Validation page: predictions held against published runs, and against a planner's own.

``ValidationPage().widget`` is the page. An uploaded table is bounded, parsed and predicted; what is
wrong with it is said, and the page stays as it is.
"""

from __future__ import annotations

import logging

import ipywidgets as widgets

from netdesign.app.courier import Courier
from netdesign.app.html import tag
from netdesign.app.layout import box, seen
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import STYLESHEETS, page_style
from netdesign.app.pictures import Picture
from netdesign.app.transport import PageWidget
from netdesign.app.validation_panels import collectives, errors, fitted, head, own
from netdesign.app.validation_panels.own import OwnRuns
from netdesign.errors import DesignError
from netdesign.export.predict import record_of, table_from_bytes, to_csv
from netdesign.performance.collective_prediction import measured_cases, predict_cases
from netdesign.validation.rows import RunTable
from netdesign.validation.scores import published, score_table

logger = logging.getLogger(__name__)

UNEXPECTED = "This file could not be predicted. The page shows what it showed before."
CSV = "text/csv;charset=utf-8"


class ValidationPage:
    """The page and its wiring."""

    def __init__(self, page: PageWidget | None = None) -> None:
        self.page = page or PageWidget(title="Validation · netdesign")
        self.own: OwnRuns | None = None
        self.courier = Courier()
        self.banner = LiveHtml()
        self.head = LiveHtml(
            acts={
                "upload": self.upload,
                "forget": lambda _: self.forget(),
                "example": lambda _: self._example(),
                "download": lambda _: self._download(),
                "download-own": lambda _: self._download_own(),
            }
        )
        self.scatter = Picture("validation_scatter")
        self.own_runs = LiveHtml()
        self.errors = Picture("validation_errors")
        self.table = LiveHtml(errors.section(published()))
        self.collectives = Picture("validation_collectives", renderer="canvas")
        self.fitted = LiveHtml(fitted.section(published()))
        self._put_together()
        self.errors.show(published(), errors.cuts(published()))
        cases = measured_cases()
        self.collectives.show(cases, predict_cases(cases))
        self._show()

    def _put_together(self) -> None:
        pictures = (
            box([self.scatter.view], "nd-part", "nd-picture"),
            self.own_runs,
            box([self.errors.view], "nd-part", "nd-picture"),
        )
        below = (
            LiveHtml(collectives.intro()),
            box([self.collectives.view], "nd-part", "nd-picture"),
            LiveHtml(collectives.section()),
            self.fitted,
        )
        style = (page_style(), page_style(STYLESHEETS / "validation.css"))
        parts = (self.page, self.courier, *style, self.banner, self.head, *pictures, self.table)
        self.widget = box([*parts, *below], "nd-sheet", "nd-validation")

    def upload(self, name: str, content: bytes | None, size: int = 0) -> None:
        """Predict a file of runs from a stranger: bounded, parsed, never evaluated."""
        with self.courier.bundle():
            self._say("")
            if content is None or len(content) > head.LARGEST_UPLOAD:
                most = f"{head.LARGEST_UPLOAD:,}"
                self._say(f"{name[:80]}: {size:,} bytes are too many; a page takes {most}.")
                return
            try:
                table = table_from_bytes(content, name[:80])
                self.own = OwnRuns(name[:80], *score_table(table, published()))
                self._show()
            except DesignError as error:
                self._say(str(error))
            except Exception:
                logger.exception("a table of runs could not be predicted")
                self._say(UNEXPECTED)

    def forget(self) -> None:
        """Take the planner's runs off the page."""
        with self.courier.bundle():
            self._say("")
            self.own = None
            self._show()

    def _show(self) -> None:
        self.head.value = head.head(published(), self.own is not None)
        self.own_runs.value = own.section(self.own)
        seen(self.own_runs, self.own is not None)
        self.scatter.show(published(), self.own.scores if self.own else None)

    def _say(self, sentence: str) -> None:
        alert = tag("p", sentence, class_="nd-banner", role="alert") if sentence else ""
        self.banner.value = alert

    def _example(self) -> None:
        self.page.download("training-runs.csv", own.example_csv(), CSV)

    def _download(self) -> None:
        table = RunTable(published().candidates, (), ())
        self.page.download("predictions.csv", to_csv(record_of(table, published())), CSV)

    def _download_own(self) -> None:
        if self.own is not None:
            text = to_csv(record_of(self.own.table, self.own.scores))
            self.page.download("predictions-of-your-runs.csv", text, CSV)


def validation() -> widgets.VBox:
    """What the notebook shows."""
    return ValidationPage().widget
