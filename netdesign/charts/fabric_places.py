"""Where does each device of a built fabric stand on a sheet of 100 x 100?

Tiers stand in rows, servers lowest. Where switches of one tier are joined (or there are none), the
routers stand in groups round a ring, or on the grid of their dimensions with their hosts below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.charts.fabric_words import port_words, tier_words
from netdesign.topology.built import Fabric

Array = npt.NDArray[np.float64]

LEFT, RIGHT = 19.0, 99.5  # rows of tiers; left of them stand the words
_ROWS = {
    1: (50.0,),
    2: (16.0, 84.0),
    3: (7.0, 51.0, 95.0),
    4: (5.0, 35.5, 66.0, 96.5),
    5: (5.0, 28.0, 50.5, 73.5, 96.5),
    6: (5.0, 23.5, 41.5, 60.0, 78.0, 96.5),
}
_MOST_DIMENSIONS = 6
_TRIED_LINKS = 1_000
_MOST_TWISTED = 0.1  # of the links, that may leave their row of the grid
_MOST_TWISTED_KNOWN = 0.3  # where the links say which dimension they are of
GRIDS = ("hyperx", "torus", "hammingmesh")
_MIDDLE = (50.0, 48.0)
_RING = (49.5, 50.0)
_CORNER = 0.8  # of the radius of a group: its name stands outside, above or below


@dataclass(frozen=True, eq=False)
class Places:
    """Centre, width and height of each device, and the words beside them."""

    x: Array
    y: Array
    width: Array
    height: Array
    in_tiers: bool
    labelled: npt.NDArray[np.bool_]  # devices that have room for their number
    titles: tuple[tuple[float, float, str, str], ...]  # x, y, heading, detail
    groups: tuple[tuple[float, float, str], ...] = ()  # centre and name of each group


def level(fabric: Fabric) -> npt.NDArray[np.int64]:
    """0 for a host, 1 for a switch of the lowest tier and so on; one for each device."""
    tiers = np.asarray(fabric.tier, dtype=np.int64) + 1
    return np.concatenate([np.zeros(fabric.hosts, dtype=np.int64), tiers])


def is_direct(fabric: Fabric) -> bool:
    """Whether devices of one tier are joined to each other."""
    levels = level(fabric)
    return bool(np.any(levels[fabric.a] == levels[fabric.b]))


def places(fabric: Fabric, dims: tuple[int, ...] | None = None) -> Places:
    """Places of all devices; ``dims`` of a grid are found from its links if not given."""
    if not is_direct(fabric):
        return _rows(fabric)
    first = fabric.hosts if fabric.switches else 0
    count = fabric.switches or fabric.hosts
    grid = None
    if dims is not None or fabric.family in GRIDS or not _is_grouped(fabric):
        grid = dimensions(fabric, dims)
    if grid is not None and len(grid) > 1 and math.prod(grid) == count:
        x, y, cell = _grid(grid)
        groups: tuple[tuple[float, float, str], ...] = ()
    else:
        x, y, cell, groups = _ring(fabric, count)
    return _with_hosts(fabric, first, x, y, cell, groups)


def _is_grouped(fabric: Fabric) -> bool:
    return bool(fabric.switches and fabric.pod.min() >= 0 and len(np.unique(fabric.pod)) > 1)


def dimensions(fabric: Fabric, dims: tuple[int, ...] | None = None) -> tuple[int, ...] | None:
    """The grid whose rows hold the links of this fabric, its last dimension numbered first.

    ``dims`` are taken if given, in the order that fits; else what the kinds of links say; else the
    most dimensions that fit. None if there is no grid.
    """
    first = fabric.hosts if fabric.switches else 0
    count = fabric.switches or fabric.hosts
    between = (fabric.a >= first) & (fabric.b >= first)
    step = max(1, int(np.count_nonzero(between)) // _TRIED_LINKS)
    a, b = fabric.a[between][::step] - first, fabric.b[between][::step] - first

    def astray(grid: tuple[int, ...]) -> float:
        """Share of the links that leave their row of the grid."""
        ends = zip(np.unravel_index(a, grid), np.unravel_index(b, grid), strict=True)
        moved = sum((left != right).astype(np.int64) for left, right in ends)
        return float(np.mean(moved != 1))

    if dims is not None and math.prod(dims) == count:
        return min(dims, dims[::-1], key=astray)
    known = _sides_of_kinds(fabric, count)
    if known is not None and astray(known) <= _MOST_TWISTED_KNOWN:
        return known
    tried = ((astray(grid), grid) for grid in _factors(count, _MOST_DIMENSIONS))
    fitting = [(off == 0.0, len(grid), grid) for off, grid in tried if off <= _MOST_TWISTED]
    return max(fitting)[2] if fitting else None


def _sides_of_kinds(fabric: Fabric, count: int) -> tuple[int, ...] | None:
    """The grid that kinds of links named after dimensions tell: neighbours are a pitch apart."""
    pitches = []
    for number, kind in enumerate(fabric.kinds):
        own = np.asarray(fabric.kind) == number
        if kind.name.startswith("dim") and own.any():
            apart = np.asarray(fabric.b)[own] - np.asarray(fabric.a)[own]
            pitches.append(int(np.abs(apart).min()))
    pitches.sort()
    if len(set(pitches)) != len(pitches) or not pitches or pitches[0] != 1:
        return None
    sides = [high // low for low, high in zip(pitches, [*pitches[1:], count], strict=True)]
    return tuple(reversed(sides)) if math.prod(sides) == count else None


def _factors(count: int, most: int) -> Iterator[tuple[int, ...]]:
    yield (count,)
    if most > 1:
        for first in range(2, count // 2 + 1):
            if count % first == 0:
                for rest in _factors(count // first, most - 1):
                    yield (first, *rest)


def _rows(fabric: Fabric) -> Places:
    levels = level(fabric)
    counts = np.bincount(levels, minlength=len(fabric.tier_names) + 1)
    present = np.flatnonzero(counts).tolist()
    centres = np.zeros(len(counts))
    centres[present] = _ROWS[len(present)]
    x, width, height = (np.zeros(fabric.devices) for _ in range(3))
    labelled = np.zeros(fabric.devices, dtype=bool)
    titles = []
    for number in present:
        devices, count = np.flatnonzero(levels == number), int(counts[number])
        room = (RIGHT - LEFT) / count
        ports = (
            fabric.host_ports if number == 0 else int(fabric.ports[devices - fabric.hosts].max())
        )
        x[devices] = LEFT + (np.arange(count) + 0.5) * room
        width[devices] = min(0.84 * room, max(7.0, 0.95 * ports + 1.5))
        height[devices] = 7.5 if number == 0 else 9.5
        step = max(1, math.ceil(count / 16))
        labelled[devices[::step]] = True
        titles.append(
            (
                0.0,
                float(centres[number]),
                tier_words(fabric, number, count),
                port_words(fabric, number),
            )
        )
    return Places(x, centres[levels], width, height, True, labelled, tuple(titles))


def _ring(
    fabric: Fabric, count: int
) -> tuple[Array, Array, tuple[float, float], tuple[tuple[float, float, str], ...]]:
    """Groups round an ellipse, the routers of a group round a smaller one."""
    group = np.zeros(count, dtype=np.int64)
    if fabric.switches and fabric.pod.min() >= 0:
        group = np.unique(fabric.pod, return_inverse=True)[1]
    sizes = np.bincount(group)
    place = np.zeros(count, dtype=np.int64)
    for number in range(len(sizes)):
        place[group == number] = np.arange(sizes[number])
    centre_x, centre_y, share = _round(np.arange(len(sizes)), np.full(len(sizes), len(sizes)))
    inner_x, inner_y, part = _round(place, sizes[group])
    radius = 0.94 * share[0]
    size = np.array([2 * _RING[0], 2 * _RING[1]]) * radius * float(part.min())
    if len(fabric.tier_names) > 1:
        inner_x, inner_y, across, up = _rows_of_groups(fabric, group)
        size = np.array([2 * _RING[0] * across, 2 * _RING[1] * up]) * radius
    x = _MIDDLE[0] + _RING[0] * (centre_x[group] + radius * inner_x)
    y = _MIDDLE[1] + _RING[1] * (centre_y[group] + radius * inner_y)
    corner = _CORNER * float(share[0])
    names = tuple(
        (
            _MIDDLE[0] + _RING[0] * (left + (corner if left > 0.1 else -corner)),
            _MIDDLE[1] + _RING[1] * (up + (corner if up > -0.5 else -corner)),
            str(number + 1),
        )
        for number, (left, up) in enumerate(zip(centre_x.tolist(), centre_y.tolist(), strict=True))
    )
    return x, y, (float(size[0]), float(size[1])), names if len(sizes) > 1 else ()


def _rows_of_groups(
    fabric: Fabric, group: npt.NDArray[np.int64]
) -> tuple[Array, Array, float, float]:
    """Places inside a group of radius 1 with a row for each tier; half a cell, across and up."""
    tiers = len(fabric.tier_names)
    row = group * tiers + np.asarray(fabric.tier)
    count = np.bincount(row)
    order = np.argsort(row, kind="stable")
    place = np.empty(len(row), dtype=np.int64)
    place[order] = np.arange(len(row)) - np.searchsorted(row[order], row[order])
    x = 0.9 * (2 * (place + 0.5) / count[row] - 1)
    y = (2 * np.asarray(fabric.tier) - (tiers - 1)) / tiers * 0.9
    return x, y, 0.9 / float(count.max()), 0.45 / tiers


def _round(
    place: npt.NDArray[np.int64], total: npt.NDArray[np.int64]
) -> tuple[Array, Array, Array]:
    """Centres of equal discs side by side inside a circle of radius 1, and their radius."""
    sine = np.where(total > 1, np.sin(np.pi / np.maximum(total, 2)), 1e9)
    ring = np.where(total > 1, 1 / (1 + sine), 0.0)
    angle = 2 * np.pi * (place + np.where(total == 2, 0.25, 0.0)) / total
    radius = np.where(total > 1, sine / (1 + sine), 1.0)
    return ring * np.sin(angle), ring * np.cos(angle), radius


def _grid(dims: tuple[int, ...]) -> tuple[Array, Array, tuple[float, float]]:
    """The last dimension to the right, the one before upwards, the rest along the diagonal.

    Rows are bowed a little, so that a link from end to end does not hide those between.
    """
    deep, high, wide = (math.prod(dims[:-2]), *dims[-2:])
    k, j, i = np.unravel_index(np.arange(math.prod(dims)), (deep, high, wide))
    across, up = 97.0 / wide, 97.0 / high
    bow_x, bow_y = 0.16 * across, 0.2 * up
    depth = (k - (deep - 1) / 2) / deep
    x = 1.5 + across * (i + 0.45 + 0.74 * depth) + bow_x * (_bow(j, high) + 0.5 * _bow(k, deep))
    y = -2.0 + up * (j + 0.46 + 0.74 * depth) + bow_y * (_bow(i, wide) - 0.5 * _bow(k, deep))
    return x, y, (0.9 * across / deep, 0.66 * up / deep)


def _bow(place: npt.NDArray[np.integer], total: int) -> Array:
    share = place / max(total - 1, 1)
    return np.asarray(4 * share * (1 - share) - 0.5 if total > 2 else 0.0 * place)


def _with_hosts(
    fabric: Fabric,
    first: int,
    at_x: Array,
    at_y: Array,
    cell: tuple[float, float],
    groups: tuple[tuple[float, float, str], ...],
) -> Places:
    """Routers as they are placed, each host below the router of its first link."""
    x, y = np.zeros(fabric.devices), np.zeros(fabric.devices)
    width, height = np.zeros(fabric.devices), np.zeros(fabric.devices)
    wide, high = min(0.8 * cell[0], 16.0), min((0.26 if first else 0.55) * cell[1], 3.4)
    gap = min(0.14 * cell[1], 3.5)
    x[first:], y[first:], width[first:], height[first:] = at_x, at_y, wide, high
    if first:
        of_host = np.flatnonzero(fabric.a < fabric.hosts)
        hosts, where = np.unique(fabric.a[of_host], return_index=True)
        router = fabric.b[of_host][where]
        order = np.argsort(router, kind="stable")
        hosts, router = hosts[order], router[order]
        starts = np.searchsorted(router, router)
        total = np.searchsorted(router, router, side="right") - starts
        room = wide / total
        x[hosts] = x[router] - wide / 2 + room * (np.arange(len(hosts)) - starts + 0.5)
        y[first:] += gap / 2 + 0.4 * high
        y[hosts] = y[router] - 0.9 * high - gap
        width[hosts], height[hosts] = 0.7 * room, 0.8 * high
    levels = level(fabric)
    present, counts = np.unique(levels, return_counts=True)
    words = ", ".join(
        tier_words(fabric, number, count)
        for number, count in zip(present.tolist(), counts.tolist(), strict=True)
    )
    title = ((0.0, 100.0, words, ""),)
    nobody = np.zeros(fabric.devices, dtype=bool)
    return Places(x, y, width, height, False, nobody, title, groups)
