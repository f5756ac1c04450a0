"""LLDP tables in the forms of many switches: local and remote are never swapped."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_hang import no_hang

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.lldp import KIND
from netdesign.audit.lldp.network import LldpFile

Row = tuple[str | None, str, str | None, str | None]

SONIC = """  admin@tor7:~$ show lldp table
  Capability codes: (R) Router, (B) Bridge, (O) Other
  LocalPort    RemoteDevice    RemotePortID         Capability    RemotePortDescr
  -----------  --------------  -------------------  ------------  ---------------
  Ethernet8    agg1            hundredGigE1/2       BR            tor7:etp3
  Ethernet16   agg2            Gigabit 0/2          OBR
  eth0         oob             GigabitEthernet 0/9  BR            uplink
  --------------------------------------------------
  Total entries displayed:  3
"""
CUMULUS = """cumulus@leaf1:mgmt:~$ net show lldp

LocalPort  Speed  Mode        RemoteHost  RemotePort
---------  -----  ----------  ----------  -----------------
eth0       1G     Mgmt        oob         swp10
swp1       100G   BondMember  gpu01       44:38:39:00:00:32
swp51      400G   Default     spine1      swp1
"""
NVUE = """cumulus@leaf1:~$ nv show interface lldp
Interface  Speed  Type  Remote Host  Remote Port
---------  -----  ----  -----------  -----------
swp1       400G   swp   spine1       swp7
swp2       400G   swp
"""
NVUE_ONE = """cumulus@leaf1:~$ nv show interface swp51 lldp neighbor
Neighbor  Remote IP     Model  SW Version  Remote Port
--------  ------------  -----  ----------  -----------
spine1    10.0.0.1                         swp7
"""
NETQ = """user@station:~$ netq show lldp
Matching lldp records:
Hostname          Interface                 Peer Hostname     Peer Interface            Last Changed
----------------- ------------------------- ----------------- ------------------------- ------------
leaf1             swp1                      gpu01             eth1                      Thu Sep 17
gpu01             eth1                      leaf1             swp1                      Thu Sep 17
"""
EOS = """leaf1#show lldp neighbors
Last table change time   : 0:00:02 ago
Number of table inserts  : 2

Port       Neighbor Device ID             Neighbor Port ID           TTL
---------- ---------------------------------- ---------------------- ---
Et1        spine1.lab                     Ethernet7                  120
Ma1        oob1                           1/1                        120
"""
JUNOS = """ops@leaf1> show lldp neighbors
Local Interface    Parent Interface    Chassis Id          Port info          System Name
et-0/0/1           -                   2c:6b:f5:a1:c2:c0   et-0/0/7           spine1
xe-2/1/5           ae7                 00:1c:73:ee:c0:46   to leaf1           spine2
xe-2/1/6.0         ae7                 00:1c:73:ee:c0:47   fw - xe-0/0/5 (a) spine3.lab

{master:0}
"""
JUNOS_OLD = """ops@leaf1> show lldp neighbors
Local Interface    Parent Interface    Chassis Id          Port info
ge-0/0/37.0        -                   00:0f:fe:7d:7c:68   eth0
"""
NXOS = """leaf1# show lldp neighbor
Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device
  (W) WLAN Access Point, (P) Repeater, (S) Station, (O) Other
Device ID            Local Intf      Hold-time  Capability  Port ID
a-long-name.lab.local
                     mgmt0           120        B            Gi1/0/37
spine1               Eth1/1          120        BR T         Ethernet1/7
two words            Eth1/2          120                     ethernet1/9
host9.lab.local  Eth1/3          120        S            0c42.a1b2.c3d4
Total entries displayed: 4
"""
IOS = """Device ID           Local Intf     Hold-time  Capability      Port ID
spine-with-a-long-naGi1/0/1        120        B               Gi0/7
"""
LLDPCTL = """leaf1$ lldpctl
-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------
Interface:    swp3, via: LLDP, RID: 1, Time: 0 day, 14:07:31
  Chassis:
    ChassisID:    mac 52:54:00:2d:fa:de
    SysName:      spine1
    SysDescr:     Cumulus Linux version 5.9
    MgmtIP:       10.0.0.21
    Capability:   Bridge, off
    Capability:   Router, on
  Port:
    PortID:       ifname swp9
    PortDescr:    to leaf1
    TTL:          120
  LLDP-MED:
    Capability:   Capabilities, yes
-------------------------------------------------------------------------------
Interface:    swp4, via: LLDP
  Chassis:
    ChassisID:    mac 52:54:00:6f:f2:17
  Port:
    PortID:       mac 52:54:00:6f:f2:18
-------------------------------------------------------------------------------
"""
KEY_VALUE = """leaf1$ lldpctl -f keyvalue
lldp.swp3.via=LLDP
lldp.swp3.chassis.mac=52:54:00:18:56:dd
lldp.swp3.chassis.name=spine1
lldp.swp3.chassis.Bridge.enabled=on
lldp.swp3.port.ifname=swp9
lldp.swp3.port.descr=to leaf1
"""
EOS_DETAIL = """leaf1#show lldp neighbors detail
Interface Ethernet1 detected 1 LLDP neighbors:

  Neighbor 2cc2.6081.eaf9/"Ethernet7", age 12 seconds
  Discovered 0:01:11 ago; Last changed 0:01:11 ago
  - Chassis ID type: MAC address (4)
    Chassis ID     : 2cc2.6081.eaf9
  - Port ID type: Interface name (5)
    Port ID     : "Ethernet7"
  - Port Description: "to leaf1"
  - System Name: "spine1"
  - System Description: "Arista Networks EOS version 4.30"
  - System Capabilities : Bridge, Router
    Enabled Capabilities: Bridge
  - IEEE802.1/IEEE802.3 Link Aggregation
    Port ID                : 0
  - Unknown organizationally-defined TLV (OUI 00-01-42, subtype 201):
          01 02

Interface Ethernet2 detected 0 LLDP neighbors:

Interface Management1 detected 1 LLDP neighbors:

  Neighbor 0050.56eb.3ef3/Management1, age 4 seconds
    - Chassis ID type: MAC address (4)
      Chassis ID     : 0050.56eb.3ef3
    - Port ID type: Interface name (5)
      Port ID     : "Management1"
    - System Name: "cvx"
"""
NXOS_DETAIL = """leaf1# show lldp neighbors detail
Chassis id: 0014.1c57.a48b
Port id: Ethernet1/7
Local Port id: Eth1/1
Port Description: null
System Name: spine1
System Description: Cisco Nexus Operating System (NX-OS) Software 10.3
TAC support: http://www.cisco.com/tac
Time remaining: 91 seconds
System Capabilities: B, R
Enabled Capabilities: B, R
Management Address: 10.30.140.1
Vlan ID: not advertised

Chassis id: 0000.5e00.53aa
Local Port id: Eth1/2
Port Description: sfp1
System Name: not advertised
Total entries displayed: 2
"""
IOS_DETAIL = """leaf1#show lldp neighbors detail
------------------------------------------------
Local Intf: Gi1/0/1
Chassis id: 001c.7301.9e01
Port id: Gi0/7
System Name: spine1

System Description:
Cisco IOS Software, C2960 Software

Time remaining: 107 seconds
------------------------------------------------
Local Intf: Gi1/0/2
Chassis id: 001c.7301.9e02
Port id: Gi0/8
System Name: spine2
"""
JUNOS_DETAIL = """ops@leaf1> show lldp neighbors interface xe-3/0/4
LLDP Neighbor Information:
Local Information:
Index: 35 Time to live: 120 Time mark: Fri Apr 23 13:04:50 2010 Age: 3 secs
Local Interface    : xe-3/0/4.0
Parent Interface   : ae31.0
Local Port ID      : 545

Neighbour Information:
Chassis type       : Mac address
Chassis ID         : b0:c6:9a:63:80:40
Port type          : Locally assigned
Port ID            : 541
Port description   : xe-0/0/7
System name        : spine1
System capabilities
        Supported  : Bridge Router
        Enabled    : Bridge Router
"""
EOS_JSON = """leaf1# show lldp neighbors detail | json
{"lldpNeighbors": {
  "Ethernet1": {"lldpNeighborInfo": [
    {"systemName": "spine1", "chassisId": "2cc2.6081.eaf9",
     "systemCapabilities": {"bridge": true, "router": false},
     "neighborInterfaceInfo": {"interfaceId": "\\"et-0/0/7\\"", "interfaceDescription": "x"}}]},
  "Ethernet2": {"lldpNeighborInfo": []}}}
"""
EOS_BRIEF_JSON = """{"tablesInserts": 1, "lldpNeighbors": [
  {"port": "Ethernet1", "neighborDevice": "spine1", "neighborPort": "Ethernet7", "ttl": 120}]}
"""
LLDPCTL_JSON = """leaf1$ lldpctl -f json
{"lldp": {"interface": [
  {"swp3": {"via": "LLDP", "rid": "1",
    "chassis": {"spine1": {"id": {"type": "mac", "value": "52:54:00:2d:fa:de"},
      "capability": [{"type": "Bridge", "enabled": true}]}},
    "port": {"id": {"type": "ifname", "value": "swp9"}, "descr": "to leaf1"}}},
  {"swp4": {"via": "LLDP", "chassis": {"id": {"type": "mac", "value": "52:54:00:6f:f2:17"}},
    "port": {"id": {"type": "mac", "value": "52:54:00:6f:f2:18"}}}}]}}
"""
LLDPCTL_JSON0 = """leaf1$ lldpctl -f json0
{"lldp": [{"interface": [{"name": "swp3", "via": "LLDP",
  "chassis": [{"id": [{"type": "mac", "value": "52:54:00:2d:fa:de"}],
    "name": [{"value": "spine1"}], "capability": [{"type": "Bridge", "enabled": true}]}],
  "port": [{"id": [{"type": "ifname", "value": "swp9"}], "descr": [{"value": "to leaf1"}]}]}]}]}
"""
JUNOS_JSON = """ops@leaf1> show lldp neighbors | display json
{"lldp-neighbors-information": [{"attributes": {"junos:style": "brief"},
  "lldp-neighbor-information": [{
    "lldp-local-port-id": [{"data": "et-0/0/1"}],
    "lldp-remote-chassis-id": [{"data": "00:11:22:33:44:77"}],
    "lldp-remote-port-description": [{"data": "et-0/0/7"}],
    "lldp-remote-system-name": [{"data": "spine1"}]}]}]}
"""
JUNOS_XML = """ops@leaf1> show lldp neighbors | display xml
<rpc-reply xmlns:junos="http://xml.juniper.net/junos/14.1R1/junos">
  <lldp-neighbors-information junos:style="brief">
    <lldp-neighbor-information>
      <lldp-local-port-id>et-0/0/1</lldp-local-port-id>
      <lldp-remote-chassis-id>2c:21:31:a5:17:c0</lldp-remote-chassis-id>
      <lldp-remote-port-id>et-0/0/7</lldp-remote-port-id>
      <lldp-remote-system-name>spine1</lldp-remote-system-name>
    </lldp-neighbor-information>
  </lldp-neighbors-information>
</rpc-reply>
"""
LLDPCTL_XML = """leaf1$ lldpctl -f xml
<?xml version="1.0" encoding="UTF-8"?>
<lldp label="LLDP neighbors">
 <interface label="Interface" name="swp3" via="LLDP" rid="1">
  <chassis label="Chassis">
   <id label="ChassisID" type="mac">52:54:00:2d:fa:de</id>
   <name label="SysName">spine1</name>
   <capability label="Capability" type="Bridge" enabled="on"/>
  </chassis>
  <port label="Port">
   <id label="PortID" type="ifname">swp9</id>
   <descr label="PortDescr">to leaf1</descr>
  </port>
 </interface>
</lldp>
"""
NXOS_JSON = """leaf1# show lldp neighbors detail | json
{"TABLE_nbor_detail": {"ROW_nbor_detail": [{"chassis_id": "aabb.cc00.0100",
  "port_id": "Ethernet1/7", "l_port_id": "Eth1/1", "port_desc": "null", "sys_name": "spine1",
  "sys_desc": "Cisco NX-OS", "enabled_capability": "B, R"}]}}
"""
NXOS_BRIEF_JSON = """leaf1# show lldp neighbors | json
{"TABLE_nbor": {"ROW_nbor": {"chassis_id": "spine1", "l_port_id": "Eth1/1",
  "capability": "BR", "port_id": "Ethernet1/7"}}}
"""
NETQ_JSON = """{"lldp": [{"hostname": "leaf1", "ifname": "swp1", "peerHostname": "gpu01",
  "peerIfname": "eth1", "lastChanged": 1600000000.0}]}
"""
NVUE_JSON = """leaf1$ nv show interface lldp -o json
{"swp1": {"lldp": {"neighbor": {"spine1": {"chassis": {"system-name": "spine1",
  "chassis-id": "48:b0:2d:76:ee:8e"}, "port": {"name": "swp7", "type": "ifname"}}}}}}
"""
NAPALM_JSON = """{"Ethernet1": [{"remote_system_name": "spine1", "remote_port": "Ethernet7",
  "remote_chassis_id": "2C:C2:60:81:EA:F9", "remote_system_enable_capab": ["bridge"]}]}
"""

FORMS: list[tuple[str, list[Row]]] = [
    (
        SONIC,
        [
            ("tor7", "Ethernet8", "agg1", "hundredGigE1/2"),
            ("tor7", "Ethernet16", "agg2", "Gigabit 0/2"),
            ("tor7", "eth0", "oob", "GigabitEthernet 0/9"),
        ],
    ),
    (
        CUMULUS,
        [
            ("leaf1", "eth0", "oob", "swp10"),
            ("leaf1", "swp1", "gpu01", "44:38:39:00:00:32"),
            ("leaf1", "swp51", "spine1", "swp1"),
        ],
    ),
    (NVUE, [("leaf1", "swp1", "spine1", "swp7")]),
    (NVUE_ONE, [("leaf1", "swp51", "spine1", "swp7")]),
    (NETQ, [("leaf1", "swp1", "gpu01", "eth1"), ("gpu01", "eth1", "leaf1", "swp1")]),
    (EOS, [("leaf1", "Et1", "spine1.lab", "Ethernet7"), ("leaf1", "Ma1", "oob1", "1/1")]),
    (
        JUNOS,
        [
            ("leaf1", "et-0/0/1", "spine1", "et-0/0/7"),
            ("leaf1", "xe-2/1/5", "spine2", "to leaf1"),
            ("leaf1", "xe-2/1/6.0", "spine3.lab", "fw - xe-0/0/5 (a)"),
        ],
    ),
    (JUNOS_OLD, [("leaf1", "ge-0/0/37.0", "00:0f:fe:7d:7c:68", "eth0")]),
    (
        NXOS,
        [
            ("leaf1", "mgmt0", "a-long-name.lab.local", "Gi1/0/37"),
            ("leaf1", "Eth1/1", "spine1", "Ethernet1/7"),
            ("leaf1", "Eth1/2", "two words", "ethernet1/9"),
            ("leaf1", "Eth1/3", "host9.lab.local", "0c42.a1b2.c3d4"),
        ],
    ),
    (IOS, [(None, "Gi1/0/1", "spine-with-a-long-na", "Gi0/7")]),
    (
        LLDPCTL,
        [
            ("leaf1", "swp3", "spine1", "swp9"),
            ("leaf1", "swp4", "52:54:00:6f:f2:17", "52:54:00:6f:f2:18"),
        ],
    ),
    (KEY_VALUE, [("leaf1", "swp3", "spine1", "swp9")]),
    (
        EOS_DETAIL,
        [
            ("leaf1", "Ethernet1", "spine1", "Ethernet7"),
            ("leaf1", "Management1", "cvx", "Management1"),
        ],
    ),
    (
        NXOS_DETAIL,
        [
            ("leaf1", "Eth1/1", "spine1", "Ethernet1/7"),
            ("leaf1", "Eth1/2", "0000.5e00.53aa", "sfp1"),
        ],
    ),
    (
        IOS_DETAIL,
        [("leaf1", "Gi1/0/1", "spine1", "Gi0/7"), ("leaf1", "Gi1/0/2", "spine2", "Gi0/8")],
    ),
    (JUNOS_DETAIL, [("leaf1", "xe-3/0/4.0", "spine1", "541")]),
    (EOS_JSON, [("leaf1", "Ethernet1", "spine1", "et-0/0/7")]),
    (EOS_BRIEF_JSON, [(None, "Ethernet1", "spine1", "Ethernet7")]),
    (
        LLDPCTL_JSON,
        [
            ("leaf1", "swp3", "spine1", "swp9"),
            ("leaf1", "swp4", "52:54:00:6f:f2:17", "52:54:00:6f:f2:18"),
        ],
    ),
    (LLDPCTL_JSON0, [("leaf1", "swp3", "spine1", "swp9")]),
    (JUNOS_JSON, [("leaf1", "et-0/0/1", "spine1", "et-0/0/7")]),
    (JUNOS_XML, [("leaf1", "et-0/0/1", "spine1", "et-0/0/7")]),
    (LLDPCTL_XML, [("leaf1", "swp3", "spine1", "swp9")]),
    (NXOS_JSON, [("leaf1", "Eth1/1", "spine1", "Ethernet1/7")]),
    (NXOS_BRIEF_JSON, [("leaf1", "Eth1/1", "spine1", "Ethernet1/7")]),
    (NETQ_JSON, [("leaf1", "swp1", "gpu01", "eth1")]),
    (NVUE_JSON, [("leaf1", "swp1", "spine1", "swp7")]),
    (NAPALM_JSON, [(None, "Ethernet1", "spine1", "Ethernet7")]),
]


def read(text: str) -> LldpFile:
    content = KIND.read(document_of("a", text))[0]
    assert isinstance(content, LldpFile)
    return content


def summary(text: str) -> dict[str, Any]:
    return KIND.summarise(read(text))


def rows(text: str) -> list[Row]:
    return [
        (row["local_device"], row["local_port"], row["remote_device"], row["remote_port"])
        for row in summary(text)["rows"]
    ]


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_each_form(text: str, expected: list[Row]) -> None:
    document = document_of("a", text)
    assert KIND.recognises(document)
    content, used = KIND.read(document)
    assert not KIND.is_empty(content)
    assert rows(text) == expected
    unread = [line.text for line in document.lines() if line.text and line.number not in used]
    assert not [line for line in unread if line.strip("- ")]


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_a_repeated_table_counts_once(text: str, expected: list[Row]) -> None:
    assert len(rows(text + "\n" + text)) == len(expected)


def test_a_blank_port_of_junos_does_not_shift_the_name() -> None:
    row = "et-0/0/2           -                   2c:6b:f5:a1:c2:c1                      spine4"
    assert rows(JUNOS + row)[-1] == ("leaf1", "et-0/0/2", "spine4", None)


def test_log_lines_between_rows_are_not_rows() -> None:
    lines = EOS.splitlines()
    lines.insert(-1, "Nov 30 10:00:00 leaf1 Lldp: %LLDP-5-NEIGHBOR_NEW: a neighbour came 5")
    assert rows("\n".join(lines)) == rows(EOS)


def test_interfaces_without_a_neighbour_are_counted() -> None:
    figures = summary(EOS_JSON)
    assert (figures["interfaces"], figures["interfaces_with_neighbours"]) == (2, 1)
    assert summary(EOS_DETAIL)["interfaces"] == 3
    assert summary(NVUE)["interfaces"] == 2


def test_management_ports_are_apart() -> None:
    figures = summary(SONIC)
    assert (figures["entries"], figures["management"], figures["links"]) == (3, 1, 2)
    assert [row["management"] for row in figures["rows"]] == [False, False, True]
    assert summary(EOS)["management"] == 1
    assert summary(NXOS)["management"] == 1
    # what a front port hears of another device's management port is no fabric either
    assert summary(EOS.replace("Ethernet7 ", "Management1"))["management"] == 2


def test_a_cut_json_gives_what_is_whole() -> None:
    cut = EOS_JSON[: EOS_JSON.index('"Ethernet2"') + 20]
    assert rows(cut) == [("leaf1", "Ethernet1", "spine1", "et-0/0/7")]
    cut = LLDPCTL_JSON[: LLDPCTL_JSON.index('"swp4"') + 30]
    assert rows(cut) == [("leaf1", "swp3", "spine1", "swp9")]


def test_answers_of_many_devices_in_one_json() -> None:
    text = json.dumps(
        {
            "leaf1": {
                "lldpNeighbors": [{"port": "E1", "neighborDevice": "s1", "neighborPort": "E7"}]
            },
            "leaf2": {
                "lldpNeighbors": [{"port": "E1", "neighborDevice": "s1", "neighborPort": "E8"}]
            },
        }
    )
    assert [row[0] for row in rows(text)] == ["leaf1", "leaf2"]


@pytest.mark.parametrize(
    "head",
    ["==> leaf1.txt <==", "### leaf1 ###", "leaf1 | CHANGED | rc=0 >>", "hostname leaf1"],
)
def test_a_heading_names_the_device(head: str) -> None:
    table = EOS.split("\n", 1)[1]
    assert {row[0] for row in rows(head + "\n" + table)} == {"leaf1"}


PIECES = [line for text, _ in FORMS for line in text.splitlines()]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=40), st.integers(0, 60))
def test_whatever_is_cut_and_spliced_is_read(pieces: list[str], cut: int) -> None:
    content = KIND.read(document_of("a", "\n".join(pieces)[cut:]))[0]
    if not KIND.is_empty(content):
        KIND.summarise(content)
        KIND.judge(content, Context())


@given(st.sampled_from([text for text, _ in FORMS]), st.integers(0, 2000), st.integers(0, 2000))
def test_any_piece_of_a_form_is_read(text: str, start: int, end: int) -> None:
    content = KIND.read(document_of("a", text[start % len(text) :][: end % len(text)]))[0]
    if not KIND.is_empty(content):
        KIND.summarise(content)
        KIND.judge(content, Context())


@pytest.mark.parametrize(
    "text",
    [
        '{"lldp": {"a": [\n' * 20_000,
        '"lldp"\n' + "[" * 200_000,
        '{"lldpNeighbors": {\n' + '"E1": {"lldpNeighborInfo": [\n' * 10_000,
        "<lldp-neighbor-information>\n" + "<a " * 20_000,
        NXOS + (" " * 60_000 + "x\n") * 5,
        NXOS + ("1 " * 30_000 + "\n") * 5,
        EOS + "# " * 60_000 + "lldp",
        LLDPCTL + "-" * 60_000 + "\n" + "a:" * 30_000,
        NXOS + "x y z 12\n" * 50_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    with no_hang():
        content = KIND.read(document_of("a", text))[0]
        KIND.judge(content, Context())
