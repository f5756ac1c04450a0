"""A word becomes the switches and links that are broken."""

from __future__ import annotations

import numpy as np
import pytest

from netdesign.errors import DesignError
from netdesign.failures import broken, usual
from netdesign.topology.families import build
from netdesign.topology.forwarding import host_links, link_gbps
from netdesign.topology.naming import device_names
from netdesign.topology.spec import FabricSpec

RAIL = build(FabricSpec("rail-optimised", 256, 64, tiers=2, gpus_per_server=8))
PLANES = build(FabricSpec("multi-plane", 64, 32, planes=2, gpus_per_server=8))


def test_parts_are_counted_from_nought_and_named_as_everywhere() -> None:
    leaf = broken(RAIL, "leaf:3")
    assert leaf.name == "leaf-04"
    assert np.flatnonzero(leaf.lost.switches).tolist() == [3]
    assert leaf.count == int(np.count_nonzero(RAIL.tier == 0))
    assert broken(RAIL, "leaf-04").name == leaf.name
    spine = broken(RAIL, "spine")
    assert spine.name == "spine-01"
    assert (
        device_names(RAIL)[RAIL.hosts + int(np.flatnonzero(spine.lost.switches)[0])] == "spine-01"
    )


def test_a_cable_by_number_and_by_port_is_the_same() -> None:
    names = device_names(RAIL)
    by_number = broken(RAIL, "cable:9")  # the second port of the second server
    by_port = broken(RAIL, f"cable:{names[1]}:nic2")
    assert by_number.name.startswith(f"{names[1]} nic2 to leaf-")
    assert by_number.name == by_port.name
    assert np.array_equal(by_number.lost.links, by_port.lost.links)
    far = by_number.name.split(" to ")[1].split(" ")
    assert broken(RAIL, f"cable:{far[0]}:{far[1]}").name == by_number.name
    uplink = broken(RAIL, "uplink")
    link = int(np.flatnonzero(uplink.lost.links)[0])
    assert not host_links(RAIL)[link]
    assert uplink.count + by_number.count == RAIL.links


def test_a_nic_takes_all_its_ports_and_a_server_all_its_links() -> None:
    assert np.count_nonzero(broken(PLANES, "nic:1", nic_ports=2).lost.links) == 2
    assert broken(PLANES, "nic", nic_ports=2).count == 64
    assert np.count_nonzero(broken(RAIL, "server:2").lost.links) == 8


def test_a_plane_is_all_its_switches() -> None:
    lost = broken(PLANES, "plane:1").lost.switches
    assert np.array_equal(lost, PLANES.plane == 1)
    rail = broken(RAIL, "rail:2").lost.switches
    assert np.array_equal(rail, RAIL.rail == 2)


def test_a_rate_slows_and_breaks_nothing() -> None:
    slow = broken(RAIL, "nic:5@0.25")
    assert not np.any(slow.lost.links)
    assert np.count_nonzero(slow.slowed) == 1
    speeds = link_gbps(slow.slow_fabric(RAIL))
    healthy = link_gbps(RAIL)
    assert np.allclose(speeds[slow.slowed], 0.25 * healthy[slow.slowed])
    assert np.array_equal(speeds[~slow.slowed], healthy[~slow.slowed])


def test_usual_parts_can_all_be_broken() -> None:
    for fabric in (RAIL, PLANES):
        for word in usual(fabric):
            assert broken(fabric, word).count >= 1
    assert "plane" in usual(PLANES)
    assert "plane" not in usual(RAIL)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("spin", "did you mean spine"),
        ("leaf:999", "counted from 0"),
        ("leaf:-1", "counted from 0"),
        ("leaf:1e3", "counted from 0"),
        ("nic@2", "share"),
        ("nic@half", "share"),
        ("leaf@0.5", "cannot be slow"),
        ("plane", "several planes"),
        ("core", "no core"),
        ("cable:server-01:nic77", "no cable in this port"),
        ("cable:nowhere:1", "no part of this fabric"),
        ("", "no part of this fabric"),
        ("x" * 10_000, "no part of this fabric"),
        ("leaf:" + "9" * 10_000, "counted from 0"),
    ],
)
def test_what_is_not_there_is_one_sentence(word: str, said: str) -> None:
    with pytest.raises(DesignError) as caught:
        broken(RAIL, word)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400
