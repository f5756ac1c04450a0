"""Every control says what it means: on hover, and to a screen reader."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from served import Served

from netdesign.catalog import load_catalog

pytestmark = pytest.mark.browser

LOADED_MS = 60_000


def test_a_control_of_the_studio_explains_itself(page: Page, voila_server: Served) -> None:
    page.goto(voila_server.page("studio.ipynb"))
    help_text = load_catalog().parameters["network.oversubscription"].help
    field = page.locator(".nd-field-network-oversubscription")
    expect(field).to_have_attribute("title", help_text, timeout=LOADED_MS)
    slider = field.get_by_role("slider")
    expect(slider).to_have_attribute("aria-description", help_text)


@pytest.mark.parametrize(
    "notebook", ["ib_or_roce.ipynb", "congestion_and_failures.ipynb", "topology_explorer.ipynb"]
)
def test_no_control_of_a_page_is_silent(page: Page, voila_server: Served, notebook: str) -> None:
    page.goto(voila_server.page(notebook))
    expect(page.locator(".nd-field[title]").first).to_be_attached(timeout=LOADED_MS)
    silent = "fields => fields.filter((f) => !f.title).map((f) => f.className)"
    page.wait_for_timeout(500)
    assert page.locator(".nd-field").evaluate_all(silent) == []
