"""Small or large messages: on which fabric is a collective faster? Time of A over that of B."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netdesign.charts.format import seconds, size
from netdesign.charts.palette import BLUE, BOX_LINE, GREEN, QUIET_INK, VERMILLION
from netdesign.comparison.crossover import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from netdesign.comparison.crossover import MessageCurve

LEAST, MOST = 0.9, 1.02  # of the axis, at least
_COLOURS = (BLUE, GREEN, VERMILLION)
_SIZES = [2.0**power for power in (10, 15, 20, 25, 30, 34)]
_SIZE_WORDS = (
    "datum.value < 1048576 ? format(datum.value / 1024, 'd') + ' KiB'"
    " : datum.value < 1073741824 ? format(datum.value / 1048576, 'd') + ' MiB'"
    " : format(datum.value / 1073741824, 'd') + ' GiB'"
)


def data(curves: Sequence[MessageCurve], message: float) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``lines``, ``dots``, ``even``, ``frame`` and ``words``; bytes and ratios.

    Parameters
    ----------
    curves : of MessageCurve
    message : float, bytes      where the dots are
    """
    lines, dots = [], []
    for curve in curves:
        ratios = curve.ratio
        lines += [
            {"which": curve.operation, "bytes": at, "ratio": ratio}
            for at, ratio in zip(curve.size.tolist(), np.round(ratios, 5).tolist(), strict=True)
        ]
        nearest = int(np.argmin(np.abs(np.log(curve.size / message))))
        first, second = float(curve.first_s[nearest]), float(curve.second_s[nearest])
        dots.append(
            {
                "which": curve.operation,
                "bytes": float(curve.size[nearest]),
                "ratio": round(float(ratios[nearest]), 5),
                "tip": f"{curve.operation} of {size(message)}: A {seconds(first)}, "
                f"B {seconds(second)}",
            }
        )
    values = [row["ratio"] for row in lines]
    ends = (min(LEAST, *values), max(MOST, *values))
    return {
        "lines": lines,
        "dots": dots,
        "even": [{"ratio": 1.0, "text": "equal"}],
        "frame": [{"ratio": end} for end in ends],
    }


def label(curves: Sequence[MessageCurve], message: float) -> str:
    """The chart in one sentence."""
    said = []
    for curve in curves:
        nearest = int(np.argmin(np.abs(np.log(curve.size / message))))
        said.append(f"{curve.operation} {float(curve.ratio[nearest]):.3f}")
    return f"Time on A over time on B at {size(message)}: {', '.join(said)}; below 1 A is faster."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "bytes:Q",
        title="message",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(grid=False, values=_SIZES, labelExpr=_SIZE_WORDS),
    )
    y = alt.Y(
        "ratio:Q",
        title="time on A over time on B",
        scale=alt.Scale(zero=False, nice=True),
        axis=alt.Axis(tickCount=6, format=".2f"),
    )
    which = list(OPERATIONS)
    kinds = alt.Scale(domain=which, range=list(_COLOURS))
    colour = alt.Color(
        "which:N", scale=kinds, legend=alt.Legend(title=None, orient="bottom", symbolType="stroke")
    )
    dash = alt.StrokeDash(
        "which:N",
        scale=alt.Scale(domain=which, range=[[1, 0], [6, 4], [2, 3]]),
        legend=None,
    )
    lines = (
        alt.Chart(dataset("lines"))
        .mark_line(strokeWidth=2.5)
        .encode(x=x, y=y, color=colour, strokeDash=dash)
    )
    even = alt.Chart(dataset("even")).encode(y=y)
    rule = even.mark_rule(strokeDash=[6, 3], color=BOX_LINE)
    words = even.mark_text(align="right", dx=-4, dy=-8, x="width", color=QUIET_INK).encode(
        text="text:N"
    )
    dots = (
        alt.Chart(dataset("dots"))
        .mark_point(size=90, filled=True, opacity=1, stroke="white")
        .encode(
            x=x,
            y=y,
            color=alt.Color("which:N", scale=kinds, legend=None),
            tooltip=alt.Tooltip("tip:N", title=" "),
        )
    )
    return finished(
        frame(y=y) + rule + lines + dots + words.properties(name="quiet"),
        title="Which messages feel the fabric?",
        height=260,
        description="Lines: time of a collective over all GPUs on A over that on B, by its size.",
        subtitle="Below 1 A is faster; latency decides on the left, balance on the right",
    )
