"""One line to answer in: a number, its unit, a button, and what the page says to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from netdesign.app.html import Markup, tag
from netdesign.app.lesson.answers import UNITS, Quantity, complaint, read_answer
from netdesign.app.live_html import LiveHtml
from netdesign.errors import DesignError


class AnswerField(widgets.VBox):
    """Calls ``answered`` with the value in SI units; a slip of the pen is told beside the field."""

    def __init__(
        self, label: str, button: str, quantity: Quantity, answered: Callable[[float], None]
    ) -> None:
        self._quantity = quantity
        self._answered = answered
        self.text = widgets.Text(description=label, placeholder="a number", tooltip=label)
        self.unit = widgets.Dropdown(
            options=list(UNITS[quantity]), description="unit", tooltip=f"{label}: unit"
        )
        self.button = widgets.Button(description=button, tooltip=button)
        self.reply = LiveHtml(_reply("", ""))
        self.unit.add_class("nd-answer-unit")
        self.button.add_class("nd-answer-button")
        self.button.on_click(lambda _: self.submit())
        self.text.on_msg(self._entered)
        row = widgets.HBox([self.text, self.unit, self.button])
        row.add_class("nd-answer-row")
        super().__init__([row, self.reply])
        self.add_class("nd-answer")

    def submit(self) -> None:
        """What the button does."""
        try:
            value = read_answer(self.text.value, self._quantity, self.unit.value)
        except DesignError as error:
            self.say(complaint(error), "wrong")
            return
        self._answered(value)

    def say(self, sentence: str, kind: str) -> None:
        """Answer the reader; ``kind`` is right, wrong or plain."""
        self.reply.value = _reply(sentence, kind)

    def _entered(self, _widget: Any, content: dict[str, Any], _buffers: Any) -> None:
        if content.get("event") == "submit":
            self.submit()


def _reply(sentence: str, kind: str) -> Markup:
    mark = {"right": "✓ ", "wrong": "✗ "}.get(kind, "")
    shown = tag("p", tag("span", mark, aria_hidden="true"), sentence) if sentence else ""
    return tag("div", shown, class_=f"nd-reply nd-reply-{kind or 'plain'}", role="status")
