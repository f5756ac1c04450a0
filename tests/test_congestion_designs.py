"""The traffic of whole designs over their built fabrics, and what it does to the step."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from netdesign.catalog import load_catalog
from netdesign.congestion import (
    Conditions,
    congestion,
    side_by_side,
    spread,
    storage_traffic,
)
from netdesign.congestion.closed import taper_slowdown, wiring_slowdown
from netdesign.congestion.scene import half_of, scene_of, usual_routing
from netdesign.congestion.settings import routing_rows, setting, setting_rows
from netdesign.congestion.slowed_step import slowed_step
from netdesign.congestion.sweep import one_of_each, taper_curves
from netdesign.design import default_design, read_design, shipped_designs
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.export.congestion import congestion_record, congestion_text
from netdesign.fabrics import spec_of
from netdesign.performance.calibration import calibration_for
from netdesign.performance.step import step_time
from netdesign.topology.clos_request import resolve
from netdesign.topology.routing import Lost
from netdesign.workload.patterns import Sending
from netdesign.workload.plan import Plan
from netdesign.workload.rank_groups import group_of

PLANNED = {
    "plan.mode": "manual",
    "plan.tensor": 8,
    "plan.pipeline": 4,
    "plan.micro_batch": 1,
    "plan.virtual_stages": 2,
}
# Leaves of 48 servers below 16 uplinks: four whole units of 384 GPUs, a stage in each.
TAPERED = {**PLANNED, "cluster.gpus": 1536, "network.oversubscription": 3}


def evaluation(**more):
    return evaluate(default_design().with_values({**PLANNED, **more}))


def tapered(**more):
    return evaluate(default_design().with_values({**TAPERED, **more}))


def slowdowns(found):
    return {entry.collective.parallelism: entry.slowdown for entry in found.collectives}


@pytest.mark.parametrize("name", shipped_designs())
def test_shipped_designs_are_not_slowed_when_packed_and_adaptive(name):
    own = evaluate(read_design(name))
    found = congestion(own, Conditions(routing="adaptive"))
    assert found.collectives
    for entry in found.collectives:
        assert entry.slowdown == pytest.approx(1.0), entry.name
        assert entry.taper_form == pytest.approx(1.0)
        assert entry.phase.slowest_share == pytest.approx(1.0)
    assert found.step.step_s == pytest.approx(found.step.ideal_s)
    if own.machine.balance_efficiency == 1:
        assert found.step.ideal_s == pytest.approx(own.step.step_time_s)


def test_on_an_even_taper_the_built_fabric_and_the_closed_forms_give_one_step():
    own = tapered()
    assert own.machine.oversubscription == 3
    found = congestion(own)
    assert slowdowns(found) == pytest.approx({"pipeline": 3.0, "data": 1.0, "sharding": 1.0})
    for entry in found.collectives:
        assert entry.slowdown == pytest.approx(entry.taper_form)
        assert entry.hashed_form is None
    assert found.step.step_s == pytest.approx(own.step.step_time_s, rel=1e-9)
    assert found.step.step_s > found.step.ideal_s
    assert found.worst.collective.parallelism == "pipeline"


def test_the_other_rank_order_moves_the_taper_from_the_pipeline_to_the_gradients():
    found = congestion(tapered(), Conditions(rank_order="tp-cp-ep-pp-dp"))
    assert slowdowns(found) == pytest.approx({"pipeline": 1.0, "data": 1.0, "sharding": 1.0})
    for entry in found.collectives:
        assert entry.taper_form == pytest.approx(1.0)  # 12 members of 48 in a unit against 3 : 1


@pytest.mark.parametrize(("order", "pipeline"), [("tp-cp-ep-pp-dp", 1.0), ("tp-cp-ep-dp-pp", 3.5)])
def test_llama_3_at_its_size_over_a_1_to_7_core_is_not_slowed(order, pipeline):
    """TP 8, PP 16 with data slowest, as Meta trained it: 14 members of a ring in each of eight
    whole pods of 1,792 GPUs. With the pipeline slowest a pod holds two of its sixteen stages."""
    own = evaluate(
        read_design("llama-3.1-405b-16384-h100").with_values(
            {
                "network.family": "fat-tree-3",
                "network.core_oversubscription": 7,
                "cluster.gpus": 14_336,
            }
        )
    )
    assert (own.machine.pod_gpus, own.machine.oversubscription) == (1792, 7)
    found = congestion(own, Conditions(rank_order=order), fair=False)
    expected = {"pipeline": pipeline, "data": 1.0, "sharding": 1.0}
    assert slowdowns(found) == pytest.approx(expected)
    for entry in found.collectives:
        assert entry.taper_form == pytest.approx(entry.slowdown)


def test_a_4_to_1_taper_keeps_25_to_100_percent_of_the_peak_of_fsdp():
    own = evaluation(
        **{
            "network.oversubscription": 4,
            "plan.pipeline": 1,
            "plan.virtual_stages": 1,
            "plan.sharding": "fsdp",
        }
    )
    kept = {
        placement: 1 / spread(own, Conditions(placement=placement), seeds=6).slowdown
        for placement in ("packed", "fragmented", "random")
    }
    # Any two leaves share all 13 uplinks, and pieces of servers send once for four members or more.
    assert own.fabric.spines == 7
    assert np.all(kept["packed"] > 0.999)
    assert np.all(kept["fragmented"] > 0.999)
    assert np.all((kept["random"] >= 0.25) & (kept["random"] < 0.45))


def test_with_the_fewest_spines_the_report_says_what_the_worst_leaves_get():
    changes = {"network.oversubscription": 4, "network.spines": "fewest"}
    found = congestion(evaluation(**changes), fair=False)
    assert found.evaluation.fabric.spines == 5
    assert (found.pairs.spines, found.pairs.uplinks, found.pairs.worst) == (5, 13, 11)
    assert found.worst_pair_share == pytest.approx(11 / 51)
    finding = next(f for f in found.evaluation.findings if f.code == "leaf-pairs-share-less")
    said = "some leaves meet over 11 of their 13 uplinks"
    assert f"{found.worst_pair_share:.1%} of peak" in finding.sentence
    assert said in congestion_text(found)
    assert f"{found.worst_pair_share:.1%} of peak" in congestion_text(found)
    assert congestion_record(found)["worst_leaf_pair"]["shared_count"] == 11
    whole = congestion(evaluation(**{"network.oversubscription": 4}), fair=False)
    assert whole.worst_pair_share is None
    assert "some leaves meet" not in congestion_text(whole)


@pytest.mark.parametrize("taper", [2, 3, 4])
def test_the_curve_of_the_taper_has_the_wiring_of_the_fewest_spines(taper):
    """No built point lies above it; without the wiring one did."""
    rule = {"plan.virtual_stages": 1, "network.oversubscription": taper}
    shown = {}
    for spines in ("auto", "fewest"):
        found = congestion(evaluation(**rule, **{"network.spines": spines}), fair=False)
        curves = {curve.name: curve for curve in taper_curves(found, (taper,))}
        for entry in one_of_each(found):
            assert entry.slowdown <= curves[entry.name].slowdown[0] * (1 + 1e-9)
        shown[spines] = curves["all-to-all over all GPUs"].slowdown[0]
    added = wiring_slowdown(resolve(spec_of(found.evaluation)).shape, ordered=False)
    assert added > 1
    assert shown["fewest"] == pytest.approx(added * shown["auto"], rel=1e-9)


def test_the_hot_links_are_those_of_the_taper():
    found = congestion(tapered())
    fabric, pipeline = found.scene.fabric, found.worst
    up = fabric.a >= fabric.hosts
    assert pipeline.phase.load[up].max() == pytest.approx(1.0)
    assert pipeline.phase.load[~up].max() == pytest.approx(1 / 3)
    assert found.load.shape == (fabric.links,)
    assert found.load.max() == pytest.approx(1.0)


def test_hashing_stands_beside_its_closed_form_within_the_seeds():
    own = evaluation(**{"network.transport": "roce-hashed", "network.family": "fat-tree"})
    found = congestion(own)
    assert found.scene.policy == "ecmp"
    many = spread(own, seeds=24)
    low, high = many.quantiles(many.slowdown, (0.1, 0.9))
    for place, entry in enumerate(found.collectives):
        assert many.names[place] == entry.name
        assert low[place] * 0.9 <= entry.hashed_form <= high[place] * 1.1, entry.name
    assert found.step.step_s >= found.step.ideal_s


def test_queue_pairs_and_adaptive_routing_mend_hashing():
    own = evaluation()
    medians = []
    for pairs in (1, 4, 16):
        many = spread(own, Conditions(routing="ecmp", queue_pairs=pairs), seeds=8)
        medians.append(float(np.median(many.step_s)))
    assert medians[0] > medians[1] > medians[2]
    assert congestion(own).step.step_s <= medians[2]


def test_a_distribution_is_the_same_every_time_and_begins_at_its_seed():
    own = evaluation()
    conditions = Conditions(routing="ecmp", placement="random")
    first, again = (spread(own, conditions, seeds=4) for _ in range(2))
    assert np.array_equal(first.slowdown, again.slowdown)
    assert np.array_equal(first.step_s, again.step_s)
    later = spread(own, replace(conditions, seed=2), seeds=2)
    assert np.array_equal(later.slowdown, first.slowdown[2:])
    assert len(set(first.step_s.tolist())) > 1
    packed = spread(own, Conditions(routing="ecmp"), seeds=4)
    assert len(set(packed.slowest_share[:, 0].tolist())) > 1


def test_scattered_jobs_lose_and_rings_by_pod_win_back():
    own = tapered()
    assert slowdowns(congestion(own))["data"] == pytest.approx(1.0)
    lost = {}
    for order in ("rank", "pod"):
        conditions = Conditions(placement="random", sending=Sending(order=order), seed=1)
        lost[order] = slowdowns(congestion(own, conditions))["data"]
    assert 1 <= lost["pod"] < lost["rank"] <= 3 + 1e-9


def test_without_pxn_an_all_to_all_crosses_the_spines_on_foreign_rails():
    changes = {"network.oversubscription": 2, "plan.schedule": "1f1b"}
    design = read_design("deepseek-v3-2048-h100").with_values(changes)
    own = evaluate(design)
    with_pxn, without = (
        slowdowns(congestion(own, Conditions(sending=Sending(pxn=pxn))))["expert"]
        for pxn in (True, False)
    )
    assert with_pxn == pytest.approx(1.0)
    assert without > 1.5


def test_a_tree_has_its_own_flows():
    own = evaluation(**{"plan.sharding": "ddp"})
    ring = congestion(own)
    tree = congestion(own, Conditions(sending=Sending(algorithm="tree")))
    shapes = {entry.collective.parallelism: entry.shape for entry in tree.collectives}
    assert shapes["data"] == "tree"
    data = next(e for e in tree.collectives if e.collective.parallelism == "data")
    of_ring = next(e for e in ring.collectives if e.collective.parallelism == "data")
    # An inner node of a tree sends twice the message; a ring sends less than that.
    assert data.phase.host_time_s == pytest.approx(of_ring.phase.host_time_s * 32 / 31)


def test_two_jobs_on_a_fabric_without_a_taper_do_not_meet():
    found = side_by_side(evaluation())
    for job in (0, 1):
        for meeting in found.meetings[job]:
            assert meeting.slowdown == pytest.approx(1.0), (meeting.own, meeting.other)


def test_two_jobs_over_a_taper_share_its_uplinks():
    found = side_by_side(tapered())
    assert [len(job.gpu) for job in found.scene.jobs] == [768, 768]
    for job in (0, 1):
        worst = found.worst(job)
        assert 1.2 < worst.slowdown <= 2 + 1e-9
        assert worst.utilisation.max() == pytest.approx(1.0)
    with pytest.raises(DesignError, match="side_by_side"):
        congestion(tapered(), Conditions(placement="side-by-side"))


def test_half_a_plan():
    assert half_of(Plan(tensor=8, data=16)).data == 8
    assert half_of(Plan(data=16, shard_group=16)).shard_group == 0
    assert half_of(Plan(data=16, shard_group=4)).shard_group == 4
    with pytest.raises(DesignError, match="cannot be halved"):
        half_of(Plan(data=3))
    with pytest.raises(DesignError, match="cannot be halved"):
        half_of(Plan(data=8, expert=8))


def test_storage_on_the_compute_fabric_is_as_fast_as_its_ports():
    own = evaluation()
    found = congestion(own, Conditions(storage_servers=4))
    assert found.scene.fabric.hosts == own.servers + 4
    checkpoint, dataset = storage_traffic(found)
    assert checkpoint.phase.size == pytest.approx(14 * own.parameters)
    # The 70B checkpoint of MLPerf Storage: 912.7 GiB.
    assert checkpoint.phase.size / 2**30 == pytest.approx(912.7, rel=0.02)
    assert checkpoint.bandwidth == pytest.approx(32 * 50e9)
    assert dataset.phase.size == 4 * own.tokens_per_step
    assert all(meeting.slowdown >= 1 - 1e-9 for meeting in checkpoint.meetings)
    assert max(meeting.slowdown for meeting in checkpoint.meetings) > 1
    with pytest.raises(DesignError, match="network of its own"):
        storage_traffic(congestion(own))


def test_what_breaks_slows_down_and_what_is_cut_off_never_ends():
    own = evaluation()
    fabric = scene_of(own).fabric
    spine = np.flatnonzero(fabric.tier == 1)[:1]
    whole, hurt = congestion(own), congestion(own, lost=Lost.of(fabric, switches=spine))
    assert hurt.step.step_s > whole.step.step_s
    assert max(hurt.load) == pytest.approx(1.0)
    leaf = Lost.of(fabric, switches=[0])
    cut = congestion(own, lost=leaf)
    assert cut.step.step_s == float("inf")
    assert cut.worst.phase.unreachable > 0


def test_slow_downs_reach_the_step_only_where_they_are_exposed():
    own = evaluation()
    none = slowed_step(own, {})
    assert none.step_s == none.ideal_s == pytest.approx(float(own.step.step_time_s))
    for kind in ("pipeline", "data", "sharding"):
        twice = slowed_step(own, {kind: 2.0})
        part = next(p for p in own.step.communication if p.parallelism == kind)
        more = twice.step_s - none.step_s
        assert 0 < more <= float(part.total_s) * 1.01
        assert more == pytest.approx(twice.exposed_s[kind] - twice.ideal_exposed_s[kind])
    assert slowed_step(own, {"tensor": 5.0}).step_s == pytest.approx(none.step_s)


def test_experts_that_wait_also_let_the_pipeline_wait():
    design = read_design("deepseek-v3-2048-h100").with_values({"plan.schedule": "1f1b"})
    own = evaluate(design)
    none, twice = slowed_step(own, {}), slowed_step(own, {"expert": 2.0})
    waited = twice.exposed_s["expert"] - twice.ideal_exposed_s["expert"]
    assert twice.step_s - none.step_s > 1.05 * waited > 0


@pytest.mark.parametrize("name", ["deepseek-v3-2048-h100", "gpt-3-175b-1024-a100"])
def test_all_kinds_slowed_alike_are_the_step_model_on_a_slower_network(name):
    own = evaluate(read_design(name))
    kinds = [part.parallelism for part in own.step.communication]
    found = slowed_step(own, dict.fromkeys(kinds, 2.5))
    slower = replace(own.machine, network_bandwidth=own.machine.network_bandwidth / 2.5)
    expected = step_time(
        own.architecture,
        own.plan,
        own.training,
        slower,
        calibration_for(own.machine.generation),
        gradient_bytes=own.design.training.gradient_bytes,
    )
    assert found.step_s == pytest.approx(float(expected.step_time_s))
    assert found.step_s > 1.01 * found.ideal_s


def test_the_closed_form_by_positions_is_that_by_spans():
    own = tapered()
    groups = scene_of(own).groups
    seen = set()
    for entry in own.traffic:
        if entry.calls > 0:
            by_span = taper_slowdown(entry, own.machine)
            by_position = taper_slowdown(entry, own.machine, groups[group_of(entry)])
            assert by_position == pytest.approx(by_span)
            seen.add(by_span)
    assert seen == {1.0, 3.0}


def test_every_transport_has_its_routing_and_every_row_its_source():
    catalog = load_catalog()
    assert set(routing_rows()) == set(catalog.transports)
    for row in (*routing_rows().values(), *setting_rows().values()):
        assert row.source in catalog.references
    own = evaluation(**{"network.transport": "roce-hashed"})
    assert usual_routing(own).policy == "ecmp"
    four = evaluation(**{"network.transport": "roce-queue-pairs"})
    assert (scene_of(own).queue_pairs, scene_of(four).queue_pairs) == (1, 4)
    assert scene_of(four, Conditions(queue_pairs=8)).queue_pairs == 8
    assert setting("checkpoint-bytes") == 14


def test_seeds_on_the_workers_of_a_cluster_are_those_found_here():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    own, conditions = evaluation(), Conditions(routing="ecmp")
    here = spread(own, conditions, seeds=3)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        there = spread(own, conditions, seeds=3, scheduler=cluster.scheduler_address)
    assert np.array_equal(there.step_s, here.step_s)
    assert np.array_equal(there.slowdown, here.slowdown)


def test_a_cluster_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(DesignError, match="needs Dask"):
        spread(evaluation(), Conditions(routing="ecmp"), seeds=1, scheduler="tcp://there:8786")
