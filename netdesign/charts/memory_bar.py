"""Does it fit? One bar of what the fullest GPU holds, against what the card has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign import units
from netdesign.charts.format import size
from netdesign.charts.palette import VERMILLION
from netdesign.charts.scales import nice_ceiling
from netdesign.charts.stack import Part, stack_layers, stacked
from netdesign.charts.words import MEMORY_PARTS

if TYPE_CHECKING:
    import altair as alt

    from netdesign.evaluate import Evaluation


def parts(evaluation: Evaluation) -> list[Part]:
    """Parts of the memory in the order in which they are drawn; GB."""
    memory = evaluation.memory
    values = {key: float(getattr(memory, key)) for key in MEMORY_PARTS}
    return [
        Part(key, MEMORY_PARTS[key], units.bytes_to_gigabytes(v), str(size(v)))
        for key, v in values.items()
    ]


def data(evaluation: Evaluation) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``parts``, ``limits`` and ``frame``; GB."""
    card = units.bytes_to_gigabytes(float(evaluation.machine.memory_bytes))
    usable = units.bytes_to_gigabytes(float(evaluation.memory_limit))
    total = units.bytes_to_gigabytes(float(evaluation.memory.total))
    limit = nice_ceiling(max(1.15 * card, 1.02 * total))
    fits = total <= usable
    text = f"a job can use {size(evaluation.memory_limit)}"
    free = "left" if usable > limit / 2 else "right"
    return {
        "parts": stacked(parts(evaluation), "", limit),
        "limits": [
            {"x": usable, "text": text if fits else f"{text}: does not fit", "side": free},
        ],
        "frame": [{"limit": limit}],
    }


def label(evaluation: Evaluation) -> str:
    """The chart in one sentence."""
    said = "; ".join(f"{part.name} {part.said}" for part in parts(evaluation) if part.value > 0)
    return (
        f"The fullest GPU holds {size(evaluation.memory.total)} of "
        f"{size(evaluation.memory_limit)}: {said}."
    )


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    limits = alt.Chart(dataset("limits"))
    line = (
        limits.mark_rule(strokeWidth=2.5, strokeDash=[6, 3], color=VERMILLION)
        .encode(x="x:Q")
        .properties(name="limit")
    )
    layers = frame(x="limit:Q") + stack_layers("GB on the fullest GPU", None, 44) + line
    for side in ("left", "right"):
        words = limits.transform_filter(f"datum.side === '{side}'").mark_text(
            align="right" if side == "left" else "left",
            baseline="top",
            dx=-6 if side == "left" else 6,
            y=0,
        )
        layers += words.encode(x="x:Q", text="text:N")
    return finished(
        layers,
        title="Does it fit in memory?",
        height=104,
        description="One stacked bar: bytes the fullest GPU holds, against what a job can use.",
    )
