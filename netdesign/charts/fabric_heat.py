"""How many links join each leaf with each spine? A map, rows the lower tier, columns the upper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from netdesign.charts.fabric_places import is_direct, level
from netdesign.charts.fabric_words import tier_words
from netdesign.charts.format import percent
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names
from netdesign.wording import plural

if TYPE_CHECKING:
    import altair as alt

Columns = dict[str, list[Any]]
Whole = npt.NDArray[np.int64]

MOST_CELLS = 64  # in a row or a column; above, neighbours share a cell
MOST_FILLED = 1_100  # cells; a map that would have more is half as fine, for the sake of a slider


def data(
    fabric: Fabric,
    lower: int = 1,
    load: npt.NDArray[np.floating] | None = None,
    broken: npt.NDArray[np.bool_] | None = None,
) -> dict[str, Columns]:
    """Data sets ``cells``, ``frame`` and ``notes``; cells without links are left out.

    Parameters
    ----------
    fabric : Fabric
    lower : int                         level of the rows: 1 the lowest switches, 0 the servers
    load : array of float, (links,)     share of the capacity in use; a cell shows the highest
    broken : array of bool, (links,)    a cell counts them apart
    """
    of = _map(fabric, lower)
    down, across = len(of.rows), len(of.columns)
    frame: Columns = {"x": [0.5, across + 0.5], "y": [0.5, down + 0.5]}
    if not len(of.link):
        note = {"text": ["No switches are joined here: there is nothing to map."]}
        return {
            "cells": {"x": []},
            "frame": {"x": [1, 2], "y": [1, 2], "links": [0, 1]},
            "notes": note,
        }
    high, wide, found, which = _cells(of, MOST_CELLS)
    if len(found) > MOST_FILLED:
        high, wide, found, which = _cells(of, MOST_CELLS // 2)
    in_a_row = math.ceil(across / wide)
    y, x = (found // in_a_row) * high, (found % in_a_row) * wide
    names = device_names(fabric)
    cells: Columns = {
        "x": (x + 0.5).tolist(),
        "x2": (np.minimum(x + wide, across) + 0.5).tolist(),
        "y": (y + 0.5).tolist(),
        "y2": (np.minimum(y + high, down) + 0.5).tolist(),
        "links": np.bincount(which).tolist(),
        "row": _named(names, of.rows, y, high),
        "column": _named(names, of.columns, x, wide),
        "load": [None] * len(found),
        "broken": [0] * len(found),
    }
    if load is not None:
        most = np.zeros(len(found))
        np.maximum.at(most, which, np.asarray(load, dtype=float)[of.link])
        cells["load"] = np.round(np.clip(most, 0, 1), 3).tolist()
    if broken is not None:
        dead = np.asarray(broken)[of.link]
        cells["broken"] = np.bincount(which[dead], minlength=len(found)).tolist()
    frame["links"] = [0, max(cells["links"])]
    return {"cells": cells, "frame": frame, "notes": {"text": [_said(fabric, of)]}}


@dataclass(frozen=True, eq=False)
class _Map:
    """Devices of rows and columns, and of each link between them itself, its row and its column."""

    rows: Whole
    columns: Whole
    link: Whole
    row: Whole
    column: Whole


def _cells(of: _Map, most: int) -> tuple[int, int, Whole, Whole]:
    """Rows and columns of a cell, the cells with links, and the cell (of these) of each link."""
    high, wide = math.ceil(len(of.rows) / most), math.ceil(len(of.columns) / most)
    cell = (of.row // high) * math.ceil(len(of.columns) / wide) + of.column // wide
    # quicker than np.unique: there are few cells and many links
    filled = np.bincount(cell) > 0
    return high, wide, np.flatnonzero(filled), (np.cumsum(filled) - 1)[cell]


def _map(fabric: Fabric, lower: int) -> _Map:
    """What the map is of; of a direct fabric both are its routers, and each link stands twice."""
    levels = level(fabric)
    if not fabric.switches:
        lower = 0
    a_level, b_level = levels[fabric.a], levels[fabric.b]
    place = np.zeros(fabric.devices, dtype=np.int64)
    for number in range(len(fabric.tier_names) + 1):
        of_level = levels == number
        place[of_level] = np.arange(np.count_nonzero(of_level))
    beside = np.flatnonzero((a_level == lower) & (b_level == lower))
    rows = np.flatnonzero(levels == lower)
    if is_direct(fabric) and len(beside):
        a, b = place[fabric.a[beside]], place[fabric.b[beside]]
        both = np.concatenate([a, b]), np.concatenate([b, a])
        return _Map(rows, rows, np.tile(beside, 2), *both)
    above = np.flatnonzero((a_level == lower) & (b_level > lower))
    upper = int(b_level[above].min()) if len(above) else lower + 1
    above = above[b_level[above] == upper]
    columns = np.flatnonzero(levels == upper)
    return _Map(rows, columns, above, place[fabric.a[above]], place[fabric.b[above]])


def _named(names: list[str], devices: Whole, first: Whole, each: int) -> list[str]:
    """The device of a cell, or the first and the last of several."""
    said = []
    for start in first.tolist():
        end = min(start + each, len(devices)) - 1
        name = names[devices[start]]
        last = names[devices[end]].rsplit("-", 1)[-1]
        said.append(name if end == start else f"{name} to {last}")
    return said


def _words(fabric: Fabric, devices: Whole) -> str:
    return tier_words(fabric, int(level(fabric)[devices[0]]), len(devices))


def _said(fabric: Fabric, of: _Map) -> str:
    return f"rows: {_words(fabric, of.rows)}, columns: {_words(fabric, of.columns)}"


def label(fabric: Fabric, lower: int = 1, *_rest: Any) -> str:
    """The chart in one sentence."""
    of = _map(fabric, lower)
    if not len(of.link):
        return "This fabric has no links between switches to map."
    pairs = np.unique(of.row * len(of.columns) + of.column, return_counts=True)[1]
    low, high = int(pairs.min()), int(pairs.max())
    each = plural(low, "link") if low == high else f"{low:,} to {high:,} links"
    share = len(pairs) / (len(of.rows) * len(of.columns))
    which = "Every pair" if share == 1 else f"{percent(share)} of all pairs"
    return (
        f"{which} of {_words(fabric, of.rows)} and {_words(fabric, of.columns)} joined by {each}."
    )


_TIP = (
    "datum.row + ' with ' + datum.column + ': ' + format(datum.links, ',')"
    " + (datum.links === 1 ? ' link' : ' links')"
    " + (isValid(datum.load) ? ', load up to ' + format(datum.load, '.0%') : '')"
    " + (datum.broken > 0 ? ', ' + datum.broken + ' broken' : '')"
)


def build() -> alt.LayerChart:
    """The chart, its data sets empty; a bar in a cell is the load where there is one."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished

    whole = "datum.value % 1 ? '' : format(datum.value, ',d')"
    axis = alt.Axis(grid=False, tickCount=8, labelExpr=whole)
    x = alt.X("x:Q", scale=alt.Scale(nice=False, zero=False), axis=axis, title="upper switch")
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(nice=False, zero=False, reverse=True),
        axis=axis,
        title="lower switch",
    )
    cells = alt.Chart(dataset("cells")).transform_calculate(
        tip=_TIP, full="datum.y2 - (datum.y2 - datum.y) * datum.load"
    )
    colour = alt.Color(
        "links:Q",
        title="links of a cell",
        # without its darkest part, which a dark page swallows
        scale=alt.Scale(
            scheme=alt.SchemeParams(name="viridis", extent=[0.25, 1]), reverse=True, zero=True
        ),
        legend=alt.Legend(
            orient="bottom",
            type="gradient",
            gradientLength=160,
            tickCount=4,
            labelExpr=whole,
        ),
    )
    tip = alt.Tooltip("tip:N", title=" ")
    counts = cells.mark_rect(stroke="white", strokeWidth=0.5, strokeOpacity=0.5).encode(
        x=x,
        y=y,
        x2="x2:Q",
        y2="y2:Q",
        tooltip=tip,
        color=colour,
    )
    ends = (
        alt.Chart(dataset("frame"))
        .mark_point(filled=True, opacity=0, size=0)
        .encode(x=x, y=y, color=colour)
    )
    # drawn on a canvas, where no stylesheet reaches: the ink of the theme, quieter
    notes = (
        alt.Chart(dataset("notes"))
        .mark_text(align="left", baseline="bottom", dy=-5, opacity=0.75)
        .encode(x=alt.value(0), y=alt.value(0), text="text:N")
        .properties(name="quiet")
    )
    return finished(
        ends + counts.properties(name="cut") + _overlays(cells, x, y, tip) + notes,
        title="How many links join each pair of switches?",
        height=420,
        description="A map with a row for each lower and a column for each upper switch.",
    )


def _overlays(cells: alt.Chart, x: alt.X, y: alt.Y, tip: alt.Tooltip) -> alt.LayerChart:
    """The load as a bar that fills its cell from below, and a frame where a link is broken."""
    import altair as alt

    from netdesign.charts.fabric_paint import BROKEN
    from netdesign.charts.palette import VERMILLION

    loads = (
        cells.transform_filter("isValid(datum.load)")
        .mark_rect(color=VERMILLION, opacity=0.9)
        .encode(x=x, y=alt.Y("full:Q"), x2="x2:Q", y2="y2:Q", tooltip=tip)
    )
    hurt = (
        cells.transform_filter("datum.broken > 0")
        .mark_rect(fill=None, stroke=BROKEN, strokeWidth=2, strokeDash=[3, 2])
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q", tooltip=tip)
    )
    overlays: alt.LayerChart = loads + hurt
    return overlays
