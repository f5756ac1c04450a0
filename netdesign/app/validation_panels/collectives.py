"""Collectives: how far off, on systems that were fitted and on unseen ones, beside NCCL's table."""

from __future__ import annotations

from collections.abc import Iterable

from netdesign.app.html import Head, Markup, table, tag
from netdesign.catalog.nccl import CollectiveErrorRow
from netdesign.charts.format import NOTHING, count, percent
from netdesign.performance.collective_errors import stored_errors

CUTS = {"all": "All healthy systems", "domains": "Spread", "network": "Network"}
BELOW = ("domains", "network")
HEADS = (
    Head("Calls"),
    Head("Points", number=True),
    Head("Median error", "fitted", number=True),
    Head("Nine of ten", "fitted", number=True),
    Head("Median error", "unseen systems", number=True),
    Head("Nine of ten", "unseen systems", number=True),
    Head("Median error", "NCCL's own table", number=True),
)


def intro() -> Markup:
    """What the picture shows."""
    return tag(
        "section",
        tag("h2", "Collectives"),
        tag(
            "p",
            "Measured calls of nccl-tests and its kin on published systems. The prediction takes "
            "NCCL's own choice of algorithm and protocol. Systems whose source says that they run "
            "without GPU-direct, over TCP or without the provider's plug-in are marked as sick: "
            "the prediction is what they should reach.",
        ),
        class_="nd-part",
    )


def section() -> Markup:
    """The stored errors by size, and those of unseen systems."""
    dates = sorted({row.date for row in stored_errors()})
    return tag(
        "section",
        table("Errors of collectives", HEADS, _rows(("all",)), class_="nd-errors"),
        tag(
            "details",
            tag("summary", "By spread and by network"),
            table("Errors of collectives by network", HEADS, _rows(BELOW), class_="nd-errors"),
        ),
        tag(
            "p",
            f"Stored when the constants were fitted, {' and '.join(dates)}. Unseen: the machine "
            "was left out of the fit. From a shell: ",
            tag("code", "netdesign predict-collective calls.csv"),
            ".",
            class_="nd-quiet",
        ),
        class_="nd-part",
    )


def _rows(cuts: Iterable[str]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for cut in cuts:
        own = [row for row in stored_errors() if row.cut == cut]
        if own:
            rows.append((tag("strong", CUTS[cut]), *[""] * 6))
            rows += [_cells(row) for row in own]
    return rows


def _cells(row: CollectiveErrorRow) -> tuple[object, ...]:
    name = row.size if row.cut == "all" else f"{row.name}, {row.size}"
    return (
        name,
        count(row.points),
        percent(row.fitted_median),
        percent(row.fitted_90),
        percent(row.unseen_median),
        percent(row.unseen_90),
        NOTHING if row.table_median is None else percent(row.table_median),
    )
