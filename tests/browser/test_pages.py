"""The executive summary and lesson 1 in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from served import Served

from netdesign.design import default_design, design_to_query, design_to_yaml

pytestmark = pytest.mark.browser

LESSON = "lesson_01_one_slow_link.ipynb"
SUMMARY = "executive_summary.ipynb"
PLOTS = (".nd-prediction", ".nd-drag", ".nd-explain")
WIDTHS = (390, 1920)
STARTED = 60_000  # ms against hanging, not a measurement
SMALL = default_design().with_values({"cluster.gpus": 256, "name": "A small one"})


@pytest.fixture
def lesson(page: Page, voila_server: Served) -> Page:
    page.goto(voila_server.page(LESSON))
    expect(page.locator(".nd-exercise").last).to_be_visible(timeout=STARTED)
    return page


def open_summary(page: Page, server: Served, query: str = "") -> Page:
    page.goto(server.page(SUMMARY, query))
    expect(page.locator(".nd-money svg.marks")).to_be_visible(timeout=STARTED)
    return page


def guess(page: Page, text: str = "0.56") -> None:
    page.get_by_role("textbox", name="Your guess").fill(text)
    page.get_by_role("button", name="Show me").click()
    expect(page.locator(".nd-drag svg.marks")).to_be_visible()


def wider_than_the_window(page: Page) -> int:
    return page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )


def test_the_plot_and_the_answer_come_after_the_guess(lesson: Page) -> None:
    expect(lesson).to_have_title(re.compile("Lesson 1: why one slow link stops everyone"))
    for part in PLOTS:
        expect(lesson.locator(f"{part} svg.marks")).to_have_count(0)
    for part in (".nd-drag", ".nd-told >> nth=0", ".nd-told >> nth=1"):
        expect(lesson.locator(part)).to_contain_text("Make your prediction first")
    assert "1.12" not in lesson.locator("#rendered_cells").inner_text()
    lesson.get_by_role("textbox", name="Your guess").fill("<b>fast</b>")
    lesson.get_by_role("button", name="Show me").click()
    reply = lesson.locator(".nd-prediction .nd-reply")
    expect(reply).to_contain_text("'<b>fast</b>' is not a number above zero")
    expect(lesson.locator(".nd-drag svg.marks")).to_have_count(0)
    guess(lesson)
    for part in PLOTS:
        expect(lesson.locator(f"{part} svg.marks")).to_be_visible()
    expect(lesson.locator(".nd-told table")).to_contain_text("1.12 s")
    expect(reply).to_contain_text("average of the links")
    expect(lesson.locator(".nd-prediction svg.marks")).to_contain_text("1.12 s")
    nameless = lesson.locator(
        "#rendered_cells :is(input, select, button, [role=slider]):not([aria-label], [title])"
    )
    for control in nameless.all():
        assert control.inner_text().strip(), control.evaluate("(e) => e.outerHTML")


def test_the_slider_moves_the_charts(lesson: Page) -> None:
    guess(lesson)
    drag = lesson.locator(".nd-drag")
    chart = drag.locator("svg.marks")
    slider = drag.get_by_role("slider", name="Rate of the slow link, %")
    slider.press("ArrowLeft")
    expect(chart).to_contain_text("49 %: 1.14 s")
    expect(drag.locator("dl")).to_contain_text("196 Gb/s")
    expect(lesson.locator(".nd-explain svg.marks")).to_contain_text("busy 49 %")
    slider.press("End")
    expect(chart).to_contain_text("100 %: 0.563 s")
    ranks = drag.get_by_role("slider", name="Ranks in the ring")
    expect(ranks).to_have_attribute("aria-valuetext", "512")
    ranks.press("Home")
    expect(ranks).to_have_attribute("aria-valuetext", "2")
    expect(chart).to_contain_text("100 %: 0.280 s")
    for theme in ("light", "dark"):
        lesson.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        lesson.wait_for_timeout(600)
        ink = chart.locator(".role-title-text text").evaluate("(e) => getComputedStyle(e).fill")
        assert ink == drag.evaluate("(e) => getComputedStyle(e).color")


def test_exercises_answer_right_and_wrong(lesson: Page) -> None:
    first, second = lesson.locator(".nd-exercise").all()
    first.get_by_role("textbox", name="Your answer").fill("0.49")
    first.get_by_role("button", name="Check").click()
    expect(first.locator(".nd-reply-wrong")).to_contain_text("divided bytes by bits")
    first.get_by_role("textbox", name="Your answer").fill("3.9")
    first.get_by_role("textbox", name="Your answer").press("Enter")
    expect(first.locator(".nd-reply-right")).to_contain_text("Right.")
    second.get_by_role("textbox", name="Your answer").fill("25")
    second.get_by_role("combobox").select_option("GB/s")
    second.get_by_role("button", name="Check").click()
    expect(second.locator(".nd-reply-right")).to_contain_text("200 Gb/s")
    guess(lesson)
    for width in WIDTHS:
        lesson.set_viewport_size({"width": width, "height": 800})
        lesson.wait_for_timeout(500)
        assert wider_than_the_window(lesson) <= 0
        for part in PLOTS:
            card = lesson.locator(part).bounding_box()
            chart = lesson.locator(f"{part} svg.marks").bounding_box()
            assert card
            assert chart
            assert chart["x"] + chart["width"] <= card["x"] + card["width"] + 1
        for readout in lesson.locator(".nd-slider .widget-readout").all():
            box = readout.bounding_box()
            slider = readout.locator("xpath=../..").bounding_box()
            assert box
            assert slider
            assert box["x"] + box["width"] <= slider["x"] + slider["width"]
        words = lesson.locator(".nd-drag svg.marks").evaluate(
            "(svg) => [...svg.querySelectorAll('.mark-text text')].map("
            "(e) => e.getBoundingClientRect().right - svg.getBoundingClientRect().right)"
        )
        assert max(words) <= 0


def test_the_summary_says_what_the_design_is(page: Page, voila_server: Served) -> None:
    page.emulate_media(color_scheme="dark")
    open_summary(page, voila_server)
    expect(page.get_by_role("heading", level=1)).to_have_text(default_design().name)
    expect(page).to_have_title(re.compile(re.escape(default_design().name)))
    expect(page.locator("[data-figure=capex]")).to_contain_text("million")
    expect(page.locator("[data-figure=step_time]")).to_contain_text("Range")
    expect(page.locator(".nd-risk")).to_have_count(3)
    expect(page.locator(".nd-beside thead th")).to_have_count(4)
    expect(page.locator(".nd-money svg.marks")).to_contain_text("Servers")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(500)
        assert wider_than_the_window(page) <= 0
        for frame in page.locator(".nd-sheet .nd-table-frame").all():
            assert frame.evaluate("(e) => e.scrollWidth - e.clientWidth") <= 1
    page.emulate_media(media="print", color_scheme="dark")
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    expect(page.locator(".nd-actions")).to_be_hidden()
    line = page.locator(".nd-print-line")
    expect(line).to_be_visible()
    expect(line).to_contain_text(re.compile(r"Printed on \d+ \w+ \d{4} · Prices of \d{4}"))
    expect(line).to_contain_text(SUMMARY)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize(
    "changes",
    [
        {"plan.tensor": 1, "plan.pipeline": 16, "plan.expert": 64},
        {
            "plan.tensor": 16,
            "plan.pipeline": 4,
            "plan.expert": 16,
            "network.oversubscription": 4,
            "network.switch": "sn5600",
            "network.transport": "roce-hashed",
            "name": "A very long name of a design, longer than a line of the sheet is wide, and on",
        },
    ],
    ids=["does not fit", "three long risks"],
)
def test_the_summary_prints_on_one_sheet(
    page: Page, voila_server: Served, changes: dict[str, object]
) -> None:
    design = default_design().with_values(
        {"model.preset": "deepseek-v3", "plan.mode": "manual", **changes}
    )
    open_summary(page, voila_server, design_to_query(design))
    expect(page.locator(".nd-risk")).to_have_count(3)
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


def test_the_summary_and_the_studio_hand_the_design_to_each_other(
    page: Page, voila_server: Served
) -> None:
    query = design_to_query(SMALL)
    open_summary(page, voila_server, query)
    expect(page.get_by_role("heading", level=1)).to_have_text(SMALL.name)
    page.get_by_role("link", name="Open in the Studio").click()
    expect(page.locator(".nd-studio")).to_be_visible(timeout=STARTED)
    expect(page.get_by_role("textbox", name="Design", exact=True)).to_have_value(SMALL.name)
    pages = page.get_by_role("navigation", name="Pages")
    pages.get_by_role("link", name="Executive summary").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(SMALL.name, timeout=STARTED)
    assert page.url.endswith(f"?{query}")


def test_a_design_file_and_an_alternative_can_be_opened(
    page: Page, voila_server: Served, tmp_path: Path
) -> None:
    open_summary(page, voila_server)
    field = page.get_by_label("Open a design file")
    file = tmp_path / "mine.yaml"
    file.write_text("cluster: {gpus: 0}", encoding="utf-8")
    field.set_input_files(file)
    alert = page.locator(".nd-sheet").get_by_role("alert")
    expect(alert).to_contain_text("cluster.gpus: 0 is out of range")
    expect(page.get_by_role("heading", level=1)).to_have_text(default_design().name)
    file.write_text(design_to_yaml(SMALL), encoding="utf-8")
    field.set_input_files(file)
    expect(page.get_by_role("heading", level=1)).to_have_text(SMALL.name)
    expect(alert.filter(has_text="cluster.gpus")).to_have_count(0)
    page.wait_for_url(f"**?{design_to_query(SMALL)}")
    page.get_by_role("link", name="Open its summary").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{SMALL.name}, ", timeout=STARTED)
