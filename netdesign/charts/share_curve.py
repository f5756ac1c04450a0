"""How much network is enough? Share of the step lost to communication, against bandwidth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from netdesign import units
from netdesign.charts.format import bandwidth, percent
from netdesign.charts.palette import BLUE, BOX_LINE, GREEN, QUIET_INK, VERMILLION

if TYPE_CHECKING:
    import altair as alt

    from netdesign.evaluate import Evaluation

LOWEST_GBPS, HIGHEST_GBPS = 10.0, 10_000.0
LEFT_NEEDS_GBPS = 40.0  # from here on the curve leaves room at the left end of the budget line
BELOW_NEEDS = 0.09  # share of the height that words below the budget line take
GIVEN, NEEDED = "given", "needed"
KEY_PLACES = {GIVEN: 6, NEEDED: 160}
KEY_HEIGHT = -14
_STEPS = (0.1, 0.2, 0.3, 0.5, 1.0)


def _gbps(value: Any) -> float:
    return min(max(units.bytes_per_second_to_gbps(float(value)), LOWEST_GBPS), HIGHEST_GBPS)


def data(evaluation: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``curve``, ``points``, ``target`` and ``frame``; Gb/s and shares of the step."""
    need = evaluation.requirement
    target, reached = float(need.communication_share), float(need.share_reached)
    top = next((s for s in _STEPS if 1.6 * max(target, reached) <= s), 1.0)
    curve = [
        {"gbps": units.bytes_per_second_to_gbps(b), "share": s}
        for b, s in need.bandwidth_curve
        if LOWEST_GBPS <= units.bytes_per_second_to_gbps(b) <= HIGHEST_GBPS and s <= top
    ]
    needed = need.bandwidth_per_gpu
    points = [_point(GIVEN, evaluation.machine.network_bandwidth, reached, top)]
    if 0 < float(needed) < math.inf:
        points.append(_point(NEEDED, needed, target, top))
    below = _gbps(needed) > LEFT_NEEDS_GBPS and target > BELOW_NEEDS * top
    return {
        "curve": curve,
        "points": points,
        "target": [{"share": target, "text": f"budget {percent(target)}", "below": below}],
        "frame": [{"share": top}],
    }


def _point(which: str, at: Any, share: float, top: float) -> dict[str, Any]:
    text = f"{which} {bandwidth(at)}"
    return {
        "which": which,
        "gbps": _gbps(at),
        "share": min(share, top),
        "text": text,
        "tip": f"{text}: {percent(share)} of the step lost to communication",
    }


def label(evaluation: Evaluation) -> str:
    """The chart in one sentence."""
    need = evaluation.requirement
    sentence = (
        f"With {bandwidth(evaluation.machine.network_bandwidth)} per GPU, "
        f"{percent(need.share_reached)} of the step is lost to communication"
    )
    if not math.isfinite(float(need.bandwidth_per_gpu)):
        return f"{sentence}; no bandwidth reaches {percent(need.communication_share)}."
    return (
        f"{sentence}; {percent(need.communication_share)} needs "
        f"{bandwidth(need.bandwidth_per_gpu)} per GPU."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "gbps:Q",
        title="Gb/s per GPU, one direction",
        scale=alt.Scale(type="log", domain=[LOWEST_GBPS, HIGHEST_GBPS], nice=False, clamp=True),
        axis=alt.Axis(
            values=[10, 25, 50, 100, 200, 400, 800, 1600, 3200, 10000],
            format=",d",
            labelSeparation=1,
        ),
    )
    y = alt.Y(
        "share:Q",
        title="share of the step",
        scale=alt.Scale(zero=True, nice=False),
        axis=alt.Axis(format="~%", tickCount=5),
    )
    line = alt.Chart(dataset("curve")).mark_line(strokeWidth=2.5, color=BLUE).encode(x=x, y=y)
    target = alt.Chart(dataset("target"))
    rule = target.mark_rule(strokeDash=[6, 3], strokeWidth=1.5, color=BOX_LINE).encode(y="share:Q")
    points = alt.Chart(dataset("points")).encode(x=x, y=y)
    kinds = alt.Scale(domain=[GIVEN, NEEDED], range=[VERMILLION, GREEN])
    shapes = alt.Scale(domain=[GIVEN, NEEDED], range=["circle", "diamond"])
    marks = {
        "color": alt.Color("which:N", scale=kinds, legend=None),
        "shape": alt.Shape("which:N", scale=shapes, legend=None),
    }
    dots = points.mark_point(size=110, filled=True, opacity=1, stroke="white").encode(
        **marks, tooltip=alt.Tooltip("tip:N", title=" ")
    )
    layers = frame(y="share:Q") + line + rule + dots
    for below in (True, False):
        budget = target.transform_filter(f"datum.below === {str(below).lower()}").mark_text(
            align="left" if below else "right",
            dx=6 if below else -6,
            dy=10 if below else -8,
            x=0 if below else "width",
            color=QUIET_INK,
        )
        words = budget.encode(y="share:Q", text="text:N")
        layers += words.properties(name="quiet_below" if below else "quiet_above")
    for which, place in KEY_PLACES.items():
        one = alt.Chart(dataset("points")).transform_filter(f"datum.which === '{which}'")
        layers += one.mark_point(x=place, y=KEY_HEIGHT, size=90, filled=True, opacity=1).encode(
            **marks
        )
        layers += one.mark_text(
            x=place + 11, y=KEY_HEIGHT, align="left", baseline="middle", fontWeight=600
        ).encode(text="text:N")
    return finished(
        layers,
        title="How much network is enough?",
        height=204,
        description="Line: share of the step lost to exposed communication against bandwidth.",
    )
