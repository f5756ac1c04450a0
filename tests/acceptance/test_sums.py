"""What must add up in every evaluation: step, memory, ports, bill, cost, requirement."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from numbers import Real
from typing import Any

import pytest
from hypothesis import given

from netdesign.catalog import load_catalog
from netdesign.design import (
    Design,
)
from netdesign.economics.bom import BomRow

from .drawing import LAW, close, designs, some

HOURS_PER_YEAR = 8760


def is_facility(row: BomRow) -> bool:
    """A building's part of a published price model, no part of the cluster."""
    return row.part_id.startswith("facility")


def links_of(row: BomRow) -> int:
    """Links that a row's cables join; an item of a price model is one link."""
    cables = load_catalog().cables
    return row.quantity * (cables[row.part_id].links if row.part_id in cables else 1)


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
        if path == ".cost.network_share" and math.isnan(value):
            continue  # no price of the servers to compare with: the bill's own test looks at it
        assert not math.isnan(value), path
        assert value >= 0, path
        assert unlimited or math.isfinite(value), path


@LAW
@given(designs())
def test_the_plan_uses_every_gpu_or_says_so_and_divides_what_it_cuts(design: Design) -> None:
    evaluation = some(design)
    plan, architecture = evaluation.plan, evaluation.architecture
    used = plan.tensor * plan.pipeline * plan.context * plan.data
    idle = any(each.code == "idle-gpus" for each in evaluation.findings)
    assert used < design.cluster.gpus if idle else used == design.cluster.gpus
    assert (
        not idle
        or design.plan.mode == "manual"
        or 2 * used > design.cluster.gpus
        or (used >= design.training.global_batch)
    )
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
        if any(row.kind == "server" and row.unit_price_usd is None for row in bom.rows):
            assert math.isnan(cost.network_share)
        else:
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
        if links and not joined:  # no medium reaches, and the book counts both ends of a link
            ends = [row.quantity for row in rows if (row.kind, row.place) == ("transceiver", place)]
            assert ends == [2 * links], place
            continue
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
