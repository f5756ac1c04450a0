"""How many switches and links has one network beside the compute fabric?

One port arithmetic for storage, in-band and out-of-band. Leaves take the ports of servers and of
the other equipment; equipment with a taper of its own has leaves of its own. What fits a pair of
switches needs nothing above it. Options with names stand for how vendors build: leaves in pairs,
top switches in equal groups, a share of every switch kept empty, uplinks cabled in full at any
fill, leaves that belong to a unit of servers, switches that hang off the in-band network.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Literal

from netdesign.arrays import Numeric
from netdesign.catalog import SideRole, Switch
from netdesign.errors import DesignError
from netdesign.formulas import formula
from netdesign.topology.clos import ceil_divide, leaf_downlinks
from netdesign.topology.fabric import FabricSize

_ROUNDING = 1e-6


@formula(
    latex=r"s = \left\lceil\frac{\lceil L/g\rceil}{R}\right\rceil",
    source="superpod-gb200",
)
def top_group_switches(links: Numeric, groups: Numeric, ports: Numeric) -> Numeric:
    """Switches in each of several equal groups above the leaves; every group takes its share.

    Parameters
    ----------
    links : int or array, >= 0     links that come up from below
    groups : int or array, >= 1    2: half of the links survive the loss of a group
    ports : int or array, >= 1     of a switch, for these links

    Returns
    -------
    int or array                   of one group
    """
    return ceil_divide(ceil_divide(links, groups), ports)


@dataclass(frozen=True)
class Attached:
    """Equipment other than servers on a network."""

    name: str
    devices: int
    ports: int  # of each device
    oversubscription: float | None = None  # of leaves of their own; None: on those of the servers
    ends_ordered: bool = False  # their end of the link is in this order too
    gbps: float | None = None  # of their ports; None: as the servers' links

    @property
    def links(self) -> int:
        return self.devices * self.ports


@dataclass(frozen=True)
class SideNetwork:
    """What one network beside the compute fabric is asked to be."""

    role: SideRole
    name: str
    switch: Switch
    ports_per_server: int
    server_gbps: float
    oversubscription: float = 1.0  # bandwidth down over bandwidth up of a leaf, at most
    cage: str = ""  # form of the module in the server
    kept_share: float = 0.0  # of the ports of every switch, kept empty
    leaf_multiple: int = 1  # 2: leaves come in pairs
    top_groups: int = 1  # 2: top switches come in two equal groups
    uplinks: Literal["needed", "all"] = "needed"
    unit_servers: int = 0  # servers with leaves of their own; 0: all share
    peer_links: int = 0  # between the leaves where there is nothing above
    switch_uplinks: int = 0  # of each switch to the in-band network, instead of a tier above
    uplink_gbps: float | None = None
    attached: tuple[Attached, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.kept_share < 1:
            raise DesignError(
                f"{self.role}.kept_share",
                self.kept_share,
                "is not a share of a switch",
                "give 0 or more and less than 1",
            )
        if self.oversubscription <= 0:
            raise DesignError(
                f"{self.role}.oversubscription",
                self.oversubscription,
                "leaves no uplink to size",
                "give a number above 0",
            )
        if self.usable < 2:
            raise DesignError(
                f"{self.role}.kept_share",
                self.kept_share,
                f"leaves {self.usable} of {self.switch.ports} ports of the {self.switch.name}",
                "keep fewer ports",
            )

    @property
    def redundant(self) -> bool:
        """Whether the loss of a leaf leaves every server with two ports a way."""
        return self.leaf_multiple > 1

    @functools.cached_property
    def gbps(self) -> float:
        """Speed of a link to a server: the slower of its ends."""
        return min(self.server_gbps, self.switch.port_gbps)

    @functools.cached_property
    def split(self) -> int:
        """Links to servers that one switch port takes."""
        return max(1, min(self.switch.breakout, int(self.switch.port_gbps / self.gbps + 1e-9)))

    @functools.cached_property
    def kept(self) -> int:
        """Ports of each switch that stay empty on purpose."""
        return math.ceil(self.switch.ports * self.kept_share - _ROUNDING)

    @functools.cached_property
    def usable(self) -> int:
        return self.switch.ports - self.kept


@dataclass(frozen=True)
class LeafSet:
    """Leaves that take the same endpoints under the same taper."""

    endpoints: int  # links to the leaves of one copy
    copies: int
    leaves: int  # of one copy
    up: int  # uplinks of each leaf

    @property
    def used(self) -> int:
        """Endpoints on the fullest leaf."""
        return int(ceil_divide(self.endpoints, self.leaves))


@dataclass(frozen=True)
class SizedSideNetwork:
    """Counts of one network; ``size.endpoints`` are the ports of all that is plugged in."""

    network: SideNetwork
    servers: int
    size: FabricSize
    leaf_sets: tuple[LeafSet, ...]
    peer_links: int
    pod_leaves: int  # leaves below one set of spines
    pod_spines: tuple[int, ...]  # spines of each pod

    @property
    def server_links(self) -> int:
        return self.servers * self.network.ports_per_server

    @property
    def switches(self) -> int:
        return int(self.size.switches)

    @property
    def uplinks(self) -> int:
        """Links to the in-band network."""
        return self.switches * self.network.switch_uplinks

    @property
    def cables(self) -> int:
        """Every cable of this network but its uplinks, which belong to the in-band network."""
        return int(self.size.links) + self.peer_links


def with_attached(network: SideNetwork, *attached: Attached) -> SideNetwork:
    """The network with more equipment plugged in; what has no port is left out."""
    more = tuple(entry for entry in attached if entry.links)
    return replace(network, attached=(*network.attached, *more))


def size_side_network(network: SideNetwork, servers: int) -> SizedSideNetwork:
    """Switches and links of one network by tier.

    Parameters
    ----------
    network : SideNetwork
    servers : int, >= 1

    Returns
    -------
    SizedSideNetwork    ``size`` is not buildable where three tiers do not reach, and says why
    """
    wanted = _wanted(network, servers)
    total = sum(endpoints * copies for endpoints, _, copies in wanted)
    pair, ports = network.leaf_multiple, network.usable
    if network.switch_uplinks:
        sets = tuple(_leaf_set(network, *entry, ports * network.split) for entry in wanted)
        return _finished(network, servers, sets, (), 0)
    peers = network.peer_links if pair > 1 else 0
    per_switch = ceil_divide(ceil_divide(total, pair), network.split) + peers
    if network.uplinks == "needed" and per_switch <= ports:
        return _finished(network, servers, (LeafSet(total, 1, pair, 0),), (), peers)
    # In ports: a split port carries less than an uplink where the switch cannot split it in full.
    bandwidth = network.switch.port_gbps / (network.split * network.gbps)
    sets = tuple(
        _leaf_set(
            network,
            endpoints,
            taper,
            copies,
            _downlinks(ports, taper * bandwidth) * network.split,
        )
        for endpoints, taper, copies in wanted
    )
    up = sum(entry.copies * entry.leaves * entry.up for entry in sets)
    spines = network.top_groups * int(top_group_switches(up, network.top_groups, ports))
    if spines <= min(entry.up for entry in sets):
        return _finished(network, servers, sets, (spines,), 0)
    return _finished(network, servers, sets, _pod_spines(network, sets), 0)


def _wanted(network: SideNetwork, servers: int) -> list[tuple[int, float, int]]:
    """Endpoints, taper and copies of each set of leaves."""
    taper, ports = network.oversubscription, network.ports_per_server
    shared = sum(entry.links for entry in network.attached if entry.oversubscription is None)
    if network.unit_servers:
        units, rest = divmod(servers, network.unit_servers)
        sets = [(network.unit_servers * ports, taper, units), (rest * ports, taper, 1)]
        sets.append((shared, taper, 1))
    else:
        sets = [(servers * ports + shared, taper, 1)]
    own: dict[float, int] = {}
    for entry in network.attached:
        if entry.oversubscription is not None:
            own[entry.oversubscription] = own.get(entry.oversubscription, 0) + entry.links
    sets += [(links, own_taper, 1) for own_taper, links in own.items()]
    return [entry for entry in sets if entry[0] and entry[2]]


def _leaf_set(
    network: SideNetwork, endpoints: int, taper: float, copies: int, most: int
) -> LeafSet:
    """Leaves of one set, of at most so many endpoints each."""
    pairs = ceil_divide(ceil_divide(endpoints, most), network.leaf_multiple)
    leaves = int(pairs) * network.leaf_multiple
    if network.switch_uplinks:
        return LeafSet(endpoints, copies, leaves, 0)
    free = network.usable - int(ceil_divide(most, network.split))
    if network.uplinks == "all":
        return LeafSet(endpoints, copies, leaves, free)
    used = int(ceil_divide(endpoints, leaves))
    share = used * network.gbps / (network.switch.port_gbps * taper)
    groups = network.top_groups
    needed = int(ceil_divide(max(math.ceil(share - _ROUNDING), 1), groups)) * groups
    open_ports = network.usable - int(ceil_divide(used, network.split))
    return LeafSet(endpoints, copies, leaves, max(1, min(needed, open_ports)))


@functools.lru_cache(maxsize=256)
def _downlinks(ports: int, taper: float) -> int:
    return int(leaf_downlinks(ports, taper))


def _ports_taken(entry: LeafSet, split: int) -> int:
    each, more = divmod(entry.endpoints, entry.leaves)
    return more * -(-(each + 1) // split) + (entry.leaves - more) * -(-each // split)


def _pod_leaves(network: SideNetwork) -> int:
    down, pair = network.usable // 2, network.leaf_multiple
    return max(down // pair * pair, pair)


def _pod_spines(network: SideNetwork, sets: tuple[LeafSet, ...]) -> tuple[int, ...]:
    """Spines of each pod of three tiers; half of a spine's ports face down."""
    size, groups = _pod_leaves(network), network.top_groups
    runs = [(entry.copies * entry.leaves, entry.up) for entry in sets]
    spines = []
    room, links = size, 0
    for leaves, up in runs:
        while leaves:
            taken = min(leaves, room)
            leaves, room, links = leaves - taken, room - taken, links + taken * up
            if not room:
                spines.append(groups * int(top_group_switches(links, groups, network.usable // 2)))
                room, links = size, 0
    if links:
        spines.append(groups * int(top_group_switches(links, groups, network.usable // 2)))
    return tuple(spines)


def _finished(
    network: SideNetwork,
    servers: int,
    sets: tuple[LeafSet, ...],
    pod_spines: tuple[int, ...],
    peers: int,
) -> SizedSideNetwork:
    leaves = sum(entry.copies * entry.leaves for entry in sets)
    links = sum(entry.copies * entry.endpoints for entry in sets)
    up = sum(entry.copies * entry.leaves * entry.up for entry in sets)
    three = len(pod_spines) > 1
    groups, ports = network.top_groups, network.usable
    cores = groups * int(top_group_switches(up, groups, ports)) if three else 0
    used = sum(entry.copies * _ports_taken(entry, network.split) for entry in sets)
    tapers = [
        entry.used * network.gbps / (entry.up * network.switch.port_gbps)
        for entry in sets
        if entry.up
    ]
    pod_leaves = _pod_leaves(network) if three else leaves
    fullest = max(entry.used for entry in sets)
    largest = ports * pod_leaves * fullest if three else links
    spines = sum(pod_spines)
    ends = used + 2 * (up + (up if three else 0) + peers)
    reason = (
        f"Three tiers of the {network.switch.name} hold {largest:,} ports of the {network.role} "
        f"network; {links:,} need a switch with more ports or fewer ports kept."
    )
    size = FabricSize(
        family="fat-tree" if pod_spines else "single-switch",
        endpoints=links,
        radix=network.switch.ports,
        tiers=3 if three else 2 if pod_spines else 1,
        leaves=leaves,
        spines=spines,
        cores=cores,
        access_links=links,
        leaf_spine_links=up,
        spine_core_links=up if three else 0,
        oversubscription=max(tapers, default=1.0),
        core_oversubscription=1.0,
        pod_gpus=0,
        stranded_ports=(leaves + spines + cores) * ports - ends,
        largest=largest,
        buildable=links <= largest,
        reason="" if links <= largest else reason,
    )
    return SizedSideNetwork(network, servers, size, sets, peers, pod_leaves, pod_spines)
