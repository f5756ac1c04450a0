"""Pictures of the chosen family: ports or tiers, the map of links, and where families run out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

from netdesign.app.explorer_panels.request import Request
from netdesign.app.html import Markup, tag
from netdesign.app.layout import card, seen
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.app.toolbar import button
from netdesign.charts.fabric_ports import drawn_singly
from netdesign.charts.family_reach import title
from netdesign.charts.format import count
from netdesign.rivals import Contender, reaches
from netdesign.topology.built import Fabric
from netdesign.topology.spec import FabricSpec

# So many links are built and drawn within a key press; a torus takes longer to fold.
MOST_LINKS_AT_ONCE = 50_000
MOST_LINKS_OF = MappingProxyType({"torus": 4_000, "hyperx": 20_000, "slim-fly": 20_000})
MOST_LINKS = 400_000


def links_of(one: Contender) -> int:
    """Links of a contender, those to the GPUs included."""
    return 0 if one.counts is None else sum(one.counts.links.values())


def at_once(one: Contender) -> bool:
    """Whether a fabric is small enough to be built and drawn at every key press."""
    return links_of(one) <= MOST_LINKS_OF.get(one.spec.family, MOST_LINKS_AT_ONCE)


class FabricPanel:
    """Every port of a small fabric; the tiers of a larger one."""

    def __init__(self, draw: Callable[[str], None]) -> None:
        self.head = LiveHtml(acts={"draw": draw})
        self.ports, self.tiers = Picture("fabric_ports"), Picture("fabric_tiers")
        self.widget = card(
            self.head, self.ports.view, self.tiers.view, classes="nd-panel-fabric nd-card-wide"
        )
        self._said = ""

    def show(self, fabric: Fabric, gpus: int) -> None:
        """Draw a fabric, and say which one it is; its GPUs may have ports to several planes."""
        singly = drawn_singly(fabric)
        picture, other = (self.ports, self.tiers) if singly else (self.tiers, self.ports)
        picture.show(fabric)
        seen(picture.view, True)
        seen(other.view, False)
        what = "every port and link" if singly else "tiers and the links between them"
        self._said = f"{title(fabric.family)} of {count(gpus)} GPUs, {what}"
        self._write("")

    def keep(self, why: str, offer: bool = False) -> None:
        """Leave the last picture and say why it is not a new one; ``offer`` to draw it."""
        self._write(why, offer)

    def _write(self, why: str, offer: bool = False) -> None:
        act = button("Draw it", "draw") if offer else Markup("")
        note = tag("p", why, " ", act, class_="nd-not-drawn", role="status")
        shown = tag("p", f"Shown: {self._said}", class_="nd-inputs")
        self.head.value = tag("header", tag("h2", "The fabric"), shown, note, class_="nd-card-head")


class HeatPanel:
    """How many links join each pair of switches."""

    def __init__(self) -> None:
        # thousands of cells: as elements of the page they would take longer than a key press
        self.picture = Picture("fabric_heat", renderer="canvas")
        self.caption = LiveHtml()
        self.widget = card(self.picture.view, self.caption, classes="nd-panel-heat")

    def show(self, fabric: Fabric) -> None:
        """Draw the map, and say in words what it shows."""
        self.picture.show(fabric)
        self.caption.value = tag("p", self.picture.view.label, class_="nd-quiet")


class ReachPanel:
    """Where each family runs out with this switch."""

    def __init__(self) -> None:
        self.picture = Picture("family_reach")
        self.widget = card(self.picture.view, classes="nd-panel-reach")

    def show(self, request: Request, contenders: Sequence[Contender]) -> None:
        chosen = contenders[0].spec
        self.picture.show(
            reaches(_with_switch(request)), request.gpus, chosen.family, request.rivals
        )


def _with_switch(request: Request) -> FabricSpec:
    """The request as a fat tree: it knows switch, servers and taper, which a torus does not."""
    return request.with_values({"family": "fat-tree"}).spec()
