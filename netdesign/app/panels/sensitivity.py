"""Which input moves the result most?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from netdesign.app.html import Head, join, table, tag
from netdesign.app.live_html import LiveHtml
from netdesign.app.panels.drawer import Drawer, choice
from netdesign.app.pictures import Picture
from netdesign.bands import MEANING, Band, bands
from netdesign.charts.format import NOTHING, between, days, dollars, seconds
from netdesign.charts.tornado import MEASURE_NAMES, signed
from netdesign.sensitivity import Move, Sensitivity, Swing, sensitivity

if TYPE_CHECKING:
    from netdesign.catalog import PriceBook
    from netdesign.evaluate import Evaluation

COST = "usd_per_million_tokens"
BUTTONS = {key: f"{name[0].upper()}{name[1:]}" for key, name in MEASURE_NAMES.items()}
SAID: dict[str, Callable[[Any], Any]] = {
    "step_time_s": seconds,
    COST: lambda value: f"{dollars(value)} per million tokens",
    "training_days": days,
}
HEADS = (
    Head("Input"),
    Head("Lower"),
    Head("Result", number=True),
    Head("Higher"),
    Head("Result", number=True),
    Head("For 1 % more", "% of the result", number=True),
)


class SensitivityPanel(Drawer):
    """A tornado of one measure, its table, and the choice of the measure."""

    title = "Sensitivity"
    sentence = "Which input moves step time, cost per token or training days most."
    classes = "nd-panel-sensitivity"

    def __init__(self, book: Callable[[], PriceBook | None]) -> None:
        self._book = book
        self.measure = COST
        self.found: Sensitivity | None = None
        super().__init__()

    def build(self) -> Iterable[widgets.Widget]:
        self.said = LiveHtml(acts={"measure": self.choose})
        self.picture = Picture("tornado")
        self.table = LiveHtml()
        return (self.said, self.picture.view, self.table)

    def draw(self, evaluation: Evaluation) -> None:
        self.found = sensitivity(evaluation, self._book())
        self._draw(self.found, evaluation)

    def choose(self, measure: str) -> None:
        """Show another measure."""
        if measure in MEASURE_NAMES and self.found and self._evaluation:
            self.measure = measure
            self._draw(self.found, self._evaluation)

    def _draw(self, found: Sensitivity, evaluation: Evaluation) -> None:
        swings = found.ranked(self.measure)
        self.said.value = join(
            (
                choice("measure", "Result", BUTTONS, self.measure),
                tag("p", _sentence(found, self.measure, getattr(bands(evaluation), self.measure))),
            )
        )
        self.picture.show(found, self.measure)
        self.table.value = join(
            (
                table(
                    f"Change of {MEASURE_NAMES[self.measure]} when one input moves",
                    HEADS,
                    [_row(swing, self.measure) for swing in swings],
                ),
                tag(
                    "p",
                    "Each input moves alone and the parallel plan stays; how far it moves is in "
                    "data/sensitivity.csv.",
                    class_="nd-quiet",
                ),
            )
        )


def _sentence(found: Sensitivity, measure: str, band: Band) -> str:
    swings = found.ranked(measure)
    if not swings:
        return "Cost is unknown: the servers have no price in this book."
    name, say = MEASURE_NAMES[measure], SAID[measure]
    ends = between(say(band.low), say(band.high))
    largest = max(swings, key=lambda swing: _size_of(swing.elasticity(measure)))
    return (
        f"{BUTTONS[measure]} now: {say(band.value)}, range {ends}: {MEANING}. Moved as far as "
        f"shown, “{swings[0].label}” moves {name} most; for the same 1 % of each it is "
        f"“{largest.label}”."
    )


def _size_of(elasticity: float) -> float:
    return 0.0 if elasticity != elasticity else abs(elasticity)


def _row(swing: Swing, measure: str) -> list[Any]:
    elasticity = swing.elasticity(measure)
    known = elasticity == elasticity
    return [
        swing.label,
        swing.down.said or NOTHING,
        _result(swing.down, measure),
        swing.up.said or NOTHING,
        _result(swing.up, measure),
        f"{elasticity:+.2f}".replace("-", "\u2212") if known else NOTHING,
    ]


def _result(move: Move, measure: str) -> Any:
    if measure not in move.change:
        return move.problem or NOTHING
    said = signed(move.change[measure])
    return join((said, tag("em", f", {move.problem}"))) if move.problem else said
