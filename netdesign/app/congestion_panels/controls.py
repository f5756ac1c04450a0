"""The controls of the page: what one drags first on top, the rest in groups below."""

from __future__ import annotations

from typing import Any

import ipywidgets as widgets

from netdesign.app.congestion_panels.request import AUTO, Request, names, settings
from netdesign.app.controls.fields import ChoiceField, Field, Look, NumberField, Refuse, Write
from netdesign.app.controls.ladder import gpu_ladder
from netdesign.app.html import tag
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Parameter, load_catalog

GROUPS = (
    ("Drag these", ("taper", "queue_pairs", "routing", "broken")),
    ("Job and fabric", ("design", "gpus", "family", "core_taper", "shown")),
    ("Ranks on servers", ("tensor", "pipeline", "placement", "rank_order", "seed")),
    ("Headroom", ("chip", "cable_length", "lossless_mtu", "small_share")),
    ("Failures", ("fleet", "checkpoint_stall", "restart")),
)


class AutoField(NumberField):
    """A whole number that the best plan chooses unless a person does."""

    def _display(self, value: Any) -> None:
        super()._display(value)
        if value == 0:
            self.text.value = AUTO

    def _number(self, typed: str) -> float:
        return 0 if typed.strip().lower() in ("", AUTO) else super()._number(typed)


class BrokenField(ChoiceField):
    """Parts by kind, and the device that was clicked in the picture."""

    def _display(self, value: Any) -> None:
        known = [(name, word) for word, name in self._names.items()]
        if value not in self._names:
            known.append((f"{value}", value))
        if tuple(self.list.options) != tuple(known):
            self.list.options = known
        self.list.value = value


class Controls:
    """All controls in one column; they write to ``write`` and are shown a request."""

    def __init__(self, write: Write, refuse: Refuse) -> None:
        self._write, self._refuse, self._look = write, refuse, Look()
        self._fields = {path: self._made(setting) for path, setting in settings().items()}
        self.widget = box([self._group(title, paths) for title, paths in GROUPS], "nd-controls")

    def field(self, path: str) -> Field:
        """The control of a setting."""
        return self._fields[path]

    def show(self, request: Request, *, hashed: bool, three_tiers: bool) -> None:
        """Display a request; what the fabric or its routing does not heed is greyed."""
        gpus = self._fields["gpus"]
        if isinstance(gpus, NumberField):
            server = load_catalog().servers[request.base.cluster.server].gpus
            gpus.set_stops(gpu_ladder(server, gpus.parameter.highest or server))
        for path, field in self._fields.items():
            heeded = {"queue_pairs": hashed, "core_taper": three_tiers}.get(path, True)
            field.show(request.value(path), enabled=heeded)

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
            kind_of_choice = BrokenField if setting.path == "broken" else ChoiceField
            return kind_of_choice(setting, self._write, self._look, names(setting.path))
        kind = AutoField if AUTO in setting.choices else NumberField
        return kind(setting, self._write, self._look, self._refuse)
