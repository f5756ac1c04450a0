"""Where does the time go?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netdesign.app.html import join, tag
from netdesign.app.layout import card, heading, key
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.bands import MEANING, Band, bands
from netdesign.charts.format import between, digits, seconds
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
        self.head.value = heading("Step time", evaluation)
        self.picture.show(evaluation)
        sentence = tag("p", _sentence(evaluation), class_="nd-quiet")
        self.foot.value = join((key(parts(evaluation)), sentence))


def _sentence(evaluation: Evaluation) -> str:
    found = bands(evaluation)
    time, speed = found.step_time_s, found.tokens_per_s_per_gpu
    return (
        f"{seconds(time.value)} a step, {between(seconds(time.low), seconds(time.high))}: "
        f"{MEANING}. A GPU does {digits(speed.value)} tokens per second, {_digits(speed)}."
    )


def _digits(band: Band) -> str:
    return between(digits(band.low), digits(band.high))
