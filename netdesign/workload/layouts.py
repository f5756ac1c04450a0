"""Which degrees of parallelism divide a model and a number of GPUs?"""

from __future__ import annotations

from itertools import product

_UNEVEN_LAYERS = 1.05  # fullest stage over the mean stage that a layout may have
TOKENS_PER_CONTEXT_RANK = 8_192  # below this a context rank has too little to compute
_ZERO_1, _ZERO_3 = 1, 3

# tensor, pipeline, context, data, expert, virtual stages, ZeRO stage, shard group
Layout = tuple[int, int, int, int, int, int, int, int]


def layouts(
    heads: int,
    layers: int,
    experts: int,
    gpus: int,
    global_batch: int,
    domain_gpus: int,
    sequence_length: int,
) -> list[Layout]:
    """Every layout worth trying; never empty: at worst all GPUs are data ranks under FSDP."""
    found = [
        (tensor, pipeline, context, data, expert, virtual_stages, stage, group)
        for tensor, pipeline, context in _model_degrees(
            heads, layers, gpus, domain_gpus, sequence_length
        )
        if (data := gpus // (tensor * pipeline * context)) <= global_batch
        for expert in _expert_degrees(experts, data)
        for virtual_stages in _virtual_stages(layers, pipeline)
        for stage, group in _sharding(pipeline, data * context, max(1, domain_gpus // tensor))
    ]
    return found or [(1, 1, 1, gpus, 1, 1, _ZERO_3, gpus)]


def _model_degrees(
    heads: int, layers: int, gpus: int, domain_gpus: int, sequence_length: int
) -> list[tuple[int, int, int]]:
    tensors = [
        t for t in _powers_of_two(min(domain_gpus, gpus)) if heads % t == 0 and gpus % t == 0
    ]
    pipelines = [p for p in range(1, min(layers, gpus) + 1) if gpus % p == 0 and _even(layers, p)]
    contexts = _powers_of_two(max(1, sequence_length // TOKENS_PER_CONTEXT_RANK))
    return [
        degrees
        for degrees in product(tensors, pipelines, contexts)
        if gpus % (degrees[0] * degrees[1] * degrees[2]) == 0
    ]


def _powers_of_two(most: int) -> list[int]:
    return [2**k for k in range(most.bit_length())]


def _even(layers: int, chunks: int) -> bool:
    return -(-layers // chunks) * chunks <= _UNEVEN_LAYERS * layers


def _expert_degrees(experts: int, data: int) -> list[int]:
    return [e for e in _powers_of_two(max(1, experts)) if experts % e == 0 and data % e == 0]


def _virtual_stages(layers: int, pipeline: int) -> list[int]:
    """1, 2 and the most that leave the stages even."""
    if pipeline == 1:
        return [1]
    most = layers // pipeline
    even = [v for v in range(2, most + 1) if _even(layers, pipeline * v)]
    return sorted({1, *even[:1], *even[-1:]})


def _sharding(pipeline: int, replicas: int, local: int) -> list[tuple[int, int]]:
    """ZeRO stage and shard group: ZeRO-1, FSDP over all, HSDP over a domain and eight of them."""
    options = [(_ZERO_1, replicas)]
    if pipeline == 1 and replicas > 1:
        options.append((_ZERO_3, replicas))
        options += [
            (_ZERO_3, group)
            for group in (local, 8 * local)
            if 1 < group < replicas and replicas % group == 0
        ]
    return options
