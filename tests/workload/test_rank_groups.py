"""Groups of ranks: whole, disjoint, and where the spans of the plan say they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.errors import DesignError
from netdesign.workload.architecture import architecture_from_model
from netdesign.workload.plan import Plan, group_spans
from netdesign.workload.rank_groups import RANK_ORDERS, group_of, rank_count, rank_groups
from netdesign.workload.traffic import traffic

MIXTRAL = architecture_from_model(load_catalog().models["mixtral-8x7b"])
degrees = st.sampled_from([1, 2, 4])


@st.composite
def plans(draw):
    context, data = draw(degrees), draw(st.sampled_from([4, 8]))
    return Plan(
        tensor=draw(degrees),
        pipeline=draw(degrees),
        context=context,
        expert=draw(degrees),
        data=data,
        shard_group=draw(st.sampled_from([0, data * context, data * context // 2])),
    )


@settings(deadline=None)
@given(plan=plans(), order=st.sampled_from(RANK_ORDERS))
def test_every_rank_is_in_one_group_of_each_kind(plan, order):
    for name, groups in rank_groups(plan, order).items():
        assert sorted(groups.ravel()) == list(range(rank_count(plan))), name


@settings(deadline=None)
@given(plan=plans())
def test_groups_have_the_size_and_the_stride_of_their_span(plan):
    spans, groups = group_spans(plan, 8), rank_groups(plan)
    assert set(spans) == set(groups)
    for name, members in groups.items():
        assert members.shape[1] == spans[name].ranks, name
        steps = np.diff(members, axis=1)
        # With context parallelism the ranks of the same experts are not evenly spaced.
        if steps.size and not (plan.context > 1 and name.startswith("expert_")):
            assert set(steps.ravel()) == {spans[name].stride}, name


def test_the_orders_differ_only_in_what_is_slowest():
    plan = Plan(tensor=2, pipeline=2, data=2)
    usual, llama = (rank_groups(plan, order) for order in RANK_ORDERS)
    assert usual["pipeline"].tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert usual["data"].tolist() == [[0, 2], [1, 3], [4, 6], [5, 7]]
    assert sorted(llama["data"].tolist()) == usual["pipeline"].tolist()
    assert llama["tensor"].shape == (4, 2)
    with pytest.raises(DesignError, match="rank_order"):
        rank_groups(plan, "pp-tp")


def test_experts_and_their_replicas_cross_in_one_rank():
    plan = Plan(tensor=2, context=2, expert=4, data=8)
    groups = rank_groups(plan)
    for expert in groups["expert"]:
        for replica in groups["expert_data"]:
            assert len(np.intersect1d(expert, replica)) <= 1


def test_every_collective_of_a_mixture_has_its_group():
    plan = Plan(tensor=2, expert=4, data=16, pipeline=2, sharding=3, shard_group=8)
    found = {
        (entry.parallelism, entry.operation, entry.content): group_of(entry)
        for entry in traffic(MIXTRAL, plan, 4096, domain_gpus=8)
    }
    groups, spans = rank_groups(plan), group_spans(plan, 8)
    assert set(found.values()) <= set(groups)
    assert found["data", "all-reduce", "gradient shards"] == "replicate"
    assert found["data", "all-reduce", "expert gradients"] == "expert_data"
    assert found["data", "reduce-scatter", "expert gradients"] == "expert_shard"
    assert found["data", "all-reduce", "expert gradient shards"] == "expert_replicate"
    assert found["sharding", "all-gather", "weights"] == "shard"
    for entry in traffic(MIXTRAL, plan, 4096, domain_gpus=8):
        assert spans[group_of(entry)].ranks == entry.span.ranks
