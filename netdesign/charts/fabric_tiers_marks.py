"""Marks of the picture of tiers; imports Altair, so nothing on a page imports this module."""

from __future__ import annotations

import altair as alt

from netdesign.charts.authoring import dataset, finished
from netdesign.charts.fabric_ports_marks import PICKED, TOUCHES, key, notes
from netdesign.charts.palette import BOX_FILL, BOX_LINE

HEIGHT = 480


def chart() -> alt.LayerChart:
    """The layered chart, bundles under boxes."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, 100], nice=False, zero=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[-11, 102], nice=False, zero=False), axis=None)
    tip = alt.Tooltip("tip:N", title=" ")
    picked = alt.selection_point(name=PICKED, fields=["device"], on="click", clear="dblclick")
    boxes = (
        alt.Chart(dataset("boxes"))
        .mark_rect(fill=BOX_FILL, stroke=BOX_LINE, strokeWidth=1, cornerRadius=3, cursor="pointer")
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q", tooltip=tip)
        .add_params(picked)
        .properties(name="box")
    )
    names = alt.Chart(dataset("names")).mark_text(fontSize=12)
    numbers = alt.Chart(dataset("numbers")).mark_text(align="left", dx=10, fontSize=11)
    titles = alt.Chart(dataset("titles")).mark_text(
        align="left", fontSize=12, fontWeight=600, limit=0
    )
    layers = alt.LayerChart(
        layer=[
            _links(x, y, tip),
            boxes,
            names.encode(x=x, y=y, text="text:N", tooltip=tip),
            numbers.encode(x=x, y=y, text="text:N"),
            titles.encode(x=x, y=y, text="text:N"),
            *notes(x, y),
            *key(x, y),
        ]
    )
    return finished(
        layers,
        title="How do the tiers fit together?",
        height=HEIGHT,
        description=(
            "Pods or groups as boxes with the number of devices, links between them as bundles; "
            "a click on a box fades what it is not joined to."
        ),
    )


def _links(x: alt.X, y: alt.Y, tip: alt.Tooltip) -> alt.Chart:
    text = (
        "datum.tip + (isValid(datum.load) ? ', load ' + format(datum.load, '.0%') : '')"
        " + (datum.broken > 0 ? ', ' + datum.broken + ' broken' : '')"
    )
    links: alt.Chart = (
        alt.Chart(dataset("links"))
        .transform_calculate(tip=text, hurt="datum.broken > 0")
        .mark_rule(strokeCap="butt")
        .encode(
            x=x,
            y=y,
            x2="x2:Q",
            y2="y2:Q",
            tooltip=tip,
            strokeWidth=alt.StrokeWidth("width:Q", scale=None),
            color=alt.Color("colour:N", scale=None),
            strokeDash=alt.StrokeDash(
                "hurt:N",
                scale=alt.Scale(domain=[False, True], range=[[1, 0], [5, 3]]),
                legend=None,
            ),
            opacity=alt.condition(TOUCHES, alt.value(0.85), alt.value(0.06)),
        )
    )
    return links
