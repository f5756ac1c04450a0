"""What happens to the cables of a fabric when it grows, and what to buy now so that none moves?

A cable is its two ends. A switch is known by its name: its tier and its running number there (in a
fabric whose every switch belongs to one rail or plane: the number within that rail or plane). The
ports of a switch are alike; those of a host are not, for each belongs to a rail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric
from netdesign.topology.families import build
from netdesign.topology.naming import device_names
from netdesign.topology.spec import FabricSpec
from netdesign.topology.wiring import occurrence

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Growth:
    """Cables by kind, and the ends of each that moves."""

    stays: Mapping[str, int]  # joins the same two devices
    moves: Mapping[str, int]  # its lower end stays, its upper end goes to another device
    new: Mapping[str, int]
    gone: Mapping[str, int]  # no longer of use at its lower end
    kinds: tuple[str, ...]  # of each cable that moves
    device: Numbers  # its lower end, as numbered today
    old_far: Numbers  # its upper end of today, as numbered today
    new_far: Numbers  # its upper end of tomorrow, as numbered tomorrow

    @property
    def moved(self) -> int:
        return sum(self.moves.values())

    @property
    def moved_between_switches(self) -> int:
        return sum(count for name, count in self.moves.items() if name != "host")


@dataclass(frozen=True, eq=False)
class Preparation:
    """Today's fabric built as a part of tomorrow's, so that nothing moves later."""

    fabric: Fabric  # slots are those of tomorrow's fabric
    devices: Numbers  # number in tomorrow's fabric of each device of this one
    extra: Mapping[str, int]  # switches by tier beyond those that today alone needs
    unprepared: Growth  # today's own fabric to tomorrow's
    prepared: Growth  # this fabric to tomorrow's


def compare(today: Fabric, tomorrow: Fabric) -> Growth:
    """Which cables stay, move, go and come between two fabrics.

    Parameters
    ----------
    today, tomorrow : Fabric    of any family; kinds of links are matched by name

    Returns
    -------
    Growth                      for each kind of either fabric; stays + moves + gone are the links
                                of today, stays + moves + new those of tomorrow
    """
    before, after = _ends(today, tomorrow)
    counts: dict[str, tuple[int, int, int, int]] = {}
    moved: list[tuple[Numbers, Numbers]] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
    for name in dict.fromkeys(kind.name for kind in (*today.kinds, *tomorrow.kinds)):
        old, new = _links_of(today, name), _links_of(tomorrow, name)
        same, same_new = _paired(before.pair[old], after.pair[new])
        old, new = np.delete(old, same), np.delete(new, same_new)
        goes, comes = _paired(before.lower[old], after.lower[new])
        moved.append((old[goes], new[comes]))
        counts[name] = (len(same), len(goes), len(new) - len(goes), len(old) - len(goes))
    links, links_new = (np.concatenate(side) for side in zip(*moved, strict=True))
    stays, moves, arrives, leaves = (
        {name: four[place] for name, four in counts.items()} for place in range(4)
    )
    return Growth(
        stays=stays,
        moves=moves,
        new=arrives,
        gone=leaves,
        kinds=tuple(today.kinds[kind].name for kind in today.kind[links].tolist()),
        device=before.device[links],
        old_far=before.far[links],
        new_far=after.far[links_new],
    )


def moved_cables(
    growth: Growth, today: Fabric, tomorrow: Fabric
) -> list[tuple[str, str, str, str]]:
    """Each cable that moves: kind, device, old far end, new far end.

    Names are those of the plan they stand in: device and old far end of today's, new far end of
    tomorrow's.
    """
    before, after = device_names(today), device_names(tomorrow)
    ends = (growth.device.tolist(), growth.old_far.tolist(), growth.new_far.tolist())
    return [
        (kind, before[device], before[old], after[new])
        for kind, device, old, new in zip(growth.kinds, *ends, strict=True)
    ]


def ready_to_grow(today: FabricSpec, tomorrow: FabricSpec) -> Preparation:
    """What to buy and how to cable now so that no cable moves when tomorrow's hosts come.

    Today's hosts get the leaves that they will have, these leaves all their uplinks, and so on up
    to the tier through which today's hosts meet.

    Parameters
    ----------
    today, tomorrow : FabricSpec    of the same family, the second larger; where it does not say how
                                    many GPUs a server has, it has as many as today's

    Raises
    ------
    DesignError                     for a fabric that cannot be built
    """
    small = build(today)
    if tomorrow.gpus_per_server is None:
        tomorrow = replace(tomorrow, gpus_per_server=small.gpus_per_host)
    large = build(tomorrow)
    part, devices = part_for(large, min(small.hosts, large.hosts))
    names = dict.fromkeys((*small.tier_names, *part.tier_names))
    return Preparation(
        fabric=part,
        devices=devices,
        extra={name: _switches(part, name) - _switches(small, name) for name in names},
        unprepared=compare(small, large),
        prepared=compare(part, large),
    )


def part_for(fabric: Fabric, hosts: int) -> tuple[Fabric, Numbers]:
    """The part of a fabric that its first hosts need.

    Parameters
    ----------
    fabric : Fabric
    hosts : int             how many of its hosts, from the first on

    Returns
    -------
    Fabric, array of int    the part, ports as in the whole; the number of each of its devices in
                            the whole
    """
    level = np.r_[np.full(fabric.hosts, -1), fabric.tier]
    kept = np.arange(fabric.devices) < hosts
    for tier in range(-1, len(fabric.tier_names)):
        rising = kept[fabric.a] & (level[fabric.a] == tier) & (level[fabric.b] > tier)
        kept[fabric.b[rising]] = True
    for top in range(len(fabric.tier_names) - 1, 0, -1):
        lower = kept & (level < top)
        if _groups(fabric, lower, level) > _groups(fabric, kept, level):
            break
        kept = lower
    return _only(fabric, kept, hosts), np.flatnonzero(kept)


def _only(fabric: Fabric, kept: npt.NDArray[np.bool_], hosts: int) -> Fabric:
    links = kept[fabric.a] & kept[fabric.b]
    number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    switches = kept[fabric.hosts :]
    return replace(
        fabric,
        hosts=hosts,
        endpoints=int(np.count_nonzero(fabric.a[links] < hosts)),
        tier=fabric.tier[switches],
        pod=fabric.pod[switches],
        rail=fabric.rail[switches],
        plane=fabric.plane[switches],
        ports=fabric.ports[switches],
        kind=fabric.kind[links],
        a=number[fabric.a[links]],
        a_slot=fabric.a_slot[links],
        b=number[fabric.b[links]],
        b_slot=fabric.b_slot[links],
        medium=None if fabric.medium is None else fabric.medium[links],
        length_m=None if fabric.length_m is None else fabric.length_m[links],
    )


def _groups(fabric: Fabric, kept: npt.NDArray[np.bool_], level: npt.NDArray[np.integer]) -> int:
    """Groups of kept leaves that meet through kept switches."""
    links = kept[fabric.a] & kept[fabric.b] & (level[fabric.a] >= 0)
    a, b = fabric.a[links], fabric.b[links]
    label = np.arange(fabric.devices)
    while np.any(label[a] != label[b]):
        lowest = np.minimum(label[a], label[b])
        np.minimum.at(label, a, lowest)
        np.minimum.at(label, b, lowest)
    return len(np.unique(label[kept & (level == 0)]))


def _switches(fabric: Fabric, tier: str) -> int:
    if tier not in fabric.tier_names:
        return 0
    return int(np.count_nonzero(fabric.tier == fabric.tier_names.index(tier)))


def _ends(today: Fabric, tomorrow: Fabric) -> tuple[_Ends, _Ends]:
    """The ends of every link by numbers that mean the same in both fabrics."""
    both = (today, tomorrow)
    tiers = list(dict.fromkeys((*today.tier_names, *tomorrow.tier_names)))
    apart = all(bool(np.all(fabric.rail >= 0)) for fabric in both)
    rails = 2 + max(int(fabric.rail.max(initial=0)) for fabric in both)
    planes = 2 + max(int(fabric.plane.max(initial=0)) for fabric in both)
    devices = max(fabric.devices for fabric in both)

    def known_by(fabric: Fabric) -> Numbers:
        host = np.zeros(fabric.hosts, dtype=np.int64)
        place = np.asarray([1 + tiers.index(name) for name in fabric.tier_names], dtype=np.int64)
        within = (np.r_[host, place[fabric.tier]] * planes + np.r_[host, 1 + fabric.plane]) * rails
        within += np.r_[host, 1 + fabric.rail] if apart else 0
        return np.asarray(within * devices + occurrence(within), dtype=np.int64)

    keys, number = np.unique(np.concatenate([known_by(each) for each in both]), return_inverse=True)
    cards = 1 + max(int(_card(fabric).max(initial=0)) for fabric in both)
    before = _Ends.of(today, number[: today.devices], len(keys), cards)
    return before, _Ends.of(tomorrow, number[today.devices :], len(keys), cards)


@dataclass(frozen=True, eq=False)
class _Ends:
    """Of each link: the device at its lower end, the one at its upper end, and both as numbers."""

    device: Numbers
    far: Numbers
    lower: Numbers  # with the port, where it is a host
    pair: Numbers

    @classmethod
    def of(cls, fabric: Fabric, number: Numbers, devices: int, cards: int) -> _Ends:
        level = np.r_[np.full(fabric.hosts, -1), fabric.tier]
        # Links within a tier have no lower end: the smaller number stands for it.
        swap = (level[fabric.a] == level[fabric.b]) & (number[fabric.a] > number[fabric.b])
        device, far = np.where(swap, fabric.b, fabric.a), np.where(swap, fabric.a, fabric.b)
        lower = number[device] * cards + _card(fabric)
        return cls(device, far, lower, lower * devices + number[far])


def _card(fabric: Fabric) -> Numbers:
    """Port of the host at the lower end of each link; 0 where that is a switch."""
    width = np.asarray([kind.slots for kind in fabric.kinds], dtype=np.int64)[fabric.kind]
    return np.asarray(np.where(fabric.a < fabric.hosts, fabric.a_slot // width, 0), np.int64)


def _links_of(fabric: Fabric, name: str) -> Numbers:
    names = [kind.name for kind in fabric.kinds]
    return np.flatnonzero(fabric.kind == (names.index(name) if name in names else -1))


def _paired(left: Numbers, right: Numbers) -> tuple[Numbers, Numbers]:
    """Places of equal values on both sides, each used once, in order of the left side."""
    repeats = 1 + max(int(occurrence(side).max(initial=0)) for side in (left, right))
    first, second = (side * repeats + occurrence(side) for side in (left, right))
    _, old, new = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    order = np.argsort(old)
    return old[order], new[order]
