"""An exercise that checks the answer, knows usual mistakes, and shows its solution when asked."""

from __future__ import annotations

import ipywidgets as widgets

from netdesign.app.html import tag
from netdesign.app.lesson.answer_field import AnswerField
from netdesign.app.lesson.answers import Exercise, judge
from netdesign.app.live_html import LiveHtml


class ExerciseBox(widgets.VBox):
    """Question, field, reply; after the first try also the way to the solution."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        head = tag("h3", exercise.title) + tag("p", exercise.question, class_="nd-question")
        self.field = AnswerField("Your answer", "Check", exercise.quantity, self._answered)
        self.solution = LiveHtml("")
        super().__init__([LiveHtml(head), self.field, self.solution])
        self.add_class("nd-exercise")

    def _answered(self, value: float) -> None:
        verdict = judge(self.exercise, value)
        self.field.say(verdict.sentence, "right" if verdict.right else "wrong")
        self.solution.value = tag(
            "details",
            tag("summary", "Worked solution"),
            tag("p", self.exercise.solution),
            class_="nd-solution",
        )
