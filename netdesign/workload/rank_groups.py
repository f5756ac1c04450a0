"""Which ranks form each communication group of a plan?

Ranks are numbered tensor fastest, then context, expert within data, data, pipeline slowest
(Megatron-LM's order tp-cp-ep-dp-pp), as ``group_spans`` counts them; or with data slowest, behind
the pipeline, as Llama 3 was trained.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.workload.plan import Plan, shard_ranks
from netdesign.workload.traffic import Collective

Ranks = npt.NDArray[np.int64]

RANK_ORDERS = ("tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp")


def rank_count(plan: Plan) -> int:
    """Ranks of a plan of scalars."""
    return int(plan.tensor * plan.context * plan.data * plan.pipeline)


def rank_groups(plan: Plan, order: str = RANK_ORDERS[0]) -> dict[str, Ranks]:
    """Every group of every kind, by the names of ``group_spans``.

    Parameters
    ----------
    plan : Plan         of scalars; expert divides data
    order : str         one of ``RANK_ORDERS``, fastest first

    Returns
    -------
    dict of int array [groups, members]     members in the order of their rank; all groups of one
                                            kind run at the same time

    Raises
    ------
    DesignError                             for an unknown order
    """
    if order not in RANK_ORDERS:
        raise DesignError("rank_order", order, "is not known", f"one of {', '.join(RANK_ORDERS)}")
    tensor, context, expert = int(plan.tensor), int(plan.context), int(plan.expert)
    stages, data = int(plan.pipeline), int(plan.data)
    outside = (stages, data // expert)
    numbers = np.arange(rank_count(plan), dtype=np.int64)
    if order == RANK_ORDERS[0]:
        rank = numbers.reshape(*outside, expert, context, tensor)
    else:
        rank = numbers.reshape(*outside[::-1], expert, context, tensor).swapaxes(0, 1)
    of_data = rank.transpose(0, 4, 1, 2, 3).reshape(stages * tensor, data * context)
    # Ranks that hold the same experts: context fastest, then the data ranks outside the experts.
    of_expert = rank.transpose(0, 2, 4, 1, 3).reshape(stages * expert * tensor, -1)
    shard = int(shard_ranks(plan))
    expert_shard = max(1, shard // expert)
    return {
        "tensor": rank.reshape(-1, tensor),
        "context": rank.transpose(0, 1, 2, 4, 3).reshape(-1, context),
        "expert": rank.transpose(0, 1, 3, 4, 2).reshape(-1, expert),
        "data": of_data,
        "shard": of_data.reshape(-1, shard),
        "replicate": _across(of_data, shard),
        "expert_data": of_expert,
        "expert_shard": of_expert.reshape(-1, expert_shard),
        "expert_replicate": _across(of_expert, expert_shard),
        "pipeline": rank.reshape(stages, -1).T,
    }


def _across(groups: Ranks, part: int) -> Ranks:
    """Members of equal place in each part of a group."""
    cut = groups.reshape(len(groups), -1, part)
    return cut.transpose(0, 2, 1).reshape(-1, cut.shape[1])


def group_of(collective: Collective) -> str:
    """Name of the group that runs a collective, as in ``rank_groups``."""
    kind = collective.parallelism
    if kind not in ("data", "sharding"):
        return kind
    of = "expert_" if collective.content.startswith("expert ") else ""
    if collective.content.endswith("shards"):
        return of + "replicate"
    return of + ("data" if collective.operation == "all-reduce" else "shard")
