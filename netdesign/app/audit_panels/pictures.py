"""Pictures of what is looked at: the curve of a table, the network of a dump."""

from __future__ import annotations

from typing import Any

from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import box, seen
from netdesign.app.live_html import Act, LiveHtml
from netdesign.app.pictures import Picture
from netdesign.audit.context import Context
from netdesign.audit.fabric_view import FabricView
from netdesign.audit.report import FileReport
from netdesign.export.audit_drawings import curve_subject, curve_words, fabric_chart
from netdesign.wording import one_line


class Pictures:
    """One curve and one fabric; each is hidden where there is nothing to draw."""

    def __init__(self, choose_table: Act) -> None:
        self.tables = LiveHtml(acts={"table": choose_table})
        self.curve = Picture("audit_curve")
        self.caption, self.expectation = LiveHtml(), LiveHtml()
        self.drawn = {
            "fabric_ports": Picture("fabric_ports"),
            "fabric_tiers": Picture("fabric_tiers"),
        }
        self._curve = box([self.tables, self.curve.view, self.expectation], "nd-part", "nd-picture")
        self._boxes = {name: box([chart.view]) for name, chart in self.drawn.items()}
        self._fabric = box([*self._boxes.values(), self.caption], "nd-part", "nd-picture")
        self.widgets = (self._curve, self._fabric)
        self.show_curve(None, Context(), 0)
        self.show_fabric(None)

    def show_curve(self, report: FileReport | None, context: Context, number: int) -> None:
        """The curve of one table of a file."""
        content = None if report is None else report.contents.get("nccl-tests")
        drawn = (
            [] if content is None else [t for t in content.tables if any(r.busbw for r in t.rows)]
        )
        seen(self._curve, bool(drawn))
        if not drawn:
            return
        chosen = min(number, len(drawn) - 1)
        self.tables.value = _tables(drawn, chosen)
        self.curve.show(*curve_subject(drawn[chosen], context))
        said = curve_words(drawn[chosen], context)
        self.expectation.value = tag("p", one_line(said), class_="nd-quiet")

    def show_fabric(self, view: FabricView | None) -> None:
        """A fabric with its bad links."""
        seen(self._fabric, view is not None)
        if view is None:
            return
        name, subject, label = fabric_chart(view)
        self.drawn[name].show(*subject)
        for other, frame in self._boxes.items():
            seen(frame, other == name)
        self.caption.value = tag("p", label, class_="nd-quiet")


def _tables(tables: list[Any], chosen: int) -> Markup:
    if len(tables) < 2:
        return Markup()
    options = join(
        tag(
            "option",
            f"table {number + 1}: {table.operation or 'operation not known'}",
            value=number,
            selected=number == chosen,
        )
        for number, table in enumerate(tables)
    )
    return tag("label", "Curve of ", tag("select", options, class_="nd-button", data_act="table"))
