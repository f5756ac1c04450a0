"""The controls of a page with settings of its own: made from their file, one field each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ipywidgets as widgets

from netdesign.app.controls.fields import ChoiceField, Field, Look, NumberField, Refuse, Write
from netdesign.app.controls.ladder import gpu_ladder
from netdesign.app.html import tag
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Parameter

AUTO = "auto"


class AutoField(NumberField):
    """A number that netdesign chooses unless a person does; 0 stands for that."""

    def _display(self, value: Any) -> None:
        super()._display(value)
        if value == 0:
            self.text.value = AUTO

    def _number(self, typed: str) -> float:
        return 0 if typed.strip().lower() in ("", AUTO) else super()._number(typed)


class PageControls:
    """One field a setting; they write to ``write``. A page lays them out and shows a request."""

    choice_fields: Mapping[str, type[ChoiceField]] = {}  # of the settings with one of their own

    def __init__(
        self,
        settings: Mapping[str, Parameter],
        names: Callable[[str], Mapping[str, str]],
        write: Write,
        refuse: Refuse,
    ) -> None:
        self._look = Look()
        self._fields = {
            path: self._made(setting, names, write, refuse) for path, setting in settings.items()
        }

    def field(self, path: str) -> Field:
        """The control of a setting."""
        return self._fields[path]

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

    def _offer_gpus(self, server_gpus: int) -> None:
        """Let the slider of GPUs stop at whole servers."""
        gpus = self._fields["gpus"]
        if isinstance(gpus, NumberField):
            gpus.set_stops(gpu_ladder(server_gpus, gpus.parameter.highest or server_gpus))

    def _group(
        self, head: str | widgets.Widget, paths: Iterable[str], name: str = "nd-settings"
    ) -> widgets.VBox:
        """Fields below each other under a heading; an empty one for none."""
        if isinstance(head, str):
            head = LiveHtml(tag("h2", head), layout=self._look.layout) if head else None
        fields = [self._fields[path].widget for path in paths]
        made = widgets.VBox([head, *fields] if head else fields, layout=self._look.layout)
        made.add_class(name)
        return made

    def _made(
        self,
        setting: Parameter,
        names: Callable[[str], Mapping[str, str]],
        write: Write,
        refuse: Refuse,
    ) -> Field:
        if setting.kind == "choice":
            kind = self.choice_fields.get(setting.path, ChoiceField)
            return kind(setting, write, self._look, names(setting.path))
        number = AutoField if AUTO in setting.choices else NumberField
        return number(setting, write, self._look, refuse)
