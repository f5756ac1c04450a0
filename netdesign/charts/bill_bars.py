"""Where does the money go? The bill by kind of part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import dollars, percent
from netdesign.charts.palette import BLUE, GREY
from netdesign.charts.scales import nice_ceiling
from netdesign.charts.words import PART_KINDS

if TYPE_CHECKING:
    import altair as alt

    from netdesign.evaluate import Evaluation

NETWORK, OTHER = "network", "servers"
_MILLION = 1e6


def _by_kind(evaluation: Evaluation) -> dict[str, tuple[float, bool, bool]]:
    """By kind: dollars of what has a price, whether some part has none, whether it is network."""
    always = [kind for kind in PART_KINDS if kind != "facility"]
    sums = dict.fromkeys(always, (0.0, False, True))
    for row in evaluation.bom.rows:
        sums.setdefault(row.kind, (0.0, False, False))
        total, missing, network = sums[row.kind]
        unpriced = row.total_usd is None and row.quantity > 0
        sums[row.kind] = (total + (row.total_usd or 0.0), missing or unpriced, row.network)
    return sums


def _included(evaluation: Evaluation) -> set[str]:
    """Kinds whose every part comes with another one."""
    rows = evaluation.bom.rows
    paid = {row.kind for row in rows if not row.included_in}
    return {row.kind for row in rows} - paid


def _said(total: float, missing: bool, whole: float, included: bool) -> str:
    if included:
        return "included in the servers"
    if missing and total == 0:
        return "no price"
    share = f", {percent(total / whole)}" if whole > 0 else ""
    return f"{dollars(total)}{share}" + (" + parts without a price" if missing else "")


def data(evaluation: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``bars`` and ``frame``; millions of US dollars."""
    sums, included = _by_kind(evaluation), _included(evaluation)
    whole = sum(total for total, _, _ in sums.values())
    bars: list[dict[str, Any]] = [
        {
            "name": PART_KINDS[kind],
            "x": total / _MILLION,
            "which": NETWORK if network else OTHER,
            "text": _said(total, missing, whole, kind in included),
        }
        for kind, (total, missing, network) in sums.items()
    ]
    limit = nice_ceiling(1.35 * max(bar["x"] for bar in bars))
    return {"bars": bars, "frame": [{"limit": limit}]}


def label(evaluation: Evaluation) -> str:
    """The chart in one sentence."""
    sums, included = _by_kind(evaluation), _included(evaluation)
    whole = sum(total for total, _, _ in sums.values())
    said = "; ".join(
        f"{PART_KINDS[kind]} {_said(total, missing, whole, kind in included)}"
        for kind, (total, missing, _) in sums.items()
    )
    return f"The bill by kind of part: {said}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import category_axis, dataset, finished, frame, order

    base = alt.Chart(dataset("bars")).encode(
        x=alt.X("x:Q", title="million USD", axis=alt.Axis(tickCount=6)),
        y=alt.Y("name:N", title=None, sort=order(PART_KINDS.values()), axis=category_axis()),
    )
    bars = base.mark_bar(height=16, cornerRadius=2).encode(
        color=alt.Color(
            "which:N",
            scale=alt.Scale(domain=[OTHER, NETWORK], range=[GREY, BLUE]),
            legend=alt.Legend(title=None, orient="top", offset=2, labelLimit=0),
        ),
        tooltip=alt.Tooltip("text:N", title=" "),
    )
    words = base.mark_text(align="left", dx=6).encode(text="text:N")
    return finished(
        frame(x="limit:Q") + bars + words,
        title="Where does the money go?",
        height=150,
        description="Bars: the bill in million US dollars by kind of part, network apart.",
    )
