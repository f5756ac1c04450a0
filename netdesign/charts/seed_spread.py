"""Not one number but many: slow-down of each collective over seeds of hashing and placement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from netdesign.charts.format import digits
from netdesign.charts.palette import BLUE, ON_LIGHT_COLOUR, ORANGE, VERMILLION
from netdesign.charts.scales import nice_ceiling
from netdesign.wording import plural

if TYPE_CHECKING:
    import altair as alt

    from netdesign.congestion import Spread

MOST_ROWS, ROW_PIXELS = 5, 46
LEVELS = (0.1, 0.5, 0.9)


def data(
    spread: Spread, places: tuple[int, ...], forms: tuple[float, ...], seed: int
) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``seeds``, ``ranges``, ``forms``, ``names`` and ``frame``.

    Parameters
    ----------
    spread : Spread
    places : tuple of int       its collectives that are drawn, one of each pattern
    forms : tuple of float      closed form of each of them
    seed : int                  the one that the other pictures show
    """
    seeds: list[dict[str, Any]] = []
    ranges, marks, names = [], [], []
    highest = 1.0
    for row, (place, form) in enumerate(zip(places[:MOST_ROWS], forms, strict=False), 1):
        slow = spread.slowdown[:, place]
        counts: dict[float, int] = {}
        for number, value in zip(spread.seeds.tolist(), np.round(slow, 2).tolist(), strict=True):
            if not math.isfinite(value):
                continue
            counts[value] = counts.get(value, 0) + 1
            own = number == seed
            tip = f"seed {number}: {digits(value)} times"
            seeds.append({"row": row, "slow": value, "own": own, "tip": tip})
        if not counts:
            continue
        low, middle, high = np.quantile(slow, LEVELS).tolist()
        text = f"{digits(low)} to {digits(high)}, median {digits(middle)}, formula {digits(form)}"
        ranges.append({"row": row, "low": low, "high": high, "middle": middle, "tip": text})
        marks.append({"row": row, "slow": form, "tip": f"formula: {digits(form)} times"})
        names.append({"row": row, "left": 0, "text": f"{spread.names[place]}: {text}"})
        highest = max(highest, float(np.max(slow)), form)
    return {
        "seeds": seeds,
        "ranges": ranges,
        "forms": marks,
        "names": names,
        "frame": [{"slow": 0}, {"slow": nice_ceiling(highest)}],
    }


def label(spread: Spread, places: tuple[int, ...], forms: tuple[float, ...], seed: int) -> str:
    """The chart in one sentence."""
    said = "; ".join(row["text"] for row in data(spread, places, forms, seed)["names"])
    return f"Slow-down over {plural(len(spread.seeds), 'seed')}, from 10 to 90 %: {said}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished

    rows = alt.Y(
        "row:O", axis=None, scale=alt.Scale(domain=list(range(1, MOST_ROWS + 1)), padding=0)
    )
    x = alt.X(
        "slow:Q",
        title="times as long as host ports alone",
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(tickCount=6),
    )
    frame = alt.Chart(dataset("frame")).mark_point(opacity=0, size=0).encode(x=x)
    tip = alt.Tooltip("tip:N", title=" ")
    ranges = alt.Chart(dataset("ranges"))
    bars = ranges.mark_bar(height=12, yOffset=9, color=BLUE, opacity=0.3).encode(
        x=alt.X("low:Q"), x2="high:Q", y=rows, tooltip=tip
    )
    middle = ranges.mark_tick(size=18, thickness=3, yOffset=9, color=BLUE).encode(
        x="middle:Q", y=rows, tooltip=tip
    )
    dots = _dots(x, rows, tip)
    forms = (
        alt.Chart(dataset("forms"))
        .mark_point(
            shape="diamond",
            size=110,
            filled=True,
            opacity=1,
            yOffset=9,
            color=ORANGE,
            stroke=ON_LIGHT_COLOUR,
        )  # fmt: skip
        .encode(x=x, y=rows, tooltip=tip)
    )
    names = (
        alt.Chart(dataset("names"))
        .mark_text(align="left", dy=-8)
        .encode(x=alt.value(0), y=rows, text="text:N")
    )
    return finished(
        frame + bars + middle + dots + forms + names,
        title="How much of it is chance?",
        subtitle="Dots: seeds, large: as set; bar: 10 to 90 %; tick: median; diamond: formula",
        height=MOST_ROWS * ROW_PIXELS,
        description="Slow-down of each collective over seeds of the hash and the placement.",
    )


def _dots(x: alt.X, rows: alt.Y, tip: alt.Tooltip) -> alt.Chart:
    import altair as alt

    from netdesign.charts.authoring import dataset

    dots: alt.Chart = (
        alt.Chart(dataset("seeds"))
        .mark_point(filled=True, yOffset=9, stroke="white", strokeWidth=0.5)
        .encode(
            x=x,
            y=rows,
            tooltip=tip,
            color=alt.condition("datum.own", alt.value(VERMILLION), alt.value(BLUE)),
            size=alt.condition("datum.own", alt.value(110), alt.value(34)),
            opacity=alt.condition("datum.own", alt.value(1), alt.value(0.5)),
        )
    )
    return dots
