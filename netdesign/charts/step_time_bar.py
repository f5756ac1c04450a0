"""Where does the time of a step go? One bar, its parts end to end, with the error band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from netdesign.charts.format import seconds
from netdesign.charts.palette import BOX_LINE
from netdesign.charts.scales import nice_ceiling
from netdesign.charts.stack import Part, stack_layers, stacked
from netdesign.charts.words import PARALLELISM, STEP_PARTS

if TYPE_CHECKING:
    import altair as alt

    from netdesign.evaluate import Evaluation

BAR = 44


def parts(evaluation: Evaluation) -> list[Part]:
    """Parts of the step in the order in which they are drawn."""
    step = evaluation.step
    exposed = dict.fromkeys(PARALLELISM, 0.0)
    for part in step.communication:
        exposed[part.parallelism] += float(part.exposed_s)
    values = {
        "compute": float(step.compute_s),
        "bubble": float(step.bubble_s),
        **exposed,
        "optimizer": float(step.optimizer_s),
        "overhead": float(step.overhead_s),
    }
    return [Part(key, STEP_PARTS[key], v, str(seconds(v))) for key, v in values.items()]


def end_of_axis(evaluation: Evaluation) -> float:
    """Seconds at which the axis ends: a round number above the error band."""
    return nice_ceiling(1.02 * float(evaluation.step.step_time_high_s))


def band(evaluation: Evaluation, row: str = "") -> dict[str, Any]:
    """The error band of one bar."""
    step = evaluation.step
    low, high = float(step.step_time_low_s), float(step.step_time_high_s)
    text = (
        f"{seconds(step.step_time_s)}, measured runs lie within {seconds(low)} to {seconds(high)}"
    )
    return {"row": row, "low": low, "high": high, "time": float(step.step_time_s), "tip": text}


def data(evaluation: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``parts``, ``band`` and ``frame``; seconds."""
    limit = end_of_axis(evaluation)
    return {
        "parts": stacked(parts(evaluation), "", limit),
        "band": [band(evaluation)],
        "frame": [{"limit": limit}],
    }


def label(evaluation: Evaluation) -> str:
    """The chart in one sentence."""
    said = "; ".join(f"{part.name} {part.said}" for part in parts(evaluation) if part.value > 0)
    return f"One step takes {seconds(evaluation.step.step_time_s)}: {said}."


def layers(rows: list[str] | None) -> alt.LayerChart:
    """Bars with their band; ``rows`` names them if there is more than one."""
    import altair as alt

    from netdesign.charts.authoring import dataset, frame

    y = alt.Y("row:N", title=None, sort=rows)
    base = alt.Chart(dataset("band"))
    tooltip = alt.Tooltip("tip:N", title=" ")
    line = base.mark_rule(yOffset=BAR / 2 + 8, strokeWidth=2, color=BOX_LINE).encode(
        x="low:Q", x2="high:Q", y=y, tooltip=tooltip
    )
    ends = [
        base.mark_tick(yOffset=BAR / 2 + 8, size=10, thickness=2, orient="vertical").encode(
            x=f"{end}:Q", y=y, color=alt.value(BOX_LINE)
        )
        for end in ("low", "high")
    ]
    bars = stack_layers("seconds", rows, BAR)
    return cast("alt.LayerChart", alt.layer(frame(x="limit:Q"), bars, line, *ends))


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    from netdesign.charts.authoring import finished

    return finished(
        layers(None),
        title="Where does the time of a step go?",
        height=84,
        description="One stacked bar: the parts of a training step in seconds, and its error band.",
    )
