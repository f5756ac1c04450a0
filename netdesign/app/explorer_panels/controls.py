"""The controls of the explorer: those of the chosen family, each with a tip that teaches."""

from __future__ import annotations

from types import MappingProxyType

from netdesign.app.controls.fields import ChoiceField, Refuse, Write
from netdesign.app.controls.page import PageControls
from netdesign.app.explorer_panels.request import (
    CARRIED,
    RIVALS,
    Request,
    applies,
    names,
    settings,
)
from netdesign.app.html import tag
from netdesign.app.layout import box, seen
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Switch

MAIN = ("family", "gpus", "switch", "split", "split_all", "gpus_per_server")
LAST = (*RIVALS, "price_book")


class SplitField(ChoiceField):
    """The speed of an endpoint: whole parts of a port that the switch can split."""

    def offer(self, switch: Switch) -> None:
        """Name the speeds that a switch has."""
        options = tuple(
            (f"{switch.port_gbps / int(parts):g} Gb/s{_parts_words(int(parts))}", parts)
            for parts in self._names
            if int(parts) <= switch.breakout
        )
        if tuple(self.list.options) != options:
            self._showing = True
            try:
                chosen = self.list.value
                self.list.options = options
                self.list.value = chosen if chosen in [parts for _, parts in options] else "1"
            finally:
                self._showing = False


def _parts_words(parts: int) -> str:
    return {1: "", 2: ", half a port"}.get(parts, f", 1/{parts} of a port")


class ExplorerControls(PageControls):
    """All controls in one column."""

    choice_fields = MappingProxyType({"split": SplitField})

    def __init__(self, write: Write, refuse: Refuse) -> None:
        shown = {path: one for path, one in settings().items() if path not in CARRIED}
        super().__init__(shown, names, write, refuse)
        own = [path for path in shown if path not in (*MAIN, *LAST)]
        self._own_head = LiveHtml(layout=self._look.layout)
        groups = (
            self._group("", MAIN, "nd-main-controls"),
            self._group("Beside it", LAST),
            self._group(self._own_head, own),
        )
        self.widget = box(groups, "nd-controls")

    def show(self, request: Request) -> None:
        """Display a request, and only the settings that its family has."""
        self._offer_gpus(int(request.value("gpus_per_server")))
        split = self._fields["split"]
        if isinstance(split, SplitField):
            split.offer(request.switch)
        for path, field in self._fields.items():
            field.show(request.value(path))
            seen(field.widget, applies(path, request.family))
        name = names("family")[request.family]
        self._own_head.value = tag("h2", f"Shape: {name}")
