"""Which of two designs is better? Pinned side by side."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from netdesign.app.choices import label, said
from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.layout import card, inputs_line
from netdesign.app.live_html import LiveHtml
from netdesign.app.panels.priced import servers_priced
from netdesign.app.pictures import Picture
from netdesign.app.state import changed_paths
from netdesign.bands import MEANING, Band, Bands, bands, told_apart
from netdesign.catalog import load_catalog
from netdesign.charts.format import (
    NOTHING,
    bandwidth,
    between,
    count,
    days,
    digits,
    dollars,
    percent,
    power,
    rate,
    rates,
    seconds,
    size,
)

if TYPE_CHECKING:
    from netdesign.design import Design
    from netdesign.evaluate import Evaluation


class Measure(NamedTuple):
    """A number to compare; ``better`` is lower, higher or neither; ``band`` where it has one."""

    label: str
    value: Callable[[Evaluation], Any]
    said: Callable[[Any], Any]
    better: str
    band: Callable[[Bands], Band] | None = None


def _of_the_whole(value: Callable[[Evaluation], Any]) -> Callable[[Evaluation], Any]:
    """Money of the whole cluster: not to be compared where the servers have no price."""
    return lambda e: value(e) if servers_priced(e) else math.nan


MEASURES = (
    Measure(
        "Step time", lambda e: e.step.step_time_s, seconds, "lower", lambda found: found.step_time_s
    ),
    Measure("MFU", lambda e: e.step.mfu, percent, "higher", lambda found: found.mfu),
    Measure(
        "Tokens", lambda e: e.step.tokens_per_s, rate, "higher", lambda found: found.tokens_per_s
    ),
    Measure(
        "Tokens per GPU",
        lambda e: e.step.tokens_per_s_per_gpu,
        rate,
        "higher",
        lambda found: found.tokens_per_s_per_gpu,
    ),
    Measure(
        "Training", lambda e: e.cost.training_days, days, "lower", lambda found: found.training_days
    ),
    Measure("Waiting for the network", lambda e: e.requirement.share_reached, percent, "lower"),
    Measure(
        "Bandwidth needed per GPU", lambda e: e.requirement.bandwidth_per_gpu, bandwidth, "lower"
    ),
    Measure("Memory per GPU", lambda e: e.memory.total, size, "lower"),
    Measure("Switches", lambda e: e.fabric.switches, count, "lower"),
    Measure("Links", lambda e: e.fabric.links, count, "lower"),
    Measure("Cluster", _of_the_whole(lambda e: e.bom.total_usd), dollars, "lower"),
    Measure("Network", lambda e: e.bom.network_usd, dollars, "lower"),
    Measure("Network share", lambda e: e.cost.network_share, percent, "lower"),
    Measure("Power", lambda e: e.bom.total_power_w, power, "lower"),
    Measure(
        "Per million tokens",
        _of_the_whole(lambda e: e.cost.usd_per_million_tokens),
        lambda v: f"${digits(v)}",
        "lower",
        lambda found: found.usd_per_million_tokens,
    ),
    Measure(
        "Whole training",
        _of_the_whole(lambda e: e.cost.training_usd),
        dollars,
        "lower",
        lambda found: found.training_usd,
    ),
    Measure(
        "Lost to the network per day",
        lambda e: e.cost.network_wait_usd_per_day,
        dollars,
        "lower",
        lambda found: found.network_wait_usd_per_day,
    ),
)
WITHIN = "within the range"
HEADS = (
    Head(""),
    Head("A", number=True),
    Head("B", number=True),
    Head("B against A", number=True),
    Head("Better"),
)


class ComparePanel:
    """Two pinned designs; hidden until the first is pinned."""

    def __init__(self, unpin: Callable[[str], None]) -> None:
        self.text = LiveHtml(acts={"unpin": unpin})
        self.picture = Picture("step_time_pair")
        self.widget = card(self.text, self.picture.view, classes="nd-panel-compare nd-card-wide")

    def show(self, first: Evaluation | None, second: Evaluation | None) -> None:
        """Draw what is pinned as A and as B."""
        if first is None and second is None:
            self.widget.remove_class("nd-shown")
            self.text.value = ""
            return
        self.widget.add_class("nd-shown")
        if first is None or second is None:
            self.widget.remove_class("nd-both")
            self.text.value = _one(first, second)
            return
        self.widget.add_class("nd-both")
        self.text.value = _both(first, second)
        self.picture.show(first, second)


def _head(first: Evaluation | None, second: Evaluation | None) -> Markup:
    unpin = tag("button", "Unpin both", type="button", class_="nd-button", data_act="unpin")
    pins = join(
        tag("p", tag("strong", f"{name}: "), inputs_line(pinned), class_="nd-inputs")
        for name, pinned in (("A", first), ("B", second))
        if pinned is not None
    )
    return tag("header", tag("h2", "Compare"), pins, unpin, class_="nd-card-head")


def _one(first: Evaluation | None, second: Evaluation | None) -> Markup:
    missing = "B" if second is None else "A"
    sentence = f"Change the design and pin it as {missing} to see the two side by side."
    return join((_head(first, second), tag("p", sentence, class_="nd-quiet")))


def _both(first: Evaluation, second: Evaluation) -> Markup:
    return join(
        (
            _head(first, second),
            tag("p", _differences(first.design, second.design), class_="nd-quiet"),
            table(
                "Key numbers of design A and design B",
                HEADS,
                [_row(measure, first, second) for measure in MEASURES],
                class_="nd-table-compare",
            ),
            tag("p", _trust(first, second), class_="nd-quiet"),
        )
    )


def _differences(first: Design, second: Design) -> str:
    changed = changed_paths(first, second)
    told = [
        f"{label(path)} {said(path, first.value(path))} → {said(path, second.value(path))}"
        for path in load_catalog().parameters
        if path in changed
    ]
    return "What differs: " + "; ".join(told) if told else "The two designs are the same."


def _row(measure: Measure, first: Evaluation, second: Evaluation) -> list[Any]:
    a, b = float(measure.value(first)), float(measure.value(second))
    known = not (math.isnan(a) or math.isnan(b))
    spans: tuple[Band | None, Band | None] = (None, None)
    if measure.band is not None and known:
        spans = (measure.band(bands(first)), measure.band(bands(second)))
    return [
        measure.label,
        _cell(measure, a, spans[0]),
        _cell(measure, b, spans[1]),
        _difference(a, b, points=measure.said is percent),
        _verdict(measure, first, second, spans),
    ]


def _verdict(
    measure: Measure,
    first: Evaluation,
    second: Evaluation,
    spans: tuple[Band | None, Band | None],
) -> Any:
    """Which is better; a design with an error is not in the running."""
    broken = [name for name, pinned in (("A", first), ("B", second)) if _broken(pinned)]
    if broken:
        return f"{' and '.join(broken)} cannot be built"
    a, b = float(measure.value(first)), float(measure.value(second))
    return _better(measure.better, a, b) if _apart(spans) or a == b else WITHIN


def _broken(evaluation: Evaluation) -> bool:
    return any(finding.severity == "error" for finding in evaluation.findings)


def _cell(measure: Measure, value: float, span: Band | None) -> Any:
    if span is None:
        return measure.said(value)
    says = measure.said
    ends = rates(span.low, span.high) if says is rate else between(says(span.low), says(span.high))
    return join((measure.said(value), tag("span", ends, class_="nd-range")))


def _apart(spans: tuple[Band | None, Band | None]) -> bool:
    first, second = spans
    return first is None or second is None or told_apart(first, second)


def _trust(first: Evaluation, second: Evaluation) -> str:
    """What the ranges are, and whether the difference in step time is larger than they are."""
    apart = told_apart(bands(first).step_time_s, bands(second).step_time_s)
    same = bands(first).step_time_s == bands(second).step_time_s
    ranges = f"Ranges: {MEANING}; of the network's loss: if the network alone were to blame."
    if apart or same:
        return ranges
    return (
        f"{ranges} The step times lie in each other's range: do not trust their difference, nor "
        f"what follows from it (“{WITHIN}”). Errors that both share cancel, so which is faster may "
        "still be right. What is counted or priced is not in doubt."
    )


def _difference(a: float, b: float, *, points: bool) -> str:
    """B against A: in per cent of A, or, where A is a share itself, in points."""
    if not (math.isfinite(a) and math.isfinite(b)) or (a == 0 and not points):
        return NOTHING
    change = b - a if points else (b - a) / a
    if abs(change) < 5e-4:
        return "same"
    sign = "+" if change > 0 else "−"
    said = percent(abs(change))
    return f"{sign}{said.number} points" if points else f"{sign}{said}"


def _better(better: str, a: float, b: float) -> Any:
    if a == b or math.isnan(a) or math.isnan(b):
        return NOTHING
    winner = "A" if (a < b) == (better == "lower") else "B"
    return tag("span", tag("span", "★ ", aria_hidden="true"), winner, class_="nd-better")
