"""The numbers that matter, in a strip that never moves; each can be asked for its formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from netdesign.app.html import Markup, join, tag
from netdesign.app.live_html import LiveHtml
from netdesign.app.panels.priced import (
    AT_LEAST,
    at_least,
    complete,
    network_money,
    servers_priced,
)
from netdesign.bands import MEANING, Band, bands
from netdesign.charts.format import (
    NOTHING,
    Said,
    bandwidth,
    between,
    days,
    dollars,
    gigabits_per_second,
    gigabytes,
    percent,
    rate,
    rates,
    seconds,
)
from netdesign.wording import plural

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


UNBUILDABLE = "cannot be built"
RANGES = f"Small ranges: {MEANING}."


class Number(NamedTuple):
    """One tile of the strip; ``verdict`` is good, bad or nothing."""

    key: str
    label: str
    said: Said
    note: str
    verdict: str = ""


class HeadlinePanel:
    """Eight tiles; a click asks ``explain`` for the formula behind one.

    ``brief`` is the same in one line, for a screen too narrow for tiles beside controls.
    """

    def __init__(self, explain: Callable[[str], None]) -> None:
        self.strip = LiveHtml(acts={"explain": explain})
        self.strip.add_class("nd-headline")
        self.brief = LiveHtml()
        self.brief.add_class("nd-brief")
        self.widget = self.strip
        self._asked = ""
        self._numbers: tuple[Number, ...] = ()

    def show(self, evaluation: Evaluation) -> None:
        self._numbers = numbers(evaluation)
        self.brief.value = _brief(evaluation)
        self._draw()

    def mark(self, key: str) -> None:
        """Show which number is being explained; empty for none."""
        self._asked = key
        self._draw()

    def _draw(self) -> None:
        tiles = join(_tile(number, number.key == self._asked) for number in self._numbers)
        strip = tag("div", tiles, class_="nd-tiles", role="status", aria_live="off")
        self.strip.value = join((strip, tag("p", RANGES, class_="nd-quiet nd-ranges")))


def _brief(evaluation: Evaluation) -> Markup:
    findings = evaluation.findings
    errors = sum(finding.severity == "error" for finding in findings)
    remarks = plural(errors, "error") if errors else plural(len(findings), "finding")
    parts = (
        (str(seconds(evaluation.step.step_time_s)), "a step"),
        (at_least(evaluation, dollars(evaluation.bom.total_usd)), ""),
        (remarks, ""),
    )
    items = (
        tag("span", tag("strong", number), f" {word}" if word else "") for number, word in parts
    )
    return tag("p", join(items), class_="nd-verdict-bad" if errors else None)


def _tile(number: Number, asked: bool) -> Markup:
    return tag(
        "button",
        tag("span", number.label, class_="nd-tile-label"),
        tag(
            "span",
            tag("span", number.said.number, class_="nd-tile-number"),
            tag("span", number.said.unit, class_="nd-tile-unit"),
            class_="nd-tile-value",
        ),
        tag("span", number.note, class_=f"nd-tile-note nd-verdict-{number.verdict or 'none'}"),
        type="button",
        class_="nd-tile",
        title="Show the formula",
        data_act="explain",
        data_value=number.key,
        aria_expanded="true" if asked else "false",
    )


def numbers(evaluation: Evaluation) -> tuple[Number, ...]:
    """The headline numbers of an Evaluation."""
    cost, found = evaluation.cost, bands(evaluation)
    whole, tokens = servers_priced(evaluation), found.tokens_per_s
    return (
        _with_band("step_time", "Step time", found.step_time_s, seconds),
        _with_band("mfu", "MFU", found.mfu, percent),
        Number("tokens_per_s", "Tokens", rate(tokens.value), rates(tokens.low, tokens.high)),
        _training(found.training_days),
        _cluster(evaluation),
        Number(
            "network_share",
            "Network share",
            percent(cost.network_share) if whole else Said(NOTHING, ""),
            f"{network_money(evaluation)} of it" if whole else network_money(evaluation),
        ),
        _bandwidth(evaluation),
        _memory(evaluation),
    )


def _with_band(key: str, label: str, band: Band, say: Callable[[float], Said]) -> Number:
    return Number(key, label, say(band.value), between(say(band.low), say(band.high)))


def _training(band: Band) -> Number:
    """The length of the run without failures, and said so."""
    number = _with_band("training_days", "Training", band, days)
    return number._replace(note=f"{number.note} without failures")


def _cluster(evaluation: Evaluation) -> Number:
    bom = evaluation.bom
    label = "Cluster" if complete(evaluation) else f"Cluster, {AT_LEAST}"
    note, verdict = "every part priced", ""
    if not evaluation.fabric.buildable:
        note, verdict = UNBUILDABLE, "bad"
    elif not servers_priced(evaluation):
        note, verdict = "no server price", "bad"
    elif bom.unpriced:
        note = f"{plural(len(bom.unpriced), 'part')} unpriced"
    return Number("capex", label, dollars(bom.total_usd), note, verdict)


def _bandwidth(evaluation: Evaluation) -> Number:
    need, given = evaluation.requirement.bandwidth_per_gpu, evaluation.machine.network_bandwidth
    label = "Bandwidth needed"
    if evaluation.servers == 1:
        return Number("bandwidth", label, Said("none", ""), "a single server")
    if not evaluation.fabric.buildable:
        needed = bandwidth(need) if math.isfinite(float(need)) else Said("∞", "")
        return Number("bandwidth", label, needed, UNBUILDABLE, "bad")
    if not math.isfinite(float(need)):
        return Number("bandwidth", label, Said("∞", ""), "none is enough", "bad")
    enough = need <= given
    word = "enough" if enough else "too little"
    return Number(
        "bandwidth",
        label,
        bandwidth(need),
        f"{gigabits_per_second(given)} given: {word}",
        "good" if enough else "bad",
    )


def _memory(evaluation: Evaluation) -> Number:
    total, limit = evaluation.memory.total, evaluation.memory_limit
    fits = total <= limit
    said = Said(gigabytes(total), "GB")
    note = f"{gigabytes(limit)} usable: fits" if fits else "does not fit"
    return Number("memory", "Memory", said, note, "good" if fits else "bad")
