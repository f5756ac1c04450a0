"""How a page of netdesign is put together: cards with a title, the inputs they show, and pictures.

For pages of your own: :class:`netdesign.app.pictures.Picture` shows a chart of an Evaluation,
:class:`netdesign.app.live_html.LiveHtml` a piece of HTML, :mod:`netdesign.app.html` writes it
escaped, :mod:`netdesign.charts.format` says numbers, ``card`` frames them. Classes of the
stylesheet: ``nd-card``, ``nd-card-wide``, ``nd-table``, ``nd-number``, ``nd-unit``, ``nd-quiet``,
``nd-button``, ``nd-key``, ``nd-swatch``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import ipywidgets as widgets

from netdesign.app.html import Markup, join, swatch, tag
from netdesign.catalog import load_catalog
from netdesign.charts.format import count, parameters
from netdesign.charts.palette import PART_COLOURS
from netdesign.charts.stack import Part
from netdesign.charts.words import FAMILIES

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


def box(children: Iterable[widgets.Widget], *classes: str) -> widgets.VBox:
    """Widgets below each other, with classes of the stylesheet."""
    made = widgets.VBox(list(children))
    for name in classes:
        made.add_class(name)
    return made


def card(*children: widgets.Widget, classes: str = "") -> widgets.VBox:
    """A framed part of the page."""
    return box(children, "nd-card", *classes.split())


def seen(widget: widgets.DOMWidget, is_seen: bool) -> None:
    """Show or hide a part of a page."""
    if is_seen:
        widget.remove_class("nd-away")
    else:
        widget.add_class("nd-away")


def heading(title: str, evaluation: Evaluation, *, extra: str = "") -> Markup:
    """The title of a card and the inputs that it shows."""
    return tag(
        "header",
        tag("h2", title),
        tag("p", inputs_line(evaluation) + (f" · {extra}" if extra else ""), class_="nd-inputs"),
        class_="nd-card-head",
    )


def inputs_line(evaluation: Evaluation) -> str:
    """The inputs of an Evaluation in one line: model, cluster, fabric, plan."""
    design = evaluation.design
    server = load_catalog().servers[design.cluster.server]
    network = design.network
    family = FAMILIES.get(network.family, network.family)
    return (
        f"{model_name(evaluation)} · {count(design.cluster.gpus)} GPUs in {server.name} · "
        f"{family} {network.oversubscription:g} : 1 · {evaluation.plan_label}"
    )


def model_name(evaluation: Evaluation) -> str:
    """The model of a design as a person calls it."""
    row = load_catalog().models.get(evaluation.design.model.preset)
    if row is not None:
        return str(row.name)
    return f"{parameters(evaluation.parameters)} parameters"


def key(parts: Iterable[Part]) -> Markup:
    """The parts of a stacked bar, with colour, name and number."""
    items = join(
        tag(
            "li",
            swatch(PART_COLOURS[part.key]),
            tag("span", part.name, class_="nd-key-name"),
            tag("span", part.said, class_="nd-key-number"),
            class_=None if part.value > 0 else "nd-none",
        )
        for part in parts
    )
    return tag("ul", items, class_="nd-key")
