"""The Audit page without a browser."""

from __future__ import annotations

import html

import pytest

from netdesign.app.audit import AuditPage
from netdesign.app.audit_panels import head
from netdesign.app.audit_panels.commands import COMMANDS
from netdesign.app.audit_panels.example import NAME, sample
from netdesign.audit.kinds import KINDS
from netdesign.audit.whole import Audit
from netdesign.design import design_from_query

DESIGN = "llama-3-8b-64-h100"
TOPOLOGY = b"""\
\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV18\tPIX\tNODE\t0-31\t0
GPU1\tNV18\t X \tNODE\tPIX\t0-31\t0
NIC0\tPIX\tNODE\t X \tNODE
NIC1\tNODE\tPIX\tNODE\t X
"""


@pytest.fixture
def page() -> AuditPage:
    return AuditPage()


def found(page: AuditPage) -> Audit:
    assert page.found is not None
    return page.found


def test_an_empty_page_says_what_to_do(page: AuditPage) -> None:
    assert "Drop the logs" in page.head.value
    assert page.files.value == ""
    assert page.detail.value == ""


def test_a_file_is_read_judged_and_drawn(page: AuditPage) -> None:
    page.head.act("example", "")
    assert found(page).reports[0].kind == "nccl-tests"
    assert NAME in page.files.value
    assert "cliff" in page.detail.value
    assert page.pictures.curve.view.data["points"]
    assert page.pictures.curve.view.data["band"] == []


def test_a_design_brings_the_band_and_the_plan(page: AuditPage) -> None:
    page.head.act("example", "")
    page.head.act("design", DESIGN)
    assert page.pictures.curve.view.data["band"]
    assert page.context.port_rate == 50e9
    assert "as-predicted" in page.detail.value
    page.head.act("design", head.NONE)
    assert page.pictures.curve.view.data["band"] == []


def test_a_line_rate_is_enough_for_the_nics(page: AuditPage) -> None:
    page.head.act("example", "")
    assert "line-rate-unknown" in page.detail.value
    page.head.act("rate", "400")
    page.head.act("nics", "8")
    assert "line-rate-unknown" not in page.detail.value
    assert page.pictures.curve.view.data["line"][0]["gbs"] == pytest.approx(400)


def test_too_large_too_odd_and_too_many(page: AuditPage) -> None:
    page.upload("big.log", None, 10**9)
    assert "953.7 MiB; a page takes 8" in page.banner.value
    assert not found(page).reports
    page.upload("fine.log", sample())
    assert "953.7 MiB" in page.banner.value  # dropped together; its refusal stays
    page.files.act("choose", "0")
    assert page.banner.value == ""
    page.upload("noise.bin", bytes(range(256)) * 40)
    assert found(page).reports[1].kind == "unknown"
    assert "Not read" in page.detail.value


def test_names_are_escaped(page: AuditPage) -> None:
    page.upload("<b>x</b>.log", sample())
    for value in (page.files.value, page.detail.value, page.head.value):
        assert "<b>x" not in value


def test_a_link_carries_its_design(page: AuditPage) -> None:
    page.page.initial_query = "cluster.gpus=512"
    assert page.context.evaluation is not None
    assert page.context.evaluation.design.cluster.gpus == 512
    assert page.design == head.FROM_LINK


def test_files_can_be_looked_at_in_turn_and_removed(page: AuditPage) -> None:
    page.upload("first.log", sample())
    page.upload("second.txt", b"nothing known\n")
    assert "second.txt" in page.detail.value
    page.files.act("choose", "0")
    assert "first.log" in page.detail.value
    page.files.act("choose", "999")
    assert "first.log" in page.detail.value
    page.head.act("forget", "")
    assert page.detail.value == ""
    assert found(page).reports == ()


def test_downloads(page: AuditPage) -> None:
    sent: list[tuple[str, str, str]] = []
    page.page.download = lambda *parts: sent.append(parts)  # type: ignore[method-assign]
    page.head.act("example", "")
    page.head.act("design", DESIGN)
    for act in ("report", "record", "plan", "script"):
        page.head.act(act, "")
    assert [name for name, *_ in sent] == [
        "audit.html",
        "audit.json",
        "preflight-plan.md",
        "preflight.sh",
    ]
    assert sent[3][1].startswith("#!/usr/bin/env bash")


def test_a_file_counts_once_and_names_stay_apart(page: AuditPage) -> None:
    page.upload("run.log", sample())
    page.upload("run.log", sample())
    assert "is here already" in page.banner.value
    page.upload("run.log", sample() + b"\n# another\n")
    assert [report.name for report in found(page).reports] == ["run.log", "run.log (2)"]


def test_only_faults_leaves_out_healthy_files_and_notes(page: AuditPage) -> None:
    page.upload("topo.txt", TOPOLOGY)
    page.head.act("example", "")
    assert "topo.txt" in page.files.value
    assert "line-rate-unknown" in page.detail.value
    page.files.act("faults", "")
    assert "topo.txt" not in page.files.value
    assert "line-rate-unknown" not in page.detail.value
    assert "cliff" in page.detail.value
    page.files.act("faults", "")
    assert "topo.txt" in page.files.value


def test_nothing_has_a_fault(page: AuditPage) -> None:
    page.upload("topo.txt", TOPOLOGY)
    page.files.act("faults", "")
    assert "Nothing has a fault" in page.files.value
    assert page.detail.value == ""


def test_figures_of_a_finding_stand_behind_it(page: AuditPage) -> None:
    page.head.act("example", "")
    assert "<dt>" in page.detail.value
    assert "On this page: choose" in page.detail.value


def test_why_no_curve_is_expected(page: AuditPage) -> None:
    page.head.act("example", "")
    assert "No curve to hold it against" in page.pictures.expectation.value
    page.head.act("design", DESIGN)
    assert "the model expects up to" in page.pictures.expectation.value


def test_every_kind_of_file_has_its_command(page: AuditPage) -> None:
    assert set(COMMANDS) == {kind.name for kind in KINDS}
    assert "ibnetdiscover &gt; net.txt" in page.head.value


def test_own_logs_calibrate_the_model_for_the_studio(page: AuditPage) -> None:
    page.head.act("example", "")
    page.head.act("calibrate", "")
    assert page.own.value == ""
    page.head.act("design", DESIGN)
    page.head.act("calibrate", "")
    assert "studio.ipynb?v=" in page.own.value
    link = html.unescape(page.own.value.split('href="studio.ipynb?')[1].split('"')[0])
    design, ignored = design_from_query(link)
    assert not ignored
    assert design.measured.logs == 1
    assert design.measured.domain_speed < 1
    page.head.act("rate", "400")
    assert page.own.value == ""


def test_logs_that_tell_nothing_of_the_machines_are_refused(page: AuditPage) -> None:
    page.upload("topo.txt", TOPOLOGY)
    page.head.act("design", DESIGN)
    page.head.act("calibrate", "")
    assert "hold nothing to calibrate with" in page.banner.value
    assert page.own.value == ""


def test_a_single_size_has_an_axis_and_a_band(page: AuditPage) -> None:
    lines = sample().decode().splitlines(keepends=True)
    sizes = [line.split()[0] for line in lines]
    text = "".join(
        line
        for line, size in zip(lines, sizes, strict=True)
        if not size.isdecimal() or size == "33554432"
    )
    page.upload("one.log", text.encode())
    page.head.act("design", DESIGN)
    data = page.pictures.curve.view.data
    assert {mark["size"] for mark in data["points"]} == {33554432}
    first, last = (mark["size"] for mark in data["frame"])
    assert first < data["band"][0]["size"] < 33554432 < data["band"][1]["size"] < last


def test_lists_of_hosts_without_nics_and_of_tiers_read_well(page: AuditPage) -> None:
    without = "".join(
        "\t".join(line.split("\t")[:3]) + "\n"
        for line in TOPOLOGY.decode().splitlines()
        if not line.startswith("NIC")
    )
    page.upload("topo.txt", without.encode())
    assert "2 GPUs, 0 NICs" in page.detail.value
    assert "no way" not in page.detail.value
