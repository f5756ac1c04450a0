"""iblinkinfo: each link from both sections, ports that are down, and what links could be."""

from __future__ import annotations

from typing import Any

import pytest

from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.infiniband.link_report import read_link_report
from netdesign.audit.report import FileReport

DOWN = '           3   {0:2}[  ] ==(                Down/ Polling)==>             [  ] "" ( )\n'


def up(port: int, lid: int, name: str, rate: str = "53.125 Gbps", note: str = " ") -> str:
    return (
        f"           3   {port:2}[  ] ==( 4X {rate:>18} Active/  LinkUp)==>  {lid:6}    1[  ] "
        f'"{name}" ({note})\n'
    )


def adapter(lid: int, name: str, far_port: int, rate: str = "53.125 Gbps") -> str:
    return (
        f"CA: {name}:\n      0x00000000000000{lid:02x} {lid:6}    1[  ] ==( 4X {rate:>18} Active/  "
        f'LinkUp)==>       3 {far_port:4}[  ] "Quantum Mellanox Technologies" ( )\n'
    )


SWITCH = "Switch: 0x0c42a103008982a4 Quantum Mellanox Technologies:\n"
AGGREGATION = "Mellanox Technologies Aggregation Node"


def report_of(text: str) -> FileReport:
    return audit(document_of("links.txt", text))


def rules(report: FileReport) -> set[str]:
    return {finding.rule for finding in report.findings}


def found(text: str, rule: str) -> Any:
    (finding,) = [entry for entry in report_of(text).findings if entry.rule == rule]
    return finding


WHOLE = (
    "[root@cu01 ~]# iblinkinfo\n"
    + adapter(11, "cu01 HCA-1", 1)
    + adapter(14, AGGREGATION, 41)
    + SWITCH
    + up(1, 11, "cu01 HCA-1")
    + up(2, 12, "cu02 HCA-1")
    + DOWN.format(3)
    + up(41, 14, AGGREGATION)
    + adapter(12, "cu02 HCA-1", 2)
)


def test_sections_of_both_sides_are_one_link() -> None:
    report = report_of(WHOLE)
    assert (report.kind, report.not_understood) == ("iblinkinfo", ())
    summary = report.summary
    assert [summary[key] for key in ("switches", "hosts", "aggregation_nodes")] == [1, 2, 1]
    assert (summary["links"], summary["ports_down"]) == (3, 1)
    assert summary["speeds"] == {"4xHDR": 3}
    assert report.is_healthy


@pytest.mark.parametrize("keep", ["switch", "adapters"])
def test_one_kind_of_section_is_enough(keep: str) -> None:
    start = WHOLE.index(SWITCH)
    end = WHOLE.index("CA: cu02")
    text = WHOLE[start:end] if keep == "switch" else WHOLE[:start] + WHOLE[end:]
    summary = report_of(text).summary
    assert (summary["links"], summary["hosts"], summary["switches"]) == (3, 2, 1)


def test_links_that_could_be_faster() -> None:
    text = (
        SWITCH
        + up(1, 11, "n1 HCA-1", "25.78125 Gbps", " Could be 53.125 Gbps")
        + up(2, 12, "n2 HCA-1", "25.78125 Gbps", " Could be 53.125 Gbps")
        + up(40, 4, "MF0;spine1:MQM8700/U1")
    )
    finding = found(text, "degraded-link")
    assert (finding.severity, finding.evidence["count"]) == ("warning", 2)
    assert finding.evidence["lost_gbps"] == 200
    leaf = report_of(text).summary["leaves"][0]
    assert (leaf["oversubscription"], leaf["possible_oversubscription"]) == (1, 2)
    assert report_of(text).summary["switches_only_named"] == 1


def test_qdr_that_could_be_fdr10_is_slower_at_the_same_figure() -> None:
    note = " Could be FDR10 (Found link at QDR but expected speed is FDR10)"
    text = SWITCH + up(1, 11, "n1 mlx4_0", "10.0 Gbps", note)
    assert "4xQDR, could be 4xFDR10" in found(text, "degraded-link").message
    assert report_of(text).summary["speeds"] == {"4xQDR": 1}
    fdr10 = SWITCH + up(1, 11, "n1 mlx4_0", "10.0 Gbps (FDR10)")
    assert report_of(fdr10).summary["speeds"] == {"4xFDR10": 1}
    assert "degraded-link" not in rules(report_of(fdr10))


def test_width_that_could_be_more() -> None:
    row = up(1, 11, "n1 HCA-1", "14.0625 Gbps", "Could be 4X ").replace("( 4X", "( 1X")
    (link,) = read_link_report(document_of("a", SWITCH + row))[0].network.links
    assert (link.speed, link.possible, link.gbps) == ("1xFDR", "4xFDR", 14.0625)


@pytest.mark.parametrize(
    ("rate", "speed"),
    [
        ("2.5 Gbps", "4xSDR"),
        ("5.0 Gbps", "4xDDR"),
        ("25.78125 Gbps", "4xEDR"),
        ("106.25 Gbps", "4xNDR"),
        ("212.5 Gbps", "4xXDR"),
        ("undefined (0)", "unknown"),
        ("7.7 Gbps", "unknown"),
    ],
)
def test_lane_rates(rate: str, speed: str) -> None:
    assert report_of(SWITCH + up(1, 11, "n1 HCA-1", rate)).summary["speeds"] == {speed: 1}


def test_cabled_ports_that_no_subnet_manager_has_set_up() -> None:
    text = SWITCH + up(1, 11, "n1 HCA-1").replace("Active/", "Initialize/")
    assert "port 1: Initialize" in found(text, "not-active").message


LINE = (
    '0x0002c90200404ad8 "        SwitchX -  Mellanox Technologies"      4    {0}[  ] =='
    "( 4X {1:>18} Active/  LinkUp)==>  0x{2} {3:6} {4:4}[  ] "
    '"exe0001 HCA-1" ( )\n'
)


def test_one_line_a_link() -> None:
    text = (
        LINE.format(3, "25.78125 Gbps", "0002c903000e0b72", 15, 1)
        + LINE.format(4, "25.78125 Gbps", "0002c903000e0b73", 16, 2)
        + '0x0002c903000e0b72 "               exe0001 HCA-1"     15    1[  ] ==( 4X      25.78125 '
        'Gbps Active/  LinkUp)==>  0x0002c90200404ad8      4    3[  ] "SwitchX -  Mellanox '
        'Technologies" ( )\n'
    )
    report = report_of(text)
    assert report.not_understood == ()
    summary = report.summary
    assert (summary["switches"], summary["hosts"], summary["links"]) == (1, 1, 2)


def test_rows_without_headers_are_joined_by_lid() -> None:
    text = "".join(line for line in WHOLE.splitlines(True) if "LinkUp" in line)
    summary = report_of(text).summary
    assert (summary["switches"], summary["hosts"], summary["links"]) == (1, 2, 3)


def test_two_subnets_in_one_file_share_lids_but_no_links() -> None:
    other = WHOLE.replace("0c42a103008982a4", "0c42a10300898aaa").replace("0x00", "0xff")
    summary = report_of(WHOLE + "\n[root@cu01 ~]# iblinkinfo -P 2\n" + other).summary
    assert (summary["switches"], summary["links"], summary["fabrics"]) == (2, 6, 2)


def test_the_list_of_switches_tells_what_a_name_does_not() -> None:
    listed = (
        'Switch\t: 0x08c0eb0300add04e ports 41 "rack one" base port 0 lid 4 lmc 0\n'
        'Ca\t: 0x08c0eb0300add0ff ports 1 "login"\n'
    )
    text = listed + SWITCH + up(1, 4, "rack one") + up(2, 5, "login")
    report = report_of(text)
    assert report.not_understood == ()
    assert (report.summary["switch_links"], report.summary["host_links"]) == (1, 1)
    assert report.summary["switches_listed"] == 1
    alone = report_of(listed)
    assert (alone.kind, rules(alone), alone.is_healthy) == ("iblinkinfo", {"no-links"}, True)


def test_cut_rows_are_listed() -> None:
    report = report_of(WHOLE + "           3    5[  ] ==( 4X      25.78")
    assert [entry.line for entry in report.not_understood] == [WHOLE.count("\n") + 1]
