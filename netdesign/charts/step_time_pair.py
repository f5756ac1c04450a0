"""Which of two designs is faster, and why? Their steps as two bars on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign.charts import step_time_bar
from netdesign.charts.format import seconds
from netdesign.charts.stack import stacked

if TYPE_CHECKING:
    import altair as alt

    from netdesign.evaluate import Evaluation

ROWS = ["A", "B"]


def data(first: Evaluation, second: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``parts``, ``band`` and ``frame`` of both designs; seconds."""
    both = dict(zip(ROWS, (first, second), strict=True))
    limit = max(step_time_bar.end_of_axis(evaluation) for evaluation in both.values())
    return {
        "parts": [
            part
            for row, evaluation in both.items()
            for part in stacked(step_time_bar.parts(evaluation), row, limit)
        ],
        "band": [step_time_bar.band(evaluation, row) for row, evaluation in both.items()],
        "frame": [{"limit": limit}],
    }


def label(first: Evaluation, second: Evaluation) -> str:
    """The chart in one sentence."""
    times = [seconds(evaluation.step.step_time_s) for evaluation in (first, second)]
    return f"One step takes {times[0]} in design A and {times[1]} in design B."


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    from netdesign.charts.authoring import finished

    return finished(
        step_time_bar.layers(ROWS),
        title="Which design is faster, and where?",
        height=160,
        description="Two stacked bars: the parts of a training step of design A and of design B.",
    )
