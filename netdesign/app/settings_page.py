"""A page with settings of its own: controls, cards, address, undo, and what is said when they fail.

A page fills in the class attributes, makes its cards and draws. One state, one guarded ``update``.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import ipywidgets as widgets

from netdesign.app.banner import Banner
from netdesign.app.controls.fields import help_of
from netdesign.app.courier import Courier
from netdesign.app.html import join, tag
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_settings import sentence
from netdesign.app.page_style import STYLESHEETS, page_style
from netdesign.app.state import PageState
from netdesign.app.toolbar import copy_link, grouped, steps
from netdesign.app.transport import PageWidget
from netdesign.catalog import Parameter
from netdesign.errors import DesignError

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Requests:
    """How a page reads, changes and writes its settings."""

    default: Callable[[], Any]
    settings: Callable[[], Mapping[str, Parameter]]
    from_query: Callable[[str], tuple[Any, tuple[str, ...]]]
    to_query: Callable[[Any], str]
    brought_along: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]


class SettingsPage:
    """What these pages have in common; ``widget`` is the page."""

    heading: ClassVar[str]
    title: ClassVar[str]  # of the browser's tab
    stays: ClassVar[str]  # on the page while settings do not work: "the last fabric"
    stylesheet: ClassVar[str]
    style_class: ClassVar[str]
    requests: ClassVar[Requests]
    fallback: ClassVar[str] = "gpus"  # the setting beside which an error of no setting is said

    def __init__(
        self, page: PageWidget | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.page = page or PageWidget(title=f"{self.title} · netdesign")
        self.page.help = help_of(self.requests.settings().values())
        self.state = PageState(self.requests.default(), self.requests.settings(), clock)
        self.courier, self.banner = Courier(), Banner()
        self._complaint = ""
        self._build()
        self.state.observe(lambda _: self.update(), "inputs")
        self.page.observe(lambda _: self._open_address(), "initial_query")
        self.update()
        self._open_address()

    def _cards(self) -> tuple[Any, Sequence[widgets.Widget]]:
        """Make controls and cards of the page; the controls and the widgets of the cards."""
        raise NotImplementedError

    def _draw(self) -> None:
        """Compute and show what the settings ask for."""
        raise NotImplementedError

    def _show_fields(self, request: Any) -> None:
        self.controls.show(request)

    def _setting_of(self, field: str) -> str:
        """The setting that an error is about."""
        return field

    def _build(self) -> None:
        self.controls, cards = self._cards()
        acts = {
            "undo": lambda _: self._travel(self.state.undo),
            "redo": lambda _: self._travel(self.state.redo),
            "reset": lambda _: self._travel(self._reset),
        }
        self.toolbar = LiveHtml(acts=acts)
        self.toolbar.add_class("nd-toolbar")
        results = box([box(cards, "nd-grid")], "nd-results")
        body = widgets.HBox([self.controls.widget, results])
        body.add_class("nd-body")
        self.brief = LiveHtml()
        self.brief.add_class("nd-brief")
        style = page_style(STYLESHEETS / self.stylesheet)
        parts = [self.page, self.courier, style, self.toolbar, self.banner.widget, self.brief]
        self.widget = box([*parts, box([body], "nd-frame")], "nd-studio", self.style_class)

    def change(self, changes: Mapping[str, Any]) -> None:
        """Set values by path, as a control does; a wrong one is said beside its control."""
        before = self.state.inputs
        try:
            self.state.change(self.requests.brought_along(before, changes))
        except DesignError as error:
            self._say(error, pending=True)
        else:
            if self.state.inputs == before:
                self.update()

    def update(self) -> None:
        """Compute and draw; what goes wrong is said, and what was drawn last stays."""
        with self.courier.bundle():
            self.banner.say("")
            self.controls.forgive()
            self._guarded(self._draw, refuses=True)
            self._show_controls()

    def _guarded(self, act: Callable[[], None], *, refuses: bool = False) -> None:
        """Do something; with ``refuses`` undo passes over settings with which it fails."""
        try:
            act()
        except DesignError as error:
            if refuses:
                self.state.refuse()
            self._say(error, pending=False)
        except Exception:
            log.exception("%s could not be shown: %r", self.title, self.state.inputs)
            self.banner.say(self.unexpected)

    def _show_controls(self) -> None:
        request = self.state.inputs
        self._show_fields(request)
        groups = (
            steps(
                self.state.can_undo,
                self.state.can_redo,
                request != self.requests.default(),
                "Back to the settings of the start",
            ),
            copy_link(),
        )
        alert = tag("p", self._complaint, class_="nd-complaint", role="alert")
        title = tag("h1", self.heading)
        buttons = tag("div", grouped(groups), class_="nd-buttons")
        self.toolbar.value = join((title, buttons, alert if self._complaint else ""))
        self.page.query = self.requests.to_query(request)

    def _say(self, error: DesignError, *, pending: bool) -> None:
        """Say it beside the control it is about, and in the banner."""
        self.banner.say(f"{self._complain(error, pending=pending)} {self._what_stays}")

    @property
    def unexpected(self) -> str:
        """What is said when netdesign itself fails."""
        return (
            f"Something went wrong inside netdesign; what you see is {self.stays} that could be "
            "computed. Undo the last change, or go on with another."
        )

    @property
    def _what_stays(self) -> str:
        return f"What is shown is {self.stays} that works."

    def _complain(self, error: DesignError, *, pending: bool) -> str:
        """Say it beside the control it is about; the sentence."""
        path = self._setting_of(error.field)
        setting = self.requests.settings().get(path)
        said = str(error)
        if setting is not None and said.startswith(error.field):
            said = setting.label + said[len(error.field) :]
        return self._complain_at(path if setting else self.fallback, said, pending=pending)

    def _complain_at(self, path: str, said: str, *, pending: bool) -> str:
        told = sentence(said)
        self.controls.complain(path, told, pending=pending)
        return told

    def _reset(self) -> None:
        self.state.inputs = self.requests.default()

    def _travel(self, step: Callable[[], None]) -> None:
        self._complaint = ""
        self.controls.forgive(everything=True)
        step()

    def _open_address(self) -> None:
        """Take the settings from the address the page was opened with."""
        query = self.page.initial_query
        if not query:
            return
        request, ignored = self.requests.from_query(query)
        self._complaint = "Ignored in the link: " + "; ".join(ignored) if ignored else ""
        self.state.inputs = request
        self.state.forget()
        self._show_controls()
