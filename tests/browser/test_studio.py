"""The Design Studio in a real browser, as a planner uses it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from served import Served

from netdesign.design import default_design, design_to_yaml

pytestmark = pytest.mark.browser

LOADED_MS = 60_000
CHARTS = ".nd-results .nd-chart"


@pytest.fixture
def studio(page: Page, voila_server: Served) -> Page:
    """The Studio, all charts drawn."""
    open_studio(page, voila_server)
    return page


def open_studio(page: Page, server: Served, query: str = "") -> None:
    page.goto(f"{server.url}voila/render/studio.ipynb{query}")
    expect(page.locator(f"{CHARTS}[data-drawn]")).to_have_count(
        page.locator(CHARTS).count() or 7, timeout=LOADED_MS
    )


def tile(page: Page, key: str) -> Locator:
    return page.locator(f".nd-tile[data-value={key}]")


def field(page: Page, path: str) -> Locator:
    return page.locator(f".nd-field-{path.replace('.', '-').replace('_', '-')}")


def marks(page: Page, chart: str) -> str:
    """Everything that is drawn in a chart."""
    svg = page.locator(f".nd-chart-{chart} svg.marks")
    return str(svg.evaluate("svg => svg.outerHTML"))


@pytest.mark.parametrize(
    ("path", "keys", "tiles", "charts"),
    [
        ("model.parameters_billion", 6, ("step_time", "memory"), ("step-time-bar", "memory-bar")),
        ("cluster.gpus", 3, ("step_time", "capex"), ("step-time-bar", "network-picture")),
        ("network.oversubscription", 4, ("capex", "network_share"), ("network-picture",)),
    ],
)
def test_each_main_slider_moves_figures_and_charts(
    studio: Page, path: str, keys: int, tiles: tuple[str, ...], charts: tuple[str, ...]
) -> None:
    before = {key: tile(studio, key).inner_text() for key in tiles}
    drawn = {chart: marks(studio, chart) for chart in charts}
    handle = field(studio, path).get_by_role("slider")
    handle.focus()
    for _ in range(keys):
        handle.press("ArrowRight")
    for key, text in before.items():
        expect(tile(studio, key)).not_to_have_text(text)
    for chart, svg in drawn.items():
        studio.wait_for_function(
            "([chart, svg]) => document.querySelector(chart).outerHTML !== svg",
            arg=[f".nd-chart-{chart} svg.marks", svg],
        )
    expect(studio).to_have_url(re.compile(re.escape(path)))


def test_dragging_with_the_mouse_ends_where_the_mouse_ends(studio: Page) -> None:
    slider = field(studio, "cluster.gpus")
    box = slider.locator(".noUi-target").bounding_box()
    handle = slider.get_by_role("slider").bounding_box()
    assert box
    assert handle
    y = handle["y"] + handle["height"] / 2
    studio.mouse.move(handle["x"] + handle["width"] / 2, y)
    studio.mouse.down()
    for step in range(1, 21):
        start = handle["x"]
        studio.mouse.move(start + (box["x"] + box["width"] - start) * step / 20, y)
    studio.mouse.up()
    expect(slider.get_by_role("textbox")).to_have_value("131,072")
    expect(studio.locator(".nd-panel-step .nd-inputs")).to_contain_text("131,072 GPUs")


def test_nothing_moves_while_dragging(studio: Page) -> None:
    places = (
        "() => [...document.querySelectorAll('.nd-card')].map((e) => e.offsetTop + window.scrollY)"
    )
    before = studio.evaluate(places)
    handle = field(studio, "network.oversubscription").get_by_role("slider")
    handle.focus()
    for _ in range(6):
        handle.press("ArrowRight")
    expect(tile(studio, "network_share")).not_to_be_empty()
    expect(studio.locator(".nd-panel-network .nd-inputs")).to_contain_text("2.5 : 1")
    assert studio.evaluate(places) == before


def test_controls_have_names_for_those_who_listen(studio: Page) -> None:
    for name in ("Model size, billion", "GPUs", "Oversubscription"):
        expect(studio.get_by_role("textbox", name=name, exact=True)).to_be_visible()
    for name in ("Model size", "GPUs", "Oversubscription"):
        expect(studio.get_by_role("slider", name=name, exact=True)).to_be_visible()
    for chart in studio.locator(f"{CHARTS}:visible svg.marks").all():
        assert chart.get_attribute("aria-label")


def test_a_bad_number_is_told_beside_its_field(studio: Page) -> None:
    shown = tile(studio, "step_time").inner_text()
    gpus = field(studio, "cluster.gpus")
    gpus.get_by_role("textbox").fill("0")
    gpus.get_by_role("textbox").press("Enter")
    expect(gpus.get_by_role("alert")).to_contain_text("out of range")
    expect(studio.locator(".nd-studio-banner [role=alert]")).to_be_visible()
    assert tile(studio, "step_time").inner_text() == shown
    expect(gpus.get_by_role("textbox")).to_have_value("0")


def test_a_bad_design_file_is_a_sentence_and_the_picture_stays(
    studio: Page, tmp_path: Path
) -> None:
    shown = tile(studio, "capex").inner_text()
    bad = tmp_path / "bad.yaml"
    bad.write_text("cluster:\n  gpus: 0\n")
    upload = studio.locator("input[data-upload=upload-design]")
    upload.set_input_files(bad)
    alert = studio.locator(".nd-toolbar [role=alert]")
    expect(alert).to_contain_text("bad.yaml: cluster.gpus: 0 is out of range")
    assert tile(studio, "capex").inner_text() == shown
    good = tmp_path / "good.yaml"
    good.write_text(design_to_yaml(default_design().with_values({"cluster.gpus": 256})))
    upload.set_input_files(good)
    expect(alert).to_have_count(0)
    expect(field(studio, "cluster.gpus").get_by_role("textbox")).to_have_value("256")


def test_a_file_too_large_never_leaves_the_browser(studio: Page, tmp_path: Path) -> None:
    large = tmp_path / "large.yaml"
    large.write_bytes(b"x" * 100_000)
    studio.locator("input[data-upload=upload-design]").set_input_files(large)
    expect(studio.locator(".nd-toolbar [role=alert]")).to_contain_text("too large")


def test_saving_and_the_link_bring_the_design_back(studio: Page, voila_server: Served) -> None:
    gpus = field(studio, "cluster.gpus").get_by_role("textbox")
    gpus.fill("512")
    gpus.press("Enter")
    expect(studio).to_have_url(re.compile(r"cluster\.gpus=512"))
    with studio.expect_download() as saved:
        studio.get_by_role("button", name="Save file").click()
    assert "gpus: 512" in saved.value.path().read_text()
    open_studio(studio, voila_server, "?" + studio.url.partition("?")[2])
    expect(gpus).to_have_value("512")
    studio.get_by_role("link", name="Executive summary", exact=True).last.hover()
    link = studio.locator(".nd-summary-link")
    link.focus()
    assert "cluster.gpus=512" in str(link.evaluate("a => a.href"))


def test_undo_pin_and_compare(studio: Page) -> None:
    studio.get_by_role("button", name="Pin A", exact=True).click()
    field(studio, "network.oversubscription").get_by_role("textbox").fill("4")
    field(studio, "network.oversubscription").get_by_role("textbox").press("Enter")
    expect(studio.locator(".nd-panel-network .nd-inputs")).to_contain_text("4 : 1")
    studio.get_by_role("button", name="Pin B", exact=True).click()
    compare = studio.locator(".nd-panel-compare")
    expect(compare).to_contain_text("Oversubscription 1 → 4")
    expect(compare.locator("svg.marks")).to_be_visible()
    width = compare.locator("svg.marks").evaluate("svg => svg.getBoundingClientRect().width")
    assert width > 400
    studio.get_by_role("button", name="Undo").click()
    expect(field(studio, "network.oversubscription").get_by_role("textbox")).to_have_value("1 : 1")


def test_a_number_is_explained_on_click(studio: Page) -> None:
    tile(studio, "mfu").click()
    drawer = studio.locator(".nd-panel-explain")
    expect(drawer).to_contain_text("model_flops_utilisation")
    expect(drawer.locator("math").first).to_be_visible()
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_be_hidden()


def test_groups_open_and_the_plan_can_be_set_by_hand(studio: Page) -> None:
    studio.get_by_role("button", name="Parallel plan").click()
    mode = field(studio, "plan.mode").get_by_role("combobox")
    tensor = field(studio, "plan.tensor").get_by_role("textbox")
    expect(tensor).to_be_disabled()
    mode.select_option("set by hand")
    expect(tensor).to_be_enabled()
    tensor.fill("7")
    tensor.press("Enter")
    expect(field(studio, "plan.tensor").get_by_role("alert")).to_contain_text("does not divide")


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_no_width_overflows(page: Page, voila_server: Served, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    open_studio(page, voila_server, "?v=1&cluster.gpus=16384&network.oversubscription=2")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """() => [...document.querySelectorAll('.nd-card, .nd-field, .nd-tile, .nd-button')]
          .filter((e) => e.offsetParent && e.getBoundingClientRect().right > innerWidth + 1)
          .map((e) => e.className)"""
    )
    assert outside == []


def test_switching_to_dark_keeps_every_chart(studio: Page) -> None:
    drawn = studio.locator(f"{CHARTS}[data-drawn]").count()
    studio.get_by_role("button", name="Switch between light and dark").click()
    expect(studio.locator("html")).to_have_attribute("data-theme", re.compile("dark|light"))
    expect(studio.locator(f"{CHARTS}[data-drawn]")).to_have_count(drawn)
    expect(studio.locator(f"{CHARTS}[data-failed]")).to_have_count(0)


def test_the_keyboard_sees_where_it_is(studio: Page) -> None:
    gpus = field(studio, "cluster.gpus").get_by_role("textbox")
    lists = field(studio, "cluster.server").get_by_role("combobox")
    for control in (gpus, lists):
        control.focus()
        studio.keyboard.press("Tab")
        studio.keyboard.press("Shift+Tab")
        expect(control).to_be_focused()
        expect(control).to_have_css("outline-style", "solid")
        expect(control).to_have_css("outline-width", "2px")


def test_widgets_without_a_kernel_stay_where_they_are(studio: Page) -> None:
    before, after, banner, nav, toolbars = studio.evaluate(
        """() => {
          const box = (e) => e.getBoundingClientRect();
          const one = (selector) => box(document.querySelector(selector));
          const places = () => [...document.querySelectorAll('.nd-card, .nd-field, .nd-tile')]
            .map((e) => [box(e).left, box(e).width, box(e).height]);
          const before = places();
          const top = one('.nd-toolbar').top;
          for (const e of document.querySelectorAll('.jupyter-widgets, .nd-live'))
            e.classList.add('jupyter-widgets-disconnected');
          document.documentElement.classList.add('nd-stale');
          document.querySelector('.nd-engine-gone').hidden = false;
          return [before, places(), one('.nd-engine-gone').bottom, one('.nd-nav').top,
                  [top, one('.nd-toolbar').top]];
        }"""
    )
    assert after == before
    assert nav >= banner
    assert toolbars[1] - toolbars[0] == banner


def test_on_a_phone_a_drag_changes_what_is_seen(page: Page, voila_server: Served) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_studio(page, voila_server)
    brief = page.locator(".nd-brief")
    before = brief.inner_text()
    handle = field(page, "network.oversubscription").get_by_role("slider")
    handle.scroll_into_view_if_needed()
    handle.focus()
    for _ in range(4):
        handle.press("ArrowRight")
    expect(brief).not_to_have_text(before)
    expect(brief).to_be_in_viewport()
    assert brief.evaluate("e => e.scrollWidth <= innerWidth")


def test_crossing_into_what_cannot_be_built_moves_no_card(studio: Page) -> None:
    tops = "() => [...document.querySelectorAll('.nd-grid > .nd-card')].map((e) => e.offsetTop)"
    gpus = field(studio, "cluster.gpus").get_by_role("textbox")
    before = studio.evaluate(tops)
    for number in ("16,384", "98,304"):
        gpus.fill(number)
        gpus.press("Enter")
        expect(studio.locator(".nd-panel-bill .nd-inputs")).to_contain_text(f"{number} GPUs")
        assert studio.evaluate(tops) == before


def test_the_bill_is_saved_as_a_price_file(studio: Page) -> None:
    with studio.expect_download() as saved:
        studio.get_by_role("button", name="Download this bill").click()
    assert saved.value.path().read_text().startswith("part_id,name,quantity,price_usd,source,date")
