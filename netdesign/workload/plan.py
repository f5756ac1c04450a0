"""How is the training job cut over GPUs, and which tier of the machine does each group span?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import product

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.errors import DesignError
from netdesign.formulas import formula
from netdesign.workload.layouts import layouts
from netdesign.workload.transformer import Architecture

RECOMPUTE = {"none": 0, "selective": 1, "full": 2}
SHARDING = {"ddp": 0, "zero-1": 1, "zero-2": 2, "zero-3": 3, "fsdp": 3, "hsdp": 3}
_MICRO_BATCHES = (1, 2, 3, 4, 6, 8)
_RECOMPUTED = (RECOMPUTE["selective"], RECOMPUTE["full"])  # fused attention has the first anyway


@dataclass(frozen=True)
class Plan:
    """A parallel plan; every numeric field broadcasts, so one Plan can hold thousands."""

    tensor: Numeric = 1
    pipeline: Numeric = 1
    context: Numeric = 1
    expert: Numeric = 1
    data: Numeric = 1
    micro_batch: Numeric = 1  # sequences
    micro_batches: Numeric = 1  # per step and data rank (gradient accumulation)
    virtual_stages: Numeric = 1  # model chunks a pipeline rank holds; 1: plain 1F1B
    sharding: Numeric = 1  # ZeRO stage 0..3; 3 is FSDP
    shard_group: Numeric = 0  # ranks over which states are sharded; 0: all of data*context
    recompute: Numeric = 1  # RECOMPUTE code; between 1 and 2: that share of the layers in full
    sequence_parallel: bool = True


@dataclass(frozen=True)
class GroupSpan:
    """Where the members of one communication group sit."""

    ranks: Numeric
    stride: Numeric  # GPUs between neighbouring members
    local: Numeric  # members inside one scale-up domain (NVLink)
    domains: Numeric  # ranks / local


def recomputed_share(plan: Plan) -> Numeric:
    """Share of the layers that the backward pass computes again as a whole."""
    return np.minimum(np.maximum(plan.recompute - 1, 0), 1)


def group_span(ranks: Numeric, stride: Numeric, domain_gpus: Numeric) -> GroupSpan:
    """A group of evenly spaced ranks, spread evenly over as few domains as hold it."""
    domains = np.ceil(ranks / _members(ranks, stride, domain_gpus))
    return GroupSpan(ranks, stride, ranks / domains, domains)


def _members(ranks: Numeric, stride: Numeric, gpus: Numeric) -> Numeric:
    return np.maximum(1, np.minimum(ranks, np.floor(gpus / stride)))


def members_within(span: GroupSpan, gpus: Numeric) -> Numeric:
    """Members of a group inside one block of ``gpus`` consecutive GPUs: a server, a pod."""
    return _members(span.ranks, span.stride, gpus)


def shard_ranks(plan: Plan) -> Numeric:
    """Ranks over which ZeRO or FSDP cuts its states."""
    return plan.shard_group + (plan.shard_group == 0) * (plan.data * plan.context)


def group_spans(plan: Plan, domain_gpus: Numeric) -> dict[str, GroupSpan]:
    """Every communication group of a plan and the tier it spans.

    Ranks are numbered tensor fastest, then context, expert within data, data, pipeline slowest
    (Megatron-LM's order tp-cp-ep-dp-pp).

    Parameters
    ----------
    plan : Plan
    domain_gpus : int or array              GPUs of one scale-up domain

    Returns
    -------
    dict of GroupSpan
        tensor, context, expert, pipeline; data (ranks that hold the same weights and average
        gradients: data times context), shard and replicate (the two factors of data under
        HSDP), expert_data (the ranks that hold the same experts) and its factors expert_shard
        and expert_replicate. With context parallelism the ranks of expert_data are not evenly
        spaced; their mean spacing is used.
    """
    tensor, context, expert = plan.tensor, plan.context, plan.expert
    replicas = plan.data * context
    shard = shard_ranks(plan)
    expert_data = replicas / expert
    expert_shard = np.maximum(1, shard / expert)
    expert_stride = tensor * expert
    return {
        "tensor": group_span(tensor, 1, domain_gpus),
        "context": group_span(context, tensor, domain_gpus),
        "expert": group_span(expert, tensor * context, domain_gpus),
        "data": group_span(replicas, tensor, domain_gpus),
        "shard": group_span(shard, tensor, domain_gpus),
        "replicate": group_span(replicas / shard, tensor * shard, domain_gpus),
        "expert_data": group_span(expert_data, expert_stride, domain_gpus),
        "expert_shard": group_span(expert_shard, expert_stride, domain_gpus),
        "expert_replicate": group_span(
            expert_data / expert_shard, expert_stride * expert_shard, domain_gpus
        ),
        "pipeline": group_span(plan.pipeline, tensor * replicas, domain_gpus),
    }


def micro_batches(global_batch: Numeric, data: Numeric, micro_batch: Numeric) -> Numeric:
    """Micro-batches a data rank runs in a step; the last one may be partly empty."""
    return -(-global_batch // (data * micro_batch))


@formula(latex=r"\beta = \frac{p-1}{m\,v}", source="narayanan-2021")
def bubble_share(pipeline: Numeric, micro_batches: Numeric, virtual_stages: Numeric) -> Numeric:
    """Idle time of a pipeline over the ideal compute time.

    Parameters
    ----------
    pipeline : int or array, >= 1           stages; 1 gives 0
    micro_batches : int or array, >= 1      per step and data rank
    virtual_stages : int or array, >= 1     model chunks of a rank; 1 is plain 1F1B

    Returns
    -------
    float or array, of the ideal time
    """
    return (pipeline - 1) / (micro_batches * virtual_stages)


def layers_per_stage(layers: Numeric, plan: Plan) -> Numeric:
    """Layers of the fullest pipeline rank."""
    chunks = plan.pipeline * plan.virtual_stages
    return -(-layers // chunks) * plan.virtual_stages


def check_plan(arch: Architecture, plan: Plan, gpus: int, global_batch: int) -> None:
    """Refuse a plan (of scalars) that no training framework could run.

    Raises
    ------
    DesignError
        names the field, its value and the nearest values that would do.
    """
    heads, data = int(arch.heads), int(plan.data)
    for field in ("micro_batch", "tensor", "pipeline", "context", "expert", "virtual_stages"):
        _require(plan, field, lambda n: n >= 1, "is below 1")
    _require(plan, "tensor", lambda n: heads % n == 0, f"does not divide {heads} heads")
    _check_model_ranks(plan, gpus)
    _check_experts(plan, int(arch.experts))
    _check_pipeline(plan, int(arch.layers))
    if data > global_batch:
        raise DesignError(
            "training.global_batch",
            global_batch,
            f"is below the {data} data-parallel ranks",
            f"give at least {data} sequences, or cut the model over more GPUs",
        )
    if plan.shard_group:
        replicas = int(plan.data * plan.context)
        reason = f"does not divide the {replicas} ranks of data times context"
        _require(plan, "shard_group", lambda n: n > 0 and replicas % n == 0, reason)


def _check_model_ranks(plan: Plan, gpus: int) -> None:
    ranks = int(plan.tensor * plan.pipeline * plan.context)
    cut = f"tensor {plan.tensor} x pipeline {plan.pipeline} x context {plan.context}"
    if ranks > gpus:
        reason = f"is too much: {cut} needs {ranks} GPUs and there are {gpus}"
        raise DesignError("plan.tensor", plan.tensor, reason, "lower one of the three")
    if gpus % ranks:
        below = gpus - gpus % ranks
        reason = f"is not a multiple of {cut} = {ranks}"
        raise DesignError("cluster.gpus", gpus, reason, f"{below} or {below + ranks} would do")


def _check_experts(plan: Plan, experts: int) -> None:
    if experts == 0:
        _require(plan, "expert", lambda n: n == 1, "needs experts and the model has none")
        return
    data = int(plan.data)

    def divides(degree: int) -> bool:
        return experts % degree == 0 and data % degree == 0

    reason = f"does not divide {experts} experts and {data} data-parallel ranks"
    _require(plan, "expert", divides, reason)


def _check_pipeline(plan: Plan, layers: int) -> None:
    _require(plan, "pipeline", lambda n: 1 <= n <= layers, f"is above {layers} layers")
    if plan.pipeline == 1:
        _require(plan, "virtual_stages", lambda n: n == 1, "needs a pipeline above 1")
    most = layers // int(plan.pipeline)
    reason = f"times pipeline {plan.pipeline} is above {layers} layers"
    _require(plan, "virtual_stages", lambda n: 1 <= n <= most, reason)


def _require(plan: Plan, field: str, right: Callable[[int], bool], reason: str) -> None:
    value = int(getattr(plan, field))
    if right(value):
        return
    below = next((n for n in range(value - 1, 0, -1) if right(n)), None)
    above = next((n for n in range(max(1, value + 1), 2 * abs(value) + 2) if right(n)), None)
    near = " or ".join(str(n) for n in (below, above) if n is not None)
    raise DesignError(f"plan.{field}", value, reason, f"{near} would do")


def plan_at(plan: Plan, index: int | Array) -> Plan:
    """Row ``index`` of a Plan of arrays as a Plan of scalars; several indices keep arrays."""
    values = {}
    for field in fields(plan):
        value = getattr(plan, field.name)
        if isinstance(value, np.ndarray):
            value = value[index]
            value = value if isinstance(index, np.ndarray) else value.item()
        values[field.name] = value
    return Plan(**values)


@lru_cache(maxsize=8)
def candidate_plans(
    arch: Architecture,
    gpus: int,
    global_batch: int,
    domain_gpus: int,
    *,
    sequence_length: int = 8_192,
    limit: int = 8_192,
    thorough: bool = False,
) -> Plan:
    """Legal plans, as one Plan of read-only 1-D arrays.

    Tensor degrees are powers of two inside a scale-up domain that divide the heads; pipelines
    divide the rest and leave the stages even within 30 %; every number of chunks that makes them
    smaller; context parallelism only where a rank keeps 2,048 tokens; experts over powers of two;
    ZeRO-1 with any, FSDP and HSDP without a pipeline; micro-batches of 3 and 6 only where they
    divide the sequences of a rank; selective recomputation, which costs no time under fused
    attention, or full. A thorough search also takes more uneven stages, shorter sequence pieces,
    ZeRO-2, and FSDP with a pipeline. Every GPU is used, unless no legal plan can: then the largest
    power of two below that one can.

    Parameters
    ----------
    arch : Architecture                     of scalars
    gpus, global_batch, domain_gpus : int   global_batch in sequences
    sequence_length : int, tokens
    limit : int                             most plans returned; beyond it the rarer settings go
    thorough : bool                         for where the usual plans do not fit

    Returns
    -------
    Plan                                    never empty: at worst one GPU works
    """
    rows = layouts(
        int(arch.heads),
        int(arch.layers),
        int(arch.experts),
        gpus,
        global_batch,
        domain_gpus,
        int(sequence_length),
        thorough=thorough,
    )
    return _expand(np.array(rows, dtype=np.int64), global_batch, limit)


def _expand(layouts: Array, global_batch: int, limit: int) -> Plan:
    """Every layout with every micro-batch and kind of recomputation."""
    settings = np.array(list(product(_MICRO_BATCHES, _RECOMPUTED)), dtype=np.int64)
    rows = np.repeat(layouts, len(settings), axis=0)
    micro_batch, recompute = np.tile(settings, (len(layouts), 1)).T
    tensor, pipeline, context, data, expert, virtual_stages, sharding, group = rows.T
    accumulated = micro_batches(global_batch, data, micro_batch)
    legal = (data * micro_batch <= global_batch) | (micro_batch == 1)
    legal &= (micro_batch % 3 != 0) | (global_batch % (data * micro_batch) == 0)
    legal &= (virtual_stages == 1) | (accumulated % pipeline == 0)
    plan = Plan(
        tensor=tensor,
        pipeline=pipeline,
        context=context,
        expert=expert,
        data=data,
        micro_batch=micro_batch,
        micro_batches=accumulated,
        virtual_stages=virtual_stages,
        sharding=sharding,
        shard_group=group,
        recompute=recompute,
    )
    chosen = plan_at(plan, _pruned(plan, legal, limit))
    for values in vars(chosen).values():
        if isinstance(values, np.ndarray):
            values.setflags(write=False)
    return chosen


def _pruned(plan: Plan, legal: Array, limit: int) -> Array:
    """Indices of the legal plans worth trying, the rarest settings dropped while too many."""
    kept = legal
    rare = (
        plan.micro_batch == 8,
        plan.micro_batch == 6,
        plan.micro_batch == 4,
        plan.micro_batch == 3,
        plan.virtual_stages == 2,
    )
    for setting in rare:
        if np.count_nonzero(kept) > limit:
            kept = kept & ~np.asarray(setting)
    indices = np.flatnonzero(kept)
    return indices[:: -(-len(indices) // limit)]
