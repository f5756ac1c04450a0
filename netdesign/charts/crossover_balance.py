"""Who wins in tokens for a dollar? A map of GPU counts and the balance of fabric B."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from netdesign.charts.format import SPACE, count, percent
from netdesign.charts.palette import BLUE, ON_DARK_COLOUR, ON_LIGHT_COLOUR, ORANGE

if TYPE_CHECKING:
    import altair as alt

    from netdesign.comparison.crossover import BalanceMap

WIDEST = 0.05  # from here on the colour does not grow
_MIDDLE = "#F2F2F2"
_HALF = math.sqrt(2.0)  # of a cell, on an axis that doubles


def data(
    found: BalanceMap, gpus: int, balance: float, names: tuple[str, str]
) -> dict[str, list[dict[str, Any]]]:
    """Data sets ``cells``, ``line``, ``gaps``, ``today``, ``words`` and ``frame``.

    Parameters
    ----------
    found : BalanceMap
    gpus : int              of the design
    balance : float         of fabric B as it is set
    names : two of str      what A and B are called
    """
    gains, cells = np.round(found.ratio - 1, 5).tolist(), []
    edges = _edges(found.balance.tolist())
    for number, row in zip(found.gpus.tolist(), gains, strict=True):
        for (low, high), gain in zip(edges, row, strict=True):
            if gain == gain:
                cells.append({"n": number / _HALF, "n2": number * _HALF, "b": low, "b2": high,
                              "gain": gain})  # fmt: skip
    return {
        "cells": cells,
        "line": _line(found),
        "gaps": _gaps(found),
        "today": [{"n": gpus, "b": balance, "text": "as set"}],
        "words": [{"text": f"A: {names[0]} · B: {names[1]}"}],
        "frame": [
            {"n": float(found.gpus[0]) / _HALF, "b": float(found.balance[0])},
            {"n": float(found.gpus[-1]) * _HALF, "b": float(found.balance[-1])},
        ],
    }


def _edges(balance: list[float]) -> list[tuple[float, float]]:
    middles = [(low + high) / 2 for low, high in zip(balance, balance[1:], strict=False)]
    ends = [balance[0], *middles, balance[-1]]
    return list(zip(ends, ends[1:], strict=False))


def _line(found: BalanceMap) -> list[dict[str, Any]]:
    """The balance at which p = s d, a tread a GPU count; ends of the map where there is none."""
    lowest, highest = float(found.balance[0]), float(found.balance[-1])
    treads = []
    rows = zip(found.gpus.tolist(), found.line.tolist(), found.affordable.tolist(), strict=True)
    for number, at, affordable in rows:
        if not math.isfinite(affordable):
            continue
        drawn = highest if math.isnan(at) else max(at, lowest)
        words = f"B wins at a balance above {at:.3f}"
        if math.isnan(at):
            words = "B wins at no balance"
        elif at <= lowest:
            words = f"B wins from a balance of {lowest:.2f}, where the map begins"
        saved = f"its saving pays for a loss of {percent(affordable)}"
        tip = f"{count(number)} GPUs: {words}; {saved}"
        treads.append({"n": number / _HALF, "n2": number * _HALF, "b": drawn, "tip": tip})
    return treads


def _gaps(found: BalanceMap) -> list[dict[str, Any]]:
    middle = float(found.balance[len(found.balance) // 2])
    return [
        {"n": number, "b": middle, "text": "no plan", "tip": f"{count(number)} GPUs: {problem}"}
        for number, problem in zip(found.gpus.tolist(), found.problems, strict=True)
        if problem
    ]


def label(found: BalanceMap, gpus: int, balance: float, names: tuple[str, str]) -> str:
    """The chart in one sentence."""
    known = [
        (number, at)
        for number, at, affordable in zip(
            found.gpus.tolist(), found.line.tolist(), found.affordable.tolist(), strict=True
        )
        if math.isfinite(affordable)
    ]
    if not known:
        return "Tokens for a dollar by GPUs and balance: no price, so nobody wins."
    said = ", ".join(f"{count(number)}{SPACE}GPUs {_said(at)}" for number, at in known)
    return (
        f"Balance of {names[1]} above which it gives more tokens for a dollar than {names[0]}: "
        f"{said}; set are {count(gpus)} GPUs and {balance:.3f}."
    )


def _said(at: float) -> str:
    return "none" if math.isnan(at) else "any" if at == 0 else f"{at:.2f}"


def build() -> alt.LayerChart:
    """The chart, its data sets empty."""
    import altair as alt

    from netdesign.charts.authoring import dataset, finished, frame

    x = alt.X(
        "n:Q",
        title="GPUs",
        scale=alt.Scale(type="log", base=2, nice=False, padding=0),
        axis=alt.Axis(grid=False, format=",d", values=[2**power for power in range(5, 16)]),
    )
    y = alt.Y(
        "b:Q",
        title="balance efficiency of B",
        scale=alt.Scale(nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=7, format=".1f"),
    )
    tip = alt.Tooltip("tip:N", title=" ")
    line = (
        alt.Chart(dataset("line"))
        .mark_rule(strokeWidth=3, color=ON_LIGHT_COLOUR)
        .encode(x=x, x2="n2:Q", y=y, tooltip=tip)
    )
    gaps = (
        alt.Chart(dataset("gaps")).mark_text(angle=270).encode(x=x, y=y, text="text:N", tooltip=tip)
    )
    today = alt.Chart(dataset("today")).encode(x=x, y=y)
    # neither of the two colours of the map: it belongs to no side
    ring = today.mark_point(
        size=150,
        filled=True,
        opacity=1,
        color=ON_DARK_COLOUR,
        stroke=ON_LIGHT_COLOUR,
        strokeWidth=3,
    )
    return finished(
        frame(x=x, y=y)
        + _cells(x, y, tip)
        + line
        + gaps
        + ring
        + _words(alt.Chart(dataset("words"))),
        title="Where is B the better buy?",
        height=300,
        description="Map: tokens for a dollar of B against A; black line: loss = share x discount.",
        subtitle="Job, prices, switches and MTU held fixed; ring: as set",
    )


def _words(chart: alt.Chart) -> alt.Chart:
    import altair as alt

    words: alt.Chart = (
        chart.mark_text(align="left", baseline="bottom", dy=-4, opacity=0.75)
        .encode(x=alt.value(0), y=alt.value(0), text="text:N")
        .properties(name="quiet")
    )
    return words


def _cells(x: alt.X, y: alt.Y, tip: alt.Tooltip) -> alt.Chart:
    import altair as alt

    from netdesign.charts.authoring import dataset

    shades = alt.Scale(
        domain=[-WIDEST, 0, WIDEST], range=[BLUE, _MIDDLE, ORANGE], clamp=True, zero=False
    )
    colour = alt.Color(
        "gain:Q",
        title="tokens for a dollar, B against A",
        scale=shades,
        legend=alt.Legend(
            orient="bottom",
            format="+.0%",
            type="gradient",
            gradientLength=200,
            values=[-WIDEST, 0, WIDEST],
            titleLimit=300,
        ),
    )
    cells: alt.Chart = (
        alt.Chart(dataset("cells"))
        .transform_calculate(
            tip="'B gives ' + format(abs(datum.gain), '.1%') + (datum.gain < 0 ? ' fewer' : "
            "' more') + ' tokens for a dollar'"
        )
        # the edge of a cell in its own colour, or the page shines through between cells
        .mark_rect(opacity=1, stroke=alt.ExprRef("scale('color', datum.gain)"), strokeWidth=1)
        .encode(x=x, x2="n2:Q", y=y, y2="b2:Q", color=colour, tooltip=tip)
    )
    return cells
