"""Every parallel plan that a model and a number of GPUs allow, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from netdesign.arrays import Array
from netdesign.workload.layouts import THOROUGH
from netdesign.workload.plan import RECOMPUTE, SHARDING, Plan, micro_batches, plan_at
from netdesign.workload.transformer import Architecture

LARGEST_MICRO_BATCH = 64
THREES = (3, 6)  # micro-batches beside the powers of two
_COLUMNS = (
    "tensor",
    "pipeline",
    "context",
    "data",
    "expert",
    "virtual_stages",
    "sharding",
    "shard_group",
    "micro_batch",
)
_Choice = tuple[int, ...]


@dataclass(frozen=True)
class ValidPlans:
    """All plans of a job, or those of them that a limit left."""

    plans: Plan  # read-only 1-D arrays
    count: int  # valid plans before the limit
    left_out: tuple[str, ...]  # settings that the limit dropped, in words


@lru_cache(maxsize=8)
def valid_plans(
    arch: Architecture,
    gpus: int,
    global_batch: int,
    domain_gpus: int,
    sequence_length: int,
    *,
    most: int | None = None,
) -> ValidPlans:
    """Every plan that a training framework could run, whether or not it fits in memory.

    Tensor degrees divide the heads, share key and value heads evenly and stay inside a scale-up
    domain; pipelines divide the GPUs and their fullest stage has at most twice the mean of layers;
    every number of chunks that makes the chunks smaller, where the micro-batches fill whole
    rounds of the pipeline; context parallelism over powers of two while a rank keeps 1,024 tokens;
    every expert degree that divides experts and data ranks; DDP, ZeRO-1, ZeRO-2, FSDP, and without
    a pipeline HSDP over whole domains; micro-batches of powers of two, and of 3 and 6 where they
    divide the sequences of a rank; the three kinds of recomputation. Sequence parallelism is on: it
    costs nothing. Where GPUs and batch leave no plan, the largest power of two of GPUs that has one
    works and the rest is idle.

    Parameters
    ----------
    arch : Architecture                      of scalars
    gpus, global_batch, domain_gpus : int    global_batch in sequences
    sequence_length : int, tokens
    most : int or None                       most plans wanted; the rarer settings go beyond it

    Returns
    -------
    ValidPlans                               never empty
    """
    rows = _cuts(arch, gpus, global_batch, domain_gpus, sequence_length)
    while not len(rows):
        gpus = 2 ** ((gpus - 1).bit_length() - 1)
        rows = _cuts(arch, gpus, global_batch, domain_gpus, sequence_length)
    experts, layers = int(arch.experts), int(arch.layers)
    rows = _with_each(rows, (3,), lambda data: _expert_degrees(experts, data))
    rows = _with_each(rows, (1,), lambda pipeline: _chunks(layers, pipeline))
    rows = _with_each(
        rows, (0, 1, 2, 3), lambda t, p, c, d: _shardings(p, d * c, max(1, domain_gpus // t))
    )
    rows = _with_each(rows, (3,), lambda data: _micro_batch_sizes(global_batch // data))
    columns = dict(zip(_COLUMNS, np.ascontiguousarray(rows.T), strict=True))
    accumulated = micro_batches(global_batch, columns["data"], columns["micro_batch"])
    plans = Plan(**columns, micro_batches=accumulated)
    rounds = np.asarray((plans.virtual_stages == 1) | (accumulated % plans.pipeline == 0))
    kinds = len(RECOMPUTE)
    kept, left_out = _limited(plans, rounds, None if most is None else most // kinds)
    plans = _with_recomputation(plan_at(plans, np.flatnonzero(kept)))
    return ValidPlans(plans, kinds * int(np.count_nonzero(rounds)), left_out)


def _with_recomputation(plans: Plan) -> Plan:
    """Every plan with each kind of recomputation, which varies fastest; read-only."""
    codes = np.array(list(RECOMPUTE.values()))
    columns: dict[str, Any] = {
        name: np.repeat(values, len(codes))
        for name, values in vars(plans).items()
        if isinstance(values, np.ndarray)
    }
    columns["recompute"] = np.tile(codes, len(np.atleast_1d(plans.data)))
    for values in columns.values():
        values.setflags(write=False)
    return replace(plans, **columns)


def _with_each(
    rows: Array, columns: tuple[int, ...], choices: Callable[..., Iterable[_Choice]]
) -> Array:
    """Every row followed by each of the choices that its values in some columns leave."""
    keys, which = np.unique(rows[:, columns], axis=0, return_inverse=True)
    lists = [np.array(list(choices(*key)), dtype=np.int64) for key in keys.tolist()]
    lengths = np.array([len(one) for one in lists])
    starts = np.cumsum(lengths) - lengths
    which = which.reshape(-1)
    repeats = lengths[which]
    ends = np.cumsum(repeats)
    within = np.arange(int(ends[-1])) - np.repeat(ends - repeats, repeats)
    picked = np.concatenate(lists)[np.repeat(starts[which], repeats) + within]
    return np.hstack([np.repeat(rows, repeats, axis=0), picked])


def _cuts(
    arch: Architecture, gpus: int, global_batch: int, domain_gpus: int, sequence_length: int
) -> Array:
    """Rows of tensor, pipeline, context and data ranks."""
    tensors = [t for t in tensor_degrees(arch, domain_gpus) if gpus % t == 0]
    layers = int(arch.layers)
    pipelines = [p for p in range(1, min(layers, gpus) + 1) if gpus % p == 0 and _even(layers, p)]
    most = max(1, sequence_length // THOROUGH.tokens_per_context_rank)
    rows = [
        (tensor, pipeline, context, data)
        for tensor in tensors
        for pipeline in pipelines
        for context in _powers_of_two(most)
        if gpus % (tensor * pipeline * context) == 0
        and (data := gpus // (tensor * pipeline * context)) <= global_batch
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def tensor_degrees(arch: Architecture, domain_gpus: int) -> list[int]:
    """Degrees that divide the heads, share key and value heads evenly, and stay inside a domain.

    Groups of consecutive ranks do where their size divides the domain; of a domain of 72 powers of
    two use 64. Wider groups are left out: no published run has one, so the hidden share of their
    communication would be a guess, and the guess would often come first.

    Parameters
    ----------
    arch : Architecture     of scalars
    domain_gpus : int       GPUs of one scale-up domain

    Returns
    -------
    list of int, ascending
    """
    keys = int(arch.kv_heads)
    inside = {*_powers_of_two(domain_gpus), *_divisors(domain_gpus)}
    return [
        t for t in _divisors(int(arch.heads)) if (keys % t == 0 or t % keys == 0) and t in inside
    ]


def _divisors(number: int) -> list[int]:
    return [n for n in range(1, number + 1) if number % n == 0]


def _powers_of_two(most: int) -> list[int]:
    return [2**k for k in range(most.bit_length())]


def _even(layers: int, chunks: int) -> bool:
    return -(-layers // chunks) * chunks <= THOROUGH.uneven_layers * layers


def _expert_degrees(experts: int, data: int) -> list[_Choice]:
    return [(e,) for e in _divisors(max(1, experts)) if data % e == 0]


def _chunks(layers: int, pipeline: int) -> list[_Choice]:
    """Of the numbers of chunks that make them equally deep, the one that is least uneven."""
    if pipeline == 1:
        return [(1,)]
    least: dict[int, int] = {}
    for chunks in range(1, layers // pipeline + 1):
        if _even(layers, pipeline * chunks):
            least.setdefault(-(-layers // (pipeline * chunks)), chunks)
    return [(chunks,) for chunks in least.values()]


def _shardings(pipeline: int, replicas: int, local: int) -> list[_Choice]:
    """ZeRO stage and shard group; ``local`` ranks share a scale-up domain."""
    zero_1 = SHARDING["zero-1"]
    if replicas == 1:
        return [(zero_1, 1)]
    whole: list[_Choice] = [(stage, replicas) for stage in sorted(set(SHARDING.values()))]
    if pipeline > 1:
        return whole
    groups = [local * n for n in _powers_of_two(replicas // local)]
    hsdp = SHARDING["hsdp"]
    return whole + [(hsdp, g) for g in groups if 1 < g < replicas and replicas % g == 0]


def _micro_batch_sizes(sequences: int) -> list[_Choice]:
    sizes = [*_powers_of_two(min(sequences, LARGEST_MICRO_BATCH))]
    sizes += [size for size in THREES if sequences and sequences % size == 0]
    return [(size,) for size in sorted(sizes)]


def _limited(plans: Plan, legal: Array, most: int | None) -> tuple[Array, tuple[str, ...]]:
    """The legal plans, and what is dropped until at most ``most`` are left."""
    rare = (
        ("micro-batches above 4", plans.micro_batch > 4),
        ("ZeRO-2", plans.sharding == SHARDING["zero-2"]),
        ("DDP", plans.sharding == SHARDING["ddp"]),
        ("FSDP with a pipeline", (plans.sharding == SHARDING["fsdp"]) & (plans.pipeline > 1)),
        ("micro-batches above 2", plans.micro_batch > 2),
        ("micro-batches above 1", plans.micro_batch > 1),
    )
    kept, dropped = legal, []
    for name, setting in rare:
        if most is None or np.count_nonzero(kept) <= most:
            break
        kept = kept & ~np.asarray(setting)
        dropped.append(name)
    return kept, tuple(dropped)
