"""The pictures of the README, taken of the pages as they are: ``make screenshots``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from browser import ROOT, Served, chromium, server
from playwright.sync_api import Browser, Page

from netdesign.design import design_to_query, read_design

FOLDER = ROOT / "docs" / "screenshots"
LARGEST_BYTES = 300_000


DRAWN = """() => {
  const charts = [...document.querySelectorAll(".nd-chart")].filter((c) => c.offsetParent);
  return document.documentElement.dataset.ndReady && charts.every((c) => c.dataset.drawn);
}"""


@dataclass(frozen=True)
class Shot:
    """One picture: which page, of which design, how wide, and what of it."""

    name: str
    notebook: str = ""
    design: str = ""
    query: str = ""  # beside the design
    size: tuple[int, int] = (1920, 1200)
    scale: float = 1.0
    dark: bool = False
    element: str = ""
    before: Callable[[Page], None] | None = None


def guess(page: Page) -> None:
    """Answer the lesson's question as most people do, and scroll to it."""
    page.get_by_role("textbox", name="Your guess").fill("0.57")
    page.get_by_role("button", name="Show me").click()
    page.locator(".nd-drag svg.marks").wait_for()
    page.get_by_role("heading", name="Predict").evaluate(
        "(e) => window.scrollTo(0, e.getBoundingClientRect().top + window.scrollY - 70)"
    )


def dropped(page: Page) -> None:
    """Hold the sample log against a design."""
    page.get_by_role("button", name="A sample to try").click()
    page.locator(".nd-file").wait_for()
    page.get_by_label("Held against").select_option("llama-3-8b-64-h100")
    page.get_by_text("As predicted").wait_for()


SHOTS = (
    Shot("home", size=(1280, 480)),
    Shot("studio-light", "studio.ipynb"),
    Shot("studio-dark", "studio.ipynb", dark=True),
    Shot("studio-phone", "studio.ipynb", size=(390, 844), scale=2.0),
    Shot(
        "network-64-gpus", "studio.ipynb", design="llama-3-8b-64-h100", element=".nd-panel-network"
    ),
    Shot(
        "network-16384-gpus",
        "studio.ipynb",
        design="llama-3.1-405b-16384-h100",
        element=".nd-panel-network",
    ),
    Shot(
        "topology-explorer",
        "topology_explorer.ipynb",
        query="family=rail-optimised&gpus=64",
        size=(1280, 1560),
        scale=0.75,
    ),
    Shot("executive-summary", "executive_summary.ipynb", size=(1280, 1200)),
    Shot("ib-or-roce", "ib_or_roce.ipynb", size=(1280, 1200), scale=0.75),
    Shot("congestion", "congestion_and_failures.ipynb", size=(1280, 1160), scale=0.66),
    Shot("audit", "audit.ipynb", size=(1280, 1200), before=dropped),
    Shot("lesson-1", "lesson_01_one_slow_link.ipynb", size=(1280, 1200), before=guess),
)


def address(served: Served, shot: Shot) -> str:
    """Where the page of a picture is."""
    if not shot.notebook:
        return served.url
    query = design_to_query(read_design(shot.design)) if shot.design else shot.query
    return served.page(shot.notebook, query)


def take(browser: Browser, served: Served, shot: Shot) -> bytes:
    """The picture as PNG."""
    context = browser.new_context(
        viewport={"width": shot.size[0], "height": shot.size[1]},
        device_scale_factor=shot.scale,
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address(served, shot))
    if shot.notebook:
        page.wait_for_function(DRAWN, timeout=120_000)
    if shot.before:
        shot.before(page)
    page.wait_for_timeout(1000)
    picture = page.locator(shot.element).screenshot() if shot.element else page.screenshot()
    page.goto("about:blank")
    context.close()
    return picture


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with chromium() as browser, server(ROOT / "notebooks") as served:
        for shot in SHOTS:
            picture = take(browser, served, shot)
            (FOLDER / f"{shot.name}.png").write_bytes(picture)
            print(f"{shot.name}.png: {len(picture) / 1e3:.0f} kB", flush=True)
            if len(picture) > LARGEST_BYTES:
                sys.exit(f"{shot.name}.png is too large for the README: crop it.")


if __name__ == "__main__":
    main()
