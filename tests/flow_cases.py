"""Fabrics of every family, small, and flows over them."""

from __future__ import annotations

import networkx as nx
import numpy as np

from netdesign.topology.built import Fabric
from netdesign.topology.families import build
from netdesign.topology.flow_paths import Flows, Lost, Routes, endpoint_links
from netdesign.topology.spec import FabricSpec

SPECS = {
    "single switch": FabricSpec("single-switch", 12, radix=16),
    "two tiers": FabricSpec("fat-tree", 32, radix=8, tiers=2),
    "three tiers": FabricSpec("fat-tree", 128, radix=8, tiers=3),
    "three tiers, part filled": FabricSpec("fat-tree", 90, radix=8, tiers=3),
    "tapered": FabricSpec(
        "fat-tree", 100, radix=12, tiers=3, oversubscription=2.0, core_oversubscription=2.0
    ),
    "parallel links": FabricSpec("fat-tree", 24, radix=12, tiers=2),
    "split ports": FabricSpec("fat-tree", 64, radix=8, port_gbps=800.0, endpoint_gbps=400.0),
    "dual ToR": FabricSpec(
        "fat-tree", 32, radix=16, dual_tor=True, gpus_per_server=4, ports_per_server=4
    ),
    "rails": FabricSpec(
        "rail-optimised", 64, radix=16, rails=4, gpus_per_server=4, ports_per_server=4
    ),
    "rails apart": FabricSpec(
        "rail-only", 64, radix=8, rails=4, gpus_per_server=4, ports_per_server=4
    ),
    "planes": FabricSpec(
        "multi-plane", 32, radix=8, planes=2, gpus_per_server=4, ports_per_server=4
    ),
    "scalable units": FabricSpec(
        "fat-tree", 64, radix=8, tiers=3, unit_servers=4, gpus_per_server=4, ports_per_server=4
    ),
    "dragonfly": FabricSpec("dragonfly", 72, radix=8, p=2, a=4, h=2),
    "dragonfly+": FabricSpec("dragonfly-plus", 64, radix=8),
    "slim fly": FabricSpec("slim-fly", 100, q=5, p=2),
    "hyperx": FabricSpec("hyperx", 32, radix=12, p=2, dims=(4, 4)),
    "torus": FabricSpec("torus", dims=(4, 3, 2)),
}
SMALL = {name: build(spec) for name, spec in SPECS.items()}


def endpoints(fabric: Fabric) -> int:
    return len(endpoint_links(fabric))


def shuffled(fabric: Fabric, seed: int = 1, many: int = 1) -> Flows:
    """Every endpoint sends to another one, in ``many`` random orders."""
    count = endpoints(fabric)
    order = np.random.default_rng(seed)
    targets = np.concatenate([order.permutation(count) for _ in range(many)])
    return Flows.of(np.tile(np.arange(count), many), targets)


def shifted(fabric: Fabric, by: int) -> Flows:
    """Endpoint e sends to the one that many places on when they are sorted by leaf."""
    links = endpoint_links(fabric)
    order = np.argsort(fabric.b[links], kind="stable")
    return Flows.of(order, np.roll(order, -by))


def broken(fabric: Fabric, seed: int, links: int = 3, switches: int = 1) -> Lost:
    """Some random links, and switches where there are several."""
    dice = np.random.default_rng(seed)
    some = min(switches, max(fabric.switches - 1, 0))
    return Lost.of(
        fabric,
        dice.choice(fabric.switches, some, replace=False) if some else [],
        dice.choice(fabric.links, links, replace=False),
    )


def ends(fabric: Fabric, directed: int) -> tuple[int, int]:
    """The devices that a directed link leaves and enters."""
    a, b = int(fabric.a[directed // 2]), int(fabric.b[directed // 2])
    return (a, b) if directed % 2 == 0 else (b, a)


def devices(fabric: Fabric, endpoint: int) -> int:
    link = int(endpoint_links(fabric)[endpoint])
    return endpoint if link < 0 else int(fabric.b[link])


def graph_of(fabric: Fabric, lost: Lost) -> nx.Graph:
    """Switches (all devices where hosts forward) that are left, by networkx."""
    graph = nx.Graph()
    first = 0 if fabric.family == "torus" else fabric.hosts
    graph.add_nodes_from(range(first, fabric.devices))
    for link in np.flatnonzero(lost.alive(fabric)):
        a, b = int(fabric.a[link]), int(fabric.b[link])
        if min(a, b) >= first:
            graph.add_edge(a, b)
    return graph


def ways(routes: Routes) -> list[list[int]]:
    """The directed links of each sub-flow, one after the other."""
    return [
        routes.trunk[begin:end].tolist()
        for begin, end in zip(routes.start[:-1], routes.start[1:], strict=True)
    ]
