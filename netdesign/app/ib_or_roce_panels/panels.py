"""What the page says: the headline, the table, the pictures, figures with grades, what to set."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.ib_or_roce_panels.answer import Answer
from netdesign.app.layout import card
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.app.toolbar import button, grouped
from netdesign.charts.format import count, percent
from netdesign.comparison.sides import Side
from netdesign.export.comparison import (
    comparison_csv,
    comparison_markdown,
    facts,
    figure_cells,
    measure_cells,
    reduction_sentence,
    treatment,
)
from netdesign.wording import plural

Download = Callable[[str, str, str], None]
TOPICS = ("load balancing", "congestion control", "in network reduction", "operations", "tail")
HEADINGS = {"risk": "Risks", "configure": "What must be configured"}


class HeadlinePanel:
    """Who wins and why, each number with its grade."""

    def __init__(self) -> None:
        self.text = LiveHtml()
        self.widget = card(self.text, classes="nd-panel-verdict nd-card-wide")

    def show(self, answer: Answer) -> None:
        found = answer.verdict
        reasons = join(tag("li", reason) for reason in found.reasons)
        self.text.value = join(
            (
                tag("p", found.sentence, class_="nd-verdict", role="status"),
                tag("ul", reasons, class_="nd-reasons"),
                tag("p", asked(answer), class_="nd-inputs"),
            )
        )


class TablePanel:
    """Every measure of both sides, the difference with its band, and which is better."""

    def __init__(self) -> None:
        self.text = LiveHtml()
        self.widget = card(self.text, classes="nd-panel-measures nd-card-wide")

    def show(self, answer: Answer) -> None:
        heads = (
            Head(""),
            Head("A", number=True),
            Head("B", number=True),
            Head("B against A"),
            Head("better"),
        )
        rows = [_measured(*measure_cells(measure)) for measure in answer.comparison.measures]
        switches = (tag("li", one.reason) for one in answer.comparison.counterparts)
        self.text.value = join(
            (
                _head("One design on both fabrics", f"A: {answer.names[0]} · B: {answer.names[1]}"),
                table("Measures of both fabrics", heads, rows, class_="nd-measures"),
                tag("p", treatment(answer.comparison), class_="nd-quiet"),
                tag("ul", join(switches), class_="nd-quiet nd-switches"),
            )
        )


class PicturesPanel:
    """The three cross-overs; a control that moves only one of them stands below it."""

    def __init__(self, message: widgets.Widget, exposed: widgets.Widget) -> None:
        self.balance = Picture("crossover_balance")
        self.message = Picture("crossover_message")
        self.discount = Picture("crossover_discount")
        self.fixed, self.said = LiveHtml(), LiveHtml()
        self.widgets = (
            card(self.balance.view, self.fixed, classes="nd-panel-balance nd-card-wide"),
            card(self.message.view, message, classes="nd-panel-message"),
            card(self.discount.view, self.said, exposed, classes="nd-panel-discount"),
        )

    def show(self, answer: Answer) -> None:
        request = answer.request
        self.balance.show(answer.map, request.gpus, request.balance, answer.names)
        self.fixed.value = tag("p", held_fixed(answer), class_="nd-quiet")
        self.message.show(answer.curves, request.message)
        self.discount.show(answer.lines, answer.case, answer.comparison.discount)
        self.said.value = tag("p", self.discount.view.label, class_="nd-quiet nd-case")


class SidesPanel:
    """Of each fabric: figures with grade and source, what it is like, risks, what to configure."""

    def __init__(self) -> None:
        self.texts = (LiveHtml(), LiveHtml())
        self.widgets = tuple(card(text, classes="nd-panel-side") for text in self.texts)

    def show(self, answer: Answer) -> None:
        sides = (answer.comparison.first, answer.comparison.second)
        for letter, side, text in zip("AB", sides, self.texts, strict=True):
            text.value = join(_side(letter, side))


class FilesPanel:
    """The comparison to hand on, and the same from a shell."""

    def __init__(self, download: Download) -> None:
        self._download = download
        self._answer: Answer | None = None
        acts = {"markdown": lambda _: self.markdown(), "csv": lambda _: self.csv()}
        self.text = LiveHtml(acts=acts)
        self.widget = card(self.text, classes="nd-panel-files nd-card-wide")

    def show(self, answer: Answer) -> None:
        self._answer = answer
        buttons = (button("Markdown", "markdown"), button("CSV", "csv"))
        self.text.value = join(
            (
                _head("Take it along", "the table, the figures with their sources, what to set"),
                tag("div", grouped((buttons,)), class_="nd-file-buttons"),
                tag("p", "The same from a shell:", class_="nd-quiet"),
                tag("pre", tag("code", command(answer)), class_="nd-command", tabindex=0),
            )
        )

    def markdown(self) -> None:
        """Hand out the comparison as Markdown."""
        if self._answer is not None:
            text = comparison_markdown(self._answer.comparison)
            self._download("ib-or-roce.md", text, "text/markdown;charset=utf-8")

    def csv(self) -> None:
        """Hand out the measures as CSV."""
        if self._answer is not None:
            text = comparison_csv(self._answer.comparison)
            self._download("ib-or-roce.csv", text, "text/csv;charset=utf-8")


def asked(answer: Answer) -> str:
    """What was compared, in one line."""
    design = answer.comparison.first.design
    request = answer.request
    return (
        f"Shown: {design.name} on {count(request.gpus)} GPUs · {answer.names[0]} and "
        f"{answer.names[1]} · balance of B {_balance(answer)} · "
        f"MTU {count(request.value('mtu'))} bytes · {_price(answer)}"
    )


def held_fixed(answer: Answer) -> str:
    """What is the same in every cell of the map, and how to read it."""
    found = answer.comparison
    switches = " and ".join(dict.fromkeys(one.switch.name for one in found.counterparts))
    return (
        f"Held fixed: the job and batch of {found.first.design.name}, {_price(answer)}, {switches} "
        f"switches, MTU {count(answer.request.value('mtu'))} bytes; each number of GPUs has its "
        "own best plan. Orange: B gives more tokens for a dollar, blue: A. Black line: the saving "
        "just pays for the loss (p = s d). Ring: as set."
    )


def brief(answer: Answer) -> Markup:
    """The comparison in one line, for a page whose headline is out of sight."""
    found = answer.comparison
    winner = {"first": "A wins", "second": "B wins", "same": "not to be told apart"}
    said = [winner.get(answer.verdict.winner, "cannot be compared")]
    if found.identical:
        said = ["A and B are the same"]
    else:
        said.append(f"B {'loses' if found.loss >= 0 else 'gains'} {percent(abs(found.loss))}")
        if math.isfinite(found.affordable_loss):
            way = "saves" if found.affordable_loss >= 0 else "costs"
            more = "" if found.affordable_loss >= 0 else " more"
            said.append(f"{way} {percent(abs(found.affordable_loss))}{more}")
    return tag("p", *(tag("span", part) for part in said))


def command(answer: Answer) -> str:
    """The command that prints this comparison, at the design's own size."""
    request = answer.request
    words = ["netdesign", "compare", str(request.value("design")), "--transports"]
    words.append(",".join(request.transports))
    if request.pricing.discount is not None:
        words.append(f"--discount {request.pricing.discount:g}")
    if request.gpus != request.base.cluster.gpus:
        words.append(f"--gpus {request.gpus}")
    if any(request.switches):
        words.append(f"--switches {','.join(request.switches)}")
    words += [
        f"--set transport.{transport}.{name}={value:g}"
        for transport, own in request.overrides.items()
        for name, value in own.items()
    ]
    return " ".join(words)


def _measured(label: str, *cells: str) -> tuple[Any, ...]:
    """A row whose bands may go below their values on a narrow screen."""
    *values, better = cells
    return label, *(_banded(value) for value in values), better


def _banded(cell: str) -> Markup:
    value, bracket, band = cell.partition("(")
    if not bracket:
        return join([value])
    return join((value, tag("span", f"({band}", class_="nd-band")))


def _balance(answer: Answer) -> str:
    request = answer.request
    if request.own_balance:
        return f"{request.balance:.3g} (yours)"
    return f"{request.balance:.3g} for {plural(request.pairs, 'queue pair')}"


def _price(answer: Answer) -> str:
    if answer.request.pricing.discount is None:
        return f"price book {answer.comparison.first.evaluation.bom.price_book}"
    discount = answer.request.value("discount")
    if not discount:
        return "fabrics at equal price"
    return f"fabric B {abs(discount):g} % {'cheaper' if discount > 0 else 'dearer'}"


def _side(letter: str, side: Side) -> list[Markup]:
    heads = (Head("figure"), Head("value"), Head("grade"), Head("source"))
    known = facts(side)
    parts = [
        _head(f"{letter}: {side.figures.name}", "how sure each figure is, and what to know"),
        table(
            f"Figures of {side.figures.name}",
            heads,
            [figure_cells(figure) for figure in side.figures.all],
        ),
    ]
    if sentence := reduction_sentence(side):
        parts.append(tag("p", sentence, class_="nd-quiet"))
    rows = [(topic, fact) for topic, *fact in known if topic in TOPICS]
    parts.append(
        tag("dl", *(join((tag("dt", topic), tag("dd", _graded(fact)))) for topic, fact in rows))
    )
    for topic, title in HEADINGS.items():
        items = [tag("li", _graded(fact)) for name, *fact in known if name == topic]
        parts += [tag("h3", title), tag("ul", *items)]
    return parts


def _graded(fact: list[str]) -> Markup:
    says, grade, source = fact
    return join((says, " ", tag("span", f"{grade}, {source}", class_="nd-grade")))


def _head(title: str, shown: str) -> Markup:
    return tag(
        "header", tag("h2", title), tag("p", shown, class_="nd-inputs"), class_="nd-card-head"
    )
