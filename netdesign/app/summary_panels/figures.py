"""The headline numbers, each with its range, what it means and where it comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from netdesign.app.html import Markup, join, tag
from netdesign.app.summary_panels.plain import (
    day_range,
    owning_known,
    priced,
    spelled,
    unknown_money,
    usd,
)
from netdesign.app.summary_panels.trust import price_dates
from netdesign.bands import MEANING, Band, bands
from netdesign.catalog import load_catalog
from netdesign.charts.format import (
    NOTHING,
    Said,
    between,
    cents,
    days,
    digits,
    percent,
    power,
    seconds,
    tokens,
)
from netdesign.wording import plural

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class Figure(NamedTuple):
    """One number of the page; ``trust`` says where it comes from and how far it holds."""

    key: str
    label: str
    said: Said
    means: str
    trust: str


NEEDS_PRICES = ("capex", "network_share", "training_usd", "usd_per_million_tokens")


def figures(evaluation: Evaluation) -> tuple[Figure, ...]:
    """The eight numbers a decision needs."""
    found = (*_money(evaluation), *_time(evaluation))
    return tuple(_bounded(figure, evaluation) for figure in found)


def _bounded(figure: Figure, evaluation: Evaluation) -> Figure:
    """A number that rests on a bill with gaps says so, or is not shown at all."""
    if not evaluation.fabric.buildable and figure.key == "power":
        means = "The servers; switches and cables of a network that cannot be built are open."
        return figure._replace(label="Power, at least", means=means)
    if figure.key not in NEEDS_PRICES:
        return figure
    if not owning_known(evaluation):
        return _unknown(figure, evaluation)
    if evaluation.cost.complete:
        return figure
    if figure.key == "network_share":
        return figure._replace(means=f"{figure.means} Only parts with a price count.")
    return figure._replace(label=f"{figure.label}, at least")


def _unknown(figure: Figure, evaluation: Evaluation) -> Figure:
    """Money that half a bill does not tell; what the purchase is known to come to stays."""
    why = unknown_money(evaluation)
    if figure.key != "capex":
        return figure._replace(said=Said(NOTHING, ""), means=why, trust=_book(evaluation))
    if not evaluation.fabric.buildable:
        return figure._replace(said=Said("cannot be built", ""), means=evaluation.fabric.reason)
    if not priced(evaluation):
        return figure._replace(said=Said("no price", ""), means=why, trust=_book(evaluation))
    means = f"{why} This is the rest alone: switches, adapters, cables."
    return figure._replace(label=f"{figure.label}, at least", means=means)


def _book(evaluation: Evaluation) -> str:
    return f"Price book {evaluation.bom.price_book}"


def _money(evaluation: Evaluation) -> tuple[Figure, ...]:
    cost, bom, chosen = evaluation.cost, evaluation.bom, evaluation.design.economics
    rules, wait = load_catalog().rules, bands(evaluation).network_wait_usd_per_day
    bill = f"Price book {bom.price_book}, {price_dates(evaluation)}"
    if bom.unpriced:
        bill += f"; {plural(len(bom.unpriced), 'part')} without a price"
    watts = "Data sheets of the parts"
    if bom.unmetered:
        watts += f"; a lower bound, {plural(len(bom.unmetered), 'part')} without a figure"
    low, high = rules["network-share-low"].value, rules["network-share-high"].value
    usual = f"Usual for clusters of several tiers: {low:.0%} to {high:.0%}"
    return (
        Figure(
            "capex",
            "To buy",
            usd(cost.capex_usd),
            "Servers with their GPUs, switches, cables.",
            bill,
        ),
        Figure(
            "network_share",
            "Network share",
            percent(cost.network_share),
            f"{usd(cost.network_capex_usd)} of the purchase are network.",
            usual if evaluation.fabric.tiers > 1 else bill,
        ),
        Figure(
            "power",
            "Power",
            power(cost.power_w),
            f"The equipment; with cooling the building draws {digits(chosen.pue)} times this.",
            watts,
        ),
        Figure(
            "network_wait",
            "Lost to the network",
            _per_day(cost.network_wait_usd_per_day),
            "GPU time spent waiting for data to arrive.",
            f"At ${chosen.rental_usd_per_gpu_hour:,.2f} a GPU-hour; "
            f"{_ends(wait, usd)} if the network alone made the step shorter or longer",
        ),
    )


def _per_day(value: object) -> Said:
    said = usd(value)
    return Said(said.number, f"{said.unit} a day".strip())


def _time(evaluation: Evaluation) -> tuple[Figure, ...]:
    cost, step, found = evaluation.cost, evaluation.step, bands(evaluation)
    budget = evaluation.design.training.token_budget_trillion * 1e12
    return (
        Figure(
            "training_days",
            "Days to train",
            days(cost.training_days),
            f"{spelled(tokens(budget))} tokens, without a stop.",
            f"Range {between(*day_range(evaluation))}",
        ),
        Figure(
            "training_usd",
            "The run costs",
            usd(cost.training_usd),
            f"Owning the cluster for that time, {_rate(evaluation)}.",
            f"Range {_ends(found.training_usd, usd)}",
        ),
        Figure(
            "usd_per_million_tokens",
            "Per million tokens",
            Said(f"${digits(cost.usd_per_million_tokens)}", ""),
            "The cost of the run over its tokens.",
            f"Range {_ends(found.usd_per_million_tokens, cents)}",
        ),
        Figure(
            "step_time",
            "Step time",
            seconds(step.step_time_s),
            "One round of training; the run is many of them.",
            f"Range {_ends(found.step_time_s, seconds)}",
        ),
    )


def _ends(band: Band, say: Callable[[float], Said | str]) -> str:
    return between(say(band.low), say(band.high))


def _rate(evaluation: Evaluation) -> str:
    return f"${float(evaluation.cost.usd_per_gpu_hour):,.2f} a GPU-hour"


def tiles(evaluation: Evaluation) -> Markup:
    """The numbers as a grid, and what their ranges are."""
    grid = tag("dl", join(_tile(figure) for figure in figures(evaluation)), class_="nd-figures")
    return join((grid, tag("p", f"Range: {MEANING}.", class_="nd-quiet nd-ranges")))


def _tile(figure: Figure) -> Markup:
    value = tag(
        "dd",
        tag("span", figure.said.number, class_="nd-figure-number"),
        tag("span", f" {figure.said.unit}", class_="nd-figure-unit") if figure.said.unit else "",
        class_="nd-figure-value",
    )
    return tag(
        "div",
        tag("dt", figure.label),
        value,
        tag("dd", figure.means, class_="nd-figure-means"),
        tag("dd", figure.trust, class_="nd-figure-trust"),
        class_="nd-figure",
        data_figure=figure.key,
    )
