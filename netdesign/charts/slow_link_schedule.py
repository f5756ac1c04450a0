"""Why does everyone wait? Every send of a small ring, one row a rank, one of the links slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import SPACE, digits, percent
from netdesign.charts.palette import BLUE, VERMILLION
from netdesign.charts.scales import nice_ceiling
from netdesign.network.slow_link import SlowRing

if TYPE_CHECKING:
    import altair as alt

HEALTHY, SLOW = "healthy link", "slow link"


def _name(rank: int) -> str:
    return f"rank {rank}"


def data(ring: SlowRing, slow_rank: int = 0) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``sends``, ``rows``, ``done`` and ``frame``; seconds."""
    schedule = ring.schedule(slow_rank)
    sends = [
        {
            "rank": _name(rank),
            "start": float(schedule.start[step, rank]),
            "end": float(schedule.end[step, rank]),
            "which": SLOW if rank == slow_rank and ring.slow_share < 1 else HEALTHY,
            "tip": f"step {step + 1}",
        }
        for step in range(len(schedule.start))
        for rank in range(ring.ranks)
    ]
    rows = [
        {"rank": _name(rank), "end": schedule.duration, "text": f"busy {percent(share)}"}
        for rank, share in enumerate(schedule.busy_share)
    ]
    return {
        "sends": sends,
        "rows": rows,
        "done": [{"at": ring.healthy_time, "text": "a healthy ring is done"}],
        "frame": [{"end": nice_ceiling(1.2 * schedule.duration)}],
    }


def label(ring: SlowRing, slow_rank: int = 0) -> str:
    """The chart in one sentence."""
    busy = percent(ring.schedule(slow_rank).busy_share[slow_rank - 1])
    return (
        f"A ring of {ring.ranks} ranks, the link out of rank {slow_rank} at "
        f"{percent(ring.slow_share)}: done after {digits(ring.time)}{SPACE}s instead of "
        f"{digits(ring.healthy_time)}{SPACE}s. The other ranks send {busy} of the time and wait "
        "for the rest."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import category_axis, dataset, finished, frame

    y = alt.Y("rank:N", title=None, axis=category_axis())
    rows = alt.Chart(dataset("rows"))
    waiting = (
        rows.mark_bar(height=15, fill="#E3E7EC")
        .encode(x=alt.X("end:Q", title="seconds"), y=y)
        .properties(name="track")
    )
    words = rows.mark_text(align="left", dx=6).encode(x="end:Q", y=y, text="text:N")
    sends = (
        alt.Chart(dataset("sends"))
        .mark_bar(height=15, stroke="white", strokeWidth=0.7)
        .properties(name="sends")
        .encode(
            x=alt.X("start:Q", scale=alt.Scale(nice=False), axis=alt.Axis(tickCount=6)),
            x2="end:Q",
            y=y,
            color=alt.Color(
                "which:N",
                scale=alt.Scale(domain=[HEALTHY, SLOW], range=[BLUE, VERMILLION]),
                legend=alt.Legend(title=None, orient="top", offset=2),
            ),
            tooltip=alt.Tooltip("tip:N", title=" "),
        )
    )
    done = alt.Chart(dataset("done"))
    rule = done.mark_rule(strokeDash=[5, 3], strokeWidth=2, color="#1B222B").encode(x="at:Q")
    return finished(
        frame(x="end:Q") + waiting + sends + words + rule.properties(name="limit"),
        title="Why does everyone wait?",
        height=200,
        description="Gantt chart: sends of each rank of a ring over time, one link slow.",
    )
