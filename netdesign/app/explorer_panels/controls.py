"""The controls of the explorer: those of the chosen family, each with a tip that teaches."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets

from netdesign.app.controls.fields import (
    ChoiceField,
    Field,
    Look,
    NumberField,
    Refuse,
    Write,
)
from netdesign.app.controls.ladder import gpu_ladder
from netdesign.app.explorer_panels.request import (
    AUTO,
    RIVALS,
    Request,
    applies,
    names,
    settings,
)
from netdesign.app.html import tag
from netdesign.app.layout import box, seen
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Parameter, Switch

MAIN = ("family", "gpus", "switch", "split", "gpus_per_server")
LAST = (*RIVALS, "price_book")


class AutoField(NumberField):
    """A whole number that the family chooses unless a person does."""

    def _display(self, value: Any) -> None:
        super()._display(value)
        if value == 0:
            self.text.value = AUTO

    def _number(self, typed: str) -> float:
        return 0 if typed.strip().lower() in ("", AUTO) else super()._number(typed)


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


class ExplorerControls:
    """All controls in one column; they write to ``write`` and are shown a request."""

    def __init__(self, write: Write, refuse: Refuse) -> None:
        self._write, self._refuse, self._look = write, refuse, Look()
        self._fields = {path: self._made(setting) for path, setting in settings().items()}
        own = [path for path in settings() if path not in (*MAIN, *LAST)]
        self._own_head = LiveHtml(layout=self._look.layout)
        main = self._group([self._fields[path].widget for path in MAIN], "nd-main-controls")
        shape = self._group([self._own_head, *(self._fields[path].widget for path in own)])
        head = LiveHtml(tag("h2", "Beside it"), layout=self._look.layout)
        rivals = self._group([head, *(self._fields[path].widget for path in LAST)])
        self.widget = box([main, rivals, shape], "nd-controls")

    def field(self, path: str) -> Field:
        """The control of a setting."""
        return self._fields[path]

    def show(self, request: Request) -> None:
        """Display a request, and only the settings that its family has."""
        gpus, split = self._fields["gpus"], self._fields["split"]
        if isinstance(gpus, NumberField):
            server = int(request.value("gpus_per_server"))
            gpus.set_stops(gpu_ladder(server, gpus.parameter.highest or server))
        if isinstance(split, SplitField):
            split.offer(request.switch)
        for path, field in self._fields.items():
            field.show(request.value(path))
            seen(field.widget, applies(path, request.family))
        name = names("family")[request.family]
        self._own_head.value = tag("h2", f"Shape: {name}")

    def complain(self, path: str, sentence: str, *, pending: bool) -> None:
        """Say beside the control what is wrong."""
        if path in self._fields:
            field = self._fields[path]
            field.pending = field.pending or pending
            field.complain(sentence)

    def forgive(self, *, everything: bool = False) -> None:
        """Take complaints back; one about what was typed stays, unless everything goes."""
        for field in self._fields.values():
            if everything or not field.pending:
                field.forgive()

    def _group(self, children: list[widgets.Widget], *classes: str) -> widgets.VBox:
        made = widgets.VBox(children, layout=self._look.layout)
        for name in classes or ("nd-settings",):
            made.add_class(name)
        return made

    def _made(self, setting: Parameter) -> Field:
        if setting.path == "split":
            return SplitField(setting, self._write, self._look, names(setting.path))
        if setting.kind == "choice":
            return ChoiceField(setting, self._write, self._look, names(setting.path))
        kind = AutoField if AUTO in setting.choices else NumberField
        return kind(setting, self._write, self._look, self._refuse)
