"""Pods of three tiers that are cabled alike: any two leaves can use all their uplinks.

Inside a pod that takes spines that divide the uplinks of a leaf. Between pods it takes as many core
links on every spine of a pod, and cores that divide the core links of every pod: then each core
has as many links to a pod as the other cores, and none of them is the narrow one. Whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class EvenPods:
    """Spines and links to cores of the full pods and of the last one, and the cores above them."""

    full: int  # pods
    spines: int  # of a full pod
    core_links: int  # of a full pod; those that split ports carry count each
    last_spines: int  # of the pod that is not full; 0 where there is none
    last_core_links: int
    cores: int

    @property
    def all_spines(self) -> int:
        return self.full * self.spines + self.last_spines

    @property
    def all_core_links(self) -> int:
        return self.full * self.core_links + self.last_core_links

    @property
    def upper(self) -> int:
        """Switches above the leaves."""
        return self.all_spines + self.cores


@lru_cache(maxsize=4096)
def even_pods(
    leaves: int,
    in_pod: int,
    uplinks: int,
    down: int,
    up: int,
    *,
    wide: int = 1,
    divide: bool = False,
) -> tuple[EvenPods, ...]:
    """Ways to cable pods alike, the best first: with cores that divide too, and with the fewest.

    Parameters
    ----------
    leaves : int, >= 1          of the fabric
    in_pod : int, >= 1          leaves of a full pod
    uplinks : int, >= 1         ports of a leaf that face up
    down : int, >= 1            ports of a spine that face down
    up : int, >= 1              ports of a spine that face up; a core has down + up
    wide : int                  links that a port between switches carries
    divide : bool               spines divide the uplinks also where there is one pod only; else
                                the fewest do with which any two leaves share all uplinks

    Returns
    -------
    tuple of EvenPods           one where the fewest cores divide, or where no number of cores does
    """
    full, rest = divmod(leaves, in_pod)
    if full + (rest > 0) == 1 and leaves <= down and not divide:
        return (_alone(leaves, full, uplinks, down, up, wide),)
    spines, each = _pod(in_pod, uplinks, down, up) if full else (0, 0)
    last, last_each = _pod(rest, uplinks, down, up) if rest else (0, 0)
    plain = EvenPods(full, spines, spines * each * wide, last, last * last_each * wide, 0)
    ports = (down + up) * wide
    fewest = EvenPods(
        full,
        spines,
        plain.core_links,
        last,
        plain.last_core_links,
        -(-plain.all_core_links // ports),
    )
    if full + (rest > 0) < 2:
        return (fewest,)
    last_ports = -(-rest * uplinks * up // down)
    dividing = _dividing(fewest, last_ports, uplinks, wide, up, ports)
    return (fewest,) if dividing in (None, fewest) else (dividing, fewest)


def divisor_from(total: int, least: int) -> int:
    """Smallest divisor that is at least so large; ``least`` where there is none."""
    return next((count for count in range(max(least, 1), total + 1) if total % count == 0), least)


def _alone(leaves: int, full: int, uplinks: int, down: int, up: int, wide: int) -> EvenPods:
    """One pod: no other looks on how its links to the cores lie."""
    spines = -(-uplinks // (down // leaves))
    links = -(-leaves * uplinks * up // down) * wide
    cores = -(-links // ((down + up) * wide))
    if full:
        return EvenPods(1, spines, links, 0, 0, cores)
    return EvenPods(0, 0, 0, spines, links, cores)


def _pod(leaves: int, uplinks: int, down: int, up: int) -> tuple[int, int]:
    """Spines of a pod, and ports of each to cores."""
    spines = divisor_from(uplinks, -(-leaves * uplinks // down))
    return spines, -(-leaves * uplinks * up // (down * spines))


def _dividing(
    fewest: EvenPods, last_ports: int, uplinks: int, wide: int, up: int, ports: int
) -> EvenPods | None:
    """The fewest cores that divide the links of every pod; the last pod may get some more.

    Tried by the links of a full pod to a core, from as many as the fewest cores have. Where the
    spines of the last pod cannot reach all cores alike, more spines that divide may.
    """
    links, last = fewest.core_links, fewest.last_spines
    lasts = [last] + [more for more in range(last + 1, uplinks + 1) if last and not uplinks % more]
    for to_a_core in range(links // fewest.cores, 0, -1):
        if links % to_a_core:
            continue
        cores = links // to_a_core
        for spines in lasts:
            step = cores // math.gcd(cores, spines) if spines else 1
            each = -(-(-(-last_ports // max(spines, 1)) * wide) // step) * step
            last_links = spines * each
            if each <= up * wide and fewest.full * to_a_core + last_links // cores <= ports:
                return EvenPods(fewest.full, fewest.spines, links, spines, last_links, cores)
    return None
