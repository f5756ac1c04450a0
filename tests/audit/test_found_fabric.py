"""A found network becomes the class that the pictures draw."""

from __future__ import annotations

import numpy as np
import pytest
from infiniband_dumps import Dump, two_tiers

from netdesign.audit.document import document_of
from netdesign.audit.found.network import FoundNetwork
from netdesign.audit.found.tiers import tiered
from netdesign.audit.found.to_fabric import fabric_of, found_fabric
from netdesign.audit.infiniband.dump import read_discovery
from netdesign.charts import fabric_device, fabric_heat, fabric_ports, fabric_tiers
from netdesign.topology.built import Fabric


def network_of(dump: Dump) -> FoundNetwork:
    return read_discovery(document_of("a", dump.text()))[0].network


def drawn(fabric: Fabric, names: list[str]) -> None:
    assert fabric_tiers.label(fabric)
    assert fabric_tiers.data(fabric)["boxes"]
    assert fabric_ports.data(fabric, names)["notes"]
    assert fabric_heat.data(fabric)["frame"]
    assert fabric_device.device_said(fabric, fabric.devices - 1)


def test_servers_leaves_and_spines_are_numbered() -> None:
    dump = two_tiers(leaves=4, spines=2, servers=12)
    dump.adapter("Mellanox Technologies Aggregation Node")
    dump.link("LEAF-01", 65, "Mellanox Technologies Aggregation Node", 1)
    fabric, names = fabric_of(network_of(dump))
    assert (fabric.hosts, fabric.switches, fabric.links, fabric.host_ports) == (12, 6, 64, 4)
    assert names[:2] == ["node01", "node02"]
    assert names[12:] == ["LEAF-01", "LEAF-02", "LEAF-03", "LEAF-04", "SPINE-01", "SPINE-02"]
    assert [(kind.name, kind.gbps) for kind in fabric.kinds] == [
        ("host", 400),
        ("leaf_spine", 400),
    ]
    assert (fabric.links_of("host"), fabric.links_of("leaf_spine")) == (48, 16)
    assert fabric.tier.tolist() == [0, 0, 0, 0, 1, 1]
    assert fabric.rail.tolist() == [0, 1, 2, 3, -1, -1]
    assert fabric.ports.tolist() == [64, 65, 65, 65, 65, 65]
    assert fabric.endpoints == 48
    assert np.all(fabric.a < fabric.b)
    slots = set(zip(fabric.b.tolist(), fabric.b_slot.tolist(), strict=True))
    assert len(slots) == fabric.links  # no port twice
    drawn(fabric, names)


def test_links_keep_what_the_file_says_of_them() -> None:
    found = found_fabric(tiered(network_of(two_tiers())))
    place = found.links.index(found.links[-1])
    low, high = found.fabric.a[place], found.fabric.b[place]
    link = found.links[place]
    assert {link.a, link.b} <= {*found.keys[low], *found.keys[high]}
    assert len(found.keys[0]) == 4  # the adapters of a server


def test_mixed_speeds_are_kinds_of_their_own() -> None:
    dump = two_tiers()
    dump.links[0] = (*dump.links[0][:4], "4xHDR")
    dump.links[1] = (*dump.links[1][:4], "4x???")
    fabric, names = fabric_of(network_of(dump))
    assert {kind.name: kind.gbps for kind in fabric.kinds} == {
        "host": 400,
        "leaf_spine": 400,
        "host_at_200_Gb/s": 200,
        "host_of_unknown_rate": 0,
    }
    drawn(fabric, names)


def test_pods_of_three_tiers_and_separate_planes() -> None:
    dump = Dump()
    for plane in (1, 2):
        dump.switch(f"CORE-{plane}")
        for pod in (1, 2):
            dump.switch(f"P{plane}{pod}-SPINE")
            dump.link(f"P{plane}{pod}-SPINE", 30, f"CORE-{plane}", pod)
            for leaf in (1, 2):
                name = f"P{plane}{pod}-LEAF-{leaf}"
                dump.switch(name)
                dump.link(name, 31, f"P{plane}{pod}-SPINE", leaf)
                dump.adapter(f"node{plane}{pod}{leaf} HCA-1")
                dump.link(name, 1, f"node{plane}{pod}{leaf} HCA-1", 1)
    fabric, names = fabric_of(network_of(dump))
    assert fabric.tier_names == ("leaf", "spine", "core")
    assert sorted(set(fabric.plane.tolist())) == [0, 1]
    assert fabric.pod.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 0, 1, 2, 3, -1, -1]
    drawn(fabric, names)


@pytest.mark.parametrize("joined", [True, False])
def test_leaves_joined_to_each_other_and_islands(joined: bool) -> None:
    dump = Dump()
    for name in ("one", "two", "far", "away"):
        dump.switch(name)
    for name in ("a HCA-1", "b HCA-1"):
        dump.adapter(name)
    dump.link("one", 1, "a HCA-1", 1)
    dump.link("two", 1, "b HCA-1", 1)
    dump.link("far", 1, "away", 1)
    if joined:
        dump.link("one", 2, "two", 2)
    fabric, names = fabric_of(network_of(dump))
    assert fabric.tier_names == ("leaf", "island")
    assert [kind.name for kind in fabric.kinds if "to" in kind.name] == (
        ["leaf_to_leaf", "island_to_island"] if joined else ["island_to_island"]
    )
    drawn(fabric, names)


def test_a_chain_of_switches_is_stacked_no_higher_than_a_picture() -> None:
    dump = Dump()
    dump.adapter("a HCA-1")
    for n in range(12):
        dump.switch(f"s{n:02d}")
        if n:
            dump.link(f"s{n - 1:02d}", 2, f"s{n:02d}", 1)
    dump.link("s00", 9, "a HCA-1", 1)
    fabric, names = fabric_of(network_of(dump))
    assert len(fabric.tier_names) == 4
    drawn(fabric, names)


def test_nothing_gives_an_empty_fabric() -> None:
    fabric, names = fabric_of(FoundNetwork({}, ()))
    assert (fabric.devices, fabric.links, names) == (0, 0, [])
