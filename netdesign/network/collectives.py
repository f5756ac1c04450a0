"""How long does a collective take on this machine, and by which algorithm?

The formulas live in ``one_tier`` and ``broadcast`` (equal links), ``two_tiers`` (domains joined by
a network) and ``switched`` (switches that add); all of them are re-exported here.
``collective_time`` takes the best of the algorithms that the machine offers for the place where
the ranks of a group sit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.errors import DesignError
from netdesign.network.bandwidth import (
    OPERATIONS,
    algorithm_bandwidth,
    bus_bandwidth,
    bus_bandwidth_factor,
)
from netdesign.network.broadcast import (
    binomial_broadcast_time,
    chain_broadcast_time,
    scatter_all_gather_broadcast_time,
    two_tree_broadcast_time,
)
from netdesign.network.one_tier import (
    bruck_all_to_all_time,
    pairwise_all_to_all_time,
    rabenseifner_allreduce_time,
    recursive_doubling_all_gather_time,
    recursive_doubling_allreduce_time,
    recursive_halving_reduce_scatter_time,
    ring_all_gather_time,
    ring_allreduce_time,
    ring_reduce_scatter_time,
    send_time,
    tree_allreduce_time,
)
from netdesign.network.switched import (
    in_network_allreduce_time,
    nvls_allreduce_time,
    nvls_tree_allreduce_time,
)
from netdesign.network.two_tiers import (
    direct_all_to_all_time,
    flat_ring_all_gather_time,
    flat_ring_allreduce_time,
    flat_ring_bandwidth,
    flat_ring_latency,
    hierarchical_all_gather_time,
    hierarchical_allreduce_time,
    rail_all_to_all_time,
    tree_over_domains_allreduce_time,
)
from netdesign.workload.plan import GroupSpan

__all__ = [
    "OPERATIONS",
    "Links",
    "algorithm_bandwidth",
    "algorithm_chosen",
    "algorithm_times",
    "binomial_broadcast_time",
    "bruck_all_to_all_time",
    "bus_bandwidth",
    "bus_bandwidth_factor",
    "chain_broadcast_time",
    "collective_time",
    "direct_all_to_all_time",
    "flat_ring_all_gather_time",
    "flat_ring_allreduce_time",
    "flat_ring_bandwidth",
    "flat_ring_latency",
    "hierarchical_all_gather_time",
    "hierarchical_allreduce_time",
    "in_network_allreduce_time",
    "nvls_allreduce_time",
    "nvls_tree_allreduce_time",
    "pairwise_all_to_all_time",
    "rabenseifner_allreduce_time",
    "rail_all_to_all_time",
    "recursive_doubling_all_gather_time",
    "recursive_doubling_allreduce_time",
    "recursive_halving_reduce_scatter_time",
    "ring_all_gather_time",
    "ring_allreduce_time",
    "ring_reduce_scatter_time",
    "scatter_all_gather_broadcast_time",
    "send_time",
    "tree_allreduce_time",
    "tree_over_domains_allreduce_time",
    "two_tree_broadcast_time",
]


@dataclass(frozen=True)
class Links:
    """What a rank can send over: its link into the domain and its share of the network.

    Bandwidths are bytes/s of one direction per GPU as reached in use: framing, load balancing and
    tapers are already in them. Latencies are s. Every numeric field broadcasts.
    """

    domain_bandwidth: Numeric
    domain_latency: Numeric  # per message inside a domain
    network_bandwidth: Numeric
    network_latency: Numeric  # per message, end to end
    start_up: Numeric = 0.0  # of each call with more than one rank
    in_network_reduction: bool | Array = False  # the network's switches reduce (SHARP)
    in_network_efficiency: Numeric = 1.0  # of network_bandwidth while they do
    nvls: bool | Array = False  # the domain's switches reduce
    nvls_bandwidth: Numeric | None = None  # message bytes/s of one GPU through them
    hierarchical: bool | Array = False  # the library works level by level; NCCL does not


Algorithm: TypeAlias = Callable[
    [Numeric, Numeric, Numeric, Numeric, Numeric, Numeric, Numeric], Numeric
]

_ALGORITHMS: dict[str, dict[str, Algorithm]] = {
    "all-reduce": {
        "ring": flat_ring_allreduce_time,
        "tree": tree_over_domains_allreduce_time,
    },
    "reduce-scatter": {"ring": flat_ring_all_gather_time},
    "all-gather": {"ring": flat_ring_all_gather_time},
    "all-to-all": {"rail": rail_all_to_all_time, "direct": direct_all_to_all_time},
}
_LEVEL_BY_LEVEL: dict[str, Algorithm] = {
    "all-reduce": hierarchical_allreduce_time,
    "reduce-scatter": hierarchical_all_gather_time,
    "all-gather": hierarchical_all_gather_time,
}


def algorithm_times(
    operation: str, size: Numeric, span: GroupSpan, links: Links
) -> dict[str, Numeric]:
    """Time of each algorithm that the machine offers, without the start-up of the call.

    Parameters
    ----------
    operation : str                  all-reduce, reduce-scatter, all-gather, all-to-all or send
    size : float or array, bytes     as nccl-tests counts it
    span : GroupSpan                 where the ranks sit
    links : Links

    Returns
    -------
    dict of float or array, s        by name of the algorithm

    Raises
    ------
    DesignError                      for an operation without a model
    """
    local, domains = span.local, span.domains
    if operation == "send":
        return {"direct": _send_between_neighbours(size, domains, links)}
    try:
        algorithms = _ALGORITHMS[operation]
    except KeyError:
        known = ", ".join((*_ALGORITHMS, "send"))
        raise DesignError("operation", operation, "has no model", f"one of {known}") from None
    inside = (links.domain_bandwidth, links.domain_latency)
    between = (links.network_bandwidth, links.network_latency)
    times = {
        name: algorithm(size, local, domains, *inside, *between)
        for name, algorithm in algorithms.items()
    }
    if links.hierarchical is not False and operation in _LEVEL_BY_LEVEL:
        levels = _LEVEL_BY_LEVEL[operation](size, local, domains, *inside, *between)
        times["hierarchical"] = np.where(links.hierarchical, levels, np.inf)
    if operation == "all-reduce":
        times |= _switched_allreduce_times(size, local, domains, links)
    return times


def collective_time(operation: str, size: Numeric, span: GroupSpan, links: Links) -> Numeric:
    """Time of one call of a collective by the best algorithm that the machine offers.

    Parameters
    ----------
    operation : str                  all-reduce, reduce-scatter, all-gather, all-to-all or send
    size : float or array, bytes     as nccl-tests counts it
    span : GroupSpan                 where the ranks sit; its fields broadcast
    links : Links

    Returns
    -------
    float or array, s                0 for one rank

    Raises
    ------
    DesignError                      for an operation without a model
    """
    times = iter(algorithm_times(operation, size, span, links).values())
    best = next(times)
    for time in times:
        best = np.minimum(best, time)
    several: Numeric = np.where(np.greater(span.ranks, 1), links.start_up + best, 0.0)[()]
    return several


def algorithm_chosen(operation: str, size: Numeric, span: GroupSpan, links: Links) -> str | Array:
    """Name of the algorithm that ``collective_time`` takes, "none" for one rank.

    Parameters
    ----------
    operation : str                  all-reduce, reduce-scatter, all-gather, all-to-all or send
    size : float or array, bytes     as nccl-tests counts it
    span : GroupSpan                 where the ranks sit
    links : Links

    Returns
    -------
    str or array of str              the broadcast shape of the arguments
    """
    times = algorithm_times(operation, size, span, links)
    names = np.array([*times, "none"])
    stacked = np.stack(np.broadcast_arrays(*times.values()))
    chosen = names[np.where(np.greater(span.ranks, 1), np.argmin(stacked, axis=0), len(names) - 1)]
    return str(chosen) if np.ndim(chosen) == 0 else chosen


def _send_between_neighbours(size: Numeric, domains: Numeric, links: Links) -> Numeric:
    """Time of a message between neighbours of a group, at the slowest boundary of the group."""
    inside = send_time(size, links.domain_bandwidth, links.domain_latency)
    between = send_time(size, links.network_bandwidth, links.network_latency)
    return np.where(np.greater(domains, 1), np.maximum(inside, between), inside)


def _switched_allreduce_times(
    size: Numeric, local: Numeric, domains: Numeric, links: Links
) -> dict[str, Numeric]:
    """Times of the all-reduces in which switches add, for what the machine has of them."""
    times: dict[str, Numeric] = {}
    inside = (links.domain_bandwidth, links.domain_latency)
    if links.nvls is not False and links.nvls_bandwidth is not None:
        tree = nvls_tree_allreduce_time(
            size,
            local,
            domains,
            links.nvls_bandwidth,
            links.domain_latency,
            links.network_bandwidth,
            links.network_latency,
        )
        times["nvls"] = np.where(links.nvls, tree, np.inf)
        as_ring = np.maximum(2 * (local - 1) / local * links.nvls_bandwidth, inside[0])
        inside = (np.where(links.nvls, as_ring, inside[0]), links.domain_latency)
    if links.in_network_reduction is not False:
        offered = np.greater(domains, 1) & links.in_network_reduction
        between = (links.network_bandwidth * links.in_network_efficiency, links.network_latency)
        reduced = in_network_allreduce_time(size, local, domains, *inside, *between)
        times["in-network"] = np.where(offered, reduced, np.inf)
    return times
