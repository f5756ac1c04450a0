"""Which plans are there beside the one that is used, and why is it the one?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from netdesign.app.choices import MANUAL, plan_values
from netdesign.app.html import Head, Markup, join, swatch, table, tag
from netdesign.app.live_html import LiveHtml
from netdesign.app.panels.drawer import Drawer, choice
from netdesign.app.pictures import Picture
from netdesign.bands import MEANING
from netdesign.catalog import load_catalog
from netdesign.charts.format import between, count, gigabytes, seconds
from netdesign.charts.plan_ranking import (
    COLOURS,
    PARTS,
    degrees,
    is_own,
    least_compute,
    lost,
    shown,
)
from netdesign.ranking import Ranking, Standing, rank_plans, reason, verdict

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

MOST = 8_000  # plans that are tried while a slider is dragged
VARIANTS = 20
DEGREES, EVERY = "degrees", "every"
VIEWS = {DEGREES: "Best of each set of degrees", EVERY: "Every variant"}
HEADS = (
    Head("Plan"),
    Head("Place", number=True),
    Head("Step time", number=True),
    Head("Memory", "GB", number=True),
    Head("Variants", number=True),
    Head(""),
    Head("Against the design's plan"),
)


class PlansPanel(Drawer):
    """The fastest plans that fit: where their steps go, and what each loses on."""

    title = "Ranked plans"
    sentence = "Every valid parallel plan by step time within memory, and why this one."
    classes = "nd-panel-plans"

    def __init__(self, take: Callable[[dict[str, Any]], None]) -> None:
        self._take = take
        self.view = DEGREES
        self.ranking: Ranking | None = None
        self._rows: tuple[Standing, ...] = ()
        super().__init__()

    def build(self) -> Iterable[widgets.Widget]:
        self.said = LiveHtml(acts={"take-first": lambda _: self.take_first()})
        self.picture = Picture("plan_ranking")
        self.key = LiveHtml()
        self.table = LiveHtml(acts={"take": self.take, "view": self.choose})
        return (self.said, self.picture.view, self.key, self.table)

    def draw(self, evaluation: Evaluation) -> None:
        self.ranking = rank_plans(evaluation, most=MOST)
        sentences = join(tag("p", sentence) for sentence in verdict(self.ranking))
        self.said.value = join((sentences, self._offer(self.ranking)))
        self.picture.show(self.ranking)
        self.picture.view.layout.display = None if self.ranking.fitting else "none"
        self.key.value = _key(shown(self.ranking))
        self._draw_table(self.ranking)

    def choose(self, view: str) -> None:
        """Show the best of each set of degrees, or every variant."""
        if view in VIEWS and self.ranking is not None:
            self.view = view
            self._draw_table(self.ranking)

    def take(self, position: str) -> None:
        """Use the plan of a row."""
        if self._evaluation is not None and position.isdigit() and int(position) < len(self._rows):
            self._use(self._rows[int(position)])

    def take_first(self) -> None:
        """Use the fastest plan, where it is offered."""
        first = self.ranking.ahead() if self.ranking is not None else None
        if first is not None:
            self._use(first)

    def _use(self, standing: Standing) -> None:
        if self._evaluation is not None:
            self._take({**_values(self._evaluation, standing), "plan.mode": MANUAL})

    def _offer(self, ranking: Ranking) -> Markup | str:
        first = ranking.ahead()
        if first is None:
            return ""
        tight = "" if first.roomy else " (tight in memory)"
        return tag(
            "p",
            tag(
                "button",
                f"Use the fastest{tight}: {degrees(first)}, {seconds(first.step_time_s)}",
                type="button",
                class_="nd-button nd-button-strong",
                data_act="take-first",
            ),
            class_="nd-buttons",
        )

    def _draw_table(self, ranking: Ranking) -> None:
        if self.view == DEGREES:
            self._rows = shown(ranking)
        else:
            self._rows = ranking.standings(VARIANTS, every_variant=True)
        caption = f"The fastest plans that fit in memory: {VIEWS[self.view].lower()}"
        rows = [self._row(i, standing, ranking) for i, standing in enumerate(self._rows)]
        parts = [tag("p", _remark(ranking), class_="nd-quiet")]
        if rows:
            parts.insert(0, table(caption, HEADS, rows, class_="nd-table-bill"))
            parts.insert(0, choice("view", "Which plans", VIEWS, self.view))
        self.table.value = join(parts)

    def _row(self, position: int, standing: Standing, ranking: Ranking) -> list[Any]:
        own = is_own(standing, ranking)
        name = tag("strong", standing.label) if own else standing.label
        tight = "" if standing.roomy else " (tight)"
        against = "the design's plan" if own else reason(standing, ranking.own)
        return [
            tag("span", name, style="display:inline-block;min-width:200px"),
            count(standing.rank),
            _time(standing),
            f"{gigabytes(standing.memory_bytes)}{tight}",
            count(standing.variants) if self.view == DEGREES and not own else "",
            "" if own else self._button(position, standing),
            tag("span", against, style="display:inline-block;min-width:220px"),
        ]

    def _button(self, position: int, standing: Standing) -> Markup | str:
        if self._evaluation is None or not _settable(_values(self._evaluation, standing)):
            return ""
        return tag(
            "button",
            "Use",
            type="button",
            class_="nd-button",
            data_act="take",
            data_value=str(position),
            aria_label=f"Use the plan {standing.label}",
        )


def _time(standing: Standing) -> Markup:
    ends = between(seconds(standing.step_time_low_s), seconds(standing.step_time_high_s))
    return join((seconds(standing.step_time_s), tag("span", ends, class_="nd-range")))


def _values(evaluation: Evaluation, standing: Standing) -> dict[str, Any]:
    """The plan of a row as values of the manual controls."""
    return plan_values(replace(evaluation, plan=standing.plan))


def _settable(values: dict[str, Any]) -> bool:
    """Whether the controls reach as far as the plan does."""
    parameters = load_catalog().parameters
    return all(
        parameters[path].lowest is None
        or parameters[path].lowest <= value <= parameters[path].highest
        for path, value in values.items()
    )


def _key(standings: tuple[Standing, ...]) -> Markup:
    """Where the bars begin, and the colours of the parts that any of the plans has."""
    least = least_compute(standings)
    losses = [lost(one, least) for one in standings]
    used = [part for part in PARTS if any(parts.get(part, 0.0) > 0 for parts in losses)]
    items = join(
        tag("li", swatch(COLOURS[part]), tag("span", PARTS[part], class_="nd-key-name"))
        for part in used
    )
    begin = (
        f"Bars begin at {seconds(least)}: so long even the plan with the fastest kernels computes."
    )
    said = tag("p", begin, class_="nd-quiet") if standings else ""
    return join((tag("ul", items, class_="nd-key"), said))


def _remark(ranking: Ranking) -> str:
    left = ", ".join(ranking.left_out)
    out = f" To keep up with the sliders it leaves out {left}." if left else ""
    tried = f"Tried: {ranking.tried:,} of {ranking.valid:,} valid plans.{out}"
    if not ranking.fitting:
        return tried
    return (
        f"{tried} “Variants” are "
        f"the plans of the same degrees that fit. Below a step time stands its range: {MEANING}. "
        "Plans whose ranges overlap may swap places on a real machine."
    )
