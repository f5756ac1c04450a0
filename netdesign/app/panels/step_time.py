"""Where does the time go?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netdesign.app.html import join, tag
from netdesign.app.layout import card, heading, key
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.charts.format import seconds
from netdesign.charts.step_time_bar import parts

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class StepTimePanel:
    """One bar of the step, its parts by name, its error band."""

    def __init__(self) -> None:
        self.head, self.foot = LiveHtml(), LiveHtml()
        self.picture = Picture("step_time_bar")
        self.widget = card(self.head, self.picture.view, self.foot, classes="nd-panel-step")

    def show(self, evaluation: Evaluation) -> None:
        step = evaluation.step
        self.head.value = heading("Step time", evaluation)
        self.picture.show(evaluation)
        band = (
            f"{seconds(step.step_time_s)}, with 80 % of measured runs between "
            f"{seconds(step.step_time_low_s)} and {seconds(step.step_time_high_s)}."
        )
        self.foot.value = join((key(parts(evaluation)), tag("p", band, class_="nd-quiet")))
