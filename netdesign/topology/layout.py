"""Which rack holds each server and switch, and where does the rack stand?

The rule. Servers fill racks in the order of their numbers, racks fill rows. Switches that belong to
a part of the cluster (leaves, routers, and spines of a pod or unit) stand in network racks in the
middle of the row of the servers they serve, or, if asked for, leaves stand on top of those servers'
own racks. Switches that serve the whole cluster (cores, spines of a fabric of two tiers) have rows
of their own in the middle of the floor; a few of them share the middle of the middle row.
Many rows stand several in a line, so that the floor is about square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from netdesign.catalog import Floor, Server, load_catalog
from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, Ints
from netdesign.topology.cabling import with_cables

__all__ = ["Floor", "Placement", "default_floor", "floor_for", "place", "with_cables"]

Leaves = Literal["middle-of-row", "top-of-rack"]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Placement:
    """Where everything stands; racks are numbered row by row, from left to right."""

    rack: Ints  # of each device
    rack_names: tuple[str, ...]  # row letter and column: A01
    row: Ints  # of each rack: the line it stands in
    column: Ints  # of each rack in its line; each ``racks_per_row`` columns an aisle crosses
    unit: Ints  # lowest rack unit of each device, 1 at the floor
    height: Ints  # rack units of each device

    @property
    def racks(self) -> int:
        return len(self.rack_names)


@dataclass(frozen=True)
class _Row:
    """Racks of one row: half the server racks, then the network racks, then the other half."""

    servers: int
    local: int  # network racks of what serves this row
    central: int  # network racks of what serves the whole cluster

    @property
    def racks(self) -> int:
        return self.servers + self.local + self.central


def default_floor() -> Floor:
    """The machine room of ``data/floor.csv``."""
    return load_catalog().floor


def floor_for(server: Server, floor: Floor | None = None) -> Floor:
    """The machine room with as many of these servers in a rack as their vendor puts there."""
    return replace(
        default_floor() if floor is None else floor,
        servers_per_rack=server.servers_per_rack,
        server_units=server.rack_units,
    )


def place(
    fabric: Fabric, floor: Floor | None = None, *, leaves: Leaves = "middle-of-row"
) -> Placement:
    """Give every device of a fabric a rack and a rack unit.

    Parameters
    ----------
    fabric : Fabric
    floor : Floor       the machine room; that of ``data/floor.csv`` if None
    leaves : str        "middle-of-row": network racks amid the servers of a row;
                        "top-of-rack": in the racks of the servers themselves

    Raises
    ------
    DesignError         for a rack that is too low for what has to stand in it
    """
    floor = default_floor() if floor is None else floor
    per_rack, server_units = _servers_of_a_rack(fabric, floor)
    server_racks = -(-fabric.hosts // per_rack)
    host_rack = np.arange(fabric.hosts) // per_rack
    order, central = _switch_order(fabric, host_rack, server_racks)
    on_top = order[:0]
    if leaves == "top-of-rack":
        first = fabric.tier[order] == 0
        on_top, order = order[first], order[~first]
    elif leaves != "middle-of-row":
        raise DesignError("leaves", leaves, "is not known", "use middle-of-row or top-of-rack")
    rows, shares, guests_at = _rows(server_racks, len(order), len(central), floor)
    if guests_at is not None:
        order, central = np.insert(order, guests_at, central), central[:0]
    stand = _Stand(rows, floor)

    rack = np.zeros(fabric.devices, dtype=np.int64)
    unit = np.ones(fabric.devices, dtype=np.int64)
    rack[: fabric.hosts] = stand.server_rack[host_rack]
    unit[: fabric.hosts] = 1 + server_units * (np.arange(fabric.hosts) % per_rack)
    spot = np.zeros(fabric.switches, dtype=np.int64)  # from the top of the rack
    where = np.zeros(fabric.switches, dtype=np.int64)
    where[order], spot[order] = stand.local(shares, floor.switches_per_rack)
    where[central], spot[central] = stand.middle(len(central), floor.switches_per_rack)
    section = ((2 * np.arange(len(on_top)) + 1) * server_racks) // max(1, 2 * len(on_top))
    where[on_top] = stand.server_rack[section]
    spot[on_top] = np.arange(len(on_top)) - np.searchsorted(section, section)
    if len(on_top):
        _check_top(int(spot[on_top].max()) + 1, per_rack * server_units, floor)
    rack[fabric.hosts :] = where
    unit[fabric.hosts :] = floor.rack_units + 1 - floor.switch_units * (spot + 1)
    height = np.full(fabric.devices, floor.switch_units)
    height[: fabric.hosts] = server_units
    return Placement(
        rack=rack.astype(np.int32),
        rack_names=stand.names(),
        row=stand.row.astype(np.int32),
        column=stand.column.astype(np.int32),
        unit=unit.astype(np.int32),
        height=height.astype(np.int32),
    )


def _servers_of_a_rack(fabric: Fabric, floor: Floor) -> tuple[int, int]:
    """How many servers stand in a rack, and how many units each takes."""
    gpus = max(1, fabric.gpus_per_host)
    natural = min(floor.rack_units, max(1, int(np.ceil(gpus * floor.units_per_gpu))))
    units = natural if floor.server_units is None else floor.server_units
    fitting = floor.rack_units // units
    if fitting < 1:
        raise DesignError(
            "server_units",
            units,
            f"is more than a rack of {floor.rack_units} units has",
            "give less",
        )
    if floor.switches_per_rack * floor.switch_units > floor.rack_units:
        raise DesignError(
            "switches_per_rack",
            floor.switches_per_rack,
            f"of {floor.switch_units} units each do not fit a rack of {floor.rack_units} units",
            f"give at most {floor.rack_units // floor.switch_units}",
        )
    if floor.servers_per_rack is None:
        return max(1, min(floor.gpus_per_rack // gpus, fitting)), units
    if not 1 <= floor.servers_per_rack <= fitting:
        raise DesignError(
            "servers_per_rack",
            floor.servers_per_rack,
            f"does not fit a rack of {floor.rack_units} units with servers of {units}",
            f"give 1 to {fitting}",
        )
    return floor.servers_per_rack, units


def _check_top(switches: int, server_units: int, floor: Floor) -> None:
    room = (floor.rack_units - server_units) // floor.switch_units
    if switches > room:
        raise DesignError(
            "leaves",
            "top-of-rack",
            f"puts {switches} switches above {server_units} units of servers, "
            f"but a rack of {floor.rack_units} units has room for {room}",
            "use middle-of-row, or fewer servers a rack",
        )


def _switch_order(fabric: Fabric, host_rack: Whole, server_racks: int) -> tuple[Whole, Whole]:
    """Switches that serve a part, in the order of the racks they serve; and those that serve all.

    A leaf is where its servers are on average, a switch of a pod where the leaves of the pod are.
    """
    to_leaf = (fabric.a < fabric.hosts) & (fabric.b >= fabric.hosts)
    leaf = fabric.b[to_leaf].astype(np.int64) - fabric.hosts
    links = np.bincount(leaf, minlength=fabric.switches)
    sums = np.bincount(leaf, weights=host_rack[fabric.a[to_leaf]], minlength=fabric.switches)
    home = np.where(links > 0, sums / np.maximum(links, 1), float(server_racks))
    pods = int(fabric.pod.max(initial=-1)) + 1
    if pods:
        member = (fabric.pod >= 0) & (links > 0)
        pod = fabric.pod[member]
        count = np.bincount(pod, minlength=pods)
        mean = np.bincount(pod, weights=home[member], minlength=pods) / np.maximum(count, 1)
        follows = (fabric.pod >= 0) & (links == 0)
        home[follows] = mean[fabric.pod[follows]]
    part = (fabric.tier == 0) | (fabric.pod >= 0)
    local, central = np.flatnonzero(part), np.flatnonzero(~part)
    return local[np.argsort(home[local], kind="stable")], central


def _rows(
    server_racks: int, local: int, central: int, floor: Floor
) -> tuple[tuple[_Row, ...], Whole, int | None]:
    """The rows of the floor, and how many of the local switches stand in each.

    The third is where, in the order of the local switches, those that serve all join them; None
    where they have rows of their own.
    """
    each, longest = floor.switches_per_rack, floor.racks_per_row
    central_racks = -(-central // each)
    own_rows = 2 * central_racks > longest
    for count in range(-(-server_racks // longest), server_racks + 1):
        servers = np.diff(np.arange(count + 1) * server_racks // count)
        shares = np.diff(local * np.r_[0, np.cumsum(servers)] // server_racks)
        middle = count - count // 2
        guests_at = None
        if not own_rows:
            guests_at = int(shares[:middle].sum())
            shares[middle - 1] += central
        racks = -(-shares // each)
        if int((servers + racks).max()) <= longest:
            break
    else:
        return _own_rows(server_racks, local, central_racks, floor)
    rows = [_Row(int(n), int(m), 0) for n, m in zip(servers, racks, strict=True)]
    if not own_rows:
        return tuple(rows), shares, guests_at
    own = [_Row(0, 0, n) for n in _split(central_racks, longest)]
    shares = np.r_[shares[:middle], np.zeros(len(own), dtype=np.int64), shares[middle:]]
    return (*rows[:middle], *own, *rows[middle:]), shares, None


def _own_rows(
    server_racks: int, local: int, central_racks: int, floor: Floor
) -> tuple[tuple[_Row, ...], Whole, None]:
    """Rows where more switches than can stand beside their servers all have rows of their own."""
    each, longest = floor.switches_per_rack, floor.racks_per_row
    servers = [_Row(n, 0, 0) for n in _split(server_racks, longest)]
    network = [_Row(0, n, 0) for n in _split(-(-local // each), longest)]
    network += [_Row(0, 0, n) for n in _split(central_racks, longest)]
    middle = len(servers) - len(servers) // 2
    joined = (*servers[:middle], *network, *servers[middle:])
    room = np.array([row.local * each for row in joined])
    return joined, np.diff(np.minimum(np.r_[0, np.cumsum(room)], local)), None


def _split(racks: int, longest: int) -> list[int]:
    """Racks shared among as few rows as hold them, as evenly as they can be."""
    rows = -(-racks // longest)
    return [int(n) for n in np.diff(np.arange(rows + 1) * racks // max(rows, 1))]


class _Stand:
    """Numbers the racks of a list of rows and says which of them holds what."""

    def __init__(self, rows: Sequence[_Row], floor: Floor) -> None:
        totals = np.array([row.racks for row in rows])
        starts = np.r_[0, np.cumsum(totals)[:-1]]
        abreast = _abreast(len(rows), floor)
        line, bay = np.divmod(np.arange(len(rows)), abreast)
        self.row = np.repeat(line, totals)
        margin = bay * floor.racks_per_row + (floor.racks_per_row - totals) // 2
        self.column = np.arange(int(totals.sum())) - np.repeat(starts - margin, totals)
        left = np.array([-(-row.servers // 2) for row in rows])
        local = np.array([row.local for row in rows])
        central = np.array([row.central for row in rows])
        inside = np.arange(int(totals.sum())) - np.repeat(starts, totals)
        left_of, network = np.repeat(left, totals), np.repeat(local + central, totals)
        self.server_rack = np.flatnonzero((inside < left_of) | (inside >= left_of + network))
        self._first_local = starts + left
        after = left_of + np.repeat(local, totals)
        self._central = np.flatnonzero((inside >= after) & (inside < left_of + network))

    def local(self, shares: Whole, each: int) -> tuple[Whole, Whole]:
        """Rack and place from the top for switches that stand with their row, in order."""
        row = np.repeat(np.arange(len(shares)), shares)
        number = np.arange(len(row)) - np.repeat(np.cumsum(shares) - shares, shares)
        return self._first_local[row] + number // each, number % each

    def middle(self, switches: int, each: int) -> tuple[Whole, Whole]:
        """Rack and place from the top for switches that serve the whole cluster, in order."""
        number = np.arange(switches)
        return self._central[number // each], number % each

    def names(self) -> tuple[str, ...]:
        rows = int(self.row.max(initial=-1)) + 1
        letters = [_letters(row) for row in range(rows)]
        pairs = zip(self.row.tolist(), self.column.tolist(), strict=True)
        return tuple(f"{letters[row]}{column + 1:02d}" for row, column in pairs)


def _abreast(rows: int, floor: Floor) -> int:
    """Rows that stand in one line, so that the floor is about as wide as it is deep."""
    width = floor.racks_per_row * floor.rack_width + floor.cross_aisle
    return max(1, round(float(np.sqrt(rows * floor.row_pitch / width))))


def _letters(row: int) -> str:
    """A to Z, then AA to AZ, BA, ..."""
    text = ""
    row += 1
    while row:
        row, letter = divmod(row - 1, 26)
        text = chr(ord("A") + letter) + text
    return text
