"""LLDP tables of several switches as one network, and what is wrong with its cables."""

from __future__ import annotations

from typing import Any

import pytest

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.found.network import FoundLink
from netdesign.audit.lldp import KIND
from netdesign.audit.lldp.network import LldpFile, network_of
from netdesign.audit.lldp.ports import canonical, gbps_of, is_management, port_name
from netdesign.audit.report import Finding

HEAD = "Port       Neighbor Device ID             Neighbor Port ID           TTL\n"


def table(device: str, *rows: str) -> str:
    """A table of EOS; rows as "Et1 spine1 Ethernet7"."""
    lines = [f"{device}#show lldp neighbors\n" if device else "", HEAD]
    for row in rows:
        port, name, remote = row.split(" ", 2)
        lines.append(f"{port:<10} {name:<30} {remote:<26} 120\n")
    return "".join(lines)


def read(text: str) -> LldpFile:
    content = KIND.read(document_of("a", text))[0]
    assert isinstance(content, LldpFile)
    return content


def summary(text: str) -> dict[str, Any]:
    return KIND.summarise(read(text))


def findings(text: str) -> dict[str, Finding]:
    return {entry.rule: entry for entry in KIND.judge(read(text), Context())}


def ends(link: FoundLink) -> tuple[str, str, str, str, bool]:
    return (link.a, link.a_port, link.b, link.b_port, link.one_sided)


LEAF1 = table("leaf1", "Et1 spine1 Ethernet7", "Et2 spine2 Ethernet7", "Et9 gpu01 0c42.a1b2.c3d4")
SPINE1 = table("spine1.lab", "Et7 leaf1.lab Ethernet1", "Et8 leaf2 Ethernet1")


def test_a_cable_that_both_ends_tell_is_one_link() -> None:
    figures = summary(LEAF1 + SPINE1)
    assert (figures["entries"], figures["links"]) == (5, 4)
    assert (figures["switches"], figures["hosts"]) == (4, 1)
    assert (figures["host_links"], figures["switch_links"]) == (1, 3)
    assert figures["local"] == ["leaf1", "spine1.lab"]
    assert "one-sided-link" not in findings(LEAF1 + SPINE1)


def test_the_files_of_two_switches_make_one_network() -> None:
    links = network_of(read(LEAF1), read(SPINE1)).links
    assert [ends(link) for link in links] == [
        ("leaf1", "Et1", "spine1.lab", "Et7", False),
        ("leaf1", "Et2", "spine2", "Ethernet7", False),
        ("leaf1", "Et9", "gpu01", "0c42.a1b2.c3d4", False),
        ("spine1.lab", "Et8", "leaf2", "Ethernet1", False),
    ]
    assert read(LEAF1).network.devices["gpu01"].role == "host"


def test_a_link_that_one_end_does_not_tell() -> None:
    text = LEAF1 + table("spine1", "Et8 leaf2 Ethernet1")
    found = findings(text)["one-sided-link"]
    assert (found.severity, found.evidence["count"]) == ("warning", 1)
    assert found.evidence["links"] == ["leaf1 Et1 to spine1 Ethernet7"]
    assert summary(text)["one_sided"] == 1


def test_ports_match_by_description_where_the_id_is_an_alias() -> None:
    sonic = """admin@tor1:~$ show lldp table
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  ---------------
Ethernet8    tor2            etp5            BR            Ethernet32
"""
    other = sonic.replace("tor1", "torX").replace("tor2", "tor1").replace("torX", "tor2")
    other = other.replace("Ethernet8 ", "Ethernet32").replace("etp5", "etp2")
    other = other.replace("    BR            Ethernet32", "    BR            Ethernet8")
    assert len(read(sonic + other).network.links) == 1


def test_several_links_to_a_neighbour_are_pairs_and_no_duplication() -> None:
    text = table("leaf1", "Et1 spine1 Ethernet7", "Et2 spine1 Ethernet8")
    found = findings(text)["several-links"]
    assert found.severity == "note"
    assert found.evidence["neighbours"] == {"spine1": [["Et1", "Ethernet7"], ["Et2", "Ethernet8"]]}
    assert summary(text)["links"] == 2


def test_two_neighbours_on_a_port() -> None:
    found = findings(table("leaf1", "Et1 a1 Ethernet1", "Et1 b1 Ethernet1"))
    assert found["two-neighbours-on-a-port"].severity == "warning"
    found = findings(table("leaf1", "Ma1 a1 Ethernet1", "Ma1 b1 Ethernet1"))
    assert found["two-neighbours-on-a-port"].severity == "note"


def test_the_same_port_of_a_neighbour_twice() -> None:
    found = findings(table("leaf1", "Et1 spine1 Ethernet7", "Et2 spine1 Eth7"))
    assert found["remote-port-seen-twice"].severity == "warning"
    bond = findings(table("leaf1", "Et1 gpu1 0c42.a1b2.c3d4", "Et2 gpu1 0c42.a1b2.c3d4"))
    assert bond["remote-port-seen-twice"].severity == "note"


LLDPCTL = """{device}$ lldpctl
Interface:    {port}, via: LLDP, RID: 1, Time: 0 day, 14:07:31
  Chassis:
    ChassisID:    mac {mac}
    SysName:      {name}
    SysDescr:     {system}
    Capability:   Bridge, on
    Capability:   Router, on
  Port:
    PortID:       ifname {remote}
    PortDescr:    {description}
"""
DEFAULTS = {
    "device": "leaf1",
    "port": "swp1",
    "mac": "52:54:00:2d:fa:de",
    "name": "spine1",
    "system": "Cumulus Linux version 5.9",
    "remote": "swp7",
    "description": "x",
}


def lldpctl(**changes: str) -> str:
    return LLDPCTL.format(**{**DEFAULTS, **changes})


@pytest.mark.parametrize(
    ("changes", "is_wrong"),
    [
        ({"description": "leaf1:swp1"}, False),
        ({"description": "leaf1:swp2"}, True),
        ({"description": "to leaf1 swp2 [L3]"}, True),
        ({"description": "spine1:swp7"}, False),  # its own name
        ({"description": "leaf1:Eth1/2"}, False),  # another naming of ports
        ({"description": "rack7:swp2"}, False),  # no device of the file
        ({"description": "swp7"}, False),
        ({"description": "leaf1:swp2", "device": "cumulus"}, False),  # whose table it is is unknown
        ({"description": "leaf1:swp2", "port": "eth0"}, False),  # management
    ],
)
def test_a_description_that_names_another_port(changes: dict[str, str], is_wrong: bool) -> None:
    found = findings(lldpctl(**changes))
    assert ("miswired" in found) is is_wrong
    if is_wrong:
        assert found["miswired"].severity == "error"
        assert found["miswired"].evidence["found"] == ["leaf1", "swp1"]


@pytest.mark.parametrize(
    ("changes", "role"),
    [
        ({}, "switch"),
        ({"system": "Ubuntu 22.04 Linux 5.15", "remote": "swp7"}, "host"),
        ({"system": "SONiC Software Version - Distribution: Debian 11"}, "switch"),
        ({"system": "", "remote": "enp1s0f0"}, "host"),
        ({"system": "", "remote": "Ethernet1/7"}, "switch"),
    ],
)
def test_the_role_of_a_neighbour(changes: dict[str, str], role: str) -> None:
    assert summary(lldpctl(**changes))["rows"][0]["remote_role"] == role


def test_a_station_is_a_host_and_no_capability_is_unknown() -> None:
    head = "Device ID            Local Intf      Hold-time  Capability  Port ID\n"
    text = head + "x1                   Eth1/1          120        S           p1\n"
    assert summary(text)["rows"][0]["remote_role"] == "host"
    text = head + "fw1                  Eth1/1          120                    ethernet1/9\n"
    assert summary(text)["rows"][0]["remote_role"] == "unknown"
    assert summary(text)["unknown_devices"] == 1


def test_two_devices_of_one_name() -> None:
    text = lldpctl() + lldpctl(port="swp2", mac="aa:54:00:2d:fa:de", remote="swp8")
    assert findings(text)["duplicate-name"].severity == "warning"
    near = lldpctl() + lldpctl(port="swp2", mac="52:54:00:2d:fa:df", remote="swp8")
    assert "duplicate-name" not in findings(near)


def test_what_is_not_said_is_asked_for() -> None:
    rules = findings(table("", "Et1 spine1 Ethernet7"))
    assert rules["local-device-unknown"].severity == "note"
    assert summary(table("", "Et1 spine1 Ethernet7"))["local"] == [None]
    assert "local-device-unknown" not in findings(LEAF1)


def test_tables_without_names_that_contradict_each_other_are_of_two_devices() -> None:
    one, two = table("", "Et1 spine1 Ethernet7"), table("", "Et1 spine2 Ethernet7")
    assert summary(one + one)["switches"] == 2
    assert summary(one + two)["switches"] == 4


def test_a_table_that_is_cut() -> None:
    head = "Device ID            Local Intf      Hold-time  Capability  Port ID\n"
    row = "x1                   Eth1/1          120        B           p1\n"
    found = findings(head + row + "Total entries displayed: 2\n")["entries-differ"]
    assert (found.severity, found.evidence) == ("warning", {"said": 2, "read": 1})
    assert "entries-differ" not in findings(head + row + "Total entries displayed: 1\n")


def test_speeds_are_of_the_slower_end() -> None:
    head = "LocalPort  Speed  Mode     RemoteHost  RemotePort\n"
    rule = "---------  -----  -------  ----------  ----------\n"
    text = f"a@leaf1:~$ net show lldp\n{head}{rule}swp1       400G   Default  leaf2       swp1\n"
    text += f"a@leaf2:~$ net show lldp\n{head}{rule}swp1       100G   Default  leaf1       swp1\n"
    (link,) = read(text).network.links
    assert (link.gbps, link.speed, link.other_speed) == (100.0, "400G", "100G")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Et1/1", "Ethernet1/1"),
        ("Eth1/1", "ethernet 1/1"),
        ("xe-0/1/0.0", "xe-0/1/0"),
        ("Gi0/2", "GigabitEthernet 0/2"),
        ("52:54:00:2D:FA:DE", "5254.002d.fade"),
        ('"et-0/0/20"', "et-0/0/20"),
    ],
)
def test_names_of_the_same_port(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


def test_names_of_different_ports() -> None:
    assert canonical("et-0/0/1") != canonical("et-0/0/10")
    assert canonical("swp1") != canonical("swp10")


@pytest.mark.parametrize(
    "port", ["eth0", "mgmt0", "Management1", "Ma1/1", "fxp0", "em0", "me0", "re0:mgmt-0"]
)
def test_management_ports(port: str) -> None:
    assert is_management(port)


@pytest.mark.parametrize("port", ["Ethernet0", "Eth1/1", "swp1", "eth1", "et-0/0/0", "ma-0/0/1"])
def test_ports_of_the_fabric(port: str) -> None:
    assert not is_management(port)


def test_a_number_for_an_id_gives_way_to_a_name() -> None:
    assert port_name("541", "xe-0/0/7") == "xe-0/0/7"
    assert port_name("541", "uplink") == "541"
    assert (gbps_of("400G"), gbps_of("10M"), gbps_of("N/A")) == (400.0, 0.01, None)
