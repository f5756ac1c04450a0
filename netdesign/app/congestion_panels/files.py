"""Files to take along: a report, the load of every link, the plan of failure tests."""

from __future__ import annotations

from collections.abc import Callable

from netdesign.app.congestion_panels.answer import Answer, stage_for
from netdesign.app.congestion_panels.headline import why
from netdesign.app.congestion_panels.request import to_query
from netdesign.app.html import join, tag
from netdesign.app.layout import card
from netdesign.app.live_html import LiveHtml
from netdesign.app.toolbar import button, grouped

Download = Callable[[str, str, str], None]
MARKDOWN, CSV = "text/markdown;charset=utf-8", "text/csv;charset=utf-8"


class FilesPanel:
    """Buttons; a file is made when it is asked for."""

    def __init__(self, download: Download) -> None:
        self._download = download
        self._answer: Answer | None = None
        acts = {
            "report": lambda _: self.report(),
            "loads": lambda _: self.loads(),
            "plan": lambda _: self.plan(as_csv=False),
            "plan-csv": lambda _: self.plan(as_csv=True),
        }
        buttons = (
            button("Report, Markdown", "report"),
            button("Load of every link, CSV", "loads"),
            button("Failure tests, Markdown", "plan"),
            button("Failure tests, CSV", "plan-csv"),
        )
        head = tag(
            "header",
            tag("h2", "Take it along"),
            tag("p", "of what is shown; the tests are of the whole design", class_="nd-inputs"),
            class_="nd-card-head",
        )
        files = tag("div", grouped((buttons,)), class_="nd-file-buttons")
        self.text = LiveHtml(join((head, files)), acts=acts)
        self.widget = card(self.text, classes="nd-panel-files nd-card-wide")

    def show(self, answer: Answer) -> None:
        self._answer = answer

    def report(self) -> None:
        """Hand out the report."""
        from netdesign.export.congestion_report import congestion_markdown

        if (one := self._answer) is not None:
            text = congestion_markdown(one.found, one.outcome, why(one), to_query(one.request))
            self._download("congestion-and-failures.md", text, MARKDOWN)

    def loads(self) -> None:
        """Hand out the load of every link."""
        from netdesign.export.congestion_report import link_loads_csv

        if (one := self._answer) is not None:
            text = link_loads_csv(one.fabric, one.load, one.broken_links)
            self._download("link-loads.csv", text, CSV)

    def plan(self, *, as_csv: bool) -> None:
        """Hand out the failure and soak tests with the numbers the model expects."""
        from netdesign.export.failure_plan import plan_csv, plan_markdown
        from netdesign.failures.preflight import preflight

        if self._answer is not None:
            stage = stage_for(self._answer)
            tests = preflight(stage)
            if as_csv:
                self._download("failure-tests.csv", plan_csv(tests), CSV)
            else:
                self._download("failure-tests.md", plan_markdown(stage.evaluation, tests), MARKDOWN)
