"""The page IB or RoCE: one design on two fabrics, who wins, from where on, and what to set.

``IbOrRoce().widget`` is the page. One state, one guarded ``update``: the comparison is computed on
floor 3, panels only show it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets

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
from netdesign.app.settings_page import Requests, SettingsPage

_SETTING_OF = {"cluster.gpus": "gpus", "transports": "second", "switch": "switch_b"}


class IbOrRoce(SettingsPage):
    """The page and its cards."""

    title = "IB or RoCE"
    heading = "IB or RoCE?"
    stays = "the last comparison"
    stylesheet = "ib_or_roce.css"
    style_class = "nd-ib-or-roce"
    requests = Requests(default_request, settings, from_query, to_query, brought_along)

    def _cards(self) -> tuple[Any, Sequence[widgets.Widget]]:
        self.answer: Answer | None = None
        controls = Controls(self.change, lambda error: self._say(error, pending=True))
        self.headline, self.table = HeadlinePanel(), TablePanel()
        own = (controls.field(path).widget for path in ("message", "exposed"))
        self.pictures, self.sides = PicturesPanel(*own), SidesPanel()
        self.files = FilesPanel(self.page.download)
        cards = (
            self.headline.widget,
            self.table.widget,
            *self.pictures.widgets,
            *self.sides.widgets,
            self.files.widget,
        )
        return controls, cards

    def _draw(self) -> None:
        found = answer(self.state.inputs)
        self.answer = found
        self.headline.show(found)
        self.brief.value = brief(found)
        self.table.show(found)
        self.pictures.show(found)
        self.sides.show(found)
        self.files.show(found)

    def _setting_of(self, field: str) -> str:
        return _SETTING_OF.get(field, field)
