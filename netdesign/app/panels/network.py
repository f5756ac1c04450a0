"""What does the network look like, and what is in it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.app.html import Head, table
from netdesign.app.layout import card, heading
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.charts.format import NOTHING, count, ratio

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

HEADS = (
    Head("Tier"),
    Head("Count", number=True),
    Head("Links up", number=True),
    Head("Oversubscription", number=True),
    Head("Ports empty", number=True),
)


class NetworkPanel:
    """The picture of the fabric, and its counts by tier."""

    def __init__(self) -> None:
        self.head, self.table = LiveHtml(), LiveHtml()
        self.picture = Picture("network_picture")
        self.widget = card(
            self.head, self.picture.view, self.table, classes="nd-panel-network nd-card-wide"
        )

    def show(self, evaluation: Evaluation) -> None:
        self.head.value = heading("Network", evaluation)
        self.picture.show(evaluation)
        self.table.value = table("Switches and links by tier", HEADS, _rows(evaluation))


def _some(number: Any) -> str:
    """A count; none is a dash."""
    return count(number) if number else NOTHING


def _rows(evaluation: Evaluation) -> list[list[Any]]:
    """Always five rows, so that what stands below keeps its place."""
    fabric = evaluation.fabric
    names = (
        "Core switches",
        "Spine switches",
        "Leaf switches",
        "Servers",
        "Switches and links in all",
    )
    if not fabric.buildable:
        counts = {"Servers": count(evaluation.servers)}
        return [[name, counts.get(name, NOTHING), NOTHING, NOTHING, ""] for name in names]
    core = ratio(fabric.core_oversubscription) if fabric.cores else NOTHING
    leaf = ratio(fabric.oversubscription) if fabric.spines else NOTHING
    cells = (
        (_some(fabric.cores), "", "", ""),
        (_some(fabric.spines), _some(fabric.spine_core_links), core, ""),
        (count(fabric.leaves), _some(fabric.leaf_spine_links), leaf, ""),
        (count(evaluation.servers), count(fabric.access_links), "", ""),
        (count(fabric.switches), count(fabric.links), "", count(fabric.stranded_ports)),
    )
    return [[name, *row] for name, row in zip(names, cells, strict=True)]
