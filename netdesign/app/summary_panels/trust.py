"""Where the numbers come from, and how far to trust them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netdesign.app.html import Head, Markup, table, tag
from netdesign.bands import MEANING, bands
from netdesign.catalog import load_catalog
from netdesign.charts.format import percent
from netdesign.charts.own_words import own_measurements
from netdesign.wording import named, plural

if TYPE_CHECKING:
    from netdesign.economics.bom import BomRow
    from netdesign.evaluate import Evaluation

_MOST_NAMED = 4  # parts without a price or a figure
HEADS = (Head("Number"), Head("Where it comes from"), Head("How far to trust it"))


def priced_rows(evaluation: Evaluation) -> list[BomRow]:
    """Rows of the bill that have a price of their own with a source."""
    return [row for row in evaluation.bom.rows if row.unit_price_usd and row.price_source]


def price_dates(evaluation: Evaluation) -> str:
    """From when the prices are: one date, or the first and the last."""
    dates = sorted({row.price_date for row in priced_rows(evaluation) if row.price_date})
    if not dates:
        return "no dated price"
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"


def _price_sources(evaluation: Evaluation) -> str:
    references = load_catalog().references
    keys = dict.fromkeys(row.price_source for row in priced_rows(evaluation))
    titles = [
        f"{references[key].title} ({references[key].year})" if key in references else key
        for key in keys
    ]
    return "; ".join(titles) or "none"


def _bill(evaluation: Evaluation) -> tuple[str, str, str]:
    bom = evaluation.bom
    bought = [row for row in bom.rows if row.quantity]
    if not evaluation.fabric.buildable:
        return (
            "Purchase, network share",
            f"Price book {bom.price_book}.",
            "There is no bill to trust: the network cannot be built as described.",
        )
    missing = (
        f"A lower bound: no price with a source for {named(bom.unpriced, _MOST_NAMED)}."
        if bom.unpriced
        else "Every line has a price with source and date. Quotes for your order will differ."
    )
    if not priced_rows(evaluation):
        return (
            "Purchase, network share",
            f"Price book {bom.price_book} has none of the {plural(len(bought), 'line')}.",
            "There is no price to trust: choose another book, or upload quotes in the Studio.",
        )
    return (
        "Purchase, network share",
        f"Price book {bom.price_book}, {plural(len(bought), 'line')} of "
        f"{price_dates(evaluation)}. {_price_sources(evaluation)}.",
        missing,
    )


def _power(evaluation: Evaluation) -> tuple[str, str, str]:
    missing = evaluation.bom.unmetered
    bound = "An upper bound: every part at the maximum of its data sheet."
    if not evaluation.fabric.buildable:
        bound = "A lower bound: the network is open."
    return (
        "Power",
        "Maximum power on the data sheets of servers, switches and transceivers.",
        f"A lower bound: no figure for {named(missing, _MOST_NAMED)}." if missing else bound,
    )


def _time(evaluation: Evaluation) -> tuple[str, str, str]:
    time = bands(evaluation).step_time_s
    said = own_measurements(evaluation.design)
    own = f" Collectives use {said}." if said else ""
    return (
        "Step time, days, run, tokens",
        "A model of compute and network with constants fitted on published runs, here those of the "
        f"GPU generation {evaluation.machine.generation.capitalize()}.{own}",
        f"{MEANING[0].upper()}{MEANING[1:]}: between {percent(time.below)} below and "
        f"{percent(time.above)} above the prediction. Failures and restarts are not counted.",
    )


def _assumptions(evaluation: Evaluation) -> tuple[str, str, str]:
    chosen = evaluation.design.economics
    return (
        "Cost of the run, loss a day",
        f"Your assumptions: {chosen.amortisation_years:g} years, "
        f"{percent(chosen.interest_rate)} interest, {percent(chosen.operations_share)} of the "
        f"purchase a year for operations, ${chosen.usd_per_kwh:.3g} a kilowatt-hour, "
        f"${chosen.rental_usd_per_gpu_hour:,.2f} for an hour of a GPU.",
        "As good as the assumptions; change them in the Studio.",
    )


def _counts(evaluation: Evaluation) -> tuple[str, str, str]:
    fabric = evaluation.fabric
    if not fabric.buildable:
        return ("Switches, links", "Not counted.", fabric.reason)
    return (
        "Switches, links",
        f"Counted: {plural(fabric.switches, 'switch', 'switches')}, "
        f"{plural(fabric.links, 'link')}, by the rules of published reference designs.",
        "Exact for this description; spare parts are not in it.",
    )


def sources(evaluation: Evaluation) -> Markup:
    """The table of the page that says where each number comes from."""
    rows = [part(evaluation) for part in (_bill, _power, _time, _assumptions, _counts)]
    return tag(
        "section",
        tag("h2", "How far to trust these numbers"),
        table("Sources and limits of the numbers", HEADS, rows, class_="nd-sources"),
        class_="nd-part",
    )
