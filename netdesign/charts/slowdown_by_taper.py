"""What does a taper do to each collective? Slow-down by formula, and where the built graph is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from netdesign.charts.format import digits, ratio
from netdesign.charts.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, WINE
from netdesign.charts.scales import nice_ceiling

if TYPE_CHECKING:
    import altair as alt

    from netdesign.congestion.sweep import TaperCurve

_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, SKY, WINE, GREY)
_DASHES = ([1, 0], [7, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3], [3, 5])
MOST = len(_COLOURS)


def data(
    curves: Sequence[TaperCurve], taper: float, built: Sequence[tuple[float, int, float]] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``lines``, ``dots``, ``today`` and ``frame``.

    Parameters
    ----------
    curves : sequence of TaperCurve         those beyond the seventh are left out
    taper : float                           as set
    built : tuples of taper, curve, slow-down on the built graph; at other tapers
    """
    shown = curves[:MOST]
    lines = [
        {"place": place, "taper": at, "slow": round(slow, 4), "what": curve.name}
        for place, curve in enumerate(shown)
        for at, slow in zip(curve.taper.tolist(), curve.slowdown.tolist(), strict=True)
        if at == int(at)
    ]
    dots = [
        _dot(place, curve.name, *curve.today, "as set")
        for place, curve in enumerate(shown)
        if curve.today is not None and math.isfinite(curve.today[1])
    ]
    dots += [
        _dot(place, shown[place].name, at, slow, "built")
        for at, place, slow in built
        if place < len(shown) and math.isfinite(slow)
    ]
    highest = max([1.0, *(dot["slow"] for dot in dots), *(line["slow"] for line in lines)])
    return {
        "lines": lines,
        "dots": dots,
        "today": [{"taper": taper, "text": ratio(taper)}],
        "frame": [{"slow": nice_ceiling(highest)}],
    }


def _dot(place: int, name: str, at: float, slow: float, which: str) -> dict[str, Any]:
    tip = f"{name} at {ratio(at)}, {which}: {digits(slow)} times as long"
    return {"place": place, "taper": at, "slow": round(slow, 4), "which": which, "tip": tip}


def label(curves: Sequence[TaperCurve], taper: float, *_rest: Any) -> str:
    """The chart in one sentence."""
    said = "; ".join(
        f"{curve.name} {digits(curve.today[1])} times" for curve in curves if curve.today
    )
    return f"Slow-down against the taper; at {ratio(taper)} on the built graph: {said}."


def keys(curves: Sequence[TaperCurve]) -> tuple[tuple[str, str], ...]:
    """Name and colour of each line."""
    return tuple((curve.name, colour) for curve, colour in zip(curves, _COLOURS, strict=False))


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "taper:Q",
        title="taper at the leaf, down : up",
        scale=alt.Scale(type="log", base=2, domain=[1, 16], nice=False),
        axis=alt.Axis(grid=False, values=[1, 2, 4, 8, 16], labelExpr="datum.value + ' : 1'"),
    )
    y = alt.Y(
        "slow:Q",
        title="times as long as host ports alone",
        scale=alt.Scale(zero=True, nice=False),
        axis=alt.Axis(tickCount=5),
    )
    colour = alt.Color(
        "place:O",
        scale=alt.Scale(domain=list(range(MOST)), range=list(_COLOURS)),
        legend=None,
    )
    lines = _lines(x, y, colour)
    dots = (
        alt.Chart(dataset("dots"))
        .mark_point(filled=True, opacity=1, stroke="white")
        .encode(
            x=x,
            y=y,
            color=colour,
            size=alt.Size(
                "which:N",
                scale=alt.Scale(domain=["as set", "built"], range=[150, 45]),
                legend=None,
            ),
            tooltip=alt.Tooltip("tip:N", title=" "),
        )
    )
    today = alt.Chart(dataset("today")).encode(x=x)
    rule = today.mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
    return finished(
        frame(y="slow:Q") + rule + lines + dots,
        title="What does a taper cost each collective?",
        subtitle="Lines: formula of the taper; large dots: the graph as built; small: other tapers",
        height=280,
        description="Slow-down of each collective against the taper at the leaf.",
    )


def _lines(x: alt.X, y: alt.Y, colour: alt.Color) -> alt.Chart:
    import altair as alt

    from netdesign.charts.authoring import dataset

    lines: alt.Chart = (
        alt.Chart(dataset("lines"))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=x,
            y=y,
            color=colour,
            strokeDash=alt.StrokeDash(
                "place:O",
                scale=alt.Scale(domain=list(range(MOST)), range=list(_DASHES)),
                legend=None,
            ),
            tooltip=[alt.Tooltip("what:N", title=" "), alt.Tooltip("slow:Q", format=".2f")],
        )
    )
    return lines
