"""Every switch, port and cable of a network beside the compute fabric.

Hosts are the servers first, then each piece of other equipment, in the order of ``attached``. The
ports of a host go round the leaves of a pair, so that a server with two ports keeps one when a leaf
is lost. Uplinks go round the spines, and links of the spines round the cores.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.side_sizing import SideNetwork, SizedSideNetwork
from netdesign.topology.spec import FabricSpec
from netdesign.topology.wiring import Bundle, wired_fabric

Numbers = npt.NDArray[np.int64]


def plain_spec(sized: SizedSideNetwork) -> FabricSpec:
    """The same ports and taper asked of the Clos families, without pairs, groups or own leaves.

    It is what the options of a side network are held against; the family may choose other counts.
    Of switches with nothing above them, it is one.
    """
    network = sized.network
    alone = sized.size.tiers == 1
    fullest = max(entry.used for entry in sized.leaf_sets)
    return FabricSpec(
        family="single-switch" if alone else "fat-tree",
        endpoints=fullest if alone else int(sized.size.endpoints),
        radix=network.switch.ports * network.split,
        port_gbps=network.switch.port_gbps / network.split,
        oversubscription=network.oversubscription,
        spare_ports=network.kept * network.split,
    )


def build_side_network(sized: SizedSideNetwork) -> Fabric:
    """The graph of a sized network.

    Raises
    ------
    DesignError     when three tiers do not hold its ports
    """
    size, network = sized.size, sized.network
    if not size.buildable:
        clause, _, hint = size.reason.rstrip(".").partition("; ")
        raise DesignError(
            "endpoints",
            int(size.endpoints),
            f"cannot be built: {clause[:1].lower()}{clause[1:]}",
            hint,
        )
    leaves, spines, cores = int(size.leaves), int(size.spines), int(size.cores)
    hosts, host = _hosts(sized)
    leaf_pod = np.arange(leaves) // sized.pod_leaves
    spine_pod = np.repeat(np.arange(len(sized.pod_spines)), sized.pod_spines)
    return wired_fabric(
        _bundles(sized, hosts, host, leaf_pod),
        {"leaf": leaves, "spine": spines, "core": cores},
        family=size.family,
        hosts=hosts,
        host_ports=network.ports_per_server,
        gpus_per_host=0,
        endpoints=len(host),
        pod=np.concatenate([leaf_pod, spine_pod, np.full(cores, -1)]),
        ports=network.switch.ports,
        port_gbps=network.switch.port_gbps,
        breakout=network.split,
        spare_ports=network.kept,
        notes=(f"{network.name}: {sized.servers} servers first, then {_named(network)}",),
    )


def _bundles(sized: SizedSideNetwork, hosts: int, host: Numbers, leaf_pod: Numbers) -> list[Bundle]:
    """Links to hosts, between the leaves of a pair, to the spines and to the cores."""
    network, cores = sized.network, int(sized.size.cores)
    first_spine = hosts + int(sized.size.leaves)
    whole, slots = network.switch.port_gbps, network.split
    bundles = [Bundle(LinkKind("host", network.gbps), host, hosts + _leaf_of_links(sized))]
    if sized.peer_links:
        ends = np.zeros(sized.peer_links, dtype=np.int64)
        bundles.append(Bundle(LinkKind("peer", whole, slots), hosts + ends, hosts + ends + 1))
    if sized.pod_spines:
        low, high = _leaf_spine(sized, leaf_pod)
        kind = LinkKind("leaf_spine", whole, slots)
        bundles.append(Bundle(kind, hosts + low, first_spine + high))
        if cores:
            below = np.sort(high)
            core = first_spine + int(sized.size.spines) + np.arange(len(below)) % cores
            kind = LinkKind("spine_core", whole, slots)
            bundles.append(Bundle(kind, first_spine + below, core))
    return bundles


def _named(network: SideNetwork) -> str:
    names = [f"{entry.devices} x {entry.name}" for entry in network.attached]
    return ", ".join(names) if names else "nothing else"


def _hosts(sized: SizedSideNetwork) -> tuple[int, Numbers]:
    """How many hosts, and the host of each link in the order of the leaf sets."""
    network = sized.network
    ports = [np.full(sized.servers, network.ports_per_server)]
    ports += [np.full(entry.devices, entry.ports) for entry in network.attached]
    first = np.cumsum([0, *(len(part) for part in ports)])
    shared = [0]
    shared += [n for n, entry in enumerate(network.attached, 1) if entry.oversubscription is None]
    tapers = dict.fromkeys(
        entry.oversubscription for entry in network.attached if entry.oversubscription is not None
    )
    own = [
        n
        for taper in tapers
        for n, entry in enumerate(network.attached, 1)
        if entry.oversubscription == taper
    ]
    flat = len(sized.leaf_sets) == 1
    order = range(len(ports)) if flat else [*shared, *own]
    links = [np.repeat(np.arange(first[n], first[n + 1]), ports[n]) for n in order]
    return int(first[-1]), np.concatenate(links)


def _leaf_of_links(sized: SizedSideNetwork) -> Numbers:
    """Leaf of each link: so many successive links go to the leaves of one pair."""
    together = sized.network.leaf_multiple
    leaf, first = [], 0
    for entry in sized.leaf_sets:
        link = np.arange(entry.endpoints)
        pair = _dealt(link // together, -(-entry.endpoints // together), entry.leaves // together)
        inner = pair * together + link % together
        for copy in range(entry.copies):
            leaf.append(first + copy * entry.leaves + inner)
        first += entry.copies * entry.leaves
    return np.concatenate(leaf)


def _dealt(item: Numbers, items: int, places: int) -> Numbers:
    """Place of each item in turn; the last places take one more, so that a rest evens out."""
    each, more = divmod(items, places)
    plain = (places - more) * each
    later = places - more + (item - plain) // (each + 1)
    return np.where(item < plain, item // max(each, 1), later)


def _leaf_spine(sized: SizedSideNetwork, leaf_pod: Numbers) -> tuple[Numbers, Numbers]:
    """Both ends of each uplink; within a pod they go round its spines."""
    ups = np.concatenate(
        [np.full(entry.copies * entry.leaves, entry.up) for entry in sized.leaf_sets]
    )
    low = np.repeat(np.arange(len(ups)), ups)
    pod = leaf_pod[low]
    start = np.searchsorted(pod, np.arange(len(sized.pod_spines)))
    spines = np.asarray(sized.pod_spines)
    first = np.cumsum(spines) - spines
    return low, first[pod] + (np.arange(len(low)) - start[pod]) % spines[pod]
