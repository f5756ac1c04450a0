"""ibnetdiscover in all its forms: each cable once, and nothing that the file does not say."""

from __future__ import annotations

from typing import Any

import pytest
from infiniband_dumps import Dump, two_tiers

from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.infiniband.dump import read_discovery
from netdesign.audit.report import FileReport


def report_of(text: str) -> FileReport:
    return audit(document_of("dump.txt", text))


def summary_of(text: str) -> Any:
    return report_of(text).summary


def test_a_pod_is_counted_each_link_once() -> None:
    report = report_of(two_tiers().text())
    assert report.kind == "ibnetdiscover"
    assert report.not_understood == ()
    summary = report.summary
    assert [summary[key] for key in ("switches", "hosts", "links")] == [6, 16, 32]
    assert (summary["host_links"], summary["switch_links"]) == (16, 16)
    assert summary["speeds"] == {"4xNDR": 32}
    assert summary["tiers"] == [
        {"name": "leaf", "switches": 4},
        {"name": "spine", "switches": 2},
    ]
    assert summary["servers"] == 4
    assert summary["adapters_per_server"] == {"4": 4}
    leaf = summary["leaves"][0]
    assert (leaf["name"], leaf["down"], leaf["up"]) == ("LEAF-01", 4, 4)
    assert (leaf["down_gbps"], leaf["up_gbps"], leaf["oversubscription"]) == (1600, 1600, 1)
    assert report.is_healthy


def test_one_side_is_enough_for_a_link() -> None:
    dump = two_tiers()
    assert summary_of(dump.text(without=list(dump.adapters)))["links"] == 32


def test_a_repeated_dump_counts_once() -> None:
    text = two_tiers().text()
    assert summary_of(text + "\n" + text) == summary_of(text)


def test_an_aggregation_node_is_no_host_even_without_a_section() -> None:
    dump = two_tiers()
    dump.adapter("Mellanox Technologies Aggregation Node")
    dump.link("LEAF-01", 65, "Mellanox Technologies Aggregation Node", 1)
    for without in ([], ["Mellanox Technologies Aggregation Node"]):
        report = report_of(dump.text(without))
        summary = report.summary
        assert (summary["hosts"], summary["aggregation_nodes"]) == (16, 1)
        assert summary["channel_adapters"] == 17
        assert (summary["host_links"], summary["aggregation_links"]) == (17, 1)
        assert summary["leaves"][0]["down"] == 4
        assert report.is_healthy
    network = read_discovery(document_of("a", dump.text()))[0].network
    ports = {device.name: device.ports for device in network.devices.values()}
    assert (ports["LEAF-01"], ports["LEAF-02"]) == (64, 65)


@pytest.mark.parametrize(
    ("speed", "gbps"),
    [
        ("4xSDR", 10),
        ("4xDDR", 20),
        ("4xQDR", 40),
        ("4xFDR10", 40),
        ("4xFDR", 56.25),
        ("4xEDR", 100),
        ("2xHDR", 100),
        ("4xHDR", 200),
        ("4xXDR", 800),
        ("12xQDR", 120),
        ("4x???", None),
        ("??NDR", None),
    ],
)
def test_rates(speed: str, gbps: float | None) -> None:
    dump = Dump()
    dump.switch("LEAF")
    dump.adapter("node1 HCA-1")
    dump.link("LEAF", 1, "node1 HCA-1", 1, speed)
    (link,) = read_discovery(document_of("a", dump.text()))[0].network.links
    assert link.gbps == gbps


def test_full_information_after_the_speed() -> None:
    dump = Dump()
    dump.switch("LEAF")
    dump.adapter("node1 HCA-1")
    dump.link("LEAF", 1, "node1 HCA-1", 1, "4xHDR s=4 w=2 v=4 e=4")
    assert summary_of(dump.text())["speeds"] == {"4xHDR": 1}


OLD = """
Non-Chassis Nodes

vendid=0x8f1
switchguid=0x5442ba00003080
Switch  24 "S-005442ba00003080"         # "ISR9024 Voltaire" base port 0 lid 6 lmc 0
[22]    "H-0008f10403961354"[1]         # "node22 HCA-1" lid 4
[12][ext 7]    "H-0008f10403960558"[1](8f10403960559)         # "node12 HCA-1" lid 10 4xSDR
[8]     "H-0008f10403960558"[2](8f1040396055a)         # "node12 HCA-1" lid 14 4xSDR

caguid=0x8f10403960558
Ca      2 "H-0008f10403960558"          # "node12 HCA-1"
[2](8f1040396055a)     "S-005442ba00003080"[8]         # lid 14 lmc 1 "ISR9024 Voltaire" lid 6 4xSDR
[1](8f10403960559)     "S-005442ba00003080"[12][ext 7] # lid 10 lmc 1 "ISR9024 Voltaire" lid 6 1xSDR
"""


def test_old_dumps_without_port_guids_and_speeds() -> None:
    report = report_of(OLD)
    assert report.not_understood == ()
    summary = report.summary
    assert (summary["hosts"], summary["links"]) == (2, 3)
    assert summary["speeds"] == {"unknown": 1, "1xSDR/4xSDR": 1, "4xSDR": 1}
    assert "speed-unknown" in {finding.rule for finding in report.findings}


def test_ends_that_disagree_are_reported_and_the_slower_counts() -> None:
    report = report_of(OLD)
    (finding,) = [entry for entry in report.findings if entry.rule == "asymmetric-link"]
    assert finding.severity == "warning"
    assert finding.evidence["count"] == 1
    assert finding.evidence["links"][0]["gbps"] == 2.5
    assert "ISR9024 Voltaire port 12 to node12 HCA-1 port 1" in finding.message


def test_ibdiagnet_writes_labels_of_ports() -> None:
    text = """
# This database file was automatically generated by IBDIAG
# Running version   : "IBDIAGNET 2.10.0"

vendid=0x2c9
Switch  65 "S-fc6a1c030091cf00"      # "Quantum-2 Mellanox Technologies" base port 0 lid 13 lmc 0
[1](1/1/1) "H-5c25730300e6706e"[1](5c25730300e6706e)      # "node1 mlx5_8" lid 164 4xNDR
[65](65) "H-fc6a1c030091cf08"[1](fc6a1c030091cf08)      # "Mellanox Technologies Aggregation \
Node" lid 26 4xNDR

caguid=0x5c25730300e6706e
Ca  1 "H-5c25730300e6706e"      # "node1 mlx5_8"
[1](B57D0F0/0/0/1)(5c25730300e6706e) "S-fc6a1c030091cf00"[1] # lid 149 lmc 0 \
"Quantum-2 Mellanox Technologies" lid 13 4xNDR
# File closed at : 2025-03-31 23:43:20 UTC +0000
"""
    report = report_of(text)
    assert report.kinds == ("ibnetdiscover",)
    assert report.not_understood == ()
    assert (report.summary["links"], report.summary["hosts"]) == (2, 1)


PORTS = """\
CA   134  1 0x7cfe9003003b4bde 4x EDR - SW  1719 10 0x7cfe9003009ce5b0 ( 'o0001 HCA-1' - 'leaf 1 ' )
SW  1719 10 0x7cfe9003009ce5b0 4x EDR - CA   134  1 0x7cfe9003003b4bde ( 'leaf 1 ' - 'o0001 HCA-1' )
SW  1719  1 0x7cfe9003009ce5b0 4x EDR - SW  1516  1 0x7cfe900300b07320 ( 'leaf 1 ' - 'spine1' )
SW  1719 37 0x7cfe9003009ce5b0 4x ???                                    'leaf 1 '
SW  1719 38 0x7cfe9003009ce5b0 4x SDR                                    leaf 1
"""


def test_the_port_listing_gives_each_link_from_both_ends() -> None:
    report = report_of(PORTS)
    assert report.kind == "ibnetdiscover"
    assert report.not_understood == ()
    summary = report.summary
    assert [summary[key] for key in ("switches", "switches_only_named", "hosts")] == [1, 1, 1]
    assert (summary["links"], summary["ports_down"]) == (2, 2)
    assert summary["leaves"][0]["name"] == "leaf 1"
    assert not [entry for entry in report.findings if entry.rule == "one-sided-link"]


def test_two_ports_of_one_card_in_the_port_listing() -> None:
    row = "CA   13{0}  {0} 0x000000000000000{0} 4x EDR - SW  17 1{0} 0x7cfe9003009ce5b0 "
    lines = [row.format(n) + "( 'tank1 mlx4_0' - 'leaf1' )" for n in (1, 2)]
    assert summary_of("\n".join(lines))["hosts"] == 1
    twins = [line.replace("13", "14").replace("  2 0x", "  1 0x") for line in lines]
    assert summary_of("\n".join(twins))["hosts"] == 2  # one port number: two machines


def test_the_list_of_ibdiagnet() -> None:
    node = "SystemGUID:{0} NodeGUID:{0} PortGUID:{0} VenID:000002c9 DevID:1021 Rev:00000000"
    text = (
        f"{{ CA Ports:01 {node.format('5c257303009ab1c0')} {{node1 mlx5_0}} LID:00b5 PN:01 }} "
        f"{{ SW Ports:41 {node.format('fc6a1c030091f9c0')} {{MF0;leaf1:MQM9700/U1}} LID:00b6 "
        "PN:0c } PHY=4x LOG=ACT SPD=100\n"
        f"{{ CA Ports:02 {node.format('0002c90300165e60')}  LID:0005 PN:01 }} "
        f"{{ SW Ports:41 {node.format('fc6a1c030091f9c0')}  LID:0002 PN:14 }} "
        "PHY=4x LOG=ACT SPD=2.5\n"
    )
    report = report_of(text)
    assert (report.kind, report.not_understood) == ("ibnetdiscover", ())
    assert report.summary["speeds"] == {"4xNDR": 1, "4xSDR": 1}
    network = read_discovery(document_of("a", text))[0].network
    assert {(link.a_port, link.b_port) for link in network.links} == {("1", "12"), ("1", "20")}
    assert "leaf1" in {device.name for device in network.devices.values()}


def test_a_net_file_of_ibsim() -> None:
    text = """\
# Net configuration file example
Switch\t8 "Switch1"
[1]\t"Hca1"[1]
[2]\t"Hca1"[2]
[3]\t"Switch2"[3] w=12

Switch 8 "Switch2"
[1]\t"Hca2"
[3]\t"Switch1"[3]

Hca\t2 "Hca1"
[1]\t"Switch1"[1]
[2]\t"Switch1"[2]

Hca\t2 "Hca2"
[1]\t"Switch2"[1]
"""
    report = report_of(text)
    assert (report.kind, report.not_understood) == ("ibnetdiscover", ())
    summary = report.summary
    assert [summary[key] for key in ("switches", "hosts", "links", "switch_links")] == [2, 2, 4, 1]
    assert summary["leaves"][0]["oversubscription"] is None


def test_an_adapter_alone_is_no_fabric() -> None:
    report = report_of('vendid=0x2c9\ncaguid=0xb8\nCa\t1 "H-b8e92403009ca838"\t# "n01 HCA-1"\n')
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("no-fabric", "error")
    assert not report.is_healthy


def test_names_with_quotes_and_entities() -> None:
    dump = Dump()
    dump.switch('odd "leaf" # 1')
    dump.adapter("node1 HCA-1")
    dump.link('odd "leaf" # 1', 1, "node1 HCA-1", 1)
    text = dump.text()
    assert summary_of(text)["leaves"][0]["name"] == 'odd "leaf" # 1'
    plain = two_tiers().text()
    assert summary_of(plain.replace('"', "&quot;")) == summary_of(plain)


def test_a_cut_file_gives_what_is_sure() -> None:
    text = two_tiers().text()
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("[33]"))
    report = report_of("\n".join(lines[start:]))
    assert report.not_understood[0].line == 1  # ports of a switch whose name is cut off
    assert report.summary["links"] == 32 - 0  # the other ends still tell them


def test_a_port_that_is_said_to_lead_to_two_places() -> None:
    dump = Dump()
    dump.switch("LEAF")
    for name in ("node1 HCA-1", "node2 HCA-1"):
        dump.adapter(name)
        dump.link("LEAF", 1, name, 1)
    report = report_of(dump.text())
    assert report.summary["links"] == 2  # a link is a pair of ports
    (finding,) = [entry for entry in report.findings if entry.rule == "conflicting-ports"]
    assert "LEAF port 1 is cabled to node1 HCA-1 port 1 in line" in finding.message


def test_questions_without_an_answer_and_cables_that_lead_back() -> None:
    dump = two_tiers()
    dump.link("LEAF-01", 20, "LEAF-01", 21)
    text = (
        "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,31 Attr 0x11:0) bad status 110; "
        "Connection timed out\n" + dump.text()
    )
    report = report_of(text)
    assert report.not_understood == ()
    found = {finding.rule: finding for finding in report.findings}
    assert set(found) == {"discovery-incomplete", "loop"}
    assert "0,1,31" in found["discovery-incomplete"].message
    assert found["loop"].evidence["count"] == 1
    assert report.summary["links"] == 33
    assert report.summary["leaves"][0]["across"] == 0


def test_chips_of_one_box_are_told_apart() -> None:
    dump = Dump()
    dump.switch("box/U1")
    dump.switch("box/U2")
    dump.adapter("node1 HCA-1")
    dump.link("box/U1", 1, "node1 HCA-1", 1, "1xXDR")
    dump.link("box/U2", 1, "node1 HCA-1", 2, "1xXDR")
    text = dump.text()
    for chip in ("U1", "U2"):
        text = text.replace(f"box/{chip}:MQM9700/U1", f"box:Q3400_RA/{chip}")
    report = report_of(text)
    assert [leaf["name"] for leaf in report.summary["leaves"]] == ["box/U1", "box/U2"]
    assert "director" not in {finding.rule for finding in report.findings}


def test_boards_of_a_director_are_told_apart() -> None:
    dump = Dump()
    for name in ("big/L01", "big/S01"):
        dump.switch(name)
    dump.adapter("node1 HCA-1")
    dump.link("big/L01", 1, "node1 HCA-1", 1)
    dump.link("big/L01", 19, "big/S01", 1)
    text = dump.text().replace("big/L01:MQM9700/U1", "big:MCS8500/L01/U1")
    report = report_of(text.replace("big/S01:MQM9700/U1", "big:MCS8500/S01/U1"))
    assert [leaf["name"] for leaf in report.summary["leaves"]] == ["big/L01"]
    (finding,) = [entry for entry in report.findings if entry.rule == "director"]
    assert finding.evidence["directors"] == {"big": 2}
