"""Errors of the prediction by the groups of one cut, those of a flat MFU beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netdesign.charts.format import count, percent
from netdesign.charts.palette import BLUE, GREY
from netdesign.charts.validation_scatter import plan_words, signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from netdesign.validation.scores import Scores

    Cuts = Sequence[tuple[str, Sequence[tuple[str, Sequence[int]]]]]

OURS, FLAT = "predicted", "flat MFU"
LEAST, MOST = 0.25, 4.0  # ratios at the ends of the axis; what is beyond stands there
STEP = 30
_HEAD = ":"  # ends the row that names a cut
_TICKS = (0.25, 0.5, 0.8, 1, 1.25, 2, 4)


def data(scores: Scores, cuts: Cuts) -> dict[str, list[Any]]:
    """Data sets ``rows`` (in order), ``ranges`` (eight of ten runs) and ``outside`` (the others).

    Parameters
    ----------
    scores : Scores
    cuts : (title, groups)      each group is a name and the places of its runs in ``scores``
    """
    rows: list[dict[str, Any]] = []
    ranges: list[dict[str, Any]] = []
    outside: list[dict[str, Any]] = []
    for title, groups in cuts:
        rows.append({"name": f"{title}{_HEAD}", "which": OURS, "one": 1})
        for name, places in groups:
            row = f"{name} ({count(len(places))})"
            rows.append({"name": row, "which": OURS, "one": 1})
            for which, errors in ((OURS, scores.error), (FLAT, scores.flat_error)):
                low, middle, high = np.quantile(1 + errors[list(places)], (0.1, 0.5, 0.9)).tolist()
                ranges.append(_range(row, which, low, middle, high))
                if which == OURS:
                    outside += _outside(scores, row, places, low, high)
    return {"rows": rows, "ranges": ranges, "outside": outside}


def _range(row: str, which: str, low: float, middle: float, high: float) -> dict[str, Any]:
    return {
        "name": row,
        "which": which,
        "low": _within(low),
        "middle": _within(middle),
        "high": _within(high),
        "tip": f"{row}, {which}: eight of ten runs from {signed(low - 1)} to {signed(high - 1)}, "
        f"half above {signed(middle - 1)}",
    }


def _outside(
    scores: Scores, row: str, places: Sequence[int], low: float, high: float
) -> list[dict[str, Any]]:
    found = []
    for place in places:
        ratio = 1 + float(scores.error[place])
        if not low <= ratio <= high:
            run = scores.candidates[place].run
            tip = f"{run.model}, {run.id}: {signed(ratio - 1)}; {plan_words(run)}"
            found.append({"name": row, "which": OURS, "x": _within(ratio), "tip": tip})
    return found


def _within(ratio: float) -> float:
    return float(f"{min(max(ratio, LEAST), MOST):.4g}")


def label(scores: Scores, cuts: Cuts) -> str:
    """The chart in one sentence."""
    said = "; ".join(
        f"{name} {percent(np.median(np.abs(scores.error[list(places)])))}"
        f" against {percent(np.median(np.abs(scores.flat_error[list(places)])))}"
        for _, groups in cuts
        for name, places in groups
    )
    return f"Median error, ours against a flat MFU: {said}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished

    words = " : ".join(f"datum.value == {tick:g} ? '{_said(tick)}'" for tick in _TICKS)
    axis = alt.Axis(values=list(_TICKS), labelExpr=f"{words} : ''", grid=True)
    scale = alt.Scale(type="log", domain=[LEAST, MOST], nice=False)
    rows = _rows_of_the_picture()
    colour = alt.Color(
        "which:N",
        scale=alt.Scale(domain=[OURS, FLAT], range=[BLUE, GREY]),
        legend=alt.Legend(title=None, orient="bottom"),
    )
    tip = alt.Tooltip("tip:N", title=" ")
    base = alt.Chart(dataset("ranges"))
    bars = base.mark_bar(height=8, cornerRadius=2, opacity=0.75).encode(
        x=alt.X("low:Q", title="predicted over measured", scale=scale, axis=axis),
        x2="high:Q",
        color=colour,
        tooltip=tip,
        **rows,
    )
    middles = (
        base.mark_tick(thickness=3, height=12, color="#10151b")
        .encode(x=alt.X("middle:Q", scale=scale), tooltip=tip, **rows)
        .properties(name="middle")
    )
    outside = (
        alt.Chart(dataset("outside"))
        .mark_point(filled=True, size=16, opacity=0.7)
        .encode(x=alt.X("x:Q", scale=scale), color=colour, tooltip=tip, **rows)
    )
    order = alt.Chart(dataset("rows")).mark_point(opacity=0, size=0)
    middle = (
        alt.Chart(dataset("rows"))
        .transform_aggregate(rows="count()")
        .mark_rule(strokeWidth=1, strokeDash=[5, 4])
        .encode(x=alt.XDatum(1, type="quantitative"))
        .properties(name="rule")
    )
    return finished(
        order.encode(x=alt.X("one:Q", scale=scale), **rows) + middle + bars + middles + outside,
        title="Where is it wrong?",
        height=alt.Step(STEP, **{"for": "position"}),
        description="Bars: eight of ten runs; ticks: the middle run; points: runs beyond.",
        subtitle="Bars: eight of ten runs; ticks: the middle",
    )


def _rows_of_the_picture() -> dict[str, Any]:
    """The channels of a row: groups below each other, the names of cuts bold."""
    import altair as alt

    bold = alt.when(f"indexof(datum.value, '{_HEAD}') > 0").then(alt.value("bold"))
    axis = alt.Axis(
        domain=False,
        ticks=False,
        grid=False,
        labelLimit=190,
        labelPadding=8,
        labelFontWeight=bold.otherwise(alt.value("normal")),
    )
    return {
        "y": alt.Y("name:N", title=None, sort=None, axis=axis),
        "yOffset": alt.YOffset("which:N", sort=[OURS, FLAT]),
    }


def _said(ratio: float) -> str:
    return "0" if ratio == 1 else f"{'+' if ratio > 1 else '−'}{abs(ratio - 1) * 100:.0f} %"
