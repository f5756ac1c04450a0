"""Fat trees: every leaf takes servers as they come, all spines serve all leaves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from netdesign.arrays import Numeric
from netdesign.topology.clos import (
    ROUNDING,
    Leaves,
    Upper,
    as_counts,
    assemble,
    ceil_divide,
    either,
    finished,
    leaf_downlinks,
    three_tier_reach,
    two_tier_reach,
    two_tiers,
)
from netdesign.topology.fabric import FabricSize
from netdesign.topology.three_tiers import switches_untapered, three_tiers


def size_two_tier_fat_tree(
    endpoints: Numeric,
    radix: Numeric,
    oversubscription: Numeric = 1.0,
    *,
    even_spread: bool | None = None,
    gpus_per_port: Numeric = 1.0,
) -> FabricSize:
    """Size of a fat tree of leaves and spines.

    Parameters
    ----------
    endpoints : int or array                 NIC ports
    radix : int or array                     ports of a switch at link speed
    oversubscription : float or array, > 0   downlinks over uplinks of a leaf, at most
    even_spread : bool or None               see ``size_fabric``
    gpus_per_port : float or array           GPUs over NIC ports

    Returns
    -------
    FabricSize                               pod: the GPUs under one leaf
    """
    endpoints, radix = as_counts(endpoints, radix)
    ports = np.maximum(radix, 2)
    leaves = _leaves(endpoints, ports, oversubscription)
    upper = two_tiers(leaves, ports, even_spread)
    fabric = _sized("fat-tree-2", leaves, upper, radix, gpus_per_port)
    return finished(
        fabric,
        "A two-tier fat tree of {radix}-port switches",
        "three tiers",
        lambda size: two_tier_reach(size, leaf_downlinks(size, oversubscription)),
    )


def size_three_tier_fat_tree(
    endpoints: Numeric,
    radix: Numeric,
    oversubscription: Numeric = 1.0,
    core_oversubscription: Numeric = 1.0,
    *,
    even_spread: bool | None = None,
    gpus_per_port: Numeric = 1.0,
) -> FabricSize:
    """Size of a fat tree of leaves, spines and cores.

    Parameters
    ----------
    endpoints : int or array                      NIC ports
    radix : int or array                          ports of a switch at link speed
    oversubscription : float or array, > 0        downlinks over uplinks of a leaf, at most
    core_oversubscription : float or array, > 0   downlinks over uplinks of a spine, at most
    even_spread : bool or None                    see ``size_fabric``
    gpus_per_port : float or array                GPUs over NIC ports

    Returns
    -------
    FabricSize      pod: the GPUs under one leaf, or under the spines of one pod where only the
                    tier above the spines is tapered
    """
    endpoints, radix = as_counts(endpoints, radix)
    ports = np.maximum(radix, 2)
    leaves = _leaves(endpoints, ports, oversubscription)
    upper = three_tiers(
        leaves,
        ports,
        core_oversubscription,
        even_spread,
        partial(switches_untapered, _leaves, endpoints, ports),
    )
    fabric = _sized("fat-tree-3", leaves, upper, radix, gpus_per_port)
    return finished(
        fabric,
        "A three-tier fat tree of {radix}-port switches",
        "",
        lambda size: fat_tree_reach(size, oversubscription, core_oversubscription),
    )


def size_fat_tree(
    endpoints: Numeric,
    radix: Numeric,
    oversubscription: Numeric = 1.0,
    core_oversubscription: Numeric = 1.0,
    *,
    even_spread: bool | None = None,
    gpus_per_port: Numeric = 1.0,
) -> FabricSize:
    """Size of a fat tree of two tiers where they reach, else of three.

    Parameters and result are those of ``size_three_tier_fat_tree``.
    """
    small = size_two_tier_fat_tree(
        endpoints,
        radix,
        oversubscription,
        even_spread=even_spread,
        gpus_per_port=gpus_per_port,
    )
    if np.ndim(small.buildable) == 0 and small.buildable:
        largest = fat_tree_reach(int(small.radix), oversubscription, core_oversubscription)
        return replace(small, family="fat-tree", largest=largest)
    large = size_three_tier_fat_tree(
        endpoints,
        radix,
        oversubscription,
        core_oversubscription,
        even_spread=even_spread,
        gpus_per_port=gpus_per_port,
    )
    return replace(
        either(small.buildable, small, large),
        family="fat-tree",
        largest=large.largest,
        reason=large.reason,
    )


def fat_tree_reach(
    radix: Numeric, oversubscription: Numeric, core_oversubscription: Numeric
) -> Numeric:
    """Most endpoints of a fat tree of three tiers."""
    down = leaf_downlinks(radix, oversubscription)
    return three_tier_reach(radix, leaf_downlinks(radix, core_oversubscription), down)


def _leaves(endpoints: Numeric, radix: Numeric, oversubscription: Numeric) -> Leaves:
    down = leaf_downlinks(radix, oversubscription)
    return Leaves(
        endpoints=endpoints,
        count=ceil_divide(endpoints, down),
        down=down,
        used=np.minimum(endpoints, down),
        up=np.maximum(radix - down, 1),
        unit_endpoints=down,
    )


def _sized(
    family: str, leaves: Leaves, upper: Upper, radix: Numeric, gpus_per_port: Numeric
) -> FabricSize:
    tapered_only_above = np.less_equal(leaves.down, leaves.up) & np.greater(
        upper.spine_oversubscription, 1
    )
    under = np.where(tapered_only_above, leaves.down * upper.leaves_in_pod, leaves.down)
    pod = np.maximum(1, np.floor(np.minimum(under, leaves.endpoints) * gpus_per_port + ROUNDING))
    return assemble(family, leaves, upper, radix, pod.astype(np.int64))
