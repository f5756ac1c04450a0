"""Every valid plan, ranked, and why one is behind another."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from netdesign.cli import app
from netdesign.design import default_design
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.ranking import (
    Standing,
    differences,
    job_of,
    loses_on,
    rank_plans,
    reason,
    valid_plans,
    verdict,
)
from netdesign.ranking.ranked import parts_of_steps
from netdesign.workload.plan import RECOMPUTE, Plan, check_plan, micro_batches, plan_at
from netdesign.workload.transformer import Architecture

DENSE = Architecture("small", 12, 1024, 8, 8, 128, 4096, 32_000)
SPARSE = replace(DENSE, experts=6, experts_per_token=2, expert_ffn_hidden=512)
DEGREES = ("tensor", "pipeline", "context", "expert", "data")


def at(model: str = "llama-3-70b", gpus: int = 1024, **changes: object) -> Evaluation:
    values = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(
        default_design().with_values({"model.preset": model, "cluster.gpus": gpus, **values})
    )


def rows(plans: Plan) -> list[Plan]:
    return [plan_at(plans, i) for i in range(len(plans.data))]


def key(plan: Plan) -> tuple[int, ...]:
    names = (*DEGREES, "micro_batch", "virtual_stages", "sharding", "shard_group", "recompute")
    return tuple(int(getattr(plan, name)) for name in names)


def runs(arch: Architecture, plan: Plan, gpus: int, batch: int) -> bool:
    try:
        check_plan(arch, plan, gpus, batch)
    except DesignError:
        return False
    return True


@given(
    arch=st.sampled_from([DENSE, SPARSE]),
    gpus=st.sampled_from([1, 4, 6, 8, 12, 24, 32, 48, 64]),
    batch=st.sampled_from([1, 6, 16, 64, 256]),
    domain=st.sampled_from([1, 4, 8]),
)
@settings(max_examples=60)
def test_every_enumerated_plan_can_run_and_none_stands_twice(
    arch: Architecture, gpus: int, batch: int, domain: int
) -> None:
    found = rows(valid_plans(arch, gpus, batch, domain, 4_096).plans)
    assert found
    assert len({key(plan) for plan in found}) == len(found)
    for plan in found:
        used = int(plan.tensor * plan.pipeline * plan.context * plan.data)
        assert used <= gpus
        assert runs(arch, plan, used, batch), plan
        assert plan.tensor <= domain
        assert plan.micro_batches == micro_batches(batch, plan.data, plan.micro_batch)
        assert plan.virtual_stages == 1 or plan.micro_batches % plan.pipeline == 0


@pytest.mark.parametrize(("arch", "gpus", "batch"), [(DENSE, 24, 48), (SPARSE, 12, 24)])
def test_no_plan_of_plain_degrees_is_missed(arch: Architecture, gpus: int, batch: int) -> None:
    found = {key(plan) for plan in rows(valid_plans(arch, gpus, batch, 8, 2_048).plans)}
    missed = []
    numbers = range(1, gpus + 1)
    for tensor, pipeline, context, expert in product((1, 2, 4, 8), numbers, (1, 2), (1, 2, 3, 6)):
        model_ranks = tensor * pipeline * context
        if gpus % model_ranks:
            continue
        data = gpus // model_ranks
        for size, stage, again in product((1, 2, 4), (0, 1, 2, 3), RECOMPUTE.values()):
            plan = Plan(
                tensor, pipeline, context, expert, data, size, 1, 1, stage, data * context, again
            )
            uneven = -(-int(arch.layers) // pipeline) * pipeline > 2 * int(arch.layers)
            if data * size > batch or uneven or (stage != 1 and data * context == 1):
                continue
            if runs(arch, plan, gpus, batch) and key(plan) not in found:
                missed.append(plan)
    assert missed == []


def test_the_published_cut_of_llama_3_405b_is_among_the_first() -> None:
    # Llama 3 herd of models, table 4: 16,384 H100, TP 8, CP 1, PP 16, DP 128, 16 M tokens a step.
    ranking = rank_plans(at("llama-3.1-405b", 16_384, training__global_batch=2048))
    cuts = [tuple(int(getattr(s.plan, d)) for d in DEGREES) for s in ranking.standings(8)]
    place = cuts.index((8, 16, 1, 1, 128))
    published = ranking.standings(8)[place]
    assert published.step_time_s < 1.05 * ranking.step_time_s[0]


@pytest.mark.parametrize(
    ("model", "gpus"), [("llama-3-70b", 1024), ("llama-3.1-405b", 4096), ("deepseek-v3", 512)]
)
def test_plans_are_in_order_fit_and_take_as_long_alone(model: str, gpus: int) -> None:
    evaluation = at(model, gpus)
    ranking = rank_plans(evaluation)
    job = job_of(evaluation)
    assert np.all(np.diff(ranking.step_time_s) >= 0)
    assert np.all(ranking.memory_bytes <= evaluation.memory_limit)
    assert ranking.fitting <= ranking.tried == ranking.valid
    for position in (0, ranking.fitting // 2, ranking.fitting - 1):
        plan = plan_at(ranking.plans, position)
        assert job.step(plan).step_time_s == pytest.approx(ranking.step_time_s[position], rel=1e-9)
        assert job.memory(plan) == pytest.approx(ranking.memory_bytes[position], rel=1e-9)


@pytest.mark.parametrize(
    ("model", "gpus"),
    [("llama-3-8b", 64), ("llama-3-70b", 1000), ("llama-3.1-405b", 16_384), ("deepseek-v3", 2048)],
)
def test_the_quick_search_never_beats_the_whole_ranking(model: str, gpus: int) -> None:
    evaluation = at(model, gpus)
    ranking = rank_plans(evaluation)
    assert ranking.step_time_s[0] <= evaluation.step.step_time_s * (1 + 1e-9)
    assert ranking.own.rank == 1 + np.count_nonzero(
        ranking.step_time_s < evaluation.step.step_time_s * (1 - 1e-9)
    )


def test_parts_add_up_to_the_step() -> None:
    ranking = rank_plans(at("deepseek-v3", 512))
    for standing in (*ranking.standings(20, every_variant=True), ranking.own):
        assert sum(standing.parts.values()) == pytest.approx(standing.step_time_s, rel=1e-9)


def test_recomputing_is_a_part_of_its_own() -> None:
    evaluation = at()
    job, plan = job_of(evaluation), evaluation.plan
    codes = np.array(list(RECOMPUTE.values()))
    varied = {f.name: np.full(3, getattr(plan, f.name)) for f in fields(plan)}
    plans = Plan(**{**varied, "recompute": codes, "sequence_parallel": True})
    parts = parts_of_steps(job, plans)
    assert parts["recompute"][0] == 0
    # A forward pass again: about a third of forward and backward.
    assert 0.2 < parts["recompute"][2] / parts["compute"][2] < 0.4


def test_one_plan_of_each_set_of_degrees_is_its_fastest() -> None:
    ranking = rank_plans(at())
    standings = ranking.standings(8)
    cuts = [tuple(getattr(s.plan, d) for d in DEGREES) for s in standings]
    assert len(set(cuts)) == 8
    for standing, cut in zip(standings, cuts, strict=True):
        alike = np.all(
            [getattr(ranking.plans, d) == v for d, v in zip(DEGREES, cut, strict=True)], axis=0
        )
        assert standing.variants == np.count_nonzero(alike)
        assert standing.rank == 1 + np.flatnonzero(alike)[0]


def test_a_plan_that_recomputes_all_loses_on_it() -> None:
    ranking = rank_plans(at())
    full = np.flatnonzero(ranking.plans.recompute == RECOMPUTE["full"])[0]
    behind = ranking._standings(np.array([full]))[0]
    assert loses_on(behind, ranking.standings(1)[0]) == "recompute"
    assert "to recomputation" in reason(behind, ranking.standings(1)[0])


def test_with_few_micro_batches_deeper_pipelines_lose_on_the_bubble() -> None:
    ranking = rank_plans(at(training__global_batch=256))
    deep = ranking.plans.pipeline == ranking.plans.pipeline.max()
    behind = ranking._standings(np.flatnonzero(deep)[:1])[0]
    assert loses_on(behind, ranking.standings(1)[0]) == "bubble"


def standing(parts: dict[str, float], **changes: object) -> Standing:
    made = Standing(1, Plan(), "plan", sum(parts.values()), 0.0, 0.0, 1.0, parts, 1, roomy=True)
    return replace(made, **changes)


def test_a_reason_says_the_parts_that_matter_and_adds_up() -> None:
    first = standing({"compute": 5.0, "bubble": 1.0, "tensor": 0.5})
    second = standing({"compute": 4.8, "bubble": 2.0, "tensor": 0.51})
    found = differences(second, first)
    assert sum(one.seconds for one in found) == pytest.approx(0.81)
    assert [one.part for one in found] == ["bubble", "tensor", "compute"]
    said = reason(second, first).replace("\u00a0", " ")
    assert said == "12.5 % slower: loses 1 s to pipeline bubble, but wins 0.2 s on faster kernels"
    said = reason(first, second).replace("\u00a0", " ")
    assert said == "11.1 % faster: wins 1 s on pipeline bubble, but loses 0.2 s to slower kernels"
    assert reason(first, first) == "as fast"


def test_a_plan_by_hand_gets_its_place() -> None:
    slow = rank_plans(at(plan__mode="manual", plan__tensor=8, plan__pipeline=8))
    assert slow.own.rank > 1
    assert f"number {slow.own.rank:,} of {slow.fitting:,} plans that fit" in verdict(slow)[0]
    assert any("cuts the job otherwise" in sentence for sentence in verdict(slow))


def test_a_plan_by_hand_that_does_not_fit_is_said_so() -> None:
    ranking = rank_plans(at(plan__mode="manual", plan__tensor=1, plan__pipeline=1))
    assert ranking.own.rank == 0
    assert "does not fit" in verdict(ranking)[0]


def test_without_sequence_parallelism_a_plan_has_a_place_too() -> None:
    ranking = rank_plans(at(plan__mode="manual", plan__sequence_parallel=False))
    assert sum(ranking.own.parts.values()) == pytest.approx(ranking.own.step_time_s)


def test_where_nothing_fits_the_least_is_named() -> None:
    ranking = rank_plans(at("llama-3.1-405b", 8))
    assert ranking.fitting == 0
    assert ranking.standings(8) == ()
    assert ranking.runner_up() is None
    (sentence,) = verdict(ranking)
    assert sentence.startswith("None of ")
    assert ranking.unfitting is not None
    assert f"needs {ranking.unfitting.memory_bytes / 1e9:.0f} GB" in sentence


def test_a_limit_never_hides_that_something_fits() -> None:
    evaluation = at("llama-3.1-405b", 64)
    assert rank_plans(evaluation, most=30).tried == rank_plans(evaluation).valid


def test_what_memory_forbids_is_faster_and_does_not_fit() -> None:
    ranking = rank_plans(at())
    beyond = ranking.unfitting
    assert beyond is not None
    assert beyond.rank == 0
    assert beyond.step_time_s < ranking.step_time_s[0]
    assert ranking.job.memory_limit < beyond.memory_bytes <= 2 * ranking.job.memory_limit
    job = ranking.job
    plans = valid_plans(job.arch, 1024, 2048, 8, 8192).plans
    memory = job.memory(plans)
    near = np.flatnonzero((memory > job.memory_limit) & (memory <= 2 * job.memory_limit))
    times = job.step(plan_at(plans, near)).step_time_s
    assert beyond.step_time_s == pytest.approx(times.min(), rel=1e-9)
    alike = [plan for plan in rows(plan_at(plans, near)) if key(plan)[:-1] == key(beyond.plan)[:-1]]
    assert beyond.plan.recompute == min(plan.recompute for plan in alike)


@pytest.mark.parametrize(("model", "gpus"), [("llama-3-70b", 1024), ("deepseek-v3", 2048)])
def test_a_limit_says_what_it_leaves_out_and_keeps_the_best(model: str, gpus: int) -> None:
    evaluation = at(model, gpus)
    whole, quick = rank_plans(evaluation), rank_plans(evaluation, most=8_000)
    assert quick.valid == whole.valid
    assert quick.tried < whole.tried
    assert quick.left_out
    assert quick.step_time_s[0] <= 1.02 * whole.step_time_s[0]
    assert "tried plans" in verdict(quick)[0]
    assert not whole.left_out


def test_the_command_gives_plans_and_sensitivity_when_asked() -> None:
    runner, shipped = CliRunner(), "llama-3-70b-1024-h100"
    told = runner.invoke(app, ["evaluate", shipped, "--plans", "3", "--sensitivity", "--json"])
    record = json.loads(told.stdout)
    ranked = record["plans"]["ranked"]
    assert [len(ranked), ranked[0]["rank"]] == [3, 1]
    assert record["plans"]["fitting_count"] <= record["plans"]["valid_count"]
    for plan in (*ranked, record["plans"]["own"]):
        assert sum(plan["parts"].values()) == pytest.approx(plan["step_time_s"])
    paths = [entry["path"] for entry in record["sensitivity"]["inputs"]]
    assert "machine.network_bandwidth" in paths
    assert record["plans"]["own"]["step_time_s"] == record["step"]["step_time_s"]
    text = runner.invoke(app, ["evaluate", shipped, "--plans", "2", "--sensitivity"]).stdout
    assert "Plans, the fastest of each set of degrees" in text
    assert "What moves cost per token" in text
    plain = json.loads(runner.invoke(app, ["evaluate", shipped, "--json"]).stdout)
    assert not {"plans", "sensitivity"} & set(plain)
    assert runner.invoke(app, ["evaluate", shipped, "--plans", "-1"]).exit_code == 2
