"""The Studio's page as a measurement handles it; studio_probe.js keeps the time inside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

PROBE = Path(__file__).with_name("studio_probe.js")
VIEW = {"width": 1920, "height": 1080}
QUIET_MS = 120
MAIN_THREAD = {
    "ScriptDuration": "script",
    "RecalcStyleDuration": "style",
    "LayoutDuration": "layout",
    "TaskDuration": "in all",
}


def open_page(browser: Browser, url: str) -> Page:
    """A new visitor with an empty cache, on the page when all its charts are drawn."""
    page = browser.new_context(viewport=VIEW).new_page()
    page.add_init_script(path=PROBE)
    page.goto(url, wait_until="commit")
    page.wait_for_function(
        "() => { const l = window.netdesignProbe?.loaded;"
        " return l && l.slider !== null && (!document.querySelector('.nd-studio') || l.allCharts);"
        " }",
        timeout=120_000,
    )
    return page


def leave(page: Page) -> None:
    """Go elsewhere, as a visitor does: the page tells the server, which ends its kernel."""
    page.goto("about:blank")
    page.context.close()


class Slider:
    """One slider of the page, walked up and down with the arrow keys."""

    def __init__(self, page: Page, path: str) -> None:
        name = path.replace(".", "-").replace("_", "-")
        self.page = page
        self.handle = page.locator(f".nd-field-{name} .noUi-handle")
        self.handle.focus()
        self.key = "ArrowRight"
        self.start = self._number("aria-valuenow")

    def press(self, within: int | None = None, quiet: int = QUIET_MS) -> dict[str, float]:
        """One key press; what the page saw of it, in ms of its own clock."""
        self._turn(within)
        self.page.evaluate("netdesignProbe.arm()")
        self.page.keyboard.press(self.key)
        seen: dict[str, float] = self.page.evaluate(f"netdesignProbe.result({quiet})")
        return seen

    def _turn(self, within: int | None) -> None:
        lowest, highest = self._number("aria-valuemin"), self._number("aria-valuemax")
        if within is not None:
            lowest, highest = max(lowest, self.start - within), min(highest, self.start + within)
        value = self._number("aria-valuenow")
        if value >= highest:
            self.key = "ArrowLeft"
        elif value <= lowest:
            self.key = "ArrowRight"

    def _number(self, name: str) -> float:
        return float(self.handle.get_attribute(name) or 0)


@contextmanager
def processor_time(page: Page) -> Iterator[dict[str, float]]:
    """Seconds for which the page's main thread computed; waiting for the processor is not in it."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def read() -> dict[str, float]:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return {MAIN_THREAD[m["name"]]: m["value"] for m in metrics if m["name"] in MAIN_THREAD}

    before = read()
    spent: dict[str, float] = {}
    yield spent
    spent.update({name: value - before[name] for name, value in read().items()})
    session.detach()


def browser_weight(page: Page) -> tuple[float, int, int]:
    """Heap in MB, listeners and DOM nodes after a garbage collection."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    metrics = {m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return (
        metrics["JSHeapUsedSize"] / 1e6,
        int(metrics["JSEventListeners"]),
        int(metrics["Nodes"]),
    )
