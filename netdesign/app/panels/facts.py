"""Numbers of a panel, each with its range; a click on a name opens the formula below them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from netdesign.app.html import Markup, join, tag
from netdesign.app.live_html import LiveHtml
from netdesign.app.panels.explain import explained
from netdesign.app.panels.explanations import EXPLANATIONS

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class Fact(NamedTuple):
    """A number in words; ``key`` names its explanation, ``span`` is its range."""

    label: str
    said: Any
    key: str = ""
    span: str = ""


class FactList:
    """``list`` shows the facts and, below them, the explanation of the one that was asked for."""

    def __init__(self) -> None:
        self.list = LiveHtml(
            acts={"explain": self.explain, "close-explain": lambda _: self.explain("")}
        )
        self._asked = ""
        self._lead: Markup | str = ""
        self._facts: tuple[Fact, ...] = ()
        self._evaluation: Evaluation | None = None

    def show(self, evaluation: Evaluation, facts: Iterable[Fact], lead: Markup | str = "") -> None:
        """Draw the facts of an Evaluation, and the explanation that is open."""
        self._evaluation, self._facts, self._lead = evaluation, tuple(facts), lead
        self._draw()

    def explain(self, key: str) -> None:
        """Open the explanation of a fact; the same again closes it."""
        known = {fact.key for fact in self._facts if fact.key}
        self._asked = key if key in known and key != self._asked else ""
        self._draw()

    def _draw(self) -> None:
        items = join(
            _item(fact, bool(fact.key) and fact.key == self._asked) for fact in self._facts
        )
        parts = [self._lead, tag("dl", items, class_="nd-facts")]
        if self._asked and self._evaluation is not None:
            text = explained(EXPLANATIONS[self._asked], self._evaluation)
            parts.append(tag("div", text, class_="nd-fact-explained"))
        self.list.value = join(parts)


def _item(fact: Fact, asked: bool) -> Markup:
    name: Markup | str = fact.label
    if fact.key:
        name = tag(
            "button",
            fact.label,
            type="button",
            class_="nd-fact-name",
            title="Show the formula",
            data_act="explain",
            data_value=fact.key,
            aria_expanded="true" if asked else "false",
        )
    span = tag("span", fact.span, class_="nd-fact-range") if fact.span else ""
    return tag("div", tag("dt", name), tag("dd", fact.said, span))
