"""What one does with a design as a whole: undo, load, save, share, pin."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

import ipywidgets as widgets

from netdesign.app.controls.fields import CarriedText
from netdesign.app.html import Markup, join, tag
from netdesign.app.live_html import Act, LiveHtml
from netdesign.design import LARGEST_FILE_BYTES, read_design, shipped_designs

LONGEST_NAME = 120
SUMMARY_PAGE = "executive_summary.ipynb"
AUDIT_PAGE = "audit.ipynb"


class Toolbar:
    """The name of the design and a row of buttons; each act is a function of the Studio."""

    def __init__(self, acts: Mapping[str, Act], rename: Act) -> None:
        self._complaint = ""
        self._drawn: tuple[bool, bool, bool, bool, bool] | None = None
        self._rename = rename
        self._showing = False
        self.name = CarriedText(
            description="Design",
            tooltip="Name of the design",
            continuous_update=False,
        )
        self.name.add_class("nd-design-name")
        self.name.observe(self._named, "value")
        self.buttons = LiveHtml(acts=acts)
        self.widget = widgets.HBox([self.name, self.buttons])
        self.widget.add_class("nd-toolbar")

    def show(
        self,
        name: str,
        *,
        can_undo: bool,
        can_redo: bool,
        changed: bool,
        pinned: Collection[str],
    ) -> None:
        """Display the name, whether the design differs from what was opened, and the buttons."""
        self._showing = True
        try:
            self.name.value = name
        finally:
            self._showing = False
        self._drawn = (can_undo, can_redo, changed, "A" in pinned, "B" in pinned)
        self._draw()

    def complain(self, sentence: str) -> None:
        """Say what is wrong with an uploaded design; empty for nothing."""
        if sentence != self._complaint:
            self._complaint = sentence
            self._draw()

    def _draw(self) -> None:
        if self._drawn is not None:
            self.buttons.value = _buttons(*self._drawn, self._complaint)

    def _named(self, change: Any) -> None:
        if not self._showing:
            self._rename(change["new"].strip()[:LONGEST_NAME] or "Untitled design")


def button(label: str, act: str, *, enabled: bool = True, title: str | None = None) -> Markup:
    return tag(
        "button",
        label,
        type="button",
        class_="nd-button",
        data_act=act,
        disabled=not enabled,
        title=title,
    )


def steps(can_undo: bool, can_redo: bool, changed: bool, reset: str) -> tuple[Markup, ...]:
    """Undo, redo and reset; ``reset`` says to what."""
    return (
        button("Undo", "undo", enabled=can_undo),
        button("Redo", "redo", enabled=can_redo),
        button("Reset", "reset", enabled=changed, title=reset),
    )


def copy_link() -> tuple[Markup, ...]:
    """The button that copies the page's address, and where it says so."""
    return (
        tag("button", "Copy link", type="button", class_="nd-button", data_copy="address"),
        tag("span", class_="nd-quiet", role="status", data_copied=True),
    )


def grouped(groups: Iterable[Iterable[Markup]]) -> Markup:
    """Groups of buttons that stay together when the row wraps."""
    return join(tag("span", join(group), class_="nd-button-group") for group in groups)


@cache
def _shipped() -> Markup:
    options = join(tag("option", read_design(name).name, value=name) for name in shipped_designs())
    first = tag("option", "Load a design…", value="", selected=True)
    return tag(
        "select",
        first,
        options,
        class_="nd-button",
        data_act="load",
        aria_label="Load a design that comes with netdesign",
    )


def _upload() -> Markup:
    field = Markup(
        '<input type="file" accept=".yaml,.yml" data-upload="upload-design" '
        f'data-limit="{LARGEST_FILE_BYTES}">'
    )
    return tag("label", "Open file", field, class_="nd-button nd-upload")


def _buttons(
    can_undo: bool, can_redo: bool, changed: bool, has_a: bool, has_b: bool, complaint: str
) -> Markup:
    groups = (
        steps(can_undo, can_redo, changed, "Back to the design that was opened"),
        (_shipped(), _upload(), button("Save file", "download", title="Save as YAML")),
        copy_link(),
        (
            button("Pin A again" if has_a else "Pin A", "pin", title="Keep as design A"),
            button("Pin B again" if has_b else "Pin B", "pin-b", title="Keep as design B"),
        ),
        (
            tag(
                "a",
                "Executive summary",
                href=SUMMARY_PAGE,
                data_nd_link=True,
                class_="nd-button nd-button-strong nd-summary-link",
            ),
            tag(
                "a",
                "Audit against this design",
                href=AUDIT_PAGE,
                data_nd_link=True,
                class_="nd-button nd-audit-link",
                title="Hold logs and dumps of what was built against this design",
            ),
        ),
    )
    note = tag("span", "changed since it was opened" if changed else "", class_="nd-changed")
    alert = tag("p", complaint, class_="nd-complaint", role="alert") if complaint else ""
    return join((tag("div", grouped(groups), note, class_="nd-buttons"), alert))
