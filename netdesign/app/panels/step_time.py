"""Where does the time go?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from netdesign.app.html import Markup, join, tag
from netdesign.app.layout import card, heading, key
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.bands import MEANING, Band, bands
from netdesign.charts.format import between, digits, seconds
from netdesign.charts.own_words import own_measurements
from netdesign.charts.step_time_bar import parts

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


class StepTimePanel:
    """One bar of the step, its parts by name, its error band.

    Where own logs stand behind the collectives it says so; ``drop`` goes back to the shipped model.
    """

    def __init__(self, drop: Callable[[], None]) -> None:
        self.head = LiveHtml()
        self.foot = LiveHtml(acts={"drop-measured": lambda _: drop()})
        self.picture = Picture("step_time_bar")
        self.widget = card(self.head, self.picture.view, self.foot, classes="nd-panel-step")

    def show(self, evaluation: Evaluation) -> None:
        self.head.value = heading("Step time", evaluation)
        self.picture.show(evaluation)
        sentence = tag("p", _sentence(evaluation), class_="nd-quiet")
        self.foot.value = join((key(parts(evaluation)), sentence, _own(evaluation)))


def _own(evaluation: Evaluation) -> Markup | str:
    """Which own measurements it rests on, with a button that drops them; blank without any."""
    said = own_measurements(evaluation.design)
    if not said:
        return ""
    button: Any = tag(
        "button",
        "Drop them",
        type="button",
        class_="nd-button",
        data_act="drop-measured",
        title="Back to the shipped constants; undo brings them back",
    )
    return tag("p", tag("span", f"Uses {said}. "), button, class_="nd-quiet nd-own-measurements")


def _sentence(evaluation: Evaluation) -> str:
    found = bands(evaluation)
    time, speed = found.step_time_s, found.tokens_per_s_per_gpu
    return (
        f"{seconds(time.value)} a step, {between(seconds(time.low), seconds(time.high))}: "
        f"{MEANING}. A GPU does {digits(speed.value)} tokens per second, {_digits(speed)}."
    )


def _digits(band: Band) -> str:
    return between(digits(band.low), digits(band.high))
