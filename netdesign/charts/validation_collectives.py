"""Predicted against measured bus bandwidth of collectives, one point a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netdesign import units
from netdesign.charts.format import count, percent
from netdesign.charts.palette import BLUE, GREY, VERMILLION
from netdesign.wording import binary_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    import altair as alt

    from netdesign.performance.collective_prediction import Case, Predictions

HEALTHY, SICK = "healthy system", "system marked as sick"
LEAST, MOST = 1e-4, 2e3  # GB/s
MOST_POINTS = 3000


def data(cases: Sequence[Case], found: Predictions) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``points`` (GB/s) and ``line``; of many cases every n-th healthy one is drawn."""
    measured = np.array([case.measured or np.nan for case in cases], dtype=float)
    predicted = units.bytes_to_gigabytes(found.bus_bandwidth)
    reached = predicted * found.time / measured
    shown = [place for place in range(len(cases)) if np.isfinite(reached[place])]
    stride = max(1, -(-len(shown) // MOST_POINTS))
    points = []
    for number, place in enumerate(shown):
        case = cases[place]
        if case.sick or number % stride == 0:
            points.append(
                {
                    "x": _within(reached[place]),
                    "y": _within(predicted[place]),
                    "which": SICK if case.sick else HEALTHY,
                    "tip": f"{case.operation} of {binary_size(case.size)} over {count(case.gpus)} "
                    f"{case.accelerator} ({case.system}): measured {reached[place]:.3g}, "
                    f"predicted {predicted[place]:.3g} GB/s",
                }
            )
    return {"points": points, "line": [{"x": LEAST, "y": LEAST}, {"x": MOST, "y": MOST}]}


def _within(value: float) -> float:
    return float(f"{min(max(value, LEAST), MOST):.3g}")


def label(cases: Sequence[Case], found: Predictions) -> str:
    """The chart in one sentence."""
    measured = np.array([case.measured or np.nan for case in cases], dtype=float)
    large = np.array([case.size >= 2**26 and not case.sick for case in cases], dtype=bool)
    error = np.abs(found.time / measured - 1)[large & np.isfinite(measured)]
    return (
        f"Predicted against measured bus bandwidth of {count(len(cases))} calls; from 64 MiB on "
        f"healthy systems half are within {percent(np.median(error))}. Sick systems lie far left "
        "of the line: measured far below the prediction."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished

    axis = alt.Axis(format="~g", values=[10**power for power in range(-4, 4)])
    scale = alt.Scale(type="log", domain=[LEAST, MOST], nice=False)
    x = alt.X("x:Q", title="measured, GB/s", scale=scale, axis=axis)
    y = alt.Y("y:Q", title="predicted, GB/s", scale=scale, axis=axis)
    points = (
        alt.Chart(dataset("points"))
        .mark_point(filled=True, size=14)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "which:N",
                scale=alt.Scale(domain=[HEALTHY, SICK], range=[f"{BLUE}80", VERMILLION]),
                legend=alt.Legend(title=None, orient="bottom", symbolType="circle"),
            ),
            shape=alt.Shape(
                "which:N",
                scale=alt.Scale(domain=[HEALTHY, SICK], range=["circle", "triangle-up"]),
                legend=None,
            ),
            tooltip=alt.Tooltip("tip:N", title=" "),
        )
    )
    line = (
        alt.Chart(dataset("line"))
        .mark_line(strokeDash=[5, 4], strokeWidth=1.5, color=GREY)
        .encode(x=x, y=y)
    )
    return finished(
        line + points,
        title="Do collectives run as predicted?",
        height=420,
        description="Points: measured calls; line: predicted as measured.",
        subtitle="Bus bandwidth; left of the line: slower than predicted",
    )
