"""How long is the cable of each link, and what is it made of?

A cable climbs from its device to the tray above the racks, runs along its row and across rows, and
comes down; one inside a rack stays there. What a cage holds must suit every link in it: two links
behind one twin-port module are made alike, and a copper cable of two links needs both in one cage
at each end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from netdesign.catalog import Floor, LinkMedium, load_catalog
from netdesign.topology.built import Fabric
from netdesign.topology.media import link_medium

if TYPE_CHECKING:
    from netdesign.topology.layout import Placement

Whole = npt.NDArray[np.int64]
Real = npt.NDArray[np.float64]
Truth = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cages:
    """Which cage each end of each link sits in; cages are numbered over the whole fabric."""

    a: Whole
    b: Whole
    count: int  # numbers in use, with gaps


def with_cables(
    fabric: Fabric,
    placement: Placement,
    media: Iterable[LinkMedium] | None = None,
    floor: Floor | None = None,
    *,
    server_twin_port_cages: bool = False,
    switch_cage_ports: int = 1,
) -> Fabric:
    """The fabric with length and medium of every link.

    The medium is the one of the shortest reach that is long enough for its speed and its use, and
    that suits the other links in its cages.

    Parameters
    ----------
    fabric : Fabric
    placement : Placement
    media : iterable of LinkMedium   what may be used; the catalogue's if None
    floor : Floor                    the machine room; that of ``data/floor.csv`` if None
    server_twin_port_cages : bool    the servers take two links in one cage
    switch_cage_ports : int          ports of a switch behind one cage

    Returns
    -------
    Fabric      ``length_m`` in metres as ordered; ``medium`` -1 where nothing reaches, and a note
                says how many
    """
    catalog = load_catalog()
    rows = tuple(catalog.link_media.values() if media is None else media)
    lengths = cable_lengths(fabric, placement, catalog.floor if floor is None else floor)
    cages = cages_of(
        fabric,
        server_twin_port_cages=server_twin_port_cages,
        switch_cage_ports=switch_cage_ports,
    )
    choice = _Choice(fabric, rows, lengths, server_twin_port_cages, switch_cage_ports)
    medium = _suited(choice, cages)
    used = np.flatnonzero(np.bincount(medium[medium >= 0], minlength=len(rows)))
    number = np.full(len(rows) + 1, -1)
    number[used] = np.arange(len(used))
    return replace(
        fabric,
        media=tuple(rows[index].id for index in used),
        medium=number[medium].astype(np.int32),
        length_m=_as_ordered(lengths, medium, rows, cages, choice.to_server).astype(np.float32),
        notes=(*fabric.notes, *_unreached(fabric, medium, lengths)),
    )


def cable_lengths(fabric: Fabric, placement: Placement, floor: Floor) -> Real:
    """Length of every link's cable in metres: its route, the slack, rounded up to a stocked one.

    The route between two racks is tray by tray at right angles (Manhattan), which takes a tray
    across the rows at every rack.
    """
    rack_a, rack_b = placement.rack[fabric.a], placement.rack[fabric.b]
    x = floor.rack_width * placement.column
    x = x + floor.cross_aisle * (placement.column // floor.racks_per_row)
    along = np.abs(x[rack_a] - x[rack_b])
    across = floor.row_pitch * np.abs(placement.row[rack_a] - placement.row[rack_b])
    level = floor.unit_height * (placement.unit - 1 + placement.height / 2)
    tray = floor.unit_height * floor.rack_units + floor.tray_height
    up, down = level[fabric.a], level[fabric.b]
    climb = np.where(rack_a == rack_b, np.abs(up - down), 2 * tray - up - down)
    route = 2 * floor.port_to_manager + climb + along + across
    return stocked((1 + floor.slack_share) * route, floor)


def stocked(need: Real, floor: Floor) -> Real:
    """The next length on the shelf, in metres; beyond the longest, made to order in full steps."""
    shelf = np.array(floor.stocked_lengths, dtype=float)
    need = np.round(need, 6)  # a route of 4.9999999999 m is one of 5 m
    place = np.searchsorted(shelf, need)
    made = floor.made_to_order_step * np.ceil(need / floor.made_to_order_step)
    return np.where(place < len(shelf), shelf[np.minimum(place, len(shelf) - 1)], made)


def cages_of(fabric: Fabric, *, server_twin_port_cages: bool, switch_cage_ports: int) -> Cages:
    """The cage of every link end; ports of a switch share a cage in the order of their numbers.

    Parameters
    ----------
    fabric : Fabric
    server_twin_port_cages : bool    two ports of a server share a cage
    switch_cage_ports : int, >= 1    ports of a switch that share a cage
    """
    on_host = 2 if server_twin_port_cages else 1
    on_switch = fabric.breakout * switch_cage_ports
    each = 1 + max(
        int(slot.max(initial=0)) // min(on_host, on_switch)
        for slot in (fabric.a_slot, fabric.b_slot)
    )
    host_a, host_b = fabric.a < fabric.hosts, fabric.b < fabric.hosts
    ends = [
        device.astype(np.int64) * each + slot // np.where(host, on_host, on_switch)
        for device, slot, host in (
            (fabric.a, fabric.a_slot, host_a),
            (fabric.b, fabric.b_slot, host_b),
        )
    ]
    return Cages(ends[0], ends[1], fabric.devices * each)


class _Choice:
    """Picks the medium of every link, asking the catalogue once for links that are alike."""

    def __init__(
        self,
        fabric: Fabric,
        media: tuple[LinkMedium, ...],
        lengths: Real,
        server_twin_port_cages: bool,
        switch_cage_ports: int,
    ) -> None:
        self.fabric, self.media, self.twin = fabric, media, server_twin_port_cages
        self.cage_slots = fabric.breakout * switch_cage_ports
        reaches = [medium.reach_m for medium in media]
        self.levels = np.unique(np.r_[np.unique(lengths), reaches])
        self.need = np.searchsorted(self.levels, lengths)  # of each link, index into levels
        self.straight = np.zeros(fabric.links, dtype=bool)  # a cable of its own
        self.to_server = (fabric.a < fabric.hosts) & (fabric.b >= fabric.hosts)
        self.known: dict[int, int] = {}
        paired = np.array([medium.cable_links > 1 for medium in media] + [False])
        self.modules = (*_modules(media), paired)

    def level_of(self, medium: Whole) -> Whole:
        """Reach of media as an index into the levels; -1 for no medium."""
        reach = np.r_[[medium.reach_m for medium in self.media], -1.0]
        level = np.where(reach < 0, -1, np.searchsorted(self.levels, reach))
        return np.asarray(level[medium], dtype=np.int64)

    def pick(self, links: Whole) -> Whole:
        """Index into the media for these links; -1 where none serves."""
        alike = (self.fabric.kind[links].astype(np.int64) * len(self.levels) + self.need[links]) * 4
        alike += 2 * self.to_server[links] + self.straight[links]
        size = len(self.fabric.kinds) * len(self.levels) * 4
        table = np.full(size, -1)
        for code in np.flatnonzero(np.bincount(alike, minlength=size)).tolist():
            if code not in self.known:
                kind, level = divmod(code // 4, len(self.levels))
                near = float(self.levels[level])
                self.known[code] = self._one(kind, near, bool(code & 2), bool(code & 1))
            table[code] = self.known[code]
        return np.asarray(table[alike], dtype=np.int64)

    def _one(self, kind: int, length: float, to_server: bool, straight: bool) -> int:
        links = self.fabric.kinds[kind]
        in_cage = self.cage_slots // links.slots
        fitting = sorted(
            (medium for medium in self.media if not straight or medium.cable_links == 1),
            key=lambda medium: medium.switch_end_ports not in (0, in_cage),
        )
        found = link_medium(
            fitting,
            links.gbps,
            length,
            "host" if to_server else "fabric",
            twin_port_cages=self.twin,
        )
        return -1 if found is None else self.media.index(found)


def _suited(choice: _Choice, cages: Cages) -> Whole:
    """Media such that every cage holds one kind of module; longer reaches win where they differ.

    A link that would be left without a medium keeps its own. Only links whose cages have changed
    are looked at again; reaches only grow, so it ends.
    """
    links = np.arange(len(cages.a))
    medium = choice.pick(links)
    ends = np.concatenate([cages.a, cages.b])
    held = np.bincount(ends, minlength=cages.count)
    if int(held.max(initial=0)) < 2:
        return medium
    members, first = np.argsort(ends) % len(links), np.cumsum(held) - held
    touched = np.ones(cages.count, dtype=np.bool_)
    dirty = np.arange(cages.count)
    while len(links):
        near = Cages(cages.a[links], cages.b[links], cages.count)
        before = choice.need[links], choice.straight[links]
        reach, apart = _demands(choice, medium[links], links, near, held, touched)
        choice.need[links] = np.maximum(before[0], reach)
        choice.straight[links] = before[1] | apart
        found = choice.pick(links)
        lost = (found < 0) & (medium[links] >= 0)
        choice.need[links[lost]] = before[0][lost]
        choice.straight[links[lost]] = before[1][lost]
        changed = ~lost & (found != medium[links])
        medium[links[changed]] = found[changed]
        touched[dirty] = False
        dirty = np.unique(np.concatenate([near.a[changed], near.b[changed]]))
        touched[dirty] = True
        count = held[dirty]
        within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        links = np.unique(members[np.repeat(first[dirty], count) + within])
    return medium


def _demands(
    choice: _Choice,
    medium: Whole,
    links: Whole,
    near: Cages,
    held: Whole,
    touched: Truth,
) -> tuple[Whole, Truth]:
    """What their cages ask of links: a reach (level, -1 for none) and a cable of one's own."""
    switch_module, server_module, paired = choice.modules
    to_server = choice.to_server[links]
    at_a = np.where(to_server, server_module[medium], switch_module[medium])
    cage, which = np.unique(np.concatenate([near.a, near.b]), return_inverse=True)
    mixed = _mixed(np.concatenate([at_a, switch_module[medium]]), which, len(cage))
    reach = np.full(len(cage), -1)
    level = choice.level_of(medium)
    np.maximum.at(reach, which, np.concatenate([level, level]))
    reach[~(mixed & touched[cage])] = -1
    chosen = paired[medium] & ~to_server
    apart = _apart(near, held, chosen)
    at_b = which[len(links) :]
    return np.maximum(reach[which[: len(links)]], reach[at_b]), apart


def _modules(media: tuple[LinkMedium, ...]) -> tuple[Whole, Whole]:
    """A number for what sits in a cage at the switch and at the server end; -1 for no medium."""
    names: dict[str, int] = {}
    found = [
        [
            names.setdefault(part or f"cable {medium.id}", len(names))
            for part in (medium.switch_end_part, medium.host_end_part)
        ]
        for medium in media
    ]
    table = np.array([*found, [-1, -1]], dtype=np.int64)
    return table[:, 0], table[:, 1]


def _mixed(module: Whole, ends: Whole, count: int) -> Truth:
    """Cages that would have to hold different modules."""
    there = module >= 0
    lowest, highest = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(lowest, ends[there], module[there])
    np.maximum.at(highest, ends[there], module[there])
    return np.asarray(highest > lowest, dtype=np.bool_)


def _apart(cages: Cages, held: Whole, paired: Truth) -> Truth:
    """Links of paired cables whose cages also hold links that go elsewhere."""
    apart = np.zeros(len(paired), dtype=np.bool_)
    chosen = np.flatnonzero(paired)
    a, b = cages.a[chosen], cages.b[chosen]
    _, which, together = np.unique(a * cages.count + b, return_inverse=True, return_counts=True)
    apart[chosen] = (together[which] != held[a]) | (together[which] != held[b])
    return apart


def _as_ordered(
    lengths: Real, medium: Whole, media: tuple[LinkMedium, ...], cages: Cages, to_server: Truth
) -> Real:
    """Lengths, where the tails of a splitter to servers are as long as the longer one."""
    paired = np.array([row.cable_links > 1 for row in media] + [False])
    tails = to_server & paired[medium]
    if not tails.any():
        return lengths
    longest = np.zeros(cages.count)
    np.maximum.at(longest, cages.b[tails], lengths[tails])
    return np.where(tails, longest[cages.b], lengths)


def _unreached(fabric: Fabric, medium: Whole, lengths: Real) -> tuple[str, ...]:
    notes = []
    for index, kind in enumerate(fabric.kinds):
        none = (medium < 0) & (fabric.kind == index)
        count = int(np.count_nonzero(none))
        if count:
            notes.append(
                f"{count} {kind.name} links of {kind.gbps:g} Gb/s, up to {lengths[none].max():g} m "
                "long, have no medium that reaches"
            )
    return tuple(notes)
