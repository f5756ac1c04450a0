"""The Topology explorer: choose family and size; see counts, picture, cost and rivals beside it.

``Explorer().widget`` is the page. One state, one guarded ``update``: counts come from closed forms
at every key press; the graph is built for the picture only while it is small, else when asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import ipywidgets as widgets

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
from netdesign.app.explorer_panels.table import NotesPanel, TablePanel, brief
from netdesign.app.settings_page import Requests, SettingsPage
from netdesign.charts.format import count
from netdesign.rivals import Contender, as_rival, contend
from netdesign.topology.built import Fabric
from netdesign.topology.families import build
from netdesign.topology.spec import FabricSpec


class Explorer(SettingsPage):
    """The page and its cards."""

    title = heading = "Topology explorer"
    stays = "the last fabric"
    stylesheet = "explorer.css"
    style_class = "nd-explorer"
    requests = Requests(default_request, settings, from_query, to_query, brought_along)

    def _cards(self) -> tuple[Any, Sequence[widgets.Widget]]:
        self.contenders: tuple[Contender, ...] = ()
        self.table, self.notes = TablePanel(), NotesPanel()
        self.fabric = FabricPanel(lambda _: self.draw())
        self.heat, self.reach = HeatPanel(), ReachPanel()
        self.files = FilesPanel(self.page.download)
        panels = (self.table, self.fabric, self.reach, self.heat, self.notes, self.files)
        controls = ExplorerControls(self.change, lambda error: self._say(error, pending=True))
        return controls, [panel.widget for panel in panels]

    def draw(self) -> None:
        """Build and draw a fabric that is too large to be drawn at every key press."""
        chosen = self.contenders[0]
        if chosen.buildable and links_of(chosen) <= MOST_LINKS:
            self.fabric.keep(f"Drawing {count(links_of(chosen))} links …")
            with self.courier.bundle():
                self._guarded(lambda: self._picture(chosen))

    def _draw(self) -> None:
        request = self.state.inputs
        spec = request.spec()
        prices = request.switch, request.book, request.cabling
        chosen = contend(spec, *prices)
        if chosen.error is not None:
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
            told = self._complain_at(request.narrowing, chosen.problem, pending=False)
            self.banner.say(f"{told} {self._what_stays}")
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

    def _setting_of(self, field: str) -> str:
        return setting_of(field)


@lru_cache(maxsize=4)
def _built(spec: FabricSpec) -> Fabric:
    return build(spec)
