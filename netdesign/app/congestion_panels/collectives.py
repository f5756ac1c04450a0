"""The step's collectives in a table: who takes part, how much crosses the pods, who waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from netdesign.app.congestion_panels.answer import Answer
from netdesign.app.congestion_panels.said import conditions, titled
from netdesign.app.html import Head, Span, join, table, tag
from netdesign.app.layout import card
from netdesign.app.live_html import LiveHtml
from netdesign.charts.format import count, digits, percent, seconds, size
from netdesign.congestion.table import CollectiveRow

_HEADS = (
    Head("Parallelism"),
    Head("Collective"),
    Head("Members", "ranks of a group", True),
    Head("Size", "of one call", True),
    Head("Calls", "in a step", True),
    Head("Crosses pods", "of its bytes", True),
    Head("Slow-down", "formula", True),
    Head("On the network", "in a step", True),
    Head("Exposed", "in a step", True),
)
_TEACHES = (
    (
        "Crosses pods",
        "only this share of the bytes meets the taper. A ring leaves a pod once however many "
        "members are inside, an all-to-all once for every partner that is elsewhere.",
    ),
    (
        "Slow-down",
        "time on this fabric over the time if only the servers' ports were shared; below it what "
        "the formulas let expect.",
    ),
    ("On the network", "all calls one after the other at that speed, without latency."),
    (
        "Exposed",
        "what the step waits for; the rest hides behind computing. It is of all collectives of "
        "one kind of parallelism together. One that is slowed much may still expose nothing.",
    ),
)
_INSIDE = "stays inside"


class CollectivesPanel:
    """The table and what its columns mean."""

    def __init__(self) -> None:
        self.text = LiveHtml()
        self.widget = card(self.text, classes="nd-panel-collectives nd-card-wide")

    def show(self, answer: Answer) -> None:
        rows = answer.rows
        body = table("Collectives of a step", _HEADS, _cells(rows), class_="nd-table-congestion")
        teaches = tag(
            "dl",
            *(tag("div", tag("dt", name), tag("dd", words)) for name, words in _TEACHES),
            class_="nd-teaches",
        )
        nothing = "" if answer.outcome is None else "while nothing is broken"
        self.text.value = join(
            (
                titled("Which collectives wait?", conditions(answer), nothing),
                body,
                teaches,
            )
        )


def _cells(rows: Sequence[CollectiveRow]) -> list[list[Any]]:
    """Rows of one parallelism share the first and the last cell."""
    found: list[list[Any]] = []
    last = ""
    for row in rows:
        alike = sum(other.parallelism == row.parallelism for other in rows)
        first = row.parallelism != last
        last = row.parallelism
        found.append(
            [
                Span(row.parallelism, alike) if first else None,
                row.name,
                count(row.members),
                str(size(row.size)),
                count(row.calls),
                _INSIDE if row.crossing is None else str(percent(row.crossing)),
                _slowed(row),
                "–" if row.time_s is None else str(seconds(row.time_s)),
                Span(str(seconds(row.exposed_s)), alike) if first else None,
            ]
        )
    return found


def _slowed(row: CollectiveRow) -> Any:
    if row.slowdown is None or row.closed_form is None:
        return "–"
    formula = tag("span", f"× {digits(row.closed_form)}", class_="nd-unit")
    return join((f"× {digits(row.slowdown)}", formula))
