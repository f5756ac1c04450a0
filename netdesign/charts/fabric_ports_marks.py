"""Marks of the port picture; imports Altair, so nothing on a page imports this module."""

from __future__ import annotations

import altair as alt

from netdesign.charts.authoring import dataset, finished
from netdesign.charts.fabric_paint import BROKEN
from netdesign.charts.palette import BOX_FILL, BOX_LINE, QUIET_INK

HEIGHT = 580
PICKED = "picked"
# A device that the last fabric had and this one has not must not fade the whole picture.
_ANYBODY = (
    f"!{PICKED}.device || !isValid({PICKED}.device[0]) || "
    f"!indata('boxes', 'device', {PICKED}.device[0])"
)
TOUCHES = f"{_ANYBODY} || datum.a === {PICKED}.device[0] || datum.b === {PICKED}.device[0]"
_IS = f"{_ANYBODY} || datum.device === {PICKED}.device[0]"


def chart() -> alt.LayerChart:
    """The layered chart, links under boxes under ports."""
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, 100], nice=False, zero=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[-11, 102], nice=False, zero=False), axis=None)
    tip = alt.Tooltip("tip:N", title=" ")
    words = alt.Chart(dataset("titles")).encode(x=x, y=y, text="text:N")
    layers = alt.LayerChart(
        layer=[
            _links(x, y, tip),
            *_boxes(x, y, tip),
            _ports(x, y, tip),
            alt.Chart(dataset("names"))
            .mark_text(fontSize=11)
            .encode(x=x, y=y, text="text:N", tooltip=tip),
            words.mark_text(align="left", fontSize=12, fontWeight=600, limit=0),
            *notes(x, y),
            *key(x, y),
        ]
    )
    return finished(
        layers,
        title="Which port is cabled to which?",
        height=HEIGHT,
        description=(
            "Servers and switches as boxes with their ports, each link from port to port; "
            "a click on a box fades what it is not cabled to."
        ),
    )


def _links(x: alt.X, y: alt.Y, tip: alt.Tooltip) -> alt.Chart:
    port = "(indexof(datum.{0}_port, 'nic') === 0 ? ' ' : ' port ') + datum.{0}_port"
    text = (
        f"datum.a + {port.format('a')} + ' to ' + datum.b + {port.format('b')} + ', ' + datum.what"
        " + (isValid(datum.load) ? ', load ' + format(datum.load, '.0%') : '')"
        " + (datum.broken ? ', broken' : '')"
    )
    links: alt.Chart = (
        alt.Chart(dataset("links"))
        .transform_calculate(tip=text)
        .mark_rule(strokeCap="butt", strokeWidth=1.2)
        .encode(
            x=x,
            y=y,
            x2="x2:Q",
            y2="y2:Q",
            tooltip=tip,
            color=alt.Color("colour:N", scale=None),
            strokeDash=alt.StrokeDash(
                "broken:N",
                scale=alt.Scale(domain=[False, True], range=[[1, 0], [4, 3]]),
                legend=None,
            ),
            opacity=alt.condition(TOUCHES, alt.value(0.65), alt.value(0.05)),
        )
    )
    return links


def _boxes(x: alt.X, y: alt.Y, tip: alt.Tooltip) -> list[alt.Chart]:
    picked = alt.selection_point(name=PICKED, fields=["device"], on="click", clear="dblclick")
    rects = alt.Chart(dataset("boxes")).encode(x=x, y=y, x2="x2:Q", y2="y2:Q", tooltip=tip)
    boxes = (
        rects.mark_rect(
            fill=BOX_FILL, stroke=BOX_LINE, strokeWidth=1, cornerRadius=2, cursor="pointer"
        )
        .add_params(picked)
        .properties(name="box")
    )
    # What is broken is crossed out as well as coloured.
    gone = rects.transform_filter("datum.broken")
    outline = gone.mark_rect(fill=None, stroke=BROKEN, strokeWidth=2)
    chosen = (
        rects.transform_filter(f"isValid({PICKED}.device) && datum.device === {PICKED}.device[0]")
        .mark_rect(fill=None, stroke=QUIET_INK, strokeWidth=2.5, cornerRadius=2)
        .properties(name="chosen")
    )
    cross = gone.mark_rule(stroke=BROKEN, strokeWidth=2)
    return [boxes, outline, cross, chosen]


def _ports(x: alt.X, y: alt.Y, tip: alt.Tooltip) -> alt.Chart:
    """Used ports filled with the colour of their link, empty ones hollow, spare ones pale."""
    ports: alt.Chart = (
        alt.Chart(dataset("ports"))
        .transform_calculate(
            tip="datum.device + ' ' + datum.tip",
            filled="{used: 1, spare: 0.8, empty: 0}[datum.state]",
        )
        .mark_rect(strokeWidth=0.8, cursor="pointer")
        .encode(
            x=x,
            y=y,
            x2="x2:Q",
            y2="y2:Q",
            tooltip=tip,
            color=alt.Color("colour:N", scale=None),
            stroke=alt.condition("datum.state === 'used'", alt.value(None), alt.value(BOX_LINE)),
            fillOpacity=alt.FillOpacity("filled:Q", scale=None),
            opacity=alt.condition(_IS, alt.value(1), alt.value(0.35)),
        )
    )
    return ports


def notes(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """What is said quietly beside the picture, or alone in its middle."""
    quiet = alt.Chart(dataset("notes")).encode(x=x, y=y, text="text:N")
    left = quiet.transform_filter("datum.align === 'left'").mark_text(
        align="left", fontSize=11, color=QUIET_INK
    )
    middle = quiet.transform_filter("datum.align === 'center'").mark_text(
        align="center", fontSize=12
    )
    return [left.properties(name="quiet"), middle]


def key(x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """What the colours mean, in rows below the picture."""
    entries = alt.Chart(dataset("key")).encode(x=x, y=y)
    squares = entries.mark_square(size=80, opacity=1, xOffset=6).encode(
        color=alt.Color("colour:N", scale=None)
    )
    words = entries.mark_text(align="left", fontSize=11, dx=14).encode(text="text:N")
    return [squares, words]
