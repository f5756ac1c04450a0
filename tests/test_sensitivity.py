"""Every move of an input gives what a design with that input gives."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from netdesign import sensitivity as module
from netdesign.app.choices import plan_values
from netdesign.catalog import load_catalog
from netdesign.design import default_design
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.sensitivity import MEASURES, Sensitivity, Swing, input_rows, sensitivity
from netdesign.workload.transformer import parameter_count


def at(**changes: object) -> Evaluation:
    values = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(default_design().with_values(values))


def swing_of(found: Sensitivity, path: str) -> Swing:
    return next(swing for swing in found.swings if swing.path == path)


def measured(evaluation: Evaluation) -> dict[str, float]:
    cost = evaluation.cost
    return {
        "step_time_s": float(evaluation.step.step_time_s),
        "usd_per_million_tokens": float(cost.usd_per_million_tokens),
        "training_days": float(cost.training_days),
    }


OF_A_DESIGN = [path for path in input_rows() if path in load_catalog().parameters]


@pytest.mark.parametrize("path", OF_A_DESIGN)
@pytest.mark.parametrize("model", ["llama-3-70b", "deepseek-v3"])
def test_a_moved_input_gives_what_the_moved_design_gives(path: str, model: str) -> None:
    found = at(model__preset=model, network__oversubscription=2.0)
    design = found.design.with_values({**plan_values(found), "plan.mode": "manual"})
    swing = swing_of(sensitivity(found), path)
    kept = measured(found)
    for move in (swing.down, swing.up):
        assert move.said
        value = design.value(path) * move.ratio
        kind = load_catalog().parameters[path].kind
        values = {path: round(value) if kind == "integer" else float(value)}
        if not move.change:
            with pytest.raises(DesignError):
                evaluate(design.with_values(values))
            assert move.problem
            continue
        moved = evaluate(design.with_values(values))
        assert bool(moved.memory.total <= moved.memory_limit) == (move.problem == "")
        for name, result in measured(moved).items():
            assert 1 + move.change[name] == pytest.approx(result / kept[name], rel=1e-9), name


def test_a_third_tier_comes_with_its_latency_and_its_bill() -> None:
    two = at(model__preset="deepseek-v3", network__family="fat-tree", cluster__gpus=2048)
    manual = {**plan_values(two), "plan.mode": "manual"}
    three = evaluate(two.design.with_values({**manual, "cluster.gpus": 4096}))
    assert (two.fabric.tiers, three.fabric.tiers) == (2, 3)
    change = swing_of(sensitivity(two), "cluster.gpus").up.change
    for name, result in measured(three).items():
        assert 1 + change[name] == pytest.approx(result / measured(two)[name], rel=1e-9)


@pytest.mark.parametrize("gpus", [8, 1000, 1024])
def test_the_base_is_the_design(gpus: int) -> None:
    evaluation = at(cluster__gpus=gpus)
    assert sensitivity(evaluation).base == pytest.approx(measured(evaluation), rel=1e-12)


def test_prices_and_power_are_all_there_is_to_owning() -> None:
    found = sensitivity(at())
    cost = "usd_per_million_tokens"
    parts = ("price.servers", "price.network", "economics.usd_per_kwh")
    moved = sum(swing_of(found, path).up.change[cost] for path in parts)
    assert moved == pytest.approx(0.1)


def test_the_token_budget_moves_days_alone_and_in_proportion() -> None:
    budget = swing_of(sensitivity(at()), "training.token_budget_trillion")
    assert budget.up.change["training_days"] == pytest.approx(0.1)
    assert budget.elasticity("training_days") == pytest.approx(1.0)
    assert budget.size("step_time_s") == 0


@pytest.mark.parametrize("model", ["llama-3-8b", "llama-3-70b", "deepseek-v3"])
def test_faster_hardware_never_makes_a_step_longer(model: str) -> None:
    found = sensitivity(at(model__preset=model))
    for path in ("peak_flops", "memory_bandwidth", "domain_bandwidth", "network_bandwidth"):
        swing = swing_of(found, f"machine.{path}")
        assert swing.up.change["step_time_s"] <= 0 <= swing.down.change["step_time_s"]
        assert -1 <= swing.elasticity("step_time_s") <= 0
    latency = swing_of(found, "machine.network_latency")
    assert latency.down.change["step_time_s"] <= 0 <= latency.up.change["step_time_s"]


def test_the_size_is_that_many_times_the_parameters() -> None:
    arch = at().architecture
    sizes = np.array([0.9, 1.0, 1.1])
    wider = module._architecture(arch, sizes)
    assert parameter_count(wider) / parameter_count(arch) == pytest.approx(sizes, rel=1e-4)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_largest_swing_is_first(measure: str) -> None:
    sizes = [swing.size(measure) for swing in sensitivity(at()).ranked(measure)]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) > 0


def test_an_input_at_its_end_moves_to_one_side_only() -> None:
    taper = swing_of(sensitivity(at(network__oversubscription=1.0)), "network.oversubscription")
    assert taper.down.said == ""
    assert taper.down.change == {}
    assert taper.up.said == "+0.25"
    assert math.isfinite(taper.elasticity("step_time_s"))


def test_a_move_that_the_plan_cannot_follow_is_said() -> None:
    manual = {"plan__mode": "manual", "plan__tensor": 8, "plan__pipeline": 1}
    found = sensitivity(at(training__global_batch=64, cluster__gpus=512, **manual))
    batch, gpus = (swing_of(found, p) for p in ("training.global_batch", "cluster.gpus"))
    assert batch.down.problem == "fewer sequences than the 64 data ranks"
    assert gpus.up.problem == "fewer sequences than the 128 data ranks"
    assert batch.down.change == gpus.up.change == {}
    assert math.isfinite(batch.elasticity("step_time_s"))
    few = sensitivity(at(cluster__gpus=8, **manual))
    assert swing_of(few, "cluster.gpus").down.problem == "the plan needs 8 GPUs"


def test_a_fabric_that_cannot_be_built_is_said() -> None:
    found = sensitivity(at(network__family="single-switch", cluster__gpus=64))
    gpus = swing_of(found, "cluster.gpus")
    assert gpus.up.problem.startswith("cannot be built: ")
    assert gpus.up.change == {}
    assert gpus.down.change


def test_without_a_price_of_the_servers_cost_is_unknown() -> None:
    evaluation = at()
    rows = tuple(
        replace(row, unit_price_usd=None) if row.kind == "server" else row
        for row in evaluation.bom.rows
    )
    found = sensitivity(replace(evaluation, bom=replace(evaluation.bom, rows=rows)))
    assert math.isnan(found.base["usd_per_million_tokens"])
    assert found.ranked("usd_per_million_tokens") == ()
    assert found.ranked("step_time_s")


def test_a_plan_that_no_longer_fits_is_marked_but_told() -> None:
    sequence = swing_of(sensitivity(at()), "training.sequence_length")
    assert sequence.up.problem == "does not fit in memory"
    assert sequence.up.change["step_time_s"] > 0.5


def test_every_row_has_a_source_that_is_known() -> None:
    for path, row in input_rows().items():
        assert row.source in load_catalog().references, path


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("machine.peak_flops,Peak,step,,", "has no step in parameters.csv"),
        ("cluster.server,Server,step,,", "has no step in parameters.csv"),
        ("economics.pue,PUE,factor,0.9,", "is blank"),
        ("economics.pue,PUE,factor,-1,1.1", "is too small"),
        ("economics.pue,PUE,jump,,", "is not one of the choices"),
    ],
)
def test_a_wrong_row_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, said: str
) -> None:
    head = "path,label,move,down,up,source,date,note"
    (tmp_path / "sensitivity.csv").write_text(f"{head}\n{row},netdesign-judgement,2026,\n")
    monkeypatch.setattr(module, "data_directory", lambda: tmp_path)
    with pytest.raises(DesignError, match=said) as error:
        input_rows.__wrapped__()
    assert "sensitivity.csv, row" in str(error.value)
