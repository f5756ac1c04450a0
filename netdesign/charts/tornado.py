"""Which input moves the result most?"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, cast

from netdesign.charts.format import Said, percent
from netdesign.charts.palette import BLUE, ORANGE
from netdesign.charts.scales import nice_ceiling

if TYPE_CHECKING:
    import altair as alt

    from netdesign.sensitivity import Move, Sensitivity, Swing

ROWS = 10
ROW_PIXELS = 48
LOWER, HIGHER = "input lower", "input higher"
MEASURE_NAMES = MappingProxyType(
    {
        "step_time_s": "step time",
        "usd_per_million_tokens": "cost per token",
        "training_days": "training days",
    }
)


def signed(share: float) -> str:
    """A change with its sign: +8.6 %."""
    if abs(share) < 5e-4:
        return str(Said("0", "%"))
    said = percent(abs(share))
    sign = "+" if share > 0 else "\u2212"
    return f"{sign}{said}"


def moves(swing: Swing) -> str:
    """How far the input goes to each side: ``half / double``."""
    return " / ".join(side.said for side in (swing.down, swing.up) if side.said)


def _said(side: Move, measure: str) -> str:
    change = signed(side.change[measure])
    return f"{change}, {side.problem}" if side.problem else change


def data(found: Sensitivity, measure: str) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``bars``, ``names`` and ``frame``; per cent of the measure."""
    swings = found.ranked(measure)[:ROWS]
    bars, names = [], []
    limit = nice_ceiling(1.4 * 100 * max((swing.size(measure) for swing in swings), default=0.0))
    for row, swing in enumerate(swings, start=1):
        names.append({"row": row, "left": -limit, "text": f"{swing.label}: {moves(swing)}"})
        for which, side, shift in ((LOWER, swing.down, "upper"), (HIGHER, swing.up, "lower")):
            if measure in side.change:
                said = signed(side.change[measure])
                bars.append(
                    {
                        "row": row,
                        "zero": 0,
                        "x": 100 * side.change[measure],
                        "which": which,
                        "place": shift,
                        "text": said,
                        "tip": f"{swing.label} {side.said}: {_said(side, measure)}",
                    }
                )
    return {"bars": bars, "names": names, "frame": [{"low": -limit, "high": limit}]}


def label(found: Sensitivity, measure: str) -> str:
    """The chart in one sentence."""
    swings = found.ranked(measure)[:ROWS]
    if not swings:
        return f"Nothing is known about the {MEASURE_NAMES[measure]}."
    said = "; ".join(
        f"{swing.label} "
        + " and ".join(
            f"{side.said} gives {_said(side, measure)}"
            for side in (swing.down, swing.up)
            if measure in side.change
        )
        for swing in swings
    )
    return f"What moves {MEASURE_NAMES[measure]}, the largest first: {said}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished

    rows = alt.Y("row:O", axis=None, scale=alt.Scale(domain=list(range(1, ROWS + 1)), padding=0))
    axis = alt.X(
        "low:Q",
        title="change of the result, per cent",
        axis=alt.Axis(tickCount=5, format="+d"),
        scale=alt.Scale(nice=False),
    )
    frame = alt.Chart(dataset("frame")).mark_bar(opacity=0, height=1).encode(x=axis, x2="high:Q")
    zero = alt.Chart(dataset("frame")).mark_rule(strokeWidth=1).encode(x=alt.datum(0))
    colour = alt.Color(
        "which:N",
        scale=alt.Scale(domain=[LOWER, HIGHER], range=[ORANGE, BLUE]),
        legend=alt.Legend(title=None, orient="top", offset=2, labelLimit=0),
    )
    layers: list[Any] = [frame]
    for place, shift in (("upper", 3), ("lower", 13)):
        base = (
            alt.Chart(dataset("bars"))
            .transform_filter(f"datum.place == '{place}'")
            .encode(y=rows, tooltip=alt.Tooltip("tip:N", title=" "))
        )
        layers.append(
            base.mark_bar(height=9, yOffset=shift).encode(x="zero:Q", x2="x:Q", color=colour)
        )
        ends: tuple[tuple[Literal["left", "right"], str, int], ...] = (
            ("left", "datum.x >= 0", 4),
            ("right", "datum.x < 0", -4),
        )
        for align, side, gap in ends:
            end = base.transform_filter(side)
            layers.append(
                end.mark_text(align=align, dx=gap, dy=shift, fontSize=11).encode(
                    x="x:Q", text="text:N"
                )
            )
    names = (
        alt.Chart(dataset("names"))
        .mark_text(align="left", dy=-13, fontWeight=600)
        .encode(x="left:Q", y=rows, text="text:N")
    )
    return finished(
        cast("alt.LayerChart", alt.layer(*layers, zero, names)),
        title="Which input moves the result most?",
        height=ROWS * ROW_PIXELS,
        description="Bars: the change of the result when one input alone goes down or up.",
    )
