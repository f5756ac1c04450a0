"""A reader that stops at its cap says so in one note, and judges nothing that it left out."""

from __future__ import annotations

import pytest

from netdesign.audit.document import document_of
from netdesign.audit.files import audit
from netdesign.audit.kind import Kind
from netdesign.audit.line_split import LONGEST_LINE
from netdesign.audit.lldp import KIND as LLDP
from netdesign.audit.lldp import draft as lldp_draft
from netdesign.audit.perftest import KIND as PERFTEST
from netdesign.audit.report import FileReport
from netdesign.audit.slurm_topology import KIND as SLURM
from netdesign.audit.slurm_topology import draft as slurm_draft


def _told(kind: Kind, text: str) -> FileReport:
    report = audit(document_of("file", text))
    assert report.kind == kind.name
    return report


def _rules(report: FileReport) -> dict[str, str]:
    return {finding.rule: finding.severity for finding in report.findings}


def _switch(name: str, others: list[tuple[int, str, int]]) -> str:
    rows = "".join(
        f"Interface:    swp{port}, via: LLDP, RID: 1\n  Chassis:\n    SysName:      {far}\n"
        f"    Capability:   Bridge, on\n  Port:\n    PortID:       ifname swp{far_port}\n"
        f"{'-' * 79}\n"
        for port, far, far_port in others
    )
    return f"admin@{name}:~$ lldpctl\n{rows}"


_MESH = _switch("s0", [(1, "s1", 1), (2, "s2", 1)]) + _switch("s1", [(1, "s0", 1), (2, "s2", 2)])
_LAST = _switch("s2", [(1, "s0", 2), (2, "s1", 2)])


def test_lldp_entries_beyond_the_most_are_a_note_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lldp_draft, "_MOST_ROWS", 5)
    report = _told(LLDP, _MESH + _LAST)
    finding = next(entry for entry in report.findings if entry.rule == "entries-left-out")
    assert (finding.severity, dict(finding.evidence)) == ("note", {"count": 2, "read": 4})
    assert "2 entries beyond the first 4" in finding.message
    assert "one-sided-link" not in _rules(report)  # s2, of which a part alone would be here
    assert report.is_healthy


def test_lldp_total_of_a_table_that_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    head = "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n"
    rows = "".join(f"Ethernet{port}    leaf{port}           etp1            BR\n" for port in "12")
    table = f"show lldp table\n{head}{rows}Total entries displayed:  2\n"
    whole = f"admin@a:~$ {table}admin@b:~$ {table}"
    assert "entries-left-out" not in _rules(_told(LLDP, whole))
    monkeypatch.setattr(lldp_draft, "_MOST_ROWS", 3)
    assert {"entries-left-out"} <= _rules(_told(LLDP, whole)).keys()
    assert "entries-differ" not in _rules(_told(LLDP, whole))


def test_lldp_line_that_is_too_long() -> None:
    long = _switch("s0", [(1, "s1", 1)]) + f"Interface:    swp2, via: LLDP, {'x ' * LONGEST_LINE}\n"
    report = _told(
        LLDP, long + "  Chassis:\n    SysName:      s2\n  Port:\n    PortID:  ifname swp9\n"
    )
    finding = next(entry for entry in report.findings if entry.rule == "line-too-long")
    assert (finding.severity, finding.where) == ("note", "line 9")
    assert f"{LONGEST_LINE:,} characters" in finding.message


def test_lldp_answer_in_json_on_one_long_line_is_read_whole() -> None:
    rows = ",".join(
        f'{{"port":"Ethernet{port}","neighborDevice":"n{port}","neighborPort":"eth1","ttl":120}}'
        for port in range(2000)
    )
    report = _told(LLDP, f'{{"lldpNeighbors":[{rows}]}}\n')
    assert report.summary["entries"] == 2000
    assert "line-too-long" not in _rules(report)


_TREE = "SwitchName=l1 Nodes=n[1-4]\nSwitchName=l2 Nodes=n[5-8]\nSwitchName=top Switches=l[1-2]\n"
_YAML = (
    "- topology: t\n  tree:\n    switches:\n      - switch: l1\n        nodes: n[1-4]\n"
    "      - switch: l2\n        nodes: n[5-8]\n      - switch: top\n        children: l[1-2]\n"
)


@pytest.mark.parametrize(("text", "line"), [(_TREE, 2), (_YAML, 7)])
def test_slurm_names_beyond_the_most_are_a_note_alone(
    text: str, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _rules(_told(SLURM, text)) == {}
    monkeypatch.setattr(slurm_draft, "MOST_NAMES", 6)
    report = _told(SLURM, text)
    assert report.is_healthy
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("names-left-out", "note")
    assert finding.evidence["line"] == line
    assert report.summary["hosts"] == 4


def test_slurm_line_that_is_too_long_keeps_its_whole_names() -> None:
    names = ",".join(f"node{number:06d}" for number in range(8000))
    inside = ",".join(f"{number:06d}" for number in range(8000, 20_000))
    for members, first in ((names, 0), (f"node[{inside}]", 8000)):
        report = _told(SLURM, f"SwitchName=l1 Nodes={members}\nSwitchName=top Switches=l1\n")
        assert _rules(report) == {"line-too-long": "note"}
        (leaf,) = report.summary["leaves"]
        assert leaf["nodes"] == f"node[{first:06d}-{first + leaf['down'] - 1:06d}]"
        assert leaf["down"] > 5000


def test_more_perftest_runs_than_are_read_are_said() -> None:
    head = " #bytes #iterations BW peak[Gb/sec] BW average[Gb/sec] MsgRate[Mpps]\n"
    report = _told(PERFTEST, (head + " 65536 5000 98.00 98.00 0.186920\n") * 20_100)
    assert {"tests-left-out", "not-judged"} <= set(_rules(report))
