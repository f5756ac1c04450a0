"""A control for each kind of parameter. It writes changes and shows values, and knows no result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ipywidgets as widgets

from netdesign.app.controls.ladder import ladder, nearest
from netdesign.app.courier import Carried
from netdesign.app.html import tag
from netdesign.app.live_html import LiveHtml
from netdesign.catalog import Parameter
from netdesign.errors import DesignError

Write = Callable[[Mapping[str, Any]], None]
Refuse = Callable[[DesignError], None]

UNITS = {
    "billion parameters": "billion",
    "GPUs": "",
    "ratio": "",
    ": 1": "",
}
RANGE_UNITS = {"billion parameters": "billion parameters", "10^12 tokens": "trillion tokens"}


RATIO = " : 1"
LARGEST_EXACT = 1e15  # above it a number is said with an exponent


class CarriedText(Carried, widgets.Text):
    """A text field whose value goes with the other news of an update."""


class CarriedSlider(Carried, widgets.IntSlider):
    """A slider whose value goes with the other news of an update."""


class Look:
    """Layout and styles that all controls of a page share: one model of each, not hundreds."""

    def __init__(self) -> None:
        self.layout = widgets.Layout()
        self.slider = widgets.widgets.widget_int.SliderStyle()
        self.text = widgets.widgets.widget_string.TextStyle()
        self.choice = widgets.widgets.widget_description.DescriptionStyle()
        self.flag = widgets.widgets.widget_bool.CheckboxStyle()
        self.heading = widgets.widgets.widget_bool.ToggleButtonStyle()


def field_class(path: str) -> str:
    """The class of the control of a setting on the page."""
    return f"nd-field-{path.replace('.', '-').replace('_', '-')}"


def help_of(parameters: Iterable[Parameter]) -> dict[str, str]:
    """What settings mean by the class of their control, as a page takes it."""
    return {field_class(entry.path): entry.help for entry in parameters}


class Field:
    """One parameter on the page: base of all controls."""

    def __init__(self, parameter: Parameter, write: Write, look: Look) -> None:
        self.parameter = parameter
        self.path = parameter.path
        self.pending = False  # holds something the design did not take
        self._write = write
        self._look = look
        self._showing = False
        self._complaint: LiveHtml | None = None
        self.widget = widgets.VBox(self._parts(), layout=look.layout)
        self.widget.add_class("nd-field")
        self.widget.add_class(field_class(self.path))

    def _parts(self) -> list[widgets.Widget]:
        raise NotImplementedError

    def _display(self, value: Any) -> None:
        raise NotImplementedError

    def _enable(self, enabled: bool) -> None:
        raise NotImplementedError

    def show(self, value: Any, *, enabled: bool = True) -> None:
        """Display a value without writing it back; what a planner typed in error stays."""
        if self.pending:
            return
        self._showing = True
        try:
            self._display(value)
            self._enable(enabled)
        finally:
            self._showing = False

    def complain(self, sentence: str) -> None:
        """Say beside the control what is wrong with it."""
        if self._complaint is None:
            self._complaint = LiveHtml(layout=self._look.layout)
            self.widget.children = (*self.widget.children, self._complaint)
        self._complaint.value = tag("p", sentence, class_="nd-complaint", role="alert")
        self.widget.add_class("nd-wrong")

    def forgive(self) -> None:
        """Take the complaint back, and with it what the design did not take."""
        self.pending = False
        if self._complaint is not None:
            self._complaint.value = ""
            self.widget.remove_class("nd-wrong")

    def _send(self, value: Any) -> None:
        if not self._showing:
            self.pending = False
            self._write({self.path: value})


class NumberField(Field):
    """A text field that takes any number, and a slider over round values."""

    def __init__(
        self,
        parameter: Parameter,
        write: Write,
        look: Look,
        refuse: Refuse,
    ) -> None:
        self._stops = ladder(parameter)
        self._refuse = refuse
        super().__init__(parameter, write, look)

    def _parts(self) -> list[widgets.Widget]:
        parameter = self.parameter
        unit = UNITS.get(parameter.unit, parameter.unit)
        self.text = CarriedText(
            description=f"{parameter.label}, {unit}" if unit else parameter.label,
            tooltip=parameter.help,
            continuous_update=False,
            layout=self._look.layout,
            style=self._look.text,
        )
        self.slider = CarriedSlider(
            min=0,
            max=len(self._stops) - 1,
            readout=False,
            description=parameter.label,
            tooltip=parameter.help,
            layout=self._look.layout,
            style=self._look.slider,
        )
        self.text.observe(self._typed, "value")
        self.slider.observe(self._slid, "value")
        return [self.text, self.slider]

    def set_stops(self, stops: tuple[float, ...]) -> None:
        """Give the slider other values to stop at."""
        if stops != self._stops:
            self._stops = stops
            self._showing = True
            try:
                self.slider.max = len(stops) - 1
            finally:
                self._showing = False

    def _display(self, value: Any) -> None:
        ending = RATIO if self.parameter.unit == RATIO.strip() else ""
        self.text.value = f"{value:,.10g}{ending}"
        self.slider.value = nearest(self._stops, value)

    def _enable(self, enabled: bool) -> None:
        self.text.disabled = self.slider.disabled = not enabled

    def _typed(self, change: Any) -> None:
        if self._showing:
            return
        try:
            value = self._number(change["new"])
        except ValueError:
            kind = "a whole number" if self.parameter.kind == "integer" else "a number"
            self._refuse(DesignError(self.path, change["new"], f"is not {kind}", self._range()))
            return
        if self._within(value):
            self._send(value)
        else:
            said = float(value) if abs(value) > LARGEST_EXACT else value
            self._refuse(DesignError(self.path, said, "is out of range", self._range()))

    def _slid(self, change: Any) -> None:
        if not self._showing:
            value = self._stops[change["new"]]
            self._send(int(value) if self.parameter.kind == "integer" else value)

    def _number(self, typed: str) -> float:
        plain = typed.removesuffix(RATIO).replace(",", "").replace("_", "").strip()
        value = float(plain)
        if not math.isfinite(value):
            raise ValueError(typed)
        if self.parameter.kind == "integer":
            if value != int(value):
                raise ValueError(typed)
            return int(value)
        return value

    def _within(self, value: float) -> bool:
        lowest, highest = self.parameter.lowest, self.parameter.highest
        return (lowest is None or value >= lowest) and (highest is None or value <= highest)

    def _range(self) -> str:
        parameter = self.parameter
        lowest, highest = f"{parameter.lowest:,.10g}", f"{parameter.highest:,.10g}"
        if parameter.unit == RATIO.strip():
            return f"give one from {lowest}{RATIO} to {highest}{RATIO}"
        return f"give one from {lowest} to {highest} {RANGE_UNITS.get(parameter.unit, '')}".rstrip()


class ChoiceField(Field):
    """A drop-down list; ``names`` says what a person reads for each value."""

    def __init__(
        self, parameter: Parameter, write: Write, look: Look, names: Mapping[Any, str]
    ) -> None:
        self._names = names
        super().__init__(parameter, write, look)

    def _parts(self) -> list[widgets.Widget]:
        self.list = widgets.Dropdown(
            options=[(name, value) for value, name in self._names.items()],
            description=self.parameter.label,
            tooltip=self.parameter.help,
            layout=self._look.layout,
            style=self._look.choice,
        )
        self.list.observe(lambda change: self._send(change["new"]), "value")
        return [self.list]

    def _display(self, value: Any) -> None:
        self.list.value = value

    def _enable(self, enabled: bool) -> None:
        self.list.disabled = not enabled


class FlagField(Field):
    """A tick box."""

    def _parts(self) -> list[widgets.Widget]:
        self.box = widgets.Checkbox(
            description=self.parameter.label,
            tooltip=self.parameter.help,
            indent=False,
            layout=self._look.layout,
            style=self._look.flag,
        )
        self.box.observe(lambda change: self._send(change["new"]), "value")
        return [self.box]

    def _display(self, value: Any) -> None:
        self.box.value = value

    def _enable(self, enabled: bool) -> None:
        self.box.disabled = not enabled
