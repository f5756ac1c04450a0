"""Where does the money go? The purchase by kind of part, for a small space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import dollars, percent
from netdesign.charts.palette import BLUE, GREY, ON_LIGHT_COLOUR
from netdesign.charts.scales import nice_ceiling
from netdesign.charts.words import PART_KINDS

if TYPE_CHECKING:
    import altair as alt

    from netdesign.economics.bom import BomRow
    from netdesign.evaluate import Evaluation

NETWORK, OTHER = "network", "servers"
ROW = 30
_WIDE = 0.5  # of the axis: a longer bar has its number inside


def _kinds(evaluation: Evaluation) -> dict[str, list[BomRow]]:
    """Rows of the bill by kind, without those that another part's price holds."""
    bought: dict[str, list[BomRow]] = {}
    for row in evaluation.bom.rows:
        if row.quantity > 0 and not row.included_in:
            bought.setdefault(row.kind, []).append(row)
    return bought


def _entries(evaluation: Evaluation) -> list[tuple[str, float, str, bool]]:
    """Name, dollars, words and whether it is network."""
    whole = evaluation.bom.total_usd
    entries = []
    for kind, rows in _kinds(evaluation).items():
        usd = sum(row.total_usd or 0.0 for row in rows)
        missing = any(row.unit_price_usd is None for row in rows)
        said = f"{dollars(usd)} · {percent(usd / whole)}" if usd > 0 and whole > 0 else ""
        more = "no price" if not said else "and parts without a price"
        text = " ".join(part for part in (said, more if missing else "") if part)
        entries.append((PART_KINDS[kind], usd, text, all(row.network for row in rows)))
    return entries


def data(evaluation: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``bars`` and ``frame``; US dollars."""
    entries = _entries(evaluation)
    limit = nice_ceiling(1.02 * max((usd for _, usd, _, _ in entries), default=0.0))
    bars = [
        {
            "name": name,
            "x": usd,
            "which": NETWORK if network else OTHER,
            "text": text,
            "inside": usd > _WIDE * limit,
        }
        for name, usd, text, network in entries
    ]
    return {"bars": bars, "frame": [{"limit": limit}]}


def label(evaluation: Evaluation) -> str:
    """The chart in one sentence."""
    said = "; ".join(f"{name} {text}" for name, _, text, _ in _entries(evaluation))
    return f"Where the purchase goes: {said}."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import category_axis, dataset, finished, frame, order

    base = alt.Chart(dataset("bars")).encode(
        x=alt.X("x:Q", axis=None, scale=alt.Scale(nice=False)),
        y=alt.Y("name:N", title=None, sort=order(PART_KINDS.values()), axis=category_axis()),
        tooltip=alt.Tooltip("text:N", title=" "),
    )
    bars = base.mark_bar(height=20, cornerRadius=2).encode(
        color=alt.Color(
            "which:N",
            scale=alt.Scale(domain=[OTHER, NETWORK], range=[GREY, BLUE]),
            legend=alt.Legend(title=None, orient="bottom", offset=4),
        )
    )
    beside = base.transform_filter("!datum.inside").mark_text(align="left", dx=6)
    inside = base.transform_filter("datum.inside").mark_text(
        align="left", dx=8, color=ON_LIGHT_COLOUR
    )
    return finished(
        frame(x=alt.X("limit:Q", axis=None))
        + bars
        + beside.encode(text="text:N")
        + inside.encode(text="text:N", x=alt.XDatum(0)).properties(name="inside"),
        title="Where does the money go?",
        height=5 * ROW,
        description="Bars: the purchase in US dollars by kind of part, network apart.",
    )
