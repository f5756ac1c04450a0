"""Quirks of logs of hosts and switches as they stand in issues, guides and test data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.kind import Kind
from netdesign.audit.lldp import KIND as LLDP
from netdesign.audit.report import Finding
from netdesign.audit.slurm_topology import KIND as SLURM


class Read:
    """A text as a kind reads and judges it."""

    def __init__(self, kind: Kind, text: str) -> None:
        document = document_of("file", text)
        self.known = kind.recognises(document)
        content, self.used = kind.read(document)
        self.empty = kind.is_empty(content)
        self.summary: dict[str, Any] = kind.summarise(content)
        self.findings: list[Finding] = list(kind.judge(content, Context()))

    def rules(self, *severities: str) -> list[str]:
        return [
            finding.rule
            for finding in self.findings
            if not severities or finding.severity in severities
        ]


# Slurm


def test_two_examples_of_a_guide_are_two_topologies() -> None:
    found = Read(
        SLURM,
        """<p>The first network:</p>
<pre>
SwitchName=s0 Nodes=n[0-1]
SwitchName=s1 Nodes=n[2-3]
SwitchName=s2 Switches=s[0-1]
</pre>
<p>The second one:</p>
<pre>
SwitchName=s0 Nodes=n[0-3] LinkSpeed=100
SwitchName=s1 Nodes=n[4-7] LinkSpeed=100
SwitchName=s2 Switches=s[0-1] LinkSpeed=100
</pre>
""",
    )
    hosts = [entry["hosts"] for entry in found.summary["topologies"]]
    assert hosts == [4, 8]
    assert found.rules("error", "warning") == []
    assert "several-files" in found.rules("note")


def test_the_second_example_may_begin_with_a_name_of_its_own() -> None:
    found = Read(
        SLURM,
        "SwitchName=s0 Nodes=a[0-1]\n```\nSwitchName=top Switches=s0\nSwitchName=s0 Nodes=b[0-3]\n",
    )
    first, second = found.summary["topologies"]
    assert (first["switches"], first["hosts"]) == (1, 2)
    assert (second["switches"], second["hosts"]) == (2, 4)


def test_a_second_definition_without_text_between_is_an_error() -> None:
    found = Read(SLURM, "SwitchName=s0 Nodes=a[0-1]\n# more\n\nSwitchName=s0 Nodes=b[0-3]\n")
    assert "duplicate-switch" in found.rules("error")
    assert "topologies" not in found.summary


# LLDP

_IOS = """Device ID           Local Intf     Hold-time  Capability      Port ID
sw1                 Te3/1/2        116        B,R             port-002-00000
sw2                 Gi1/0/1        99         B               Gi1/0/2

Total entries displayed: 2
"""


def test_capabilities_with_a_comma_are_no_part_of_the_port() -> None:
    rows = Read(LLDP, _IOS).summary["rows"]
    assert [row["remote_port"] for row in rows] == ["port-002-00000", "Gi1/0/2"]


def _nxos_detail(*addresses: str) -> str:
    return "".join(
        f"""Chassis id: 2cc2.60{place}4.aa0{place}
Port id: Eth2/{place}
Local Port id: Eth2/{place}
System Name: peer.example.com
Management Address: {address}
Vlan ID: not advertised

"""
        for place, address in enumerate(addresses, 1)
    )


def test_chassis_ids_of_each_port_are_one_device_with_one_address() -> None:
    assert Read(LLDP, _nxos_detail("10.0.0.7", "10.0.0.7")).rules("error", "warning") == []
    assert "duplicate-name" in Read(LLDP, _nxos_detail("10.0.0.7", "10.0.0.8")).rules("warning")


_DETAIL = """------------------------------------------------
Chassis id: a40c.c3c1.0001
Port id: Gi1/0/2
System Name: sw2

System Description:
Cisco IOS Software

Time remaining: 113 seconds
System Capabilities: B
Management Addresses:
    IP: 10.0.0.9

------------------------------------------------
Chassis id: a40c.c3c1.0002
Port id: port-002-00000
System Name: sw1
System Description - not advertised

Total entries displayed: 2
"""


def test_details_without_a_local_port_add_nothing_to_the_table() -> None:
    found = Read(LLDP, _IOS + _DETAIL)
    assert found.summary["entries"] == 2
    assert found.summary["neighbours_without_local_port"] == 0
    assert "entries-differ" not in found.rules()
    assert "local-port-unknown" not in found.rules()


def test_details_without_a_local_port_alone_are_said() -> None:
    found = Read(LLDP, "sw9#show lldp neighbors detail\n" + _DETAIL)
    assert not found.empty
    assert found.summary["neighbours_without_local_port"] == 2
    assert found.rules() == ["local-port-unknown"]


def test_two_entries_on_one_port_are_not_two_cables() -> None:
    heard = "".join(
        f"Interface:    Ethernet38, via: LLDP, RID: 5\n  Chassis:\n    SysName: T1\n"
        f"  Port:\n    PortID: {port}\n"
        for port in ("mac 58:69:6c:00:00:08", "local Eth39")
    )
    assert "several-links" not in Read(LLDP, heard).rules()
    assert "two-neighbours-on-a-port" in Read(LLDP, heard).rules("warning")


@pytest.mark.parametrize(
    ("text", "row"),
    [
        (
            "LINK CHASSIS-ID        SYSTEM-NAME CAPS        PORT-ID PORT-DESCRIPTION\n"
            "ens1 00:11:22:33:44:80 leaf-1      ..b.r...... 516     xe-0/0/4\n",
            ("ens1", "leaf-1", "516"),
        ),
        (
            "------------------------------------------------------------------\n"
            "Local Interface   Device ID            Port ID      System Name\n"
            "------------------------------------------------------------------\n"
            "Eth1/1            e4:1d:2d:00:00:01    Eth1/17      spine-b\n",
            ("Eth1/1", "spine-b", "Eth1/17"),
        ),
        (
            "LOCAL-PORT  CHASSIS-ID         PORT-ID   PORT-DESC   TTL      SYS-NAME\n"
            "------------------------------------------------------------------\n"
            "1/1/1       f4:03:43:00:00:01  1/1/49    1/1/49      120      spine-1\n",
            ("1/1/1", "spine-1", "1/1/49"),
        ),
        (
            "<leaf1>display lldp neighbor brief\n"
            "Local Interface         Exptime(s) Neighbor Interface      Neighbor Device\n"
            "------------------------------------------------------------------\n"
            "100GE1/0/1                   105   100GE1/0/3              spine1\n",
            ("100GE1/0/1", "spine1", "100GE1/0/3"),
        ),
    ],
)
def test_tables_of_other_systems(text: str, row: tuple[str, str, str]) -> None:
    found = Read(LLDP, text)
    assert found.known
    (read,) = found.summary["rows"]
    assert (read["local_port"], read["remote_device"], read["remote_port"]) == row


def test_an_abbreviated_command_names_the_device() -> None:
    text = (
        "leaf7#sh ll n e 31 d\nInterface Ethernet31 detected 1 LLDP neighbors:\n\n"
        '  Neighbor 7c5a.1c00.0001/"Ethernet1", age 15 seconds\n  - System Name: "spine1"\n'
    )
    assert Read(LLDP, text).summary["local"] == ["leaf7"]


def _cable(a: str, a_port: str, b: str, b_port: str) -> dict[str, Any]:
    return {
        "interfaces": [{"node": a, "interface": a_port}, {"node": b, "interface": b_port}],
    }


def test_the_graph_of_netq_has_each_cable_once() -> None:
    def node(name: str, kind: str) -> dict[str, Any]:
        return {"id": f"id-{name}", "name": name, "device_type": kind, "node_type": "device"}

    graph = {
        "links": [
            {"compounded_links": [_cable("id-leaf", "swp1", "id-host", "ens1")]},
            {
                "compounded_links": [
                    _cable("id-leaf", "swp33", "id-spine", "swp1"),
                    _cable("id-spine", "swp2", "id-leaf", "swp34"),
                ]
            },
        ],
        "nodes": [
            {
                "id": "tier",
                "name": "tier-1",
                "node_type": "tier",
                "compounded_nodes": [
                    node("leaf", "switch"),
                    node("spine", "switch"),
                    node("host", "discovered_via_lldp"),
                ],
            }
        ],
    }
    found = Read(LLDP, json.dumps([graph], indent=1))
    assert found.known
    summary = found.summary
    assert (summary["switches"], summary["hosts"]) == (2, 1)
    assert (summary["links"], summary["host_links"], summary["switch_links"]) == (3, 1, 2)
    assert found.rules("error", "warning") == []
