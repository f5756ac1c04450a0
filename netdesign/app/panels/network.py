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
    Head("Switches", number=True),
    Head("Links up", number=True),
    Head("Oversubscription", number=True),
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
    fabric = evaluation.fabric
    if not fabric.buildable:
        return [["cannot be built", NOTHING, NOTHING, NOTHING]]
    return [
        ["Core", _some(fabric.cores), "", ""],
        [
            "Spine",
            _some(fabric.spines),
            _some(fabric.spine_core_links),
            ratio(fabric.core_oversubscription) if fabric.cores else "",
        ],
        [
            "Leaf",
            count(fabric.leaves),
            _some(fabric.leaf_spine_links),
            ratio(fabric.oversubscription) if fabric.spines else "",
        ],
        ["Servers", f"{count(evaluation.servers)} servers", count(fabric.access_links), ""],
        [
            "In all",
            f"{count(fabric.switches)} switches",
            count(fabric.links),
            f"{count(fabric.stranded_ports)} ports empty",
        ],
    ]
