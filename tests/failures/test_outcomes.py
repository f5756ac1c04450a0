"""What a broken part does to a job on a built fabric, beside the closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from netdesign.failures import broken
from netdesign.failures.flap import flap
from netdesign.failures.outcome import KEEP, OTHER_PORTS, WITHOUT_HOSTS, stop_cost
from netdesign.failures.rerouting import dead_endpoints, moved, stand_ins
from netdesign.network.slow_link import SlowRing
from netdesign.topology.families import build
from netdesign.topology.resilience import resilience
from netdesign.topology.routing import Flows
from netdesign.topology.spec import FabricSpec

from .breaking import after, design, stage

FABRICS = [
    FabricSpec("fat-tree", 64, 16, gpus_per_server=8),
    FabricSpec("fat-tree", 256, 16, tiers=3, gpus_per_server=8),
    FabricSpec("rail-optimised", 128, 32, tiers=2, gpus_per_server=8),
    FabricSpec("rail-only", 128, 32, gpus_per_server=8),
    FabricSpec("multi-plane", 64, 32, planes=2, gpus_per_server=8),
]


@pytest.mark.parametrize("spec", FABRICS, ids=lambda spec: f"{spec.family}-{spec.tiers}")
def test_what_is_cut_off_is_what_resilience_says(spec: FabricSpec) -> None:
    fabric = build(spec)
    known = {(point.name, point.is_link): point for point in resilience(fabric).points}
    for word, name, is_link in (
        ("cable", "host", True),
        ("leaf", "leaf", False),
        ("spine", "spine", False),
    ):
        if name not in (*fabric.tier_names, "host") or (
            not is_link and not np.any(fabric.tier == fabric.tier_names.index(name))
        ):
            continue
        dead = dead_endpoints(fabric, broken(fabric, word).lost)
        point = known.get((name, is_link))
        assert int(np.count_nonzero(dead)) == (point.endpoints_lost if point else 0), word


def test_one_of_sixteen_spines_takes_a_sixteenth() -> None:
    found = after("spine")
    assert stage().evaluation.fabric.spines == 16
    assert found.recovers
    assert found.closed_form == pytest.approx(16 / 15)
    assert dict(found.slowdowns)["pipeline send, activations, gradients"] == pytest.approx(16 / 15)
    assert found.communication_slowdown == pytest.approx(found.closed_form)
    assert 1 < found.slowdown < 1.02
    assert found.stops_per_month == 0
    assert [way.name for way in found.ways] == [KEEP]
    assert found.lost_s == pytest.approx(found.repair_s * (1 - 1 / found.slowdown))


@pytest.mark.parametrize("rate", [0.9, 0.5, 0.25, 0.1])
def test_a_slow_nic_slows_its_rings_as_the_slow_ring_of_the_lesson(rate: float) -> None:
    found = after(f"nic@{rate}")
    ring = SlowRing(size=1e9, ranks=32, bandwidth=50e9, latency=0.0, slow_share=rate)
    assert found.communication_slowdown == pytest.approx(ring.time / ring.healthy_time)
    assert found.closed_form == pytest.approx(1 / rate)
    assert not found.stops_job
    assert {way.name for way in found.ways} == {KEEP, WITHOUT_HOSTS}


def test_a_pulled_cable_stops_a_job_whose_ports_have_one_leaf() -> None:
    found, evaluation = after("cable"), stage().evaluation
    assert found.stops_job
    assert (found.endpoints_lost, found.hosts_cut_off, found.hosts_degraded) == (1, 0, 1)
    assert (found.gpus_stranded, found.gpus_without_port) == (0, 1)
    assert {way.name for way in found.ways} == {OTHER_PORTS, WITHOUT_HOSTS}
    ways = {way.name: way for way in found.ways}
    # Two rings share one port: half the rate for each. Without the server: 31 replicas for 32.
    assert found.communication_slowdown == pytest.approx(2)
    assert ways[WITHOUT_HOSTS].step_s == pytest.approx(found.healthy_step_s * 32 / 31)
    assert ways[OTHER_PORTS].pause_s == pytest.approx(stop_cost(evaluation))
    goodput = evaluation.goodput
    assert stop_cost(evaluation) == pytest.approx(
        30.06 + goodput.restart_s + goodput.interval_s / 2, abs=0.01
    )
    assert found.ways[0].lost_s <= found.ways[1].lost_s
    assert found.failures_per_month == pytest.approx(1024 * 0.00684 / 12)
    assert found.lost_with_spares_s <= found.lost_s


def test_a_leaf_of_a_rail_takes_a_port_of_its_servers_and_one_of_a_fat_tree_the_servers() -> None:
    rail = after("leaf")
    assert (rail.hosts_cut_off, rail.hosts_degraded, rail.gpus_without_port) == (0, 32, 32)
    tree = after("leaf", stage(network__family="fat-tree-2"))
    assert tree.hosts_degraded == 0
    assert tree.gpus_stranded == 8 * tree.hosts_cut_off == 32
    other = {way.name: way for way in tree.ways}[OTHER_PORTS]
    assert other.step_s == math.inf
    assert tree.ways[0].name == WITHOUT_HOSTS


def test_a_job_that_cannot_go_on_stands() -> None:
    small = stage(
        cluster__gpus=16, model__preset="llama-3-8b", plan__pipeline=2, network__family="fat-tree-2"
    )
    found = after("spine", small)
    if found.stops_job:
        assert found.lost_s > 0
    alone = stage(cluster__gpus=32, plan__pipeline=4)
    found = after("server", alone)
    assert found.step_s == math.inf
    assert found.lost_s == pytest.approx(found.stop_cost_s + found.repair_s)


def test_two_leaves_or_two_planes_keep_the_job_running_at_half_a_port() -> None:
    for fabric in ("dual ToR", "two planes"):
        where = stage(fabric)
        assert where.nic_ports == 2
        for word in ("cable", "leaf"):
            found = after(word, where)
            assert found.recovers, (fabric, word)
            assert found.communication_slowdown == pytest.approx(2), (fabric, word)
            assert found.gpus_without_port == 0
        assert after("nic", where).stops_job
    plane = after("plane", stage("two planes"))
    assert plane.recovers
    assert plane.hosts_degraded == 128
    assert plane.communication_slowdown == pytest.approx(2)


def test_the_second_port_of_a_nic_is_on_another_leaf_in_a_fat_tree_too() -> None:
    where = stage("dual ToR", network__family="fat-tree-2", cluster__gpus=256)
    found = after("leaf", where)
    assert found.recovers
    assert found.communication_slowdown == pytest.approx(2)


def test_healthy_is_the_step_of_the_evaluation() -> None:
    where = stage()
    assert where.healthy.unreachable == 0
    assert where.healthy.step_s == pytest.approx(float(where.evaluation.step.step_time_s), rel=1e-6)
    assert after("spine").healthy_step_s == float(where.evaluation.step.step_time_s)


def test_messages_move_together_to_live_ports() -> None:
    fabric = build(FabricSpec("multi-plane", 64, 32, planes=2, gpus_per_server=8))
    others = stand_ins(fabric, 2)
    ports = len(others)
    dead = np.zeros(ports, dtype=bool)
    dead[0] = True
    flows = Flows.of([0, 0, 4], [32, 33, 36])
    found = moved(flows, dead, others)
    assert not np.any(dead[found.source] | dead[found.target])
    assert (int(found.source[0]), int(found.target[0])) == (1, 33)
    assert (int(found.source[2]), int(found.target[2])) == (4, 36)
    dead[:2] = True
    kept = moved(flows, dead, others)
    assert np.all(dead[kept.source[:2]])


def test_loads_and_broken_links_are_there_for_pictures() -> None:
    found, fabric = after("spine"), stage().fabric
    assert found.load.shape == found.broken.shape == (fabric.links,)
    spine = fabric.hosts + int(np.flatnonzero(fabric.tier == 1)[0])
    assert np.array_equal(found.broken, fabric.b == spine)
    assert np.all(found.load[found.broken] == 0)
    assert found.load.max() == pytest.approx(1)


# NCCL waits 20 x 7, about 30 s: shorter flaps stall the job, longer ones kill it.
@pytest.mark.parametrize(("seconds", "stops"), [(1, False), (10, False), (40, True)])
def test_flaps(seconds: float, stops: bool) -> None:
    evaluation = stage().evaluation
    found = flap(evaluation, seconds)
    assert found.stops_job is stops
    assert found.window_s == pytest.approx(30.06, abs=0.01)
    if stops:
        assert found.least_lost_s == pytest.approx(stop_cost(evaluation))
    else:
        assert seconds <= found.least_lost_s <= found.most_lost_s < seconds + 4.3


def test_hashed_and_static_routing_get_around_a_spine_too() -> None:
    hashed = stage(network__transport="roce-hashed", network__switch="sn5600")
    found = after("spine", hashed)
    assert found.recovers
    assert found.communication_slowdown >= 1


def test_the_design_of_the_tests_is_what_they_say() -> None:
    assert design().plan.pipeline == 4
    assert int(stage().evaluation.plan.data) == 32
