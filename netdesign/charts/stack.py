"""One bar cut into named parts: what the step-time and memory pictures share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from netdesign.charts.palette import PART_COLOURS, ink_on

if TYPE_CHECKING:
    import altair as alt

LETTER_PIXELS = 7


class Part(NamedTuple):
    """One part of a bar: its key gives the colour, ``value`` the length, ``said`` the number."""

    key: str
    name: str
    value: float
    said: str


def stacked(parts: Iterable[Part], row: str, limit: float) -> list[dict[str, Any]]:
    """Rows of one bar, parts end to end; ``limit`` is the end of the axis."""
    rows, start = [], 0.0
    for part in parts:
        if part.value <= 0:
            continue
        colour = PART_COLOURS[part.key]
        rows.append(
            {
                "row": row,
                "x0": start,
                "x1": start + part.value,
                "middle": start + part.value / 2,
                "limit": limit,
                "colour": colour,
                "ink": ink_on(colour),
                "text": part.name,
                "said": part.said,
                "tip": f"{part.name}: {part.said}",
            }
        )
        start += part.value
    return rows


def stack_layers(x_title: str, rows: list[str] | None, height: int) -> alt.LayerChart:
    """Bars with names and numbers inside the parts that are wide enough for them."""
    import altair as alt

    from netdesign.charts.authoring import category_axis, dataset

    x = alt.X("x0:Q", title=x_title, axis=alt.Axis(tickCount=6), scale=alt.Scale(nice=False))
    y = alt.Y("row:N", title=None, sort=rows, axis=category_axis() if rows else None)
    base = alt.Chart(dataset("parts"))
    bars = base.mark_bar(height=height, strokeWidth=1.5, stroke="white").encode(
        x=x,
        x2="x1:Q",
        y=y,
        color=alt.Color("colour:N", scale=None),
        tooltip=alt.Tooltip("tip:N", title=" "),
    )
    layers = [bars.properties(name="cut")]
    letters = "(1 + max(length(datum.text), length(datum.said)))"
    fits = f"(datum.x1 - datum.x0) / datum.limit * width > {LETTER_PIXELS} * {letters}"
    weights: tuple[Literal[600, 400], ...] = (600, 400)
    for field, shift, weight in zip(("text", "said"), (-8, 8), weights, strict=True):
        words = base.mark_text(dy=shift, fontWeight=weight).encode(
            x="middle:Q",
            y=y,
            text=f"{field}:N",
            color=alt.Color("ink:N", scale=None),
            opacity=alt.when(fits).then(alt.value(1)).otherwise(alt.value(0)),
        )
        layers.append(words)
    return cast("alt.LayerChart", alt.layer(*layers))
