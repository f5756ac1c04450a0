"""Parameters, FLOPs and layer operators against published counts, and the laws they obey."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.workload.architecture import architecture_for_size, architecture_from_model
from netdesign.workload.operators import matrix_products, memory_traffic_per_layer
from netdesign.workload.transformer import (
    Architecture,
    active_parameter_count,
    attention_flops_per_token,
    attention_output_width,
    flops_per_token,
    parameter_count,
    parameters_by_part,
    recompute_flops_per_token,
    training_flops_six_n,
)

MODELS = {
    key: architecture_from_model(row)
    for key, row in load_catalog().models.items()
}  # fmt: skip
models = st.sampled_from(sorted(MODELS)).map(MODELS.__getitem__)
powers = st.integers(0, 3).map(lambda k: 2**k)


def plain_gpt(layers: int, hidden: int, heads: int, vocab: int, positions: int) -> Architecture:
    return Architecture(
        name="GPT", layers=layers, hidden=hidden, heads=heads, kv_heads=heads,
        head_dim=hidden // heads, ffn_hidden=4 * hidden, vocab=vocab, gated_ffn=False,
        tied_embeddings=True, norm="layer", attention_bias="all", mlp_bias=True,
        learned_positions=positions,
    )  # fmt: skip


# Counts of the released weight files (Hugging Face, safetensors metadata); DeepSeek-V3 without
# its multi-token-prediction module.
@pytest.mark.parametrize(
    ("key", "count"),
    [
        ("llama-2-7b", 6_738_415_616),
        ("llama-2-13b", 13_015_864_320),
        ("llama-2-70b", 68_976_648_192),
        ("llama-3-8b", 8_030_261_248),
        ("llama-3-70b", 70_553_706_496),
        ("llama-3.1-405b", 405_853_388_800),
        ("llama-3.2-1b", 1_235_814_400),
        ("llama-3.2-3b", 3_212_749_824),
        ("mixtral-8x7b", 46_702_792_704),
        ("deepseek-v3", 671_026_419_200),
    ],
)
def test_counts_of_released_weights_are_exact(key: str, count: int) -> None:
    assert parameter_count(MODELS[key]) == count
    assert isinstance(parameter_count(MODELS[key]), int)


@pytest.mark.parametrize("key", sorted(MODELS))
def test_counts_round_to_what_the_authors_print(key: str) -> None:
    row = load_catalog().models[key]
    printed = row.published_parameters
    tolerance = max(0.6 * row.published_rounding, 0.002 * printed)
    assert parameter_count(MODELS[key]) == pytest.approx(printed, abs=tolerance)


# Brown et al. 2020, table D.1: 174,600 million parameters.
def test_gpt_3_has_174_6_billion() -> None:
    assert round(parameter_count(MODELS["gpt-3-175b"]) / 1e8) == 1746


# Narayanan et al. 2021, equation 2: P = 12 L h^2 (1 + 13/(12 h) + (V + s)/(12 L h)), which leaves
# out the final norm's 2 h.
@given(st.integers(1, 128), st.integers(1, 64), st.integers(1_000, 256_000))
def test_a_plain_gpt_has_the_count_of_megatron(layers: int, heads: int, vocab: int) -> None:
    hidden, positions = 64 * heads, 2_048
    arch = plain_gpt(layers, hidden, heads, vocab, positions)
    twelve = 12 * layers * hidden**2
    theirs = twelve * (1 + 13 / (12 * hidden) + (vocab + positions) / (12 * layers * hidden))
    assert parameter_count(arch) - 2 * hidden == pytest.approx(theirs, rel=1e-12)


# Mixtral paper: 12.9 B active; DeepSeek-V3 report: 37 B; Qwen3 report: 22 B.
@pytest.mark.parametrize(
    ("key", "active"),
    [("mixtral-8x7b", 12.9e9), ("deepseek-v3", 37e9), ("qwen3-235b-a22b", 22e9)],
)
def test_active_counts_are_those_of_the_papers(key: str, active: float) -> None:
    assert active_parameter_count(MODELS[key]) == pytest.approx(active, rel=0.016)


@given(models)
def test_the_parts_add_up_and_dense_models_are_all_active(arch: Architecture) -> None:
    assert sum(parameters_by_part(arch).values()) == parameter_count(arch)
    assert (active_parameter_count(arch) == parameter_count(arch)) == (arch.experts == 0)
    assert active_parameter_count(arch) <= parameter_count(arch)


# Qwen3-30B-A3B, released weights: 30,532,122,624 with the norms on queries and keys.
def test_norms_on_queries_and_keys_count() -> None:
    arch = Architecture(
        name="Qwen3-30B-A3B", layers=48, hidden=2048, heads=32, kv_heads=4, head_dim=128,
        ffn_hidden=0, vocab=151_936, experts=128, experts_per_token=8, expert_ffn_hidden=768,
        qk_norm=True,
    )  # fmt: skip
    assert parameter_count(arch) == 30_532_122_624


# Brown et al. 2020, table D.1: 3.14e23 for 300 billion tokens. Llama 3 report, section 3: 405 B
# on 15.6 T tokens is 3.8e25.
@pytest.mark.parametrize(
    ("key", "tokens", "flops"),
    [("gpt-3-175b", 300e9, 3.14e23), ("llama-3.1-405b", 15.6e12, 3.8e25)],
)
def test_six_n_gives_the_published_training_flops(key: str, tokens: float, flops: float) -> None:
    assert training_flops_six_n(MODELS[key], tokens) == pytest.approx(flops, rel=0.002)


# Zhao et al. 2025 (Insights into DeepSeek-V3), table 2: 250 GFLOP per token at 4,096 tokens, and
# 2,448 for Llama-3.1 405B, with causal attention.
@pytest.mark.parametrize(
    ("key", "gigaflops", "tolerance"),
    [("deepseek-v3", 250, 0.002), ("llama-3.1-405b", 2448, 0.011)],
)
def test_flops_per_token_of_published_models(key: str, gigaflops: float, tolerance: float) -> None:
    counted = flops_per_token(MODELS[key], 4096, causal=True)
    assert counted == pytest.approx(gigaflops * 1e9, rel=tolerance)


# Narayanan et al. 2021, equation 3, without its recomputation (72 for 96):
# F = 72 L h^2 (1 + s/(6 h) + V/(12 L h)) per token.
@given(st.integers(1, 128), st.integers(1, 64), st.integers(1, 16_384), st.integers(1_000, 256_000))
def test_full_attention_is_the_count_of_megatron(
    layers: int, heads: int, length: int, vocab: int
) -> None:
    hidden = 64 * heads
    arch = plain_gpt(layers, hidden, heads, vocab, length)
    bracket = 1 + length / (6 * hidden) + vocab / (12 * layers * hidden)
    theirs = 72 * layers * hidden**2 * bracket
    assert flops_per_token(arch, length, causal=False) == pytest.approx(theirs, rel=1e-12)


@given(models, st.integers(1, 131_072))
def test_causal_attention_is_half_of_full(arch: Architecture, length: int) -> None:
    causal = attention_flops_per_token(arch, length)
    assert attention_flops_per_token(arch, length, causal=False) == pytest.approx(2 * causal)
    difference = flops_per_token(arch, length, causal=False) - flops_per_token(arch, length)
    assert difference == pytest.approx(3 * causal)


@given(models, st.integers(1, 131_072))
def test_recomputing_everything_repeats_the_layers_once(arch: Architecture, length: int) -> None:
    forward = flops_per_token(arch, length, backward=False)
    assert flops_per_token(arch, length) == 3 * forward
    again = recompute_flops_per_token(arch, length, 2)
    assert again == forward - 2 * arch.vocab * arch.hidden
    assert recompute_flops_per_token(arch, length, 0) == 0
    assert recompute_flops_per_token(arch, length, 1) == 0


# Megatron-LM and Korthikanti et al. 2022: the products of all ranks are those of the model.
@given(models, powers, powers, powers, st.booleans())
def test_the_products_of_a_layer_are_its_flops(
    arch: Architecture, tensor: int, context: int, expert: int, causal: bool
) -> None:
    length, tokens = 8_192, 3 * 8_192
    products = matrix_products(
        arch, tokens, length, tensor=tensor, context=context, expert=expert, causal=causal
    )
    assert [each.name for each in products if not each.per_layer] == ["logits"]
    counted = sum(
        each.flops * each.share * (arch.layers if each.per_layer else 1) for each in products
    )
    expected = tokens * flops_per_token(arch, length, causal=causal, backward=False)
    assert counted * tensor * context == pytest.approx(expected, rel=1e-9)


def test_products_of_llama_3_8b_have_its_shapes() -> None:
    products = {p.name: p for p in matrix_products(MODELS["llama-3-8b"], 8192, 8192, tensor=8)}
    qkv, up, logits = (products[name] for name in ("attention qkv", "ffn up", "logits"))
    assert (qkv.m, qkv.n, qkv.k) == (8192, (32 + 2 * 8) * 128 / 8, 4096)
    assert (up.m, up.n, up.k) == (8192, 2 * 14336 / 8, 4096)
    assert (logits.m, logits.n, logits.k) == (8192, 128256 / 8, 4096)


def test_memory_bound_operators_of_a_plain_gpt_layer() -> None:
    # bf16: two norms 4 h, two residual additions 6 h, rotary 4 h, GELU reads and writes 4 h.
    arch = plain_gpt(1, 1024, 8, 50_000, 0)
    assert memory_traffic_per_layer(arch, 100) == 100 * 2 * 1024 * (4 + 6 + 4 + 8)
    parts = memory_traffic_per_layer(arch, 100, tensor=4, sequence_parallel=False)
    assert parts == 100 * 2 * 1024 * (10 + 12 / 4)


@given(models, powers, powers)
def test_operators_shrink_with_the_ranks(arch: Architecture, tensor: int, context: int) -> None:
    whole = memory_traffic_per_layer(arch, 8192)
    cut = memory_traffic_per_layer(arch, 8192, tensor=tensor, context=context)
    # Each turn of ring attention reads 16-bit outputs, reads a 32-bit sum of them and writes it.
    joined = (context > 1) * 2 * 5 * 8192 * attention_output_width(arch)
    assert cut == pytest.approx((whole / context + joined) / tensor)
    apart = memory_traffic_per_layer(
        arch, 8192, tensor=tensor, context=context, sequence_parallel=False
    )
    assert apart >= cut * (1 - 1e-12)


def test_a_size_within_three_percent_that_never_falls() -> None:
    sizes = np.geomspace(1e8, 2e12, 20_001)
    counts = parameter_count(architecture_for_size(sizes))
    assert np.max(np.abs(counts / sizes - 1)) < 0.03
    assert np.all(np.diff(counts) >= 0)


@given(st.floats(1e8, 2e12))
def test_one_size_is_an_element_of_many(size: float) -> None:
    one = architecture_for_size(size)
    many = architecture_for_size(np.array([size, 1e9]))
    for field in ("layers", "hidden", "heads", "kv_heads", "ffn_hidden", "tied_embeddings"):
        assert getattr(one, field) == getattr(many, field)[0]
    assert one.hidden == one.heads * one.head_dim
    assert one.heads % one.kv_heads == 0
    assert one.name == f"like Llama-3, {one.layers} layers x {one.hidden:,}"


# Llama 3 report, table 3.
@pytest.mark.parametrize(("size", "layers", "hidden"), [(8.03e9, 32, 4096), (70.6e9, 80, 8192)])
def test_sizes_of_the_herd_give_its_shapes(size: float, layers: int, hidden: int) -> None:
    arch = architecture_for_size(size)
    assert (arch.layers, arch.hidden) == (layers, hidden)


@given(st.floats(0, 1e8), st.floats(2e12, 1e15))
def test_sizes_beyond_the_ends_give_the_ends(small: float, large: float) -> None:
    assert architecture_for_size(small) == architecture_for_size(1e8)
    assert architecture_for_size(large) == architecture_for_size(2e12)


def test_an_array_of_mixed_architectures_counts_each() -> None:
    pair = [MODELS["llama-3-8b"], MODELS["mixtral-8x7b"]]
    numeric = (
        "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn_hidden", "vocab", "experts",
        "experts_per_token", "expert_ffn_hidden", "dense_layers",
    )  # fmt: skip
    both = Architecture(
        name="pair", **{name: np.array([getattr(a, name) for a in pair]) for name in numeric}
    )
    assert list(parameter_count(both)) == [parameter_count(a) for a in pair]
    assert list(active_parameter_count(both)) == [active_parameter_count(a) for a in pair]
    assert list(flops_per_token(both, 4096)) == [flops_per_token(a, 4096) for a in pair]
    products = matrix_products(both, 4096, 4096)
    counted = sum(p.flops * p.share * (both.layers if p.per_layer else 1) for p in products)
    expected = [4096 * flops_per_token(a, 4096, backward=False) for a in pair]
    assert counted == pytest.approx(expected)
