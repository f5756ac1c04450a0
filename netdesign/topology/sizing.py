"""How many switches and links does a fabric of a family need?"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from netdesign.arrays import Numeric
from netdesign.errors import DesignError
from netdesign.topology.clos import as_counts
from netdesign.topology.fabric import FabricSize
from netdesign.topology.fat_tree import (
    size_fat_tree,
    size_three_tier_fat_tree,
    size_two_tier_fat_tree,
)
from netdesign.topology.rail import size_rail_only, size_rail_optimised
from netdesign.topology.single_switch import size_single_switch

FAMILIES = MappingProxyType(
    {
        "single-switch": "Single switch",
        "fat-tree": "Fat tree, as many tiers as needed",
        "fat-tree-2": "Fat tree, two tiers",
        "fat-tree-3": "Fat tree, three tiers",
        "rail-optimised": "Rail-optimised, shared spines",
        "rail-only": "Rail-only, separate fabrics",
    }
)


def size_fabric(
    family: str,
    *,
    servers: Numeric,
    ports_per_server: Numeric,
    gpus_per_server: Numeric,
    radix: Numeric,
    oversubscription: Numeric = 1.0,
    core_oversubscription: Numeric = 1.0,
    rails: Numeric | None = None,
    even_spread: bool | None = None,
) -> FabricSize:
    """Size of a fabric of any family.

    Parameters
    ----------
    family : str                                  key of ``FAMILIES``
    servers : int or array, >= 1
    ports_per_server : int or array, >= 1         NIC ports to this fabric
    gpus_per_server : int or array, >= 1
    radix : int or array, >= 2                    ports of a switch at link speed
    oversubscription : float or array, > 0        downlinks over uplinks of a leaf, at most
    core_oversubscription : float or array, > 0   downlinks over uplinks of a spine, at most
    rails : int or array                          of rail families; chosen if None
    even_spread : bool or None                    True: a spine count that divides a leaf's
                                                  uplinks, and in three tiers cores that divide the
                                                  links of every pod; False: the least that has the
                                                  ports; None: a divisor without a taper, else the
                                                  least with which leaves share all uplinks

    Returns
    -------
    FabricSize      Python numbers if all arguments are; what cannot be built is not an error but
                    has ``buildable`` False, a ``reason`` and the ``largest`` that could

    Raises
    ------
    DesignError     for a family that is not known
    """
    if family not in FAMILIES:
        raise DesignError("family", family, "is not known", f"one of {', '.join(FAMILIES)}")
    if family in _RAIL:
        return _RAIL[family](
            servers,
            ports_per_server,
            gpus_per_server,
            radix,
            oversubscription,
            core_oversubscription,
            rails=rails,
            even_spread=even_spread,
        )
    (servers,) = as_counts(servers)
    ports, gpus = as_counts(ports_per_server, gpus_per_server, least=1)
    options = {"gpus_per_port": gpus / ports}
    if family == "single-switch":
        return size_single_switch(servers * ports, radix, **options)
    tapers = (oversubscription, core_oversubscription)[: 1 if family == "fat-tree-2" else 2]
    return _TREES[family](servers * ports, radix, *tapers, even_spread=even_spread, **options)


_RAIL: dict[str, Callable[..., FabricSize]] = {
    "rail-optimised": size_rail_optimised,
    "rail-only": size_rail_only,
}
_TREES: dict[str, Callable[..., FabricSize]] = {
    "fat-tree": size_fat_tree,
    "fat-tree-2": size_two_tier_fat_tree,
    "fat-tree-3": size_three_tier_fat_tree,
}
