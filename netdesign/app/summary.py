"""The executive summary: one design on one page, for the one who signs.

``SummaryPage().widget`` is the page. It takes the design from the address or from a YAML file,
evaluates it with two alternatives beside it, and keeps the last good page when something is wrong.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import ipywidgets as widgets

from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import page_style
from netdesign.app.pictures import Picture
from netdesign.app.summary_panels import beside, figures, plain, risks, trust
from netdesign.app.summary_panels.print_line import PrintLine
from netdesign.app.transport import PageWidget
from netdesign.design import (
    LARGEST_FILE_BYTES,
    Design,
    default_design,
    design_from_query,
    design_from_yaml,
    design_to_query,
)
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.explore import Alternative, alternatives

logger = logging.getLogger(__name__)

STUDIO_PAGE = "studio.ipynb"
UNEXPECTED = "This design could not be computed. The page shows the last one that could."


class SummaryPage:
    """The page and its wiring."""

    def __init__(
        self,
        evaluate: Callable[[Design], Evaluation] = evaluate,
        alternatives: Callable[[Design], Sequence[Alternative]] = alternatives,
        page: PageWidget | None = None,
    ) -> None:
        self._evaluate = evaluate
        self._alternatives = alternatives
        self.page = page or PageWidget(title="Executive summary · netdesign")
        self.evaluation: Evaluation | None = None
        self.banner = LiveHtml()
        self.head = LiveHtml(acts={"upload-design": self.upload})
        self.risks = LiveHtml()
        self.money = Picture("summary_money")
        self.rest = LiveHtml()
        self.no_money = LiveHtml()
        self.print_line = PrintLine()
        self.picture = box([self.money.view], "nd-part", "nd-money")
        middle = widgets.HBox([self.risks, self.picture])
        middle.add_class("nd-middle")
        parts = (self.banner, self.head, middle, self.rest, self.print_line)
        self.widget = box([self.page, page_style(), *parts], "nd-sheet")
        self._open_address()
        self.page.observe(lambda _: self._open_address(), "initial_query")

    def show(self, design: Design) -> None:
        """Draw a design; what goes wrong is said, and the last good page stays."""
        try:
            evaluation = self._evaluate(design)
            pieces = self._pieces(evaluation)
            self.money.show(evaluation)
        except DesignError as error:
            self._say(str(error))
            return
        except Exception:
            logger.exception("the design could not be summarised: %r", design)
            self._say(UNEXPECTED)
            return
        self.evaluation = evaluation
        self.head.value, self.risks.value, self.rest.value = pieces
        self.no_money.value = no_picture(evaluation)
        told = plain.owning_known(evaluation)
        self.picture.children = (self.money.view if told else self.no_money,)
        self.print_line.data_age = f"Prices of {trust.price_dates(evaluation)}"
        self.page.query = design_to_query(design)
        self.page.title = f"{plain.title(evaluation)} · executive summary"

    def upload(self, name: str, content: bytes | None, size: int = 0) -> None:
        """Read a design file from a stranger: bounded, parsed, never evaluated."""
        name = name[:80]
        self._say("")
        if content is None or len(content) > LARGEST_FILE_BYTES:
            most = f"{LARGEST_FILE_BYTES:,}"
            self._say(f"{name}: {size:,} bytes are too many; a design has under {most}.")
            return
        try:
            design = design_from_yaml(content, name)
        except DesignError as error:
            self._say(str(error))
            return
        self.show(design)

    def _open_address(self) -> None:
        self._say("")
        try:
            design, ignored = design_from_query(self.page.initial_query)
        except DesignError as error:
            design, ignored = default_design(), (str(error),)
        self.show(design)
        if self.evaluation is None:
            self.show(default_design())
        if ignored:
            self._say("Ignored in the link: " + "; ".join(ignored))

    def _say(self, sentence: str) -> None:
        alert = tag("p", sentence, class_="nd-banner", role="alert") if sentence else ""
        self.banner.value = alert

    def _pieces(self, evaluation: Evaluation) -> tuple[Markup, Markup, Markup]:
        rest = join(
            (
                beside.section(evaluation, self._others(evaluation)),
                trust.sources(evaluation),
                glossary(),
            )
        )
        return head(evaluation), risks.section(evaluation), rest

    def _others(self, evaluation: Evaluation) -> Sequence[Alternative]:
        """Alternatives to a design that works: those of another do not work either."""
        if any(finding.severity == "error" for finding in evaluation.findings):
            return ()
        try:
            return self._alternatives(evaluation.design)
        except DesignError:
            logger.info("no alternatives for %r", evaluation.design)
            return ()


def no_picture(evaluation: Evaluation) -> Markup:
    """What stands where the money would be drawn if the bill told it."""
    why = plain.unknown_money(evaluation)
    text = tag("p", f"{why} Shares of the purchase would mislead.", class_="nd-quiet")
    return tag("div", tag("h2", "Where does the money go?"), text)


def head(evaluation: Evaluation) -> Markup:
    """Title, standing, what it is, the numbers."""
    kind, sentence = plain.standing(evaluation)
    return join(
        (
            tag(
                "header",
                tag("p", "Executive summary", class_="nd-kicker"),
                tag("h1", plain.title(evaluation)),
                tag("p", plain.outcome(evaluation), class_="nd-outcome"),
                tag("p", sentence, class_=f"nd-standing nd-standing-{kind}", role="status"),
                actions(evaluation.design),
                class_="nd-sheet-head",
            ),
            tag("p", plain.description(evaluation), class_="nd-description"),
            figures.tiles(evaluation),
        )
    )


def actions(design: Design) -> Markup:
    """What one can do with the page."""
    field = Markup(
        '<input type="file" accept=".yaml,.yml" data-upload="upload-design" '
        f'data-limit="{LARGEST_FILE_BYTES}" aria-label="Open a design file">'
    )
    studio = tag(
        "a",
        "Open in the Studio",
        href=f"{STUDIO_PAGE}?{design_to_query(design)}",
        class_="nd-button nd-button-strong nd-page-only",
    )
    printing = tag("button", "Print", type="button", class_="nd-button", onclick="window.print()")
    return tag(
        "div",
        studio,
        tag("label", "Open a design file", field, class_="nd-button nd-upload"),
        printing,
        tag(
            "button",
            "Copy link",
            type="button",
            class_="nd-button nd-page-only",
            data_copy="address",
        ),
        tag("span", class_="nd-quiet", role="status", data_copied=True),
        class_="nd-actions",
    )


def glossary() -> Markup:
    """The words of the page."""
    words = join(tag("div", tag("dt", word), tag("dd", text)) for word, text in plain.GLOSSARY)
    return tag(
        "section",
        tag("h2", "Words on this page"),
        tag("dl", words, class_="nd-glossary"),
        class_="nd-part nd-words",
    )


def summary() -> widgets.VBox:
    """What the notebook shows."""
    return SummaryPage().widget
