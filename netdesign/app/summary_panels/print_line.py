"""The line that only paper has: the day of printing, the age of the data, the address."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets


class PrintLine(anywidget.AnyWidget):
    """Day and address come from the browser when it prints; the age of the data from here."""

    _esm = Path(__file__).with_suffix(".js")

    data_age = traitlets.Unicode().tag(sync=True)
