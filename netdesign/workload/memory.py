"""What does one GPU have to hold?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.workload.plan import Plan, recomputed_share, shard_ranks
from netdesign.workload.stages import StageParameters, stage_parameters
from netdesign.workload.transformer import (
    Architecture,
    attention_output_width,
    expert_layers,
    has_experts,
    key_value_width,
    layer_parameters,
    query_width,
)


@dataclass(frozen=True)
class Memory:
    """Bytes on the fullest GPU."""

    weights: Numeric
    gradients: Numeric
    optimizer: Numeric
    activations: Numeric
    workspace: Numeric  # communication buffers, CUDA context, fragmentation
    total: Numeric


@dataclass(frozen=True)
class LayerActivations:
    """Bytes that one layer keeps for the backward pass of one micro-batch on one GPU."""

    dense: Numeric  # a layer with a dense FFN
    experts: Numeric  # a layer with routed experts
    working: Numeric  # of the layer that is being recomputed; 0 unless recompute is full


@formula(
    latex=r"A_\mathrm{none} = \frac{bT}{ct}\left(4h + d_q + d_{kv} + d_o + (u{+}1)f\right),\quad"
    r" A_\mathrm{full} = \frac{bT}{ct}\,h",
    source="korthikanti-2022",
)
def layer_activations(
    arch: Architecture,
    plan: Plan,
    sequence_length: Numeric,
    *,
    activation_bytes: Numeric = 2,
    operand_bytes: Numeric | None = None,
    flash_attention: bool = True,
) -> LayerActivations:
    """Activations one layer keeps, for the plan's kind of recomputation.

    Korthikanti et al. 2022 without dropout masks and, under flash attention, without the
    s^2 score matrices; extended to grouped queries, gated FFNs, latent attention and experts.
    ``none`` keeps the inputs of every operator; those of products with weights in the precision
    of the product, beside attention's own copy of its output. ``selective`` drops what cheap
    operators give back: norm outputs, the activation function's product, the combined expert
    outputs, queries, keys and values that latent attention expands and, without flash attention,
    the scores. ``full`` keeps the layer's input; a code between the two does so for that share of
    the layers.

    Parameters
    ----------
    arch : Architecture
    plan : Plan                             tensor, context, micro_batch, recompute and
                                            sequence_parallel count
    sequence_length : int or array, tokens
    activation_bytes : float                bytes of one value; 2 in bf16
    operand_bytes : float                   of an input of a product with weights; 1 in 8-bit
                                            training, the same as ``activation_bytes`` if None
    flash_attention : bool                  False keeps 5 bytes per score and head

    Returns
    -------
    LayerActivations, bytes
    """
    tokens = plan.micro_batch * sequence_length / plan.context
    unit = activation_bytes * tokens
    cut = unit / plan.tensor
    whole = cut if plan.sequence_parallel else unit
    again = recomputed_share(plan)
    unselected = 1 - (plan.recompute >= 1) * (again < 1)
    up = 2 if arch.gated_ffn else 1
    hidden = arch.hidden
    operand = 1.0 if operand_bytes is None else operand_bytes / activation_bytes
    attention: Numeric = _attention_values(arch, unselected, operand) * cut
    if not flash_attention:
        attention = attention + unselected * 5 * arch.heads * sequence_length * tokens / plan.tensor
    ends = (2 + 2 * unselected * operand) * hidden * whole
    ffn = (up + unselected * operand) * cut
    chosen = arch.experts_per_token
    routed = chosen * (ffn * arch.expert_ffn_hidden + (operand + unselected) * hidden * cut)
    shared = arch.shared_experts * ffn * arch.expert_ffn_hidden
    dense = attention + ends + ffn * arch.ffn_hidden
    experts = attention + ends + routed + shared
    recomputed = again * hidden * whole
    working = (again > 0) * np.maximum(dense, (expert_layers(arch) > 0) * experts)
    kept = 1 - again
    return LayerActivations(kept * dense + recomputed, kept * experts + recomputed, working)


def _attention_values(arch: Architecture, unselected: Numeric, operand: Numeric) -> Numeric:
    """Values that attention keeps of a token, counted in 16-bit ones."""
    # The output projection reads an 8-bit copy, attention itself its output in 16 bits.
    copied = operand * (operand < 1.0)
    expanded = 1 - (arch.kv_rank > 0) * (1 - unselected)
    return (
        expanded * (query_width(arch) + key_value_width(arch))
        + (1 + copied) * attention_output_width(arch)
        + (arch.query_rank + arch.kv_rank + arch.rope_dim)
    )


@formula(
    latex=r"n_r = \min\!\left(m,\; p-r\right)\ (v=1),\quad"
    r" \min\!\left(m,\; \frac{2(p-1-r)+(v-1)p+1}{v}\right)\ (v>1)",
    source="narayanan-2021",
)
def micro_batches_in_flight(
    pipeline: Numeric, micro_batches: Numeric, virtual_stages: Numeric, stage: Numeric
) -> Numeric:
    """Micro-batches whose activations a pipeline rank holds at its fullest moment.

    Plain 1F1B: ``p - r``. Interleaved: ``2 (p - 1 - r) + (v - 1) p + 1`` chunks of ``1/v`` of the
    rank's layers each, which is ``p (1 + (p-1)/(p v))`` on the first rank.

    Parameters
    ----------
    pipeline, micro_batches, virtual_stages : int or array, >= 1
    stage : int or array                    rank in the pipeline, 0 first

    Returns
    -------
    float or array, micro-batches           of all the rank's layers
    """
    behind = pipeline - 1 - stage
    chunks = 2 * behind + (virtual_stages - 1) * pipeline + 1
    interleaved = virtual_stages > 1
    held = interleaved * chunks / virtual_stages + (1 - interleaved) * (behind + 1)
    return np.minimum(micro_batches, np.maximum(held, 1))


@formula(
    latex=r"M = \frac{2P}{f_3} + \frac{g P}{f_2} + \frac{12 P}{f_1} + n_r \sum A + W",
    source="rajbhandari-2020",
)
def memory_per_gpu(
    arch: Architecture,
    plan: Plan,
    sequence_length: Numeric,
    *,
    workspace: Numeric,
    gradient_bytes: Numeric = 4,
    weight_bytes: Numeric = 2,
    optimizer_bytes: Numeric = 12,
    activation_bytes: Numeric = 2,
    operand_bytes: Numeric | None = None,
    logit_bytes: Numeric = 4,
    flash_attention: bool = True,
) -> Memory:
    """Bytes on the fullest GPU in mixed-precision training with Adam.

    ZeRO stage 1 divides the optimizer by the shard group, stage 2 the gradients too, stage 3
    (FSDP) the weights too; experts are divided by expert parallelism and by the ranks that
    share them. Under stage 3 the workspace also holds two gathered layers, the gathered
    embeddings and one layer's whole gradient.

    Parameters
    ----------
    arch : Architecture
    plan : Plan                             fields broadcast
    sequence_length : int or array, tokens
    workspace : float or array, bytes       context, communication buffers, fragmentation
    gradient_bytes : float                  per parameter; 4 as Megatron-LM accumulates, 2 in bf16
    weight_bytes : float                    per parameter, of the working copy
    optimizer_bytes : float                 per parameter; fp32 master copy and two moments
    activation_bytes : float                per value
    operand_bytes : float                   per value that a product with weights reads again
    logit_bytes : float                     per logit, kept once in fp32 for the loss
    flash_attention : bool                  False keeps the attention scores

    Returns
    -------
    Memory, bytes                           the parts sum to ``total``
    """
    activations = layer_activations(
        arch, plan, sequence_length, activation_bytes=activation_bytes,
        operand_bytes=operand_bytes, flash_attention=flash_attention,
    )  # fmt: skip
    tokens = plan.micro_batch * sequence_length / plan.context
    logits = tokens * arch.vocab / plan.tensor * logit_bytes
    stages = _stages(arch, plan, activations, logits)
    gathered = (plan.sharding == 3) * _gathered(arch, plan, weight_bytes, gradient_bytes)
    return _fullest(stages, weight_bytes, gradient_bytes, optimizer_bytes, workspace + gathered)


def _stages(
    arch: Architecture, plan: Plan, activations: LayerActivations, logits: Numeric
) -> list[tuple[Numeric, Numeric, Numeric, Numeric]]:
    """Parameters with a weight, a gradient, an optimizer state; bytes of activations; by stage."""
    ranks = shard_ranks(plan)
    expert_ranks = np.maximum(1, ranks / plan.expert)
    last = plan.pipeline - 1
    single = plan.pipeline == 1
    places = ((0, single), (np.minimum(1, last), single), (last, 1))
    found = []
    for parameters, (stage, has_logits) in zip(stage_parameters(arch, plan), places, strict=True):
        held = micro_batches_in_flight(
            plan.pipeline, plan.micro_batches, plan.virtual_stages, stage
        )
        kept = parameters.layers * activations.dense
        if has_experts(arch):
            kept = kept + parameters.expert_layers * (activations.experts - activations.dense)
        states = _states(parameters, plan, ranks, expert_ranks)
        found.append((*states, held * kept + activations.working + has_logits * logits))
    return found


def _states(
    parameters: StageParameters, plan: Plan, ranks: Numeric, expert_ranks: Numeric
) -> tuple[Numeric, Numeric, Numeric]:
    """Parameters whose weight, gradient and optimizer state this GPU keeps."""
    whole = parameters.shared + parameters.experts
    saved = parameters.shared / ranks + parameters.experts / expert_ranks - whole
    return (
        whole + (plan.sharding >= 3) * saved,
        whole + (plan.sharding >= 2) * saved,
        whole + (plan.sharding >= 1) * saved,
    )


def _gathered(
    arch: Architecture, plan: Plan, weight_bytes: Numeric, gradient_bytes: Numeric
) -> Numeric:
    layer = layer_parameters(arch)
    with_experts = layer.router + layer.shared_experts + layer.experts / plan.expert
    ffn = np.maximum(layer.dense_ffn, (expert_layers(arch) > 0) * with_experts)
    whole = (layer.attention + layer.norms + ffn) / plan.tensor
    tables = (2 - arch.tied_embeddings) * arch.vocab * arch.hidden / plan.tensor
    return (2 * whole + tables) * weight_bytes + whole * gradient_bytes


def _fullest(
    stages: list[tuple[Numeric, Numeric, Numeric, Numeric]],
    weight_bytes: Numeric,
    gradient_bytes: Numeric,
    optimizer_bytes: Numeric,
    workspace: Numeric,
) -> Memory:
    parts = [
        (w * weight_bytes, g * gradient_bytes, o * optimizer_bytes, a) for w, g, o, a in stages
    ]
    first, second, last = (w + g + o + a for w, g, o, a in parts)
    is_first = (first >= second) & (first >= last)
    is_second = (1 - is_first) * (second >= last)
    is_last = 1 - is_first - is_second
    weights, gradients, optimizer, activations = (
        is_first * a + is_second * b + is_last * c for a, b, c in zip(*parts, strict=True)
    )
    total = weights + gradients + optimizer + activations + workspace
    return Memory(weights, gradients, optimizer, activations, workspace, total)
