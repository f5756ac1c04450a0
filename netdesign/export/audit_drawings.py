"""Pictures of what was audited, as SVG for a report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from netdesign.audit.context import Context
from netdesign.audit.fabric_view import FabricView, view_of_plan, view_of_report
from netdesign.audit.nccl_tests.against_model import held
from netdesign.audit.nccl_tests.rates import line_of, spans_one_domain
from netdesign.audit.nccl_tests.tables import Table
from netdesign.audit.report import FileReport
from netdesign.audit.whole import Audit
from netdesign.charts import audit_curve, fabric_ports, fabric_tiers, spec
from netdesign.charts.fabric_ports import drawn_singly
from netdesign.export.audit_html import Drawing
from netdesign.topology.built import Fabric

_WIDTH = 760  # pixels
_MOST_DRAWN = 8  # tables of one file
_ISLAND = "island"  # what a switch is called that no other says the tier of


def drawings(reports: Sequence[FileReport], context: Context) -> dict[int, list[Drawing]]:
    """Pictures by the position of their report."""
    return {place: _of(report, context) for place, report in enumerate(reports)}


def plan_drawing(found: Audit) -> Drawing | None:
    """The planned fabric with the cables that are not in place; None where none is known."""
    if found.plan is None or found.planned is None or found.plan.how == "counts":
        return None
    return _fabric(view_of_plan(found.plan, found.planned))


def _of(report: FileReport, context: Context) -> list[Drawing]:
    content = report.contents.get("nccl-tests")
    tables = content.tables if content is not None else ()
    drawn = [table for table in tables if any(row.busbw for row in table.rows)]
    pictures = [_curve(table, context) for table in drawn[:_MOST_DRAWN]]
    view = view_of_report(report)
    return pictures if view is None else [*pictures, _fabric(view)]


def fabric_chart(view: FabricView) -> tuple[str, tuple[Any, ...], str]:
    """Which chart draws a fabric, what of, and what it shows in words."""
    bad = view.bad if view.bad.any() else None
    fabric = _in_words(view.fabric)
    if drawn_singly(fabric):
        said = f"{fabric_ports.label(fabric)} {view.caption}"
        return "fabric_ports", (fabric, view.names, None, None, bad), said
    together = replace(fabric, rail=np.full_like(fabric.rail, -1))  # few found are clean
    said = f"{fabric_tiers.label(together)} {view.caption}"
    return "fabric_tiers", (together, None, None, bad), said


def _in_words(fabric: Fabric) -> Fabric:
    """Switches of which no tier is known are called devices."""
    tiers = tuple("device" if name == _ISLAND else name for name in fabric.tier_names)
    kinds = tuple(replace(kind, name=kind.name.replace(_ISLAND, "device")) for kind in fabric.kinds)
    return replace(fabric, tier_names=tiers, kinds=kinds)


def _fabric(view: FabricView) -> Drawing:
    name, subject, label = fabric_chart(view)
    chart = fabric_ports if name == "fabric_ports" else fabric_tiers
    return Drawing(svg(spec(name), chart.data(*subject)), label)


def curve_subject(table: Table, context: Context) -> tuple[Any, ...]:
    """What the chart of a table is drawn of: the table, its curve, the rate of its NICs."""
    found = held(table, context)
    curve = None if isinstance(found, str) else found.curve
    rate = None
    if context.node_rate is not None and not spans_one_domain(table):
        rate = line_of(table, context.node_rate, context.ports_per_node)
    return table, curve, rate


def curve_words(table: Table, context: Context) -> str:
    """The curve in a sentence, and why nothing is expected where nothing is."""
    said = audit_curve.label(*curve_subject(table, context))
    found = held(table, context)
    return f"{said} No curve to hold it against: {found}." if isinstance(found, str) else said


def _curve(table: Table, context: Context) -> Drawing:
    subject = curve_subject(table, context)
    return Drawing(
        svg(spec("audit_curve"), audit_curve.data(*subject)), curve_words(table, context)
    )


def svg(specification: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """A chart with its data as SVG."""
    import vl_convert

    rows = {name: _rows(marks) for name, marks in data.items()}
    whole = {**specification, "datasets": rows, "width": _WIDTH}
    found: str = vl_convert.vegalite_to_svg(json.dumps(whole))
    return found


def _rows(marks: Any) -> Any:
    """A data set as rows; charts of many marks give columns."""
    if not isinstance(marks, Mapping):
        return marks
    names = list(marks)
    return [dict(zip(names, row, strict=True)) for row in zip(*marks.values(), strict=True)]
