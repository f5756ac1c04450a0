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
LEFT_NEEDS_GBPS, RIGHT_NEEDS_GBPS = 120.0, 1_000.0
GIVEN, NEEDED = "given", "needed"
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
    given = evaluation.machine.network_bandwidth
    needed = need.bandwidth_per_gpu
    points = [_point(GIVEN, given, reached, top, left=bool(needed > given))]
    if math.isfinite(float(needed)):
        points.append(_point(NEEDED, needed, target, top, left=bool(needed <= given)))
    return {
        "curve": curve,
        "points": points,
        "target": [{"share": target, "text": f"budget {percent(target)}"}],
        "frame": [{"share": top}],
    }


def _point(which: str, at: Any, share: float, top: float, *, left: bool) -> dict[str, Any]:
    """A point with its words on the side that the other point leaves free."""
    text = f"{which} {bandwidth(at)}"
    gbps = _gbps(at)
    room = gbps > LEFT_NEEDS_GBPS if left else gbps < RIGHT_NEEDS_GBPS
    return {
        "which": which,
        "gbps": gbps,
        "share": min(share, top),
        "text": text,
        "tip": f"{text}: {percent(share)} of the step lost to communication",
        "below": which == NEEDED,
        "left": left if room else not left,
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
        axis=alt.Axis(values=[10, 25, 50, 100, 200, 400, 800, 1600, 3200, 10000], format=",d"),
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
    words = (
        target.mark_text(align="left", dx=6, dy=-7, x=0, color=QUIET_INK)
        .encode(y="share:Q", text="text:N")
        .properties(name="quiet")
    )
    points = alt.Chart(dataset("points")).encode(x=x, y=y)
    kinds = alt.Scale(domain=[GIVEN, NEEDED], range=[VERMILLION, GREEN])
    shapes = alt.Scale(domain=[GIVEN, NEEDED], range=["circle", "diamond"])
    dots = points.mark_point(size=110, filled=True, opacity=1, stroke="white").encode(
        color=alt.Color("which:N", scale=kinds, legend=None),
        shape=alt.Shape("which:N", scale=shapes, legend=None),
        tooltip=alt.Tooltip("tip:N", title=" "),
    )
    layers = frame(y="share:Q") + line + rule + words + dots
    for left in (False, True):
        for below in (False, True):
            layers += (
                points.transform_filter(
                    f"datum.left === {str(left).lower()} && datum.below === {str(below).lower()}"
                )
                .mark_text(
                    align="right" if left else "left",
                    dx=-10 if left else 10,
                    dy=16 if below else -14,
                    fontWeight=600,
                )
                .encode(text="text:N")
            )
    return finished(
        layers,
        title="How much network is enough?",
        height=220,
        description="Line: share of the step lost to exposed communication against bandwidth.",
    )
