"""Marks of the port picture; imports Altair, so nothing on a page imports this module."""

from __future__ import annotations

import altair as alt

from netdesign.charts import fabric_marks as shared
from netdesign.charts.authoring import finished
from netdesign.charts.fabric_marks import ANYBODY, PICKED, Sheet
from netdesign.charts.fabric_paint import BROKEN
from netdesign.charts.palette import BOX_LINE

HEIGHT = 580
_IS = f"{ANYBODY} || datum.device === {PICKED}.device[0]"


def chart() -> alt.LayerChart:
    """The layered chart, links under boxes under ports."""
    sheet = shared.sheet()
    layers = alt.LayerChart(
        layer=[
            _links(sheet),
            *_boxes(sheet),
            _ports(sheet),
            sheet.words("names").mark_text(fontSize=11).encode(tooltip=sheet.tip),
            shared.titles(sheet),
            *shared.notes(sheet),
            *shared.key(sheet),
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


def _links(sheet: Sheet) -> alt.Chart:
    port = "(indexof(datum.{0}_port, 'nic') === 0 ? ' ' : ' port ') + datum.{0}_port"
    text = (
        f"datum.a + {port.format('a')} + ' to ' + datum.b + {port.format('b')} + ', ' + datum.what"
        " + (isValid(datum.load) ? ', load ' + format(datum.load, '.0%') : '')"
        " + (datum.broken ? ', broken' : '')"
    )
    rules = sheet.spans("links").transform_calculate(tip=text)
    return shared.links(
        rules.mark_rule(strokeCap="butt", strokeWidth=1.2),
        broken="broken",
        dash=(4, 3),
        opacity=0.65,
        faded=0.05,
    )


def _boxes(sheet: Sheet) -> list[alt.Chart]:
    rects = sheet.spans("boxes")
    # What is broken is crossed out as well as coloured.
    gone = rects.transform_filter("datum.broken")
    outline = gone.mark_rect(fill=None, stroke=BROKEN, strokeWidth=2)
    chosen = (
        rects.transform_filter(f"isValid({PICKED}.device) && datum.device === {PICKED}.device[0]")
        .mark_rect(fill=None, stroke=shared.themed(shared.MUTED), strokeWidth=2.5, cornerRadius=2)
        .properties(name="chosen")
    )
    cross = gone.mark_rule(stroke=BROKEN, strokeWidth=2)
    return [shared.boxes(rects, corner=2), outline, cross, chosen]


def _ports(sheet: Sheet) -> alt.Chart:
    """Used ports filled with the colour of their link, empty ones hollow, spare ones pale."""
    ports: alt.Chart = (
        sheet.spans("ports")
        .transform_calculate(
            tip="datum.device + ' ' + datum.tip",
            filled="{used: 1, spare: 0.8, empty: 0}[datum.state]",
        )
        .mark_rect(strokeWidth=0.8, cursor="pointer")
        .encode(
            color=alt.Color("colour:N", scale=None),
            stroke=alt.condition("datum.state === 'used'", alt.value(None), alt.value(BOX_LINE)),
            fillOpacity=alt.FillOpacity("filled:Q", scale=None),
            opacity=alt.condition(_IS, alt.value(1), alt.value(0.35)),
        )
    )
    return ports
