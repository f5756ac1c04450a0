"""Groups of ranks, the pipeline bubble, what a plan may be, and the plans worth trying."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.errors import DesignError
from netdesign.workload.architecture import architecture_for_size, architecture_from_model
from netdesign.workload.plan import (
    RECOMPUTE,
    SHARDING,
    GroupSpan,
    Plan,
    bubble_share,
    candidate_plans,
    check_plan,
    group_span,
    group_spans,
    layers_per_stage,
    members_within,
    micro_batches,
    plan_at,
    shard_ranks,
)
from netdesign.workload.transformer import Architecture


def model(key: str) -> Architecture:
    return architecture_from_model(load_catalog().models[key])


powers = st.integers(0, 5).map(lambda k: 2**k)
domains = st.sampled_from([1, 2, 4, 8, 16, 36, 64, 72, 576])


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    expert, groups = draw(powers), draw(powers)
    context, data = draw(powers), expert * groups
    shard = draw(st.sampled_from([n for n in range(1, 9) if (data * context) % n == 0]))
    return Plan(
        tensor=draw(powers),
        pipeline=draw(st.integers(1, 12)),
        context=context,
        expert=expert,
        data=data,
        shard_group=draw(st.sampled_from([0, shard])),
    )


@given(plans(), domains)
def test_groups_multiply_out(plan: Plan, domain: int) -> None:
    spans = group_spans(plan, domain)
    ranks = {name: span.ranks for name, span in spans.items()}
    gpus = plan.tensor * plan.context * plan.data * plan.pipeline
    assert ranks["tensor"] * ranks["data"] * ranks["pipeline"] == gpus
    assert ranks["shard"] * ranks["replicate"] == pytest.approx(ranks["data"])
    assert ranks["expert"] * ranks["expert_data"] == ranks["data"]
    assert ranks["expert_shard"] * ranks["expert_replicate"] == pytest.approx(ranks["expert_data"])


@given(plans(), domains)
def test_a_group_is_spread_over_the_fewest_domains(plan: Plan, domain: int) -> None:
    for span in group_spans(plan, domain).values():
        assert span.local * span.domains == pytest.approx(span.ranks)
        assert span.domains >= 1
        room = max(1, domain // span.stride)
        assert span.local <= room * (1 + 1e-12)
        assert span.domains == np.ceil(span.ranks / room) or span.local == span.ranks


def test_ranks_are_numbered_tensor_first_and_pipeline_last() -> None:
    # Megatron-LM's default order tp-cp-ep-dp-pp: 8 x 2 x 16 x 4 on 8-GPU servers.
    spans = group_spans(Plan(tensor=8, context=2, data=16, expert=4, pipeline=4), 8)
    assert spans["tensor"] == GroupSpan(8, 1, 8, 1)
    assert spans["context"] == GroupSpan(2, 8, 1, 2)
    assert spans["expert"] == GroupSpan(4, 16, 1, 4)
    assert spans["data"] == GroupSpan(32, 8, 1, 32)
    assert spans["pipeline"] == GroupSpan(4, 256, 1, 4)


def test_a_group_in_an_nvl72_rack() -> None:
    # 16 ranks, 8 GPUs apart: nine fit a rack of 72, so two racks hold eight each.
    assert group_span(16, 8, 72) == GroupSpan(16, 8, 8, 2)


# Llama 3 on 16,384 GPUs: pods of 3,072; tensor 8 and pipeline 16 inside data parallelism leave
# the 128 data ranks 128 GPUs apart, 24 of them in a pod (2407.21783, section 3.3).
def test_members_of_a_ring_in_a_pod() -> None:
    assert members_within(group_span(128, 128, 8), 3072) == 24
    assert members_within(group_span(128, 8, 8), 3072) == 128
    assert members_within(group_span(4, 4096, 8), 3072) == 1


@given(plans())
def test_no_shard_group_means_all_replicas(plan: Plan) -> None:
    ranks = shard_ranks(plan)
    assert ranks == (plan.shard_group or plan.data * plan.context)


# Narayanan et al. 2021, section 2.2: (p - 1) / m, divided by v when interleaved.
@pytest.mark.parametrize(
    ("pipeline", "batches", "chunks", "share"),
    [(4, 8, 1, 3 / 8), (4, 8, 2, 3 / 16), (1, 5, 1, 0.0), (8, 64, 1, 7 / 64)],
)
def test_the_bubble(pipeline: int, batches: int, chunks: int, share: float) -> None:
    assert bubble_share(pipeline, batches, chunks) == pytest.approx(share)


@given(st.integers(1, 64), st.integers(1, 512), st.integers(1, 16))
def test_more_micro_batches_or_chunks_never_lengthen_the_bubble(p: int, m: int, v: int) -> None:
    bubble = bubble_share(p, m, v)
    assert bubble_share(p, m + 1, v) <= bubble
    assert bubble_share(p, m, v + 1) <= bubble
    assert bubble_share(p + 1, m, v) > bubble


@given(st.integers(1, 10_000), st.integers(1, 512), st.integers(1, 8))
def test_micro_batches_hold_the_batch(batch: int, data: int, size: int) -> None:
    count = micro_batches(batch, data, size)
    assert (count - 1) * data * size < batch <= count * data * size


def test_stages_of_uneven_layers() -> None:
    assert layers_per_stage(126, Plan(pipeline=16)) == 8
    assert layers_per_stage(80, Plan(pipeline=4, virtual_stages=5)) == 20
    assert layers_per_stage(61, Plan(pipeline=16)) == 4


GOOD = Plan(tensor=8, pipeline=4, data=32, micro_batch=1, micro_batches=32)


@pytest.mark.parametrize(
    ("key", "changes", "field", "value", "hint"),
    [
        ("llama-3-70b", {"tensor": 12}, "plan.tensor", 12, "8 or 16 would do"),
        ("llama-3-70b", {"tensor": 0}, "plan.tensor", 0, "1 would do"),
        ("llama-3-70b", {"tensor": 128}, "plan.tensor", 128, "64 would do"),
        ("llama-3-70b", {"pipeline": 81}, "plan.pipeline", 81, "80 would do"),
        (
            "llama-3-70b",
            {"pipeline": 64, "tensor": 64},
            "plan.tensor",
            64,
            "lower one of the three",
        ),
        ("llama-3-70b", {"expert": 8}, "plan.expert", 8, "1 would do"),
        ("mixtral-8x7b", {"expert": 3}, "plan.expert", 3, "2 or 4 would do"),
        ("mixtral-8x7b", {"expert": 16}, "plan.expert", 16, "8 would do"),
        ("mixtral-8x7b", {"expert": 8, "data": 4}, "plan.expert", 8, "4 would do"),
        ("llama-3-70b", {"micro_batch": 0}, "plan.micro_batch", 0, "1 would do"),
        ("llama-3-70b", {"shard_group": 12}, "plan.shard_group", 12, "8 or 16 would do"),
        ("llama-3-70b", {"virtual_stages": 21}, "plan.virtual_stages", 21, "20 would do"),
        (
            "llama-3-70b",
            {"virtual_stages": 2, "pipeline": 1},
            "plan.virtual_stages",
            2,
            "1 would do",
        ),
    ],
)
def test_a_wrong_degree_is_refused_with_the_nearest_right_ones(
    key: str, changes: dict[str, int], field: str, value: int, hint: str
) -> None:
    gpus = 81 * 8 * 32 if changes.get("pipeline") == 81 else 1024
    with pytest.raises(DesignError) as caught:
        check_plan(model(key), replace(GOOD, **changes), gpus, 1024)
    assert (caught.value.field, caught.value.value) == (field, value)
    assert caught.value.hint == hint


def test_gpus_that_do_not_divide_are_refused() -> None:
    with pytest.raises(DesignError, match=r"1000 is not a multiple .* = 32; 992 or 1024 would do"):
        check_plan(model("llama-3-70b"), replace(GOOD, data=31), 1000, 1024)


def test_a_batch_below_the_data_ranks_is_refused() -> None:
    with pytest.raises(DesignError, match=r"training.global_batch: 16 is below the 32 data"):
        check_plan(model("llama-3-70b"), GOOD, 1024, 16)


def test_a_sound_plan_passes() -> None:
    check_plan(model("llama-3-70b"), GOOD, 1024, 1024)
    check_plan(model("mixtral-8x7b"), replace(GOOD, expert=8), 1024, 1024)


gpu_counts = st.integers(1, 512).map(lambda servers: 8 * servers)


@given(
    st.sampled_from(["llama-3-8b", "llama-3-70b", "llama-3.1-405b", "mixtral-8x7b", "deepseek-v3"]),
    gpu_counts,
    st.sampled_from([64, 1000, 1024, 4096]),
    st.sampled_from([4, 8, 72]),
    st.sampled_from([4096, 8192, 32_768, 131_072]),
)
def test_every_candidate_is_legal_and_uses_every_gpu_that_a_legal_plan_can(
    key: str, gpus: int, batch: int, domain: int, length: int
) -> None:
    arch = model(key)
    found = candidate_plans(arch, gpus, batch, domain, sequence_length=length)
    used = found.tensor * found.pipeline * found.context * found.data
    assert 1 <= len(used) <= 8192
    assert len(set(used)) == 1
    assert used[0] == gpus or gpus / 2 <= used[0] < gpus
    assert np.all(found.tensor <= domain)
    assert np.all(found.data <= batch)
    assert np.all(found.micro_batches == micro_batches(batch, found.data, found.micro_batch))
    assert len(np.unique(np.stack(list(numbers(found).values())), axis=1).T) == len(used)
    for index in range(0, len(used), 37):
        check_plan(arch, plan_at(found, index), int(used[0]), batch)


def numbers(plan: Plan) -> dict[str, np.ndarray]:
    return {
        field.name: getattr(plan, field.name)
        for field in fields(plan)
        if isinstance(getattr(plan, field.name), np.ndarray)
    }


# Llama 3 report, table 4: 405B on 16,384 H100, sequence 8,192: TP 8, CP 1, PP 16, DP 128.
# Megatron-LM SC'21, table 1: 175B-like 145.6B on 1,536 GPUs: TP 8, PP 8.
def test_published_plans_are_among_the_candidates() -> None:
    llama = candidate_plans(model("llama-3.1-405b"), 16_384, 2_048, 8)
    rows = (llama.tensor == 8) & (llama.pipeline == 16) & (llama.data == 128)
    assert np.any(rows & (llama.micro_batch == 1))
    gpt = replace(model("gpt-3-175b"), layers=80)
    megatron = candidate_plans(gpt, 1_536, 2_304, 8)
    assert np.any((megatron.tensor == 8) & (megatron.pipeline == 8) & (megatron.data == 24))


# The plan of the DeepSeek-V3 report: 16 stages, 64 expert ranks, micro-batches of one.
def test_no_plan_is_lost_to_others_that_are_never_faster() -> None:
    found = candidate_plans(model("deepseek-v3"), 2_048, 15_360, 8, sequence_length=4_096)
    assert RECOMPUTE["none"] not in set(found.recompute)
    assert np.all((found.sharding != SHARDING["fsdp"]) | (found.pipeline == 1))
    rows = (found.tensor == 1) & (found.pipeline == 16) & (found.expert == 64)
    rows &= (found.micro_batch == 1) & (found.recompute == RECOMPUTE["selective"])
    assert np.any(rows & (found.sharding == SHARDING["zero-1"]))


def test_long_sequences_offer_context_parallelism() -> None:
    arch = model("llama-3-8b")
    short = candidate_plans(arch, 64, 64, 8, sequence_length=2_048)
    assert set(short.context) == {1}
    long = candidate_plans(arch, 64, 64, 8, sequence_length=131_072)
    assert {1, 2, 4, 8, 16} <= set(long.context)


def test_gpus_that_no_legal_plan_can_use_stay_idle() -> None:
    found = candidate_plans(architecture_for_size(1e8), 1009, 4, 8)
    assert set(found.tensor * found.pipeline * found.context * found.data) == {512}
    assert max(found.data) <= 4


def test_a_small_batch_is_fed_by_cutting_the_model_over_more_gpus() -> None:
    found = candidate_plans(architecture_for_size(20e9), 16_384, 128, 8, sequence_length=8192)
    assert max(found.data) <= 128


def test_candidates_cannot_be_changed_by_a_caller() -> None:
    found = candidate_plans(model("llama-3-8b"), 8, 64, 8)
    with pytest.raises(ValueError, match="read-only"):
        found.data[0] = 7


def test_a_row_of_many_plans_is_a_plan_of_scalars() -> None:
    found = candidate_plans(model("llama-3-8b"), 8, 64, 8)
    one = plan_at(found, 3)
    assert type(one.tensor) is int
    assert one.sequence_parallel is True
    some = plan_at(found, np.array([3, 5]))
    assert some.data.shape == (2,)
    assert plan_at(some, 0) == one


def test_uneven_stages_are_tried_where_the_usual_ones_leave_places_empty() -> None:
    # 77,580 = 4 x 9 x 5 x 431 GPUs: usual degrees have 2,155 ranks for 2,586 sequences, two turns
    # with 1,724 places empty; 15 stages of 80 layers are uneven, 1,293 ranks take two full turns.
    arch = model("llama-3-70b")
    found = candidate_plans(arch, 77_580, 2_586, 8, sequence_length=8192)
    assert 1293 in found.data
    usual = candidate_plans(arch, 1_024, 2_048, 8, sequence_length=8192)
    assert (-(-80 // usual.pipeline) * usual.pipeline <= 1.3 * 80).all()


def test_micro_batches_of_3_and_6_only_where_they_divide() -> None:
    found = candidate_plans(model("llama-3-8b"), 8, 96, 8, sequence_length=8192)
    threes = found.micro_batch % 3 == 0
    assert {3, 6} <= set(found.micro_batch)
    assert (96 % (found.data * found.micro_batch)[threes] == 0).all()


def test_every_number_of_chunks_that_makes_them_smaller_is_tried() -> None:
    # 80 layers on 4 stages of 20: chunks of 20, 10, 7, 5, 4, 3, 2 and 1 layers.
    found = candidate_plans(model("llama-3-70b"), 64, 2_048, 8, sequence_length=8192)
    depths = -(-80 // (4 * found.virtual_stages[found.pipeline == 4]))
    assert {20, 10, 5, 4, 2, 1} <= set(depths)
