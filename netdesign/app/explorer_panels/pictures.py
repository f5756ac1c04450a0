"""Pictures of the chosen family: ports or tiers, the map of links, and where families run out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from netdesign.app.explorer_panels.request import Request
from netdesign.app.html import Markup, tag
from netdesign.app.layout import box, card, seen
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.app.toolbar import button
from netdesign.charts.fabric_device import device_said
from netdesign.charts.fabric_ports import drawn_singly
from netdesign.charts.family_reach import title
from netdesign.charts.format import count
from netdesign.rivals import Contender, reaches
from netdesign.topology.built import Fabric
from netdesign.topology.layout import place
from netdesign.topology.naming import device_names
from netdesign.topology.spec import FabricSpec

PICKED = "picked"  # the parameter of the picture of ports that a click sets
UNCHOSEN = "Click a device in the picture, or choose one here, to read what it is joined to."
MOST_LINKS_AT_ONCE = 50_000  # are built and drawn within a key press
MOST_LINKS = 400_000


def links_of(one: Contender) -> int:
    """Links of a contender, those to the GPUs included."""
    return 0 if one.counts is None else sum(one.counts.links.values())


def at_once(one: Contender) -> bool:
    """Whether a fabric is small enough to be built and drawn at every key press."""
    return links_of(one) <= MOST_LINKS_AT_ONCE


class FabricPanel:
    """Every port of a small fabric, its devices by name; the tiers of a larger one."""

    def __init__(self, draw: Callable[[str], None]) -> None:
        self.head = LiveHtml(acts={"draw": draw})
        self.ports = Picture("fabric_ports", selection=[PICKED])
        self.tiers = Picture("fabric_tiers")
        self.device = DevicePanel()
        self.ports.view.observe(lambda news: self.device.pick(_picked(news.new)), "selection")
        # a box is hidden and shown in the page at once, a chart's own classes are not
        self.singly, self.bundled = box([self.ports.view]), box([self.tiers.view])
        parts = (self.head, self.singly, self.device.text, self.bundled)
        self.widget = card(*parts, classes="nd-panel-fabric nd-card-wide")
        self._said = ""

    def show(self, fabric: Fabric, gpus: int) -> None:
        """Draw a fabric, and say which one it is; its GPUs may have ports to several planes."""
        singly = drawn_singly(fabric)
        (self.ports if singly else self.tiers).show(fabric)
        seen(self.singly, singly)
        seen(self.bundled, not singly)
        self.device.show(fabric if singly else None)
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


def _picked(selection: Mapping[str, Any]) -> str:
    """The name of the device that was clicked in the picture; empty if none."""
    devices = (selection.get(PICKED) or {}).get("device") or [""]
    return str(devices[0] or "")


class DevicePanel:
    """One device of the picture of ports in words: clicked there, or chosen from a list."""

    def __init__(self) -> None:
        self.text = LiveHtml(acts={"device": self.pick})
        self._fabric: Fabric | None = None
        self._names: list[str] = []
        self._chosen = ""

    def show(self, fabric: Fabric | None) -> None:
        """Offer the devices of a fabric; the one that was chosen stays if there still is one."""
        self._fabric = fabric
        self._names = [] if fabric is None else device_names(fabric)
        self.pick(self._chosen)

    def pick(self, name: str) -> None:
        """Say what a device is; the empty name asks for none."""
        self._chosen = name if name in self._names else ""
        self.text.value = self._written() if self._fabric is not None else ""

    def _written(self) -> Markup:
        options = [tag("option", "none", value="", selected=not self._chosen)]
        options += [tag("option", name, selected=name == self._chosen) for name in self._names]
        choose = tag("select", *options, data_act="device")
        label = tag("label", "Device ", choose)
        lines: tuple[str, ...] = (UNCHOSEN,)
        if self._fabric is not None and self._chosen:
            device = self._names.index(self._chosen)
            lines = device_said(self._fabric, device, place(self._fabric))
        said = tag("div", *(tag("p", line) for line in lines), role="status")
        return tag("div", label, said, class_="nd-device")


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
