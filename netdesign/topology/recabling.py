"""How many cables of a Clos fabric move when it grows? In arithmetic, without drawing a link.

Switches deal their links in turn to the switches above: the k-th link of a pod goes to spine k mod
S. A device's links are a run of k, so the devices above it get q = n div S links each and a cyclic
run of n mod S of them one more; that of leaves that are cabled alike begins at the first spine.
What two such deals share are overlaps of runs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.clos_shape import ClosShape, alike_pods
from netdesign.topology.core_links import core_links, kept_links, striped

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Recabling:
    """Cables that move when a fabric grows, and the switches with which none would."""

    host: int
    leaf_spine: int
    spine_core: int
    links_between_switches: int  # of today's fabric
    today: dict[str, int]  # switches by tier of today's fabric
    ready: dict[str, int]  # of today's fabric built as a part of tomorrow's

    @property
    def between_switches(self) -> int:
        return self.leaf_spine + self.spine_core


def recabled(today: ClosShape, tomorrow: ClosShape) -> Recabling:
    """Cables of a Clos fabric that move when more endpoints come.

    Parameters
    ----------
    today, tomorrow : ClosShape     of one family, switch and server, both can be built; the second
                                    larger; planes, if any, dealt alike

    Returns
    -------
    Recabling                       the counts of ``growth.compare`` on the built graphs
    """
    copies = today.request.copies
    between = today.leaves.count * today.up_links + today.core_links
    return Recabling(
        host=copies * _hosts_moved(today, tomorrow),
        leaf_spine=copies * _of_leaves(today).moved(_of_leaves(tomorrow)),
        spine_core=copies * _core_links_moved(today, tomorrow),
        links_between_switches=copies * between,
        today=_by_tier(copies, today.leaves.count, today.spines, today.cores),
        ready=_by_tier(copies, *_ready(today, tomorrow)),
    )


def _by_tier(copies: int, leaves: int, spines: int, cores: int) -> dict[str, int]:
    return {"leaf": copies * leaves, "spine": copies * spines, "core": copies * cores}


def _ready(today: ClosShape, tomorrow: ClosShape) -> tuple[int, int, int]:
    """Leaves, spines and cores of tomorrow's copy that today's hosts need.

    Every leaf reaches all spines of its pod, every pod all cores.
    """
    leaves = _leaves_needed(today, tomorrow)
    if leaves < 2:
        return leaves, 0, 0
    pods = np.repeat(
        [(pod.leaves, pod.spines) for pod in tomorrow.pods],
        [pod.count for pod in tomorrow.pods],
        axis=0,
    )
    if tomorrow.core_groups:
        units = -(-leaves // tomorrow.leaves.per_unit)
        needed = units * tomorrow.leaves.per_unit // tomorrow.pods[0].leaves
        return leaves, int(pods[:needed, 1].sum()), tomorrow.cores
    needed = int(np.searchsorted(np.cumsum(pods[:, 0]), leaves)) + 1
    return leaves, int(pods[:needed, 1].sum()), tomorrow.cores if needed > 1 else 0


def _leaves_needed(today: ClosShape, tomorrow: ClosShape) -> int:
    request, sets = tomorrow.request, tomorrow.leaves
    if not sets.machines:
        return -(-today.request.copy_endpoints // sets.capacity)
    side = request.copy_rails * sets.for_rail
    machines = today.request.machines
    if request.unit_machines:
        units, rest = divmod(machines, request.unit_machines)
        return units * sets.per_unit + -(-rest // sets.machines) * side
    held, full = -(-machines // sets.machines), request.machines // sets.machines
    return min(held, full) * side + (sets.partial_leaves if held > full else 0)


def _hosts_moved(today: ClosShape, tomorrow: ClosShape) -> int:
    """Hosts change leaves only where today's leaf is the whole fabric or is shared by rails."""
    request, sets = today.request, today.leaves
    if not tomorrow.leaves.machines:
        grows = sets.capacity != tomorrow.leaves.capacity
        return max(request.copy_endpoints - tomorrow.leaves.capacity, 0) if grows else 0
    if request.unit_machines or not sets.partial_leaves:
        return 0
    full, rest = divmod(request.machines, sets.machines)
    rails, rail = request.copy_rails, np.arange(request.copy_rails)
    still_shared = tomorrow.request.machines // sets.machines == full
    later = rail * tomorrow.leaves.partial_leaves // rails if still_shared else rail
    moving = int(np.count_nonzero(later != rail * sets.partial_leaves // rails))
    return rest * moving * (request.copy_ports // rails)


def _of_leaves(shape: ClosShape) -> Deal:
    """Uplinks of the leaves of a copy to spines."""
    if not shape.pods:
        return _NOTHING
    leaf = np.arange(shape.leaves.count, dtype=np.int64)
    pod, index = np.divmod(leaf, shape.pods[0].leaves)
    if shape.core_groups:
        unit, within = np.divmod(leaf, shape.leaves.per_unit)
        side = shape.request.copy_rails * shape.leaves.for_rail
        number, in_set = np.divmod(within, side)
        pod = unit * shape.request.copy_rails + in_set // shape.leaves.for_rail
        index = number * shape.leaves.for_rail + in_set % shape.leaves.for_rail
    spines, _ = _of_pods(shape)
    first = np.cumsum(spines) - spines
    up = np.full_like(leaf, shape.up_links)
    begin = np.where(alike_pods(shape)[pod], 0, index * up)
    return Deal(begin, up, first[pod], spines[pod])


def _core_links_moved(today: ClosShape, tomorrow: ClosShape) -> int:
    """Links of spines to cores that move: those of each spine that it has in both and not kept."""
    if not (striped(today) or striped(tomorrow)) or not (today.cores and tomorrow.cores):
        return _of_spines(today).moved(_of_spines(tomorrow))
    devices = min(today.spines, tomorrow.spines)
    held = [np.bincount(core_links(shape)[0])[:devices] for shape in (today, tomorrow)]
    return int(np.minimum(*held).sum()) - kept_links(today, tomorrow)


def _of_spines(shape: ClosShape) -> Deal:
    """Uplinks of the spines of a copy to cores."""
    if not shape.cores:
        return _NOTHING
    spines, links = _of_pods(shape)
    pod = np.repeat(np.arange(len(spines)), spines)
    place = np.arange(shape.spines) - np.repeat(np.cumsum(spines) - spines, spines)
    if shape.core_groups:
        up, cores = links[pod] // spines[pod], shape.cores // shape.core_groups
        return Deal(pod * up, up, place * cores, np.full_like(up, cores))
    before = np.cumsum(links) - links
    begin = -(-place * links[pod] // spines[pod])
    end = -(-(place + 1) * links[pod] // spines[pod])
    return Deal(before[pod] + begin, end - begin, 0 * begin, np.full_like(begin, shape.cores))


def _of_pods(shape: ClosShape) -> tuple[Numbers, Numbers]:
    """Spines and links to cores of each pod."""
    counts = [pod.count for pod in shape.pods]
    spines = np.repeat(np.asarray([pod.spines for pod in shape.pods], np.int64), counts)
    return spines, np.repeat(np.asarray([pod.core_links for pod in shape.pods], np.int64), counts)


@dataclass(frozen=True, eq=False)
class Deal:
    """Links of n lower devices, arrays (n,).

    Link k of ``start`` .. ``start`` + ``count`` - 1 goes to upper device ``first`` + k mod
    ``width``.
    """

    start: Numbers
    count: Numbers
    first: Numbers
    width: Numbers

    def moved(self, later: Deal) -> int:
        """Links that leave their upper device for another when this deal becomes the later one."""
        devices = min(len(self.count), len(later.count))
        today, tomorrow = self._first(devices), later._first(devices)
        stays = shared_links(today, tomorrow)
        return int(np.sum(np.minimum(today.count, tomorrow.count) - stays))

    def _first(self, devices: int) -> Deal:
        fields = (self.start, self.count, self.first, self.width)
        return Deal(*(values[:devices] for values in fields))


def shared_links(today: Deal, tomorrow: Deal) -> Numbers:
    """Links of each lower device that join the same two devices in both deals.

    Parameters
    ----------
    today, tomorrow : Deal      of the same n lower devices

    Returns
    -------
    array of int, (n,)          sum over the upper devices of the smaller number of links
    """
    whole, whole_later = today.count // today.width, tomorrow.count // tomorrow.width
    common = _overlap(_all(today), _all(tomorrow))
    runs, later_runs = _runs(today), _runs(tomorrow)
    both = sum((_overlap(run, other) for run in runs for other in later_runs), start=0 * common)
    mine = sum((_overlap(run, _all(tomorrow)) for run in runs), start=0 * common)
    others = sum((_overlap(run, _all(today)) for run in later_runs), start=0 * common)
    extra = np.select([whole == whole_later, whole < whole_later], [both, mine], others)
    return np.asarray(np.minimum(whole, whole_later) * common + extra, dtype=np.int64)


_Run = tuple[Numbers, Numbers]  # from, up to but without


def _all(deal: Deal) -> _Run:
    return deal.first, deal.first + deal.width


def _runs(deal: Deal) -> tuple[_Run, _Run]:
    """Upper devices that get one link more, as a run and what of it wraps around."""
    begin = deal.start % deal.width
    end = begin + deal.count % deal.width
    straight = (deal.first + begin, deal.first + np.minimum(end, deal.width))
    return straight, (deal.first, deal.first + np.maximum(end - deal.width, 0))


def _overlap(one: _Run, other: _Run) -> Numbers:
    length = np.minimum(one[1], other[1]) - np.maximum(one[0], other[0])
    return np.asarray(np.maximum(length, 0), dtype=np.int64)


_NOTHING = Deal(*(np.zeros(0, dtype=np.int64),) * 4)
