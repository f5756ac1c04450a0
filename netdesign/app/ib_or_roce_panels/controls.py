"""The controls of the page: the job, both fabrics, the price, and what the pictures point at."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets

from netdesign.app.controls.fields import ChoiceField, Field, Look, NumberField, Refuse, Write
from netdesign.app.controls.ladder import gpu_ladder
from netdesign.app.html import tag
from netdesign.app.ib_or_roce_panels.request import AUTO, BOOK, Request, names, settings
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Parameter, load_catalog

GROUPS = (
    ("The job", ("design", "gpus")),
    ("Both fabrics", ("first", "second", "balance", "queue_pairs", "mtu")),
    ("The price", ("basis", "discount")),
    ("In the pictures", ("message", "exposed")),
)


class AutoShareField(NumberField):
    """A share that is that of the design unless a person gives another."""

    def _display(self, value: Any) -> None:
        super()._display(value)
        if value == 0:
            self.text.value = AUTO

    def _number(self, typed: str) -> float:
        return 0.0 if typed.strip().lower() in ("", AUTO) else super()._number(typed)


class Controls:
    """All controls in one column; they write to ``write`` and are shown a request."""

    def __init__(self, write: Write, refuse: Refuse) -> None:
        self._write, self._refuse, self._look = write, refuse, Look()
        self._fields = {path: self._made(setting) for path, setting in settings().items()}
        self.widget = box([self._group(title, paths) for title, paths in GROUPS], "nd-controls")

    def field(self, path: str) -> Field:
        """The control of a setting."""
        return self._fields[path]

    def show(self, request: Request) -> None:
        """Display a request; a discount counts only where the price book does not."""
        gpus = self._fields["gpus"]
        if isinstance(gpus, NumberField):
            server = load_catalog().servers[request.base.cluster.server].gpus
            gpus.set_stops(gpu_ladder(server, gpus.parameter.highest or server))
        by_discount = request.value("basis") != BOOK
        for path, field in self._fields.items():
            field.show(request.value(path), enabled=path != "discount" or by_discount)

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

    def _group(self, title: str, paths: tuple[str, ...]) -> widgets.VBox:
        head = LiveHtml(tag("h2", title), layout=self._look.layout)
        fields = [self._fields[path].widget for path in paths]
        made = widgets.VBox([head, *fields], layout=self._look.layout)
        made.add_class("nd-settings")
        return made

    def _made(self, setting: Parameter) -> Field:
        if setting.kind == "choice":
            return ChoiceField(setting, self._write, self._look, names(setting.path))
        kind = AutoShareField if AUTO in setting.choices else NumberField
        return kind(setting, self._write, self._look, self._refuse)
