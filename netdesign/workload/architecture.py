"""Which architecture does a model name or a model size stand for?"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.catalog.models import ModelRow
from netdesign.workload.transformer import Architecture, parameter_count


def architecture_from_model(row: ModelRow) -> Architecture:
    """The architecture of a catalogue row."""
    return Architecture(
        name=row.name,
        layers=row.layers,
        hidden=row.hidden,
        heads=row.heads,
        kv_heads=row.kv_heads,
        head_dim=row.head_dim,
        ffn_hidden=row.ffn_hidden,
        vocab=row.vocab,
        gated_ffn=row.gated_ffn,
        tied_embeddings=row.tied_embeddings,
        norm=row.norm,
        attention_bias=row.attention_bias,
        mlp_bias=row.mlp_bias,
        learned_positions=row.learned_positions,
        experts=row.experts,
        experts_per_token=row.experts_per_token,
        shared_experts=row.shared_experts,
        expert_ffn_hidden=row.expert_ffn_hidden,
        dense_layers=row.dense_layers,
        query_rank=row.query_rank,
        kv_rank=row.kv_rank,
        nope_dim=row.nope_dim,
        rope_dim=row.rope_dim,
        value_dim=row.value_dim,
        router_bias=row.router_bias,
    )


SMALLEST_SIZE = 1e8
LARGEST_SIZE = 2e12
_LLAMA_VOCAB = 128_256
_LLAMA_HEAD_DIM = 128
_LLAMA_KV_HEADS = 8
_LARGEST_TIED_HIDDEN = 3_072  # Llama 3.2 ties its tables at 1B and 3B, the larger ones do not
# Parameters and width of the Llama-3 herd (8B, 70B, 405B; 1B and 3B of 3.2); the ends continue
# its trend. Layers follow from the size.
_WIDTHS = (
    (1.0e8, 512),
    (1.236e9, 2_048),
    (3.213e9, 3_072),
    (8.03e9, 4_096),
    (7.055e10, 8_192),
    (4.0585e11, 16_384),
    (2.0e12, 28_672),
)


def architecture_for_size(parameters: Numeric) -> Architecture:
    """A plausible dense architecture of about this many parameters, shaped like Llama-3.

    Heads of 128, 8 key-value heads (fewer where 8 does not divide the heads), a gated FFN 3.5
    times the width, a vocabulary of 128,256. 8B and 70B give the published shapes.

    Parameters
    ----------
    parameters : float or array             0.1 to 2,000 billion; beyond it the nearest end

    Returns
    -------
    Architecture                            its count is within 3 % of the asked one and never
                                            falls when the asked one grows
    """
    counts, shapes = _ladder()
    middles = np.sqrt(counts[1:] * counts[:-1])
    rung = np.searchsorted(middles, np.asarray(parameters, dtype=float))
    if rung.ndim == 0:
        layers, hidden = shapes[int(rung)]
        return _llama_like(layers, hidden)
    layers, hidden = np.asarray(shapes)[rung].T
    return _llama_like(layers, hidden)


@lru_cache(maxsize=1)
def _ladder() -> tuple[Array, list[tuple[int, int]]]:
    """Counts in rising order and their (layers, hidden), close enough for 3 %."""
    rungs: dict[int, tuple[int, int]] = {}
    sizes, widths = np.log(np.asarray(_WIDTHS)).T
    for size in np.geomspace(SMALLEST_SIZE, LARGEST_SIZE, 800):
        width = np.exp(np.interp(np.log(size), sizes, widths))
        grid = 256 if width < 2_048 else 512 if width < 4_096 else 1_024
        hidden = int(round(width / grid)) * grid
        empty = _llama_like(0, hidden)
        per_layer = parameter_count(_llama_like(1, hidden)) - parameter_count(empty)
        layers = (size - parameter_count(empty)) / per_layer
        multiple = 1 if layers < 32 else 2 if layers < 80 else 4
        shape = (max(1, int(round(layers / multiple)) * multiple), hidden)
        rungs[int(parameter_count(_llama_like(*shape)))] = shape
    counts = sorted(rungs)
    return np.asarray(counts, dtype=float), [rungs[count] for count in counts]


def _llama_like(layers: int | Array, hidden: int | Array) -> Architecture:
    kv_heads: int | Array
    heads = hidden // _LLAMA_HEAD_DIM
    if isinstance(heads, np.ndarray):
        name = "like Llama-3, several sizes"
        kv_heads = np.gcd(_LLAMA_KV_HEADS, heads)
    else:
        name = f"like Llama-3, {layers} layers x {hidden:,}"
        kv_heads = gcd(_LLAMA_KV_HEADS, heads)
    return Architecture(
        name=name,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=_LLAMA_HEAD_DIM,
        ffn_hidden=hidden * 7 // 2,
        vocab=_LLAMA_VOCAB,
        tied_embeddings=hidden <= _LARGEST_TIED_HIDDEN,
    )
