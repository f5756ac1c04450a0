"""What does the model send? Bytes of one GPU in one step, by kind of parallelism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign import units
from netdesign.charts.format import size
from netdesign.charts.palette import BLUE, ORANGE
from netdesign.charts.scales import nice_ceiling
from netdesign.charts.words import PARALLELISM

if TYPE_CHECKING:
    import altair as alt

    from netdesign.evaluate import Evaluation

INSIDE, OUTSIDE = "scale-up domain", "network"


def _sums(evaluation: Evaluation) -> dict[str, tuple[float, float]]:
    """Bytes of one GPU and step by parallelism: (inside the domain, over the network)."""
    sums = dict.fromkeys(PARALLELISM, (0.0, 0.0))
    for part in evaluation.traffic:
        inside, outside = sums[part.parallelism]
        network = float(part.network_bytes_per_gpu)
        sums[part.parallelism] = (inside + float(part.bytes_per_gpu) - network, outside + network)
    return sums


def data(evaluation: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``bars``, ``labels`` and ``frame``; bytes in GB."""
    bars, labels, longest = [], [], 0.0
    for parallelism, (inside, outside) in _sums(evaluation).items():
        name = PARALLELISM[parallelism]
        total = inside + outside
        longest = max(longest, total)
        edge = units.bytes_to_gigabytes(inside)
        end = units.bytes_to_gigabytes(total)
        for where, start, stop, amount in (
            (INSIDE, 0.0, edge, inside),
            (OUTSIDE, edge, end, outside),
        ):
            if amount > 0:
                tip = f"{name}, on the {where}: {size(amount)} per GPU and step"
                bars.append({"name": name, "where": where, "x0": start, "x1": stop, "tip": tip})
        labels.append({"name": name, "x": end, "text": str(size(total)) if total > 0 else "none"})
    limit = nice_ceiling(1.25 * units.bytes_to_gigabytes(longest))
    return {"bars": bars, "labels": labels, "frame": [{"limit": limit}]}


def label(evaluation: Evaluation) -> str:
    """The chart in one sentence."""
    parts = [
        f"{PARALLELISM[name]} {size(inside + outside)}, {size(outside)} of it over the network"
        for name, (inside, outside) in _sums(evaluation).items()
        if inside + outside > 0
    ]
    return "Bytes one GPU sends in one step: " + ("; ".join(parts) if parts else "none") + "."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import category_axis, dataset, finished, frame, order

    y = alt.Y("name:N", sort=order(PARALLELISM.values()), title=None, axis=category_axis())
    x = alt.X("x0:Q", title="GB one GPU sends in one step", axis=alt.Axis(tickCount=6))
    bars = (
        alt.Chart(dataset("bars"))
        .mark_bar(height=16, cornerRadius=2)
        .encode(
            x=x,
            x2="x1:Q",
            y=y,
            color=alt.Color(
                "where:N",
                scale=alt.Scale(domain=[INSIDE, OUTSIDE], range=[ORANGE, BLUE]),
                legend=alt.Legend(title=None, orient="top", offset=2, labelLimit=0),
            ),
            tooltip=alt.Tooltip("tip:N", title=" "),
        )
    )
    labels = (
        alt.Chart(dataset("labels"))
        .mark_text(align="left", dx=6)
        .encode(x="x:Q", y=y, text="text:N")
    )
    return finished(
        frame(x="limit:Q") + bars + labels,
        title="How much does one GPU send?",
        height=208,
        description="Bars: bytes one GPU sends in one step, by kind of parallelism.",
    )
