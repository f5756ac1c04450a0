"""A chart on a page: its frozen specification once, then data when they differ."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from netdesign.app.courier import Carried
from netdesign.app.transport import ChartView
from netdesign.charts import spec


class CarriedChart(Carried, ChartView):
    """A chart whose data go with the other news of an update."""


class Picture:
    """One chart of :mod:`netdesign.charts` and the widget that shows it."""

    def __init__(self, name: str, **options: Any) -> None:
        self._chart = import_module(f"netdesign.charts.{name}")
        options = {"downloadFileName": name.replace("_", "-"), **options}
        self.view = CarriedChart(spec(name), options=options)
        self.view.add_class(f"nd-chart-{name.replace('_', '-')}")

    def show(self, *subject: Any) -> None:
        """Draw an Evaluation (or what the chart is of), unless it looks the same."""
        fresh = self._chart.data(*subject)
        shown = self.view.data
        changed = {name: rows for name, rows in fresh.items() if shown.get(name) != rows}
        if changed:
            self.view.show(changed, label=self._chart.label(*subject))
