"""Group members in a pod, and the table of collectives: closed forms against the built graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from netdesign.congestion import Conditions, Congestion, congestion
from netdesign.congestion.members import groups_in_order, order_with
from netdesign.congestion.report import CollectiveCongestion
from netdesign.congestion.sweep import crossing_of, one_of_each
from netdesign.congestion.table import collective_rows
from netdesign.design import read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.failures import broken, outcome, stage_of
from netdesign.failures.by_seed import spread_while_broken
from netdesign.failures.by_size import step_while_broken
from netdesign.workload.plan import Plan
from netdesign.workload.rank_groups import RANK_ORDERS, rank_groups

DESIGN = "llama-3-70b-1024-h100-ethernet"
ORDER = RANK_ORDERS[0]


def plan(tensor: int, pipeline: int, data: int) -> Plan:
    return Plan(tensor=tensor, pipeline=pipeline, data=data)


def on_fabric(members: int, values: Mapping[str, Any]) -> Congestion:
    evaluation = evaluate(read_design(DESIGN).with_values({"plan.mode": "manual", **values}))
    return congestion(
        evaluation, Conditions(routing="adaptive", rank_order=order_with(ORDER, members))
    )


def of_data(found: Congestion) -> CollectiveCongestion:
    return next(entry for entry in one_of_each(found) if entry.collective.parallelism == "data")


@pytest.mark.parametrize("members", [1, 3, 7, 24, 90])
@pytest.mark.parametrize("shape", [(8, 4, 32), (4, 4, 64), (8, 1, 128), (2, 2, 16)])
def test_ranks_are_only_numbered_anew(members: int, shape: tuple[int, int, int]) -> None:
    usual = rank_groups(plan(*shape))
    seated = groups_in_order(
        plan(*shape), order_with(ORDER, members), domain_gpus=8, pod_gpus=112 * 8
    )
    number = np.zeros(usual["tensor"].size, dtype=np.int64)
    number[usual["data"]] = seated["data"]
    assert sorted(number.tolist()) == list(range(len(number)))
    for name, groups in usual.items():
        assert np.array_equal(number[groups], seated[name]), name
    # whatever shares a scale-up domain goes on sharing it
    assert np.array_equal(number % 8, np.arange(len(number)) % 8)


@pytest.mark.parametrize(("members", "expected"), [(4, 4), (8, 8), (16, 16), (32, 32)])
def test_a_pod_holds_as_many_members_as_asked(members: int, expected: int) -> None:
    # 8 rings of 32 servers in pods of 32 servers
    seated = groups_in_order(
        plan(8, 8, 32), order_with(ORDER, members), domain_gpus=8, pod_gpus=32 * 8
    )
    pods = seated["data"] // (32 * 8)
    for ring in pods:
        assert set(np.unique(ring, return_counts=True)[1].tolist()) == {expected}


def test_zero_and_fabrics_without_pods_change_nothing() -> None:
    usual = rank_groups(plan(8, 4, 32))
    for order, pod in ((ORDER, 896.0), (order_with(ORDER, 5), np.inf)):
        found = groups_in_order(plan(8, 4, 32), order, domain_gpus=8, pod_gpus=pod)
        assert all(np.array_equal(found[name], groups) for name, groups in usual.items())


@pytest.mark.parametrize("order", [f"{ORDER}:", f"{ORDER}:0", f"{ORDER}:-3", f"{ORDER}:x", "a:3"])
def test_a_wrong_order_is_refused(order: str) -> None:
    with pytest.raises(DesignError, match="rank_order"):
        groups_in_order(plan(8, 4, 32), order, domain_gpus=8, pod_gpus=896)


def test_seven_to_one_with_24_members_in_the_pod_slows_nothing() -> None:
    """Meta's cluster: 7 : 1 above pods in which each ring has 24 members."""
    found = on_fabric(
        24, {"network.oversubscription": 7, "plan.tensor": 8, "plan.pipeline": 4,
             "plan.virtual_stages": 1},
    )  # fmt: skip
    assert crossing_of(found, of_data(found)).fullest >= 24
    for entry in found.collectives:
        assert entry.slowdown == pytest.approx(1.0)
        assert entry.taper_form == pytest.approx(1.0)


@pytest.mark.parametrize("taper", [4, 7])
def test_few_members_are_slowed_by_taper_over_members(taper: float) -> None:
    found = on_fabric(
        1, {"network.family": "fat-tree", "network.oversubscription": taper, "plan.tensor": 8,
            "plan.pipeline": 8, "plan.virtual_stages": 1},
    )  # fmt: skip
    entry = of_data(found)
    lies = crossing_of(found, entry)
    assert entry.taper_form == pytest.approx(lies.taper / lies.in_pod)
    assert entry.slowdown == pytest.approx(entry.taper_form, rel=0.03)
    assert entry.slowdown > 2


def test_the_table_holds_every_collective_that_runs() -> None:
    evaluation = evaluate(read_design(DESIGN).with_values({"network.oversubscription": 4}))
    found = congestion(evaluation, Conditions(routing="adaptive"))
    rows = collective_rows(found)
    running = [entry for entry in evaluation.traffic if entry.calls > 0 and entry.size > 0]
    assert len(rows) == len(running)
    inside = [row for row in rows if row.crossing is None]
    assert {row.parallelism for row in inside} == {"tensor"}
    assert all(row.time_s is None and row.slowdown is None for row in inside)
    exposed = {row.parallelism: row.exposed_s for row in rows}
    assert exposed == pytest.approx({kind: found.step.exposed_s[kind] for kind in exposed})
    assert all(row.members * row.groups == 1024 for row in rows)


def test_the_share_that_crosses_is_that_of_the_hops_between_pods() -> None:
    found = on_fabric(
        8, {"network.oversubscription": 7, "plan.tensor": 8, "plan.pipeline": 1,
            "plan.virtual_stages": 1},
    )  # fmt: skip
    ring = next(row for row in collective_rows(found) if row.parallelism == "data")
    # one ring of 128 servers in two pods: it goes over and comes back
    assert ring.crossing == pytest.approx(2 / 128)


def test_seeds_while_broken_are_the_outcome_of_each_seed() -> None:
    evaluation = evaluate(read_design(DESIGN).with_values({"network.oversubscription": 4}))
    found = spread_while_broken(evaluation, Conditions(routing="ecmp", seed=3), "spine", seeds=2)
    assert found.seeds.tolist() == [3, 4]
    for place, seed in enumerate((3, 4)):
        own = Conditions(routing="ecmp", seed=seed)
        stage = stage_of(evaluation, own)
        expected = outcome(stage, broken(stage.fabric, "spine", nic_ports=stage.nic_ports))
        healthy = congestion(evaluation, own, fair=False)
        assert found.step_s[place] == pytest.approx(step_while_broken(healthy, expected))
    healthy = congestion(evaluation, Conditions(routing="ecmp", seed=3))
    assert found.names == tuple(entry.name for entry in healthy.collectives)
    assert np.any(found.slowdown[0] != [entry.slowdown for entry in healthy.collectives])
