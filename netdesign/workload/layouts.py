"""Which degrees of parallelism divide a model and a number of GPUs?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

TOKENS_PER_CONTEXT_RANK = 2_048  # below this a context rank has too little to compute
_ZERO_1, _ZERO_2, _ZERO_3 = 1, 2, 3

# tensor, pipeline, context, data, expert, virtual stages, ZeRO stage, shard group
Layout = tuple[int, int, int, int, int, int, int, int]


@dataclass(frozen=True)
class Breadth:
    """How far the search for layouts goes."""

    uneven_layers: float  # fullest stage over the mean stage that a layout may have
    tokens_per_context_rank: int
    every_stage: bool  # ZeRO-2, and FSDP with a pipeline, which gathers weights every micro-batch


MOST_PLACES = 1.25  # in a step over its sequences, before rarer degrees are worth a look
USUAL = Breadth(1.3, TOKENS_PER_CONTEXT_RANK, every_stage=False)
THOROUGH = Breadth(2.0, 1_024, every_stage=True)


def layouts(
    heads: int,
    layers: int,
    experts: int,
    gpus: int,
    global_batch: int,
    domain_gpus: int,
    sequence_length: int,
    *,
    thorough: bool = False,
) -> list[Layout]:
    """Every layout worth trying; never empty.

    Where the usual degrees give no data ranks that the batch can feed, or feeds only with many
    places empty, all legal degrees are tried, and after that fewer GPUs: the rest stays idle.
    """
    while True:
        for breadth in (THOROUGH,) if thorough else (USUAL, THOROUGH):
            found = [
                (tensor, pipeline, context, data, expert, virtual_stages, stage, group)
                for tensor, pipeline, context in _model_degrees(
                    heads, layers, gpus, domain_gpus, sequence_length, breadth
                )
                if (data := gpus // (tensor * pipeline * context)) <= global_batch
                for stages in (_virtual_stages(layers, pipeline, breadth),)
                for sharding in (
                    _sharding(pipeline, data * context, max(1, domain_gpus // tensor), breadth),
                )
                for expert in _expert_degrees(experts, data)
                for virtual_stages in stages
                for stage, group in sharding
            ]
            fed = any(_places(global_batch, data) <= MOST_PLACES for *_, data, _, _, _, _ in found)
            if found and (fed or breadth is THOROUGH):
                return found
        gpus = 2 ** ((gpus - 1).bit_length() - 1)


def _places(global_batch: int, data: int) -> float:
    """Places of a step, of one sequence each, over the sequences that fill them."""
    return -(-global_batch // data) * data / global_batch


def _model_degrees(
    heads: int,
    layers: int,
    gpus: int,
    domain_gpus: int,
    sequence_length: int,
    breadth: Breadth,
) -> list[tuple[int, int, int]]:
    tensors = [
        t for t in _powers_of_two(min(domain_gpus, gpus)) if heads % t == 0 and gpus % t == 0
    ]
    pipelines = [
        p
        for p in range(1, min(layers, gpus) + 1)
        if gpus % p == 0 and _even(layers, p, breadth.uneven_layers)
    ]
    contexts = _powers_of_two(max(1, sequence_length // breadth.tokens_per_context_rank))
    return [
        degrees
        for degrees in product(tensors, pipelines, contexts)
        if gpus % (degrees[0] * degrees[1] * degrees[2]) == 0
    ]


def _powers_of_two(most: int) -> list[int]:
    return [2**k for k in range(most.bit_length())]


def _even(layers: int, chunks: int, uneven_layers: float) -> bool:
    return -(-layers // chunks) * chunks <= uneven_layers * layers


def _expert_degrees(experts: int, data: int) -> list[int]:
    if experts <= 1:
        return [1]
    return [e for e in _powers_of_two(max(1, experts)) if experts % e == 0 and data % e == 0]


@lru_cache(maxsize=1_024)
def _virtual_stages(layers: int, pipeline: int, breadth: Breadth) -> tuple[int, ...]:
    """Of the numbers of chunks that make them equally deep, the one that is least uneven."""
    if pipeline == 1:
        return (1,)
    least: dict[int, int] = {}
    for chunks in range(1, layers // pipeline + 1):
        if _even(layers, pipeline * chunks, breadth.uneven_layers):
            least.setdefault(-(-layers // (pipeline * chunks)), chunks)
    return tuple(least.values())


def _sharding(pipeline: int, replicas: int, local: int, breadth: Breadth) -> list[tuple[int, int]]:
    """ZeRO stage and shard group; HSDP over a domain and over eight of them."""
    options = [(_ZERO_1, replicas)]
    if replicas == 1:
        return options
    if pipeline == 1 or breadth.every_stage:
        options.append((_ZERO_3, replicas))
    if breadth.every_stage:
        options.append((_ZERO_2, replicas))
    if pipeline == 1:
        options += [
            (_ZERO_3, group)
            for group in (local, 8 * local)
            if 1 < group < replicas and replicas % group == 0
        ]
    return options
