"""How many parameters sit on the GPUs of each pipeline stage?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.workload.plan import Plan, layers_per_stage
from netdesign.workload.transformer import (
    Architecture,
    embedding_parameters,
    expert_layers,
    has_experts,
    layer_parameters,
)


@dataclass(frozen=True)
class StageParameters:
    """What one GPU of a pipeline stage holds before ZeRO or FSDP cut it further."""

    shared: Numeric  # parameters that all data ranks hold: everything but routed experts
    experts: Numeric  # parameters of the routed experts of this expert-parallel rank
    layers: Numeric
    expert_layers: Numeric  # of these layers, those with routed experts


def stage_parameters(arch: Architecture, plan: Plan) -> tuple[StageParameters, ...]:
    """The first, an inner and the last pipeline stage; one of them is the fullest.

    Every stage is taken to hold ``layers_per_stage``, as the fullest does. Norms and the router
    are whole on every tensor rank. With one stage the first and the last are the whole model; a
    tied output projection has a copy of the token table on the last of several stages.
    """
    tensor = plan.tensor
    layer = layer_parameters(arch)
    layers = layers_per_stage(arch.layers, plan)
    dense = layers * ((layer.attention + layer.dense_ffn) / tensor + layer.norms)
    first, last = _ends(arch, plan)
    if not has_experts(arch):
        return tuple(StageParameters(dense + end, 0, layers, 0) for end in (first, 0, last))
    with_experts = expert_layers(arch)
    later = np.minimum(layers, with_experts)
    early = np.minimum(np.maximum(layers - arch.dense_layers, 0), with_experts)
    instead = layer.router + (layer.shared_experts - layer.dense_ffn) / tensor
    held = layer.experts / (tensor * plan.expert)
    return tuple(
        StageParameters(dense + moe_layers * instead + end, moe_layers * held, layers, moe_layers)
        for moe_layers, end in ((early, first), (later, 0), (later, last))
    )


def _ends(arch: Architecture, plan: Plan) -> tuple[Numeric, Numeric]:
    """Parameters of the embedding and the output on the first and on the last stage."""
    single = plan.pipeline == 1
    table = arch.vocab * arch.hidden / plan.tensor
    output = table * (1 - single * arch.tied_embeddings)
    embedding = embedding_parameters(arch) / plan.tensor
    return embedding + single * output, output + single * embedding


def fullest_parameters(arch: Architecture, plan: Plan) -> StageParameters:
    """Per kind, the most parameters that a GPU of any stage holds."""
    first, inner, last = stage_parameters(arch, plan)
    ends = np.maximum(first.shared, last.shared)
    return StageParameters(
        shared=np.maximum(ends, inner.shared) if has_experts(arch) else ends,
        experts=np.maximum(first.experts, last.experts),
        layers=first.layers,
        expert_layers=last.expert_layers,
    )
