"""What does a Clos fabric of one description consist of? Whole numbers, before any link is drawn.

A shape holds one copy of the fabric; planes, and rails that never meet, are further copies of it.
Links inside a copy are counted in slots: a port that is split in two has two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from netdesign.topology.clos import (
    ceil_divide,
    leaf_downlinks,
    pod_spines,
    pod_uplinks,
    spines_that_share,
)
from netdesign.topology.clos_leaves import LeafSets, Request, leaf_sets
from netdesign.topology.even_pods import EvenPods, even_pods

_FEW_MORE = 4 / 3  # spines that it is worth to have all cores alike


@dataclass(frozen=True)
class Pods:
    """Alike pods of a copy: leaves below one set of spines."""

    count: int
    leaves: int
    spines: int
    core_links: int  # of a pod


@dataclass(frozen=True)
class ClosShape:
    """Leaves, pods and cores of one copy, and how far the family reaches."""

    request: Request
    leaves: LeafSets
    pods: tuple[Pods, ...]
    cores: int
    core_groups: int  # cores that spines of equal place share; 0 without scalable units
    largest: int  # endpoints of the whole fabric
    buildable: bool

    @property
    def up_links(self) -> int:
        """Links of a leaf to spines."""
        return self.leaves.up * self.request.wide if self.pods else 0

    @property
    def spines(self) -> int:
        return sum(pod.count * pod.spines for pod in self.pods)

    @property
    def core_links(self) -> int:
        return sum(pod.count * pod.core_links for pod in self.pods)

    def alike(self, pod: Pods) -> bool:
        """Whether every leaf of a pod has as many links to a spine as the other leaves.

        Then any two leaves share all their uplinks. Where cores join several pods only if the
        spines divide the uplinks, for their own links up are spread evenly.
        """
        each, more = divmod(self.up_links, pod.spines)
        if not more:
            return True
        alone = len(self.pods) == 1 and pod.count == 1 and not self.core_groups
        return alone and each > 0 and (each + 1) * pod.leaves <= self._room

    @property
    def _room(self) -> int:
        """Links that the ports of a spine have for leaves."""
        request = self.request
        if request.tiers == 2:
            return request.radix * request.wide
        return int(leaf_downlinks(request.radix, request.core_oversubscription)) * request.wide


def alike_pods(shape: ClosShape) -> npt.NDArray[np.bool_]:
    """Of each pod, whether its leaves are cabled alike."""
    counts = [pod.count for pod in shape.pods]
    return np.repeat(np.array([shape.alike(pod) for pod in shape.pods], dtype=bool), counts)


def shape_of(request: Request) -> ClosShape:
    """The shape of a request; one that does not reach is not an error but not buildable."""
    leaves = leaf_sets(request)
    if request.tiers == 1:
        capacity = request.radix * request.breakout
        return _finished(request, leaves, (), 0, 0, capacity)
    even = _even(request, leaves)
    if request.tiers == 2:
        spines = int(pod_spines(leaves.count, leaves.up, request.radix, even))
        if request.even is None and not even:
            spines = max(spines, _sharing_spines(request, leaves))
        pods = (Pods(1, leaves.count, spines, 0),)
        units = request.radix * request.wide // leaves.per_unit
        return _finished(request, leaves, pods, 0, 0, units * leaves.unit_endpoints)
    if request.unit_machines and request.grouped:
        return _units(request, leaves)
    return _three_tiers(request, leaves, even)


def _even(request: Request, leaves: LeafSets) -> bool:
    """Spread evenly where asked; where left open, if the leaf is not tapered."""
    return abs(leaves.down - leaves.up) <= 1 if request.even is None else request.even


def _sharing_spines(request: Request, leaves: LeafSets) -> int:
    """Spines of two tiers with which any two leaves share all uplinks; counted in links."""
    up, room = leaves.up * request.wide, request.radix * request.wide
    return int(spines_that_share(leaves.count, up, room))


def _three_tiers(request: Request, leaves: LeafSets, even: bool) -> ClosShape:
    down = int(leaf_downlinks(request.radix, request.core_oversubscription))
    in_pod = _in_pod(request, leaves, down)
    pods = _fewest_above(request, leaves, even, down)
    cores = _cores_of(request, pods)
    if request.even is not False:
        most = _most_above(request, leaves, down)
        up, wide = request.radix - down, request.wide
        divide = request.even is True
        asked = (leaves.count, in_pod, leaves.up, down, up)
        ways = even_pods(*asked, wide=wide, divide=divide) if most > 0 else ()
        for way in ways:
            if way.upper <= most:
                pods, cores = _pods_of(way, leaves.count, in_pod), way.cores
                break
    radix = request.radix * request.wide
    largest = radix * in_pod // leaves.per_unit * leaves.unit_endpoints
    return _finished(request, leaves, pods, cores, 0, largest)


def _most_above(request: Request, leaves: LeafSets, down: int) -> float:
    """Switches above the leaves that pods cabled alike may take; 0 where nothing is tapered.

    Where left open, so many that there are no more switches than without a taper.
    """
    if request.even:
        return math.inf
    if abs(leaves.down - leaves.up) <= 1 and abs(2 * down - request.radix) <= 1:
        return 0
    untapered = replace(request, oversubscription=1.0, core_oversubscription=1.0)
    own = leaf_sets(untapered)
    half = int(leaf_downlinks(request.radix, 1.0))
    pods = _fewest_above(untapered, own, _even(untapered, own), half)
    spines = sum(pod.count * pod.spines for pod in pods)
    return own.count + spines + _cores_of(untapered, pods) - leaves.count


def _fewest_above(
    request: Request, leaves: LeafSets, even: bool, spine_down: int
) -> tuple[Pods, ...]:
    in_pod = _in_pod(request, leaves, spine_down)
    pods = []
    for count, held in ((leaves.count // in_pod, in_pod), (1, leaves.count % in_pod)):
        if count and held:
            spines = pod_spines(held, leaves.up, spine_down, even)
            links = pod_uplinks(held, leaves.up, spine_down, request.radix - spine_down)
            pods.append(Pods(count, held, int(spines), int(links) * request.wide))
    return tuple(pods)


def _pods_of(way: EvenPods, leaves: int, in_pod: int) -> tuple[Pods, ...]:
    full, rest = divmod(leaves, in_pod)
    found = []
    if full:
        found.append(Pods(full, in_pod, way.spines, way.core_links))
    if rest:
        found.append(Pods(1, rest, way.last_spines, way.last_core_links))
    return tuple(found)


def _cores_of(request: Request, pods: tuple[Pods, ...]) -> int:
    cables = sum(pod.count * pod.core_links for pod in pods)
    return int(ceil_divide(cables, request.radix * request.wide))


def _in_pod(request: Request, leaves: LeafSets, spine_down: int) -> int:
    slots_down = spine_down * request.wide
    return slots_down // leaves.per_unit * leaves.per_unit or slots_down


def _units(request: Request, leaves: LeafSets) -> ClosShape:
    """Each scalable unit has a group of spines for each rail; spines of equal place share cores."""
    rails = request.copy_rails
    in_group = leaves.per_unit // rails
    spine_down = int(leaf_downlinks(request.radix, request.core_oversubscription))
    spines = _alike_spines(request, in_group, leaves.up, spine_down)
    used = int(ceil_divide(in_group * leaves.up, spines))
    spine_up = int(pod_uplinks(1, used, spine_down, request.radix - spine_down)) * request.wide
    groups = leaves.count // in_group
    radix = request.radix * request.wide
    cores = spines * int(ceil_divide(groups * spine_up, radix))
    pods = (Pods(groups, in_group, spines, spines * spine_up),)
    fits = in_group <= spine_down * request.wide
    largest = radix // rails * leaves.unit_endpoints if fits else 0
    return _finished(request, leaves, pods, cores, spines, largest)


def _alike_spines(request: Request, leaves: int, up: int, spine_down: int) -> int:
    """Spines of a group: evenly spread where asked, or where that takes few more than it needs."""
    least = int(pod_spines(leaves, up, spine_down, False))
    even = int(pod_spines(leaves, up, spine_down, True))
    return even if request.even or even <= _FEW_MORE * least else least


def _finished(
    request: Request,
    leaves: LeafSets,
    pods: tuple[Pods, ...],
    cores: int,
    core_groups: int,
    largest: int,
) -> ClosShape:
    """The shape; ``largest`` is that of one copy and becomes that of the whole fabric."""
    whole_fabric = largest * request.endpoints // request.copy_endpoints
    return ClosShape(
        request=request,
        leaves=leaves,
        pods=pods,
        cores=cores,
        core_groups=core_groups,
        largest=whole_fabric,
        buildable=request.copy_endpoints <= largest,
    )
