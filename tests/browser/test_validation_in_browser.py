"""The Validation page in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from published_rows import published_row, table_text
from served import Served

from netdesign.performance.measurements import measured_runs

pytestmark = pytest.mark.browser

PAGE = "validation.ipynb"
LOADED_MS = 60_000


@pytest.fixture
def validation(page: Page, voila_server: Served) -> Page:
    """The page as a newcomer sees it, all charts drawn."""
    page.goto(voila_server.page(PAGE))
    drawn = page.locator(".nd-validation .nd-chart[data-drawn]")
    expect(drawn).to_have_count(3, timeout=LOADED_MS)
    return page


def points(page: Page) -> int:
    script = "() => document.querySelectorAll('.nd-chart-validation-scatter path').length"
    return page.evaluate(script)


def test_own_runs_appear_and_go(validation: Page) -> None:
    before = points(validation)
    rows = [published_row(run) for run in list(measured_runs().values())[:4]]
    file = {"name": "runs.csv", "mimeType": "text/csv", "buffer": table_text(rows).encode()}
    validation.get_by_label("Add your own runs, a CSV file").set_input_files(files=[file])
    expect(validation.get_by_role("heading", name="Your runs")).to_be_visible()
    expect(validation.locator(".nd-own-runs tbody tr")).to_have_count(4)
    validation.wait_for_function(f"() => {points_script()} >= {before + 4}")
    validation.get_by_role("button", name="Forget your runs").click()
    expect(validation.locator(".nd-own-runs")).to_have_count(0)


def points_script() -> str:
    return "document.querySelectorAll('.nd-chart-validation-scatter path').length"


def test_a_wrong_file_is_said(validation: Page) -> None:
    file = {"name": "notes.csv", "mimeType": "text/csv", "buffer": b"hello\n"}
    validation.get_by_label("Add your own runs, a CSV file").set_input_files(files=[file])
    expect(validation.get_by_role("alert")).to_contain_text("has no column layers")


def test_a_point_tells_its_run(validation: Page) -> None:
    point = validation.locator(".nd-chart-validation-scatter .mark-symbol path").nth(700)
    point.hover(force=True)
    tip = validation.locator("#vg-tooltip-element")
    expect(tip).to_be_visible()
    expect(tip).to_contain_text("predicted")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_page(validation: Page, width: int, scheme: str) -> None:
    validation.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    validation.set_viewport_size({"width": width, "height": 800})
    validation.wait_for_timeout(300)
    assert validation.evaluate("() => document.documentElement.scrollWidth") <= width


def test_pictures_and_tables_have_names(validation: Page) -> None:
    for name in ("scatter", "errors", "collectives"):
        chart = validation.locator(f".nd-chart-validation-{name}")
        assert chart.locator("[aria-label]").first.get_attribute("aria-label")
    for caption in validation.locator(".nd-validation table caption").all():
        assert caption.text_content()


def test_the_example_is_downloaded(validation: Page) -> None:
    with validation.expect_download() as waiting:
        validation.get_by_role("button", name="An example to fill in, CSV").click()
    assert waiting.value.suggested_filename == "training-runs.csv"
