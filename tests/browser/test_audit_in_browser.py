"""The Audit page in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from served import Served

from netdesign.app.audit_panels.example import NAME, sample

pytestmark = pytest.mark.browser

PAGE = "audit.ipynb"
LOADED_MS = 60_000


@pytest.fixture
def audit(page: Page, voila_server: Served) -> Page:
    page.goto(voila_server.page(PAGE))
    expect(page.get_by_text("Drop files here")).to_be_visible(timeout=LOADED_MS)
    return page


def test_files_are_dropped_judged_and_drawn(audit: Page) -> None:
    files = [
        {"name": "run.log", "mimeType": "text/plain", "buffer": sample()},
        {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"nothing known\n"},
    ]
    audit.get_by_label("Add logs and dumps").set_input_files(files=files)
    expect(audit.locator(".nd-file")).to_have_count(2)
    audit.locator(".nd-file", has_text="run.log").click()
    expect(audit.locator(".nd-findings-table")).to_contain_text("cliff")
    curve = audit.locator(".nd-chart-audit-curve")
    expect(curve).to_be_visible()
    audit.get_by_label("Held against").select_option("llama-3-8b-64-h100")
    expect(audit.locator(".nd-findings-table")).to_contain_text("As predicted")
    audit.wait_for_function(
        "() => document.querySelector('.nd-chart-audit-curve .mark-area path')"
        "?.getAttribute('d')?.length > 40"
    )


def test_a_report_is_downloaded(audit: Page) -> None:
    audit.get_by_role("button", name="A sample to try").click()
    expect(audit.locator(".nd-file")).to_contain_text(NAME)
    with audit.expect_download() as download:
        audit.get_by_role("button", name="Report, HTML").click()
    assert download.value.suggested_filename == "audit.html"


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_page(audit: Page, width: int) -> None:
    audit.set_viewport_size({"width": width, "height": 800})
    audit.get_by_role("button", name="A sample to try").click()
    expect(audit.locator(".nd-file")).to_have_count(1)
    audit.wait_for_timeout(500)
    assert audit.evaluate("() => document.documentElement.scrollWidth") <= width


def test_only_faults_by_keyboard(audit: Page) -> None:
    audit.get_by_role("button", name="A sample to try").click()
    expect(audit.locator(".nd-file")).to_have_count(1)
    expect(audit.locator(".nd-findings-table")).to_contain_text("line-rate-unknown")
    only = audit.get_by_role("button", name="Only faults")
    only.focus()
    audit.keyboard.press("Space")
    expect(only).to_have_attribute("aria-pressed", "true")
    expect(audit.locator(".nd-findings-table")).not_to_contain_text("line-rate-unknown")
    expect(only).to_be_focused()


def test_measurements_are_taken_to_the_studio(audit: Page) -> None:
    audit.get_by_role("button", name="A sample to try").click()
    audit.get_by_label("Held against").select_option("llama-3-8b-64-h100")
    audit.get_by_role("button", name="Calibrate on these logs").click()
    link = audit.get_by_role("link", name="Use these measurements in the Studio")
    expect(link).to_have_attribute("href", re.compile("^studio.ipynb.*measured.domain_speed="))
