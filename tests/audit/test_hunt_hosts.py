"""Quirks of logs of hosts and switches as they stand in issues, guides and test data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.gpu_topology import KIND as TOPOLOGY
from netdesign.audit.kind import Kind
from netdesign.audit.lldp import KIND as LLDP
from netdesign.audit.nccl_log import KIND as NCCL
from netdesign.audit.perftest import KIND as PERFTEST
from netdesign.audit.report import Finding
from netdesign.audit.slurm_topology import KIND as SLURM
from netdesign.audit.whole import audit_all


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


def test_quoted_lines_are_read() -> None:
    lines = ("Interface:    br0, via: LLDP, RID: 1", "  Chassis:", "    SysName:      leaf9")
    text = "".join(f">    {line}\n" for line in (*lines, "  Port:", "    PortID:  ifname Gi1/0/5"))
    found = Read(LLDP, "<code>  lldpcli show neighbors</code>\n" + text)
    assert found.summary["local"] == [None]
    (row,) = found.summary["rows"]
    assert (row["local_port"], row["remote_device"], row["remote_port"]) == (
        "br0",
        "leaf9",
        "Gi1/0/5",
    )


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


# perftest

_DASHES = "-" * 87
_HEADER = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
_TITLE = "                    RDMA_Write BW Test\n"
_BEGINNING = "Dual-port       : OFF          Device         : ib0\nNumber of qps   : 1\n"
_END = "Mtu             : 4096[B]\nLink type       : IB\nData ex. method : Ethernet\n"
_ENDS = "local address: LID 0xd06 QPN 0x092f\nremote address: LID 0xd06 QPN 0x092e\n"


def test_two_sides_that_print_into_each_other_are_one_test() -> None:
    row = " 8388608    2000      194.90     194.90       0.002905\n"
    text = (
        f"{_DASHES}\n{_TITLE}{_BEGINNING}{_DASHES}\n{_TITLE}{_BEGINNING}"
        f"TX depth        : 128\n{_END}{_DASHES}\n{_END}{_DASHES}\n{_ENDS}{_ENDS}"
        f"{_HEADER}{_HEADER}{row}{_DASHES}\n{row}{_DASHES}\n"
    )
    found = Read(PERFTEST, text)
    (test,) = found.summary["tests"]
    assert (test["sizes"], test["complete"]) == (1, True)
    assert found.rules("error", "warning") == []
    assert "loopback" in found.rules("note")


def _run(rdma_cm: str, average: float) -> str:
    rate = average * 1e9 / 8 / 1e6 / 1e6
    return (
        f"{_DASHES}\n{_TITLE}{_BEGINNING}rdma_cm QPs     : {rdma_cm}\n{_END}{_DASHES}\n"
        f"{_HEADER} 1000000    11540            0.00   {average}   {rate:.6f}\n{_DASHES}\n"
    )


def test_the_same_test_by_rdma_cm_at_a_fraction_of_the_rate() -> None:
    found = Read(PERFTEST, _run("OFF", 92.31) + _run("ON", 0.95))
    (finding,) = [entry for entry in found.findings if entry.severity != "note"]
    assert finding.rule == "like-tests-apart"
    assert "rdma_cm" in finding.message
    assert Read(PERFTEST, _run("OFF", 92.31) + _run("ON", 91.0)).rules("error", "warning") == []


def _sizes(*rows: tuple[int, float, float]) -> str:
    lines = "".join(f" {size}  5000  {peak}  {average}  0.1\n" for size, peak, average in rows)
    return f"Starting 'ib_write_bw' for mlx5_0 (Port 18515)...\n{_DASHES}\n{_HEADER}{lines}"


def test_jitter_of_small_messages_is_no_fault_of_a_line_that_is_filled() -> None:
    small = Read(
        PERFTEST, _sizes((8192, 178.2, 147.6), (65536, 195.8, 190.2), (8 << 20, 196.5, 196.5))
    )
    assert [entry.severity for entry in small.findings if entry.rule == "jitter"] == ["note"]
    large = Read(PERFTEST, _sizes((65536, 181.9, 108.8), (8 << 20, 196.7, 196.6)))
    assert [entry.severity for entry in large.findings if entry.rule == "jitter"] == ["warning"]


_LATENCY = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
    "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n"
)


def test_figures_too_wide_for_their_columns_are_told_apart() -> None:
    row = " 2  1000  453.06  37330.73  692.41  928.05  2465.901216.65  37330.73\n"
    (test,) = Read(PERFTEST, _LATENCY + row).summary["tests"]
    (cells,) = test["rows"]
    assert (cells["average_us"], cells["stdev_us"]) == (928.05, 2465.9)
    assert (cells["p99_us"], cells["p999_us"]) == (1216.65, 37330.73)


@pytest.mark.parametrize("mark", ["[rank {}] ", "[1,{}]<stdout>:"])
def test_ranks_before_each_line_are_tests_of_their_own(mark: str) -> None:
    row = " 2  1000  12.12  18.39  14.24  {}  0.62  16.14  18.39\n"
    text = "".join(
        mark.format(rank) + _LATENCY + mark.format(rank) + row.format(14.3 + rank)
        for rank in range(2)
    )
    tests = Read(PERFTEST, text).summary["tests"]
    assert [test["rows"][0]["average_us"] for test in tests] == [14.3, 15.3]


def test_a_peak_of_nought_is_said_to_be_no_fault() -> None:
    assert "peak-not-measured" in Read(PERFTEST, _run("OFF", 92.31)).rules("note")


def test_both_ports_share_a_slot_is_said_without_a_line_rate() -> None:
    text = _run("OFF", 195.1).replace("Dual-port       : OFF", "Dual-port       : ON ")
    assert "two-ports-one-slot" in Read(PERFTEST, text).rules("note")


# nvidia-smi topo -m


def _mesh(pairs: dict[tuple[int, int], str], gpus: int, nics: int = 0, way: str = "SYS") -> str:
    lines = ["\t".join(["", *(f"GPU{i}" for i in range(gpus)), *(f"NIC{i}" for i in range(nics))])]
    lines[0] += "\tCPU Affinity"
    for row in range(gpus):
        cells = [
            " X " if row == column else pairs.get((min(row, column), max(row, column)), "PHB")
            for column in range(gpus)
        ]
        lines.append("\t".join([f"GPU{row}", *cells, *[way] * nics, "0-15"]))
    return "\n".join(lines) + "\n"


_HALF = {(0, 1): "NV1", (0, 2): "NV1", (0, 3): "NV2", (1, 2): "NV2", (1, 3): "NV1", (2, 3): "NV2"}


def test_a_part_of_a_mesh_has_no_links_missing() -> None:
    found = Read(TOPOLOGY, _mesh(_HALF, 4))
    (finding,) = [entry for entry in found.findings if entry.rule.startswith("nvlink")]
    assert finding.severity == "note"
    assert "4 to 5 NVLinks" in finding.message


def test_links_in_pairs_are_not_said_to_join_all() -> None:
    found = Read(TOPOLOGY, _mesh({(0, 1): "NV3", (2, 3): "NV3"}, 4))
    (finding,) = [entry for entry in found.findings if entry.rule == "nvlink"]
    assert "4 of 6 pairs have none" in finding.message


def test_a_mesh_far_from_its_nic_is_no_board_with_grace() -> None:
    assert "no-near-nic" in Read(TOPOLOGY, _mesh(_HALF, 4, nics=1)).rules("warning")
    board = dict.fromkeys(_HALF, "NV18")
    assert "nic-on-processor" in Read(TOPOLOGY, _mesh(board, 4, nics=1)).rules("note")


def test_several_nics_for_one_gpu_do_not_add_up() -> None:
    found = Read(TOPOLOGY, _mesh({}, 1, nics=4, way="PIX"))
    (finding,) = [entry for entry in found.findings if entry.rule == "rails-healthy"]
    assert finding.message.startswith("The GPU has 4 NICs")
    assert "own PCIe slot" in finding.message


# logs of NCCL


def _said(*messages: str, host: str = "gpu-a", rank: int = 0) -> str:
    return "".join(
        f"{host}:{100 + rank}:{200 + rank} [{rank % 8}] NCCL INFO {text}\n" for text in messages
    )


def _joining(host: str, rank: int, *states: str) -> str:
    return _said(
        *(f"ncclCommInitRank comm 0x5{rank} rank {rank} nranks 4 - Init {each}" for each in states),
        host=host,
        rank=rank,
    )


def test_ranks_that_never_end_their_start_are_named() -> None:
    whole = _joining("gpu-a", 0, "START", "COMPLETE") + _joining("gpu-a", 1, "START", "COMPLETE")
    torn = whole + _joining("gpu-b", 2, "START") + _joining("gpu-b", 3, "START")
    (finding,) = [entry for entry in Read(NCCL, torn).findings if entry.rule == "init-incomplete"]
    assert (finding.severity, finding.evidence["hosts"]) == ("warning", ["gpu-b"])
    assert finding.evidence["ranks"] == [2, 3]
    assert "init-incomplete" not in Read(NCCL, whole).rules()
    alone = Read(NCCL, _joining("gpu-a", 0, "START"))
    assert alone.rules("note") == ["init-incomplete"]  # an excerpt may be cut


def test_ports_that_are_merged_are_named_one_by_one() -> None:
    found = Read(
        NCCL,
        _said(
            "NET/IB : Using [0]={[0] mlx5_2:1/RoCE, [1] mlx5_3:1/RoCE}"
            " [1]={[2] mlx5_0:1/RoCE, [3] mlx5_1:1/RoCE} [RO]; OOB bond0.5:10.0.0.9<0>",
            "Channel 00/0 : 2[0] -> 0[0] [send] via NET/IBext_v8/1/GDRDMA",
        ),
    ).summary["nccl"]
    assert found["nics"] == ["mlx5_2", "mlx5_3", "mlx5_0", "mlx5_1"]
    assert (found["nics_found"], found["nics_used"]) == (4, ["mlx5_0", "mlx5_1"])


def test_no_rdma_library_on_a_single_host_is_no_fault() -> None:
    warning = "gpu-a:1:1 [0] misc/ibvwrap.cc:63 NCCL WARN Failed to open libibverbs.so[.1]\n"
    ring = _said("Channel 00 : 0[1000] -> 1[2000] via P2P/IPC")
    assert Read(NCCL, warning + ring).rules("error", "warning") == []
    sockets = _said("Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0")
    found = Read(NCCL, warning + sockets)
    (finding,) = [entry for entry in found.findings if entry.rule == "tcp-fallback"]
    assert "no RDMA device" in finding.message


def test_infiniband_and_ethernet_together_are_said() -> None:
    listed = "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_2:1/RoCE ; OOB eth0:10.0.0.4<0>"
    assert "mixed-links" in Read(NCCL, _said(listed)).rules("note")
    chosen = _said("NCCL_IB_HCA set to mlx5_0", listed)
    assert "mixed-links" not in Read(NCCL, chosen).rules()


def test_a_time_that_runs_into_the_name_is_no_part_of_it() -> None:
    line = "2025-05-16T16:39:51.208-07:00gpu-a:79:79 [0] NCCL INFO Using network IB\n"
    assert Read(NCCL, line).summary["nccl"]["hosts"] == ["gpu-a"]


def test_the_banner_of_rccl_is_understood() -> None:
    text = _said("Kernel version: 5.15.0") + (
        "RCCL version : 2.21.5-HEAD:9a0e6a1\nHIP version  : 6.3.42134-a9a80e791\n"
        "ROCm version : 6.3.3.0-74\nHostname     : node1\nLibrccl path : /opt/rocm/lib/librccl.so\n"
    )
    found = Read(NCCL, text)
    assert all(number in found.used for number in range(1, 7))


# several kinds


def test_a_port_that_carries_more_than_nccl_reaches_clears_the_fabric() -> None:
    ranks = "".join(
        f"#  Rank  {rank} Group  0 Pid {rank} on  node{rank} device  0 [0x1b] NVIDIA H100\n"
        for rank in range(2)
    )
    table = (
        "# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 1073741824 step: 2(factor)\n"
        f"# Using devices\n{ranks}"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
        "  1073741824     268435456     float     sum      -1   154863    6.93    6.93      0\n"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 6.93\n"
    )

    def rules(*texts: str) -> list[str]:
        documents = [document_of(f"file {n}", text) for n, text in enumerate(texts)]
        reports = audit_all(documents).reports
        return [finding.rule for report in reports for finding in report.findings]

    fast, slow = _run("OFF", 392.3), _run("OFF", 56.0)
    assert "fabric-carries-more" in rules(table, fast)
    assert "fabric-carries-more" in rules(fast + table)
    assert "fabric-carries-more" not in rules(table, slow)


def test_places_of_a_template_are_no_nodes() -> None:
    text = (
        "- topology: tree\n  tree:\n    switches:\n"
        '      - switch: "leaf"\n        nodes: "{{ leaf.nodes }}"\n'
    )
    found = Read(SLURM, text)
    assert found.summary["hosts"] == 0
    assert "template" in found.rules("warning")


def test_prompts_around_what_scontrol_prints_are_understood() -> None:
    text = (
        "[root@head ~]# scontrol show topology\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-4]\n[root@head ~]#\n"
    )
    assert all(number in Read(SLURM, text).used for number in (1, 2, 3))


def test_a_provider_without_a_count_and_channels_without_a_total() -> None:
    text = _said("NET/OFI Selected Provider is efa", "Using network AWS Libfabric")
    for rank in range(2):
        ways = [
            f"Channel 0{channel} : {rank}[0] -> {1 - rank}[0] [send] via NET/AWS Libfabric/0"
            for channel in range(3)
        ]
        done = f"comm 0x5 rank {rank} nranks 2 cudaDev 0 busId 10{rank} - Init COMPLETE"
        text += _said(*ways, done, host=f"n{rank}")
    found = Read(NCCL, text).summary["nccl"]
    assert (found["provider"], found["channels"]) == ("efa", 3)
