"""How many parameters and FLOPs does a transformer have?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.formulas import formula


@dataclass(frozen=True)
class Architecture:
    """The shape of a decoder-only transformer; numeric fields broadcast."""

    name: str
    layers: Numeric
    hidden: Numeric
    heads: Numeric
    kv_heads: Numeric
    head_dim: Numeric
    ffn_hidden: Numeric
    vocab: Numeric
    gated_ffn: bool = True
    tied_embeddings: bool | Array = False
    norm: str = "rms"  # rms | layer
    attention_bias: str = "none"  # none | qkv | all
    mlp_bias: bool = False
    learned_positions: Numeric = 0
    experts: Numeric = 0  # 0: dense
    experts_per_token: Numeric = 0
    shared_experts: Numeric = 0
    expert_ffn_hidden: Numeric = 0
    dense_layers: Numeric = 0  # first layers without experts in a mixture of experts
    query_rank: Numeric = 0  # latent attention; 0: plain multi-head or grouped-query
    kv_rank: Numeric = 0
    nope_dim: Numeric = 0
    rope_dim: Numeric = 0
    value_dim: Numeric = 0
    router_bias: bool = False
    qk_norm: bool = False  # a learned norm over each head's query and key


@dataclass(frozen=True)
class LayerParameters:
    """Parameters of one layer of each kind, before any sharding.

    The attention and norms are in every layer; the dense FFN in ``layers - expert_layers`` of
    them; router, shared and routed experts in ``expert_layers`` of them.
    """

    attention: Numeric
    norms: Numeric
    dense_ffn: Numeric
    router: Numeric
    shared_experts: Numeric
    experts: Numeric


def expert_layers(arch: Architecture) -> Numeric:
    """Layers with routed experts; 0 in a dense model."""
    return (arch.experts > 0) * (arch.layers - arch.dense_layers)


def has_experts(arch: Architecture) -> bool:
    """Whether any of the architectures held has routed experts; else their terms can be skipped."""
    experts = arch.experts
    return bool(experts.any()) if isinstance(experts, np.ndarray) else experts > 0


def query_width(arch: Architecture) -> Numeric:
    """Values per token of the queries of all heads."""
    latent = arch.kv_rank > 0
    plain = arch.heads * arch.head_dim
    return latent * (arch.heads * (arch.nope_dim + arch.rope_dim)) + (1 - latent) * plain


def key_value_width(arch: Architecture) -> Numeric:
    """Values per token of keys and values together, as the attention kernel reads them."""
    latent = arch.kv_rank > 0
    plain = 2 * arch.kv_heads * arch.head_dim
    expanded = arch.heads * (arch.nope_dim + arch.rope_dim + arch.value_dim)
    return latent * expanded + (1 - latent) * plain


def attention_output_width(arch: Architecture) -> Numeric:
    """Values per token that enter the output projection."""
    latent = arch.kv_rank > 0
    return arch.heads * (latent * arch.value_dim + (1 - latent) * arch.head_dim)


def attention_matrix_parameters(arch: Architecture) -> Numeric:
    """Weights of the projections of one layer's attention, without biases."""
    latent = arch.kv_rank > 0
    low_rank_query = arch.query_rank > 0
    queries = query_width(arch)
    query = low_rank_query * arch.query_rank * (arch.hidden + queries) + (1 - low_rank_query) * (
        arch.hidden * queries
    )
    key_value_up = arch.kv_rank * arch.heads * (arch.nope_dim + arch.value_dim)
    key_value = latent * (arch.hidden * (arch.kv_rank + arch.rope_dim) + key_value_up) + (
        1 - latent
    ) * (arch.hidden * 2 * arch.kv_heads * arch.head_dim)
    return query + key_value + attention_output_width(arch) * arch.hidden


def ffn_matrices(arch: Architecture) -> int:
    """Matrices of one FFN: gate, up and down, or up and down."""
    return 3 if arch.gated_ffn else 2


def _ffn_parameters(arch: Architecture, width: Numeric) -> Numeric:
    matrices = ffn_matrices(arch)
    bias = (matrices - 1) * width + arch.hidden if arch.mlp_bias else 0
    return matrices * arch.hidden * width + bias


def layer_parameters(arch: Architecture) -> LayerParameters:
    """Parameters of one layer, kind by kind (integers stay exact)."""
    attention = attention_matrix_parameters(arch)
    if arch.attention_bias in ("qkv", "all"):
        attention = attention + (arch.heads + 2 * arch.kv_heads) * arch.head_dim
    if arch.attention_bias == "all":
        attention = attention + arch.hidden
    norms = 2 * _norm_width(arch) * arch.hidden + arch.query_rank + arch.kv_rank
    if arch.qk_norm:
        norms = norms + 2 * arch.head_dim
    one_expert = _ffn_parameters(arch, arch.expert_ffn_hidden)
    router = arch.hidden * arch.experts + (arch.experts if arch.router_bias else 0)
    return LayerParameters(
        attention=attention,
        norms=norms,
        dense_ffn=_ffn_parameters(arch, arch.ffn_hidden),
        router=router,
        shared_experts=arch.shared_experts * one_expert,
        experts=arch.experts * one_expert,
    )


def _norm_width(arch: Architecture) -> int:
    return 2 if arch.norm == "layer" else 1


def embedding_parameters(arch: Architecture) -> Numeric:
    """The token table and learned positions."""
    return (arch.vocab + arch.learned_positions) * arch.hidden


def output_parameters(arch: Architecture) -> Numeric:
    """The output projection; 0 when it shares the token table."""
    return (1 - arch.tied_embeddings) * arch.vocab * arch.hidden


@formula(
    latex=r"N = N_\mathrm{emb} + \sum_\mathrm{layers}"
    r"(N_\mathrm{attn}+N_\mathrm{ffn}+N_\mathrm{router}+N_\mathrm{norm}) + N_\mathrm{out}",
    source="narayanan-2021",
)
def parameters_by_part(arch: Architecture) -> dict[str, Numeric]:
    """Parameters of a whole model by part.

    Parameters
    ----------
    arch : Architecture                     numeric fields broadcast

    Returns
    -------
    dict of int or array, parameters        embedding, attention, ffn (dense and experts), router,
                                            norms, output; they sum to ``parameter_count``
    """
    layer = layer_parameters(arch)
    with_experts = expert_layers(arch)
    ffn = (arch.layers - with_experts) * layer.dense_ffn
    return {
        "embedding": embedding_parameters(arch),
        "attention": arch.layers * layer.attention,
        "ffn": ffn + with_experts * (layer.shared_experts + layer.experts),
        "router": with_experts * layer.router,
        "norms": arch.layers * layer.norms + _norm_width(arch) * arch.hidden,
        "output": output_parameters(arch),
    }


def parameter_count(arch: Architecture) -> Numeric:
    """Parameters of a whole model: the sum of ``parameters_by_part``.

    Exact for the published models. Multi-token-prediction modules are not part of it.
    """
    parts = parameters_by_part(arch)
    return (
        parts["embedding"]
        + parts["attention"]
        + parts["ffn"]
        + parts["router"]
        + parts["norms"]
        + parts["output"]
    )


@formula(
    latex=r"N_\mathrm{active} = N - L_\mathrm{moe}\,(E-k)\,N_\mathrm{expert}",
    source="deepseek-v3-2024",
)
def active_parameter_count(arch: Architecture) -> Numeric:
    """Parameters that one token touches: all but the experts it is not routed to.

    Parameters
    ----------
    arch : Architecture                     numeric fields broadcast

    Returns
    -------
    int or array, parameters                equal to ``parameter_count`` in a dense model;
                                            the embedding table counts in full, as published
    """
    idle = arch.experts - arch.experts_per_token
    one_expert = _ffn_parameters(arch, arch.expert_ffn_hidden)
    return parameter_count(arch) - expert_layers(arch) * idle * one_expert


def matrix_parameters_per_token(arch: Architecture) -> Numeric:
    """Weights that multiply one token: projections, FFN, chosen experts, router and logits."""
    ffn = ffn_matrices(arch) * arch.hidden
    with_experts = expert_layers(arch)
    chosen = (arch.experts_per_token + arch.shared_experts) * arch.expert_ffn_hidden
    return (
        arch.layers * attention_matrix_parameters(arch)
        + (arch.layers - with_experts) * ffn * arch.ffn_hidden
        + with_experts * (ffn * chosen + arch.hidden * arch.experts)
        + arch.vocab * arch.hidden
    )


def attention_flops_per_token(
    arch: Architecture, sequence_length: Numeric, *, causal: bool = True
) -> Numeric:
    """Forward FLOPs per token of scores and weighted values, all layers.

    ``4 s`` per value of head width over the full square, half of it under a causal mask.
    """
    seen = sequence_length / 2 if causal else sequence_length
    return 2 * arch.layers * seen * (query_width(arch) + attention_output_width(arch))


@formula(
    latex=r"F = 3\left(2 N_\mathrm{mat} + 2 L\,c\,s\,(d_q + d_v)\right),\quad"
    r" c = \tfrac12\ \mathrm{causal},\ 1\ \mathrm{full}",
    source="narayanan-2021",
)
def flops_per_token(
    arch: Architecture, sequence_length: Numeric, *, causal: bool = True, backward: bool = True
) -> Numeric:
    """Matrix-product FLOPs of one token, logits included, recomputation not.

    ``causal=False`` is the "full attention" count of Megatron-LM (72 L h^2 (1 + s/(6h) +
    V/(12 L h)) for a plain GPT) and of the PaLM appendix; ``causal=True`` counts the half of the
    score matrix that a causal kernel computes. Published MFU figures use either, so the name of
    the count belongs beside the figure.

    Parameters
    ----------
    arch : Architecture                     numeric fields broadcast
    sequence_length : int or array, tokens  0 leaves only the products with weights
    causal : bool
    backward : bool                         the backward pass costs two forward passes

    Returns
    -------
    float or array, FLOP per token
    """
    forward = 2 * matrix_parameters_per_token(arch) + attention_flops_per_token(
        arch, sequence_length, causal=causal
    )
    return 3 * forward if backward else forward


@formula(latex=r"F = 6\,N_\mathrm{active}\,T", source="brown-2020")
def training_flops_six_n(arch: Architecture, tokens: Numeric) -> Numeric:
    """Training FLOPs by the rule of thumb six per parameter and token.

    Parameters
    ----------
    arch : Architecture                     numeric fields broadcast
    tokens : int or array, tokens

    Returns
    -------
    float or array, FLOP                    counts no attention scores; the table look-up is
                                            counted as if it were a product
    """
    return 6 * active_parameter_count(arch) * tokens


@formula(
    latex=r"F_\mathrm{again} = [r=\mathrm{full}]\,(F_\mathrm{fwd} - 2Vh)",
    source="korthikanti-2022",
)
def recompute_flops_per_token(
    arch: Architecture, sequence_length: Numeric, recompute: Numeric, *, causal: bool = True
) -> Numeric:
    """FLOPs per token that recomputation adds to a step.

    Parameters
    ----------
    arch : Architecture
    sequence_length : int or array, tokens
    recompute : int or array                code of ``plan.RECOMPUTE``; selective repeats only
                                            memory-bound operators and therefore adds none
    causal : bool

    Returns
    -------
    float or array, FLOP per token
    """
    forward = flops_per_token(arch, sequence_length, causal=causal, backward=False)
    return np.clip(recompute - 1, 0, 1) * (forward - 2 * arch.vocab * arch.hidden)
