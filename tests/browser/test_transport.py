"""Charts and page widget in a real browser, on a page that holds a slider and a chart."""

from __future__ import annotations

import re

import psutil
import pytest
from conftest import Watch
from playwright.sync_api import Page, expect
from served import Served, wait_until

pytestmark = pytest.mark.browser

CHART = ".nd-chart"


def open_transport(page: Page, server: Served, query: str = "") -> None:
    page.goto(server.page("transport.ipynb", query))
    expect(page.locator(CHART)).to_have_attribute("data-drawn", re.compile("."), timeout=60_000)
    page.wait_for_selector("html[data-nd-ready]")


def kernel_of(page: Page) -> psutil.Process:
    return psutil.Process(int(page.locator("#pid").inner_text()))


def press(page: Page, times: int = 1) -> None:
    handle = page.locator("[role=slider]")
    for _ in range(times):
        revision = int(page.locator(CHART).get_attribute("data-revision") or 0)
        handle.press("ArrowRight")
        expect(page.locator(CHART)).to_have_attribute("data-revision", str(revision + 1))


def test_a_key_press_redraws_the_chart(page: Page, transport_server: Served) -> None:
    open_transport(page, transport_server)
    expect(page.locator(CHART)).to_contain_text("ranks 1")
    bars = page.locator(f"{CHART} .mark-rect path")
    assert bars.count() == 60
    axis = page.locator(f"{CHART} svg.marks")
    expect(axis).not_to_contain_text("200")
    press(page, 3)
    expect(page.locator(CHART)).to_contain_text("ranks 4")
    expect(axis).to_contain_text("200")
    assert bars.count() == 60
    assert axis.count() == 1


def test_a_chunk_is_fetched_once_and_by_its_tag(page: Page, transport_server: Served) -> None:
    fetched: list[str] = []
    page.on("request", lambda r: fetched.append(r.url) if ".voila.js" in r.url else None)
    with page.expect_response(re.compile(r"/voila/render/")) as html:
        open_transport(page, transport_server)
    named = set(re.findall(r"/voila/static/(\d+\.voila\.js)", html.value.text()))
    names = [url.rpartition("/")[2] for url in fetched]
    assert len(named) > 20
    assert named <= set(names)
    assert len(names) == len(set(names))


def test_the_last_data_win(page: Page, transport_server: Served) -> None:
    open_transport(page, transport_server)
    handle = page.locator("[role=slider]")
    for _ in range(40):
        handle.press("ArrowRight", no_wait_after=True)
    expect(page.locator(CHART)).to_have_attribute("data-revision", "41")
    expect(page.locator(CHART)).to_contain_text("ranks 41")


def test_heap_stays_flat(page: Page, transport_server: Served) -> None:
    open_transport(page, transport_server)
    session = page.context.new_cdp_session(page)

    def heap_mb() -> float:
        session.send("HeapProfiler.collectGarbage")
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "JSHeapUsedSize") / 1e6

    session.send("Performance.enable")
    press(page, 20)
    before = heap_mb()
    nodes = page.locator("*").count()
    press(page, 100)
    # a chart that is embedded anew at each step keeps about 0.7 MB of each
    assert heap_mb() - before < 6
    assert page.locator("*").count() <= nodes + 20


def test_controls_have_names(page: Page, transport_server: Served) -> None:
    open_transport(page, transport_server)
    expect(page.get_by_role("slider", name="Ranks")).to_be_visible()
    expect(page.locator(".widget-readout")).to_have_attribute("aria-label", "Ranks, value")
    expect(page.locator(f"{CHART} svg.marks")).to_have_attribute("aria-label", "Bars by rank")
    expect(page).to_have_title("Transport")


def test_the_address_is_a_permalink(page: Page, transport_server: Served) -> None:
    open_transport(page, transport_server, "ranks=17")
    expect(page.locator(CHART)).to_contain_text("ranks 17")
    press(page)
    expect(page).to_have_url(re.compile(r"\?ranks=18$"))
    page.reload()
    expect(page.locator(CHART)).to_contain_text("ranks 18", timeout=60_000)
    page.get_by_role("link", name="Home").click()
    expect(page).to_have_url(re.compile(r"/\?ranks=18$"))


def test_a_click_on_a_mark_reaches_python(page: Page, transport_server: Served) -> None:
    open_transport(page, transport_server)
    page.locator(f"{CHART} .mark-rect path").nth(40).click()
    expect(page.locator("#picked")).to_contain_text("[40]")


def test_a_button_offers_a_file(page: Page, transport_server: Served) -> None:
    open_transport(page, transport_server)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    assert download.value.suggested_filename == "design.yaml"
    assert download.value.path().read_text() == "ranks: 1\n"


def test_the_theme_restyles_the_chart_and_is_remembered(
    page: Page, transport_server: Served
) -> None:
    page.emulate_media(color_scheme="light")
    open_transport(page, transport_server)
    label = page.locator(f"{CHART} .role-axis-label text").first
    light = label.get_attribute("fill")
    page.get_by_role("button", name="Switch between light and dark").click()
    expect(page.locator(f"{CHART} .role-axis-label text").first).not_to_have_attribute(
        "fill", light or ""
    )
    expect(page.locator(CHART)).to_contain_text("ranks 1")
    page.goto(transport_server.url)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_dead_kernel_is_said(page: Page, transport_server: Served, watch: Watch) -> None:
    open_transport(page, transport_server)
    kernel_of(page).kill()
    banner = page.get_by_role("alert")
    expect(banner).to_contain_text("The calculation engine is gone", timeout=20_000)
    expect(banner).to_contain_text("Reload to go on")
    banner.get_by_role("button", name="Reload").click()
    expect(page.locator(CHART)).to_have_attribute("data-drawn", re.compile("."), timeout=60_000)
    expect(page.get_by_role("alert")).to_have_count(0)
    watch.errors.clear()


@pytest.mark.parametrize("leave", ["close", "navigate", "reload"])
def test_a_left_page_takes_its_kernel_along(
    page: Page, transport_server: Served, leave: str
) -> None:
    open_transport(page, transport_server)
    kernel = kernel_of(page)
    if leave == "close":
        page.close(run_before_unload=True)
    elif leave == "navigate":
        page.goto(transport_server.url)
    else:
        page.reload()
    wait_until(lambda: not kernel.is_running(), 20, "the kernel has ended")


def test_a_failing_cell_shows_one_calm_sentence(page: Page, transport_server: Served) -> None:
    page.goto(transport_server.page("failing.ipynb"))
    expect(page.locator("#before")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("alert")).to_contain_text("could not be prepared")
    html = page.content()
    for secret in ("Traceback", "inner workings", "secret path", "--debug", "show_tracebacks"):
        assert secret not in html
    assert "the inner workings" in transport_server.log


def test_formulas_are_drawn_without_another_host(page: Page, transport_server: Served) -> None:
    page.goto(transport_server.page("formula.ipynb"))
    expect(page.locator("mjx-container")).to_be_visible(timeout=60_000)


def test_a_phone_has_no_sideways_scroll(page: Page, transport_server: Served) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_transport(page, transport_server)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto(transport_server.url)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_our_template_the_kernel_sends_runtime_and_stylesheet(
    page: Page, transport_server: Served, watch: Watch
) -> None:
    # as in JupyterLab, whose pages carry neither
    page.route("**/netdesign/static/runtime.js", lambda route: route.abort())
    page.add_init_script(
        "new MutationObserver(() => document.querySelector('link[data-netdesign-css]')?.remove())"
        ".observe(document, {childList: true, subtree: true})"
    )
    open_transport(page, transport_server)
    expect(page.locator(CHART)).to_contain_text("ranks 1")
    expect(page.locator("style[data-netdesign-css]")).to_have_count(1)
    watch.errors.clear()
