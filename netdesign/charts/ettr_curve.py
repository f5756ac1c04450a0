"""How much of the time is kept? Effective training time against the number of GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import count, percent
from netdesign.charts.palette import BLUE, ORANGE, VERMILLION

if TYPE_CHECKING:
    import altair as alt

    from netdesign.failures.by_size import SizeCurve

MODEL, SMALL = "model", "if small jobs stop as often as measured"


def data(curve: SizeCurve, gpus: int, ettr: float) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``lines``, ``today`` and ``frame``; shares of the time.

    Parameters
    ----------
    curve : SizeCurve
    gpus : int          of the job
    ettr : float        of the job
    """
    sizes = curve.gpus.tolist()
    lines = [
        {"gpus": at, "share": share, "which": MODEL}
        for at, share in zip(sizes, curve.ettr.tolist(), strict=True)
    ]
    lines += [
        {"gpus": at, "share": share, "which": SMALL}
        for at, share in zip(sizes, curve.ettr_measured.tolist(), strict=True)
        if at < curve.optimistic_below
    ]
    return {
        "lines": lines,
        "today": [{"gpus": gpus, "share": ettr, "text": str(percent(ettr))}],
        "frame": [{"gpus": sizes[0], "share": 0.0}, {"gpus": sizes[-1], "share": 1.0}],
    }


def label(curve: SizeCurve, gpus: int, ettr: float) -> str:
    """The chart in one sentence."""
    ends = f"{percent(float(curve.ettr[0]))} to {percent(float(curve.ettr[-1]))}"
    return (
        f"{count(gpus)} GPUs keep {percent(ettr)} of their time; from {count(curve.gpus[0])} to "
        f"{count(curve.gpus[-1])} GPUs it is {ends}."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "gpus:Q",
        title="GPUs",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(grid=False, format="~s", values=[2**power for power in range(3, 18, 2)]),
    )
    y = alt.Y(
        "share:Q",
        title="effective training time",
        scale=alt.Scale(zero=True, nice=False),
        axis=alt.Axis(format="~%", tickCount=5),
    )
    which = [MODEL, SMALL]
    lines = (
        alt.Chart(dataset("lines"))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "which:N",
                scale=alt.Scale(domain=which, range=[BLUE, ORANGE]),
                legend=alt.Legend(title=None, orient="top", offset=2, labelLimit=0),
            ),
            strokeDash=alt.StrokeDash(
                "which:N", scale=alt.Scale(domain=which, range=[[1, 0], [5, 3]]), legend=None
            ),
        )
    )
    today = alt.Chart(dataset("today")).encode(x=x, y=y)
    dot = today.mark_point(size=120, filled=True, opacity=1, color=VERMILLION, stroke="white")
    said = today.mark_text(dy=18, fontWeight=600).encode(text="text:N")
    return finished(
        frame(x="gpus:Q", y="share:Q") + lines + dot + said,
        title="How much of the time is kept?",
        height=240,
        description="Effective training time ratio against the number of GPUs.",
    )
