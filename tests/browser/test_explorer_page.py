"""The Topology explorer in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from served import Served

pytestmark = pytest.mark.browser

PAGE = "topology_explorer.ipynb"
LOADED_MS = 60_000
CHARTS = ".nd-results .nd-chart"


def open_explorer(page: Page, server: Served, query: str = "") -> Page:
    page.goto(server.page(PAGE, query))
    expect(page.locator(f"{CHARTS}[data-drawn]")).to_have_count(4, timeout=LOADED_MS)
    return page


@pytest.fixture
def explorer(page: Page, voila_server: Served) -> Page:
    """The explorer as a newcomer sees it, all charts drawn."""
    return open_explorer(page, voila_server)


def field(page: Page, path: str) -> Locator:
    return page.locator(f".nd-field-{path.replace('_', '-')}")


def row(page: Page, name: str) -> Locator:
    return page.locator(".nd-rivals-table tr").filter(has_text=re.compile(f"^{name}"))


def tops(page: Page) -> list[float]:
    script = "() => [...document.querySelectorAll('.nd-card')].map((e) => e.offsetTop)"
    return page.evaluate(script)


def test_a_key_press_moves_table_pictures_and_address(explorer: Page) -> None:
    reach = explorer.locator(".nd-chart-family-reach svg.marks")
    before = reach.evaluate("svg => svg.outerHTML")
    expect(row(explorer, "Switches")).to_contain_text("48")
    handle = field(explorer, "gpus").get_by_role("slider")
    handle.focus()
    for _ in range(2):
        handle.press("ArrowRight")
    expect(row(explorer, "Switches")).to_contain_text("96")
    expect(explorer.locator(".nd-panel-fabric .nd-inputs")).to_contain_text("2,048 GPUs")
    expect(explorer).to_have_url(re.compile("gpus=2048"))
    assert reach.evaluate("svg => svg.outerHTML") != before


def test_a_small_fabric_is_drawn_port_by_port_and_a_large_one_in_tiers(explorer: Page) -> None:
    ports = explorer.locator(".nd-chart-fabric-ports svg.marks")
    tiers = explorer.locator(".nd-chart-fabric-tiers svg.marks")
    expect(tiers).to_be_visible()
    expect(ports).to_be_hidden()
    typed = field(explorer, "gpus").get_by_role("textbox").first
    typed.fill("64")
    typed.press("Enter")
    expect(ports).to_be_visible()
    expect(tiers).to_be_hidden()


def test_a_family_shows_its_own_controls_and_undo_brings_the_last_back(explorer: Page) -> None:
    expect(field(explorer, "rails")).to_be_visible()
    explorer.get_by_role("combobox", name="Family", exact=True).select_option(label="Slim fly")
    expect(field(explorer, "q")).to_be_visible()
    expect(field(explorer, "rails")).to_be_hidden()
    explorer.get_by_role("button", name="Undo").click()
    expect(field(explorer, "rails")).to_be_visible()
    expect(field(explorer, "q")).to_be_hidden()


def test_what_cannot_be_built_moves_no_card_and_keeps_the_picture(explorer: Page) -> None:
    explorer.get_by_role("combobox", name="Family", exact=True).select_option(label="Slim fly")
    expect(explorer.locator(".nd-panel-fabric .nd-inputs")).to_contain_text("Slim fly of 1,024")
    places = tops(explorer)
    number = field(explorer, "q").get_by_role("textbox")
    number.fill("28")
    number.press("Enter")
    expect(explorer.locator(".nd-studio-banner [role=alert]")).to_contain_text("q = 27")
    expect(field(explorer, "q").get_by_role("alert")).to_contain_text("q = 29")
    expect(explorer.locator(".nd-panel-fabric .nd-inputs")).to_contain_text("Slim fly of 1,024")
    results = places[3:]  # the column of controls may grow by the sentence
    assert tops(explorer)[-len(results) :] == results


def test_ports_are_drawn_one_by_one_for_64_gpus(page: Page, voila_server: Served) -> None:
    open_explorer(page, voila_server, "gpus=64")
    expect(page.locator(".nd-chart-fabric-ports svg.marks")).to_be_visible()
    expect(page.locator(".nd-chart-fabric-tiers")).to_be_hidden()


def test_a_device_is_named_by_a_click_and_by_the_keyboard(page: Page, voila_server: Served) -> None:
    open_explorer(page, voila_server, "gpus=64")
    said = page.locator(".nd-device [role=status]")
    box = page.locator(".nd-chart-fabric-ports g[class*=' box'] path").nth(8)
    box.scroll_into_view_if_needed()
    place = box.bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(said).to_contain_text("leaf-01: leaf switch, in rack")
    chooser = page.get_by_role("combobox", name="Device")
    expect(chooser).to_have_value("leaf-01")
    chooser.focus()
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("leaf-02: leaf switch")
    expect(chooser).to_be_focused()


def test_controls_and_charts_have_names(explorer: Page) -> None:
    for name in ("GPUs", "Rails", "Oversubscription at the leaf", "Spare ports"):
        expect(explorer.get_by_role("slider", name=name, exact=True)).to_be_visible()
        expect(explorer.get_by_role("textbox", name=name, exact=True)).to_be_visible()
    for name in ("Family", "Switch", "Endpoint speed", "Rival 1", "Rival 2", "Rival 3"):
        expect(explorer.get_by_role("combobox", name=name, exact=True)).to_be_visible()
    for chart in explorer.locator(f"{CHARTS}:visible svg.marks").all():
        assert chart.get_attribute("aria-label")
    expect(explorer.locator(".nd-panel-heat .nd-quiet")).to_contain_text("joined by")


def test_the_cable_plan_is_downloaded_when_asked(page: Page, voila_server: Served) -> None:
    open_explorer(page, voila_server, "gpus=64")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Cable plan, CSV").click()
    assert waiting.value.suggested_filename == "rail-optimised-64-cables.csv"
    lines = waiting.value.path().read_text(encoding="utf-8").strip().splitlines()
    assert len(lines) == 1 + 64 + 64
    expect(page.locator(".nd-panel-files [role=status]")).to_contain_text("in your downloads")
    page.get_by_role("button", name="What moves at twice the GPUs?").click()
    expect(page.locator(".nd-panel-files [role=status]")).to_contain_text("From 64 to 128 GPUs")


def test_a_large_fabric_is_drawn_when_asked(page: Page, voila_server: Served) -> None:
    query = "family=fat-tree&gpus=65536"
    open_explorer(page, voila_server, query)
    expect(row(page, "Switches")).to_contain_text("5,120")
    page.get_by_role("button", name="Draw it").click()
    shown = page.locator(".nd-panel-fabric .nd-inputs")
    expect(shown).to_contain_text("65,536 GPUs", timeout=LOADED_MS)


@pytest.mark.parametrize("width", [390, 1280])
def test_no_width_overflows(page: Page, voila_server: Served, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_explorer(page, voila_server)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
