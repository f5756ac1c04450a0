"""Published model architectures and the counts their authors printed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from netdesign.catalog.tables import Count, CountOrZero, Part, Positive


class ModelRow(Part):
    """A published transformer.

    ``published_parameters`` is the count its authors print and ``published_rounding`` the unit of
    its last printed digit (1 for an exact count). ``ffn_hidden`` is the width of a dense
    feed-forward block, ``expert_ffn_hidden`` that of one expert. The latent-attention widths
    (``query_rank`` to ``value_dim``) are 0 for ordinary attention.
    """

    layers: Count
    hidden: Count
    heads: Count
    kv_heads: Count
    head_dim: Count
    ffn_hidden: CountOrZero
    vocab: Count
    context: Count
    gated_ffn: bool
    tied_embeddings: bool
    norm: Literal["rms", "layer"]
    attention_bias: Literal["none", "qkv", "all"]
    mlp_bias: bool
    learned_positions: CountOrZero
    experts: CountOrZero
    experts_per_token: CountOrZero
    shared_experts: CountOrZero
    expert_ffn_hidden: CountOrZero
    dense_layers: CountOrZero
    query_rank: CountOrZero
    kv_rank: CountOrZero
    nope_dim: CountOrZero
    rope_dim: CountOrZero
    value_dim: CountOrZero
    router_bias: bool
    published_parameters: Annotated[int, Field(gt=0)]
    published_rounding: Count
    published_active_parameters: Annotated[int, Field(gt=0)] | None = None
    training_tokens_trillion: Positive | None = None
