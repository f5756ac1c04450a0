"""Tiny fabrics whose counts are known by hand, wired link by link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.wiring import Bundle, wire

Ends = Sequence[tuple[int, int]]


def wired(
    hosts: int,
    tiers: Sequence[tuple[str, int]],
    links: Sequence[tuple[str, float, Ends]],
    *,
    ports: int = 8,
    host_ports: int = 1,
    breakout: int = 1,
    slots: Sequence[int] = (),
    spare: int = 0,
    port_gbps: float = 400.0,
    family: str = "by-hand",
) -> Fabric:
    """A fabric of tiers (name, switches) and links (kind, Gb/s, pairs of device numbers)."""
    tier = np.repeat(np.arange(len(tiers)), [count for _, count in tiers]).astype(np.int32)
    bundles = []
    for number, (name, gbps, pairs) in enumerate(links):
        ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        kind = LinkKind(name, gbps, slots[number] if slots else 1)
        # Hosts are never split: each of their links takes the next port.
        own = None
        if name == "host":
            own = np.array([sum(a == b for b in ends[:i, 0]) for i, a in enumerate(ends[:, 0])])
        bundles.append(Bundle(kind, ends[:, 0], ends[:, 1], a_slot=own))
    wires = wire(bundles, hosts + len(tier))
    flat = np.zeros(len(tier), dtype=np.int32)
    return Fabric(
        family=family,
        hosts=hosts,
        host_ports=host_ports,
        gpus_per_host=host_ports,
        endpoints=hosts * host_ports,
        tier_names=tuple(name for name, _ in tiers),
        tier=tier,
        pod=flat - 1,
        rail=flat - 1,
        plane=flat,
        ports=np.full(len(tier), ports, dtype=np.int32),
        port_gbps=port_gbps,
        breakout=breakout,
        spare_ports=spare,
        kinds=wires.kinds,
        kind=wires.kind,
        a=wires.a,
        a_slot=wires.a_slot,
        b=wires.b,
        b_slot=wires.b_slot,
    )


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


def three_tiers() -> Fabric:
    """The k = 4 fat tree of Al-Fares 2008: 16 hosts, 8 leaves, 8 spines, 4 cores of 4 ports."""
    leaf, spine, core = 16, 24, 32
    down = [(host, leaf + host // 2) for host in range(16)]
    middle = [
        (leaf + 2 * pod + i, spine + 2 * pod + j)
        for pod in range(4)
        for i in range(2)
        for j in range(2)
    ]
    top = [
        (spine + 2 * pod + j, core + 2 * j + i)
        for pod in range(4)
        for j in range(2)
        for i in range(2)
    ]
    return wired(
        16,
        [("leaf", 8), ("spine", 8), ("core", 4)],
        [("host", 400.0, down), ("leaf_spine", 400.0, middle), ("spine_core", 400.0, top)],
        ports=4,
    )


def one_switch(hosts: int, ports: int = 8) -> Fabric:
    """A switch and its hosts."""
    down = [(host, hosts) for host in range(hosts)]
    return wired(hosts, [("leaf", 1)], [("host", 400.0, down)], ports=ports)


def rails(hosts: int, count: int) -> Fabric:
    """Each of a host's ports on a switch of its own rail; the rails never meet."""
    down = [(host, hosts + rail) for rail in range(count) for host in range(hosts)]
    return wired(hosts, [("leaf", count)], [("host", 400.0, down)], ports=hosts, host_ports=count)


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
