"""Which way an answer must move when an input moves, whatever the models inside are."""

from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.design import (
    Design,
)
from netdesign.workload.plan import check_plan

from .drawing import LAW, close, designs, planned_designs, some, values


@LAW
@given(
    st.one_of(designs(), planned_designs()),
    st.sampled_from(["network.oversubscription", "network.core_oversubscription"]),
    st.data(),
)
def test_more_oversubscription_never_makes_a_step_faster(
    design: Design, path: str, data: Any
) -> None:
    low, high = sorted([data.draw(values(path)), data.draw(values(path))])
    wide, narrow = (some(design.with_values({path: value})) for value in (low, high))
    # More ports down may save a tier, hence latency, and keep more hashed flows below one leaf.
    same_paths = wide.fabric.tiers == narrow.fabric.tiers and wide.machine.balance_efficiency == 1
    slack = 1e-9 if same_paths else 0.015
    assert narrow.step.step_time_s >= wide.step.step_time_s * (1 - slack)


@LAW
@given(planned_designs(), st.floats(1, 8), st.floats(0.1, 1))
def test_a_faster_network_never_makes_a_step_slower(
    design: Design, faster: float, shorter: float
) -> None:
    from netdesign.performance.calibration import calibration_from_rows
    from netdesign.performance.machine import Training
    from netdesign.performance.step import step_time

    evaluation = some(design)
    machine = evaluation.machine
    training = Training(
        design.training.sequence_length, design.training.global_batch, design.training.precision
    )
    calibration = calibration_from_rows(load_catalog().calibrations, machine.generation)

    def seconds(**changes: float) -> float:
        changed = dataclasses.replace(machine, **changes)
        return float(
            step_time(
                evaluation.architecture,
                evaluation.plan,
                training,
                changed,
                calibration,
                gradient_bytes=design.training.gradient_bytes,
            ).step_time_s
        )

    now = seconds()
    assert now == close(evaluation.step.step_time_s)
    slack = 1 + 1e-9
    assert seconds(network_bandwidth=machine.network_bandwidth * faster) <= now * slack
    assert seconds(domain_bandwidth=machine.domain_bandwidth * faster) <= now * slack
    assert seconds(memory_bandwidth=machine.memory_bandwidth * faster) <= now * slack
    assert seconds(peak_flops=machine.peak_flops * faster) <= now * slack
    assert seconds(network_latency=machine.network_latency * shorter) <= now * slack
    assert seconds(domain_latency=machine.domain_latency * shorter) <= now * slack
    assert seconds(oversubscription=machine.oversubscription * faster) >= now / slack


@LAW
@given(designs())
def test_in_network_reduction_never_makes_a_step_slower(design: Design) -> None:
    off, on = (
        some(design.with_values({"network.in_network_reduction": flag})) for flag in (False, True)
    )
    assert on.step.step_time_s <= off.step.step_time_s * (1 + 1e-9)


@LAW
@given(planned_designs())
def test_more_gpus_for_one_batch_never_make_a_gpu_faster(design: Design) -> None:
    few = some(design)
    many = some(design.with_values({"cluster.gpus": 2 * design.cluster.gpus}))
    assume(few.plan.data * 2 == many.plan.data)
    assert many.step.tokens_per_s_per_gpu <= few.step.tokens_per_s_per_gpu * 1.03


@LAW
@given(planned_designs({"plan.mode": "best"}))
def test_the_best_plan_is_one_that_a_planner_may_choose(design: Design) -> None:
    evaluation = some(design)
    plan, training = evaluation.plan, design.training
    check_plan(evaluation.architecture, plan, design.cluster.gpus, training.global_batch)
    assert plan.data <= training.global_batch


@LAW
@given(planned_designs())
def test_no_plan_by_hand_that_fits_beats_the_best(design: Design) -> None:
    by_hand = some(design)
    # The best plan leaves room for fragmentation where one can: a fuller one may be faster.
    comfortable = load_catalog().rules["memory-tight"].value
    assume(by_hand.memory.total <= comfortable * by_hand.memory_limit)
    # Where GPUs mostly wait, pipelines that idle longer than they work may win; they are not tried.
    assume(by_hand.step.mfu >= 0.1)
    best = some(design.with_values({"plan.mode": "best"}))
    assert best.memory.total <= best.memory_limit
    assert best.step.tokens_per_s >= by_hand.step.tokens_per_s * (1 - 1e-9)


@LAW
@given(designs(), st.floats(1, 4))
def test_money_moves_the_way_it_must(design: Design, factor: float) -> None:
    now = some(design)

    def cost(path: str) -> Any:
        parameter = load_catalog().parameters[path]
        assert parameter.highest is not None
        value = min(parameter.highest, max(design.value(path), 1e-3) * factor)
        return some(design.with_values({path: max(design.value(path), value)})).cost

    slack = 1 + 1e-9
    hourly = now.cost.usd_per_gpu_hour
    for path in ("interest_rate", "pue", "usd_per_kwh", "operations_share"):
        assert cost(f"economics.{path}").usd_per_gpu_hour * slack >= hourly, path
    assert cost("economics.amortisation_years").usd_per_gpu_hour <= hourly * slack
    budget = min(1000, design.training.token_budget_trillion * factor)
    longer = some(design.with_values({"training.token_budget_trillion": budget})).cost
    ratio = budget / design.training.token_budget_trillion
    assert longer.training_days == close(now.cost.training_days * ratio)
    assert longer.usd_per_million_tokens == close(now.cost.usd_per_million_tokens)
