"""The page IB or RoCE: one design on two fabrics, who wins, from where on, and what to set.

``IbOrRoce().widget`` is the page. One state, one guarded ``update``: the comparison is computed on
floor 3, panels only show it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets as widgets

from netdesign.app.banner import Banner
from netdesign.app.controls.fields import help_of
from netdesign.app.courier import Courier
from netdesign.app.html import join, tag
from netdesign.app.ib_or_roce_panels.answer import Answer, answer
from netdesign.app.ib_or_roce_panels.controls import Controls
from netdesign.app.ib_or_roce_panels.panels import (
    FilesPanel,
    HeadlinePanel,
    PicturesPanel,
    SidesPanel,
    TablePanel,
    brief,
)
from netdesign.app.ib_or_roce_panels.request import (
    brought_along,
    default_request,
    from_query,
    settings,
    to_query,
)
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import STYLESHEETS, page_style
from netdesign.app.state import PageState
from netdesign.app.toolbar import copy_link, grouped, steps
from netdesign.app.transport import PageWidget
from netdesign.errors import DesignError

log = logging.getLogger(__name__)

UNEXPECTED = (
    "Something went wrong inside netdesign; what you see is the last comparison that could be "
    "computed. Undo the last change, or go on with another."
)
_SETTING_OF = {"cluster.gpus": "gpus", "transports": "second", "switch": "switch_b"}


class IbOrRoce:
    """The page and its wiring."""

    def __init__(
        self, page: PageWidget | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.page = page or PageWidget(title="IB or RoCE · netdesign")
        self.page.help = help_of(settings().values())
        self.state = PageState(default_request(), settings(), clock)
        self.answer: Answer | None = None
        self._complaint = ""
        self._build()
        self.state.observe(lambda _: self.update(), "inputs")
        self.page.observe(lambda _: self._open_address(), "initial_query")
        self.update()
        self._open_address()

    def _build(self) -> None:
        self.courier, self.banner = Courier(), Banner()
        self.controls = Controls(self.change, lambda error: self._say(error, pending=True))
        self.headline, self.table = HeadlinePanel(), TablePanel()
        own = (self.controls.field(path).widget for path in ("message", "exposed"))
        self.pictures, self.sides = PicturesPanel(*own), SidesPanel()
        self.files = FilesPanel(self.page.download)
        acts = {
            "undo": lambda _: self._travel(self.state.undo),
            "redo": lambda _: self._travel(self.state.redo),
            "reset": lambda _: self._travel(self._reset),
        }
        self.toolbar = LiveHtml(acts=acts)
        self.toolbar.add_class("nd-toolbar")
        cards = (
            self.headline.widget,
            self.table.widget,
            *self.pictures.widgets,
            *self.sides.widgets,
            self.files.widget,
        )
        results = box([box(cards, "nd-grid")], "nd-results")
        body = widgets.HBox([self.controls.widget, results])
        body.add_class("nd-body")
        self.brief = LiveHtml()
        self.brief.add_class("nd-brief")
        style = page_style(STYLESHEETS / "ib_or_roce.css")
        parts = [self.page, self.courier, style, self.toolbar, self.banner.widget, self.brief]
        self.widget = box([*parts, box([body], "nd-frame")], "nd-studio", "nd-ib-or-roce")

    def change(self, changes: Mapping[str, Any]) -> None:
        """Set values by path, as a control does; a wrong one is said beside its control."""
        before = self.state.inputs
        try:
            self.state.change(brought_along(before, changes))
        except DesignError as error:
            self._say(error, pending=True)
        else:
            if self.state.inputs == before:
                self.update()

    def update(self) -> None:
        """Compute and draw; what goes wrong is said, and the last comparison stays."""
        with self.courier.bundle():
            self.banner.say("")
            self.controls.forgive()
            try:
                self._show(answer(self.state.inputs))
            except DesignError as error:
                self.state.refuse()
                self._say(error, pending=False)
            except Exception:
                log.exception("the fabrics could not be compared: %r", self.state.inputs)
                self.banner.say(UNEXPECTED)
            self._show_controls()

    def _show(self, found: Answer) -> None:
        self.answer = found
        self.headline.show(found)
        self.brief.value = brief(found)
        self.table.show(found)
        self.pictures.show(found)
        self.sides.show(found)
        self.files.show(found)

    def _show_controls(self) -> None:
        request = self.state.inputs
        self.controls.show(request)
        groups = (
            steps(
                self.state.can_undo,
                self.state.can_redo,
                request != default_request(),
                "Back to the settings of the start",
            ),
            copy_link(),
        )
        alert = tag("p", self._complaint, class_="nd-complaint", role="alert")
        title = tag("h1", "IB or RoCE?")
        buttons = tag("div", grouped(groups), class_="nd-buttons")
        self.toolbar.value = join((title, buttons, alert if self._complaint else ""))
        self.page.query = to_query(request)

    def _say(self, error: DesignError, *, pending: bool) -> None:
        """Say it beside the control it is about, and in the banner."""
        path = _SETTING_OF.get(error.field, error.field)
        setting = settings().get(path)
        said = str(error)
        if setting is not None and said.startswith(error.field):
            said = setting.label + said[len(error.field) :]
        sentence = f"{said[:1].upper()}{said[1:].rstrip('.')}."
        self.controls.complain(path if setting else "gpus", sentence, pending=pending)
        self.banner.say(f"{sentence} What is shown is the last comparison that works.")

    def _reset(self) -> None:
        self.state.inputs = default_request()

    def _travel(self, step: Callable[[], None]) -> None:
        self._complaint = ""
        self.controls.forgive(everything=True)
        step()

    def _open_address(self) -> None:
        """Take the settings from the address the page was opened with."""
        query = self.page.initial_query
        if not query:
            return
        request, ignored = from_query(query)
        self._complaint = "Ignored in the link: " + "; ".join(ignored) if ignored else ""
        self.state.inputs = request
        self.state.forget()
        self._show_controls()
