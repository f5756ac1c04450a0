"""The page Congestion and failures: drag the taper, break a leaf, see who waits and why.

``CongestionFailures().widget`` is the page. One state, one guarded ``update``: floor 3 computes,
panels only show. Seeds and other tapers follow when the controls are still.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import ipywidgets as widgets

from netdesign.app.banner import Banner
from netdesign.app.congestion_panels.answer import Answer, answer
from netdesign.app.congestion_panels.collectives import CollectivesPanel
from netdesign.app.congestion_panels.controls import Controls
from netdesign.app.congestion_panels.files import FilesPanel
from netdesign.app.congestion_panels.headline import HeadlinePanel, brief
from netdesign.app.congestion_panels.later import Later
from netdesign.app.congestion_panels.pictures import (
    FabricPanel,
    GoodputPanel,
    HeatPanel,
    LosslessPanel,
    SeedsPanel,
    TaperPanel,
)
from netdesign.app.congestion_panels.presets import PresetsPanel
from netdesign.app.congestion_panels.request import (
    OF_DESIGN,
    Request,
    brought_along,
    default_request,
    from_query,
    settings,
    to_query,
)
from netdesign.app.controls.fields import help_of
from netdesign.app.courier import Courier
from netdesign.app.html import join, tag
from netdesign.app.layout import box
from netdesign.app.live_html import LiveHtml
from netdesign.app.page_style import STYLESHEETS, page_style
from netdesign.app.state import PageState
from netdesign.app.toolbar import copy_link, grouped, steps
from netdesign.app.transport import PageWidget
from netdesign.errors import DesignError

log = logging.getLogger(__name__)

UNEXPECTED = (
    "Something went wrong inside netdesign; what you see is the last fabric that could be "
    "computed. Undo the last change, or go on with another."
)
_SETTING_OF = {
    **{path: own for own, path in OF_DESIGN.items()},
    "break": "broken",
    "plan.tensor": "tensor",
    "plan.pipeline": "pipeline",
    "plan.virtual_stages": "pipeline",
    "network.switch": "chip",
    "chip": "chip",
    "spine_length": "cable_length",
    "small_packet_share": "small_share",
}


class CongestionFailures:
    """The page and its wiring."""

    def __init__(
        self, page: PageWidget | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.page = page or PageWidget(title="Congestion and failures · netdesign")
        self.page.help = help_of(settings().values())
        self.state = PageState(default_request(), settings(), clock)
        self.answer: Answer | None = None
        self.later = Later()
        self._complaint = ""
        self._build()
        self.state.observe(lambda _: self.update(), "inputs")
        self.page.observe(lambda _: self._open_address(), "initial_query")
        self.update()
        self._open_address()

    def _build(self) -> None:
        self.courier, self.banner = Courier(), Banner()
        self.controls = Controls(self.change, lambda error: self._say(error, pending=True))
        self.headline = HeadlinePanel()
        self.fabric = FabricPanel(self.break_part)
        self.heat, self.taper = HeatPanel(), TaperPanel()
        self.collectives, self.presets = CollectivesPanel(), PresetsPanel(self.open)
        self.seeds, self.goodput = SeedsPanel(self.ask_seeds), GoodputPanel()
        self.lossless, self.files = LosslessPanel(), FilesPanel(self.page.download)
        acts = {
            "undo": lambda _: self._travel(self.state.undo),
            "redo": lambda _: self._travel(self.state.redo),
            "reset": lambda _: self._travel(self._reset),
        }
        self.toolbar = LiveHtml(acts=acts)
        self.toolbar.add_class("nd-toolbar")
        cards = (
            self.headline.widget,
            self.fabric.widget,
            self.collectives.widget,
            self.taper.widget,
            self.heat.widget,
            self.seeds.widget,
            *self.goodput.widgets,
            *self.lossless.widgets,
            self.files.widget,
        )
        results = box([box(cards, "nd-grid")], "nd-results")
        first, *more = self.controls.widget.children
        self.controls.widget.children = (first, self.presets.widget, *more)
        body = widgets.HBox([self.controls.widget, results])
        body.add_class("nd-body")
        self.brief = LiveHtml()
        self.brief.add_class("nd-brief")
        style = page_style(STYLESHEETS / "congestion.css")
        parts = [self.page, self.courier, style, self.toolbar, self.banner.widget, self.brief]
        self.widget = box([*parts, box([body], "nd-frame")], "nd-studio", "nd-congestion")

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

    def open(self, request: Request) -> None:
        """Show a whole request, as a preset does; undo leads back."""

        def take() -> None:
            self.state.inputs = request

        self._travel(take)

    def break_part(self, word: str) -> None:
        """Break a part or a device; an empty word changes nothing."""
        if word:
            self.change({"broken": word})

    def ask_seeds(self) -> None:
        """Compute the seeds now, however large the fabric is."""
        if self.answer is not None:
            self.later.start(self._seeds(self.answer, asked=True), wait_s=0.0)

    def update(self) -> None:
        """Compute and draw; what goes wrong is said, and the last pictures stay."""
        self.later.stop()
        before = self.answer
        with self.courier.bundle():
            self.banner.say("")
            self.controls.forgive()
            self._guarded(lambda: self._show(answer(self.state.inputs)))
            self._show_controls()
        # begun outside of the bundle: what follows has a context that is a copy of this one
        if self.answer is not None and self.answer is not before:
            self.later.start(self._idle(self.answer))

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except DesignError as error:
            self.state.refuse()
            self._say(error, pending=False)
        except Exception:
            log.exception("congestion could not be shown: %r", self.state.inputs)
            self.banner.say(UNEXPECTED)

    def _show(self, found: Answer) -> None:
        self.answer = found
        self.headline.show(found)
        self.brief.value = brief(found)
        self.fabric.show(found)
        self.collectives.show(found)
        self.heat.show(found)
        self.taper.show(found)
        self.goodput.show(found)
        problem = self.lossless.show(found)
        self.files.show(found)
        for error in (found.problem, problem):
            if error is not None:
                self._complain(error, pending=False)
        self.seeds.show(found)

    def _idle(self, found: Answer) -> Iterator[None]:
        """What follows when the page is still."""
        for pieces in (self.taper.later(found), self._seeds(found)):
            while self._piece(pieces):
                yield

    def _seeds(self, found: Answer, *, asked: bool = False) -> Iterator[None]:
        if self.seeds.show(found):
            yield from self.seeds.later(found, asked=asked)

    def _piece(self, pieces: Iterator[None]) -> bool:
        """Do one piece; whether there are more."""
        with self.courier.bundle():
            try:
                next(pieces)
            except StopIteration:
                return False
            except DesignError as error:
                self._say(error, pending=False)
                return False
        return True

    def _show_controls(self) -> None:
        request, found = self.state.inputs, self.answer
        self.controls.show(
            request,
            hashed=found is None or found.hashed,
            tapers=found is None or found.tapers,
            three_tiers=found is not None and found.three_tiers,
            several_pods=found is None or found.several_pods,
        )
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
        title = tag("h1", "Congestion and failures")
        buttons = tag("div", grouped(groups), class_="nd-buttons")
        self.toolbar.value = join((title, buttons, alert if self._complaint else ""))
        self.page.query = to_query(request)

    def _say(self, error: DesignError, *, pending: bool) -> None:
        """Say it beside the control it is about, and in the banner."""
        said = self._complain(error, pending=pending)
        self.banner.say(f"{said} What is shown is the last fabric that works.")

    def _complain(self, error: DesignError, *, pending: bool) -> str:
        path = _SETTING_OF.get(error.field, error.field)
        setting = settings().get(path)
        said = str(error)
        if setting is not None and said.startswith(error.field):
            said = setting.label + said[len(error.field) :]
        end = "" if said.endswith("?") else "."
        sentence = f"{said[:1].upper()}{said[1:].rstrip('.')}{end}"
        self.controls.complain(path if setting else "gpus", sentence, pending=pending)
        return sentence

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
