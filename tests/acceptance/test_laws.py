"""What must hold for every design, whatever the models inside are."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.design import (
    Design,
    default_design,
    design_from_query,
    design_from_yaml,
    design_to_query,
    design_to_yaml,
)
from netdesign.economics.bom import BomRow
from netdesign.evaluate import Evaluation, evaluate
from netdesign.findings import SEVERITIES

from .drawing import LAW, designs, evaluated, planned_designs, values

HOURS_PER_YEAR = 8760


def some(design: Design) -> Evaluation:
    evaluation = evaluated(design)
    assume(evaluation is not None)
    assert evaluation is not None
    return evaluation


def is_facility(row: BomRow) -> bool:
    """A building's part of a published price model, no part of the cluster."""
    return row.part_id.startswith("facility")


def links_of(row: BomRow) -> int:
    """Links that a row's cables join; an item of a price model is one link."""
    cables = load_catalog().cables
    return row.quantity * (cables[row.part_id].links if row.part_id in cables else 1)


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def numbers(part: Any, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(part, Real) and not isinstance(part, bool):
        yield path, float(part)
    elif dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            yield from numbers(getattr(part, field.name), f"{path}.{field.name}")
    elif isinstance(part, tuple):
        for each in part:
            yield from numbers(each, path)


@LAW
@given(designs())
def test_every_number_is_finite_and_not_negative(design: Design) -> None:
    for path, value in numbers(some(design)):
        # No bandwidth may be enough; any latency may be tolerated.
        unlimited = path.startswith((".requirement.bandwidth_per_", ".requirement.latency"))
        assert not math.isnan(value), path
        assert value >= 0, path
        assert unlimited or math.isfinite(value), path


@LAW
@given(designs())
def test_an_evaluation_holds_scalars_only(design: Design) -> None:
    evaluation = some(design)
    for section in (evaluation.memory, evaluation.step, evaluation.fabric, evaluation.cost):
        for field in dataclasses.fields(section):
            value = getattr(section, field.name)
            assert np.ndim(value) == 0 or isinstance(value, tuple), (field.name, type(value))


@LAW
@given(designs())
def test_the_plan_uses_every_gpu_or_says_so_and_divides_what_it_cuts(design: Design) -> None:
    evaluation = some(design)
    plan, architecture = evaluation.plan, evaluation.architecture
    used = plan.tensor * plan.pipeline * plan.context * plan.data
    idle = any(each.code == "idle-gpus" for each in evaluation.findings)
    assert used < design.cluster.gpus if idle else used == design.cluster.gpus
    assert not idle or design.plan.mode == "manual"
    assert plan.shard_group >= 1
    assert architecture.heads % plan.tensor == 0
    assert plan.pipeline * plan.virtual_stages <= architecture.layers
    assert plan.data * plan.context % plan.shard_group == 0
    if plan.expert > 1:
        assert architecture.experts % plan.expert == 0
        assert plan.data % plan.expert == 0
    sequences = plan.micro_batches * plan.micro_batch * plan.data
    assert sequences >= design.training.global_batch
    assert (plan.micro_batches - 1) * plan.micro_batch * plan.data < design.training.global_batch


@LAW
@given(designs())
def test_the_parts_of_a_step_add_up(design: Design) -> None:
    evaluation = some(design)
    step = evaluation.step
    parts = step.compute_s + step.bubble_s + step.optimizer_s + step.overhead_s
    assert step.step_time_s == close(parts + step.exposed_s)
    assert step.step_time_low_s <= step.step_time_s <= step.step_time_high_s
    for part in step.communication:
        assert part.network_exposed_s <= part.exposed_s * (1 + 1e-9)
        assert part.exposed_s <= part.total_s * (1 + 1e-9)
    tokens = design.training.sequence_length * design.training.global_batch
    assert evaluation.tokens_per_step == tokens
    assert step.tokens_per_s == close(tokens / step.step_time_s)
    plan = evaluation.plan
    working = plan.tensor * plan.pipeline * plan.context * plan.data
    assert step.tokens_per_s_per_gpu == close(step.tokens_per_s / working)
    peak = evaluation.machine.peak_flops * working
    assert step.mfu == close(step.model_flops / (step.step_time_s * peak))
    assert step.mfu <= 1


@LAW
@given(designs())
def test_the_parts_of_memory_add_up(design: Design) -> None:
    memory = some(design).memory
    parts = memory.weights + memory.gradients + memory.optimizer + memory.activations
    assert memory.total == close(parts + memory.workspace)


@LAW
@given(designs())
def test_traffic_leaves_the_domain_only_as_a_part_of_itself(design: Design) -> None:
    for each in some(design).traffic:
        assert each.network_bytes_per_gpu <= each.bytes_per_gpu * (1 + 1e-9)
        if each.span.domains <= 1:
            assert each.network_bytes_per_gpu == 0


@LAW
@given(designs())
def test_the_ports_of_a_fabric_are_used_or_stranded(design: Design) -> None:
    evaluation = some(design)
    fabric = evaluation.fabric
    server = load_catalog().servers[design.cluster.server]
    assert evaluation.servers == math.ceil(design.cluster.gpus / server.gpus)
    assert fabric.endpoints == evaluation.servers * server.network_ports
    if not fabric.buildable:
        assert fabric.reason
        return
    assert fabric.access_links == fabric.endpoints
    inside = fabric.leaf_spine_links + fabric.spine_core_links
    ports = fabric.switches * fabric.radix
    assert fabric.stranded_ports == ports - fabric.access_links - 2 * inside
    assert fabric.endpoints <= fabric.largest
    assert (fabric.cores > 0) == (fabric.tiers == 3)
    assert (fabric.spines > 0) == (fabric.tiers >= 2)


@LAW
@given(designs())
def test_the_rows_of_the_bill_add_up(design: Design) -> None:
    evaluation = some(design)
    bom, cost = evaluation.bom, evaluation.cost
    assert bom.total_usd == close(sum(row.total_usd or 0 for row in bom.rows))
    assert bom.network_usd == close(sum(row.total_usd or 0 for row in bom.rows if row.network))
    assert bom.total_power_w == close(sum(row.total_power_w or 0 for row in bom.rows))
    assert bom.network_power_w == close(
        sum(row.total_power_w or 0 for row in bom.rows if row.network)
    )
    assert all(row.quantity == int(row.quantity) > 0 for row in bom.rows)
    unpriced = {row.name for row in bom.rows if row.unit_price_usd is None}
    assert set(bom.unpriced) == unpriced
    assert cost.complete == (not unpriced)
    assert cost.capex_usd == close(bom.total_usd)
    assert cost.network_capex_usd == close(bom.network_usd)
    assert cost.power_w == close(bom.total_power_w)
    if cost.network_capex_usd:
        equipment = cost.capex_usd - sum(row.total_usd or 0 for row in bom.rows if is_facility(row))
        assert cost.network_share == close(cost.network_capex_usd / equipment)


@LAW
@given(designs())
def test_the_bill_buys_the_fabric(design: Design) -> None:
    evaluation = some(design)
    fabric, rows = evaluation.fabric, evaluation.bom.rows
    assert sum(row.quantity for row in rows if row.kind == "server") == evaluation.servers
    if not fabric.buildable:
        return
    assert sum(row.quantity for row in rows if row.kind == "switch") == fabric.switches
    tiers = {
        "access": fabric.access_links,
        "leaf-spine": fabric.leaf_spine_links,
        "spine-core": fabric.spine_core_links,
    }
    for place, links in tiers.items():
        joined = [links_of(row) for row in rows if row.kind == "cable" and row.place == place]
        assert not links or links <= max(joined) <= links + 1, place


@LAW
@given(designs())
def test_cost_follows_from_the_step(design: Design) -> None:
    evaluation = some(design)
    cost, step = evaluation.cost, evaluation.step
    tokens = design.training.token_budget_trillion * 1e12
    gpus = design.cluster.gpus
    assert cost.training_days == close(tokens / step.tokens_per_s / 86_400)
    assert cost.training_gpu_hours == close(cost.training_days * 24 * gpus)
    assert cost.training_usd == close(cost.usd_per_million_tokens * tokens / 1e6)
    assert cost.training_usd == close(cost.usd_per_gpu_hour * cost.training_gpu_hours)
    assert cost.usd_per_step == close(cost.usd_per_gpu_hour * gpus * step.step_time_s / 3600)
    waiting = step.network_exposed_s / step.step_time_s
    rent = design.economics.rental_usd_per_gpu_hour * 24 * gpus
    assert cost.network_wait_usd_per_day == close(rent * waiting)


@LAW
@given(designs())
def test_owning_costs_capital_energy_and_operations(design: Design) -> None:
    evaluation = some(design)
    cost, money = evaluation.cost, design.economics
    energy = cost.power_w / 1000 * money.pue * money.usd_per_kwh * HOURS_PER_YEAR
    assert cost.energy_usd_per_year == close(energy)
    rate, years = money.interest_rate, money.amortisation_years
    # Below this, 1 - (1 + r)^-n loses its digits; the limit is 1/n.
    recovery = rate / (1 - (1 + rate) ** -years) if rate > 1e-9 else 1 / years
    yearly = cost.capex_usd * (recovery + money.operations_share) + energy
    hourly = yearly / (design.cluster.gpus * HOURS_PER_YEAR)
    assert cost.usd_per_gpu_hour == pytest.approx(hourly, rel=1e-6)


@LAW
@given(designs())
def test_the_requirement_agrees_with_the_step(design: Design) -> None:
    evaluation = some(design)
    need, machine = evaluation.requirement, evaluation.machine
    server = load_catalog().servers[design.cluster.server]
    assert need.communication_share == design.target.communication_share
    assert need.share_floor <= need.share_reached * (1 + 1e-9) + 1e-12
    assert 0 <= need.share_reached < 1
    if math.isfinite(need.bandwidth_per_gpu):
        assert need.bandwidth_per_server == close(need.bandwidth_per_gpu * server.gpus)
    usable = machine.network_bandwidth * machine.framing_efficiency * machine.balance_efficiency
    if need.bandwidth_per_gpu <= 0.98 * usable:
        assert need.share_reached <= need.communication_share * 1.01
    if need.bandwidth_per_gpu >= 1.02 * machine.network_bandwidth:
        assert need.share_reached >= need.communication_share * 0.99
    if need.share_floor > need.communication_share * 1.001:
        assert math.isinf(need.bandwidth_per_gpu)
    bandwidths = [bandwidth for bandwidth, _ in need.bandwidth_curve]
    shares = [share for _, share in need.bandwidth_curve]
    assert bandwidths == sorted(bandwidths)
    assert all(after <= before + 1e-9 for before, after in zip(shares, shares[1:], strict=False))


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
@given(planned_designs())
def test_no_plan_by_hand_that_fits_beats_the_best(design: Design) -> None:
    by_hand = some(design)
    assume(by_hand.memory.total <= by_hand.memory_limit)
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


@LAW
@given(designs())
def test_findings_are_short_and_worst_first(design: Design) -> None:
    findings = some(design).findings
    ranks = [SEVERITIES.index(each.severity) for each in findings]
    assert ranks == sorted(ranks)
    for each in findings:
        for text in (each.sentence, each.fix):
            assert text.isprintable()
            assert len(text) <= 240, text
        assert each.sentence.endswith(".")
        assert each.field == "" or each.field in load_catalog().parameters
    assert len({(each.code, each.sentence) for each in findings}) == len(findings)


@LAW
@given(designs())
def test_the_number_that_fixes_a_finding_fixes_it(design: Design) -> None:
    for each in some(design).findings:
        if each.suggestion is None or not each.field:
            continue
        fixed = evaluated(design.with_values({each.field: each.suggestion}))
        assert fixed is not None, each
        assert each.code not in {left.code for left in fixed.findings}, each


@LAW
@given(designs())
def test_what_cannot_be_built_is_an_error_and_only_that(design: Design) -> None:
    evaluation = some(design)
    errors = [each for each in evaluation.findings if each.severity == "error"]
    too_large = evaluation.memory.total > evaluation.memory_limit
    if too_large:
        assert any("memory" in each.code for each in errors), errors
    if not evaluation.fabric.buildable:
        assert any("memory" not in each.code for each in errors), errors
    if not too_large and evaluation.fabric.buildable and evaluation.cost.complete:
        assert not any("memory" in each.code for each in errors)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"plan.mode": "manual", "plan.tensor": 1, "plan.pipeline": 1}, ("fit", "GB")),
        ({"plan.mode": "manual", "plan.tensor": 16, "plan.pipeline": 4}, ("NVLink", "8")),
        ({"network.oversubscription": 8}, ("network", "8%")),
        (
            {
                "plan.mode": "manual",
                "plan.tensor": 1,
                "plan.pipeline": 1,
                "plan.sharding": "fsdp",
                "network.family": "fat-tree",
                "network.oversubscription": 4,
            },
            ("FSDP", "taper"),
        ),
        ({"network.family": "single-switch"}, ("64",)),
    ],
)
def test_the_planner_is_told(changes: dict[str, Any], words: tuple[str, ...]) -> None:
    findings = evaluate(default_design().with_values(changes)).findings
    assert any(all(word in f"{each.sentence} {each.fix}" for word in words) for each in findings), (
        findings
    )


@LAW
@given(designs())
def test_a_design_survives_its_file_and_its_address(design: Design) -> None:
    assert design_from_yaml(design_to_yaml(design)) == design
    back, ignored = design_from_query(design_to_query(design))
    assert ignored == ()
    assert back.name == design.name
    for path in load_catalog().parameters:
        told, meant = back.value(path), design.value(path)
        # An address carries twelve digits.
        assert told == (pytest.approx(meant, rel=1e-11) if isinstance(meant, float) else meant)


@LAW
@given(designs())
def test_what_an_address_says_survives_its_own_address(design: Design) -> None:
    told, _ = design_from_query(design_to_query(design))
    again, _ = design_from_query(design_to_query(told))
    assert again == told


@LAW
@given(designs())
def test_evaluate_is_pure(design: Design) -> None:
    before = design.model_dump_json()
    first = some(design)
    second = evaluate(Design.model_validate_json(before))
    assert first == second
    assert design.model_dump_json() == before
    assert first.design == design


WATCH = """
import sys
from netdesign.design import default_design
from netdesign.evaluate import evaluate

design = default_design()
evaluate(design)
watched = ("open", "socket.", "subprocess.", "os.", "import")
seen = []
watching = True

def watch(event, arguments):
    if watching and event.startswith(watched):
        seen.append(f"{event} {arguments}")

sys.addaudithook(watch)
for changes in (
    {"cluster.gpus": 512},
    {"model.preset": "by-size", "network.oversubscription": 4},
    {"cluster.server": "dgx-a100", "network.switch": "qm9700"},
    {"network.family": "fat-tree", "network.transport": "infiniband"},
    {"plan.mode": "manual"},
    {"economics.price_book": "cheah-2024"},
):
    evaluate(design.with_values(changes))
watching = False
print("\\n".join(seen))
"""


def test_evaluate_opens_nothing_once_the_catalogue_is_read() -> None:
    run = subprocess.run(
        [sys.executable, "-c", WATCH], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == ""
