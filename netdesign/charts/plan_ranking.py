"""What do the fastest plans lose time on?

All of them compute about as long; bars begin at the least compute of the plans shown, so that what
tells them apart can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

from netdesign.charts.format import percent, seconds
from netdesign.charts.palette import PART_COLOURS
from netdesign.charts.scales import nice_ceiling
from netdesign.charts.words import STEP_PARTS
from netdesign.evaluate import plan_label

if TYPE_CHECKING:
    import altair as alt

    from netdesign.ranking import Ranking, Standing

ROWS = 8
ROW_PIXELS = 44
VIOLET = "#8073AC"  # light enough for a dark page, apart from every other part of a step
COLOURS = MappingProxyType({**PART_COLOURS, "recompute": VIOLET})
PARTS = MappingProxyType({**STEP_PARTS, "compute": "Slower kernels", "recompute": "Recomputation"})


def shown(ranking: Ranking) -> tuple[Standing, ...]:
    """The best plan of each set of degrees, and the design's own wherever it stands."""
    leading = ranking.standings(ROWS)
    if ranking.own.rank == 0 or any(is_own(one, ranking) for one in leading):
        return leading
    rows = sorted((*leading[: ROWS - 1], ranking.own), key=lambda one: one.step_time_s)
    return tuple(rows)


def is_own(standing: Standing, ranking: Ranking) -> bool:
    """Whether a plan is the one of the design; names may differ where the plans do not."""
    return standing.label == ranking.own.label


def degrees(standing: Standing) -> str:
    """The cut of a plan in short: ``TP 8 · PP 16 x 4 · DP 128``."""
    return plan_label(standing.plan).partition(",")[0].replace(" chunks", "")


def behind(standing: Standing, first: Standing) -> str:
    """Step time of the first, and how far behind it the others are."""
    share = standing.step_time_s / first.step_time_s - 1
    return str(seconds(standing.step_time_s)) if standing is first else f"+{percent(share)}"


def least_compute(standings: Sequence[Standing]) -> float:
    """Seconds that even the plan with the fastest kernels computes."""
    return min((one.parts["compute"] for one in standings), default=0.0)


def lost(standing: Standing, least: float) -> dict[str, float]:
    """Seconds of a step beyond the least compute, by part."""
    return {**standing.parts, "compute": standing.parts["compute"] - least}


def _bars(row: int, parts: Mapping[str, float]) -> list[dict[str, Any]]:
    bars, start = [], 0.0
    for key, name in PARTS.items():
        value = parts.get(key, 0.0)
        if value <= 0:
            continue
        tip = f"{name}: {seconds(value)}"
        bars.append(
            {"row": row, "x0": start, "x1": start + value, "colour": COLOURS[key], "tip": tip}
        )
        start += value
    return bars


def data(ranking: Ranking) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``parts``, ``names`` and ``frame``; seconds beyond the least compute."""
    standings = shown(ranking)
    least = least_compute(standings)
    losses = [lost(one, least) for one in standings]
    limit = nice_ceiling(1.02 * max((sum(parts.values()) for parts in losses), default=0.0))
    names = [
        {
            "row": row,
            "text": f"{one.rank:,}. {degrees(one)}",
            "said": behind(one, standings[0]),
            "own": is_own(one, ranking),
            "zero": 0,
            "limit": limit,
            "tip": one.label,
        }
        for row, one in enumerate(standings, start=1)
    ]
    bars = [bar for row, parts in enumerate(losses, start=1) for bar in _bars(row, parts)]
    return {"parts": bars, "names": names, "frame": [{"limit": limit}]}


def label(ranking: Ranking) -> str:
    """The chart in one sentence."""
    standings = shown(ranking)
    if not standings:
        return "No plan fits in memory."
    said = "; ".join(f"{one.rank}, {degrees(one)}, {seconds(one.step_time_s)}" for one in standings)
    return f"The fastest plans by their degrees, and what they lose time on: {said}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    rows = alt.Y("row:O", axis=None, scale=alt.Scale(domain=list(range(1, ROWS + 1)), padding=0))
    bars = (
        alt.Chart(dataset("parts"))
        .mark_bar(height=14, yOffset=8, strokeWidth=1, stroke="white")
        .encode(
            x=alt.X(
                "x0:Q",
                title="seconds beyond the least compute of these",
                axis=alt.Axis(tickCount=5),
                scale=alt.Scale(nice=False),
            ),
            x2="x1:Q",
            y=rows,
            color=alt.Color("colour:N", scale=None),
            tooltip=alt.Tooltip("tip:N", title=" "),
        )
        .properties(name="cut")
    )
    base = alt.Chart(dataset("names")).encode(y=rows, tooltip=alt.Tooltip("tip:N", title=" "))
    words = []
    weights: tuple[tuple[str, Literal[700, 400]], ...] = (("datum.own", 700), ("!datum.own", 400))
    for which, weight in weights:
        chosen = base.transform_filter(which)
        words += [
            chosen.mark_text(align="left", dy=-9, fontWeight=weight).encode(
                x="zero:Q", text="text:N"
            ),
            chosen.mark_text(align="right", dy=-9, fontWeight=weight).encode(
                x="limit:Q", text="said:N"
            ),
        ]
    return finished(
        cast("alt.LayerChart", alt.layer(frame(x="limit:Q"), bars, *words)),
        title="What do the fastest plans lose time on?",
        height=ROWS * ROW_PIXELS,
        description="Stacked bars: what the fastest plans, one for each way to cut the job, spend "
        "beyond the least compute of them; the plan of the design in bold.",
    )
