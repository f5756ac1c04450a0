"""What do failures, checkpoints and late participants leave of the time?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import ipywidgets as widgets

from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import heading
from netdesign.app.live_html import LiveHtml
from netdesign.app.panels.facts import Fact
from netdesign.app.panels.priced import derived
from netdesign.charts.format import days, digits, percent, seconds, size
from netdesign.reliability import optimism
from netdesign.units import SECONDS_PER_MINUTE, seconds_to_hours

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class GoodputPanel:
    """Days with failures, stops, checkpoints, barriers; one widget, of a layout it shares."""

    def __init__(self, layout: widgets.Layout) -> None:
        self.widget = LiveHtml(layout=layout)
        for name in ("nd-card", "nd-card-wide", "nd-panel-goodput"):
            self.widget.add_class(name)

    def show(self, evaluation: Evaluation) -> None:
        said = optimism(evaluation.goodput)
        words = f"{said[:1].upper()}{said[1:]}." if said else ""
        remark = tag("p", words, class_="nd-quiet nd-remark")  # keeps its place when empty
        self.widget.value = join(
            (heading("Failures and goodput", evaluation), _list(evaluation), remark)
        )


def _list(evaluation: Evaluation) -> Markup:
    items = (tag("div", tag("dt", fact.label), tag("dd", fact.said)) for fact in _facts(evaluation))
    return tag("dl", join(items), class_="nd-facts")


def _facts(evaluation: Evaluation) -> tuple[Fact, ...]:
    found, tail = evaluation.goodput, evaluation.tail
    interval = "Best interval" if found.interval_is_best else "Interval, given"
    worth = f"${digits(found.usd_per_useful_gpu_hour)}"
    return (
        Fact("Time that counts (ETTR)", percent(found.ettr)),
        Fact("Training with failures", days(found.effective_training_days)),
        Fact("Training without", days(evaluation.cost.training_days)),
        Fact("Mean time between stops", f"{digits(seconds_to_hours(found.mttf_s))} h"),
        Fact("Checkpoint", size(found.checkpoint_bytes)),
        Fact("Its write", seconds(found.write_s)),
        Fact(interval, f"{digits(found.interval_s / SECONDS_PER_MINUTE)} min"),
        Fact("Per useful GPU-hour", derived(evaluation, worth)),
        Fact("Exposed barriers a step", digits(tail.barriers)),
        Fact("Percentile that matters", f"p{100 * tail.percentile:.6g}"),
        Fact("Jitter costs", percent(tail.overhead_share)),
    )
