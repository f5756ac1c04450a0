"""What parts does a large fabric fall into, and how many links join them?

A part is a pod (unit, group), else a plane, else a rail, else a leaf with its servers or a layer of
a grid. Devices that serve several parts belong to part -1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from netdesign.charts.fabric_places import dimensions, is_direct, level
from netdesign.topology.built import Fabric
from netdesign.wording import plural

Whole = npt.NDArray[np.int64]

_GROUPED = ("dragonfly", "dragonfly-plus", "slim-fly", "hyperx", "hammingmesh")


@dataclass(frozen=True, eq=False)
class Bundles:
    """Links of one kind between two boxes, one entry a pair of boxes."""

    kind: Whole
    a_level: Whole
    a_part: Whole
    b_level: Whole
    b_part: Whole
    links: Whole
    load: npt.NDArray[np.float64] | None  # mean of the links of each bundle
    broken: Whole  # links of each bundle


@dataclass(frozen=True, eq=False)
class Parts:
    """The level and the part of every device."""

    fabric: Fabric
    word: str  # pod | group | plane | rail | leaf | layer
    level: Whole
    part: Whole

    def words(self, count: int, more: str = "") -> str:
        """Some parts in words: 5 more pods."""
        many = "leaves" if self.word == "leaf" else f"{self.word}s"
        return plural(count, more + self.word, more + many)

    @cached_property
    def count(self) -> int:
        """How many parts there are; 0 where all devices serve all."""
        return int(self.part.max(initial=-1)) + 1

    @cached_property
    def devices(self) -> npt.NDArray[np.int64]:
        """Devices of each level (row) and part (column); the last column serves several parts."""
        levels = len(self.fabric.tier_names) + 1
        where = self.level * (self.count + 1) + np.where(self.part < 0, self.count, self.part)
        counts = np.bincount(where, minlength=levels * (self.count + 1))
        return counts.reshape(levels, self.count + 1)

    def bundles(
        self,
        load: npt.NDArray[np.floating] | None = None,
        broken: npt.NDArray[np.bool_] | None = None,
    ) -> Bundles:
        """All links by kind and by the boxes they join."""
        fabric, size = self.fabric, self.count + 1
        levels = len(fabric.tier_names) + 1
        box = self.level * size + self.part + 1
        a, b = box[fabric.a], box[fabric.b]
        low, high = np.minimum(a, b), np.maximum(a, b)
        boxes = levels * size
        codes = (fabric.kind.astype(np.int64) * boxes + low) * boxes + high
        found, which = np.unique(codes, return_inverse=True)
        links = np.bincount(which, minlength=len(found))
        rest, high = np.divmod(found, boxes)
        kind, low = np.divmod(rest, boxes)
        mean = None
        if load is not None:
            mean = np.bincount(which, weights=np.asarray(load), minlength=len(found)) / links
        dead = np.zeros(len(found), dtype=np.int64)
        if broken is not None:
            dead = np.bincount(which[np.asarray(broken)], minlength=len(found))
        return Bundles(
            kind=kind,
            a_level=low // size,
            a_part=low % size - 1,
            b_level=high // size,
            b_part=high % size - 1,
            links=links,
            load=mean,
            broken=dead,
        )


@lru_cache(maxsize=2)  # the picture and its sentence ask for the same
def parts_of(fabric: Fabric, dims: tuple[int, ...] | None = None) -> Parts:
    """Split a fabric; ``dims`` of a grid are found from its links if not given."""
    levels = level(fabric)
    for word, of_switch in _choices(fabric):
        present = np.unique(of_switch[of_switch >= 0])
        if len(present) > 1:
            part = np.full(fabric.devices, -1, dtype=np.int64)
            named = of_switch >= 0
            part[fabric.hosts :][named] = np.searchsorted(present, of_switch[named])
            return Parts(fabric, word, levels, _with_hosts(fabric, part))
    part = np.full(fabric.devices, -1, dtype=np.int64)
    if not is_direct(fabric) and len(fabric.tier_names) > 1:
        leaves = np.flatnonzero(levels == 1)
        part[leaves] = np.arange(len(leaves))
        return Parts(fabric, "leaf", levels, _with_hosts(fabric, part))
    if is_direct(fabric):
        first = fabric.hosts if fabric.switches else 0
        grid = dimensions(fabric, dims)
        if grid is not None and len(grid) > 1 and math.prod(grid) == fabric.devices - first:
            part[first:] = np.arange(fabric.devices - first) // math.prod(grid[1:])
            part = _with_hosts(fabric, part)
    return Parts(fabric, "layer", levels, part)


def _choices(fabric: Fabric) -> list[tuple[str, Whole]]:
    grouped = "group" if fabric.family in _GROUPED else "pod"
    pod, plane, rail = (
        np.asarray(values, dtype=np.int64) for values in (fabric.pod, fabric.plane, fabric.rail)
    )
    # A pod that is a single switch tells nothing: there are as many as leaves.
    lowest = np.asarray(fabric.tier) == 0
    alone = len(np.unique(pod[lowest])) == np.count_nonzero(lowest) and fabric.switches > 0
    return [(grouped, np.full_like(pod, -1) if alone else pod), ("plane", plane), ("rail", rail)]


def _with_hosts(fabric: Fabric, part: Whole) -> Whole:
    """A host belongs to the part of its switches if they are all of one."""
    if not fabric.switches:
        return part
    at_host = fabric.a < fabric.hosts
    host, of_link = fabric.a[at_host], part[fabric.b[at_host]]
    low = np.full(fabric.hosts, np.iinfo(np.int64).max)
    high = np.full(fabric.hosts, -1, dtype=np.int64)
    np.minimum.at(low, host, of_link)
    np.maximum.at(high, host, of_link)
    part[: fabric.hosts] = np.where(low == high, high, -1)
    return part
