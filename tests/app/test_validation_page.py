"""The Validation page without a browser."""

from __future__ import annotations

import csv
import io
import logging

import pytest
from published_rows import published_row, table_text

from netdesign.app import validation as page_module
from netdesign.app.validation import ValidationPage
from netdesign.app.validation_panels import errors, fitted, head
from netdesign.app.validation_panels.own import MOST_SHOWN, example_csv
from netdesign.charts import validation_collectives, validation_errors, validation_scatter
from netdesign.performance.measurements import measured_runs
from netdesign.validation import unseen as unseen_module
from netdesign.validation.rows import read_run_table
from netdesign.validation.scores import GroupErrors, group_errors, published, rules_left_out, score
from netdesign.validation.unseen import UnseenRun


@pytest.fixture
def page() -> ValidationPage:
    return ValidationPage()


def csv_of(count: int = 3, **changes: str) -> bytes:
    rows = [published_row(run) | changes for run in list(measured_runs().values())[:count]]
    return table_text(rows).encode()


def test_the_page_says_the_errors_of_ours_and_of_the_flat_mfu(page: ValidationPage) -> None:
    whole = group_errors(published(), "all")[0]
    for share in (whole.median, whole.percentile_90, whole.flat_median):
        assert str(validation_scatter.percent(share)) in page.head.value
    assert page.table.value.count("<tr>") >= 30


def test_every_group_the_flat_mfu_wins_is_said(page: ValidationPage) -> None:
    worse = [
        group
        for cut in errors.TITLES
        for group in group_errors(published(), cut)
        if group.flat_is_better
    ]
    assert page.table.value.count("<li>") == len(worse)
    unseen = GroupErrors("size", "small", 9, 0.1, 0.3, 0.8, 0.2, 0.4, 0.3, 0.5)
    assert "not seen the source" in errors.beaten([unseen])
    beaten = GroupErrors("style", "tensor", 9, 0.2, 0.3, 0.8, 0.1, 0.4)
    assert "tensor: 10" in errors.beaten([beaten])
    assert "In no group" in errors.beaten([])


def test_points_tell_their_run() -> None:
    scores = published()
    data = validation_scatter.data(scores)
    assert len(data["runs"]) == scores.scored.sum()
    assert data["own"] == []
    first, run = data["runs"][0], scores.candidates[0].run
    assert run.id in first["run"]
    assert first["source"] == run.source
    assert f"DP {run.data}" in first["plan"]
    assert "band" in first["error"]
    low, high = validation_scatter.typical_band(scores)
    assert low < 1 < high


def test_bars_hold_eight_of_ten_runs() -> None:
    cuts = errors.cuts(published())
    data = validation_errors.data(published(), cuts)
    groups = sum(len(found) for _, found in cuts)
    assert len(data["ranges"]) == 2 * groups
    assert len(data["rows"]) == groups + len(cuts)
    assert len(data["outside"]) <= 0.25 * len(cuts) * published().scored.sum()
    for entry in data["ranges"]:
        assert entry["low"] <= entry["middle"] <= entry["high"]


def test_collectives_are_drawn_with_the_sick_ones() -> None:
    cases = page_module.measured_cases()
    data = validation_collectives.data(cases, page_module.predict_cases(cases))
    which = {point["which"] for point in data["points"]}
    assert which == {validation_collectives.HEALTHY, validation_collectives.SICK}


def test_own_runs_stand_in_the_picture_and_the_table(page: ValidationPage) -> None:
    page.upload("runs.csv", csv_of(3))
    assert len(page.scatter.view.data["own"]) == 3
    assert "runs.csv: 3 runs predicted" in page.own_runs.value
    assert "Forget your runs" in page.head.value
    page.forget()
    assert page.scatter.view.data["own"] == []
    assert page.own_runs.value == ""
    assert "Forget your runs" not in page.head.value


def test_runs_without_a_time_are_predicted_and_have_no_point(page: ValidationPage) -> None:
    page.upload("plans.csv", csv_of(2, step_time_s=""))
    assert page.scatter.view.data["own"] == []
    assert "2 runs predicted" in page.own_runs.value


def test_what_is_skipped_is_said_with_the_reason(page: ValidationPage) -> None:
    page.upload("runs.csv", csv_of(2, gpus="7"))
    assert "2 rows skipped" in page.own_runs.value
    assert "but there are 7 gpus" in page.own_runs.value


def test_names_from_a_file_are_escaped(page: ValidationPage) -> None:
    page.upload("<b>.csv", csv_of(1, id="<script>alert(1)</script>", model="<img>"))
    for text in (page.own_runs.value, page.head.value):
        assert "<script>" not in text
        assert "<img>" not in text
        assert "<b>" not in text


def test_long_tables_are_listed_in_part(page: ValidationPage) -> None:
    page.upload("many.csv", csv_of(MOST_SHOWN + 20))
    assert f"The first {MOST_SHOWN} are listed" in page.own_runs.value
    assert page.own_runs.value.count("<tr>") <= 2 * MOST_SHOWN


@pytest.mark.parametrize(
    ("content", "size", "said"),
    [
        (None, head.LARGEST_UPLOAD + 1, "are too many"),
        (b"\xff\xfe\x00", 3, "is not text"),
        (b"hello\n", 6, "has no column layers"),
    ],
)
def test_a_wrong_file_is_said_and_the_page_stays(
    page: ValidationPage, content: bytes | None, size: int, said: str
) -> None:
    page.upload("good.csv", csv_of(1))
    page.upload("wrong.csv", content, size)
    assert said in page.banner.value
    assert "good.csv" in page.own_runs.value


def test_an_unexpected_fault_is_said(
    page: ValidationPage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(page_module, "score_table", fail)
    with caplog.at_level(logging.CRITICAL, logger=page_module.__name__):
        page.upload("runs.csv", csv_of(1))
    assert page_module.UNEXPECTED in page.banner.value


def test_files_are_handed_out(page: ValidationPage, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: dict[str, str] = {}
    monkeypatch.setattr(page.page, "download", lambda name, text, mime: saved.update({name: text}))
    page.upload("runs.csv", csv_of(2))
    for act in ("example", "download", "download-own"):
        page.head.act(act, "")
    assert set(saved) == {
        "training-runs.csv", "predictions.csv", "predictions-of-your-runs.csv",
    }  # fmt: skip
    counts = {name: len(list(csv.reader(io.StringIO(text)))) for name, text in saved.items()}
    assert counts["predictions.csv"] == 1 + published().scored.sum()
    assert counts["predictions-of-your-runs.csv"] == 3


def test_the_example_is_a_table_that_is_predicted_near_its_time() -> None:
    table = read_run_table(example_csv())
    assert table.skipped == ()
    assert table.missing == ()
    assert abs(score(table.candidates).error[0]) < 0.3


def test_what_was_fitted_and_what_is_left_out_is_listed(page: ValidationPage) -> None:
    rows = fitted.fitted_rows()
    assert rows
    assert {row.name for row in rows}.isdisjoint(fitted.BAND)
    assert rows[0].date in page.fitted.value
    for rule, runs in rules_left_out().items():
        assert fitted.RULES.get(rule, rule.replace("-", " ")) in page.fitted.value
        assert runs[0].id in page.fitted.value
    assert "make calibrate" in page.fitted.value


def test_columns_older_than_the_constants_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = {"a": UnseenRun(id="a", predicted_over_measured=1, fit="x", source="s", date="2026")}
    monkeypatch.setattr(unseen_module, "unseen_runs", lambda: stored)
    monkeypatch.setattr(fitted, "unseen_runs", lambda: stored)
    assert "constants are newer" in fitted.standing()
    monkeypatch.setattr(unseen_module, "current_fit", lambda: "x")
    assert "constants are newer" not in fitted.standing()


def test_pictures_say_what_they_show(page: ValidationPage) -> None:
    for picture in (page.scatter, page.errors, page.collectives):
        assert picture.view.label.endswith(".")
