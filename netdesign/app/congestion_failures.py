"""The page Congestion and failures: drag the taper, break a leaf, see who waits and why.

``CongestionFailures().widget`` is the page. One state, one guarded ``update``: floor 3 computes,
panels only show. Seeds and other tapers follow when the controls are still.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ipywidgets as widgets

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
from netdesign.app.settings_page import Requests, SettingsPage
from netdesign.errors import DesignError

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


class CongestionFailures(SettingsPage):
    """The page and its cards."""

    title = heading = "Congestion and failures"
    stays = "the last fabric"
    stylesheet = "congestion.css"
    style_class = "nd-congestion"
    requests = Requests(default_request, settings, from_query, to_query, brought_along)

    def _cards(self) -> tuple[Any, Sequence[widgets.Widget]]:
        self.answer: Answer | None = None
        self.later = Later()
        controls = Controls(self.change, lambda error: self._say(error, pending=True))
        self.headline = HeadlinePanel()
        self.fabric = FabricPanel(self.break_part)
        self.heat, self.taper = HeatPanel(), TaperPanel()
        self.collectives, self.presets = CollectivesPanel(), PresetsPanel(self.open)
        self.seeds, self.goodput = SeedsPanel(self.ask_seeds), GoodputPanel()
        self.lossless, self.files = LosslessPanel(), FilesPanel(self.page.download)
        first, *more = controls.widget.children
        controls.widget.children = (first, self.presets.widget, *more)
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
        return controls, cards

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
        """Compute and draw; seeds and other tapers follow when the controls are still."""
        self.later.stop()
        before = self.answer
        super().update()
        # begun outside of the bundle: what follows has a context that is a copy of this one
        if self.answer is not None and self.answer is not before:
            self.later.start(self._idle(self.answer))

    def _draw(self) -> None:
        self._show(answer(self.state.inputs))

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

    def _show_fields(self, request: Request) -> None:
        found = self.answer
        self.controls.show(
            request,
            hashed=found is None or found.hashed,
            tapers=found is None or found.tapers,
            three_tiers=found is not None and found.three_tiers,
            several_pods=found is None or found.several_pods,
        )

    def _setting_of(self, field: str) -> str:
        return _SETTING_OF.get(field, field)
