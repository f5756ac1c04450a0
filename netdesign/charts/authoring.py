"""What every builder shares; imports Altair, so nothing on a page imports this module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt


def dataset(name: str) -> alt.NamedData:
    """A data set that the page fills."""
    return alt.NamedData(name=name)


def order(names: Iterable[str]) -> list[str]:
    """A fixed order of categories, so that rows keep their place."""
    return list(names)


def frame(**channels: Any) -> alt.Chart:
    """An invisible point at the end of an axis, so that it moves in round steps."""
    points: alt.Chart = alt.Chart(dataset("frame")).mark_point(opacity=0, size=0)
    framed: alt.Chart = points.encode(**channels)
    return framed


def category_axis() -> alt.Axis:
    """A category axis without lines: the names stand beside their bars."""
    return alt.Axis(domain=False, ticks=False, grid=False, labelLimit=150, labelPadding=8)


def finished(
    chart: alt.LayerChart,
    *,
    title: str,
    height: int | alt.Step,
    description: str,
    subtitle: str | None = None,
) -> alt.LayerChart:
    """Size, title, description and the configuration that light and dark share."""
    heading = alt.Title(title) if subtitle is None else alt.Title(title, subtitle=subtitle)
    done: alt.LayerChart = (
        chart.properties(width="container", height=height, title=heading, description=description)
        .configure(autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        .configure_view(stroke=None)
        .configure_axis(
            labelFontSize=12,
            labelSeparation=14,
            titleFontSize=12,
            titleFontWeight="normal",
            titlePadding=8,
        )
        .configure_title(anchor="start", fontSize=14, fontWeight=600, offset=10, frame="bounds")
        .configure_legend(labelFontSize=12, symbolType="square")
        .configure_text(fontSize=12)
    )
    return done
