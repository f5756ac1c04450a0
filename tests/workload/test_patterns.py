"""Messages of collectives: who sends what to whom, on which port, and the sums that must hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.topology.families import build
from netdesign.topology.placement import hosts_in_order, seats
from netdesign.topology.spec import FabricSpec
from netdesign.workload.architecture import architecture_from_model
from netdesign.workload.patterns import (
    Sending,
    all_to_all_flows,
    amount_of,
    checkpoint_writers,
    collective_flows,
    dataset_readers,
    pipeline_flows,
    ring_flows,
    send_flows,
    shape_of,
    storage_flows,
    tree_flows,
    visits,
)
from netdesign.workload.plan import Plan
from netdesign.workload.rank_groups import rank_count, rank_groups
from netdesign.workload.traffic import traffic

RAILS = build(FabricSpec("rail-optimised", endpoints=256, radix=32, gpus_per_server=8))
MODELS = {
    key: architecture_from_model(load_catalog().models[key])
    for key in ("llama-3-8b", "mixtral-8x7b")
}


def seated(ranks, fabric=RAILS, order=None, domain_gpus=8):
    hosts = np.array(order) if order is not None else np.arange(fabric.hosts)
    return seats(fabric, hosts, ranks, domain_gpus=domain_gpus)


def pairs(flows):
    return sorted(zip(flows.source.tolist(), flows.target.tolist(), strict=True))


def sent_by(flows):
    return np.bincount(flows.source, flows.size)


def test_a_ring_over_servers_stays_on_its_rails():
    """Four servers, all eight GPUs of each: eight rings, one a rail, an eighth of the bytes."""
    flows = ring_flows(np.arange(32)[None], seated(32), 8.0)
    assert pairs(flows) == sorted((port, (port + 8) % 32) for port in range(32))
    assert np.all(flows.size == 1.0)


def test_a_ring_with_one_member_a_server_has_one_ring():
    groups = np.arange(32).reshape(4, 8).T
    flows = ring_flows(groups, seated(32), 8.0)
    assert pairs(flows) == sorted((port, (port + 8) % 32) for port in range(32))
    assert np.all(flows.size == 8.0)


def test_rings_of_uneven_domains_are_as_many_as_the_smallest_has_members():
    groups = np.array([[0, 1, 2, 8, 9]])
    flows = ring_flows(groups, seated(16), 6.0)
    assert pairs(flows) == [(0, 8), (1, 9), (8, 0), (9, 1)]
    assert np.all(flows.size == 3.0)


def test_inside_one_domain_nothing_is_sent():
    groups = np.arange(32).reshape(4, 8)
    for flows in (
        ring_flows(groups, seated(32), 1.0),
        tree_flows(groups, seated(32), 1.0),
        all_to_all_flows(groups, seated(32), 1.0),
    ):
        assert len(flows) == 0


def test_a_ring_by_pod_visits_the_hosts_as_they_stand():
    seats_ = seated(32, order=[2, 0, 3, 1])
    groups = np.arange(0, 32, 8)[None]
    by_rank = visits(groups, seats_)
    by_pod = visits(groups, seats_, "pod")
    assert by_rank.domain.tolist() == [2, 0, 3, 1]
    assert by_pod.domain.tolist() == [0, 1, 2, 3]
    assert pairs(ring_flows(groups, seats_, 1.0)) == [(0, 24), (8, 16), (16, 0), (24, 8)]
    assert pairs(ring_flows(groups, seats_, 1.0, "pod")) == [(0, 8), (8, 16), (16, 24), (24, 0)]


@pytest.mark.parametrize("servers", [2, 3, 4, 7, 8, 16, 31])
def test_the_two_trees_reach_all_and_only_the_root_can_have_children_in_both(servers):
    groups = np.arange(0, 8 * servers, 8)[None]
    flows = tree_flows(groups, seated(8 * servers), 2.0)
    half = len(flows) // 2
    assert half == 2 * (servers - 1)
    for tree in (slice(0, half), slice(half, None)):
        low, high = flows.source[tree] // 8, flows.target[tree] // 8
        reached = {0}
        for _ in range(servers):
            reached |= {int(b) for a, b in zip(low, high, strict=True) if int(a) in reached}
        assert reached == set(range(servers))
    assert np.all(flows.size == 1.0)
    # A double tree sends at most 2 S a server each way: S is 2 here.
    assert sent_by(flows).max() <= 4.0
    if servers > 2:
        up = [flows.target[k : k + servers - 1] for k in (0, half)]
        assert set(up[0].tolist()) & set(up[1].tolist()) <= ({0} if servers % 2 else set())


def test_nccl_s_tree_of_eight():
    """The parents that NCCL's ncclGetBtree gives 0 to 7: 0-4, 4-2, 4-6, 2-1, 2-3, 6-5, 6-7."""
    flows = tree_flows(np.arange(0, 64, 8)[None], seated(64), 1.0)
    ends = zip(flows.source[:7].tolist(), flows.target[:7].tolist(), strict=True)
    edges = {(low // 8, high // 8) for low, high in ends}
    assert edges == {(4, 0), (2, 4), (6, 4), (1, 2), (3, 2), (5, 6), (7, 6)}


def test_an_all_to_all_gathers_on_the_rail_of_the_receiver():
    flows = all_to_all_flows(np.arange(16)[None], seated(16), 1.0)
    assert pairs(flows) == sorted([(p, p + 8) for p in range(8)] + [(p + 8, p) for p in range(8)])
    assert np.all(flows.size == 8.0)


def test_without_pxn_every_gpu_sends_from_its_own_port():
    flows = all_to_all_flows(np.arange(16)[None], seated(16), 1.0, pxn=False)
    assert len(flows) == 2 * 64
    assert np.all(flows.size == 1.0)
    with_pxn = all_to_all_flows(np.arange(16)[None], seated(16), 1.0)
    assert np.array_equal(sent_by(flows), sent_by(with_pxn))


def test_a_rail_without_a_rank_still_has_its_port():
    """A job has whole servers: members on rails 0, 1 and 2, 3 meet on the rails of the receiver."""
    groups = np.array([[0, 1, 10, 11]])
    flows = all_to_all_flows(groups, seated(12), 1.0)
    assert pairs(flows) == [(2, 10), (3, 11), (8, 0), (9, 1)]
    assert np.all(flows.size == 2.0)
    around = ring_flows(groups, seated(12), 4.0)
    assert pairs(around) == [(2, 10), (3, 11), (8, 0), (9, 1)]
    assert pairs(ring_flows(groups, seated(12), 4.0, pxn=False)) == [
        (0, 10),
        (1, 11),
        (10, 0),
        (11, 1),
    ]


@settings(deadline=None)
@given(
    members=st.sampled_from([2, 4, 8, 16, 32]),
    stride=st.sampled_from([1, 2, 4, 8]),
    placement=st.sampled_from(["packed", "fragmented", "random"]),
    pxn=st.booleans(),
)
def test_an_all_to_all_brings_everybody_what_comes_from_other_domains(
    members, stride, placement, pxn
):
    groups = np.arange(256).reshape(-1, members, stride).swapaxes(1, 2).reshape(-1, members)
    hosts = hosts_in_order(32, 32, placement, seed=3, piece_hosts=2)
    found = seats(RAILS, hosts, 256, domain_gpus=8)
    flows = all_to_all_flows(groups, found, 1.0, pxn=pxn)
    received = np.bincount(flows.target, flows.size, minlength=256)[found.ports[:, 0]]
    expected = np.zeros(256)
    for group in groups:
        domain = found.domain[group]
        expected[group] = (domain[:, None] != domain).sum(axis=1)
    assert np.array_equal(received, expected)


def test_a_pipeline_sends_both_ways_and_round_only_if_interleaved():
    groups = np.arange(0, 32, 8)[None]
    plain = pipeline_flows(groups, seated(32), 1.0, circular=False)
    assert pairs(plain) == [(0, 8), (8, 0), (8, 16), (16, 8), (16, 24), (24, 16)]
    round_ = pipeline_flows(groups, seated(32), 1.0, circular=True)
    assert set(pairs(round_)) - set(pairs(plain)) == {(24, 0), (0, 24)}


def test_a_send_takes_the_rail_of_the_receiver():
    found = seated(16)
    source, target = np.array([0, 1]), np.array([9, 2])
    assert pairs(send_flows(found, source, target, 1.0)) == [(1, 9)]
    assert pairs(send_flows(found, source, target, 1.0, pxn=False)) == [(0, 9)]


def test_flows_are_cut_over_the_planes():
    fabric = build(FabricSpec("multi-plane", endpoints=64, radix=32, planes=2, gpus_per_server=8))
    flows = ring_flows(np.arange(0, 64, 8)[None], seated(64, fabric), 1.0)
    assert len(flows) == 16
    assert np.all(flows.size == 0.5)


@settings(deadline=None)
@given(
    model=st.sampled_from(sorted(MODELS)),
    tensor=st.sampled_from([1, 2, 4, 8]),
    pipeline=st.sampled_from([1, 2, 4]),
    sharding=st.integers(0, 3),
)
def test_what_a_rank_sends_is_what_the_traffic_says(model, tensor, pipeline, sharding):
    """All-to-alls exactly; a flat ring sends (n - 1)/n where the least is (k - 1)/k of a share."""
    arch = MODELS[model]
    expert = 8 if arch.experts else 1
    plan = Plan(
        tensor=tensor,
        pipeline=pipeline,
        expert=expert,
        data=256 // (tensor * pipeline),
        micro_batches=4,
        sharding=sharding,
    )
    found = seated(rank_count(plan))
    for entry in traffic(arch, plan, 4096, domain_gpus=8):
        if entry.calls == 0 or entry.parallelism == "pipeline":
            continue
        sent = sent_by(collective_flows(entry, plan, found))
        each = float(sent.max(initial=0.0)) * float(entry.calls)
        least = float(entry.network_bytes_per_gpu)
        flat = least
        if shape_of(entry) == "ring" and least:
            n, k = float(entry.span.ranks), float(entry.span.domains)
            flat = least * (n - 1) / n * k / (k - 1)
        assert each == pytest.approx(flat), entry


def test_the_amount_of_each_shape():
    plan = Plan(tensor=8, data=16, expert=8, micro_batches=2, pipeline=2)
    entries = {
        (entry.parallelism, entry.content): entry
        for entry in traffic(MODELS["mixtral-8x7b"], plan, 4096, domain_gpus=8)
    }
    expert = entries["expert", "tokens to experts"]
    assert amount_of(expert, "exchange") == expert.size / 8 * expert.distinct_share
    weights = entries["sharding", "weights"]
    assert amount_of(weights, "ring") == pytest.approx(weights.size * 15 / 16)
    assert amount_of(weights, "tree") == weights.size
    assert shape_of(entries["pipeline", "activations, gradients"]) == "chain"
    reduced = entries["data", "gradient shards"]
    assert shape_of(reduced) == "ring"
    assert shape_of(reduced, Sending(algorithm="tree")) == "tree"


def test_who_writes_a_checkpoint_and_who_reads_tokens():
    plan = Plan(tensor=2, pipeline=2, data=4)
    assert len(checkpoint_writers(plan)) == 16
    plain = Plan(tensor=2, pipeline=2, data=4, sharding=0)
    assert checkpoint_writers(plain).tolist() == [0, 1, 8, 9]
    hybrid = Plan(tensor=2, pipeline=2, data=4, sharding=3, shard_group=2)
    assert len(checkpoint_writers(hybrid)) == 8
    assert dataset_readers(plan).tolist() == [0, 2, 4, 6]
    assert set(dataset_readers(plan)) <= set(rank_groups(plan)["pipeline"][:, 0])


def test_storage_is_written_and_read_over_all_its_endpoints():
    found = seated(16)
    storage = np.array([200, 201])
    writes = storage_flows(found, np.arange(16), storage, 3.0, read=False)
    assert np.bincount(writes.target)[200:].tolist() == [8, 8]
    assert writes.size.sum() == 48.0
    reads = storage_flows(found, np.arange(0, 16, 2), storage, 3.0, read=True)
    assert set(reads.source.tolist()) == {200, 201}
    assert reads.target.tolist() == list(range(0, 16, 2))
