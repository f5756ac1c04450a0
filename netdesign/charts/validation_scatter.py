"""Predicted against measured step times, one point a run, on two log axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from netdesign.charts.format import count, percent, seconds
from netdesign.charts.palette import BLUE, GREY, VERMILLION

if TYPE_CHECKING:
    import altair as alt

    from netdesign.performance.measurements import MeasuredRun
    from netdesign.validation.scores import Scores

OURS, FLAT, OWN = "predicted", "flat MFU", "your runs"
_FAINT = "99"  # opacity
MOST_POINTS = 2000  # of a planner's runs; more would make the picture slow


def data(scores: Scores, own: Scores | None = None) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``flat``, ``runs``, ``own`` (points), ``band`` and ``frame`` (s).

    Parameters
    ----------
    scores : Scores     of the published runs
    own : Scores        of the planner's; those without a measured time have no point
    """
    points = [*_points(scores, OURS), *(_points(own, OWN) if own else [])]
    least, most = _ends([*points, *_points(scores, FLAT)])
    low, high = typical_band(scores)
    ends = [{"x": end, "line": end, "low": end * low, "high": end * high} for end in (least, most)]
    return {
        "flat": _points(scores, FLAT),
        "runs": _points(scores, OURS),
        "own": _points(own, OWN) if own else [],
        "band": ends,
        "frame": [{"x": end, "y": end} for end in (least, most)],
    }


def typical_band(scores: Scores) -> tuple[float, float]:
    """Ends of the band over what was measured, of a run in the middle.

    The band of a prediction is (low, high) around it; seen from the measured time on the other
    axis, a prediction lies between measured / high and measured / low.
    """
    low = float(np.median(scores.predicted / scores.high))
    return low, float(np.median(scores.predicted / scores.low))


def _ends(points: list[dict[str, Any]]) -> tuple[float, float]:
    values = [point[axis] for point in points for axis in ("x", "y")]
    if not values:
        return 0.1, 100.0
    return 10.0 ** math.floor(math.log10(min(values))), 10.0 ** math.ceil(math.log10(max(values)))


def _points(scores: Scores, which: str) -> list[dict[str, Any]]:
    times = scores.flat if which == FLAT else scores.predicted
    shown = np.isfinite(scores.measured) & np.isfinite(times)
    return [
        {
            "x": _short(scores.measured[place]),
            "y": _short(times[place]),
            "which": which,
            **(_told(scores, place) if which != FLAT else _told_flat(scores, place)),
        }
        for place in np.flatnonzero(shown)[:MOST_POINTS].tolist()
    ]


def _told(scores: Scores, place: int) -> dict[str, str]:
    run = scores.candidates[place].run
    without = scores.unseen_error[place]
    unseen = f"; without its source in the fit {signed(without)}" if np.isfinite(without) else ""
    return {
        "run": f"{run.model}, {run.id}",
        "source": run.source,
        "plan": plan_words(run),
        "times": f"{seconds(scores.measured[place])} measured, "
        f"{seconds(scores.predicted[place])} predicted",
        "error": f"{signed(scores.error[place])}; band {seconds(scores.low[place])} to "
        f"{seconds(scores.high[place])}{unseen}",
    }


def _told_flat(scores: Scores, place: int) -> dict[str, str]:
    run = scores.candidates[place].run
    return {
        "run": f"{run.model}, {run.id}",
        "error": f"flat MFU {signed(scores.flat_error[place])}",
    }


def plan_words(run: MeasuredRun) -> str:
    """GPUs and plan of a run in a few words."""
    degrees = (
        ("TP", run.tensor), ("PP", run.pipeline), ("CP", run.context), ("EP", run.expert),
        ("DP", run.data),
    )  # fmt: skip
    cut = " ".join(f"{name} {degree}" for name, degree in degrees if degree > 1) or "one replica"
    sharding = f", {run.sharding}" if run.sharding else ""
    return f"{count(run.gpus)} {run.accelerator}, {cut}{sharding}, {run.precision}"


def signed(error: Any) -> str:
    """An error with its sign: +4.2 % or −3.1 %."""
    return f"{'+' if error >= 0 else '−'}{percent(abs(error))}"


def _short(value: Any) -> float:
    return float(f"{value:.4g}")


def label(scores: Scores, own: Scores | None = None) -> str:
    """The chart in one sentence."""
    error = np.abs(scores.error[scores.scored])
    flat = np.abs(scores.flat_error[scores.scored])
    more = f" {count(len(own.candidates))} of your runs are added." if own else ""
    return (
        f"Predicted against measured step time of {count(error.size)} runs: half within "
        f"{percent(np.median(error))}, nine of ten within {percent(np.quantile(error, 0.9))}; by a "
        f"flat MFU within {percent(np.median(flat))} and {percent(np.quantile(flat, 0.9))}.{more}"
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    ticks = alt.Axis(format="~g", values=[10**power for power in range(-3, 5)], grid=True)
    x = alt.X("x:Q", title="measured, s", scale=alt.Scale(type="log", nice=False), axis=ticks)
    y = alt.Y("y:Q", title="predicted, s", scale=alt.Scale(type="log", nice=False), axis=ticks)
    colour = alt.Color(
        "which:N",
        scale=alt.Scale(domain=[OURS, FLAT, OWN], range=[BLUE, f"{GREY}{_FAINT}", VERMILLION]),
        legend=alt.Legend(title=None, orient="bottom", symbolType="circle", symbolOpacity=1),
    )
    tips = [alt.Tooltip(f"{name}:N", title=name) for name in ("run", "source", "plan", "times",
                                                              "error")]  # fmt: skip
    lines = alt.Chart(dataset("band"))
    band = lines.mark_area(color=BLUE, opacity=0.13).encode(
        x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
    )
    middle = (
        lines.mark_line(strokeDash=[5, 4], strokeWidth=1.5)
        .encode(x=x, y=alt.Y("line:Q"))
        .properties(name="rule")
    )
    flat = alt.Chart(dataset("flat")).mark_point(filled=True, size=18)
    runs = alt.Chart(dataset("runs")).mark_point(filled=True, size=30, opacity=0.75)
    own = alt.Chart(dataset("own")).mark_point(
        filled=True, size=90, shape="diamond", opacity=1, stroke="white", strokeWidth=1
    )
    return finished(
        frame(x=x, y=y)
        + band
        + middle
        + flat.encode(x=x, y=y, color=colour, tooltip=[tips[0], tips[-1]])
        + runs.encode(x=x, y=y, color=colour, tooltip=tips)
        + own.encode(x=x, y=y, color=colour, tooltip=tips),
        title="How far is predicted from measured?",
        height=460,
        description="Points: runs; line: predicted as measured; shade: the 80 % band.",
        subtitle="Dashed: equal; shade: four of five runs",
    )
