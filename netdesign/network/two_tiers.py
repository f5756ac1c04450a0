"""How long does a collective take over domains of fast links joined by a slower network?

``local`` (g) ranks sit in each of ``domains`` (k) scale-up domains, n = g k. A rank has its own
link into the domain (bandwidth B1, latency a1) and its own share of a NIC (B2, a2), so a domain
sends g shares wide. Chunks pipeline: what goes over the domain's links and what goes over the
network overlap, and the slower decides.

Every argument broadcasts: ``size`` in bytes as nccl-tests counts it, bandwidths in bytes/s of one
direction per rank, latencies in s. ``domains`` may be fractional (a domain partly used). Every
function returns s and gives 0 for one rank.
"""

from __future__ import annotations

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.network.one_tier import rounds


@formula(
    latex=r"B = \begin{cases}B_1 & k=1\\ B_2 & g=1\\ \min(B_1, g B_2) & \text{else}\end{cases}",
    source="nccl-tuning",
)
def flat_ring_bandwidth(
    local: Numeric, domains: Numeric, domain_bandwidth: Numeric, network_bandwidth: Numeric
) -> Numeric:
    """Rate of a ring through all ranks that leaves each domain once per channel.

    With one channel per rank of a domain, each leaves through another NIC: the ring runs at the
    rate of a link of the domain or of all NICs of a domain, whichever is less.

    Parameters
    ----------
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s     per rank, one direction
    network_bandwidth : float or array, bytes/s    per rank, one direction

    Returns
    -------
    float or array, bytes/s
    """
    nics = local * network_bandwidth
    joined = np.where(np.greater(local, 1), np.minimum(domain_bandwidth, nics), nics)
    return np.where(np.greater(domains, 1), joined, domain_bandwidth)


@formula(
    latex=r"t_\alpha = (n-1)\alpha_1 + (k-1)(\alpha_2 - \alpha_1)",
    source="nccl-tuning",
)
def flat_ring_latency(
    local: Numeric, domains: Numeric, domain_latency: Numeric, network_latency: Numeric
) -> Numeric:
    """Latency of one turn of a ring through all ranks: n - 1 hops, k - 1 of them over the network.

    Parameters
    ----------
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_latency : float or array, s             per hop inside a domain
    network_latency : float or array, s            per hop between domains

    Returns
    -------
    float or array, s
    """
    return (local - 1) * domains * domain_latency + (domains - 1) * network_latency


@formula(
    latex=r"t = 2t_\alpha + \frac{2(n-1)}{n}\frac{S}{\min(B_1, g B_2)}",
    source="nccl-tuning",
)
def flat_ring_allreduce_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of a ring all-reduce through all ranks of several domains.

    Parameters
    ----------
    size : float or array, bytes                   message of each rank
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s

    Returns
    -------
    float or array, s                              0 for one rank
    """
    return 2 * flat_ring_all_gather_time(
        size,
        local,
        domains,
        domain_bandwidth,
        domain_latency,
        network_bandwidth,
        network_latency,
    )


@formula(
    latex=r"t = t_\alpha + \frac{n-1}{n}\frac{S}{\min(B_1, g B_2)}",
    source="nccl-tuning",
)
def flat_ring_all_gather_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of a ring all-gather, or reduce-scatter, through all ranks of several domains.

    Parameters
    ----------
    size : float or array, bytes                   whole output (input) of one rank
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s

    Returns
    -------
    float or array, s                              0 for one rank
    """
    ranks = local * domains
    bandwidth = flat_ring_bandwidth(local, domains, domain_bandwidth, network_bandwidth)
    latency = flat_ring_latency(local, domains, domain_latency, network_latency)
    return latency + (ranks - 1) / ranks * size / bandwidth


@formula(
    latex=r"t = 2(g-1)\alpha_1 + 2(k-1)\alpha_2"
    r" + \max\left(\frac{2(g-1)}{g}\frac{S}{B_1}, \frac{2(k-1)}{k}\frac{S}{g B_2}\right)",
    source="thakur-2005",
)
def hierarchical_allreduce_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of an all-reduce in two levels.

    Reduce-scatter inside the domain, a ring all-reduce of each shard between domains, all-gather
    inside the domain.

    Parameters
    ----------
    size : float or array, bytes                   message of each rank
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s

    Returns
    -------
    float or array, s                              0 for one rank
    """
    return 2 * hierarchical_all_gather_time(
        size,
        local,
        domains,
        domain_bandwidth,
        domain_latency,
        network_bandwidth,
        network_latency,
    )


@formula(
    latex=r"t = (g-1)\alpha_1 + (k-1)\alpha_2"
    r" + \max\left(\frac{g-1}{g}\frac{S}{B_1}, \frac{k-1}{k}\frac{S}{g B_2}\right)",
    source="thakur-2005",
)
def hierarchical_all_gather_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of an all-gather, or reduce-scatter, in two levels.

    The whole result goes over the domain's links; between domains the ranks of equal place work
    side by side, each on its own NIC.

    Parameters
    ----------
    size : float or array, bytes                   whole output (input) of one rank
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s

    Returns
    -------
    float or array, s                              0 for one rank
    """
    inside = (local - 1) / local * size / domain_bandwidth
    between = (domains - 1) / domains * size / (local * network_bandwidth)
    latency = (local - 1) * domain_latency + (domains - 1) * network_latency
    return latency + np.maximum(inside, between)


@formula(
    latex=r"t = 2(g-1)\alpha_1 + 2\lceil\log_2 k\rceil\alpha_2"
    r" + \max\left(\frac{2S}{B_1}, c\,\frac{S}{g B_2}\right),\quad c(1)=0,\ c(2)=1,\ c(k>2)=2",
    source="nccl-tuning",
)
def tree_over_domains_allreduce_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of an all-reduce over double binary trees of domains, a chain inside each domain.

    Between two domains each sends its message once; in a larger tree the inner nodes send twice.

    Parameters
    ----------
    size : float or array, bytes                   message of each rank
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s

    Returns
    -------
    float or array, s                              0 for one rank
    """
    inside = np.greater(local, 1) * (2 * size / domain_bandwidth)
    between = tree_messages(domains) * size / (local * network_bandwidth)
    latency = 2 * ((local - 1) * domain_latency + rounds(domains) * network_latency)
    return latency + np.maximum(inside, between)


@formula(
    latex=r"t = (g-1)\alpha_1 + (n-g)\alpha_2"
    r" + \max\left(\frac{g-1}{n}\frac{S}{B_1}, \frac{n-g}{n}\frac{S}{B_2}\right)",
    source="thakur-2005",
)
def direct_all_to_all_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of an all-to-all in which every rank sends to every other by itself.

    Parameters
    ----------
    size : float or array, bytes                   send buffer of one rank, its own block included
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s             per message
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s            per message

    Returns
    -------
    float or array, s                              0 for one rank
    """
    ranks = local * domains
    inside = (local - 1) / ranks * size / domain_bandwidth
    between = (domains - 1) / domains * size / network_bandwidth
    latency = (local - 1) * domain_latency + (ranks - local) * network_latency
    return latency + np.maximum(inside, between)


@formula(
    latex=r"t = (g-1)\alpha_1 + (k-1)\alpha_2"
    r" + \max\left(\frac{g-1}{g}\frac{S}{B_1}, \frac{k-1}{k}\frac{S}{B_2}\right)",
    source="nccl-tests-130",
)
def rail_all_to_all_time(
    size: Numeric,
    local: Numeric,
    domains: Numeric,
    domain_bandwidth: Numeric,
    domain_latency: Numeric,
    network_bandwidth: Numeric,
    network_latency: Numeric,
) -> Numeric:
    """Time of an all-to-all along rails (PXN).

    Blocks first go over the domain's links to the rank whose NIC is on the receiver's rail; each
    NIC then sends one message to each other domain. Every GPU still moves its own data over the
    network: NICs cannot be pooled.

    Parameters
    ----------
    size : float or array, bytes                   send buffer of one rank, its own block included
    local : float or array, >= 1                   ranks in a domain
    domains : float or array, >= 1
    domain_bandwidth : float or array, bytes/s
    domain_latency : float or array, s             per message
    network_bandwidth : float or array, bytes/s    per rank
    network_latency : float or array, s            per message

    Returns
    -------
    float or array, s                              0 for one rank
    """
    inside = (local - 1) / local * size / domain_bandwidth
    between = (domains - 1) / domains * size / network_bandwidth
    latency = (local - 1) * domain_latency + (domains - 1) * network_latency
    return latency + np.maximum(inside, between)


def tree_messages(domains: Numeric) -> Numeric:
    """Messages the busiest domain of a double tree sends."""
    return np.greater(domains, 1) * 1.0 + np.greater(domains, 2)
