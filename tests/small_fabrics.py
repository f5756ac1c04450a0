"""Small fabrics whose counts are known by hand, wired link by link or kind by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.wiring import Bundle, wired_fabric

Ends = Sequence[tuple[int, int]]


def small_fabric(bundles: Sequence[Bundle], switches: dict[str, int], **parts) -> Fabric:
    """A fat tree of 8-port switches at 400 Gb/s where nothing else is said."""
    said = {"family": "fat-tree", "ports": 8, "port_gbps": 400.0} | parts
    return wired_fabric(bundles, switches, **{"endpoints": len(bundles[0].a)} | said)


def wired(
    hosts: int,
    tiers: Sequence[tuple[str, int]],
    links: Sequence[tuple[str, float, Ends]],
    *,
    host_ports: int = 1,
    slots: Sequence[int] = (),
    **parts,
) -> Fabric:
    """A fabric of tiers (name, switches) and links (kind, Gb/s, pairs of device numbers)."""
    bundles = []
    for number, (name, gbps, pairs) in enumerate(links):
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        kind = LinkKind(name, gbps, slots[number] if slots else 1)
        # Hosts are never split: each of their links takes the next port.
        own = None
        if name == "host":
            own = np.array([sum(a == b for b in ends[:i, 0]) for i, a in enumerate(ends[:, 0])])
        bundles.append(Bundle(kind, ends[:, 0], ends[:, 1], a_slot=own))
    said = {"family": "by-hand", "endpoints": hosts * host_ports} | parts
    ports = {"host_ports": host_ports, "gpus_per_host": host_ports}
    return small_fabric(bundles, dict(tiers), hosts=hosts, **ports, **said)


def two_tiers(parallel: Sequence[Sequence[int]], hosts_per_leaf: int, **options: object) -> Fabric:
    """Leaves by spines: ``parallel[leaf][spine]`` links between them."""
    leaves, spines = len(parallel), len(parallel[0])
    hosts = leaves * hosts_per_leaf
    up = [
        (hosts + leaf, hosts + leaves + spine)
        for leaf in range(leaves)
        for spine in range(spines)
        for _ in range(parallel[leaf][spine])
    ]
    down = [(host, hosts + host // hosts_per_leaf) for host in range(hosts)]
    return wired(
        hosts,
        [("leaf", leaves), ("spine", spines)],
        [("host", 400.0, down), ("leaf_spine", 400.0, up)],
        **options,
    )


def three_tiers(
    pods: int = 4, leaves: int = 2, servers: int = 2, cores: int = 4, ports: int = 4
) -> Fabric:
    """A fat tree of pods with as many spines as leaves.

    As it stands the k = 4 fat tree of Al-Fares 2008: 16 hosts, 8 leaves, 8 spines, 4 cores.
    """
    hosts, count = pods * leaves * servers, pods * leaves
    first_spine, first_core = hosts + count, hosts + 2 * count
    pod = np.repeat(np.arange(pods), leaves)
    up_leaf = np.repeat(hosts + np.arange(count), leaves)
    up_spine = first_spine + (pod[:, None] * leaves + np.arange(leaves)).ravel()
    spine = np.repeat(first_spine + np.arange(count), cores // leaves)
    core = first_core + np.tile(np.arange(cores), pods)
    host = np.arange(hosts)
    return small_fabric(
        [
            Bundle(LinkKind("host", 400.0), host, hosts + host // servers),
            Bundle(LinkKind("leaf_spine", 400.0), up_leaf, up_spine),
            Bundle(LinkKind("spine_core", 400.0), spine, core),
        ],
        {"leaf": count, "spine": count, "core": cores},
        hosts=hosts,
        ports=ports,
        pod=np.concatenate([pod, pod, np.full(cores, -1)]),
    )


def one_switch(hosts: int, ports: int = 8) -> Fabric:
    """A switch and its hosts."""
    down = [(host, hosts) for host in range(hosts)]
    return wired(hosts, [("leaf", 1)], [("host", 400.0, down)], ports=ports)


def rails_apart(hosts: int, count: int) -> Fabric:
    """Each of a host's ports on a switch of its own rail; the rails never meet."""
    down = [(host, hosts + rail) for rail in range(count) for host in range(hosts)]
    return wired(hosts, [("leaf", count)], [("host", 400.0, down)], ports=hosts, host_ports=count)


def rails(units: int = 2, servers: int = 3, rails: int = 4, spines: int = 2) -> Fabric:
    """Units of servers, each server on every leaf of its unit; two parallel uplinks to a spine."""
    hosts, leaves = units * servers, units * rails
    server = np.arange(hosts)
    leaf = hosts + (server // servers)[:, None] * rails + np.arange(rails)
    up_leaf = np.repeat(hosts + np.arange(leaves), spines * 2)
    up_spine = hosts + leaves + np.tile(np.repeat(np.arange(spines), 2), leaves)
    shared = np.full(spines, -1)
    return small_fabric(
        [
            Bundle(LinkKind("host", 400.0), np.repeat(server, rails), leaf.ravel()),
            Bundle(LinkKind("leaf_spine", 400.0), up_leaf, up_spine),
        ],
        {"leaf": leaves, "spine": spines},
        hosts=hosts,
        family="rail-optimised",
        host_ports=rails,
        gpus_per_host=rails,
        pod=np.concatenate([np.arange(leaves) // rails, shared]),
        rail=np.concatenate([np.arange(leaves) % rails, shared]),
        ports=np.repeat([16, 32], [leaves, spines]),
    )


def split_ports(servers: int = 4, spines: int = 2) -> Fabric:
    """One leaf of 800G ports, each split for two servers; whole ports to the spines."""
    leaf, spine = np.full(spines, servers), servers + 1 + np.arange(spines)
    return small_fabric(
        [
            Bundle(LinkKind("host", 400.0), np.arange(servers), np.full(servers, servers)),
            Bundle(LinkKind("leaf_spine", 800.0, slots=2), leaf, spine),
        ],
        {"leaf": 1, "spine": spines},
        hosts=servers,
        port_gbps=800.0,
        breakout=2,
    )


def ring(nodes: int = 5) -> Fabric:
    """A torus of one dimension: hosts joined to hosts."""
    node = np.arange(nodes)
    return small_fabric(
        [Bundle(LinkKind("x", 400.0), node, (node + 1) % nodes)],
        {},
        hosts=nodes,
        family="torus",
        host_ports=2,
    )


def torus(*dims: int) -> Fabric:
    """Nodes cabled to their neighbours in every dimension; no switches."""
    nodes = np.arange(int(np.prod(dims))).reshape(dims)
    pairs: list[tuple[int, int]] = []
    for axis, size in enumerate(dims):
        ahead = np.roll(nodes, -1, axis=axis)
        keep = np.take(nodes, range(size if size > 2 else size - 1), axis=axis)
        next_one = np.take(ahead, range(size if size > 2 else size - 1), axis=axis)
        pairs += zip(keep.ravel().tolist(), next_one.ravel().tolist(), strict=True)
    return wired(len(nodes.ravel()), [], [("neighbour", 400.0, pairs)])


def joined(hosts_per_switch: int, switches: int, pairs: Ends, **options: object) -> Fabric:
    """Switches that are all of one tier, with hosts on each, joined pair by pair."""
    hosts = hosts_per_switch * switches
    down = [(host, hosts + host // hosts_per_switch) for host in range(hosts)]
    across = [(hosts + a, hosts + b) for a, b in pairs]
    return wired(
        hosts,
        [("router", switches)],
        [("host", 400.0, down), ("local", 400.0, across)],
        **options,
    )


def hyperx(*dims: int) -> Fabric:
    """A host on each switch, which is joined to all switches that differ in one dimension."""
    place = np.indices(dims).reshape(len(dims), -1)
    apart = (place[:, :, None] != place[:, None, :]).sum(axis=0)
    low, high = np.nonzero(np.triu(apart == 1))
    return joined(1, int(np.prod(dims)), list(zip(low.tolist(), high.tolist(), strict=True)))


def small_dragonfly() -> Fabric:
    """Kim et al. 2008, figure 5: 9 groups of 4 routers, 2 hosts and 2 global links each."""
    groups, routers = 9, 4
    local = [
        (routers * g + i, routers * g + j)
        for g in range(groups)
        for i in range(routers)
        for j in range(i + 1, routers)
    ]
    far = []
    for g in range(groups):
        for step in range(groups - 1):
            other = (g + step + 1) % groups
            back = groups - 2 - step
            if g < other:
                far.append((routers * g + step // 2, routers * other + back // 2))
    flat = joined(2, groups * routers, local + far)
    return replace(flat, pod=np.repeat(np.arange(groups), routers).astype(np.int32))
