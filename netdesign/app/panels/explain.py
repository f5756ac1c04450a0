"""Where does a number come from? Its equation with today's values, and the formulas behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import card, inputs_line
from netdesign.app.live_html import LiveHtml
from netdesign.app.mathml import mathml
from netdesign.app.panels.explanation import Explanation
from netdesign.app.panels.explanations import EXPLANATIONS
from netdesign.app.panels.origins import reference, table_of
from netdesign.bands import bands
from netdesign.charts.format import between
from netdesign.formulas import Formula, formulas

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class ExplainPanel:
    """A drawer under the strip of numbers; empty until one is asked for."""

    def __init__(self, close: Callable[[str], None]) -> None:
        self.text = LiveHtml(acts={"close-explain": close})
        self.widget = card(self.text, classes="nd-panel-explain nd-card-wide")
        self._key = ""

    def ask(self, key: str) -> None:
        """Choose the number to explain; empty closes the drawer."""
        self._key = key if key in EXPLANATIONS else ""
        if self._key:
            self.widget.add_class("nd-shown")
        else:
            self.widget.remove_class("nd-shown")

    def show(self, evaluation: Evaluation) -> None:
        if not self._key:
            self.text.value = ""
            return
        self.text.value = explained(EXPLANATIONS[self._key], evaluation)


def explained(explanation: Explanation, evaluation: Evaluation) -> Markup:
    """Equation, range, today's values, where they come from, and the formulas behind them."""
    known = formulas()
    close = tag("button", "Close", type="button", class_="nd-button", data_act="close-explain")
    terms = join(
        tag("div", tag("dt", label), tag("dd", mathml(symbol), tag("span", f" = {value}")))
        for symbol, label, value in explanation.terms(evaluation)
    )
    behind = (
        tag("h3", "Formulas its terms come from"),
        tag(
            "div",
            join(_formula(known[name]) for name in explanation.formulas),
            class_="nd-formulas",
        ),
    )
    return join(
        (
            tag(
                "header",
                tag("h2", f"How “{explanation.title}” is computed"),
                tag("p", inputs_line(evaluation), class_="nd-inputs"),
                close,
                class_="nd-card-head",
            ),
            tag("p", explanation.sentence),
            tag("p", mathml(explanation.equation), class_="nd-equation"),
            tag("p", "Source: ", _source(explanation.source), class_="nd-quiet"),
            _range(explanation, evaluation),
            tag("dl", terms, class_="nd-facts nd-terms"),
            tag("h3", "Where its inputs come from"),
            table_of(explanation.origins(evaluation)),
            *(behind if explanation.formulas else ()),
        )
    )


def _source(key: str) -> Markup | str:
    return reference(key) if key else "arithmetic"


def _range(explanation: Explanation, evaluation: Evaluation) -> Markup | str:
    """The band of the number, where it has one."""
    if explanation.band is None:
        return ""
    band = explanation.band(bands(evaluation))
    ends = between(explanation.say(band.low), explanation.say(band.high))
    return tag(
        "p",
        tag("strong", f"{explanation.say(band.value)}, range {ends}"),
        f": {explanation.meaning}.",
    )


def _formula(formula: Formula) -> Markup:
    return tag(
        "section",
        tag("h4", tag("code", formula.name)),
        tag("p", formula.summary),
        tag("p", mathml(formula.latex), class_="nd-equation"),
        tag("p", "Source: ", reference(formula.source), class_="nd-quiet"),
        class_="nd-formula",
    )
