"""Marks of the picture of tiers; imports Altair, so nothing on a page imports this module."""

from __future__ import annotations

import altair as alt

from netdesign.charts import fabric_marks as shared
from netdesign.charts.authoring import finished
from netdesign.charts.fabric_marks import Sheet

HEIGHT = 480


def chart() -> alt.LayerChart:
    """The layered chart, bundles under boxes."""
    sheet = shared.sheet()
    layers = alt.LayerChart(
        layer=[
            _links(sheet),
            shared.boxes(sheet.spans("boxes"), corner=3),
            sheet.words("names").mark_text(fontSize=12).encode(tooltip=sheet.tip),
            sheet.words("numbers").mark_text(align="left", dx=10, fontSize=11),
            shared.titles(sheet),
            *shared.notes(sheet),
            *shared.key(sheet),
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


def _links(sheet: Sheet) -> alt.Chart:
    text = (
        "datum.tip + (isValid(datum.load) ? ', load ' + format(datum.load, '.0%') : '')"
        " + (datum.broken > 0 ? ', ' + datum.broken + ' broken' : '')"
    )
    rules = sheet.spans("links").transform_calculate(tip=text, hurt="datum.broken > 0")
    return shared.links(
        rules.mark_rule(strokeCap="butt").encode(
            strokeWidth=alt.StrokeWidth("width:Q", scale=None)
        ),
        broken="hurt",
        dash=(5, 3),
        opacity=0.85,
        faded=0.06,
    )
