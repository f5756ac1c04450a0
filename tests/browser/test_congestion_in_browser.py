"""The page Congestion and failures in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from served import Served

pytestmark = pytest.mark.browser

PAGE = "congestion_and_failures.ipynb"
LOADED_MS = 60_000
DRAWN = ".nd-results .nd-chart[data-drawn]"


def open_page(page: Page, server: Served, query: str = "") -> Page:
    page.goto(server.page(PAGE, query))
    expect(page.locator(f".nd-panel-taper {DRAWN.split()[1]}")).to_have_count(1, timeout=LOADED_MS)
    expect(page.locator(".nd-panel-files")).to_be_visible(timeout=LOADED_MS)
    return page


@pytest.fixture
def congested(page: Page, voila_server: Served) -> Page:
    """The page as a newcomer sees it."""
    return open_page(page, voila_server)


def field(page: Page, path: str) -> Locator:
    return page.locator(f".nd-field-{path.replace('_', '-')}")


def tops(page: Page) -> list[float]:
    script = "() => [...document.querySelectorAll('.nd-results .nd-card')].map((e) => e.offsetTop)"
    return page.evaluate(script)


def strip(page: Page) -> Locator:
    return page.locator(".nd-strip")


def test_a_key_press_moves_the_strip_the_picture_and_the_address(congested: Page) -> None:
    picture = congested.locator(".nd-chart-fabric-ports svg.marks")
    expect(strip(congested)).to_contain_text("× 7.00")
    before = picture.evaluate("svg => svg.outerHTML")
    handle = field(congested, "taper").get_by_role("slider")
    handle.focus()
    for _ in range(4):
        handle.press("ArrowRight")
    expect(congested).to_have_url(re.compile("taper=5"))
    expect(strip(congested)).to_contain_text("× 8.00")
    assert picture.evaluate("svg => svg.outerHTML") != before


def test_cards_keep_their_places_while_sliders_move_and_parts_break(congested: Page) -> None:
    places = tops(congested)
    for path in ("taper", "queue_pairs", "seed", "cable_length", "restart"):
        handle = field(congested, path).get_by_role("slider")
        handle.focus()
        for _ in range(3):
            handle.press("ArrowRight")
        expect(congested).to_have_url(re.compile(f"[?&]{path}="))
        assert tops(congested) == places, path
    for part in ("a leaf", "a NIC", "a spine", "nothing"):
        field(congested, "broken").get_by_role("combobox").select_option(label=part)
        expect(field(congested, "broken").locator("select option:checked")).to_have_text(part)
        assert tops(congested) == places, part


def test_a_click_on_a_leaf_breaks_it_and_another_mends_it(congested: Page) -> None:
    name = congested.locator(".nd-chart-fabric-ports svg.marks text", has_text=re.compile("^2$"))
    at = name.first.bounding_box()
    assert at is not None
    congested.mouse.click(at["x"] - 12, at["y"] + at["height"] / 2)
    expect(strip(congested)).to_contain_text("leaf-02")
    expect(congested).to_have_url(re.compile("broken=leaf-02"))
    expect(congested.locator(".nd-breaking").first).to_contain_text("Now: leaf-02")
    congested.get_by_role("button", name="Undo").click()
    expect(strip(congested)).not_to_contain_text("leaf-02")
    congested.get_by_role("button", name="Redo").click()
    expect(strip(congested)).to_contain_text("leaf-02")
    congested.mouse.click(at["x"] - 12, at["y"] + at["height"] / 2)
    expect(strip(congested)).not_to_contain_text("leaf-02")


def test_the_picture_becomes_one_of_tiers_where_links_are_many(congested: Page) -> None:
    ports, tiers = (congested.locator(f".nd-chart-fabric-{name}") for name in ("ports", "tiers"))
    expect(ports).to_be_visible()
    expect(tiers).to_be_hidden()
    number = field(congested, "taper").get_by_role("textbox")
    number.fill("1")
    number.press("Enter")
    expect(tiers).to_be_visible()
    expect(ports).to_be_hidden()


def test_seeds_follow_when_the_page_is_still(congested: Page) -> None:
    seeds = congested.locator(".nd-panel-seeds")
    expect(seeds).to_contain_text("32 seeds at 4 : 1", timeout=20_000)
    expect(seeds.locator("svg.marks")).to_have_attribute("aria-label", re.compile("32 seeds"))
    expect(seeds.locator("svg.marks text", has_text="median").first).to_be_visible()


def test_a_wrong_number_and_a_missing_part_are_said_beside_their_control(congested: Page) -> None:
    sentence = congested.locator(".nd-why").inner_text()
    number = field(congested, "taper").get_by_role("textbox")
    number.fill("99")
    number.press("Enter")
    expect(field(congested, "taper").get_by_role("alert")).to_contain_text("out of range")
    field(congested, "broken").get_by_role("combobox").select_option(label="a plane")
    expect(field(congested, "broken").get_by_role("alert")).to_contain_text("is not there")
    assert congested.locator(".nd-why").inner_text() == sentence


def test_files_are_handed_out(congested: Page) -> None:
    for label, name in (
        ("Report, Markdown", "congestion-and-failures.md"),
        ("Load of every link, CSV", "link-loads.csv"),
        ("Failure tests, CSV", "failure-tests.csv"),
    ):
        with congested.expect_download() as download:
            congested.get_by_role("button", name=label).click()
        assert download.value.suggested_filename == name


def test_a_link_restores_the_view(page: Page, voila_server: Served) -> None:
    open_page(page, voila_server, "taper=7&routing=adaptive&broken=spine")
    expect(strip(page)).to_contain_text("spine-01", timeout=LOADED_MS)
    expect(field(page, "taper").get_by_role("textbox")).to_have_value("7 : 1")


@pytest.mark.parametrize("width", [390, 1024])
def test_nothing_runs_off_a_narrow_screen(page: Page, voila_server: Served, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_page(page, voila_server)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
