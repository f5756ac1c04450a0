"""Bytes of every collective against published volumes, and the laws they obey."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.workload.architecture import architecture_from_model
from netdesign.workload.plan import SHARDING, Plan, candidate_plans, plan_at
from netdesign.workload.stages import fullest_parameters
from netdesign.workload.traffic import (
    Buckets,
    Collective,
    allreduce_bytes,
    distinct_domains_share,
    exchange_bytes,
    expert_dispatch_bytes,
    traffic,
)
from netdesign.workload.transformer import Architecture

MODELS = {key: architecture_from_model(row) for key, row in load_catalog().models.items()}
models = st.sampled_from(sorted(MODELS)).map(MODELS.__getitem__)
powers = st.integers(0, 4).map(lambda k: 2**k)
domains = st.sampled_from([1, 4, 8, 64, 72])


def collectives(
    arch: Architecture, plan: Plan, length: int = 4096, **settings: Any
) -> tuple[Collective, ...]:
    return traffic(arch, plan, length, domain_gpus=settings.pop("domain_gpus", 8), **settings)


def sent(found: tuple[Collective, ...], *kinds: str, network: bool = False) -> float:
    name = "network_bytes_per_gpu" if network else "bytes_per_gpu"
    return float(sum(getattr(each, name) for each in found if each.parallelism in kinds))


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    return Plan(
        tensor=draw(powers),
        pipeline=draw(powers),
        context=draw(powers),
        expert=draw(powers),
        data=16 * draw(powers),
        micro_batch=draw(st.integers(1, 4)),
        micro_batches=draw(st.integers(1, 16)),
        virtual_stages=draw(st.integers(1, 3)),
        sharding=draw(st.integers(0, 3)),
        shard_group=draw(st.sampled_from([0, 8, 16])),
        recompute=draw(st.integers(0, 2)),
        sequence_parallel=draw(st.booleans()),
    )


# Requirements guide, claim A01: 7 B bf16 gradients over 512 GPUs are 27.95 GB per GPU and step.
def test_a_ring_all_reduce_of_seven_billion_gradients() -> None:
    assert allreduce_bytes(7e9 * 2, 512) == pytest.approx(27.95e9, rel=1e-3)
    found = collectives(MODELS["llama-2-7b"], Plan(data=512, sharding=SHARDING["ddp"]))
    parameters = fullest_parameters(MODELS["llama-2-7b"], Plan()).shared
    assert sent(found, "data") == pytest.approx(2 * 511 / 512 * parameters * 2)
    assert sent(found, "data") == pytest.approx(27.95e9 * 6.738 / 7, rel=1e-3)


# Zhao et al. 2025 (Insights into DeepSeek-V3), section 4.3: dispatch in fp8 and combine in bf16 of
# 32 tokens to 9 experts (8 and the shared one) of 7,000 values over 50 GB/s take 120.96 us.
def test_the_expert_exchange_of_deepseek() -> None:
    total = expert_dispatch_bytes(32, 9, 7_000, 1) + expert_dispatch_bytes(32, 9, 7_000, 2)
    assert total / 50e9 == pytest.approx(120.96e-6, rel=1e-12)


# Rajbhandari et al. 2020, section 7: 2 psi elements for plain data parallelism and for stages 1
# and 2, 3 psi for stage 3, all times (n - 1)/n.
@pytest.mark.parametrize(
    ("stage", "times"), [("ddp", 2), ("zero-1", 2), ("zero-2", 2), ("zero-3", 3), ("fsdp", 3)]
)
def test_data_parallel_volumes_of_the_zero_paper(stage: str, times: int) -> None:
    arch = MODELS["llama-3-8b"]
    plan = Plan(data=64, sharding=SHARDING[stage])
    psi = fullest_parameters(arch, plan).shared
    found = collectives(arch, plan)
    assert sent(found, "data", "sharding") == pytest.approx(times * 63 / 64 * psi * 2)


def test_fully_sharded_weights_are_gathered_twice_per_micro_batch() -> None:
    arch, plan = MODELS["llama-3-8b"], Plan(data=64, sharding=3, micro_batches=4)
    psi = fullest_parameters(arch, plan).shared
    found = collectives(arch, plan, gradient_bytes=4)
    assert sent(found, "sharding") == pytest.approx(4 * 2 * 63 / 64 * psi * 2)
    assert sent(found, "data") == pytest.approx(4 * 63 / 64 * psi * 4)
    kept = collectives(arch, replace(plan, sharding=1), gradient_bytes=4)
    assert sent(kept, "sharding") == pytest.approx(63 / 64 * psi * 2)
    assert sent(kept, "data") == pytest.approx(63 / 64 * psi * 4)


# Zhao et al. 2023 (FSDP), section 3.2.2: hybrid sharding keeps the gathers in the group and
# all-reduces 1/f of the gradient between groups: 3 (f-1)/f P b and 2 (r-1)/r P b/f.
def test_hybrid_sharding_crosses_servers_with_a_shard_of_the_gradient() -> None:
    arch, plan = MODELS["llama-3-8b"], Plan(data=64, sharding=3, shard_group=8)
    psi = fullest_parameters(arch, plan).shared
    found = collectives(arch, plan)
    inside = 3 * 7 / 8 * psi * 2
    between = 2 * 7 / 8 * psi * 2 / 8
    assert sent(found, "data", "sharding") == pytest.approx(inside + between)
    assert sent(found, "data", "sharding", network=True) == pytest.approx(between)


# Narayanan et al. 2021, section 3.2: tensor parallelism all-reduces 4 times per layer and
# micro-batch, 8 b s h (t-1)/t elements; Korthikanti et al. 2022: sequence parallelism moves as
# much. Full recomputation repeats the forward half.
@pytest.mark.parametrize("sequence_parallel", [True, False])
@pytest.mark.parametrize(("recompute", "times"), [(0, 8), (1, 8), (2, 12)])
def test_tensor_parallel_volume(sequence_parallel: bool, recompute: int, times: int) -> None:
    arch = MODELS["gpt-3-175b"]
    plan = Plan(
        tensor=8, pipeline=8, data=4, micro_batch=2, micro_batches=24, recompute=recompute,
        sequence_parallel=sequence_parallel,
    )  # fmt: skip
    layers, tokens = 96 / 8, 2 * 2048
    found = collectives(arch, plan, 2048)
    expected = times * 7 / 8 * tokens * 12_288 * 2 * layers * 24
    assert sent(found, "tensor") == pytest.approx(expected)
    assert sent(found, "tensor", network=True) == 0
    across = collectives(arch, plan, 2048, domain_gpus=4)
    # Two servers of four: 1/2 of 1/4 of each message leaves, of 7/8 that a ring of eight sends.
    assert sent(across, "tensor", network=True) == pytest.approx(expected * (1 / 8) / (7 / 8))


# Narayanan et al. 2021, section 4.1: each boundary passes b s h per micro-batch and direction, cut
# by t with the scatter/gather optimisation; interleaving multiplies it by v.
@pytest.mark.parametrize("chunks", [1, 3])
def test_pipeline_volume(chunks: int) -> None:
    plan = Plan(tensor=8, pipeline=8, data=4, micro_batches=24, virtual_stages=chunks)
    found = collectives(MODELS["gpt-3-175b"], plan, 2048)
    expected = 2 * 24 * chunks * 2048 * 12_288 * 2 / 8
    assert sent(found, "pipeline") == pytest.approx(expected)
    assert sent(found, "pipeline", network=True) == pytest.approx(expected)


# Liu et al. 2023 (ring attention): keys and values pass the other c - 1 ranks; backward they pass
# again with their gradients.
def test_context_parallel_volume() -> None:
    arch = MODELS["llama-3.1-405b"]
    plan = Plan(tensor=8, context=16, data=8, micro_batches=2)
    found = collectives(arch, plan, 131_072)
    chunk = 131_072 / 16 * 2 * 8 * 128 * 2 / 8
    assert sent(found, "context") == pytest.approx(15 * 3 * 126 * 2 * chunk)
    assert sent(found, "context", network=True) == sent(found, "context")
    rack = collectives(arch, plan, 131_072, domain_gpus=64)
    assert sent(rack, "context", network=True) == pytest.approx(sent(rack, "context") * 2 / 16)


# Lepikhin et al. 2020 and the DeepSeek-V3 report: dispatch and combine forward and
# backward, 4 tokens k h b (1 - 1/e) per layer with experts.
def test_expert_parallel_volume() -> None:
    arch = MODELS["mixtral-8x7b"]
    plan = Plan(data=8, expert=8, micro_batch=2, micro_batches=3)
    found = collectives(arch, plan, 4096)
    volume = 2 * 4096 * 2 * 4096 * 2 * (1 - 1 / 8) * 32 * 3
    assert sent(found, "expert") == pytest.approx(4 * volume)
    again = collectives(arch, replace(plan, recompute=2), 4096)
    assert sent(again, "expert") == pytest.approx(6 * volume)
    narrow = collectives(arch, plan, 4096, dispatch_bytes=1)
    assert sent(narrow, "expert") == pytest.approx(3.5 * volume)
    split = collectives(arch, plan, 4096, domain_gpus=4)
    # Two experts over two domains: a token has one in the other domain 3 times of 4, not once.
    outside = 4 * volume * (1 / 2) / (7 / 8) * (3 / 4)
    assert sent(split, "expert", network=True) == pytest.approx(outside)


# DeepSeek-V3 report, section 3.2.2, and DeepEP: a token crosses the network once to each node and
# is copied there. Counted over every choice of two experts out of two domains.
def test_a_token_crosses_once_to_each_domain_of_its_experts() -> None:
    choices = list(product(range(3), repeat=4))
    domains = np.mean([len(set(choice)) for choice in choices])
    assert distinct_domains_share(4, 3) == pytest.approx(domains / 4)
    assert distinct_domains_share(8, 1) == pytest.approx(1 / 8)
    assert distinct_domains_share(1, 64) == pytest.approx(1)
    assert 0.97 < distinct_domains_share(4, 64) < 1


# Megatron-LM, distributed_data_parallel.py: buckets of max(40 M, 1 M x ranks) parameters.
def test_gradients_leave_in_buckets() -> None:
    arch = MODELS["llama-3.2-1b"]
    psi = fullest_parameters(arch, Plan()).shared
    for data, bucket in ((8, 40e6), (512, 512e6)):
        found = [
            c for c in collectives(arch, Plan(data=data, sharding=1)) if c.parallelism == "data"
        ]
        calls = sum(float(c.calls) for c in found)
        assert calls == pytest.approx(min(arch.layers, psi / bucket))
    layered = collectives(arch, Plan(data=512, sharding=3))
    assert max(float(c.calls) for c in layered if c.parallelism == "data") == arch.layers
    chunked = collectives(arch, Plan(data=512, pipeline=2, virtual_stages=8, micro_batches=2))
    assert max(float(c.calls) for c in chunked if c.parallelism == "data") == 8


def test_broadcasts_of_weights_move_the_same_bytes_in_a_call_for_each_rank() -> None:
    arch, plan = MODELS["llama-3-8b"], Plan(data=256, sharding=1)
    usual, each = (
        next(
            c
            for c in collectives(arch, plan, buckets=Buckets(broadcasts_per_rank=n))
            if c.content == "weights"
        )
        for n in (0, 1)
    )
    assert each.calls == pytest.approx(256)
    assert each.bytes_per_gpu == pytest.approx(usual.bytes_per_gpu)


def test_gradients_of_experts_are_averaged_by_the_ranks_that_hold_them() -> None:
    arch = MODELS["mixtral-8x7b"]
    plan = Plan(data=32, expert=8, sharding=0)
    held = fullest_parameters(arch, plan)
    found = [c for c in collectives(arch, plan) if c.content == "expert gradients"]
    assert {c.span.ranks for c in found} == {4}
    total = sum(float(c.bytes_per_gpu) for c in found)
    assert total == pytest.approx(2 * 3 / 4 * held.experts * 2)


def test_an_all_reduce_over_two_tiers_leaves_the_server_with_its_share() -> None:
    # 8 GPUs a server, 4 servers: 2 (k-1)/k S/g through each NIC.
    found = collectives(MODELS["llama-3-8b"], Plan(data=32, sharding=0))
    psi = fullest_parameters(MODELS["llama-3-8b"], Plan()).shared
    assert sent(found, "data", network=True) == pytest.approx(2 * 3 / 4 * psi * 2 / 8)


@given(models, plans(), domains)
def test_what_leaves_the_domain_is_a_part(arch: Architecture, plan: Plan, domain: int) -> None:
    for each in collectives(arch, plan, domain_gpus=domain):
        assert 0 <= each.network_bytes_per_gpu <= each.bytes_per_gpu * (1 + 1e-12)
        assert each.calls >= 0
        if each.span.domains == 1:
            assert each.network_bytes_per_gpu == 0
        if each.operation in ("reduce-scatter", "all-gather", "all-to-all"):
            expected = exchange_bytes(each.size * each.calls, each.span.ranks)
            assert each.bytes_per_gpu == pytest.approx(expected)
        if each.operation == "all-reduce":
            expected = allreduce_bytes(each.size * each.calls, each.span.ranks)
            assert each.bytes_per_gpu == pytest.approx(expected)


@given(models, plans())
def test_a_larger_domain_never_sends_more_outside(arch: Architecture, plan: Plan) -> None:
    outside = [
        sum(float(c.network_bytes_per_gpu) for c in collectives(arch, plan, domain_gpus=domain))
        for domain in (1, 2, 4, 8, 16, 32, 64, 2**20)
    ]
    assert all(a >= b * (1 - 1e-12) for a, b in zip(outside, outside[1:], strict=False))
    assert outside[-1] == 0


@given(models, plans(), st.integers(1, 32_768))
def test_traffic_grows_with_the_work(arch: Architecture, plan: Plan, length: int) -> None:
    kinds = ("tensor", "pipeline", "context", "expert", "data", "sharding")
    base = collectives(arch, plan, length)
    for more in (
        collectives(arch, plan, 2 * length),
        collectives(arch, replace(plan, micro_batches=plan.micro_batches + 1), length),
        collectives(arch, replace(plan, recompute=2), length),
        collectives(arch, plan, length, gradient_bytes=4),
        collectives(arch, plan, length, activation_bytes=4),
    ):
        for kind in kinds:
            assert sent(more, kind) >= sent(base, kind)


@given(models, plans())
def test_a_degree_of_one_sends_nothing(arch: Architecture, plan: Plan) -> None:
    alone = replace(plan, tensor=1, pipeline=1, context=1, expert=1, data=1, shard_group=0)
    assert sum(float(c.bytes_per_gpu) for c in collectives(arch, alone)) == 0
    assert sum(float(c.calls) for c in collectives(arch, alone)) == 0


@pytest.mark.parametrize("key", ["llama-3-8b", "deepseek-v3"])
def test_an_array_of_plans_sends_what_each_plan_does(key: str) -> None:
    arch = MODELS[key]
    many = candidate_plans(arch, 1024, 1024, 8, sequence_length=16_384)
    together = collectives(arch, many, 16_384)
    for index in range(0, len(many.data), 83):
        alone = collectives(arch, plan_at(many, index), 16_384)
        for whole, one in zip(together, alone, strict=True):
            assert (whole.parallelism, whole.operation) == (one.parallelism, one.operation)
            for name in ("size", "calls", "bytes_per_gpu", "network_bytes_per_gpu"):
                values = np.broadcast_to(getattr(whole, name), many.data.shape)
                assert values[index] == pytest.approx(getattr(one, name), rel=1e-12)
