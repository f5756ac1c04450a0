"""Lesson 1, why one slow link stops everyone: what the notebook shows between its texts.

One state: the ring (``SlowRing``) that the reader drags, and the guess. Widgets write the state and
are drawn from it; the numbers come from ``netdesign.network``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ipywidgets as widgets
import traitlets

from netdesign.app.html import Markup, tag
from netdesign.app.layout import box
from netdesign.app.lesson import ExerciseBox, LessonPage, Prediction, SpokenSlider
from netdesign.app.lesson.answers import close
from netdesign.app.lesson_01_exercises import diagnosis_exercise, forward_exercise
from netdesign.app.lesson_01_texts import check, why
from netdesign.app.live_html import LiveHtml
from netdesign.app.pictures import Picture
from netdesign.catalog import load_catalog
from netdesign.charts.format import SPACE, bandwidth, digits, percent
from netdesign.network.slow_link import SlowRing
from netdesign.units import gigabytes_to_bytes

TITLE = "Lesson 1: why one slow link stops everyone"
# Claim A01 of the requirements guide: 7e9 gradients of 2 bytes over 512 GPUs.
GRADIENTS_GB, RANKS = 14.0, 512
ASKED_SHARE = 0.5  # claim A03: the rate at which one bad cable halves the ring
NEAR = 0.1  # a guess this close counts as the same
SMALL_RING = 8
RING_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384)


def article_ring(slow_share: float = 1.0) -> SlowRing:
    """The ring of the article: one 400 Gb/s port a GPU, InfiniBand over two tiers."""
    catalog = load_catalog()
    server = catalog.servers["dgx-h100"]
    return SlowRing(
        size=gigabytes_to_bytes(GRADIENTS_GB),
        ranks=RANKS,
        bandwidth=server.port_bandwidth,
        latency=float(catalog.transports["infiniband"].latency(2)),
        slow_share=slow_share,
    )


class LessonState(traitlets.HasTraits):
    """What the reader has set."""

    ring = traitlets.Instance(SlowRing)
    guess = traitlets.Float(None, allow_none=True)


class SlowLinkLesson:
    """The widgets of the lesson, in the order of the notebook."""

    def __init__(self) -> None:
        self.asked = article_ring(ASKED_SHARE)
        self.state = LessonState(ring=self.asked)
        self.page = LessonPage(TITLE)
        self.predict = self._predict()
        self.drag = Drag(self.state, self.page, self.asked)
        self.explain = Explain(self.state, self.page)
        self.why = Told(self.state, self.page, why(self.asked))
        self.check = Told(self.state, self.page, check(self.asked))
        self.exercise_1 = ExerciseBox(forward_exercise(article_ring()))
        self.exercise_2 = ExerciseBox(diagnosis_exercise(article_ring()))

    def _predict(self) -> Prediction:
        picture = Picture("slow_link_guess")
        question = (
            f"One of the {RANKS} links falls to half its rate; the other {RANKS - 1} stay healthy. "
            f"Healthy, the all-reduce took {_seconds(self.asked.healthy_time)}. "
            "How long does it take now?"
        )
        prediction = Prediction(question, "time", self._comment, picture.view)

        def guessed(change: Any) -> None:
            picture.show(self.asked, change["new"])
            self.state.guess = change["new"]

        prediction.observe(self.page.guarded(guessed), "guess")
        return prediction

    def _comment(self, guess: float) -> str:
        ring = self.asked
        truth = f"The ring takes {_seconds(ring.time)}, twice as long as before."
        if close(guess, ring.time, NEAR):
            return f"Yes. {truth}"
        if close(guess, ring.time_at_average, NEAR):
            return (
                f"That is what the average of the links suggests, and most people say it. {truth}"
            )
        if guess < ring.healthy_time:
            return f"Faster than the healthy ring? {truth}"
        if guess < ring.time:
            return f"You expected some of the loss. {truth}"
        return f"Not quite so bad. {truth}"


class AfterTheGuess(widgets.VBox):
    """A part of the page that waits for the reader's guess, then follows the state."""

    def __init__(self, state: LessonState, page: LessonPage) -> None:
        self.state = state
        lock = tag("p", "Make your prediction first: then this opens.", class_="nd-locked")
        self.locked = LiveHtml(tag("div", lock, role="status"))
        super().__init__([self.locked])
        state.observe(page.guarded(lambda _: self._follow()), ["ring", "guess"])

    def _follow(self) -> None:
        if self.state.guess is not None:
            self.show()
            self.children = self.parts

    @property
    def parts(self) -> tuple[widgets.Widget, ...]:
        """What is on the page once it is open."""
        raise NotImplementedError

    def show(self) -> None:
        """Draw the state."""
        raise NotImplementedError


class Drag(AfterTheGuess):
    """The rate of one link and the size of the ring."""

    def __init__(self, state: LessonState, page: LessonPage, asked: SlowRing) -> None:
        self._asked = asked
        self.picture = Picture("slow_link_curve")
        self.numbers = LiveHtml("")
        self.share = share_slider(state)
        self.ranks = widgets.SelectionSlider(
            options=[(f"{n:,}", n) for n in RING_SIZES],
            value=state.ring.ranks,
            description="Ranks in the ring",
            tooltip="Ranks in the ring",
        )
        self.ranks.observe(lambda change: _set(state, ranks=change["new"]), "value")
        self._sliders = sliders(self.share, self.ranks)
        self._spoken = SpokenSlider(slider_class="nd-slider")
        super().__init__(state, page)
        self.add_class("nd-drag")

    @property
    def parts(self) -> tuple[widgets.Widget, ...]:
        return (self._sliders, self._spoken, self.numbers, self.picture.view)

    def show(self) -> None:
        ring, asked = self.state.ring, self._asked
        same = replace(ring, slow_share=asked.slow_share) == asked
        self.picture.show(ring, (asked.slow_share, self.state.guess) if same else None)
        self.numbers.value = _numbers(ring)


class Explain(AfterTheGuess):
    """A ring small enough to see every send, its slow link at the rate that is dragged."""

    def __init__(self, state: LessonState, page: LessonPage) -> None:
        self.picture = Picture("slow_link_schedule")
        self.share = share_slider(state)
        self._sliders = sliders(self.share)
        super().__init__(state, page)
        self.add_class("nd-explain")

    @property
    def parts(self) -> tuple[widgets.Widget, ...]:
        return (self._sliders, self.picture.view)

    def show(self) -> None:
        self.picture.show(replace(self.state.ring, ranks=SMALL_RING))


class Told(AfterTheGuess):
    """A text that would give the answer away."""

    def __init__(self, state: LessonState, page: LessonPage, text: Markup) -> None:
        self.text = LiveHtml()
        self._told = text
        super().__init__(state, page)
        self.add_class("nd-told")

    @property
    def parts(self) -> tuple[widgets.Widget, ...]:
        return (self.text,)

    def show(self) -> None:
        self.text.value = self._told


def sliders(*children: widgets.Widget) -> widgets.HBox:
    """Sliders in a row that wraps on a narrow screen; each in a box of its own, with its label."""
    row = widgets.HBox([box([child], "nd-slider") for child in children])
    row.add_class("nd-sliders")
    return row


def share_slider(state: LessonState) -> widgets.IntSlider:
    """The rate of the slow link in per cent; several of them stay together through the state."""
    slider = widgets.IntSlider(
        value=_per_cent(state.ring.slow_share),
        min=5,
        max=100,
        description="Rate of the slow link, %",
        tooltip="Rate of the slow link, % of a healthy one",
    )
    slider.observe(lambda change: _set(state, slow_share=change["new"] / 100), "value")

    def follow(change: Any) -> None:
        slider.value = _per_cent(change["new"].slow_share)

    state.observe(follow, "ring")
    return slider


def _per_cent(share: float) -> int:
    return round(100 * share)


def _set(state: LessonState, **changes: Any) -> None:
    state.ring = replace(state.ring, **changes)


def _seconds(value: float) -> str:
    return f"{digits(value)}{SPACE}s"


def _numbers(ring: SlowRing) -> Markup:
    link = ring.bandwidth * ring.slow_share
    facts = (
        ("The ring takes", _seconds(ring.time)),
        ("If the average counted", _seconds(ring.time_at_average)),
        ("Every link moves on at", str(bandwidth(link))),
        ("A healthy link stands idle", str(percent(ring.waiting_share))),
    )
    cells = [tag("div", tag("dt", name), tag("dd", number)) for name, number in facts]
    return tag("dl", *cells, class_="nd-facts", role="status")
