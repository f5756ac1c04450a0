"""Measured bus bandwidth by message size, beside the curve that the model expects and its band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netdesign import units
from netdesign.charts.format import count
from netdesign.charts.palette import BLUE, BOX_LINE, GREEN, GREY, QUIET_INK, VERMILLION
from netdesign.charts.scales import nice_ceiling
from netdesign.wording import binary_size

if TYPE_CHECKING:
    import altair as alt

    from netdesign.acceptance.expected import Curve
    from netdesign.audit.nccl_tests.tables import Table

OUT, IN = "out of place", "in place"
MOST_POINTS = 400
_OUTSIDE, _BAR = 1.15, 1.03  # the axis beyond its sizes; half a bar, where the band is of one size
_SIZES = [2.0**power for power in range(45)]
_LABEL = (
    "datum.value >= 1073741824 ? format(datum.value / 1073741824, '.4~g') + ' GiB' : "
    "datum.value >= 1048576 ? format(datum.value / 1048576, '.4~g') + ' MiB' : "
    "datum.value >= 1024 ? format(datum.value / 1024, '.4~g') + ' KiB' : "
    "format(datum.value, '.4~g') + ' B'"
)


def data(
    table: Table, curve: Curve | None = None, line_rate: float | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``points``, ``band``, ``expected``, ``line`` and ``frame``; bytes and GB/s.

    Parameters
    ----------
    table : Table
    curve : Curve               what the model expects; None if nothing is
    line_rate : float, bytes/s  of the NICs of a node; None if unknown or of no matter
    """
    rows = [row for row in table.rows if row.size > 0]
    stride = max(1, -(-len(rows) // MOST_POINTS))
    points = [
        _point(row.size, side, which)
        for row in rows[::stride]
        for which, side in ((OUT, row.out_of_place), (IN, row.in_place))
        if side is not None
    ]
    band = [] if curve is None else _band(curve)
    highest = max([entry["gbs"] for entry in points] + [entry["high"] for entry in band] + [0.0])
    line = []
    if line_rate is not None:
        gbs = float(units.bytes_to_gigabytes(line_rate))
        highest = max(highest, gbs)
        line.append({"gbs": gbs, "text": f"NICs of a node: {gbs:.4g} GB/s"})
    return {
        "points": points,
        "band": band,
        "expected": [{"size": entry["size"], "gbs": entry["gbs"]} for entry in band],
        "line": line,
        "frame": [{"gbs": nice_ceiling(highest), "size": size} for size in _ends(points + band)],
    }


def _ends(marks: list[dict[str, Any]]) -> tuple[float, float]:
    """Where the axis of sizes begins and ends: a little outside, also of a single size."""
    sizes = [mark["size"] for mark in marks] or [1.0]
    return min(sizes) / _OUTSIDE, max(sizes) * _OUTSIDE


def label(table: Table, curve: Curve | None = None, line_rate: float | None = None) -> str:
    """The chart in one sentence."""
    name = table.operation or "collective"
    gpus = f" over {count(table.ranks)} GPUs" if table.ranks else ""
    best = max((row.busbw or 0.0 for row in table.rows), default=0.0)
    said = f"{name}{gpus}: at most {units.bytes_to_gigabytes(best):.4g} GB/s of bus bandwidth"
    if curve is None or not len(curve.sizes):
        return f"{said}."
    expected = float(units.bytes_to_gigabytes(curve.busbw.max()))
    return f"{said}; the model expects up to {expected:.4g} GB/s."


def _point(size: float, side: Any, which: str) -> dict[str, Any]:
    gbs = float(units.bytes_to_gigabytes(side.busbw))
    time = units.seconds_to_microseconds(side.time)
    return {
        "size": size,
        "gbs": gbs,
        "which": which,
        "tip": f"{binary_size(size)}, {which}: {gbs:.4g} GB/s, {time:.4g} µs",
    }


def _band(curve: Curve) -> list[dict[str, Any]]:
    rows = sorted(
        zip(curve.sizes, curve.busbw, curve.low, curve.high, strict=True), key=lambda row: row[0]
    )
    stride = max(1, -(-len(rows) // MOST_POINTS))
    if len(rows) == 1:
        rows = [(rows[0][0] * side, *rows[0][1:]) for side in (1 / _BAR, _BAR)]
    return [
        {
            "size": float(size),
            "gbs": float(units.bytes_to_gigabytes(middle)),
            "low": float(units.bytes_to_gigabytes(low)),
            "high": float(units.bytes_to_gigabytes(high)),
        }
        for size, middle, low, high in rows[::stride]
    ]


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "size:Q",
        title="message size",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(
            values=_SIZES, labelExpr=_LABEL, labelOverlap="parity", labelSeparation=6, grid=False
        ),
    )
    y = alt.Y("gbs:Q", title="bus bandwidth, GB/s", scale=alt.Scale(zero=True, nice=False))
    kinds = alt.Scale(domain=[OUT, IN], range=[BLUE, GREEN])
    shapes = alt.Scale(domain=[OUT, IN], range=["circle", "diamond"])
    fills = alt.Scale(domain=[OUT, IN], range=[BLUE, "transparent"])  # both show where they meet
    legend = alt.Legend(orient="top", title=None)
    band = (
        alt.Chart(dataset("band"))
        .mark_area(color=GREY, opacity=0.25)
        .encode(x=x, y=alt.Y("low:Q"), y2="high:Q")
    )
    expected = (
        alt.Chart(dataset("expected"))
        .mark_line(strokeDash=[6, 3], strokeWidth=1.5, color=BOX_LINE)
        .encode(x=x, y=y)
    )
    line = alt.Chart(dataset("line"))
    rule = line.mark_rule(strokeWidth=1.5, color=VERMILLION).encode(y=y)
    words = line.mark_text(align="left", dx=6, dy=-8, x=0, color=QUIET_INK).encode(
        y=y, text="text:N"
    )
    measured = (
        alt.Chart(dataset("points"))
        .mark_point(size=52, opacity=1, strokeWidth=1.6)
        .encode(
            x=x,
            y=y,
            stroke=alt.Stroke("which:N", scale=kinds, legend=legend),
            fill=alt.Fill("which:N", scale=fills, legend=legend),
            shape=alt.Shape("which:N", scale=shapes, legend=legend),
            tooltip=alt.Tooltip("tip:N", title=" "),
        )
    )
    layers = (
        frame(x=x, y=y) + band + expected + rule + words.properties(name="quiet_line") + measured
    )
    return finished(
        layers,
        title="Is the curve where the model expects it?",
        subtitle="Dashed: expected; grey: four measured systems in five",
        height=260,
        description="Bus bandwidth against message size.",
    )
