"""The report needs nothing else, and nothing from a file comes through unescaped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from netdesign.app.audit_panels.example import sample
from netdesign.audit.context import Context
from netdesign.audit.document import document_of
from netdesign.audit.whole import Audit, audit_all
from netdesign.design import read_design
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.export.audit_drawings import drawings
from netdesign.export.audit_html import audit_html, write_html
from netdesign.export.audit_record import audit_record, audit_text

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def page_of(found: Audit, context: Context) -> str:
    return audit_html(found, context, drawings(found.reports, context))


def test_a_report_has_verdict_curve_and_no_address() -> None:
    context = Context(evaluation=evaluate(read_design("llama-3-8b-64-h100")))
    found = audit_all([document_of("run.log", sample())], context)
    page = page_of(found, context)
    assert "data:image/svg+xml;base64," in page
    assert "run.log" in page
    assert "[cliff]" in page
    outside = re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', page)
    assert outside == []
    assert "<script" not in page


@pytest.mark.parametrize(
    "text",
    [
        sample().decode().replace("node01", EVIL.replace(" ", "")).replace("NVIDIA H100", EVIL),
        EVIL,
        f'Switch 3 "S-01" # "{EVIL}" lid 1\n[1] "H-02"[1](2) # "{EVIL} HCA-1" lid 2 4xNDR\n',
        f"SwitchName={EVIL} Nodes=n[1-2]\n",
        f"{EVIL}:1:1 [0] NCCL INFO NET/IB : Using [0]{EVIL}:1/RoCE\n",
        f"Interface: eth1, via: LLDP\n  SysName: {EVIL}\n  PortID: ifname {EVIL}\n",
    ],
)
def test_nothing_from_a_file_is_markup(text: str) -> None:
    context = Context()
    found = audit_all([document_of(f"{EVIL}.log", text)], context)
    page = page_of(found, context)
    assert "<script" not in page
    assert "<img src=x" not in page


def test_text_moves_no_cursor() -> None:
    found = audit_all([document_of("a\x1b[2Jb\n.log", "\x1b]0;title\x07 odd \u202e line\n" * 3)])
    said = audit_text(found)
    assert all(letter.isprintable() or letter == "\n" for letter in said)


def test_one_files_keys_stand_at_the_top() -> None:
    record = audit_record(audit_all([document_of("run.log", sample())]))
    assert record["kind"] == record["files"][0]["kind"] == "nccl-tests"
    assert {"summary", "findings", "not_understood"} <= set(record)
    two = audit_record(audit_all([document_of("a", sample()), document_of("b", sample())]))
    assert "kind" not in two
    assert [entry["file"] for entry in two["files"]] == ["a", "b"]


def test_a_report_is_html(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="html"):
        write_html("x", tmp_path / "report.pdf")
    with pytest.raises(DesignError, match="cannot be written"):
        write_html("x", tmp_path / "none" / "report.html")
    write_html("x", tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "x"
