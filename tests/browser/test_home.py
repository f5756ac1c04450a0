"""The home page in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from served import Served

from netdesign.app.serving.pages import PAGES, notebooks_folder

pytestmark = pytest.mark.browser


def test_home_is_there_at_once_and_starts_no_kernel(page: Page, voila_server: Served) -> None:
    before = {kernel.pid for kernel in voila_server.kernels()}
    page.goto(f"{voila_server.url}?design=x")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    doors = [p for p in PAGES if (notebooks_folder() / p.notebook).is_file()]
    assert doors
    for door in doors:
        link = page.locator("main").get_by_role("link", name=door.title)
        expect(link).to_have_attribute("href", f"/voila/render/{door.notebook}?design=x")
    assert {kernel.pid for kernel in voila_server.kernels()} <= before


def test_home_can_be_walked_by_keyboard(page: Page, voila_server: Served) -> None:
    page.goto(voila_server.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("a.nd-door").first).to_be_focused()
