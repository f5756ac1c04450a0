"""The schedule of a pipeline and the precision of dispatched tokens, as a planner sets them."""

from __future__ import annotations

import pytest

from netdesign.design import default_design, read_design
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.performance.machine import Training
from netdesign.ranking import rank_plans
from netdesign.sensitivity import sensitivity

SCHEDULES = ("1f1b", "zero-bubble", "dualpipe")
# DeepSeek-V3 technical report: 16 stages, 64 expert ranks over 8 nodes, ZeRO-1, no tensor ranks.
PUBLISHED = {
    "plan.mode": "manual",
    "plan.tensor": 1,
    "plan.pipeline": 16,
    "plan.expert": 64,
    "plan.micro_batch": 1,
    "plan.virtual_stages": 1,
}


def deepseek(**changes: object) -> Evaluation:
    values = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(read_design("deepseek-v3-2048-h100").with_values({**PUBLISHED, **values}))


def expert_bytes(found: Evaluation) -> float:
    return float(sum(e.bytes_per_gpu for e in found.traffic if e.parallelism == "expert"))


def test_a_design_that_says_nothing_waits_as_before() -> None:
    design = default_design()
    chosen = design.training
    assert (design.plan.schedule, chosen.dispatch_precision) == ("1f1b", "bf16")
    found = evaluate(design)
    assert found.training == Training(chosen.sequence_length, chosen.global_batch, chosen.precision)
    assert not found.plan_label.endswith(("zero-bubble", "DualPipe"))


# Zhao et al. 2025, table 4: 19.926 s a step on 2,048 H800, 2.06 s of it bubble.
def test_the_shipped_deepseek_takes_about_the_published_time_by_the_published_plan() -> None:
    found = deepseek()
    assert found.plan_label.endswith(", DualPipe")
    assert found.step.step_time_s == pytest.approx(19.926, rel=0.1)
    assert found.step.bubble_s == pytest.approx(2.06, rel=0.1)
    assert found.step.step_time_low_s < 19.926 < found.step.step_time_high_s
    best = evaluate(read_design("deepseek-v3-2048-h100"))
    assert best.step.step_time_s <= found.step.step_time_s
    assert best.memory.total <= best.memory_limit


def test_each_schedule_hides_more_than_the_one_before() -> None:
    plain, split, both = (deepseek(plan__schedule=name) for name in SCHEDULES)
    assert plain.step.bubble_s > split.step.bubble_s
    assert plain.step.exposed_s == pytest.approx(split.step.exposed_s)
    assert both.step.exposed_s < 0.2 * split.step.exposed_s
    assert plain.step.compute_s == split.step.compute_s == both.step.compute_s
    labels = [found.plan_label.rpartition(", ")[2] for found in (plain, split, both)]
    assert labels == ["selective recompute", "zero-bubble", "DualPipe"]


def test_a_dense_model_has_nothing_that_dualpipe_hides_besides_the_bubble() -> None:
    split, both = (
        evaluate(default_design().with_values({"plan.mode": "manual", "plan.schedule": name}))
        for name in SCHEDULES[1:]
    )
    assert split.step.step_time_s == both.step.step_time_s


def test_one_micro_batch_has_no_other_pass_to_hide_behind() -> None:
    alone = {"training__global_batch": 128}
    plain, both = (deepseek(plan__schedule=name, **alone) for name in ("zero-bubble", "dualpipe"))
    assert int(both.plan.micro_batches) == 1
    assert both.step.exposed_s >= plain.step.exposed_s


# Of dispatch and combine, forward and backward, one in four is halved.
def test_tokens_of_eight_bits_are_an_eighth_less_all_to_all() -> None:
    wide, narrow = (deepseek(training__dispatch_precision=name) for name in ("bf16", "fp8"))
    assert expert_bytes(narrow) == pytest.approx(0.875 * expert_bytes(wide))
    dense = default_design()
    assert (
        evaluate(dense.with_values({"training.dispatch_precision": "fp8"})).step
        == evaluate(dense).step
    )


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_ranking_and_sensitivity_know_the_schedule(schedule: str) -> None:
    found = deepseek(plan__schedule=schedule)
    ranking = rank_plans(found, most=8_000)
    assert ranking.own.label == found.plan_label
    assert sum(ranking.own.parts.values()) == pytest.approx(float(found.step.step_time_s))
    first = ranking.standings(1)[0]
    assert first.label.endswith("DualPipe") == (schedule == "dualpipe")
    assert first.step_time_s <= float(found.step.step_time_s)
    assert sensitivity(found).base["step_time_s"] == pytest.approx(float(found.step.step_time_s))


def test_an_unknown_schedule_is_one_sentence() -> None:
    with pytest.raises(DesignError, match=r"plan\.schedule.*is not known"):
        default_design().with_values({"plan.schedule": "gpipe"})
