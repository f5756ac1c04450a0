"""How cheap must fabric B be? The winner line in discount and exposed share, and today's point."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from netdesign.charts.format import percent
from netdesign.charts.palette import BLUE, GREY, QUIET_INK, VERMILLION

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from netdesign.comparison.crossover import ExposureCase, ExposureLine

THIS = "this design"
LINES = (THIS, "1 tier", "2 tiers", "3 tiers")
_TOPS = (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
_WIDTHS = (0.05, 0.1, 0.2, 0.3, 0.6, 1.0, 2.0)  # of an axis, to either side of 0
_ROOM = 1.6  # beyond today's point
_SHOWN = 5e-4  # a smaller share would be said as 0.0 %
_WINNERS = MappingProxyType(
    {"first": "so A wins", "second": "so B wins", "same": "too close to call"}
)


def data(
    lines: Sequence[ExposureLine], case: ExposureCase, discount: float
) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``lines``, ``today``, ``words`` and ``frame``; shares.

    Parameters
    ----------
    lines : of ExposureLine
    case : ExposureCase     today's exposed share, or the one asked for
    discount : float        of fabric B, below 0 dearer; not a number where a price is missing
    """
    top = next((top for top in _TOPS if _ROOM * case.exposed <= top), 1.0)
    dearest, widest = _width(lines, case, discount)
    today = []
    if math.isfinite(discount):
        at = min(max(discount, dearest), widest)
        today = [{"d": at, "c": min(case.exposed, 1.0), "tip": _today(case, discount)}]
    return {
        "lines": [row for line in lines for row in _within(line, top, (dearest, widest))],
        "today": today,
        "words": [{"text": _said(lines)}],
        "frame": [{"d": dearest, "c": 0.0}, {"d": widest, "c": top}],
    }


def _width(
    lines: Sequence[ExposureLine], case: ExposureCase, discount: float
) -> tuple[float, float]:
    """Ends of the axis: today's discount and the discount that it would take have room."""
    needed = [discount] if math.isfinite(discount) else []
    for line in lines:
        if line.name == THIS and math.isfinite(line.exposed[-1]) and line.exposed[-1]:
            needed.append(case.exposed * float(line.discount[-1] / line.exposed[-1]))
    lowest, highest = min(needed, default=0.0), max(needed, default=0.0)
    return -_room(-lowest) if lowest < 0 else 0.0, min(_room(highest), 1.0)


def _room(needed: float) -> float:
    return next((width for width in _WIDTHS if _ROOM * needed <= width), _WIDTHS[-1])


def _within(line: ExposureLine, top: float, ends: tuple[float, float]) -> list[dict[str, Any]]:
    """The two ends of a line, which begins at the origin; nothing where B is as fast."""
    last, reach = float(line.exposed[-1]), float(line.discount[-1])
    if math.isnan(last):
        return []
    widest = ends[0] if reach < 0 else ends[1]
    end = widest if not last or abs(widest) <= abs(top * reach / last) else top * reach / last
    return [
        {"which": line.name, "d": 0.0, "c": 0.0},
        {"which": line.name, "d": end, "c": last * end / reach if reach else 0.0},
    ]


def _said(lines: Sequence[ExposureLine]) -> str:
    if any(math.isfinite(line.exposed[-1]) for line in lines):
        return "Left of a line A wins, right of it B"
    return "B is as fast as A: it wins whenever it is cheaper"


def label(lines: Sequence[ExposureLine], case: ExposureCase, discount: float) -> str:
    """The chart in one sentence."""
    own = next((line for line in lines if line.name == THIS), None)
    if own is None or math.isnan(discount):
        return "No price, so no line divides the winners."
    said = _today(case, discount)
    return f"{said[:1].upper()}{said[1:]}, {_WINNERS.get(case.winner, 'so nobody wins')}."


def _today(case: ExposureCase, discount: float) -> str:
    """Price, exposure, loss and what pays for it."""
    price = "B costs the same"
    if abs(discount) >= _SHOWN:
        price = f"B is {percent(abs(discount))} {'dearer' if discount < 0 else 'cheaper'}"
    speed = "it is as fast"
    if abs(case.loss) >= _SHOWN:
        verb = "loses" if case.loss > 0 else "gains"
        speed = f"it {verb} {percent(abs(case.loss))}"
    paid = "its price pays for no loss"
    if case.affordable >= _SHOWN:
        paid = f"its price pays for {percent(case.affordable)}"
    elif case.affordable <= -_SHOWN:
        paid = f"must gain {percent(-case.affordable)}"
    return f"{price} and {percent(case.exposed)} of the step is exposed: {speed} and {paid}"


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "d:Q",
        title="discount of fabric B; below 0 it is dearer",
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(grid=False, format=".0%", tickCount=7),
    )
    y = alt.Y(
        "c:Q",
        title="exposed share of the step",
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(format="~%", tickCount=5),
    )
    lines = (
        alt.Chart(dataset("lines"))
        .mark_line()
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "which:N",
                scale=alt.Scale(domain=list(LINES), range=[BLUE, GREY, GREY, GREY]),
                legend=alt.Legend(title=None, orient="bottom", symbolType="stroke"),
            ),
            strokeDash=alt.StrokeDash(
                "which:N",
                scale=alt.Scale(domain=list(LINES), range=[[1, 0], [2, 3], [6, 4], [8, 3, 2, 3]]),
                legend=None,
            ),
            strokeWidth=alt.condition(alt.datum.which == THIS, alt.value(3), alt.value(2)),
        )
    )
    today = (
        alt.Chart(dataset("today"))
        .mark_point(size=130, filled=True, opacity=1, color=VERMILLION, stroke="white")
        .encode(x=x, y=y, tooltip=alt.Tooltip("tip:N", title=" "))
    )
    words = (
        alt.Chart(dataset("words"))
        .mark_text(align="left", baseline="bottom", dy=-4, color=QUIET_INK)
        .encode(x=alt.value(0), y=alt.value(0), text="text:N")
        .properties(name="quiet")
    )
    return finished(
        frame(x=x, y=y) + lines + today + words,
        title="How cheap must fabric B be?",
        height=260,
        description="Lines: exposed share at which the saving pays for the loss; dot: this design.",
        subtitle="Line: p = s·d of this design; grey: of published bills",
    )
