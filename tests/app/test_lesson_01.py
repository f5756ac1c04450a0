"""Lesson 1 without a browser: what it asks, what it answers, and what it hides before the guess."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from netdesign.app.lesson import Exercise, Mistake, judge, read_number
from netdesign.app.lesson.answers import read_answer
from netdesign.app.lesson_01 import SMALL_RING, SlowLinkLesson, article_ring
from netdesign.app.lesson_01_exercises import diagnosis_exercise, forward_exercise
from netdesign.charts import slow_link_curve, slow_link_guess, slow_link_schedule, spec
from netdesign.charts.freeze import SPECS, frozen
from netdesign.charts.palette import VERMILLION
from netdesign.errors import DesignError
from netdesign.network.collectives import ring_allreduce_time
from netdesign.network.congestion import step_slowdown

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "lesson_01_one_slow_link.ipynb"
CHARTS = ("slow_link_curve", "slow_link_guess", "slow_link_schedule")


@pytest.fixture
def lesson() -> SlowLinkLesson:
    return SlowLinkLesson()


def guess(lesson: SlowLinkLesson, text: str) -> None:
    lesson.predict.field.text.value = text
    lesson.predict.field.submit()


def answer(box, text: str, unit: str | None = None) -> str:
    box.field.text.value = text
    if unit:
        box.field.unit.value = unit
    box.field.submit()
    return box.field.reply.value


def words(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


def test_nothing_of_the_answer_is_on_the_page_before_the_guess(lesson: SlowLinkLesson) -> None:
    assert lesson.predict.children[-1] is lesson.predict.field
    for part in (lesson.drag, lesson.explain, lesson.why, lesson.check):
        assert part.children == (part.locked,)
    for part in (lesson.drag, lesson.explain):
        assert part.picture.view.data == {}
    for part in (lesson.why, lesson.check):
        assert part.text.value == ""
    assert "1.1" not in words(lesson.predict.children[0].value)


def test_a_guess_opens_the_plots(lesson: SlowLinkLesson) -> None:
    guess(lesson, "0.56")
    bars = {row["name"]: row["x"] for row in lesson.predict.children[-1].data["bars"]}
    assert bars["Your guess"] == 0.56
    assert bars["The ring"] == pytest.approx(2 * 27.95e9 / 50e9, rel=0.01)
    assert lesson.drag.picture.view in lesson.drag.children
    assert lesson.explain.picture.view in lesson.explain.children
    assert lesson.check.children == (lesson.check.text,)
    assert lesson.why.children == (lesson.why.text,)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1.12", "Yes."),
        ("0.563", "average"),
        ("0.3", "Faster than the healthy ring?"),
        ("0.8", "some of the loss"),
        ("4", "Not quite so bad"),
    ],
)
def test_every_guess_gets_its_own_answer(lesson: SlowLinkLesson, typed: str, said: str) -> None:
    guess(lesson, typed)
    assert said in words(lesson.predict.field.reply.value)
    assert "1.12" in words(lesson.predict.field.reply.value)


@pytest.mark.parametrize("typed", ["", "fast", "-1", "0", "nan", "1e999", "9" * 80])
def test_what_is_no_guess_opens_nothing(lesson: SlowLinkLesson, typed: str) -> None:
    guess(lesson, typed)
    assert lesson.state.guess is None
    assert lesson.drag.children == (lesson.drag.locked,)
    assert "type a number above zero" in words(lesson.predict.field.reply.value)


def test_what_a_reader_types_is_escaped(lesson: SlowLinkLesson) -> None:
    guess(lesson, "<img src=x onerror=alert(1)>")
    assert "<img" not in lesson.predict.field.reply.value


def test_enter_answers_as_the_button_does(lesson: SlowLinkLesson) -> None:
    lesson.predict.field.text.value = "2"
    lesson.predict.field._entered(lesson.predict.field.text, {"event": "submit"}, [])
    assert lesson.state.guess == 2.0


def test_dragging_moves_the_point_the_numbers_and_both_charts(lesson: SlowLinkLesson) -> None:
    guess(lesson, "0.56")
    lesson.drag.share.value = 25
    now = lesson.drag.picture.view.data["points"][0]
    assert now["share"] == 0.25
    assert now["seconds"] == pytest.approx(ring_allreduce_time(14e9, 512, 12.5e9, 3.7e-6), rel=1e-3)
    assert "100\u00a0Gb/s" in lesson.drag.numbers.value
    assert lesson.explain.share.value == 25
    ends = lesson.explain.picture.view.data["rows"]
    assert len(ends) == SMALL_RING
    lesson.explain.share.value = 100
    assert lesson.drag.share.value == 100
    assert {row["which"] for row in lesson.explain.picture.view.data["sends"]} == {"healthy link"}


def test_the_guess_stays_on_the_curve_of_the_ring_it_was_about(lesson: SlowLinkLesson) -> None:
    guess(lesson, "0.56")
    lesson.drag.share.value = 70
    points = lesson.drag.picture.view.data["points"]
    assert [point["colour"] for point in points][1:] == [VERMILLION]
    assert points[1]["share"] == 0.5
    lesson.drag.ranks.value = 8
    assert len(lesson.drag.picture.view.data["points"]) == 1


def test_the_size_of_the_ring_hardly_matters(lesson: SlowLinkLesson) -> None:
    guess(lesson, "1")
    times = []
    for ranks in (8, 64, 512):
        lesson.drag.ranks.value = ranks
        times.append(lesson.state.ring.time)
    assert max(times) / min(times) < 1.16  # 2 (n - 1) / n goes from 1.75 to 2, and latency


def test_a_failing_callback_is_told_on_the_page(
    lesson: SlowLinkLesson, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the inner workings")

    guess(lesson, "1")
    monkeypatch.setattr(lesson.drag.picture, "show", broken)
    lesson.drag.share.value = 40
    assert 'role="alert"' in lesson.page.alert.value
    assert "inner workings" not in lesson.page.alert.value


def test_the_first_exercise_is_the_formula_by_hand(lesson: SlowLinkLesson) -> None:
    # 2 x 15/16 x 26 GB over 12.5 GB/s = 3.9 s.
    assert lesson.exercise_1.exercise.answer == pytest.approx(3.9, rel=1e-3)
    assert "Right." in answer(lesson.exercise_1, "3.9")
    assert "nd-reply-right" in lesson.exercise_1.field.reply.value
    assert "Right." in answer(lesson.exercise_1, "3900", "ms")
    assert "48.8" in lesson.exercise_1.solution.value


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("0.4875", "divided bytes by bits"),
        ("2.08", "sent the message once"),
        ("1.95", "reduce-scatter alone"),
        ("4.16", "keeps its own chunk"),
        ("0.975", "healthy ring"),
        ("1.0225", "average of the links"),
        ("31.2", "bits into bytes twice"),
        ("3.3", "too short"),
        ("9", "too long"),
        ("3900", "units and powers of ten"),
    ],
)
def test_usual_mistakes_are_recognised(lesson: SlowLinkLesson, typed: str, said: str) -> None:
    reply = answer(lesson.exercise_1, typed)
    assert said in words(reply)
    assert "Not yet." in words(reply)
    assert "nd-reply-wrong" in reply


def test_the_second_exercise_asks_for_the_bus_bandwidth(lesson: SlowLinkLesson) -> None:
    exercise = lesson.exercise_2
    assert exercise.exercise.answer == pytest.approx(25e9, rel=0.01)  # 200 Gb/s
    assert "Right." in answer(exercise, "200", "Gb/s")
    assert "Right." in answer(exercise, "25", "GB/s")
    assert "times 8" in words(answer(exercise, "25", "Gb/s"))
    assert "already counts bytes" in words(answer(exercise, "200", "GB/s"))
    assert "algorithm bandwidth" in words(answer(exercise, "114", "Gb/s"))
    assert "what was bought" in words(answer(exercise, "400", "Gb/s"))


def test_no_solution_before_the_first_try(lesson: SlowLinkLesson) -> None:
    assert lesson.exercise_1.solution.value == ""
    answer(lesson.exercise_1, "")
    assert lesson.exercise_1.solution.value == ""
    answer(lesson.exercise_1, "1")
    assert "<details" in lesson.exercise_1.solution.value


@pytest.mark.parametrize("make", [forward_exercise, diagnosis_exercise])
def test_no_mistake_is_taken_for_the_answer(make) -> None:
    exercise: Exercise = make(article_ring())
    for mistake in exercise.mistakes:
        assert not judge(exercise, mistake.value).right, mistake.feedback
    told = [judge(exercise, mistake.value).sentence for mistake in exercise.mistakes]
    assert told == [f"Not yet. {mistake.feedback}" for mistake in exercise.mistakes]


def test_the_edge_of_the_tolerance() -> None:
    exercise = Exercise("", "", "time", 1.0, 0.03, "", "", "", (Mistake(2.0, "twice"),))
    assert judge(exercise, 1.029).right
    assert not judge(exercise, 1.031).right
    assert judge(exercise, 1.95).sentence == "Not yet. twice"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("0.56", 0.56),
        (".5", 0.5),
        ("1,200", 1200),
        ("0,56", 0.56),
        ("1,5", 1.5),
        (" 5.6e-1 ", 0.56),
    ],
)
def test_numbers_as_people_type_them(typed: str, value: float) -> None:
    assert read_number(typed) == pytest.approx(value)


def test_a_unit_that_does_not_fit_is_refused() -> None:
    with pytest.raises(DesignError, match="does not fit"):
        read_answer("1", "time", "GB/s")


@pytest.mark.parametrize("name", CHARTS)
def test_the_frozen_charts_are_those_of_their_builders(name: str) -> None:
    assert (SPECS / f"{name}.json").read_text(encoding="utf-8") == frozen(name)


@pytest.mark.parametrize("name", CHARTS)
def test_charts_get_the_data_sets_that_they_name(name: str) -> None:
    module = {
        "slow_link_curve": slow_link_curve,
        "slow_link_guess": slow_link_guess,
        "slow_link_schedule": slow_link_schedule,
    }[name]
    ring = article_ring(0.5) if name != "slow_link_schedule" else SlowLinkLesson().state.ring
    subject = (ring, 0.56) if name == "slow_link_guess" else (ring,)
    if name == "slow_link_schedule":
        subject = (article_ring(0.5).__class__(8e9, 8, 50e9, 0.0, 0.5),)
    named = set(re.findall(r"'name': '(\w+)'", str(spec(name)["layer"])))
    assert set(module.data(*subject)) <= named
    assert module.label(*subject).endswith(".")


def test_a_wild_guess_stays_on_the_chart() -> None:
    ring = article_ring(0.5)
    rows = slow_link_guess.data(ring, 1e6)
    bar = next(row for row in rows["bars"] if row["name"] == "Your guess")
    assert bar["x"] == rows["frame"][0]["limit"]
    assert "1,000,000" in bar["text"]
    points = slow_link_curve.data(ring, (0.5, 1e6))["points"]
    assert points[1]["seconds"] == slow_link_curve.data(ring)["frame"][1]["seconds"]


def test_the_numbers_in_the_text_are_those_of_the_functions() -> None:
    text = "\n".join(cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells)
    ring = article_ring()
    assert f"{ring.sent / 1e9:.2f} GB" in text
    assert f"{ring.sent / ring.bandwidth:.3f} s" in text
    assert f"{ring.healthy_time:.3f} s" in text
    assert round(1e3 * 2 * (ring.ranks - 1) * ring.latency) == 4


def test_the_notebook_does_not_tell_before_the_guess() -> None:
    text = "\n".join(cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells)
    for told in ("1.12", "slowest** link", "0.702", "halve", "pace of the slow link"):
        assert told not in text


def test_what_is_told_after_the_guess(lesson: SlowLinkLesson) -> None:
    guess(lesson, "0.56")
    rows = re.findall(r"<tr>(.*?)</tr>", lesson.check.text.value)[1:]
    # 2 x 511/512 x 14 GB over the rate of the slow link, and 4 ms for 1,022 hops.
    assert [words(row.replace("\u00a0", " ").replace("</td>", "|")) for row in rows] == [
        "100 %|100 %|0.563 s|",
        "80 %|80 %|0.702 s|",
        "50 %|50 %|1.12 s|",
        "25 %|25 %|2.24 s|",
    ]
    # Amdahl: a fifth of the step takes twice as long, 512 x (1 - 1 / 1.2) = 85 GPUs.
    why = words(lesson.why.text.value).replace("\u00a0", " ")
    assert "0.2 × (1/0.5 − 1) = 20 % longer, on all 512 GPUs: as if 85 of them" in why
    assert "is 99.9 % of a healthy one" in why
    assert step_slowdown(0.2, 0.5) == pytest.approx(1.2)


def test_the_notebook_is_a_lesson_and_not_a_program() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert len(cells) < 25
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    assert all(len(source.splitlines()) <= 10 for source in code)
    assert not re.search(r"with \w+:|interact|display\(|def |import numpy", "\n".join(code))
    heads = re.findall(r"^## (.+)$", "\n".join(cell.source for cell in cells), re.MULTILINE)
    assert heads == [
        "Question",
        "You will be able to",
        "By hand",
        "Predict",
        "Drag",
        "Explain",
        "Check against",
        "Exercises",
        "Limits of the model",
    ]
