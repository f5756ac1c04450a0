"""Which collectives does a training step run, how large, and how often?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.workload.plan import GroupSpan, Plan, group_spans, recomputed_share
from netdesign.workload.stages import StageParameters, fullest_parameters
from netdesign.workload.transformer import Architecture, has_experts, key_value_width


@dataclass(frozen=True)
class Collective:
    """One kind of collective of a step, as a GPU sees it."""

    parallelism: str  # tensor | pipeline | context | expert | data | sharding
    operation: str  # all-reduce | reduce-scatter | all-gather | all-to-all | send
    span: GroupSpan
    size: Numeric  # bytes of one call, S as nccl-tests defines it
    calls: Numeric  # per step
    bytes_per_gpu: Numeric  # sent by one GPU per step over all links
    network_bytes_per_gpu: Numeric  # of these, the part that leaves the scale-up domain
    content: str = ""  # what is moved, in the field's words
    distinct_share: Numeric = 1.0  # of what leaves the domain, without second copies for the same


@dataclass(frozen=True)
class Buckets:
    """Into how many calls gradients and weights are cut, unless FSDP does so by layer."""

    parameters: Numeric = 40e6  # that travel in one call, at least; or those of a layer
    parameters_per_rank: Numeric = 1e6  # at least this for each data-parallel rank
    broadcasts_per_rank: Numeric = 0  # of weights; 0: an all-gather for each bucket


MEGATRON_BUCKETS = Buckets()


@formula(latex=r"W = \frac{2(n-1)}{n} S", source="patarasuk-yuan-2009")
def allreduce_bytes(size: Numeric, ranks: Numeric) -> Numeric:
    """Bytes each rank sends in an all-reduce: the least any algorithm on end points can send.

    Parameters
    ----------
    size : float or array, bytes            message held by each rank
    ranks : int or array, >= 1              1 gives 0

    Returns
    -------
    float or array, bytes
    """
    return 2 * (ranks - 1) / ranks * size


@formula(latex=r"W = \frac{n-1}{n} S", source="thakur-2005")
def exchange_bytes(size: Numeric, ranks: Numeric) -> Numeric:
    """Bytes each rank sends in an all-gather, a reduce-scatter or an all-to-all.

    Parameters
    ----------
    size : float or array, bytes            the gathered result, the buffer that is reduced, or
                                            the send buffer of an all-to-all
    ranks : int or array, >= 1              1 gives 0

    Returns
    -------
    float or array, bytes
    """
    return (ranks - 1) / ranks * size


@formula(latex=r"W = T\,k\,h\,b", source="zhao-2025-isca")
def expert_dispatch_bytes(
    tokens: Numeric, experts_per_token: Numeric, hidden: Numeric, value_bytes: Numeric
) -> Numeric:
    """Bytes a GPU sends to the experts its tokens chose, or gets back from them.

    Parameters
    ----------
    tokens : int or array                   on this GPU
    experts_per_token : int or array        every chosen expert gets its own copy
    hidden : int or array                   width of a token
    value_bytes : float                     1 for fp8, 2 for bf16

    Returns
    -------
    float or array, bytes                   own experts included: the all-to-all send buffer
    """
    return tokens * experts_per_token * hidden * value_bytes


@formula(latex=r"\frac{D\,(1-(1-1/D)^k)}{k}", source="zhao-2025-isca")
def distinct_domains_share(experts_per_token: Numeric, domains: Numeric) -> Numeric:
    """Domains that a token's experts sit in, over its experts, where the choice is even.

    A dispatcher sends a token once to each domain and copies it there, so this is the share of
    the copies for other domains that crosses the network.

    Parameters
    ----------
    experts_per_token : int or array, >= 0  k
    domains : int or array, >= 1            D, over which the experts are spread

    Returns
    -------
    float or array, 0 to 1
    """
    chosen = np.maximum(experts_per_token, 1)
    return domains * (1.0 - (1.0 - 1.0 / domains) ** chosen) / chosen


@formula(
    latex=r"W_t = 8\tfrac{t-1}{t}\,T h b\,\tfrac{L}{p}\,m,\quad"
    r" W_p = \tfrac{2\,m\,v}{t}\,T h b,\quad"
    r" W_c = 3(c-1)\,\tfrac{T d_{kv} b}{t}\,\tfrac{L}{p}\,m,\quad"
    r" W_e = 4\tfrac{e-1}{e}\,\tfrac{T k h b}{t}\,\tfrac{L}{p}\,m,\quad"
    r" W_d = 2\tfrac{d-1}{d}\,P b,\quad W_\mathrm{FSDP} = 3\tfrac{d-1}{d}\,P b\,m",
    source="narayanan-2021",
)
def traffic(
    arch: Architecture,
    plan: Plan,
    sequence_length: Numeric,
    *,
    domain_gpus: Numeric,
    activation_bytes: Numeric = 2,
    gradient_bytes: Numeric = 2,
    weight_bytes: Numeric = 2,
    dispatch_bytes: Numeric | None = None,
    combine_bytes: Numeric | None = None,
    buckets: Buckets = MEGATRON_BUCKETS,
) -> tuple[Collective, ...]:
    """Every collective of one training step, for a GPU of the fullest pipeline stage.

    Kinds that a plan does not use stay in the result with zero bytes, so that a Plan of arrays
    gives arrays; the expert kinds are left out for a dense architecture. Sizes follow Megatron-LM:
    with sequence parallelism a tensor group all-gathers and reduce-scatters twice per layer and
    pass, otherwise it all-reduces; pipeline messages are cut over the tensor ranks; the repeated
    all-gather of saved inputs, which hides behind weight gradients, is not counted, nor are the
    tensor collectives of the embedding and the logits.

    Parameters
    ----------
    arch : Architecture
    plan : Plan                             fields broadcast
    sequence_length : int or array, tokens
    domain_gpus : int or array              GPUs of one scale-up domain
    activation_bytes : float                per value; 2 in bf16
    gradient_bytes : float                  per parameter on the wire; 4 when reduced in fp32
    weight_bytes : float                    per parameter in all-gathers
    dispatch_bytes, combine_bytes : float   per value to the experts and back, default
                                            ``activation_bytes``; 1 when dispatched in fp8
    buckets : Buckets                       default: those of Megatron-LM

    Returns
    -------
    tuple of Collective
    """
    spans = group_spans(plan, domain_gpus)
    held = fullest_parameters(arch, plan)
    tokens = plan.micro_batch * sequence_length / plan.context
    token_bytes = tokens * activation_bytes
    layer_calls = held.layers * plan.micro_batches
    parts = [
        *_tensor(arch, plan, spans["tensor"], layer_calls, token_bytes),
        _pipeline(arch, plan, spans["pipeline"], token_bytes),
        _context(arch, plan, spans["context"], layer_calls, token_bytes),
    ]
    states = ((gradient_bytes, weight_bytes), buckets)
    replicas = (spans["data"], spans["shard"], spans["replicate"])
    parts += _data(plan, replicas, held.shared, held.layers, *states, "")
    if not has_experts(arch):
        return tuple(parts)
    dispatch = activation_bytes if dispatch_bytes is None else dispatch_bytes
    combine = activation_bytes if combine_bytes is None else combine_bytes
    parts += _experts(arch, plan, spans["expert"], held, tokens, (dispatch, combine))
    replicas = (spans["expert_data"], spans["expert_shard"], spans["expert_replicate"])
    parts += _data(plan, replicas, held.experts, held.expert_layers, *states, "expert ")
    return tuple(parts)


def _collective(
    parallelism: str,
    operation: str,
    span: GroupSpan,
    size: Numeric,
    calls: Numeric,
    content: str,
    distinct_share: Numeric = 1.0,
) -> Collective:
    """Bytes of an all-reduce, reduce-scatter, all-gather or all-to-all, hierarchical outside.

    Members in one domain first share the work, so each sends 1/local of the message outside;
    an all-to-all cannot share and sends what is meant for other domains, a token once to each
    however many of its experts are there.
    """
    total = calls * size
    sent_bytes = allreduce_bytes if operation == "all-reduce" else exchange_bytes
    leaving = total * distinct_share if operation == "all-to-all" else total / span.local
    sent = sent_bytes(total, span.ranks)
    outside = sent_bytes(leaving, span.domains)
    return Collective(
        parallelism, operation, span, size, calls, sent, outside, content, distinct_share
    )


def _tensor(
    arch: Architecture, plan: Plan, span: GroupSpan, layer_calls: Numeric, token_bytes: Numeric
) -> list[Collective]:
    """Two of each per layer in the forward pass, the backward pass, and a repeated forward pass."""
    calls = (4 + 2 * recomputed_share(plan)) * layer_calls * (plan.tensor > 1)
    size = token_bytes * arch.hidden
    if not plan.sequence_parallel:
        return [_collective("tensor", "all-reduce", span, size, calls, "activations")]
    gather = _collective("tensor", "all-gather", span, size, calls, "activations")
    return [gather, replace(gather, operation="reduce-scatter")]


def _pipeline(arch: Architecture, plan: Plan, span: GroupSpan, token_bytes: Numeric) -> Collective:
    """A middle stage: an activation forward and a gradient backward, per chunk and micro-batch."""
    size = token_bytes * arch.hidden / plan.tensor
    calls = 2 * plan.micro_batches * plan.virtual_stages * (plan.pipeline > 1)
    sent = size * calls
    leaving = (span.domains - 1) / np.maximum(span.ranks - 1, 1)
    return Collective(
        "pipeline", "send", span, size, calls, sent, sent * leaving, "activations, gradients"
    )


def _context(
    arch: Architecture, plan: Plan, span: GroupSpan, layer_calls: Numeric, token_bytes: Numeric
) -> Collective:
    """Ring attention: keys and values go round forward, and with their gradients backward."""
    size = token_bytes * key_value_width(arch) / plan.tensor
    ring_passes = 3 + recomputed_share(plan)
    calls = (plan.context - 1) * ring_passes * layer_calls
    sent = size * calls
    leaving = (span.domains > 1) / span.local
    return Collective("context", "send", span, size, calls, sent, sent * leaving, "keys and values")


def _experts(
    arch: Architecture,
    plan: Plan,
    span: GroupSpan,
    held: StageParameters,
    tokens: Numeric,
    value_bytes: tuple[Numeric, Numeric],
) -> list[Collective]:
    """Dispatch and combine forward, their transposes backward."""
    calls = held.expert_layers * plan.micro_batches * (plan.expert > 1)
    forward = calls * (1 + recomputed_share(plan))
    own = tokens / plan.tensor
    dispatch, combine = (
        expert_dispatch_bytes(own, arch.experts_per_token, arch.hidden, value)
        for value in value_bytes
    )
    share = distinct_domains_share(arch.experts_per_token, span.domains)
    return [
        _collective("expert", "all-to-all", span, size, times, content, share)
        for size, times, content in (
            (dispatch, forward, "tokens to experts"),
            (combine, forward, "tokens back"),
            (combine, 2 * calls, "token gradients"),
        )
    ]


def _data(
    plan: Plan,
    spans: tuple[GroupSpan, GroupSpan, GroupSpan],
    parameters: Numeric,
    layers: Numeric,
    state_bytes: tuple[Numeric, Numeric],
    cut: Buckets,
    what: str,
) -> list[Collective]:
    """Gradient reduction and weight gathering: FSDP a call per layer, the others one per bucket.

    Megatron-LM's buckets grow with the ranks, so that a ring's latency stays hidden; each of the
    virtual stages has buckets of its own. Without sharding an all-reduce. ZeRO-1: one
    reduce-scatter and one all-gather per step. ZeRO-2 reduce-scatters every micro-batch, because
    it keeps only its part of the gradient; ZeRO-3 (FSDP) does too and gathers the weights twice
    per micro-batch. HSDP all-reduces the reduced part once per step over its replicas.
    """
    data, shard, replicate = spans
    each_layer = np.maximum(layers, 1)
    least = np.maximum(cut.parameters, cut.parameters_per_rank * data.ranks)
    buckets = np.maximum(plan.virtual_stages, np.minimum(each_layer, parameters / least))
    calls = np.where(plan.sharding == 3, each_layer, buckets)[()]
    gradients, weights = (parameters / calls * each for each in state_bytes)
    sharded = calls * (plan.sharding >= 1)
    in_all = (calls - sharded) * (data.ranks > 1)
    in_shard = sharded * (shard.ranks > 1)
    in_replicas = sharded * (replicate.ranks > 1)
    more = plan.micro_batches - 1
    reductions = in_shard * (1 + (plan.sharding >= 2) * more)
    gathers = in_shard * (1 + (plan.sharding == 3) * (2 * more + 1))
    part = gradients / shard.ranks
    # Weights may come back in more, smaller calls than gradients leave in.
    finer = np.maximum(1.0, (plan.sharding < 3) * cut.broadcasts_per_rank * shard.ranks / calls)
    return [
        _collective("data", "all-reduce", data, gradients, in_all, what + "gradients"),
        _collective("data", "reduce-scatter", shard, gradients, reductions, what + "gradients"),
        _collective("data", "all-reduce", replicate, part, in_replicas, what + "gradient shards"),
        _collective(
            "sharding", "all-gather", shard, weights / finer, gathers * finer, what + "weights"
        ),
    ]
