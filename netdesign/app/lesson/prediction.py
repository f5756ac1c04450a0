"""A guess first: what it hides appears only after the reader has said a number."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as widgets
import traitlets

from netdesign.app.html import tag
from netdesign.app.lesson.answer_field import AnswerField
from netdesign.app.lesson.answers import Quantity
from netdesign.app.live_html import LiveHtml


class Prediction(widgets.VBox):
    """Asks for a number (SI in ``guess``, None before) and then shows ``revealed``."""

    guess = traitlets.Float(None, allow_none=True)

    def __init__(
        self,
        question: str,
        quantity: Quantity,
        comment: Callable[[float], str],
        revealed: widgets.Widget,
    ) -> None:
        self._comment = comment
        self._revealed = revealed
        self.field = AnswerField("Your guess", "Show me", quantity, self._guessed)
        asked = LiveHtml(tag("p", question, class_="nd-question"))
        self._asking = (asked, self.field)
        super().__init__(self._asking)
        self.add_class("nd-prediction")

    def _guessed(self, value: float) -> None:
        self.guess = value
        self.field.say(self._comment(value), "plain")
        self.field.button.description = self.field.button.tooltip = "Guess again"
        self.children = (*self._asking, self._revealed)
