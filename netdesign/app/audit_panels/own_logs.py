"""What the planner's own logs say of the model: errors before and after, and the way on."""

from __future__ import annotations

from netdesign.acceptance.benchmarks import setting
from netdesign.acceptance.own_errors import ErrorLine
from netdesign.acceptance.own_machines import OwnFit
from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.audit.whole import Audit
from netdesign.design import Design, design_to_query
from netdesign.wording import one_line, plural

STUDIO_PAGE = "studio.ipynb"
_HEADS = (
    Head("Calls"),
    Head("Rows", number=True),
    Head("Before: median", number=True),
    Head("9 in 10 below", number=True),
    Head("After: median", number=True),
    Head("9 in 10 below", number=True),
)


def can_calibrate(found: Audit | None) -> bool:
    """Whether a file holds a table of collectives."""
    return found is not None and any("nccl-tests" in report.kinds for report in found.reports)


def own_section(found: OwnFit, design: Design) -> Markup:
    """Errors of the model on these logs, and a link to the Studio with what was measured."""
    lines = zip(found.before, found.after, strict=True)
    rows = [_row(_place(before), before, after) for before, after in lines]
    if found.unseen_before is not None and found.unseen_after is not None:
        rows.append(_row("each log, by the others", found.unseen_before, found.unseen_after))
    return tag(
        "section",
        tag("h2", "The model, calibrated on your machines"),
        tag("p", _said(found)),
        table("Error of the predicted time of a collective", _HEADS, rows, class_="nd-own-errors"),
        _left_out(found),
        _way_on(found, design),
        class_="nd-part",
    )


def _said(found: OwnFit) -> str:
    logs, rows = len(found.logs), found.rows
    used = f"{rows:,} measured calls of {plural(logs, 'table')} count. "
    if not found.helps:
        return f"{used}The model as it comes predicts them better than one fitted to them: keep it."
    said = f"{used}The error is how far the predicted time is from the measured one."
    if found.unseen_after:
        return said
    least = setting("own-band-logs")
    return f"{said} Give {least:g} or more, and each is predicted from the others too."


def _place(line: ErrorLine) -> str:
    return "all" if line.where == line.size else f"{line.where}, {line.size}"


def _row(name: str, before: ErrorLine, after: ErrorLine) -> tuple[object, ...]:
    figures = (before.median, before.percentile_90, after.median, after.percentile_90)
    return (name, f"{before.rows:,}", *(f"{value:.1%}" for value in figures))


def _left_out(found: OwnFit) -> Markup:
    if not found.left_out:
        return Markup()
    entries = [tag("li", one_line(f"{entry.log}: {entry.reason}")) for entry in found.left_out[:60]]
    return tag(
        "details",
        tag("summary", f"Left out: {len(found.left_out)}"),
        tag("ul", join(entries)),
    )


def _way_on(found: OwnFit, design: Design) -> Markup:
    if not found.helps:
        return Markup()
    query = design_to_query(design.with_values(found.settings))
    return tag(
        "p",
        tag(
            "a",
            "Use these measurements in the Studio",
            href=f"{STUDIO_PAGE}?{query}",
            class_="nd-button nd-button-strong nd-own-link",
        ),
    )
