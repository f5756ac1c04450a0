"""How long does a broadcast take over equal links?

Same model and arguments as ``one_tier``. With ``reduction`` a binomial broadcast run backwards is
a reduce.
"""

from __future__ import annotations

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.network.one_tier import rounds


@formula(
    latex=r"t = \frac{S}{B} + 2L\alpha + 2\sqrt{\frac{2L\alpha S}{B}},\quad"
    r" L = \lceil\log_2 n\rceil",
    source="sanders-speck-traeff-2009",
)
def two_tree_broadcast_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of a broadcast (or reduce) over two trees with the best number of blocks.

    Parameters
    ----------
    size : float or array, bytes            message
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per block and level

    Returns
    -------
    float or array, s                       0 for one rank
    """
    fill = 2 * rounds(ranks) * latency
    transfer = (ranks > 1) * (size / bandwidth)
    return transfer + fill + 2 * np.sqrt(fill * transfer)


@formula(
    latex=r"t = \lceil\log_2 n\rceil\left(\alpha + \frac{S}{B} + S\gamma\right)",
    source="thakur-2005",
)
def binomial_broadcast_time(
    size: Numeric,
    ranks: Numeric,
    bandwidth: Numeric,
    latency: Numeric,
    reduction: Numeric = 0.0,
) -> Numeric:
    """Time of a binomial-tree broadcast, or reduce if ``reduction`` is given.

    Parameters
    ----------
    size : float or array, bytes            message
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message
    reduction : float or array, s/byte

    Returns
    -------
    float or array, s                       0 for one rank
    """
    return rounds(ranks) * (latency + size * (1 / bandwidth + reduction))


@formula(
    latex=r"t = (\lceil\log_2 n\rceil + n - 1)\alpha + \frac{2(n-1)}{n}\frac{S}{B}",
    source="thakur-2005",
)
def scatter_all_gather_broadcast_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of van de Geijn's broadcast: a binomial scatter, then a ring all-gather.

    Parameters
    ----------
    size : float or array, bytes            message
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per message

    Returns
    -------
    float or array, s                       0 for one rank
    """
    steps = rounds(ranks) + ranks - 1
    return steps * latency + 2 * (ranks - 1) / ranks * size / bandwidth


@formula(
    latex=r"t = \left(\sqrt{(n-2)\alpha} + \sqrt{S/B}\right)^2",
    source="sanders-speck-traeff-2009",
)
def chain_broadcast_time(
    size: Numeric, ranks: Numeric, bandwidth: Numeric, latency: Numeric
) -> Numeric:
    """Time of a broadcast along a chain with the best number of blocks.

    The best number, sqrt((n - 2) S / (B latency)), is not rounded: below one block the bound is
    optimistic by less than one latency.

    Parameters
    ----------
    size : float or array, bytes            message
    ranks : int or array, >= 1
    bandwidth : float or array, bytes/s     one direction
    latency : float or array, s             per block and hop

    Returns
    -------
    float or array, s                       0 for one rank
    """
    hops = np.maximum(ranks - 2, 0)
    return (ranks > 1) * (np.sqrt(hops * latency) + np.sqrt(size / bandwidth)) ** 2
