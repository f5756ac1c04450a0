"""Where does each family run out? Its largest size with one kind of switch, on a log axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import count, digits
from netdesign.charts.palette import BLUE, GREY, QUIET_INK, VERMILLION
from netdesign.topology.families import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import altair as alt

    from netdesign.rivals import Reach

LOWEST, MILLION = 8, 1_000_000
ROOM_FOR_WORDS = 40  # the axis goes on so many times beyond the longest bar
CHOSEN, RIVAL, OTHER = "chosen", "rival", "other"
_FAINT = "66"  # opacity, so that it recedes on light and dark alike
_STANDING = (CHOSEN, RIVAL, OTHER)
_TIER_WORDS = {1: "one tier", 2: "two tiers", 3: "three tiers"}


def _titles() -> list[str]:
    return [title(name) for name in FAMILIES if name != "torus"]


def title(family: str) -> str:
    """A family's title as it fits beside a bar: without what follows the comma."""
    return FAMILIES[family].title.partition(",")[0]


def data(
    reaches: Iterable[Reach], endpoints: int, chosen: str, rivals: Iterable[str] = ()
) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``bars`` (a family each), ``steps`` (its tiers), ``size`` (as asked) and ``frame``.

    Parameters
    ----------
    reaches : of Reach      a family's tiers in rising order
    endpoints : int         the size asked for
    chosen : str            the family on show
    rivals : of str         those beside it
    """
    found = list(reaches)
    beside = set(rivals)
    ends = {reach.family: reach for reach in found}
    bars = [
        {
            "name": title(family),
            "x": _within(reach.largest),
            "which": CHOSEN if family == chosen else RIVAL if family in beside else OTHER,
            "text": _short(reach.largest),
            "tip": f"{title(family)} ends at {count(reach.largest)} endpoints",
        }
        for family, reach in ends.items()
    ]
    steps = [
        {
            "name": title(reach.family),
            "x": _within(reach.largest),
            "tip": f"{title(reach.family)}, {_TIER_WORDS[reach.tiers]}: up to "
            f"{count(reach.largest)} endpoints",
        }
        for reach in found
        if reach.tiers and reach is not ends[reach.family]
    ]
    size = [{"x": _within(endpoints), "text": f"{count(endpoints)} GPUs"}]
    limit = ROOM_FOR_WORDS * max(MILLION, *(reach.largest for reach in found))
    return {"bars": bars, "steps": steps, "size": size, "frame": [{"x": LOWEST}, {"x": limit}]}


def _within(endpoints: int) -> int:
    return max(endpoints, LOWEST)


def _short(endpoints: int) -> str:
    return count(endpoints) if endpoints < MILLION else f"{digits(endpoints / MILLION)} M"


def label(reaches: Iterable[Reach], endpoints: int, chosen: str, rivals: Iterable[str] = ()) -> str:
    """The chart in one sentence."""
    del chosen, rivals
    ends = {reach.family: reach.largest for reach in reaches}
    said = ", ".join(f"{title(family)} {count(largest)}" for family, largest in ends.items())
    return f"Largest number of endpoints by family: {said}; asked for are {count(endpoints)}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import category_axis, dataset, finished, frame, order

    x = alt.X(
        "x:Q",
        title="endpoints",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=[10**power for power in range(1, 10)], format="~s"),
    )
    y = alt.Y("name:N", title=None, sort=order(_titles()), axis=category_axis())
    tip = alt.Tooltip("tip:N", title=" ")
    base = alt.Chart(dataset("bars")).encode(y=y)
    bars = base.mark_bar(height=22, cornerRadius=2).encode(
        x=x,
        x2=alt.datum(LOWEST),
        color=alt.Color(
            "which:N",
            scale=alt.Scale(domain=list(_STANDING), range=[BLUE, GREY, f"{GREY}{_FAINT}"]),
            legend=alt.Legend(title=None, orient="bottom"),
        ),
        tooltip=tip,
    )
    words = (
        base.mark_text(align="left", dx=6, color=QUIET_INK)
        .encode(x=x, text="text:N", tooltip=tip)
        .properties(name="quiet")
    )
    steps = (
        alt.Chart(dataset("steps"))
        .mark_tick(thickness=2, size=22, color="white")
        .encode(x=x, y=y, tooltip=tip)
    )
    line = alt.Chart(dataset("size"))
    rule = line.mark_rule(color=VERMILLION, strokeWidth=2, strokeDash=[6, 3]).encode(x=x)
    said = line.mark_text(
        align="center", baseline="bottom", dy=-4, color=VERMILLION, fontWeight=600
    ).encode(x=x, y=alt.value(0), text="text:N")
    return finished(
        frame(x=x) + bars + steps + rule + words + said,
        title="Where does each family run out?",
        height=396,
        description="Bars: endpoints at which a family ends; white ticks: ends of fewer tiers.",
        subtitle="Largest size; white ticks: with fewer tiers",
    )
