"""The page of NCCL cheat sheets in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from served import Served

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1440, 390])
def test_no_table_and_no_listing_runs_off_the_screen(
    page: Page, voila_server: Served, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(voila_server.page("cheat_sheets.ipynb", ""))
    expect(page.get_by_text("One try waits").last).to_be_visible(timeout=60_000)
    # the style of a lesson comes with its widgets
    expect(page.locator(".nd-lesson")).to_be_attached(timeout=60_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = "tables => tables.filter((t) => t.scrollWidth > t.clientWidth + 1).length"
    assert page.locator("table.nd-checked").evaluate_all(wide) == 0
