"""Who was right? The reader's guess, the average of the links, and the ring, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import SPACE, digits
from netdesign.charts.palette import BLUE, ON_LIGHT_COLOUR, ORANGE, VERMILLION
from netdesign.charts.scales import nice_ceiling
from netdesign.network.slow_link import SlowRing

if TYPE_CHECKING:
    import altair as alt

GUESS, AVERAGE, RING = "Your guess", "If the average counted", "The ring"
ROOM = 2.2  # the axis ends there, in units of the ring's time


def _answers(ring: SlowRing, guess: float) -> dict[str, float]:
    return {GUESS: guess, AVERAGE: ring.time_at_average, RING: ring.time}


def _seconds(value: float) -> str:
    return f"{digits(value)}{SPACE}s"


def data(ring: SlowRing, guess: float) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``bars`` and ``frame``; seconds. A guess beyond the axis is cut and still named."""
    limit = nice_ceiling(ROOM * ring.time)
    bars = [
        {
            "name": name,
            "x": min(value, limit),
            "text": _seconds(value) + (" →" if value > limit else ""),
            "inside": value > 0.7 * limit,
        }
        for name, value in _answers(ring, guess).items()
    ]
    return {"bars": bars, "frame": [{"limit": limit}]}


def label(ring: SlowRing, guess: float) -> str:
    """The chart in one sentence."""
    said = "; ".join(f"{name}: {_seconds(value)}" for name, value in _answers(ring, guess).items())
    return f"Time of the all-reduce with one slow link. {said}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import category_axis, dataset, finished, frame

    names = [GUESS, AVERAGE, RING]
    base = alt.Chart(dataset("bars")).encode(
        x=alt.X("x:Q", title="seconds", axis=alt.Axis(tickCount=5), scale=alt.Scale(nice=False)),
        y=alt.Y("name:N", title=None, sort=names, axis=category_axis()),
        tooltip=alt.Tooltip("text:N", title=" "),
    )
    bars = base.mark_bar(height=22, cornerRadius=2).encode(
        color=alt.Color(
            "name:N", scale=alt.Scale(domain=names, range=[VERMILLION, ORANGE, BLUE]), legend=None
        )
    )
    beside = base.transform_filter("!datum.inside").mark_text(align="left", dx=6, fontWeight=600)
    inside = base.transform_filter("datum.inside").mark_text(
        align="right", dx=-6, fontWeight=600, color=ON_LIGHT_COLOUR
    )
    return finished(
        frame(x="limit:Q")
        + bars
        + beside.encode(text="text:N")
        + inside.encode(text="text:N").properties(name="on-colour"),
        title="Who was right?",
        height=110,
        description="Bars: the guess, the time at the average link rate, and the time of the ring.",
    )
