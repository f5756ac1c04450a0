"""Names of devices and ports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.naming import device_names, port_names


def ints(*values):
    return np.array(values, dtype=np.int32)


def pair(breakout=1, slots=1):
    """Two hosts of two ports under a leaf, which has one whole-port link to a spine."""
    kinds = (LinkKind("host", 400.0, slots), LinkKind("leaf_spine", 800.0, breakout))
    return Fabric(
        family="test", hosts=2, host_ports=2, gpus_per_host=8, endpoints=4,
        tier_names=("leaf", "spine"), tier=ints(0, 1), pod=ints(0, -1), rail=ints(-1, -1),
        plane=ints(0, 0), ports=ints(8, 8), port_gbps=800.0, breakout=breakout, spare_ports=0,
        kinds=kinds, kind=ints(0, 0, 0, 0, 1), a=ints(0, 0, 1, 1, 2), a_slot=ints(0, 1, 0, 1, 4),
        b=ints(2, 2, 2, 2, 3), b_slot=ints(0, 1, 2, 3, 0),
    )  # fmt: skip


def test_devices_are_named_by_tier_with_at_least_two_digits():
    assert device_names(pair()) == ["server-01", "server-02", "leaf-01", "spine-01"]


def test_numbers_are_as_wide_as_the_last_one():
    fabric = pair()
    many = replace(fabric, hosts=1000)
    assert device_names(many)[0] == "server-0001"
    assert device_names(many)[999] == "server-1000"


def test_numbers_run_within_the_tier_however_switches_are_ordered():
    fabric = replace(pair(), tier=ints(1, 0))
    assert device_names(fabric)[2:] == ["spine-01", "leaf-01"]


def test_without_switches_hosts_are_nodes():
    none = np.zeros(0, dtype=np.int32)
    fabric = replace(pair(), tier=none, pod=none, rail=none, plane=none, ports=none)
    assert device_names(fabric) == ["node-01", "node-02"]


def test_ports_count_from_one():
    fabric = pair()
    assert port_names(fabric, fabric.a_slot, fabric.a).tolist() == [
        "nic1", "nic2", "nic1", "nic2", "5",
    ]  # fmt: skip
    assert port_names(fabric, fabric.b_slot, fabric.b).tolist() == ["1", "2", "3", "4", "1"]


def test_a_lane_of_a_split_port_is_named_and_a_whole_port_is_not():
    fabric = pair(breakout=2)
    assert port_names(fabric, fabric.b_slot, fabric.b).tolist() == ["1/1", "1/2", "2/1", "2/2", "1"]
    assert port_names(fabric, fabric.a_slot, fabric.a).tolist()[-1] == "3"


def test_lanes_of_two_slots_count_one_two():
    fabric = replace(
        pair(breakout=4, slots=2), b_slot=ints(0, 2, 4, 6, 0), a_slot=ints(0, 1, 0, 1, 8)
    )
    assert port_names(fabric, fabric.b_slot, fabric.b).tolist() == ["1/1", "1/2", "2/1", "2/2", "1"]


def test_names_of_no_ports_are_no_names():
    assert port_names(pair(), ints(), ints()).tolist() == []


def test_every_port_name_is_unique_on_its_device():
    fabric = pair(breakout=2)
    ends = [
        (device, name)
        for slots, devices in ((fabric.a_slot, fabric.a), (fabric.b_slot, fabric.b))
        for device, name in zip(devices, port_names(fabric, slots, devices), strict=True)
    ]
    assert len(set(ends)) == len(ends)
