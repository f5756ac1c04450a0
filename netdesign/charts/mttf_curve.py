"""How long until something stops the job? Mean time to failure against the number of GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import count, digits
from netdesign.charts.palette import BLUE, ORANGE, VERMILLION
from netdesign.units import seconds_to_hours

if TYPE_CHECKING:
    import altair as alt

    from netdesign.failures.by_size import SizeCurve

TODAY, MEASURED = "this job", "measured, RSC-1"


def data(curve: SizeCurve, gpus: int, mttf_s: float) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``lines``, ``points``, ``small`` and ``frame``; hours.

    Parameters
    ----------
    curve : SizeCurve
    gpus : int          of the job
    mttf_s : float      of the job
    """
    hours = [float(seconds_to_hours(value)) for value in curve.mttf_s.tolist()]
    sizes = curve.gpus.tolist()
    measured = float(seconds_to_hours(curve.measured_mttf_s))
    own = float(seconds_to_hours(mttf_s))
    return {
        "lines": [
            {"gpus": at, "hours": hour, "small": at < curve.optimistic_below}
            for at, hour in zip(sizes, hours, strict=True)
        ],
        "points": [
            {"gpus": gpus, "hours": own, "which": TODAY, "text": f"{digits(own)} h"},
            {
                "gpus": curve.measured_gpus,
                "hours": measured,
                "which": MEASURED,
                "text": f"measured {digits(measured)} h",
            },
        ],
        "small": [
            {
                "from": sizes[0],
                "to": curve.optimistic_below,
                "text": f"optimistic below {count(curve.optimistic_below)}",
            }
        ],
        "frame": [{"gpus": sizes[0], "hours": 0.2}, {"gpus": sizes[-1], "hours": 10_000}],
    }


def label(curve: SizeCurve, gpus: int, mttf_s: float) -> str:
    """The chart in one sentence."""
    return (
        f"{count(gpus)} GPUs run {digits(seconds_to_hours(mttf_s))} h on average before something "
        f"stops them; below {count(curve.optimistic_below)} GPUs the model is optimistic: "
        f"{count(curve.measured_gpus)} were measured at "
        f"{digits(seconds_to_hours(curve.measured_mttf_s))} h."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "gpus:Q",
        title="GPUs",
        scale=alt.Scale(type="log", base=2, nice=False, clamp=True),
        axis=alt.Axis(grid=False, format="~s", values=[2**power for power in range(3, 18, 2)]),
    )
    y = alt.Y(
        "hours:Q",
        title="mean time to failure, h",
        scale=alt.Scale(type="log", nice=False, clamp=True),
        axis=alt.Axis(values=[0.1, 1, 10, 100, 1000, 10_000], format=",~r"),
    )
    small = alt.Chart(dataset("small"))
    shade = small.mark_rect(opacity=0.14, color=ORANGE).encode(x=alt.X("from:Q"), x2="to:Q")
    words = small.mark_text(align="right", baseline="top", dx=-6, dy=6).encode(
        x=alt.X("to:Q"), y=alt.value(0), text="text:N"
    )
    lines = alt.Chart(dataset("lines")).mark_line(strokeWidth=2.5, color=BLUE).encode(x=x, y=y)
    points = alt.Chart(dataset("points")).encode(x=x, y=y)
    which = [TODAY, MEASURED]
    dots = points.mark_point(size=120, filled=True, opacity=1, stroke="white").encode(
        color=alt.Color(
            "which:N",
            scale=alt.Scale(domain=which, range=[VERMILLION, ORANGE]),
            legend=alt.Legend(title=None, orient="top", offset=2),
        ),
        shape=alt.Shape(
            "which:N", scale=alt.Scale(domain=which, range=["circle", "diamond"]), legend=None
        ),
        tooltip=alt.Tooltip("text:N", title=" "),
    )
    return finished(
        frame(x="gpus:Q", y="hours:Q") + shade + lines + dots + words,
        title="How long until something stops the job?",
        height=240,
        description="Mean time to failure of a job against its number of GPUs.",
    )
