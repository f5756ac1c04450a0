"""Ranked plans and sensitivity in the Studio: closed they cost nothing, open they follow."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from netdesign.app.panels import plans as plans_module
from netdesign.app.panels import sensitivity as sensitivity_module
from netdesign.app.studio import Studio
from netdesign.bands import MEANING
from netdesign.catalog import load_catalog, read_price_file
from netdesign.charts import plan_ranking, spec, tornado
from netdesign.design import default_design
from netdesign.evaluate import evaluate
from netdesign.ranking import job_of, rank_plans, valid_plans
from netdesign.sensitivity import MEASURES, sensitivity


def plain(html: str) -> str:
    return html.replace("\u00a0", " ")


def named_data(node: Any) -> set[str]:
    """Names of the data sets in a specification."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    found = set().union(*(named_data(child) for child in children)) if children else set()
    if isinstance(node, dict) and isinstance(node.get("data"), dict) and "name" in node["data"]:
        found.add(node["data"]["name"])
    return found


def test_closed_panels_compute_nothing(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a closed panel computes")

    monkeypatch.setattr(plans_module, "rank_plans", never)
    monkeypatch.setattr(sensitivity_module, "sensitivity", never)
    heads = studio.plans.head.value, studio.sensitivity.head.value
    studio.change({"cluster.gpus": 2048})
    assert studio.evaluation is not None
    assert studio.evaluation.design.cluster.gpus == 2048
    assert (studio.plans.head.value, studio.sensitivity.head.value) == heads
    assert studio.plans.body.children == studio.sensitivity.body.children == ()
    assert 'aria-expanded="false"' in heads[0]


def test_an_open_panel_follows_and_a_closed_one_rests(studio: Studio) -> None:
    for panel in (studio.plans, studio.sensitivity):
        panel.head.act("drawer", "")
        assert 'aria-expanded="true"' in panel.head.value
        assert panel.body.layout.display is None
        revision = panel.picture.view.revision
        assert revision
        studio.change({"model.parameters_billion": 40.0 + revision})
        assert panel.picture.view.revision > revision
        panel.head.act("drawer", "")
        assert panel.body.layout.display == "none"
        revision = panel.picture.view.revision
        studio.change({"model.parameters_billion": 20.0})
        assert panel.picture.view.revision == revision
        panel.head.act("drawer", "")
        assert panel.picture.view.revision > revision


def test_the_plans_say_why_and_mark_the_own_one(studio: Studio) -> None:
    studio.plans.toggle()
    assert "Your plan is" in studio.plans.said.value
    assert f"<strong>{studio.evaluation.plan_label}</strong>" in studio.plans.table.value
    assert "the design&#x27;s plan" in studio.plans.table.value
    assert "loses" in studio.plans.table.value
    bold = [row for row in studio.plans.picture.view.data["names"] if row["own"]]
    assert len(bold) == 1


def test_a_row_can_be_used(studio: Studio) -> None:
    studio.plans.toggle()
    position, standing = next(
        (i, one)
        for i, one in enumerate(studio.plans._rows)
        if one.label != studio.evaluation.plan_label
    )
    assert f'data-value="{position}"' in studio.plans.table.value
    studio.plans.table.act("take", str(position))
    design = studio.state.inputs
    assert design.plan.mode == "manual"
    assert studio.evaluation.plan_label == standing.label
    assert float(studio.evaluation.step.step_time_s) == pytest.approx(standing.step_time_s)
    assert studio.state.can_undo


def test_every_variant_is_a_longer_table_and_the_picture_stays(studio: Studio) -> None:
    studio.plans.toggle()
    few, revision = studio.plans.table.value.count("<tr>"), studio.plans.picture.view.revision
    studio.plans.table.act("view", "every")
    assert studio.plans.table.value.count("<tr>") == 1 + plans_module.VARIANTS > few
    assert studio.plans.picture.view.revision == revision


@pytest.mark.parametrize(("act", "value"), [("take", "x"), ("take", "99"), ("view", "<b>")])
def test_what_is_no_row_or_view_does_nothing(studio: Studio, act: str, value: str) -> None:
    studio.plans.toggle()
    before = studio.plans.table.value
    studio.plans.table.act(act, value)
    assert studio.plans.table.value == before
    assert studio.state.inputs == default_design()


def test_a_faster_first_plan_is_offered_with_one_click(studio: Studio) -> None:
    studio.plans.toggle()
    slow = {"plan.mode": "manual", "plan.tensor": 8, "plan.pipeline": 8, "plan.virtual_stages": 1}
    studio.change(slow)
    first = studio.plans.ranking.standings(1)[0]
    assert first.step_time_s < 0.99 * float(studio.evaluation.step.step_time_s)
    assert "Use the fastest" in studio.plans.said.value
    studio.plans.said.act("take-first", "")
    assert studio.evaluation.plan_label == first.label
    assert studio.plans.ranking.own.rank == 1
    assert "Use the fastest" not in studio.plans.said.value
    before = studio.state.inputs
    studio.plans.take_first()
    assert studio.state.inputs == before


def test_every_plan_shows_its_range(studio: Studio) -> None:
    studio.plans.toggle()
    assert studio.plans.table.value.count("nd-range") == len(studio.plans._rows)
    assert MEANING in studio.plans.table.value
    step, own = studio.evaluation.step, studio.plans.ranking.own
    assert own.step_time_low_s == pytest.approx(step.step_time_low_s)
    assert own.step_time_high_s == pytest.approx(step.step_time_high_s)
    studio.sensitivity.toggle()
    assert MEANING in studio.sensitivity.said.value


@pytest.mark.parametrize(
    ("model", "gpus", "sequence"),
    [("llama-3-70b", 1024, 8192), ("llama-3.1-405b", 4096, 1_048_576), ("gpt-3-175b", 768, 2048)],
)
def test_every_ranked_plan_can_be_set(model: str, gpus: int, sequence: int) -> None:
    evaluation = evaluate(
        default_design().with_values(
            {
                "model.preset": model,
                "cluster.gpus": gpus,
                "training.sequence_length": sequence,
            }
        )
    )
    job = job_of(evaluation)
    found = valid_plans(job.arch, gpus, int(job.training.global_batch), 8, sequence)
    parameters = load_catalog().parameters
    for path in ("tensor", "pipeline", "context", "expert", "micro_batch", "virtual_stages"):
        highest = parameters[f"plan.{path}"].highest
        assert highest is not None
        assert np.max(getattr(found.plans, path)) <= highest, path


def test_a_plan_beyond_the_controls_is_not_offered() -> None:
    values = {"plan.tensor": 8, "plan.virtual_stages": 1000}
    assert not plans_module._settable(values)
    assert plans_module._settable({**values, "plan.virtual_stages": 2})


def test_where_nothing_fits_it_is_said(studio: Studio) -> None:
    studio.plans.toggle()
    studio.change({"model.preset": "llama-3.1-405b", "cluster.gpus": 8})
    assert "None of" in studio.plans.said.value
    assert "<table" not in studio.plans.table.value
    assert "Bars begin" not in studio.plans.key.value
    assert studio.plans.picture.view.layout.display == "none"
    assert studio.banner.widget.value == ""
    studio.change({"model.preset": "llama-3-8b"})
    assert studio.plans.picture.view.layout.display is None
    assert "<table" in studio.plans.table.value


def test_what_is_left_out_is_said(studio: Studio) -> None:
    studio.plans.toggle()
    assert "it leaves out micro-batches above 4" in studio.plans.table.value


@pytest.mark.parametrize("measure", MEASURES)
def test_each_result_has_its_tornado(studio: Studio, measure: str) -> None:
    studio.sensitivity.toggle()
    studio.sensitivity.said.act("measure", measure)
    found = studio.sensitivity.found
    first = found.ranked(measure)[0]
    assert (
        f"“{first.label}” moves {tornado.MEASURE_NAMES[measure]}" in studio.sensitivity.said.value
    )
    shown = studio.sensitivity.picture.view.data["names"]
    assert shown[0]["text"].startswith(first.label)
    assert f'data-value="{measure}" aria-pressed="true"' in studio.sensitivity.said.value
    assert plain(studio.sensitivity.table.value).count("<tr>") == 1 + len(found.ranked(measure))


def test_an_unknown_result_changes_nothing(studio: Studio) -> None:
    studio.sensitivity.toggle()
    before = studio.sensitivity.said.value
    studio.sensitivity.said.act("measure", "happiness")
    assert studio.sensitivity.said.value == before


def test_own_prices_reach_the_sensitivity(studio: Studio) -> None:
    studio.sensitivity.toggle()
    before = studio.sensitivity.found
    row = "part_id,price_usd,source,date,note\nqm9700,1,own,2026-11-30,\n"
    studio.upload_prices("own.csv", row.encode(), len(row))
    after = studio.sensitivity.found
    cost = "usd_per_million_tokens"
    assert after.base[cost] < before.base[cost]
    book = read_price_file("own.csv", row.encode())
    expected = sensitivity(evaluate(default_design(), book), book)
    assert after.swings == expected.swings


@pytest.mark.parametrize("model", ["llama-3-70b", "deepseek-v3"])
def test_data_fill_every_named_set_with_plain_values(model: str) -> None:
    evaluation = evaluate(default_design().with_values({"model.preset": model}))
    ranking, found = rank_plans(evaluation), sensitivity(evaluation)
    drawn = [("plan_ranking", plan_ranking.data(ranking), plan_ranking.label(ranking))]
    drawn += [("tornado", tornado.data(found, m), tornado.label(found, m)) for m in MEASURES]
    for name, data, label in drawn:
        assert set(data) == named_data(spec(name))
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert label.endswith(".")


def test_bars_of_a_plan_are_its_step_beyond_the_least_compute() -> None:
    ranking = rank_plans(evaluate(default_design()))
    standings = plan_ranking.shown(ranking)
    least = plan_ranking.least_compute(standings)
    bars = plan_ranking.data(ranking)["parts"]
    for row, standing in enumerate(standings, start=1):
        ends = [bar["x1"] for bar in bars if bar["row"] == row]
        assert max(ends) == pytest.approx(standing.step_time_s - least)


def test_a_design_far_down_the_ranking_keeps_its_row() -> None:
    design = default_design().with_values({"plan.mode": "manual", "plan.pipeline": 8})
    ranking = rank_plans(evaluate(design))
    shown = plan_ranking.shown(ranking)
    assert len(shown) == plan_ranking.ROWS
    assert shown[-1].label == ranking.own.label
    assert ranking.own.rank > 8
