"""Sliders over a list of values, for those who hear them."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets


class SpokenSlider(anywidget.AnyWidget):
    """Shows nothing; sliders with ``slider_class`` speak the value beside them."""

    _esm = Path(__file__).with_suffix(".js")

    slider_class = traitlets.Unicode().tag(sync=True)
