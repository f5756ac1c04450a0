"""How long does a collective take when all ranks reach each other over equal links?

The alpha-beta-gamma model: a message of S bytes over one link takes ``latency + S / bandwidth``;
reducing costs ``reduction`` seconds per byte on top. Links are full duplex and a rank sends and
receives one message at a time. One rank takes no time in every formula.

Every argument broadcasts: ``size`` in bytes as nccl-tests counts it, ``ranks`` >= 1,
``bandwidth`` in bytes/s of one direction of a link, ``latency`` in s per message,
``reduction`` in s per byte. Every function returns s.
"""

from __future__ import annotations

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula


@formula(
    latex=r"t = (n-1)\alpha + \frac{n-1}{n}\frac{S}{B} + \frac{n-1}{n}S\gamma",
    source="thakur-2005",
)
def ring_reduce_scatter_time(
    size: Numeric,
    ranks: Numeric,
    bandwidth: Numeric,
    latency: Numeric,
    reduction: Numeric = 0.0,
) -> Numeric:
    """Time of a ring reduce-scatter.

    Parameters
    ----------
    size : float or array, bytes            whole input of one rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     of the slowest link of the ring, one direction
    latency : float or array, s             per hop
    reduction : float or array, s/byte

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return (ranks - 1) * (latency + size / ranks * (1 / bandwidth + reduction))


@formula(latex=r"t = (n-1)\alpha + \frac{n-1}{n}\frac{S}{B}", source="thakur-2005")
def ring_all_gather_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of a ring all-gather.

    Parameters
    ----------
    size : float or array, bytes            whole output of one rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     of the slowest link of the ring, one direction
    latency : float or array, s             per hop

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return (ranks - 1) * (latency + size / ranks / bandwidth)


@formula(
    latex=r"t = 2(n-1)\alpha + \frac{2(n-1)}{n}\frac{S}{B} + \frac{n-1}{n}S\gamma",
    source="patarasuk-yuan-2009",
)
def ring_allreduce_time(
    size: Numeric,
    ranks: Numeric,
    bandwidth: Numeric,
    latency: Numeric,
    reduction: Numeric = 0.0,
) -> Numeric:
    """Time of a ring all-reduce: a reduce-scatter and an all-gather.

    Its bandwidth term is the least any all-reduce without help from the network can reach.

    Parameters
    ----------
    size : float or array, bytes            message of each rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     of the slowest link of the ring, one direction
    latency : float or array, s             per hop
    reduction : float or array, s/byte

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return (ranks - 1) * (2 * latency + size / ranks * (2 / bandwidth + reduction))


@formula(
    latex=r"t = \lceil\log_2 n\rceil\left(\alpha + \frac{S}{B} + S\gamma\right)",
    source="thakur-2005",
)
def recursive_doubling_allreduce_time(
    size: Numeric,
    ranks: Numeric,
    bandwidth: Numeric,
    latency: Numeric,
    reduction: Numeric = 0.0,
) -> Numeric:
    """Time of a recursive-doubling all-reduce, for short messages.

    Parameters
    ----------
    size : float or array, bytes            message of each rank
    ranks : int or array, >= 1              counts other than powers of two pay a whole round more
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message
    reduction : float or array, s/byte

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return rounds(ranks) * (latency + size * (1 / bandwidth + reduction))


@formula(
    latex=r"t = \lceil\log_2 n\rceil\alpha + \frac{n-1}{n}\frac{S}{B} + \frac{n-1}{n}S\gamma",
    source="thakur-2005",
)
def recursive_halving_reduce_scatter_time(
    size: Numeric,
    ranks: Numeric,
    bandwidth: Numeric,
    latency: Numeric,
    reduction: Numeric = 0.0,
) -> Numeric:
    """Time of a recursive-halving reduce-scatter, exact for powers of two.

    Parameters
    ----------
    size : float or array, bytes            whole input of one rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message
    reduction : float or array, s/byte

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return rounds(ranks) * latency + (ranks - 1) / ranks * size * (1 / bandwidth + reduction)


@formula(
    latex=r"t = \lceil\log_2 n\rceil\alpha + \frac{n-1}{n}\frac{S}{B}",
    source="thakur-2005",
)
def recursive_doubling_all_gather_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of a recursive-doubling all-gather; Bruck's has the same cost for any rank count.

    Parameters
    ----------
    size : float or array, bytes            whole output of one rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return rounds(ranks) * latency + (ranks - 1) / ranks * size / bandwidth


@formula(
    latex=r"t = 2\log_2 n\,\alpha + \frac{2(n-1)}{n}\frac{S}{B} + \frac{n-1}{n}S\gamma"
    r" + [n \ne 2^i]\left(2\alpha + \frac{2S}{B} + S\gamma\right)",
    source="thakur-2005",
)
def rabenseifner_allreduce_time(
    size: Numeric,
    ranks: Numeric,
    bandwidth: Numeric,
    latency: Numeric,
    reduction: Numeric = 0.0,
) -> Numeric:
    """Time of Rabenseifner's all-reduce: recursive halving, then recursive doubling.

    Parameters
    ----------
    size : float or array, bytes            message of each rank
    ranks : int or array, >= 1              beyond a power of two the extra ranks first hand over
                                            their message and get the result back in the end
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message
    reduction : float or array, s/byte

    Returns
    -------
    float or array, s                       0 for one rank
    """
    levels = np.floor(np.log2(ranks))
    core = 2.0**levels
    per_byte = 2 / bandwidth + reduction
    extra = (core < ranks) * (2 * latency + size * per_byte)
    return 2 * levels * latency + (core - 1) / core * size * per_byte + extra


@formula(
    latex=r"t = 2\lceil\log_2 n\rceil\alpha + \frac{2S}{B}",
    source="jeaugey-2019",
)
def tree_allreduce_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of a double-binary-tree all-reduce.

    Each rank is an inner node of one tree and a leaf of the other, each tree carries half the
    message, and reduce and broadcast run at the same time. The chunks are taken to be small
    enough for the pipeline to fill at no cost.

    Parameters
    ----------
    size : float or array, bytes            message of each rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per level

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return 2 * rounds(ranks) * latency + (ranks > 1) * (2 * size / bandwidth)


@formula(
    latex=r"t = (n-1)\left(\alpha + \frac{S}{nB}\right)",
    source="thakur-2005",
)
def pairwise_all_to_all_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of a pairwise all-to-all.

    Parameters
    ----------
    size : float or array, bytes            send buffer of one rank, its own block included
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return (ranks - 1) * (latency + size / ranks / bandwidth)


@formula(
    latex=r"t = \lceil\log_2 n\rceil\left(\alpha + \frac{S}{2B}\right)",
    source="bruck-1997",
)
def bruck_all_to_all_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of Bruck's all-to-all, for short messages.

    Parameters
    ----------
    size : float or array, bytes            send buffer of one rank
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return rounds(ranks) * (latency + size / (2 * bandwidth))


@formula(latex=r"t = \alpha + \frac{S}{B}", source="thakur-2005")
def send_time(size: Numeric, bandwidth: Numeric, latency: Numeric) -> Numeric:
    """Time of one message.

    Parameters
    ----------
    size : float or array, bytes
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s

    Returns
    -------
    float or array, s
    """
    return latency + size / bandwidth


def rounds(ranks: Numeric) -> Numeric:
    """Rounds in which ``ranks`` can all hear of each other, ceil(log2 n)."""
    return np.ceil(np.log2(ranks))
