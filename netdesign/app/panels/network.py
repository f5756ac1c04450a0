"""What does the network look like, and what is in it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from netdesign.app.explorer_panels.files import KINDS, button_with
from netdesign.app.html import Head, join, table, tag
from netdesign.app.layout import card, heading
from netdesign.app.live_html import Act, LiveHtml
from netdesign.app.pictures import Picture
from netdesign.catalog import load_catalog
from netdesign.charts.format import NOTHING, count, ratio

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

EXPLORER_PAGE = "topology_explorer.ipynb"
OFFERED = ("csv", "xlsx", "netbox", "slurm")
HEADS = (
    Head("Tier"),
    Head("Count", number=True),
    Head("Links up", number=True),
    Head("Oversubscription", number=True),
    Head("Ports empty", number=True),
)


class NetworkPanel:
    """The picture of the fabric, its counts by tier, and the files that a cabling crew needs."""

    def __init__(self, take: Act) -> None:
        self.head, self.table = LiveHtml(), LiveHtml()
        self.files = LiveHtml(acts={"take": take})
        self.picture = Picture("network_picture")
        self.widget = card(
            self.head,
            self.picture.view,
            self.table,
            self.files,
            classes="nd-panel-network nd-card-wide",
        )

    def show(self, evaluation: Evaluation) -> None:
        self.head.value = heading("Network", evaluation)
        self.picture.show(evaluation)
        self.table.value = table("Switches and links by tier", HEADS, _rows(evaluation))
        self.say(evaluation, "")

    def say(self, evaluation: Evaluation, sentence: str) -> None:
        """The buttons of the files, the way to other families, and what became of a file."""
        buttons = [button_with("take", kind, KINDS[kind].label) for kind in OFFERED]
        address = f"{EXPLORER_PAGE}?{urlencode(_as_request(evaluation))}"
        link = tag("a", "Other families at this size", class_="nd-button", href=address)
        said = tag("p", sentence, class_="nd-quiet", role="status")
        self.files.value = join((tag("p", *buttons, link, class_="nd-buttons"), said))


def _as_request(evaluation: Evaluation) -> dict[str, Any]:
    """The fabric as the Topology explorer is asked for it; what it cannot say it leaves out."""
    network, fabric = evaluation.design.network, evaluation.fabric
    server = load_catalog().servers[evaluation.design.cluster.server]
    switch = load_catalog().switches[network.switch]
    family = network.family.removesuffix("-2").removesuffix("-3")
    tiers = int(fabric.tiers) if fabric.buildable else 1
    return {
        "family": family,
        "tiers": tiers if tiers > 1 else 0,
        "gpus": int(fabric.endpoints),
        "switch": network.switch,
        "split": max(int(switch.port_gbps / server.port_gbps), 1),
        "split_all": "split",
        "gpus_per_server": server.network_ports,
        "oversubscription": f"{network.oversubscription:g}",
        "core_oversubscription": f"{network.core_oversubscription:g}",
        "price_book": evaluation.design.economics.price_book,
        "access_length_m": f"{network.access_length_m:g}",
        "spine_length_m": f"{network.spine_length_m:g}",
        "twin_port_cages": "yes" if server.twin_port_cages else "no",
        "spread_evenly": {"auto": "auto", "even": "yes", "fewest": "no"}[network.spines],
    }


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
