"""How much headroom does a longer cable need? Every method that knows the chip, and the plan."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from netdesign.charts.format import SPACE, digits, size
from netdesign.charts.palette import BLUE, GREEN, GREY, ORANGE, VERMILLION
from netdesign.lossless import LosslessPlan, headrooms_by_length
from netdesign.network.lossless.headroom import FORMULA, ROWS, SLOW_PEER, WORST_CASE
from netdesign.units import bytes_to_kibibytes

if TYPE_CHECKING:
    import altair as alt

NAMES = MappingProxyType(
    {
        FORMULA: "formula of the chip",
        ROWS: "published rows",
        SLOW_PEER: "formula, slowest peer",
        WORST_CASE: "worst case of IEEE",
    }
)
_COLOURS = (BLUE, ORANGE, VERMILLION, GREEN)
_FARTHEST = 300.0  # m, at least: where the published tables end
_STEPS = 30
_SHORTEST = 1.0
_DOWN = (34, 17, -14)  # pixels below the dot: tiers of about one length stay apart


def _lengths(plan: LosslessPlan) -> list[float]:
    tiers = [tier.length for tier in plan.tiers]
    farthest = max(_FARTHEST, *(1.2 * length for length in tiers))
    even = [_SHORTEST + (farthest - _SHORTEST) * step / _STEPS for step in range(_STEPS + 1)]
    inside = [length for length in tiers if length >= _SHORTEST]
    return sorted({*even, *inside, *([_FARTHEST] if farthest > _FARTHEST else [])})


def data(plan: LosslessPlan) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``lines``, ``tiers`` and ``frame``; metres and KiB."""
    curves = headrooms_by_length(
        plan.chip, plan.gbps, _lengths(plan), plan.settings, profile=plan.choice.profile
    )
    lines = [
        {"which": NAMES[method], "metres": metres, "kib": bytes_to_kibibytes(xoff)}
        for method, points in curves.items()
        for metres, xoff in points
    ]
    tiers = [
        {
            "metres": tier.length,
            "kib": bytes_to_kibibytes(tier.headroom.xoff),
            "text": f"{tier.name}: {size(tier.headroom.xoff)}",
            "right": 2 * tier.length > _FARTHEST,
            "place": place,
        }
        for place, tier in enumerate(plan.tiers)
    ]
    sizes = [xoff for points in curves.values() for _, xoff in points]
    highest = bytes_to_kibibytes(max([*sizes, *(tier.headroom.xoff for tier in plan.tiers)]))
    return {"lines": lines, "tiers": tiers, "frame": [{"kib": 0.0}, {"kib": 1.1 * highest}]}


def label(plan: LosslessPlan) -> str:
    """The chart in one sentence."""
    said = "; ".join(
        f"{tier.name} at {digits(tier.length)}{SPACE}m {size(tier.headroom.xoff)} "
        f"by {tier.headroom.method}"
        for tier in plan.tiers
    )
    return (
        f"Headroom of one lossless priority of a {digits(plan.gbps)}{SPACE}Gb/s port of "
        f"{plan.chip.name} against the length of its cable: {said}."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "metres:Q",
        title="length of the cable, m",
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    y = alt.Y("kib:Q", title="headroom of one priority, KiB", axis=alt.Axis(tickCount=5))
    which = list(NAMES.values())
    lines = (
        alt.Chart(dataset("lines"))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "which:N",
                scale=alt.Scale(domain=which, range=list(_COLOURS)),
                legend=alt.Legend(title=None, orient="top", offset=2, labelLimit=0, columns=2),
            ),
            strokeDash=alt.StrokeDash(
                "which:N",
                scale=alt.Scale(domain=which, range=[[1, 0], [6, 4], [2, 3], [8, 3, 2, 3]]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("which:N", title=" "),
                alt.Tooltip("metres:Q", title="m", format=".0f"),
                alt.Tooltip("kib:Q", title="KiB", format=",.0f"),
            ],
        )
    )
    points = alt.Chart(dataset("tiers")).encode(x=x, y=y)
    dots = points.mark_point(size=110, filled=True, opacity=1, color=GREY, stroke="white").encode(
        tooltip=alt.Tooltip("text:N", title=" ")
    )
    words = alt.LayerChart(layer=[])
    for right in (False, True):
        for place, down in enumerate(_DOWN):
            words += (
                points.transform_filter(f"datum.right == {int(right)} && datum.place == {place}")
                .mark_text(align="right" if right else "left", dx=-12 if right else 12, dy=down)
                .encode(text="text:N")
            )
    return finished(
        frame(y="kib:Q") + lines + dots + words,
        title="How much headroom does a longer cable need?",
        height=280,
        description="Lines: headroom by each method against the length; dots: cables of the plan.",
    )
