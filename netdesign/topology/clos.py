"""What stands above the leaves of a folded Clos, and how far does it reach?

All families of this package but the single switch are Clos fabrics; they differ in how servers
meet the leaves. Counts are whole numbers and broadcast. A leaf has ``down`` ports to servers and
``up`` ports to spines; in three tiers the spines of a pod have ports to cores.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.formulas import formula
from netdesign.topology.even_pods import divisor_from
from netdesign.topology.fabric import FabricSize

ROUNDING = 1e-9
_LARGEST_RADIX = 4096


@formula(
    latex=r"d = \left\lfloor\frac{R\,o}{o+1}\right\rfloor,\quad u = R - d",
    source="leiserson-1985",
)
def leaf_downlinks(radix: Numeric, oversubscription: Numeric) -> Numeric:
    """Ports of a switch that face down so that downlinks over uplinks are at most a ratio.

    Parameters
    ----------
    radix : int or array, >= 2               ports of the switch
    oversubscription : float or array, > 0   downlinks over uplinks; below 1 more uplinks

    Returns
    -------
    int or array                             at least 1, and at least one port is left to face up
    """
    share = np.maximum(oversubscription, 0.0)
    down = np.floor(radix * share / (share + 1) + ROUNDING)
    return whole(np.minimum(np.maximum(down, 1), np.maximum(radix - 1, 1)))


@formula(latex=r"N = R\,d", source="al-fares-2008")
def two_tier_reach(radix: Numeric, down: Numeric) -> Numeric:
    """Most endpoints of two tiers: a spine has a port for each leaf. R^2/2 without a taper.

    Parameters
    ----------
    radix : int or array, >= 2      ports of a spine
    down : int or array, >= 1       ports of a leaf that face down

    Returns
    -------
    int or array
    """
    return radix * down


@formula(latex=r"N = R\,d_s\,d", source="al-fares-2008")
def three_tier_reach(radix: Numeric, spine_down: Numeric, down: Numeric) -> Numeric:
    """Most endpoints of three tiers: a core has a port for each pod. R^3/4 without a taper.

    Parameters
    ----------
    radix : int or array, >= 2        ports of a core
    spine_down : int or array, >= 1   ports of a spine that face down: the leaves of a pod
    down : int or array, >= 1         ports of a leaf that face down

    Returns
    -------
    int or array
    """
    return radix * spine_down * down


@dataclass(frozen=True)
class Leaves:
    """How the servers of a family meet the leaves."""

    endpoints: Numeric
    count: Numeric
    down: Numeric  # ports of a leaf meant for servers, those of a full unit
    used: Numeric  # of these, taken on the fullest leaf
    up: Numeric  # ports of a leaf that are cabled to spines
    per_unit: Numeric = 1  # leaves that belong together (one for each rail)
    unit_endpoints: Numeric = 1  # endpoints of a full unit


@dataclass(frozen=True)
class Upper:
    """The tiers above the leaves and how many endpoints they let the family reach."""

    tiers: int
    spines: Numeric
    cores: Numeric
    spine_core_links: Numeric
    spine_oversubscription: Numeric
    leaves_in_pod: Numeric  # leaves below one set of spines
    largest: Numeric


def two_tiers(leaves: Leaves, radix: Numeric, even_spread: bool | None) -> Upper:
    """One set of spines above all leaves."""
    even = evenly(leaves, even_spread)
    spines = pod_spines(leaves.count, leaves.up, radix, even, shared=even_spread is None)
    units = radix // leaves.per_unit
    return Upper(
        tiers=2,
        spines=spines,
        cores=0 * spines,
        spine_core_links=0 * spines,
        spine_oversubscription=1.0,
        leaves_in_pod=units * leaves.per_unit,
        largest=units * leaves.unit_endpoints,
    )


def pod_spines(
    leaves: Numeric,
    uplinks: Numeric,
    spine_down: Numeric,
    even: bool | Array,
    *,
    shared: bool = False,
) -> Numeric:
    """Spines above some leaves, each leaf with so many uplinks and each spine so many downlinks."""
    least = ceil_divide(leaves * uplinks, spine_down)
    if shared:
        least = np.maximum(least, spines_that_share(leaves, uplinks, spine_down))[()]
    return spread(uplinks, least, even)


@formula(
    latex=r"S = \left\lceil\frac{u}{\lfloor R / L \rfloor}\right\rceil",
    source="leiserson-1985",
)
def spines_that_share(leaves: Numeric, uplinks: Numeric, spine_down: Numeric) -> Numeric:
    """Fewest spines with which any two leaves share all their uplinks.

    Two leaves share, at each spine, the smaller number of their links to it. They share all only
    if all leaves are cabled alike; then the busiest spine has that many links times the leaves, and
    must have the ports. Where the ports of a spine are a multiple of the leaves, these are no more
    spines than have the ports.

    Parameters
    ----------
    leaves : int or array, >= 1       below the same spines
    uplinks : int or array, >= 1      of a leaf
    spine_down : int or array, >= 1   ports of a spine that face down; fewer than leaves give
                                      the uplinks of a leaf

    Returns
    -------
    int or array
    """
    at_a_spine = np.maximum(spine_down // np.maximum(leaves, 1), 1)
    return whole(np.asarray(ceil_divide(uplinks, at_a_spine)))


def pod_uplinks(
    leaves: Numeric, uplinks: Numeric, spine_down: Numeric, spine_up: Numeric
) -> Numeric:
    """Links of a pod to the cores: those of its leaves, times what a spine passes on."""
    return ceil_divide(leaves * uplinks * spine_up, spine_down)


def evenly(leaves: Leaves, even_spread: bool | None) -> bool | Array:
    """Whether spines are to divide the uplinks; where left open, if the leaf is not tapered."""
    if even_spread is not None:
        return even_spread
    return np.logical_not(tapered(leaves.down, leaves.up))


def tapered(down: Numeric, up: Numeric) -> bool | Array:
    """Whether a switch has fewer links up than down, or more; one of an odd number is even."""
    return np.greater(np.abs(down - up), 1)


def spread(uplinks: Numeric, least: Numeric, even: bool | Array) -> Numeric:
    """Spines to take when at least so many are needed.

    Even: the smallest count that divides a leaf's uplinks, so that a leaf has the same number of
    links to each spine. A need beyond the uplinks of a leaf has no such count and stays.
    """
    if even is False:
        return least
    if np.ndim(uplinks) == 0 and np.ndim(least) == 0 and np.ndim(even) == 0:
        return divisor_from(int(uplinks), int(least)) if even else least
    pairs = np.broadcast_arrays(uplinks, least)
    chosen = [divisor_from(int(a), int(b)) for a, b in zip(*map(np.ravel, pairs), strict=True)]
    return np.where(even, np.array(chosen).reshape(pairs[0].shape), least)


def assemble(
    family: str, leaves: Leaves, upper: Upper, radix: Numeric, pod_gpus: Numeric
) -> FabricSize:
    """One FabricSize of the parts; a switch of fewer than 2 ports is sized as one of 2."""
    leaf_spine = leaves.count * leaves.up
    switches = leaves.count + upper.spines + upper.cores
    ends = leaves.endpoints + 2 * (leaf_spine + upper.spine_core_links)
    return FabricSize(
        family=family,
        endpoints=leaves.endpoints,
        radix=radix,
        tiers=upper.tiers,
        leaves=leaves.count,
        spines=upper.spines,
        cores=upper.cores,
        access_links=leaves.endpoints,
        leaf_spine_links=leaf_spine,
        spine_core_links=upper.spine_core_links,
        oversubscription=np.maximum(leaves.used, np.minimum(leaves.down, leaves.up)) / leaves.up,
        core_oversubscription=upper.spine_oversubscription,
        pod_gpus=pod_gpus,
        stranded_ports=switches * radix - ends,
        largest=upper.largest,
        buildable=np.less_equal(leaves.endpoints, upper.largest)
        & np.greater_equal(radix, 2)
        & np.greater_equal(leaves.endpoints, 1),
    )


def either(condition: Numeric, first: FabricSize, second: FabricSize) -> FabricSize:
    """The first fabric where the condition holds, the second elsewhere."""
    if np.ndim(condition) == 0:
        return first if condition else second
    chosen = {
        entry.name: np.where(condition, getattr(first, entry.name), getattr(second, entry.name))
        for entry in fields(FabricSize)
        if entry.name not in ("family", "reason")
    }
    return FabricSize(family=first.family, **chosen)


def finished(
    fabric: FabricSize, name: str, remedy: str, reach: Callable[[int], Numeric]
) -> FabricSize:
    """The fabric with Python numbers where a field is single, and with why it cannot be built.

    Parameters
    ----------
    fabric : FabricSize
    name : str            of the family: "A fat tree of {radix}-port switches"
    remedy : str          what else would hold the endpoints: "three tiers"; may be empty
    reach : callable      most endpoints at a radix
    """
    settled: dict[str, Any] = {
        entry.name: _plain(getattr(fabric, entry.name)) for entry in fields(FabricSize)
    }
    plain = FabricSize(**settled)
    return replace(plain, reason=_why_not(plain, name, remedy, reach))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic | np.ndarray) and not value.ndim else value


def _why_not(fabric: FabricSize, name: str, remedy: str, reach: Callable[[int], Numeric]) -> str:
    if np.all(fabric.buildable):
        return ""
    if np.ndim(fabric.buildable) > 0:
        failed = int(np.sum(~np.asarray(fabric.buildable)))
        name = name.removesuffix(" of {radix}-port switches").replace("{radix}-port ", "")
        return f"{name} does not hold {failed} of {np.size(fabric.buildable)} sizes."
    radix, endpoints = int(fabric.radix), int(fabric.endpoints)
    if radix < 2 or endpoints < 1:
        return f"A fabric needs endpoints and switches of 2 ports; {endpoints:,} and {radix} given."
    even = range(radix + 2 - radix % 2, _LARGEST_RADIX, 2)
    enough = bisect_left(even, endpoints, key=lambda size: int(reach(size)))
    ways = [remedy] if remedy else []
    ways += [f"{even[enough]} ports a switch"] if enough < len(even) else []
    return (
        f"{name.format(radix=radix)} ends at {int(fabric.largest):,} endpoints; "
        f"{endpoints:,} need {' or '.join(ways) or 'another family'}."
    )


def ceil_divide(total: Numeric, parts: Numeric) -> Numeric:
    """Whole parts that ``total`` needs."""
    return -(-total // parts)


def whole(value: Numeric) -> Numeric:
    """The value as Python int or as an array of integers."""
    if isinstance(value, np.ndarray) and value.ndim:
        return value.astype(np.int64)
    return int(value)


def as_counts(*values: Numeric, least: int = 0) -> tuple[Numeric, ...]:
    """Each value as a whole number or an array of whole numbers, raised to the least."""
    return tuple(
        np.maximum(whole(np.asarray(value)), least) if np.ndim(value) else max(int(value), least)
        for value in values
    )
