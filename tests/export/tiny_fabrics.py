"""Small fabrics, cabled by topology/wiring.py, and a floor for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.layout import Placement
from netdesign.topology.wiring import Bundle, wire


def fabric_of(bundles: list[Bundle], *, hosts: int, tiers: tuple[str, ...], **parts) -> Fabric:
    tier = np.asarray(parts.pop("tier"), dtype=np.int32)
    wires = wire(bundles, hosts + len(tier))
    none = np.full(len(tier), -1, dtype=np.int32)
    fields = {
        "family": "fat-tree",
        "host_ports": 1,
        "gpus_per_host": 1,
        "pod": none,
        "rail": none,
        "plane": np.zeros(len(tier), dtype=np.int32),
        "ports": np.full(len(tier), 8, dtype=np.int32),
        "port_gbps": 400.0,
        "breakout": 1,
        "spare_ports": 0,
    } | parts
    return Fabric(
        hosts=hosts,
        endpoints=len(bundles[0].a) if bundles else 0,
        tier_names=tiers,
        tier=tier,
        kinds=wires.kinds,
        kind=wires.kind,
        a=wires.a,
        a_slot=wires.a_slot,
        b=wires.b,
        b_slot=wires.b_slot,
        **fields,
    )


def rails(units: int = 2, servers: int = 3, rails: int = 4, spines: int = 2) -> Fabric:
    """Units of servers, each server on every leaf of its unit; two parallel uplinks to a spine."""
    hosts, leaves = units * servers, units * rails
    server = np.arange(hosts)
    leaf = hosts + (server // servers)[:, None] * rails + np.arange(rails)[None, :]
    up_leaf = np.repeat(hosts + np.arange(leaves), spines * 2)
    up_spine = hosts + leaves + np.tile(np.repeat(np.arange(spines), 2), leaves)
    return fabric_of(
        [
            Bundle(LinkKind("host", 400.0), np.repeat(server, rails), leaf.ravel()),
            Bundle(LinkKind("leaf_spine", 400.0), up_leaf, up_spine),
        ],
        hosts=hosts,
        tiers=("leaf", "spine"),
        tier=[0] * leaves + [1] * spines,
        family="rail-optimised",
        host_ports=rails,
        gpus_per_host=rails,
        pod=np.asarray([*np.arange(leaves) // rails, *[-1] * spines], dtype=np.int32),
        rail=np.asarray([*np.arange(leaves) % rails, *[-1] * spines], dtype=np.int32),
        ports=np.asarray([16] * leaves + [32] * spines, dtype=np.int32),
    )


def three_tiers(pods: int = 3, leaves: int = 2, servers: int = 2, cores: int = 4) -> Fabric:
    """A fat tree of pods with as many spines as leaves."""
    hosts, count = pods * leaves * servers, pods * leaves
    first_spine, first_core = hosts + count, hosts + 2 * count
    pod = np.repeat(np.arange(pods), leaves)
    up_leaf = np.repeat(hosts + np.arange(count), leaves)
    up_spine = first_spine + (pod[:, None] * leaves + np.arange(leaves)[None, :]).ravel()
    spine = np.repeat(first_spine + np.arange(count), cores // leaves)
    core = first_core + np.tile(np.arange(cores), pods)
    return fabric_of(
        [
            Bundle(
                LinkKind("host", 400.0),
                np.arange(hosts),
                hosts + np.arange(hosts) // servers,
            ),
            Bundle(LinkKind("leaf_spine", 400.0), up_leaf, up_spine),
            Bundle(LinkKind("spine_core", 400.0), spine, core),
        ],
        hosts=hosts,
        tiers=("leaf", "spine", "core"),
        tier=[0] * count + [1] * count + [2] * cores,
        pod=np.asarray([*pod, *pod, *[-1] * cores], dtype=np.int32),
    )


def split_ports(servers: int = 4, spines: int = 2) -> Fabric:
    """One leaf of 800G ports, each split for two servers; whole ports to the spines."""
    return fabric_of(
        [
            Bundle(LinkKind("host", 400.0), np.arange(servers), np.full(servers, servers)),
            Bundle(
                LinkKind("leaf_spine", 800.0, slots=2),
                np.full(spines, servers),
                servers + 1 + np.arange(spines),
            ),
        ],
        hosts=servers,
        tiers=("leaf", "spine"),
        tier=[0] + [1] * spines,
        port_gbps=800.0,
        breakout=2,
    )


def ring(nodes: int = 5) -> Fabric:
    """A torus of one dimension: hosts joined to hosts."""
    node = np.arange(nodes)
    return fabric_of(
        [Bundle(LinkKind("x", 400.0), node, (node + 1) % nodes)],
        hosts=nodes,
        tiers=(),
        tier=[],
        family="torus",
        host_ports=2,
    )


def on_floor(fabric: Fabric, per_rack: int = 2) -> Placement:
    """Hosts in racks, ``per_rack`` in each; the switches of each tier in racks of their own."""
    host_rack = np.arange(fabric.hosts) // per_rack
    racks = int(host_rack.max(initial=-1)) + 1
    rack = np.concatenate([host_rack, racks + fabric.tier]).astype(np.int32)
    racks = int(rack.max(initial=-1)) + 1
    unit = np.ones(fabric.devices, dtype=np.int32)
    for number in range(racks):
        inside = np.flatnonzero(rack == number)
        unit[inside] = (
            1 + 8 * np.arange(len(inside))
            if number <= host_rack.max()
            else 1 + (np.arange(len(inside)))
        )
    return Placement(
        rack=rack,
        rack_names=tuple(f"A{number + 1:02d}" for number in range(racks)),
        row=np.zeros(racks, dtype=np.int32),
        column=np.arange(racks, dtype=np.int32),
        unit=unit,
        height=np.where(np.arange(fabric.devices) < fabric.hosts, 8, 1).astype(np.int32),
    )


def measured(fabric: Fabric, floor: Placement, media: tuple[str, ...], medium: list[int]) -> Fabric:
    """The same fabric with a length for every link and a medium for every kind."""
    apart = np.abs(floor.rack[fabric.a].astype(int) - floor.rack[fabric.b])
    return replace(
        fabric,
        media=media,
        medium=np.asarray(medium, dtype=np.int32)[fabric.kind],
        length_m=(2.0 + 1.25 * apart).astype(np.float32),
    )
