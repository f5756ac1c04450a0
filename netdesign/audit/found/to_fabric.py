"""A found network as the ``Fabric`` that pictures, plans and comparisons take."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from netdesign.audit.found.host_checks import rails_of
from netdesign.audit.found.network import FoundLink, FoundNetwork
from netdesign.audit.found.servers import Servers, servers_of
from netdesign.audit.found.tiers import NO_TIER, TIER_NAMES, Tiered, joined_sets, tier_name, tiered
from netdesign.topology.built import Fabric, LinkKind
from netdesign.wording import natural_order

_ALONE = "island"  # a switch that no path joins to a host
_MOST_TIERS = 4  # that pictures can stack; higher ones are drawn as the highest


class FoundFabric(NamedTuple):
    """The fabric, and what its devices and links are in the file."""

    fabric: Fabric
    names: list[str]  # of each device, as it is numbered
    links: tuple[FoundLink, ...]  # of each link
    keys: tuple[tuple[str, ...], ...]  # of each device: of a server the keys of its adapters


def fabric_of(network: FoundNetwork) -> tuple[Fabric, list[str]]:
    """The fabric and the name of each of its devices; see ``found_fabric``."""
    found = found_fabric(tiered(network))
    return found.fabric, found.names


def found_fabric(network: Tiered) -> FoundFabric:
    """Number the devices and links of a found network.

    Adapters of one server are one host; an adapter without a server's name is a host of its own.
    Aggregation nodes, management links and links to what is neither host nor switch are left out;
    so are links between two hosts where there are switches.

    Parameters
    ----------
    network : Tiered

    Returns
    -------
    FoundFabric     an empty fabric where the file holds no link
    """
    servers = servers_of(network)
    hosts = _hosts(network, servers)
    tiers, names = _tiers(network)
    switches = sorted(tiers, key=lambda key: (tiers[key], natural_order(network.device(key).name)))
    number = {key: n for n, host in enumerate(hosts) for key in host.keys}
    number.update((key, n) for n, key in enumerate(switches, len(hosts)))
    links = [
        link
        for link in network.links
        if link.a in number and link.b in number
        if number[link.a] != number[link.b]
        and (not switches or max(number[link.a], number[link.b]) >= len(hosts))
    ]
    level = [-1] * len(hosts) + [tiers[key] for key in switches]
    wired = _wired(links, number, level, hosts, len(switches), network)
    rails, pods, planes = _labels(network, servers, switches)
    kinds, kind = _kinds(links, wired, level, names)
    fabric = Fabric(
        family="found",
        hosts=len(hosts),
        host_ports=max(wired.host_ports, 1),
        gpus_per_host=max(wired.host_ports, 1),
        endpoints=sum(level[n] < 0 for end in (wired.a, wired.b) for n in end),
        tier_names=tuple(names),
        tier=np.asarray(level[len(hosts) :], dtype=np.int32),
        pod=np.asarray(pods, dtype=np.int32),
        rail=np.asarray(rails, dtype=np.int32),
        plane=np.asarray(planes, dtype=np.int32),
        ports=np.asarray(wired.ports, dtype=np.int32),
        port_gbps=max((each.gbps for each in kinds), default=0.0),
        breakout=1,
        spare_ports=0,
        kinds=kinds,
        kind=np.asarray(kind, dtype=np.int32),
        a=np.asarray(wired.a, dtype=np.int32),
        a_slot=np.asarray(wired.a_slot, dtype=np.int32),
        b=np.asarray(wired.b, dtype=np.int32),
        b_slot=np.asarray(wired.b_slot, dtype=np.int32),
    )
    called = [host.name for host in hosts] + [network.device(key).name for key in switches]
    keys = tuple(host.keys for host in hosts) + tuple((key,) for key in switches)
    return FoundFabric(fabric, called, tuple(links), keys)


def _tiers(network: Tiered) -> tuple[dict[str, int], list[str]]:
    """The tier of each switch, and the names of the tiers; islands come last."""
    found = {
        key: min(network.tier.get(key, -1), _MOST_TIERS - 1)
        for key, device in network.network.devices.items()
        if device.role == "switch"
    }
    names = [tier_name(tier) for tier in range(max(found.values(), default=-1) + 1)]
    if any(tier < 0 for tier in found.values()):
        found = {key: tier if tier >= 0 else len(names) for key, tier in found.items()}
        names.append(_ALONE)
    return found, names


@dataclass(frozen=True, slots=True)
class _Host:
    name: str
    keys: tuple[str, ...]  # of its adapters, in their order


def _hosts(tiered: Tiered, servers: Servers) -> list[_Host]:
    found = []
    for server in servers.by_name.values():
        order = {port.link.a: port.number or 0 for port in server.ports}
        order.update({port.link.b: port.number or 0 for port in server.ports})
        keys = sorted(server.adapters, key=lambda key: (order.get(key, 0), key))
        if server.is_ambiguous:
            found += [_Host(tiered.device(key).name, (key,)) for key in keys]
        else:
            found.append(_Host(server.name, tuple(keys)))
    found.sort(key=lambda host: natural_order(host.name))
    return found + [_Host(tiered.device(key).name, (key,)) for key in servers.unnamed]


@dataclass(frozen=True)
class _Wired:
    a: list[int]
    a_slot: list[int]
    b: list[int]
    b_slot: list[int]
    host_ports: int
    ports: list[int]  # of each switch


def _wired(
    links: list[FoundLink],
    number: dict[str, int],
    level: list[int],
    hosts: list[_Host],
    switches: int,
    tiered: Tiered,
) -> _Wired:
    """Ends of links with the lower device first, and the slot of each."""
    ends: dict[int, set[tuple[str, str]]] = {}
    for link in links:
        ends.setdefault(number[link.a], set()).add((link.a, link.a_port))
        ends.setdefault(number[link.b], set()).add((link.b, link.b_port))
    slots: dict[tuple[str, str], int] = {}
    most = 0
    ports = [0] * switches
    for device, used in ends.items():
        if device < len(hosts):
            place = {key: n for n, key in enumerate(hosts[device].keys)}
            order = sorted(used, key=lambda end: (place[end[0]], natural_order(end[1])))
            slots.update({end: n for n, end in enumerate(order)})
            most = max(most, len(order))
            continue
        numbers = [int(port) if port.isdecimal() and len(port) < 6 else 0 for _, port in used]
        if min(numbers) > 0 and len(set(numbers)) == len(numbers):
            slots.update({end: n - 1 for end, n in zip(used, numbers, strict=True)})
            highest = max(numbers)
        else:
            order = sorted(used, key=lambda end: natural_order(end[1]))
            slots.update({end: n for n, end in enumerate(order)})
            highest = len(order)
        ports[device - len(hosts)] = highest
    for key, device in number.items():
        known = tiered.device(key).ports if device >= len(hosts) else None
        if known is not None:
            ports[device - len(hosts)] = max(ports[device - len(hosts)], known)
    wired = _Wired([], [], [], [], most, ports)
    for link in links:
        low, high = (link.a, link.a_port), (link.b, link.b_port)
        if level[number[low[0]]] > level[number[high[0]]]:
            low, high = high, low
        wired.a.append(number[low[0]])
        wired.a_slot.append(slots[low])
        wired.b.append(number[high[0]])
        wired.b_slot.append(slots[high])
    return wired


def _kinds(
    links: list[FoundLink], wired: _Wired, level: list[int], names: list[str]
) -> tuple[tuple[LinkKind, ...], list[int]]:
    """A kind for each pair of tiers and rate; the commonest rate of a pair bears the plain name."""
    pairs = [(level[a], level[b]) for a, b in zip(wired.a, wired.b, strict=True)]
    rated = list(zip(pairs, (link.gbps or 0.0 for link in links), strict=True))
    counted = Counter(rated)
    order: dict[tuple[tuple[int, int], float], str] = {}
    plain: set[tuple[int, int]] = set()
    extra: dict[tuple[tuple[int, int], float], str] = {}
    for (pair, gbps), _ in sorted(counted.items(), key=lambda entry: (entry[0][0], -entry[1])):
        word = _kind_name(pair, names)
        if pair in plain:
            extra[pair, gbps] = f"{word}_at_{gbps:g}_Gb/s" if gbps else f"{word}_of_unknown_rate"
        else:
            plain.add(pair)
            order[pair, gbps] = word
    order.update(extra)
    place = {key: n for n, key in enumerate(order)}
    kinds = tuple(LinkKind(word, gbps) for (_, gbps), word in order.items())
    return kinds, [place[key] for key in rated]


def _kind_name(pair: tuple[int, int], names: list[str]) -> str:
    low, high = pair
    if low < 0:
        lowest = high == 0
        return "host" if lowest else "host_to_host" if high < 0 else f"host_to_{names[high]}"
    plain = f"{names[low]}_{names[high]}"
    return plain if plain in ("leaf_spine", "spine_core") else f"{names[low]}_to_{names[high]}"


def _labels(
    tiered: Tiered, servers: Servers, switches: list[str]
) -> tuple[list[int], list[int], list[int]]:
    """Rail, pod and plane of each switch; rails by the adapter that all servers have on a leaf."""
    rails = rails_of(servers)
    numbers = {number: place for place, number in enumerate(sorted(set(rails.values())))}
    rail = [numbers[rails[key]] if key in rails else -1 for key in switches]
    pod = [-1] * len(switches)
    if max(tiered.tier.values(), default=-1) >= len(TIER_NAMES) - 1:
        below = {key for key in switches if tiered.tier.get(key, NO_TIER) < len(TIER_NAMES) - 1}
        pod = _numbered(joined_sets(tiered.at, below.__contains__), switches)
    plane = _numbered(tiered.components, switches)
    return rail, pod, [max(number, 0) for number in plane]


def _numbered(parts: list[list[str]], switches: list[str]) -> list[int]:
    """The number of the part of each switch, in the order of the switches; -1 without one."""
    part_of = {key: n for n, part in enumerate(parts) for key in part}
    seen: dict[int, int] = {}
    found = []
    for key in switches:
        part = part_of.get(key)
        found.append(-1 if part is None else seen.setdefault(part, len(seen)))
    return found
