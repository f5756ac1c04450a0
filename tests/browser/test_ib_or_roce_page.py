"""The page IB or RoCE in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from served import Served

pytestmark = pytest.mark.browser

PAGE = "ib_or_roce.ipynb"
LOADED_MS = 60_000
CHARTS = ".nd-results .nd-chart"
CROSSING = "gpus=4096&discount=10"


def open_page(page: Page, server: Served, query: str = "") -> Page:
    page.goto(server.page(PAGE, query))
    expect(page.locator(f"{CHARTS}[data-drawn]")).to_have_count(3, timeout=LOADED_MS)
    return page


@pytest.fixture
def contest(page: Page, voila_server: Served) -> Page:
    """The page as a newcomer sees it, all charts drawn."""
    return open_page(page, voila_server)


def field(page: Page, path: str) -> Locator:
    return page.locator(f".nd-field-{path.replace('_', '-')}")


def tops(page: Page) -> list[float]:
    script = "() => [...document.querySelectorAll('.nd-results .nd-card')].map((e) => e.offsetTop)"
    return page.evaluate(script)


def drag_right(page: Page, path: str, steps: int) -> None:
    handle = field(page, path).get_by_role("slider")
    handle.focus()
    for _ in range(steps):
        handle.press("ArrowRight")


def test_a_key_press_moves_headline_table_picture_and_address(contest: Page) -> None:
    picture = contest.locator(".nd-chart-crossover-balance svg.marks")
    before = picture.evaluate("svg => svg.outerHTML")
    expect(contest.locator(".nd-verdict")).to_contain_text("not to be told apart")
    drag_right(contest, "discount", 20)
    expect(contest.locator(".nd-verdict")).to_contain_text("RoCEv2, hashed ECMP wins")
    expect(contest.locator(".nd-measures tr").filter(has_text="purchase")).to_contain_text("2.0 %")
    expect(contest).to_have_url(re.compile("discount=20"))
    assert picture.evaluate("svg => svg.outerHTML") != before


def test_cards_keep_their_places_while_a_slider_moves(contest: Page) -> None:
    places = tops(contest)
    for path in ("discount", "queue_pairs", "message", "exposed"):
        drag_right(contest, path, 3)
        expect(contest).to_have_url(re.compile(path))
        assert tops(contest) == places, path


def test_grades_stand_beside_the_figures_and_yours_is_named(contest: Page) -> None:
    second = contest.locator(".nd-panel-side").nth(1)
    expect(second).to_contain_text("secondary")
    number = field(contest, "balance").get_by_role("textbox")
    number.fill("0.95")
    number.press("Enter")
    expect(second.locator("tr").filter(has_text="balance")).to_contain_text("yours")
    expect(contest.locator(".nd-command")).to_contain_text("balance_efficiency=0.95")


def test_the_balance_says_what_the_queue_pairs_make_of_it(contest: Page) -> None:
    note = field(contest, "balance").locator(".nd-field-note")
    expect(note).to_have_text("automatic: 0.922 for 1 queue pair")
    drag_right(contest, "queue_pairs", 2)
    expect(note).to_have_text("automatic: 0.959 for 4 queue pairs")
    number = field(contest, "balance").get_by_role("textbox")
    expect(number).to_have_value("auto")
    number.fill("0.8")
    number.press("Enter")
    expect(note).to_contain_text("yours")
    expect(field(contest, "queue_pairs").get_by_role("textbox")).to_be_disabled()
    number.fill("auto")
    number.press("Enter")
    expect(note).to_have_text("automatic: 0.959 for 4 queue pairs")


def test_the_other_fabric_gets_a_switch_by_choice(contest: Page) -> None:
    chosen = field(contest, "switch_b").get_by_role("combobox")
    chosen.select_option("SN5600, 64 × 800G")
    expect(contest.locator(".nd-switches")).to_contain_text("SN5600 was asked for")
    expect(contest).to_have_url(re.compile("switch_b=sn5600"))


def test_a_dearer_fabric_stands_left_of_zero(page: Page, voila_server: Served) -> None:
    open_page(page, voila_server, "v=1&gpus=4096&discount=-12")
    expect(page.locator(".nd-verdict")).to_contain_text("InfiniBand")
    expect(page.locator(".nd-reasons")).to_contain_text("12.0 % dearer")
    expect(page.locator(".nd-case")).to_contain_text("must gain")
    axis = page.locator(".nd-chart-crossover-discount svg.marks")
    expect(axis).to_contain_text("−20%")
    expect(page.locator(".nd-panel-discount .nd-field-exposed")).to_be_visible()


def test_a_wrong_number_is_said_beside_its_control_and_changes_nothing(contest: Page) -> None:
    sentence = contest.locator(".nd-verdict").inner_text()
    number = field(contest, "balance").get_by_role("textbox")
    number.fill("7")
    number.press("Enter")
    expect(field(contest, "balance").get_by_role("alert")).to_contain_text("out of range")
    assert contest.locator(".nd-verdict").inner_text() == sentence


def test_a_link_opens_the_same_comparison_and_files_come_along(
    page: Page, voila_server: Served
) -> None:
    open_page(page, voila_server, f"v=1&{CROSSING}")
    expect(page.locator(".nd-verdict")).to_contain_text("wins")
    expect(field(page, "gpus").get_by_role("textbox")).to_have_value("4,096")
    with page.expect_download() as download:
        page.get_by_role("button", name="Markdown").click()
    assert download.value.suggested_filename == "ib-or-roce.md"
    text = download.value.path().read_text(encoding="utf-8")
    assert text.startswith("# InfiniBand")
    assert "wins" in text


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_nothing_runs_off_the_screen(page: Page, voila_server: Served, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_page(page, voila_server, f"v=1&{CROSSING}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for slider in page.locator(".nd-controls [role=slider]").all():
        assert slider.get_attribute("aria-label")
