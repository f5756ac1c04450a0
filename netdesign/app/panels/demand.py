"""What does the model demand of the network?"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any

from netdesign.app.html import Head, Markup, join, swatch, table, tag
from netdesign.app.layout import box, card, heading
from netdesign.app.live_html import LiveHtml
from netdesign.app.panels.facts import Fact, FactList
from netdesign.app.pictures import Picture
from netdesign.charts.format import (
    NOTHING,
    bandwidth,
    count,
    milliseconds,
    percent,
    seconds,
    size,
)
from netdesign.charts.palette import PART_COLOURS
from netdesign.charts.words import PARALLELISM, place

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation
    from netdesign.workload.traffic import Collective

HEADS = (
    Head("Parallelism"),
    Head("Collective"),
    Head("Group", "GPUs", number=True),
    Head("Runs in"),
    Head("Calls", "per step", number=True),
    Head("One call", number=True),
    Head("Sent", "per GPU and step", number=True),
    Head("of it on the network", number=True),
    Head("Exposed", "ms per step", number=True),
)


class DemandPanel:
    """Collectives of a step, the bandwidth and latency they need, and how much is enough."""

    def __init__(self) -> None:
        self.head, self.table = LiveHtml(), LiveHtml()
        self.explained = FactList()
        self.numbers = self.explained.list
        self.bars, self.curve = Picture("traffic_bars"), Picture("share_curve")
        pictures = box([self.bars.view, self.curve.view], "nd-pair")
        self.widget = card(
            self.head,
            self.numbers,
            pictures,
            self.table,
            classes="nd-panel-demand nd-card-wide",
        )

    def show(self, evaluation: Evaluation) -> None:
        self.head.value = heading("Demand", evaluation)
        self.explained.show(evaluation, _numbers(evaluation), _lead(evaluation))
        self.bars.show(evaluation)
        self.curve.show(evaluation)
        self.table.value = table(
            "Collectives of one step",
            HEADS,
            _rows(evaluation),
            class_="nd-table-collectives",
        )


def _lead(evaluation: Evaluation) -> Markup:
    budget = percent(evaluation.requirement.communication_share)
    sentence = f"To wait for the network in at most {budget} of the step:"
    return tag("p", sentence, class_="nd-quiet")


def _numbers(evaluation: Evaluation) -> tuple[Fact, ...]:
    need = evaluation.requirement
    latency = float(need.latency_tolerated_s)
    enough = math.isfinite(float(need.bandwidth_per_gpu))
    return (
        Fact(
            "Needed per GPU",
            _needed(need.bandwidth_per_gpu) if enough else "no bandwidth is enough",
            "bandwidth",
        ),
        Fact("Needed per node", _needed(need.bandwidth_per_server) if enough else NOTHING),
        Fact("Given per GPU", bandwidth(evaluation.machine.network_bandwidth)),
        Fact("Latency tolerated", seconds(latency) if math.isfinite(latency) else "any", "latency"),
        Fact("Lost with an endless network", percent(need.share_floor), "endless_network"),
    )


def _needed(bytes_per_second: Any) -> Any:
    return bandwidth(bytes_per_second) if bytes_per_second > 0 else "none"


def _rows(evaluation: Evaluation) -> list[list[Any]]:
    active = [part for part in evaluation.traffic if part.calls > 0 and part.span.ranks > 1]
    exposed = {part.parallelism: part.exposed_s for part in evaluation.step.communication}
    order = list(PARALLELISM)
    active.sort(key=lambda part: order.index(part.parallelism))
    rows: list[list[Any]] = []
    for parallelism, group in groupby(active, key=lambda part: part.parallelism):
        members = list(group)
        colour = PART_COLOURS[parallelism]
        name = join((swatch(colour), PARALLELISM[parallelism]))
        time = milliseconds(exposed.get(parallelism, 0.0))
        for number, part in enumerate(members):
            first = number == 0
            rows.append([name if first else "", *_cells(part, evaluation), time if first else ""])
    if not rows:
        rows.append(["none", *[NOTHING] * (len(HEADS) - 1)])
    return rows


def _cells(part: Collective, evaluation: Evaluation) -> list[Any]:
    return [
        join((part.operation, tag("span", f" {part.content}", class_="nd-quiet"))),
        count(part.span.ranks),
        place(part, evaluation),
        count(part.calls),
        size(part.size),
        size(part.bytes_per_gpu),
        size(part.network_bytes_per_gpu) if part.network_bytes_per_gpu > 0 else NOTHING,
    ]
