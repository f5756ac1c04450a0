"""Which matrix products and memory-bound operators does one layer run on one GPU?"""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.workload.transformer import (
    Architecture,
    attention_output_width,
    expert_layers,
    has_experts,
    key_value_width,
    query_width,
)


@dataclass(frozen=True)
class MatrixProduct:
    """``count`` products (m x k) by (k x n) of one forward pass of one micro-batch on one GPU."""

    name: str
    m: Numeric
    n: Numeric
    k: Numeric
    count: Numeric
    share: Numeric  # of the layers that have this product
    per_layer: bool = True  # False: once a model, on the last pipeline stage

    @property
    def flops(self) -> Numeric:
        """FLOPs of all ``count`` products, ``share`` not applied."""
        return 2 * self.m * self.n * self.k * self.count


def matrix_products(
    arch: Architecture,
    tokens: Numeric,
    sequence_length: Numeric,
    *,
    tensor: Numeric = 1,
    context: Numeric = 1,
    expert: Numeric = 1,
    causal: bool = True,
) -> tuple[MatrixProduct, ...]:
    """The products of one layer's forward pass on one GPU, and the logits last.

    Parameters
    ----------
    arch : Architecture
    tokens : int or array                   micro_batch * sequence_length, before any split
    sequence_length : int or array, tokens
    tensor, context, expert : int or array  degrees of parallelism; experts are cut by ``tensor``
                                            too, and loads are taken as balanced
    causal : bool                           a query sees half of the keys on average

    Returns
    -------
    tuple of MatrixProduct                  the sum of flops * share over a layer, times layers,
                                            plus the logits, times tensor and context, is
                                            ``flops_per_token(backward=False) * tokens``
    """
    rows = tokens / context
    hidden = arch.hidden
    up = 2 if arch.gated_ffn else 1
    moe = expert_layers(arch) / arch.layers
    products = [
        *_attention_products(arch, rows, sequence_length, tensor, context, causal),
        MatrixProduct("ffn up", rows, up * arch.ffn_hidden / tensor, hidden, 1, 1 - moe),
        MatrixProduct("ffn down", rows, hidden, arch.ffn_hidden / tensor, 1, 1 - moe),
    ]
    if has_experts(arch):
        products += _expert_products(arch, rows, tensor, expert, moe)
    products.append(MatrixProduct("logits", rows, arch.vocab / tensor, hidden, 1, 1.0, False))
    return tuple(products)


def _attention_products(
    arch: Architecture,
    rows: Numeric,
    sequence_length: Numeric,
    tensor: Numeric,
    context: Numeric,
    causal: bool,
) -> list[MatrixProduct]:
    hidden = arch.hidden
    queries, outputs = query_width(arch), attention_output_width(arch)
    latent = arch.kv_rank > 0
    low_rank = arch.query_rank > 0
    plain = 1 - latent
    width = queries + plain * key_value_width(arch)
    keys = sequence_length / 2 if causal else sequence_length
    heads = rows * context / sequence_length * arch.heads / tensor
    queried = sequence_length / context
    products = [
        MatrixProduct("attention qkv", rows, width / tensor, hidden, 1, plain),
        MatrixProduct("attention scores", queried, keys, queries / arch.heads, heads, 1.0),
        MatrixProduct("attention values", queried, outputs / arch.heads, keys, heads, 1.0),
        MatrixProduct("attention output", rows, hidden, outputs / tensor, 1, 1.0),
    ]
    if isinstance(latent, bool) and not latent:
        return products
    up = arch.heads * (arch.nope_dim + arch.value_dim) / tensor
    # The down projections are whole on every tensor rank, but sequence parallelism cuts their rows.
    down_rows = rows / tensor
    return [
        *products,
        MatrixProduct("latent kv down", down_rows, arch.kv_rank + arch.rope_dim, hidden, 1, latent),
        MatrixProduct("latent kv up", rows, up, arch.kv_rank, 1, latent),
        MatrixProduct("latent query down", down_rows, arch.query_rank, hidden, 1, low_rank),
        MatrixProduct("latent query up", rows, queries / tensor, arch.query_rank, 1, low_rank),
        MatrixProduct("latent query", rows, queries / tensor, hidden, 1, latent * (1 - low_rank)),
    ]


def _expert_products(
    arch: Architecture, rows: Numeric, tensor: Numeric, expert: Numeric, moe: Numeric
) -> list[MatrixProduct]:
    hidden, width = arch.hidden, arch.expert_ffn_hidden / tensor
    up = 2 if arch.gated_ffn else 1
    held = arch.experts / expert
    # An array of architectures may hold dense ones: their share is 0, the division must be finite.
    arriving = rows * arch.experts_per_token * expert / (arch.experts + (arch.experts == 0))
    shared = arch.shared_experts * width
    return [
        MatrixProduct("router", rows / tensor, arch.experts, hidden, 1, moe),
        MatrixProduct("expert up", arriving, up * width, hidden, held, moe),
        MatrixProduct("expert down", arriving, hidden, width, held, moe),
        MatrixProduct("shared expert up", rows, up * shared, hidden, 1, moe),
        MatrixProduct("shared expert down", rows, hidden, shared, 1, moe),
    ]


@formula(
    latex=r"V = \frac{b\,T}{c\,t}\left(10h + 2(d_q+d_k) + (u{+}1)f\right)",
    source="korthikanti-2022",
)
def memory_traffic_per_layer(
    arch: Architecture,
    tokens: Numeric,
    *,
    tensor: Numeric = 1,
    context: Numeric = 1,
    sequence_parallel: bool = True,
    activation_bytes: Numeric = 2,
) -> Numeric:
    """Bytes that the memory-bound operators of an average layer move in one forward pass.

    Two norms (read and write h), two residual additions (read 2h, write h), rotary embedding
    (read and write queries and keys), the activation function (read the up projection, write
    its product), in layers with experts the copies into and out of expert order, and under context
    parallelism the sum of what each turn of the ring gives. No dropout.

    Parameters
    ----------
    arch : Architecture
    tokens : int or array                   of the micro-batch, before any split
    tensor, context : int or array          degrees of parallelism
    sequence_parallel : bool                norms and residuals are cut by ``tensor`` too
    activation_bytes : float                bytes of one value; 2 in bf16

    Returns
    -------
    float or array, bytes
    """
    up = 2 if arch.gated_ffn else 1
    moe = expert_layers(arch) / arch.layers
    chosen = arch.experts_per_token + arch.shared_experts
    ffn = (1 - moe) * arch.ffn_hidden + moe * chosen * arch.expert_ffn_hidden
    permuted = moe * 4 * arch.experts_per_token * arch.hidden
    keys = arch.kv_heads * arch.head_dim
    # Ring attention joins what each turn gives to a 32-bit sum: 2 + 4 bytes read, 4 written.
    joined = (context > 1) * context * 5 * attention_output_width(arch)
    cut = 2 * (query_width(arch) + keys) + (up + 1) * ffn + permuted + joined
    whole = 10 * arch.hidden
    if sequence_parallel:
        return activation_bytes * tokens / context * (cut + whole) / tensor
    return activation_bytes * tokens / context * (cut / tensor + whole)
