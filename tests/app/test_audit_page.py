"""The Audit page without a browser."""

from __future__ import annotations

import pytest

from netdesign.app.audit import AuditPage
from netdesign.app.audit_panels import head
from netdesign.app.audit_panels.example import NAME, sample
from netdesign.audit.whole import Audit

DESIGN = "llama-3-8b-64-h100"


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
    assert "too many for a page" in page.banner.value
    assert not found(page).reports
    page.upload("noise.bin", bytes(range(256)) * 40)
    assert found(page).reports[0].kind == "unknown"
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
