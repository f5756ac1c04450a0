"""A comparison as plain numbers, text, Markdown and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, get_args

from netdesign.bands import Band
from netdesign.catalog.transport_facts import Topic, facts_of
from netdesign.comparison.compare import Comparison
from netdesign.comparison.figures import Figure
from netdesign.comparison.measures import Measure
from netdesign.comparison.money import Money
from netdesign.comparison.sides import Side
from netdesign.comparison.verdict import (
    decimals,
    loss_grade,
    names_of,
    percent,
    signed,
    verdict,
)
from netdesign.congestion.settings import routing_rows
from netdesign.export.json_numbers import finite
from netdesign.units import seconds_to_microseconds

TREATMENT_SHARED = (
    "Job, plan and machines are the same: the error of the step model is common to both and leaves "
    "their ratio alone. The band of a difference holds what the figures of the two transports may "
    "be."
)
TREATMENT_APART = (
    "Job, plan or machines differ: the bands of both count, as errors that know nothing of each "
    "other."
)
_POINTERS = "Settings: netdesign nccl config and netdesign lossless write them for a design."


def comparison_record(found: Comparison) -> dict[str, Any]:
    """Nested dictionaries that are valid JSON; units in the names, no number is infinite."""
    decided = verdict(found)
    return {
        "verdict": {
            "winner": decided.winner,
            "sentence": decided.sentence,
            "reasons": list(decided.reasons),
        },
        "first": _side(found.first, found.first_money),
        "second": _side(found.second, found.second_money),
        "measures": {measure.name: _measure(measure) for measure in found.measures},
        "breakeven": {
            "loss_share": finite(found.loss),
            "loss_grade": loss_grade(found),
            "fabric_share": finite(found.fabric_share),
            "discount_share": finite(found.discount),
            "affordable_loss_share": finite(found.affordable_loss),
            "breakeven_discount_share": finite(found.breakeven_discount),
        },
        "difference": {
            "shared_error": found.shared_error,
            "treatment": treatment(found),
        },
        "switches": [
            {
                "id": one.switch.id,
                "name": one.switch.name,
                "same_ports": one.same,
                "priced": one.priced,
                "reason": one.reason,
            }
            for one in found.counterparts
        ],
    }


def treatment(found: Comparison) -> str:
    """How the bands of the two sides make the band of their difference."""
    return TREATMENT_SHARED if found.shared_error else TREATMENT_APART


def comparison_text(found: Comparison) -> str:
    """What a terminal shows."""
    decided, names = verdict(found), names_of(found)
    lines = [decided.sentence, *(f"  {reason}" for reason in decided.reasons), ""]
    lines += [f"A  {names[0]}: {found.first.design.name}"]
    lines += [f"B  {names[1]}: {found.second.design.name}", ""]
    head = ("", "A", "B", "B against A", "better")
    rows = [head, *(measure_cells(measure) for measure in found.measures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines += [_aligned(row, widths) for row in rows]
    lines += ["", treatment(found)]
    lines += [f"Switch: {one.reason}" for one in found.counterparts]
    for letter, side in zip("AB", (found.first, found.second), strict=True):
        lines += ["", *_side_lines(letter, side)]
    return "\n".join([*lines, "", _POINTERS])


def built_line(found: Comparison, first: float | None, second: float | None) -> list[str]:
    """Both steps on the fabrics as they are cabled, s; nothing where neither can be built."""
    sides, built = (found.first, found.second), (first, second)
    worst, others, kept = [], [], []
    for letter, side, step_s in zip("AB", sides, built, strict=True):
        if step_s is None:
            continue
        said = f"{letter} {quantity(step_s, 's')}, {_against(step_s, side.step_time_s)}"
        if routing_rows()[side.figures.id].policy == "ecmp":
            worst.append(said)
            balance = side.figures.balance
            kept.append(f"{letter} {_share(balance.value)}, {balance.grade}")
        else:
            others.append(said)
    lines = []
    if worst:
        lines.append(
            f"The step at its worst: {'; '.join(worst)}. It puts every flow on one path by a "
            "random hash and lets each collective wait for its most crowded link. The table uses "
            "what whole collectives keep of the bandwidth on average instead "
            f"({'; '.join(kept)}): expect the table, and take the worst case as its upper end. "
            "netdesign congestion shows the crowded links, and other throws of the hash."
        )
    if others:
        lines.append(f"The step on the cables as built, no flow hashed: {'; '.join(others)}.")
    return lines


def _against(step_s: float, table_s: float) -> str:
    longer = step_s / table_s - 1
    if percent(longer) == percent(0.0):
        return "as in the table"
    return f"{percent(abs(longer))} {'longer' if longer > 0 else 'shorter'} than in the table"


def comparison_markdown(found: Comparison) -> str:
    """The comparison as a page that people hand on."""
    decided, names = verdict(found), names_of(found)
    lines = [f"# {_plain(names[0])} or {_plain(names[1])}", "", f"**{_plain(decided.sentence)}**"]
    lines += ["", *(f"- {_plain(reason)}" for reason in decided.reasons), ""]
    lines += [f"A: {_plain(found.first.design.name)}", ""]
    lines += [f"B: {_plain(found.second.design.name)}", ""]
    lines += ["|  | A | B | B against A | better |", "|---|---|---|---|---|"]
    rows = (measure_cells(measure) for measure in found.measures)
    lines += [f"| {' | '.join(_plain(cell) for cell in row)} |" for row in rows]
    lines += ["", treatment(found), ""]
    lines += [f"- {_plain(one.reason)}" for one in found.counterparts]
    for side in (found.first, found.second):
        lines += ["", f"## {_plain(side.figures.name)}", ""]
        lines += ["| figure | value | grade | source |", "|---|---|---|---|"]
        lines += [f"| {' | '.join(figure_cells(figure))} |" for figure in side.figures.all]
        lines += [f"- {topic}: {_plain(text)}" for topic, text in _facts(side)]
    return "\n".join([*lines, "", _POINTERS, ""])


def comparison_csv(found: Comparison) -> str:
    """One line a measure, numbers in SI units and dollars."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    ends = ("", "_low", "_high")
    header = [f"{column}{end}" for column in ("a", "b", "difference_share") for end in ends]
    writer.writerow(["measure", "unit", *header, "better", "reason"])
    for measure in found.measures:
        bands = (measure.first, measure.second, measure.difference)
        numbers = [_cell(end) for band in bands for end in (band.value, band.low, band.high)]
        writer.writerow([measure.name, measure.unit, *numbers, measure.better, measure.reason])
    return out.getvalue()


def measure_cells(measure: Measure) -> tuple[str, str, str, str, str]:
    """Label, both values and the difference, each with its band, and who is better."""
    better = {"first": "A", "second": "B", "same": f"neither: {measure.reason}"}
    return (
        measure.label,
        banded(measure.first, measure.unit),
        banded(measure.second, measure.unit),
        _difference(measure.difference),
        better.get(measure.better, f"unknown: {measure.reason}"),
    )


def figure_cells(figure: Figure) -> tuple[str, str, str, str]:
    """What a figure is, its value with what it may lie between, grade, source."""
    label, shown = _FIGURES[figure.name]
    value = shown(figure.value)
    if figure.low != figure.high:
        value = f"{value} ({shown(figure.low)} to {shown(figure.high)})"
    return label, value, figure.grade, figure.source or "the planner"


def quantity(value: float, unit: str) -> str:
    """A number to three digits with its unit; "unknown" where there is none."""
    return banded(Band(value, value, value), unit)


def banded(band: Band, unit: str) -> str:
    """A number to three digits and its band at the same precision: 4.07 s (3.80 to 4.41)."""
    if math.isnan(band.value):
        return "unknown"
    if math.isinf(band.value):
        return "no limit"
    steps, size = _STEPS.get(unit, ((1.0, unit),)), abs(float(f"{band.value:.3g}"))
    factor, shown = next((step for step in steps if size >= step[0]), steps[-1])
    scaled = [end / factor for end in (band.value, band.low, band.high)]
    digits = _decimals(scaled[0])
    value, low, high = (f"{end:,.{digits}f}" for end in scaled)
    money = "$" if unit == "USD" else ""
    said = f"{money}{value} {shown}".rstrip()
    return said if low == high else f"{said} ({money}{low} to {money}{high})"


def _decimals(value: float) -> int:
    """Digits after the point that leave three significant ones."""
    if not value:
        return 0
    return max(0, 2 - math.floor(math.log10(abs(float(f"{value:.2e}")))))


def facts(side: Side) -> tuple[tuple[str, str, str, str], ...]:
    """Topic, sentence, grade and source of what is known of a transport."""
    topics: Sequence[Topic] = get_args(Topic)
    return tuple(
        (topic.replace("-", " "), fact.says, fact.grade, fact.source)
        for topic in topics
        for fact in facts_of(side.figures.id, topic)
    )


def reduction_sentence(side: Side) -> str:
    """What reduction in the switches could give; empty where the transport has none."""
    found = side.reduction
    if found is None:
        return ""
    on = "on" if side.evaluation.machine.in_network_reduction else "off"
    return (
        f"{found.row.name} ({found.row.jobs}) is {on}: an all-reduce could be up to "
        f"{found.gain:.2f} times as fast ({found.row.grade}); {percent(found.all_reduce_share)} "
        "of this plan's bytes on the network are all-reduce, the rest gains nothing."
    )


def _side_lines(letter: str, side: Side) -> list[str]:
    lines = [f"{letter}  {side.figures.name}"]
    for figure in side.figures.all:
        label, value, grade, source = figure_cells(figure)
        lines.append(f"   {label:<28}{value:<30}{grade}, {source}")
    lines.append(f"   a barrier of {side.design.cluster.gpus:,} GPUs feels p{_percentile(side)}")
    if side.reduction is not None:
        lines.append(f"   {reduction_sentence(side)}")
    return lines + [f"   {topic}: {text}" for topic, text in _facts(side)]


def _facts(side: Side) -> list[tuple[str, str]]:
    return [(topic, f"{says} ({grade}, {source})") for topic, says, grade, source in facts(side)]


def _percentile(side: Side) -> str:
    return f"{100 * side.tail.percentile:.3f}".rstrip("0")


def _difference(change: Band) -> str:
    if math.isnan(change.value):
        return "unknown"
    digits = decimals(change.value)
    low, high = signed(change.low, digits), signed(change.high, digits)
    shown = signed(change.value)
    return shown if low == high else f"{shown} ({low} to {high})"


def _microseconds(value: float) -> str:
    return f"{seconds_to_microseconds(value):.3g} µs"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


# Of each unit the factors and their names: the first that leaves 1 or more, else the last.
_STEPS: Mapping[str, tuple[tuple[float, str], ...]] = MappingProxyType(
    {
        "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
        "USD": ((1e9, "B"), (1e6, "M"), (1e3, "k"), (1.0, "")),
        "W": ((1e6, "MW"), (1e3, "kW"), (1.0, "W")),
        "1/s": ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"), (1.0, "")),
        "1/USD": ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"), (1.0, "")),
    }
)
_FIGURES = {
    "framing": ("data in a full frame", _share),
    "balance_efficiency": ("balance over equal paths", _share),
    "base_latency_s": ("latency under one leaf", _microseconds),
    "extra_latency_s": ("for each further tier", _microseconds),
}


def _side(side: Side, money: Money) -> dict[str, Any]:
    evaluation, figures = side.evaluation, side.figures
    found = side.reduction
    return {
        "design": side.design.name,
        "transport": figures.id,
        "name": figures.name,
        "switch": side.design.network.switch,
        "plan": evaluation.plan_label,
        "tiers": int(evaluation.fabric.tiers),
        "switches": int(evaluation.fabric.switches),
        "exposed_share": finite(side.exposed_share),
        "tail_percentile": side.tail.percentile,
        "exposed_barriers": side.tail.barriers,
        "queue_pairs": figures.queue_pairs,
        "figures": {figure.name: _figure(figure) for figure in figures.all},
        "in_network_reduction": None
        if found is None
        else {
            "generation": found.row.name,
            "largest_gain": found.gain,
            "all_reduce_share": found.all_reduce_share,
            "jobs": found.row.jobs,
            "grade": found.row.grade,
        },
        "money": {
            "basis": money.basis,
            "unpriced": list(money.unpriced),
            "unmetered": list(money.unmetered),
            "usd_per_hour": finite(money.usd_per_hour),
        },
        "facts": [
            {"topic": topic, "says": says, "grade": grade, "source": source}
            for topic, says, grade, source in facts(side)
        ],
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "grade": figure.grade,
        "source": figure.source,
        "date": figure.date,
        "note": figure.note,
    }


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "label": measure.label,
        "unit": measure.unit,
        "first": _band(measure.first),
        "second": _band(measure.second),
        "difference_share": _band(measure.difference),
        "less_is_better": measure.less_is_better,
        "better": measure.better,
        "reason": measure.reason,
    }


def _band(band: Band) -> dict[str, float | None]:
    return {
        "value": finite(band.value),
        "low": finite(band.low),
        "high": finite(band.high),
    }


def _cell(value: float) -> str:
    return f"{value:.9g}" if math.isfinite(value) else ""


def _plain(text: str) -> str:
    """Text of a stranger's design in a Markdown cell."""
    return "".join(f"\\{letter}" if letter in "\\|*_`<>[]#" else letter for letter in text)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = cells
    numbers = [cell.rjust(width) for cell, width in zip(rest[:2], widths[1:3], strict=True)]
    words = [cell.ljust(width) for cell, width in zip(rest[2:], widths[3:], strict=True)]
    return "   ".join([first.ljust(widths[0]), *numbers, *words]).rstrip()
