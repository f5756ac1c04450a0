"""How much does one slow link cost? Time of the all-reduce against the rate of that link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from netdesign.charts.format import SPACE, digits, percent
from netdesign.charts.palette import BLUE, ORANGE, VERMILLION
from netdesign.network.slow_link import SlowRing

if TYPE_CHECKING:
    import altair as alt

LOWEST_SHARE = 0.05
RING, AVERAGE = "the ring", "if the average counted"
GUESS, NOW = "your guess", "now"
_TOP = 32  # times the healthy time: the axis ends there, whatever the slider says
_SHARES = np.unique(np.concatenate([np.linspace(LOWEST_SHARE, 1.0, 39), [0.5]]))


def data(
    ring: SlowRing, guess: tuple[float, float] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``curves``, ``names``, ``points`` and ``frame``; shares and seconds.

    ``guess`` is what the reader said: the rate of the slow link and the seconds.
    """
    low, high = _ends(ring)
    lines = {RING: ring.times(_SHARES), AVERAGE: ring.times_at_average(_SHARES)}
    curves = [
        {"which": name, "share": float(share), "seconds": float(time)}
        for name, times in lines.items()
        for share, time in zip(_SHARES, np.broadcast_to(times, _SHARES.shape), strict=True)
    ]
    names = [
        {"text": RING, "share": 0.2, "seconds": float(ring.times(0.2))},
        {
            "text": "at the average",
            "share": LOWEST_SHARE,
            "seconds": float(ring.times_at_average(LOWEST_SHARE)),
        },
    ]
    text = f"{percent(ring.slow_share)}: {_seconds(ring.time)}"
    points = [_point(NOW, ring.slow_share, ring.time, text, low, high)]
    if guess is not None:
        said = f"guess: {_seconds(guess[1])}"
        points.append(_point(GUESS, *guess, said, low, high))
    return {
        "curves": curves,
        "names": names,
        "points": points,
        "frame": [{"seconds": low}, {"seconds": high}],
    }


def _seconds(value: float) -> str:
    return f"{digits(value)}{SPACE}s"


def _ends(ring: SlowRing) -> tuple[float, float]:
    return 0.5 * ring.healthy_time, _TOP * ring.healthy_time


def _point(
    which: str, share: float, time: float, text: str, low: float, high: float
) -> dict[str, Any]:
    return {
        "which": which,
        "colour": VERMILLION if which == GUESS else BLUE,
        "share": share,
        "seconds": min(max(time, low), high),
        "text": text,
        "left": share > 0.55,
        "below": which == GUESS,
    }


def label(ring: SlowRing, guess: tuple[float, float] | None = None) -> str:
    """The chart in one sentence."""
    said = f" You guessed {_seconds(guess[1])}." if guess else ""
    return (
        f"With one of {ring.ranks:,} links at {percent(ring.slow_share)} of the rate the "
        f"all-reduce takes {_seconds(ring.time)}; healthy it takes {_seconds(ring.healthy_time)}; "
        f"at the average of the links it would take {_seconds(ring.time_at_average)}.{said}"
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "share:Q",
        title="rate of the slow link, of a healthy one",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(format=".0%", values=[0.05, 0.25, 0.5, 0.75, 1.0], grid=False),
    )
    y = alt.Y(
        "seconds:Q",
        title="seconds for one all-reduce",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(format="~r", tickCount=6, labelExpr="format(datum.value, '.3~r')"),
    )
    which = [RING, AVERAGE]
    colours = alt.Scale(domain=which, range=[BLUE, ORANGE])
    dashes = alt.Scale(domain=which, range=[[1, 0], [6, 4]])
    lines = (
        alt.Chart(dataset("curves"))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=x,
            y=y,
            color=alt.Color("which:N", scale=colours, legend=None),
            strokeDash=alt.StrokeDash("which:N", scale=dashes, legend=None),
        )
    )
    names = alt.Chart(dataset("names")).encode(x=x, y=y, text="text:N")
    named = names.mark_text(align="left", dx=10, dy=-8)
    points = alt.Chart(dataset("points")).encode(x=x, y=y)
    return finished(
        frame(y="seconds:Q") + lines + named + _dots(points) + _words(points),
        title="How much does one slow link cost?",
        subtitle="Each step up the axis is twice the time",
        height=260,
        description="Lines: time of a ring all-reduce against the rate of its slowest link.",
    )


def _dots(points: alt.Chart) -> alt.Chart:
    """Where the slider is, and what the reader guessed."""
    import altair as alt

    shapes = alt.Scale(domain=[NOW, GUESS], range=["circle", "diamond"])
    dots: alt.Chart = points.mark_point(size=130, filled=True, opacity=1, stroke="white").encode(
        color=alt.Color("colour:N", scale=None),
        shape=alt.Shape("which:N", scale=shapes, legend=None),
        tooltip=alt.Tooltip("text:N", title=" "),
    )
    return dots


def _words(points: alt.Chart) -> alt.LayerChart:
    """What stands beside the points: left or right of them, the guess below."""
    import altair as alt

    words = alt.LayerChart(layer=[])
    for left in (False, True):
        for under in (False, True):
            words += (
                points.transform_filter(f"datum.left == {int(left)} && datum.below == {int(under)}")
                .mark_text(
                    align="right" if left else "left",
                    dx=0 if left else 12,
                    dy=18 if under else -14,
                    fontWeight=600,
                )
                .encode(text="text:N")
            )
    return words
