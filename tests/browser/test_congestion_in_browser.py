"""The page Congestion and failures in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect
from served import Served

from netdesign import charts
from netdesign.app.congestion_panels.answer import answer
from netdesign.app.congestion_panels.request import from_query
from netdesign.charts import fabric_ports
from netdesign.charts.format import digits

pytestmark = pytest.mark.browser

PAGE = "congestion_and_failures.ipynb"
PORTS = ".nd-chart-fabric-ports canvas.marks"
PADDING = 5  # of a chart, pixels
FARTHEST = """async ([selector, url]) => {
  const image = new Image();
  await new Promise((resolve) => { image.onload = resolve; image.src = url; });
  const shown = document.querySelector(selector);
  const pixels = (source) => {
    const sheet = document.createElement("canvas");
    [sheet.width, sheet.height] = [shown.width, shown.height];
    sheet.getContext("2d").drawImage(source, 0, 0);
    return sheet.getContext("2d").getImageData(0, 0, shown.width, shown.height).data;
  };
  const [one, other] = [pixels(image), pixels(shown)];
  return one.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i])), 0);
}"""
LOW, HIGH = -11, 102  # of the sheet that the picture is drawn on
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


def box_of(page: Page, device: str) -> tuple[float, float]:
    """Where a device's box is in the picture, away from its ports: its left edge, in the middle."""
    fabric = answer(from_query("")[0]).fabric
    boxes = fabric_ports.data(fabric)["boxes"]
    place = boxes["device"].index(device)
    page.locator(PORTS).scroll_into_view_if_needed()
    canvas = page.locator(PORTS).bounding_box()
    assert canvas is not None
    height = charts.spec("fabric_ports")["height"]
    x = canvas["width"] - 2 * PADDING
    across = boxes["x"][place] + 0.5
    up = (boxes["y"][place] + boxes["y2"][place]) / 2
    # the title stands above the plot, and takes what the plot leaves
    bottom = canvas["y"] + canvas["height"] - PADDING
    down = (up - LOW) / (HIGH - LOW) * height
    return canvas["x"] + PADDING + across / 100 * x, bottom - down


def tops(page: Page) -> list[float]:
    script = "() => [...document.querySelectorAll('.nd-results .nd-card')].map((e) => e.offsetTop)"
    return page.evaluate(script)


def strip(page: Page) -> Locator:
    return page.locator(".nd-strip")


def slowest(query: str) -> str:
    """The figure of the slowest collective as floor 3 has it."""
    return f"× {digits(answer(from_query(query)[0]).worst.slowdown)}"


def pixels(page: Page) -> str:
    """The picture of ports, which is drawn on a canvas."""
    return page.locator(PORTS).evaluate("canvas => canvas.toDataURL()")


def drawn(page: Page) -> int:
    return int(page.locator(".nd-chart-fabric-ports").get_attribute("data-drawn") or 0)


def test_a_key_press_moves_the_strip_the_picture_and_the_address(congested: Page) -> None:
    expect(strip(congested)).to_contain_text(slowest("taper=4"))
    before = pixels(congested)
    handle = field(congested, "taper").get_by_role("slider")
    handle.focus()
    for _ in range(4):
        handle.press("ArrowRight")
    expect(congested).to_have_url(re.compile("taper=5"))
    expect(strip(congested)).to_contain_text(slowest("taper=5"))
    assert pixels(congested) != before


def test_another_load_is_laid_over_the_picture_as_if_drawn_anew(
    congested: Page, page: Page, voila_server: Served
) -> None:
    """Only the links that changed are sent; what they give is what a fresh page shows."""
    handle = field(congested, "seed").get_by_role("slider")
    handle.focus()
    for _ in range(3):
        count = drawn(congested)
        handle.press("ArrowRight")
        expect(congested.locator(".nd-chart-fabric-ports")).to_have_attribute(
            "data-drawn", re.compile(f"^(?!{count}$)")
        )
    expect(congested).to_have_url(re.compile("seed=3"))
    moved = pixels(congested)
    open_page(page, voila_server, "seed=3")
    # edges of what is drawn in part are smoothed a little differently
    assert page.evaluate(FARTHEST, [PORTS, moved]) < 30
    open_page(page, voila_server, "seed=2")
    assert page.evaluate(FARTHEST, [PORTS, moved]) > 100


def test_the_picture_says_what_it_is(congested: Page) -> None:
    picture = congested.locator(PORTS)
    expect(picture).to_have_attribute("role", "img")
    expect(picture).to_have_attribute("aria-label", re.compile("rail optimised fabric of"))


def test_cards_keep_their_places_while_sliders_move_and_parts_break(congested: Page) -> None:
    places = tops(congested)
    for path in ("taper", "members", "queue_pairs", "seed", "cable_length", "restart"):
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
    congested.mouse.click(*box_of(congested, "leaf-02"))
    expect(strip(congested)).to_contain_text("leaf-02")
    expect(congested).to_have_url(re.compile("broken=leaf-02"))
    expect(congested.locator(".nd-breaking").first).to_contain_text("Now: leaf-02")
    congested.get_by_role("button", name="Undo").click()
    expect(strip(congested)).not_to_contain_text("leaf-02")
    congested.get_by_role("button", name="Redo").click()
    expect(strip(congested)).to_contain_text("leaf-02")
    congested.mouse.click(*box_of(congested, "leaf-02"))
    expect(strip(congested)).not_to_contain_text("leaf-02")


def test_a_preset_opens_its_view(congested: Page) -> None:
    congested.get_by_role("button", name=re.compile("24 members in a pod")).click()
    expect(congested).to_have_url(re.compile("members=24"))
    expect(field(congested, "members").get_by_role("textbox")).to_have_value("24")
    expect(congested.locator(".nd-why")).to_contain_text("no link carries more than a port")
    congested.get_by_role("button", name="Undo").click()
    expect(field(congested, "members").get_by_role("textbox")).to_have_value("auto")


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
    expect(seeds).to_contain_text("Shown: 32 seeds", timeout=20_000)
    expect(seeds).to_contain_text("4 : 1 at the leaf")
    expect(seeds).to_contain_text("nothing broken")
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
