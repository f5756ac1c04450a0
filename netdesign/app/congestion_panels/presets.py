"""Settings worth a look, one button each: rows of data/congestion_presets.csv."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from netdesign.app.congestion_panels.request import Request, from_query
from netdesign.app.html import join, tag
from netdesign.app.live_html import LiveHtml
from netdesign.app.toolbar import button
from netdesign.catalog import data_directory
from netdesign.catalog.tables import Name, Part, keyed_rows


class Preset(Part):
    """A name and the address of a view; its note says what is to be seen."""

    query: Name


@cache
def presets() -> dict[str, Preset]:
    """The rows by id, in the order of their file."""
    return keyed_rows(data_directory() / "congestion_presets.csv", Preset, ("id",))


def preset_request(key: str) -> Request:
    """What a preset asks for."""
    return from_query(presets()[key].query)[0]


class PresetsPanel:
    """A row of buttons; each opens its view."""

    def __init__(self, open_it: Callable[[Request], None]) -> None:
        acts = {key: lambda _, key=key: open_it(preset_request(key)) for key in presets()}
        buttons = [button(row.name, key, title=row.note) for key, row in presets().items()]
        self.widget = LiveHtml(
            join((tag("h2", "Try"), tag("div", *buttons, class_="nd-presets"))), acts=acts
        )
        self.widget.add_class("nd-settings")
