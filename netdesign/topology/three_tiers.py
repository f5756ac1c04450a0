"""Three tiers by formula: pods of leaves and spines, and the cores above them. Counts broadcast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.topology.clos import (
    Leaves,
    Upper,
    ceil_divide,
    evenly,
    leaf_downlinks,
    pod_spines,
    pod_uplinks,
    tapered,
)
from netdesign.topology.even_pods import even_pods


def three_tiers(
    leaves: Leaves,
    radix: Numeric,
    core_oversubscription: Numeric,
    even_spread: bool | None,
    untapered: Callable[[], Numeric],
) -> Upper:
    """Pods of leaves and spines below cores; a pod holds whole units where it can.

    Parameters
    ----------
    leaves : Leaves
    radix : int or array
    core_oversubscription : float or array
    even_spread : bool or None      True: pods cabled alike, see ``even_pods``; None: so where a
                                    taper is asked for and that takes no more switches than without
    untapered : callable            switches of the same servers without a taper

    Returns
    -------
    Upper
    """
    spine_down = leaf_downlinks(radix, core_oversubscription)
    fewest = _above(leaves, radix, spine_down, evenly(leaves, even_spread))
    if even_spread is None:
        narrow = tapered(leaves.down, leaves.up) | tapered(spine_down, radix - spine_down)
        if np.any(narrow):
            most = untapered() - leaves.count
            fewest = _alike(leaves, radix, spine_down, fewest, np.where(narrow, most, 0)[()])
    elif even_spread:
        fewest = _alike(leaves, radix, spine_down, fewest, np.inf, divide=True)
    return replace(fewest, largest=three_tier_largest(leaves, radix, core_oversubscription))


def switches_untapered(leaves_of: Callable[..., Leaves], *sizes: Numeric) -> Numeric:
    """Switches of three tiers without a taper.

    Parameters
    ----------
    leaves_of : callable            leaves of the sizes and an oversubscription
    sizes : int or array            the last one is the radix
    """
    if any(np.ndim(size) for size in sizes):
        return _untapered(leaves_of, *sizes)
    return _untapered_once(leaves_of, *map(int, sizes))


def _untapered(leaves_of: Callable[..., Leaves], *sizes: Numeric) -> Numeric:
    leaves, radix = leaves_of(*sizes, 1.0), sizes[-1]
    upper = _above(leaves, radix, leaf_downlinks(radix, 1.0), evenly(leaves, None))
    return leaves.count + upper.spines + upper.cores


@lru_cache(maxsize=1024)
def _untapered_once(leaves_of: Callable[..., Leaves], *sizes: int) -> Numeric:
    return _untapered(leaves_of, *sizes)


def _above(leaves: Leaves, radix: Numeric, spine_down: Numeric, even: bool | Array) -> Upper:
    """Three tiers with as few cores as have the ports; the reach is not told."""
    spine_up = radix - spine_down
    in_pod = _leaves_in_pod(leaves, spine_down)
    full_pods, rest = leaves.count // in_pod, leaves.count % in_pod
    spines: Numeric = 0
    cables: Numeric = 0
    for pods, count in ((full_pods, in_pod), (np.greater(rest, 0), rest)):
        above = pod_spines(count, leaves.up, spine_down, even)
        spines = spines + pods * above
        cables = cables + pods * pod_uplinks(count, leaves.up, spine_down, spine_up)
    return Upper(
        tiers=3,
        spines=spines,
        cores=ceil_divide(cables, radix),
        spine_core_links=cables,
        spine_oversubscription=spine_down / spine_up,
        leaves_in_pod=in_pod,
        largest=0,
    )


def _alike(
    leaves: Leaves,
    radix: Numeric,
    spine_down: Numeric,
    fewest: Upper,
    most: Numeric,
    *,
    divide: bool = False,
) -> Upper:
    """Pods cabled alike where that takes at most so many switches above the leaves."""
    asked = (leaves.count, fewest.leaves_in_pod, leaves.up, spine_down, radix - spine_down)
    kept = (fewest.spines, fewest.spine_core_links, fewest.cores)
    if not any(np.ndim(value) for value in (*asked, *kept, most)):
        chosen = _alike_within(*map(int, (*asked, *kept)), most=float(most), divide=divide)
        return replace(fewest, spines=chosen[0], spine_core_links=chosen[1], cores=chosen[2])
    every = np.broadcast_arrays(*asked, *kept, most)
    rows = zip(*(column.ravel() for column in every), strict=True)
    found = np.array(
        [_alike_within(*map(int, row[:-1]), most=float(row[-1]), divide=divide) for row in rows],
        dtype=np.int64,
    )
    found = found.reshape(-1, 3).T.reshape(3, *every[0].shape)
    return replace(fewest, spines=found[0], spine_core_links=found[1], cores=found[2])


def _alike_within(
    leaves: int,
    in_pod: int,
    uplinks: int,
    down: int,
    up: int,
    *kept: int,
    most: float,
    divide: bool,
) -> tuple[int, ...]:
    """Spines, links to cores and cores of pods cabled alike; those that are kept where too many."""
    if leaves <= 0 or most <= 0:
        return kept
    for way in even_pods(leaves, in_pod, uplinks, down, up, divide=divide):
        if way.upper <= most:
            return way.all_spines, way.all_core_links, way.cores
    return kept


def three_tier_largest(leaves: Leaves, radix: Numeric, core_oversubscription: Numeric) -> Numeric:
    """Most endpoints of three tiers in whole units of leaves."""
    in_pod = _leaves_in_pod(leaves, leaf_downlinks(radix, core_oversubscription))
    return radix * in_pod // leaves.per_unit * leaves.unit_endpoints


def _leaves_in_pod(leaves: Leaves, spine_down: Numeric) -> Numeric:
    aligned = spine_down // leaves.per_unit * leaves.per_unit
    return np.where(np.greater(aligned, 0), aligned, spine_down)
