"""The controls of the page: the job, both fabrics, the price, and what the pictures point at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import ipywidgets as widgets

from netdesign.app.controls.fields import ChoiceField, Field, Refuse, Write
from netdesign.app.controls.ladder import nearest
from netdesign.app.controls.page import AUTO, AutoField, PageControls
from netdesign.app.html import tag
from netdesign.app.ib_or_roce_panels.request import BOOK, SWITCHES, Request, names, settings
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Parameter, load_catalog
from netdesign.wording import plural

GROUPS = (
    ("The job", ("design", "gpus")),
    (
        "Both fabrics",
        ("first", "switch_a", "second", "switch_b", "queue_pairs", "balance", "mtu"),
    ),
    ("The price", ("basis", "discount")),
)


class BalanceField(AutoField):
    """The balance of B: that of the data and the queue pairs until a person gives a number."""

    def _parts(self) -> list[widgets.Widget]:
        self._automatic, self._pairs = 1.0, 1
        self.note = LiveHtml(layout=self._look.layout)
        return [*super()._parts(), self.note]

    def follow(self, automatic: float, pairs: int) -> None:
        """Take what the balance is without a number of the planner's."""
        self._automatic, self._pairs = automatic, pairs

    def _display(self, value: Any) -> None:
        shown = f"{self._automatic:.3g} for {plural(self._pairs, 'queue pair')}"
        if value:
            super()._display(value)
            said = f"yours; write auto for {shown}"
        else:
            self.text.value = AUTO
            self.slider.value = nearest(self._stops, self._automatic)
            said = f"automatic: {shown}"
        self.note.value = tag("p", said, class_="nd-field-note", role="status")

    def _within(self, value: float) -> bool:
        return value == 0 or super()._within(value)


class SwitchField(ChoiceField):
    """A switch of those that a side may have."""

    def offer(self, keys: Collection[str]) -> None:
        """Name these switches, and the automatic one."""
        options = tuple((name, key) for key, name in self._names.items() if key in keys)
        if tuple(self.list.options) != options:
            self._showing = True
            try:
                chosen = self.list.value
                self.list.options = options
                self.list.value = chosen if chosen in keys else AUTO
            finally:
                self._showing = False


class Controls(PageControls):
    """The controls in one column; those of a single picture stand with it."""

    choice_fields: Mapping[str, type[ChoiceField]] = dict.fromkeys(SWITCHES, SwitchField)

    def __init__(self, write: Write, refuse: Refuse) -> None:
        super().__init__(settings(), names, write, refuse)
        self.widget = box([self._group(title, paths) for title, paths in GROUPS], "nd-controls")

    def show(self, request: Request) -> None:
        """Display a request; what does not count as things are cannot be set."""
        self._offer_gpus(load_catalog().servers[request.base.cluster.server].gpus)
        counts = {
            "discount": request.value("basis") != BOOK,
            "queue_pairs": not (request.own_balance or request.pairs_given),
        }
        for path, field in self._fields.items():
            if isinstance(field, SwitchField):
                field.offer(request.offered(path))
            if isinstance(field, BalanceField):
                field.follow(request.automatic_balance, request.pairs)
            field.show(request.value(path), enabled=counts.get(path, True))

    def _made(
        self,
        setting: Parameter,
        names: Callable[[str], Mapping[str, str]],
        write: Write,
        refuse: Refuse,
    ) -> Field:
        if setting.path == "balance":
            return BalanceField(setting, write, self._look, refuse)
        return super()._made(setting, names, write, refuse)
