"""Where should a queue begin to mark? Named recommendations against the pause and the path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts.format import size
from netdesign.charts.palette import BLUE, ORANGE, VERMILLION
from netdesign.lossless import LosslessPlan
from netdesign.units import bytes_to_kibibytes

if TYPE_CHECKING:
    import altair as alt

ROW_PIXELS = 40
MOST_ROWS = 9
LATE, EARLY = "begins after a pause", "begins before"
PAUSE, PATH = "pause, all filling", "in flight"


def data(plan: LosslessPlan) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``ranges``, ``names``, ``limits`` and ``frame``; KiB."""
    shown = sorted(plan.markings, key=lambda entry: entry.begins)[:MOST_ROWS]
    ranges, names = [], []
    low, high = _ends(plan)
    for row, entry in enumerate(shown, start=1):
        begins, ends = entry.begins, entry.kmax or entry.begins
        late = plan.mark_bound is not None and begins >= plan.mark_bound
        taken = " (taken)" if entry.id == plan.marking.id else ""
        ranges.append(
            {
                "row": row,
                "low": bytes_to_kibibytes(begins),
                "high": bytes_to_kibibytes(ends),
                "which": LATE if late else EARLY,
                "tip": f"{entry.name}: {size(begins)} to {size(ends)}, {entry.grade}",
            }
        )
        names.append({"row": row, "left": low, "text": f"{entry.name}{taken}"})
    limits = [{"at": bytes_to_kibibytes(plan.bandwidth_delay), "text": PATH, "which": PATH}]
    if plan.mark_bound is not None and plan.mark_bound > 0:
        limits.append({"at": bytes_to_kibibytes(plan.mark_bound), "text": PAUSE, "which": PAUSE})
    return {
        "ranges": ranges,
        "names": names,
        "limits": limits,
        "frame": [{"low": low, "high": high}],
    }


def _ends(plan: LosslessPlan) -> tuple[float, float]:
    """The axis: room on both sides of everything that is drawn, KiB."""
    drawn = [entry.begins for entry in plan.markings]
    drawn += [entry.kmax for entry in plan.markings if entry.kmax is not None]
    drawn += [plan.bandwidth_delay, max(plan.mark_bound or 0.0, min(drawn))]
    return bytes_to_kibibytes(min(drawn) / 2), bytes_to_kibibytes(2 * max(drawn))


def label(plan: LosslessPlan) -> str:
    """The chart in one sentence."""
    said = "; ".join(
        f"{entry.name} from {size(entry.begins)}"
        for entry in sorted(plan.markings, key=lambda entry: entry.begins)
    )
    bound = "" if plan.mark_bound is None else f", a pause from {size(plan.mark_bound)}"
    return (
        f"Marking begins: {said}. In flight are {size(plan.bandwidth_delay)}{bound} when "
        f"every queue fills; taken is {plan.marking.name}."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished

    rows = alt.Y(
        "row:O", axis=None, scale=alt.Scale(domain=list(range(1, MOST_ROWS + 2)), padding=0)
    )
    axis = alt.X(
        "low:Q",
        title="length of the queue, KiB",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(tickCount=6, format=",~r"),
    )
    frame = alt.Chart(dataset("frame")).mark_bar(opacity=0, height=1).encode(x=axis, x2="high:Q")
    which = [EARLY, LATE]
    colour = alt.Color(
        "which:N",
        scale=alt.Scale(domain=which, range=[BLUE, ORANGE]),
        legend=alt.Legend(title=None, orient="top", offset=2, labelLimit=0),
    )
    ranges = alt.Chart(dataset("ranges")).encode(
        y=rows, color=colour, tooltip=alt.Tooltip("tip:N", title=" ")
    )
    bars = ranges.mark_bar(height=7, yOffset=8).encode(x="low:Q", x2="high:Q")
    dots = ranges.mark_point(size=90, filled=True, opacity=1, yOffset=8).encode(
        x="low:Q",
        shape=alt.Shape(
            "which:N", scale=alt.Scale(domain=which, range=["circle", "diamond"]), legend=None
        ),
    )
    names = (
        alt.Chart(dataset("names"))
        .mark_text(align="left", dy=-8, fontWeight=600)
        .encode(x="left:Q", y=rows, text="text:N")
    )
    limits = alt.Chart(dataset("limits"))
    rules = limits.mark_rule(strokeWidth=1.5, strokeDash=[5, 4], color=VERMILLION).encode(x="at:Q")
    said = alt.LayerChart(layer=[])
    for which_limit, up in ((PAUSE, -6), (PATH, -22)):
        said += (
            limits.transform_filter(f"datum.which == '{which_limit}'")
            .mark_text(align="left", dx=4, dy=up, baseline="bottom")
            .encode(x="at:Q", y=alt.value((MOST_ROWS + 1) * ROW_PIXELS), text="text:N")
        )
    return finished(
        frame + rules + bars + dots + names + said,
        title="Where should a queue begin to mark?",
        subtitle="Bars: from the first mark to the most; each step along the axis doubles",
        height=(MOST_ROWS + 1) * ROW_PIXELS,
        description="Bars: recommended thresholds; lines: bytes in flight, and where ports pause.",
    )
