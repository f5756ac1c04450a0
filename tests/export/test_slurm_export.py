"""Slurm's files read back with a reader of hostlists: a tree that holds every host once."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from small_fabrics import rails, small_fabric, three_tiers

from netdesign.errors import DesignError
from netdesign.export.slurm import (
    block_conf,
    hostlist,
    slurm_tree,
    topology_conf,
    topology_yaml,
    write_slurm,
)
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.naming import device_names
from netdesign.topology.wiring import Bundle


def expanded(text: str) -> list[str]:
    """The names of a Slurm hostlist."""
    names = []
    for prefix, inside in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?,?", text):
        if not inside:
            names.append(prefix)
            continue
        for part in inside.split(","):
            low, _, high = part.partition("-")
            width = len(low)
            names += [f"{prefix}{n:0{width}d}" for n in range(int(low), int(high or low) + 1)]
    return names


def read_conf(text: str) -> dict[str, tuple[str, list[str]]]:
    switches = {}
    for line in text.splitlines():
        found = re.fullmatch(r"SwitchName=(\S{1,64}) (Nodes|Switches)=(\S+)", line)
        assert found, line
        assert found[1] not in switches
        switches[found[1]] = (found[2], expanded(found[3]))
    return switches


def hosts_under(switches: dict[str, tuple[str, list[str]]], name: str) -> list[str]:
    kind, below = switches[name]
    if kind == "Nodes":
        return below
    return [host for child in below for host in hosts_under(switches, child)]


def roots(switches: dict[str, tuple[str, list[str]]]) -> set[str]:
    children = {name for kind, below in switches.values() if kind == "Switches" for name in below}
    assert children <= set(switches)
    return set(switches) - children


@pytest.mark.parametrize("name", ["rail_fabric", "tree", "split", "torus"])
def test_one_root_holds_every_host_once(name: str, request: pytest.FixtureRequest) -> None:
    fabric = request.getfixturevalue(name)
    switches = read_conf(topology_conf(fabric))
    (root,) = roots(switches)
    assert sorted(hosts_under(switches, root)) == sorted(device_names(fabric)[: fabric.hosts])


def test_servers_on_rails_stand_under_one_pseudo_switch_a_unit(rail_fabric: Fabric) -> None:
    assert topology_conf(rail_fabric) == (
        "SwitchName=unit-1 Nodes=server-[01-03]\n"
        "SwitchName=unit-2 Nodes=server-[04-06]\n"
        "SwitchName=fabric Switches=unit-[1-2]\n"
    )


def test_a_tree_keeps_its_leaves_and_its_pods(tree: Fabric) -> None:
    assert topology_conf(tree).splitlines() == [
        "SwitchName=leaf-01 Nodes=server-[01-02]",
        "SwitchName=leaf-02 Nodes=server-[03-04]",
        "SwitchName=leaf-03 Nodes=server-[05-06]",
        "SwitchName=leaf-04 Nodes=server-[07-08]",
        "SwitchName=leaf-05 Nodes=server-[09-10]",
        "SwitchName=leaf-06 Nodes=server-[11-12]",
        "SwitchName=pod-1 Switches=leaf-[01-02]",
        "SwitchName=pod-2 Switches=leaf-[03-04]",
        "SwitchName=pod-3 Switches=leaf-[05-06]",
        "SwitchName=fabric Switches=pod-[1-3]",
    ]


def test_a_dragonfly_has_groups() -> None:
    tree = replace(three_tiers(pods=3), family="dragonfly")
    assert "group-[1-3]" in topology_conf(tree)


def test_one_leaf_is_the_whole_tree(split: Fabric) -> None:
    assert topology_conf(split) == "SwitchName=leaf-01 Nodes=server-[01-04]\n"


def test_a_leaf_that_shares_a_host_with_another_is_a_unit() -> None:
    # Server 2 has a port on either leaf: neither leaf alone says where it hangs.
    fabric = small_fabric(
        [
            Bundle(
                LinkKind("host", 400.0), np.array([0, 0, 1, 1, 2, 2]), np.array([3, 3, 3, 4, 4, 4])
            )
        ],
        {"leaf": 2},
        hosts=3,
        host_ports=2,
    )
    switches = {switch.name: switch.nodes for switch in slurm_tree(fabric)}
    assert switches == {
        "unit-1": ("server-01", "server-02"),
        "leaf-02": ("server-03",),
        "fabric": (),
    }


@pytest.mark.parametrize("name", ["rail_fabric", "tree", "split", "torus"])
def test_yaml_and_conf_say_the_same(name: str, request: pytest.FixtureRequest) -> None:
    fabric = request.getfixturevalue(name)
    (topology,) = yaml.safe_load(topology_yaml(fabric))
    assert topology["cluster_default"] is True
    found = {}
    for switch in topology["tree"]["switches"]:
        kind = "Nodes" if "nodes" in switch else "Switches"
        found[switch["switch"]] = (kind, expanded(switch.get("nodes", switch.get("children"))))
    assert found == read_conf(topology_conf(fabric))


def test_blocks_are_scale_up_domains() -> None:
    # A rack of 72 GPUs is 18 trays of four; two racks.
    fabric = rails(units=2, servers=18, rails=4, spines=2)
    tree, block = yaml.safe_load(topology_yaml(fabric, hosts_per_block=18))
    assert (tree["topology"], block["topology"]) == ("tree", "block")
    assert block["block"]["block_sizes"] == [18, 36]
    assert [expanded(entry["nodes"]) for entry in block["block"]["blocks"]] == [
        device_names(fabric)[:18],
        device_names(fabric)[18:36],
    ]
    assert block_conf(fabric, hosts_per_block=18) == (
        "BlockName=block-1 Nodes=server-[01-18]\n"
        "BlockName=block-2 Nodes=server-[19-36]\n"
        "BlockSizes=18,36\n"
    )


def test_the_base_block_is_no_larger_than_the_smallest_block(rail_fabric: Fabric) -> None:
    # topology.conf(5): "each block must have at least the planning base block size count of nodes"
    assert block_conf(rail_fabric, hosts_per_block=4).splitlines()[-1] == "BlockSizes=2,4"


def test_a_block_of_no_host_is_refused(tree: Fabric) -> None:
    with pytest.raises(DesignError, match="holds no host"):
        block_conf(tree, hosts_per_block=0)


def test_files_go_where_the_path_says(tree: Fabric, tmp_path) -> None:
    write_slurm(tree, None, tmp_path / "etc")
    write_slurm(tree, None, tmp_path / "a.yaml")
    write_slurm(tree, None, tmp_path / "a.conf")
    for written, text in (
        ("etc/topology.conf", topology_conf(tree)),
        ("etc/topology.yaml", topology_yaml(tree)),
        ("a.yaml", topology_yaml(tree)),
        ("a.conf", topology_conf(tree)),
    ):
        assert (tmp_path / written).read_bytes() == text.encode()


def test_a_hostlist_is_short() -> None:
    names = [f"server-{n:04d}" for n in (*range(1, 33), 34, 36, 37)]
    assert hostlist(names) == "server-[0001-0032,0034,0036-0037]"
    assert hostlist(["leaf-7", "spine-01", "spine-03", "fabric"]) == "leaf-7,spine-[01,03],fabric"


@given(st.lists(st.tuples(st.sampled_from(["a-", "b", "c1-"]), st.integers(0, 200)), max_size=40))
def test_a_hostlist_expands_to_the_same_names(parts: list[tuple[str, int]]) -> None:
    names = [f"{prefix}{number:03d}" for prefix, number in parts]
    assert expanded(hostlist(names)) == names
