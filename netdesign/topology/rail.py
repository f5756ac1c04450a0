"""Rails: ports of equal place in their server meet on the same leaf.

Rail-optimised: a leaf for each rail of a unit of servers, spines shared by all rails. Rail-only:
each rail is a fabric of its own and rails meet only inside the servers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from netdesign.arrays import Numeric
from netdesign.topology.clos import (
    Leaves,
    Upper,
    as_counts,
    assemble,
    ceil_divide,
    either,
    finished,
    leaf_downlinks,
    two_tiers,
)
from netdesign.topology.fabric import FabricSize
from netdesign.topology.fat_tree import fat_tree_reach, size_fat_tree
from netdesign.topology.single_switch import size_single_switch
from netdesign.topology.three_tiers import switches_untapered, three_tier_largest, three_tiers


def default_rails(
    ports_per_server: Numeric, gpus_per_server: Numeric, most: int = 8, of_rack: int = 4
) -> Numeric:
    """Rails that a server's ports make.

    One for each GPU of a server of up to ``most`` GPUs (fewer if it has fewer ports); in a
    rack-scale machine one for each GPU of a tray, as superpod-gb200 cables it. Each rail takes the
    same number of the server's ports.
    """
    ports, gpus = as_counts(ports_per_server, gpus_per_server, least=1)
    few = np.minimum(ports, gpus)
    return np.gcd(ports, np.where(np.less_equal(few, most), few, of_rack))


def size_rail_optimised(
    servers: Numeric,
    ports_per_server: Numeric,
    gpus_per_server: Numeric,
    radix: Numeric,
    oversubscription: Numeric = 1.0,
    core_oversubscription: Numeric = 1.0,
    *,
    rails: Numeric | None = None,
    even_spread: bool | None = None,
) -> FabricSize:
    """Size of a rail-optimised fabric of two tiers where they reach, else of three.

    A unit is the servers whose ports of one rail fill a leaf: half the radix of them when each
    server has one port to a rail and nothing is tapered. Servers that do not fill a unit share
    leaves between rails. Uplinks are cabled for the full unit.

    Parameters
    ----------
    servers : int or array
    ports_per_server : int or array
    gpus_per_server : int or array
    radix : int or array                          ports of a switch at link speed
    oversubscription : float or array, > 0        downlinks over uplinks of a leaf, at most
    core_oversubscription : float or array, > 0   downlinks over uplinks of a spine, at most
    rails : int or array                          divides the ports; ``default_rails`` if None
    even_spread : bool or None                    see ``size_fabric``

    Returns
    -------
    FabricSize      pod: the GPUs of one unit, or of the units under the spines of one pod where
                    only the tier above the spines is tapered
    """
    servers, radix = as_counts(servers, radix)
    ports, gpus = as_counts(ports_per_server, gpus_per_server, least=1)
    rails = default_rails(ports, gpus) if rails is None else as_counts(rails, least=1)[0]

    size = np.maximum(radix, 2)
    leaves = _rail_leaves(servers, ports, rails, size, oversubscription)

    def under(upper: Upper) -> FabricSize:
        pod = _pod_gpus(leaves, upper, servers, ports, gpus)
        return assemble("rail-optimised", leaves, upper, radix, pod)

    def largest(size: Numeric) -> Numeric:
        unit = _rail_leaves(servers, ports, rails, size, oversubscription)
        return three_tier_largest(unit, size, core_oversubscription)

    whole = partial(switches_untapered, _rail_leaves, servers, ports, rails, size)
    fabric = under(two_tiers(leaves, size, even_spread))
    if not np.all(fabric.buildable):
        large = under(three_tiers(leaves, size, core_oversubscription, even_spread, whole))
        fabric = either(fabric.buildable, fabric, large)
    return finished(
        replace(fabric, largest=largest(size)),
        "A rail-optimised fabric of {radix}-port switches",
        "",
        largest,
    )


def size_rail_only(
    servers: Numeric,
    ports_per_server: Numeric,
    gpus_per_server: Numeric,
    radix: Numeric,
    oversubscription: Numeric = 1.0,
    core_oversubscription: Numeric = 1.0,
    *,
    rails: Numeric | None = None,
    even_spread: bool | None = None,
) -> FabricSize:
    """Size of a rail-only fabric: one fabric for each rail, of as many tiers as it needs.

    Parameters
    ----------
    servers : int or array
    ports_per_server : int or array
    gpus_per_server : int or array
    radix : int or array                          ports of a switch at link speed
    oversubscription : float or array, > 0        downlinks over uplinks of a leaf, at most
    core_oversubscription : float or array, > 0   downlinks over uplinks of a spine, at most
    rails : int or array                          divides the ports; one for each port if None
    even_spread : bool or None                    see ``size_fabric``

    Returns
    -------
    FabricSize      counts of all rails together; pod: all GPUs unless a tier is tapered
    """
    servers, radix = as_counts(servers, radix)
    ports, gpus = as_counts(ports_per_server, gpus_per_server, least=1)
    rails = ports if rails is None else as_counts(rails, least=1)[0]
    endpoints = servers * (ports // rails)
    gpus_per_port = gpus * rails / ports
    one = size_single_switch(endpoints, radix, gpus_per_port=gpus_per_port)
    tree = size_fat_tree(
        endpoints,
        radix,
        oversubscription,
        core_oversubscription,
        even_spread=even_spread,
        gpus_per_port=gpus_per_port,
    )
    rail = either(one.buildable, one, tree)
    tapered = np.greater(rail.oversubscription, 1) | np.greater(rail.core_oversubscription, 1)
    summed = {name: getattr(rail, name) * rails for name in _COUNTS}
    every_rail = replace(
        rail,
        family="rail-only",
        largest=tree.largest * rails,
        pod_gpus=np.where(tapered, rail.pod_gpus, servers * gpus),
        independent_fabrics=rails,
        reason="",
        **summed,
    )
    return finished(
        every_rail,
        "A rail-only fabric of {radix}-port switches",
        "",
        lambda size: rails * fat_tree_reach(size, oversubscription, core_oversubscription),
    )


_COUNTS = (
    "endpoints",
    "leaves",
    "spines",
    "cores",
    "access_links",
    "leaf_spine_links",
    "spine_core_links",
    "stranded_ports",
)


def _rail_leaves(
    servers: Numeric, ports: Numeric, rails: Numeric, radix: Numeric, oversubscription: Numeric
) -> Leaves:
    down = leaf_downlinks(radix, oversubscription)
    in_rail = np.maximum(ports // rails, 1)  # ports of a server on one rail
    unit = np.maximum(down // in_rail, 1)  # servers
    for_rail = ceil_divide(in_rail, down)  # leaves of a rail in a unit; 1 but for wide servers
    full, rest = servers // unit, servers % unit
    shared = np.maximum(down // np.maximum(rest * in_rail, 1), 1)  # rails on a leaf of the rest
    partial = np.greater(rest, 0) * ceil_divide(rails, shared) * for_rail
    design = np.minimum(unit * in_rail, down)
    up = np.maximum(ceil_divide(design * (radix - down), down), 1)
    together = np.minimum(rails, shared) * rest * in_rail
    return Leaves(
        endpoints=servers * ports,
        count=full * rails * for_rail + partial,
        down=design,
        used=np.where(np.greater(full, 0), design, np.minimum(together, down)),
        up=up,
        per_unit=rails * for_rail,
        unit_endpoints=unit * ports,
    )


def _pod_gpus(
    leaves: Leaves, upper: Upper, servers: Numeric, ports: Numeric, gpus: Numeric
) -> Numeric:
    unit = leaves.unit_endpoints // ports
    units = np.maximum(upper.leaves_in_pod // leaves.per_unit, 1)
    only_above = np.less_equal(leaves.used, leaves.up) & np.greater(upper.spine_oversubscription, 1)
    return np.minimum(np.where(only_above, units * unit, unit), servers) * gpus
