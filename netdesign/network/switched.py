"""How long does an all-reduce take when switches do the adding?

In a scale-up domain (NVLS: the NVLink switches reduce and multicast) or in the network (SHARP).
Arguments are those of ``two_tiers``; every function returns s and gives 0 for one rank. Only
all-reduce gains: all-gather and reduce-scatter keep their ring.
"""

from __future__ import annotations

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.network.one_tier import rounds
from netdesign.network.two_tiers import tree_messages


@formula(latex=r"t = \frac{S}{B_s}+\alpha", source="nccl-tuning")
def nvls_allreduce_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of an all-reduce that the switches of a scale-up domain reduce and multicast.

    Each GPU sends its message once and receives the result once, so the time does not grow with
    the number of ranks and bus bandwidth exceeds the rate of the wire.

    Parameters
    ----------
    size : float or array, bytes            message of each rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     message bytes a GPU gets through the switches
    latency : float or array, s             of the whole operation

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return (ranks > 1) * (latency + size / bandwidth)


@formula(
    latex=r"t = \alpha_1 + 2\lceil\log_2 k\rceil\alpha_2"
    r" + \max\left(\frac{S}{B_s}, c\,\frac{S}{g B_2}\right)",
    source="nccl-tuning",
)
def nvls_tree_allreduce_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    nvls_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of an all-reduce that the domain's switches reduce, with trees between domains.

    Parameters
    ----------
    size : float or array, bytes                   message of each rank
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    nvls_bandwidth : float or array, bytes/s       message bytes a GPU gets through the switches
    domain_latency : float or array, s             of the operation inside a domain
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s

    Returns
    -------
    float or array, s                              0 for one rank
    """
    several = np.greater(local, 1)
    between = tree_messages(domains) * size / (local * network_bandwidth)
    latency = several * domain_latency + 2 * rounds(domains) * network_latency
    return latency + np.maximum(several * (size / nvls_bandwidth), between)


@formula(
    latex=r"t = 2(g-1)\alpha_1 + \alpha_2"
    r" + \max\left(\frac{2(g-1)}{g}\frac{S}{B_1}, \frac{S}{g B_2}\right)",
    source="nccl-rdma-sharp",
)
def in_network_allreduce_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of an all-reduce that the network's switches reduce.

    Each NIC sends its shard once and receives the sum once, however many domains take part. The
    way up the tree of switches and down again is one end-to-end path, so it costs one latency.

    Parameters
    ----------
    size : float or array, bytes                   message of each rank
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1                 1 gives the time inside the domain
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s

    Returns
    -------
    float or array, s                              0 for one rank
    """
    several = np.greater(domains, 1)
    inside = 2 * (local - 1) / local * size / domain_bandwidth
    between = several * (size / (local * network_bandwidth))
    latency = 2 * (local - 1) * domain_latency + several * network_latency
    return latency + np.maximum(inside, between)
