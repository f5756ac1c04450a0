"""How many members of a data-parallel ring sit in one pod, where a planner says it.

A rank order may end in ``:24``: servers are then filled so that a pod holds about 24 members of
each ring that it has to do with, and as many rings as that leaves room for. Members are scale-up
domains, as in ``closed``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.workload.plan import Plan
from netdesign.workload.rank_groups import Ranks, rank_groups

Numbers = npt.NDArray[np.int64]
_FIELD = "rank_order"
_MOST = 100_000


def order_with(order: str, members: int) -> str:
    """A rank order with so many members of a data-parallel ring in a pod; 0: as the order has it.

    Parameters
    ----------
    order : str         one of ``RANK_ORDERS``
    members : int       scale-up domains, 0 or more
    """
    return f"{order}:{members}" if members else order


def has_rings(plan: Plan) -> bool:
    """Whether a plan has a data-parallel group of more than one rank."""
    return bool(plan.data * plan.context > 1)


def groups_in_order(
    plan: Plan, order: str, *, domain_gpus: int, pod_gpus: float
) -> Mapping[str, Ranks]:
    """The groups of a plan, ranks numbered by the GPU that they are seated on.

    Parameters
    ----------
    plan : Plan             of scalars
    order : str             one of ``RANK_ORDERS``, with or without ``:K`` behind it
    domain_gpus : int       GPUs of a scale-up domain
    pod_gpus : float        GPUs below one untapered part of the fabric; may be infinite

    Raises
    ------
    DesignError             for an unknown order
    """
    base, members = _read(order)
    groups = rank_groups(plan, base)
    ranks = groups["data"].size
    if not members or not np.isfinite(pod_gpus) or ranks % domain_gpus:
        return groups
    rings = _rings(groups["data"] // domain_gpus, ranks // domain_gpus)
    seat = _seats(rings, members, max(int(pod_gpus) // domain_gpus, 1))
    return {
        name: seat[entry // domain_gpus] * domain_gpus + entry % domain_gpus
        for name, entry in groups.items()
    }


def _read(order: str) -> tuple[str, int]:
    base, colon, members = order.partition(":")
    if not colon:
        return base, 0
    if not (members.isascii() and members.isdigit()) or not 0 < int(members[:9]) <= _MOST:
        hint = "give a number of members after the colon, as in tp-cp-ep-dp-pp:24"
        raise DesignError(_FIELD, order, "has no such number of members in a pod", hint)
    return base, int(members)


def _rings(groups: Ranks, domains: int) -> list[Numbers]:
    """The domains of each ring, in its order; a domain counts for the first that it is in."""
    free = np.ones(domains, dtype=bool)
    rings = []
    for group in groups:
        known, first = np.unique(group, return_index=True)
        ring = known[np.argsort(first)]
        ring = ring[free[ring]]
        free[ring] = False
        if len(ring):
            rings.append(ring)
    return rings


def _seats(rings: list[Numbers], members: int, pod: int) -> Numbers:
    """The seat of each domain; pods are filled one after the other.

    Parameters
    ----------
    rings : list of int array   domains of each ring
    members : int               of a ring in a pod, as near as whole rings allow
    pod : int                   domains that a pod has room for
    """
    left = np.array([len(ring) for ring in rings])
    total = int(left.sum())
    seat = np.zeros(total, dtype=np.int64)
    taken = 0
    while taken < total:
        room = min(pod, total - taken)
        while room:
            chosen = np.argsort(-left, kind="stable")[: max(1, round(room / members))]
            chosen = chosen[left[chosen] > 0]
            share = -(-room // len(chosen))
            for ring in chosen.tolist():
                take = min(share, int(left[ring]), room)
                start = len(rings[ring]) - int(left[ring])
                seat[rings[ring][start : start + take]] = taken + np.arange(take)
                left[ring] -= take
                taken += take
                room -= take
    return seat
