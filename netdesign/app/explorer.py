"""The Topology explorer: choose family and size; see counts, picture, cost and rivals beside it.

``Explorer().widget`` is the page. One state, one guarded ``update``: counts come from closed forms
at every key press; the graph is built for the picture only while it is small, else when asked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import ipywidgets as widgets

from netdesign.app.banner import Banner
from netdesign.app.controls.fields import help_of
from netdesign.app.courier import Courier
from netdesign.app.explorer_panels.controls import ExplorerControls
from netdesign.app.explorer_panels.files import FilesPanel
from netdesign.app.explorer_panels.pictures import (
    MOST_LINKS,
    FabricPanel,
    HeatPanel,
    ReachPanel,
    at_once,
    links_of,
)
from netdesign.app.explorer_panels.request import (
    brought_along,
    default_request,
    from_query,
    setting_of,
    settings,
    to_query,
)
from netdesign.app.explorer_panels.table import NotesPanel, TablePanel, brief, sentence
from netdesign.app.html import join, tag
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import STYLESHEETS, page_style
from netdesign.app.state import PageState
from netdesign.app.toolbar import copy_link, grouped, steps
from netdesign.app.transport import PageWidget
from netdesign.charts.format import count
from netdesign.errors import DesignError
from netdesign.rivals import Contender, as_rival, contend
from netdesign.topology.built import Fabric
from netdesign.topology.families import build
from netdesign.topology.spec import FabricSpec

log = logging.getLogger(__name__)

UNEXPECTED = (
    "Something went wrong inside netdesign; what you see is the last fabric that could be "
    "computed. Undo the last change, or go on with another."
)


class Explorer:
    """The page and its wiring."""

    def __init__(
        self, page: PageWidget | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.page = page or PageWidget(title="Topology explorer · netdesign")
        self.page.help = help_of(settings().values())
        self.state = PageState(default_request(), settings(), clock)
        self.contenders: tuple[Contender, ...] = ()
        self._complaint = ""
        self._build()
        self.state.observe(lambda _: self.update(), "inputs")
        self.page.observe(lambda _: self._open_address(), "initial_query")
        self.update()
        self._open_address()

    def _build(self) -> None:
        self.courier, self.banner = Courier(), Banner()
        self.controls = ExplorerControls(self.change, lambda error: self._say(error, pending=True))
        self.table, self.notes = TablePanel(), NotesPanel()
        self.fabric = FabricPanel(lambda _: self.draw())
        self.heat, self.reach = HeatPanel(), ReachPanel()
        self.files = FilesPanel(self.page.download)
        acts = {
            "undo": lambda _: self._travel(self.state.undo),
            "redo": lambda _: self._travel(self.state.redo),
            "reset": lambda _: self._travel(self._reset),
        }
        self.toolbar = LiveHtml(acts=acts)
        self.toolbar.add_class("nd-toolbar")
        panels = (self.table, self.fabric, self.reach, self.heat, self.notes, self.files)
        results = box([box([panel.widget for panel in panels], "nd-grid")], "nd-results")
        body = widgets.HBox([self.controls.widget, results])
        body.add_class("nd-body")
        self.brief = LiveHtml()
        self.brief.add_class("nd-brief")
        style = page_style(STYLESHEETS / "explorer.css")
        parts = [self.page, self.courier, style, self.toolbar, self.banner.widget, self.brief]
        self.widget = box([*parts, box([body], "nd-frame")], "nd-studio", "nd-explorer")

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

    def draw(self) -> None:
        """Build and draw a fabric that is too large to be drawn at every key press."""
        chosen = self.contenders[0]
        if chosen.buildable and links_of(chosen) <= MOST_LINKS:
            self.fabric.keep(f"Drawing {count(links_of(chosen))} links …")
            with self.courier.bundle():
                self._guarded(lambda: self._picture(chosen))

    def update(self) -> None:
        """Compute and draw; what goes wrong is said, and the last picture stays."""
        with self.courier.bundle():
            self.banner.say("")
            self.controls.forgive()
            self._guarded(self._answer)
            self._show_controls()

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except DesignError as error:
            self._say(error, pending=False)
        except Exception:
            log.exception("the fabric could not be drawn: %r", self.state.inputs)
            self.banner.say(UNEXPECTED)

    def _answer(self) -> None:
        request = self.state.inputs
        spec = request.spec()
        prices = request.switch, request.book, request.cabling
        chosen = contend(spec, *prices)
        if chosen.error is not None:
            self.state.refuse()
            raise chosen.error
        # a torus does not know the switch that its rivals have
        known = request.with_values({"family": "fat-tree"}).spec()
        beside = (as_rival(known, family) for family in request.rivals)
        rivals = (contend(rival, *prices) for rival in beside)
        self.contenders = (chosen, *rivals)
        self.table.show(request, self.contenders)
        self.brief.value = brief(chosen)
        self.reach.show(request, self.contenders)
        self.notes.show(self.contenders)
        self.files.show(chosen, request.switch)
        if not chosen.buildable:
            self.fabric.keep("The last fabric that could be built stays.")
            self._complain(request.narrowing, chosen.problem, pending=False)
        elif at_once(chosen):
            self._picture(chosen)
        else:
            self._offer(chosen)

    def _offer(self, chosen: Contender) -> None:
        number = count(links_of(chosen))
        if links_of(chosen) <= MOST_LINKS:
            self.fabric.keep(f"{number} links are drawn when you ask.", offer=True)
        else:
            self.fabric.keep(f"{number} links are too many to draw; counts and files hold.")

    def _picture(self, chosen: Contender) -> None:
        fabric = _built(chosen.spec)
        self.fabric.show(fabric, chosen.counts.endpoints if chosen.counts else fabric.endpoints)
        self.heat.show(fabric)

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
        title = tag("h1", "Topology explorer")
        buttons = tag("div", grouped(groups), class_="nd-buttons")
        self.toolbar.value = join((title, buttons, alert if self._complaint else ""))
        self.page.query = to_query(request)

    def _say(self, error: DesignError, *, pending: bool) -> None:
        path = setting_of(error.field)
        setting = settings().get(path)
        said = str(error)
        if setting is not None and said.startswith(error.field):
            said = setting.label + said[len(error.field) :]
        self._complain(path, said, pending=pending)

    def _complain(self, path: str, said: str, *, pending: bool) -> None:
        """Say it beside the control it is about, and in the banner."""
        self.controls.complain(path, sentence(said), pending=pending)
        self.banner.say(f"{sentence(said)} What is drawn is the last fabric that works.")

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


@lru_cache(maxsize=4)
def _built(spec: FabricSpec) -> Fabric:
    return build(spec)
