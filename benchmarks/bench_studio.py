"""How fast and how heavy is the Studio for the one who uses it?

A real server, the product's own notebooks, a real Chromium; time is kept inside the page. The
targets are printed beside what was measured, nothing is asserted: a shared machine is slower.
``--quick`` takes a tenth of the samples.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import psutil
from browser import ROOT, Served, chromium, server, wait_until
from playwright.sync_api import Browser, Page

PROBE = Path(__file__).with_name("studio_probe.js")
SLIDERS = {
    "model size": "model.parameters_billion",
    "GPUs": "cluster.gpus",
    "oversubscription": "network.oversubscription",
}
VIEW = {"width": 1920, "height": 1080}
FLOOR = "import ipywidgets\n\nipywidgets.IntSlider()"
QUIET_MS = 120

TARGET_LATENCY_MS = 100.0
TARGET_FIRST_PAGE_S = 3.0
TARGET_KERNEL_MB = 85.0
HEAP_GROWTH_MB = 5.0


@dataclass
class Report:
    """Rows of what was measured, and whether it is what was aimed at."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, what: str, measured: str, target: str = "", passed: bool | None = None) -> None:
        verdict = "" if passed is None else "pass" if passed else "MISS"
        self.rows.append((what, measured, target, verdict))
        print(f"  {what}: {measured}", flush=True)

    def print(self) -> None:
        heads = ("what", "measured", "target", "")
        widths = [max(len(row[i]) for row in [heads, *self.rows]) for i in range(4)]
        print()
        for row in (heads, tuple("-" * width for width in widths), *self.rows):
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * share // 1).__int__() - 1))]


def spread(values: Sequence[float]) -> str:
    """Median, 95th percentile and worst."""
    return f"{statistics.median(values):.0f} / {quantile(values, 0.95):.0f} / {max(values):.0f}"


def load_average() -> str:
    return " ".join(f"{load:.1f}" for load in os.getloadavg()) + f" on {os.cpu_count()} cores"


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

    def press(self, within: int | None = None, quiet: int = QUIET_MS) -> dict[str, float]:
        """One key press; what the page saw of it, in ms of its own clock."""
        self._turn(within)
        self.page.evaluate("netdesignProbe.arm()")
        self.page.keyboard.press(self.key)
        seen: dict[str, float] = self.page.evaluate(f"netdesignProbe.result({quiet})")
        return seen

    def _turn(self, within: int | None) -> None:
        value, lowest, highest = (
            float(self.handle.get_attribute(name) or 0)
            for name in ("aria-valuenow", "aria-valuemin", "aria-valuemax")
        )
        if within is not None:
            self.start = getattr(self, "start", value)
            lowest, highest = max(lowest, self.start - within), min(highest, self.start + within)
        if value >= highest:
            self.key = "ArrowLeft"
        elif value <= lowest:
            self.key = "ArrowRight"


def bench_latency(report: Report, page: Page, presses: int) -> None:
    """From the key press to the last redrawn chart, and where the time goes."""
    for name, path in SLIDERS.items():
        slider = Slider(page, path)
        seen = [slider.press() for _ in range(presses)]
        redrew = [s for s in seen if s["drawn"] is not None]
        if not redrew:
            report.add(f"{name}: {presses} presses", "redrew nothing", passed=False)
            continue
        drawn = [s["drawn"] - s["at"] for s in redrew]
        painted = [s["painted"] - s["at"] for s in redrew]
        p95 = quantile(drawn, 0.95)
        report.add(
            f"{name}: key press to last chart redrawn, ms (p50 / p95 / max)",
            spread(drawn),
            f"p95 < {TARGET_LATENCY_MS:.0f}",
            p95 < TARGET_LATENCY_MS,
        )
        report.add(f"{name}: key press to all of it on the screen, ms", spread(painted))
        _break_down(report, name, redrew)
        if len(redrew) < presses:
            report.add(f"{name}: presses that change no chart", f"{presses - len(redrew)}")


def _break_down(report: Report, name: str, seen: Sequence[dict[str, float]]) -> None:
    steps = {
        "browser until it is sent": ("at", "sent"),
        "there and back, kernel included": ("sent", "received"),
        "browser from news to last chart": ("received", "drawn"),
    }
    for step, (begin, end) in steps.items():
        both = [s[end] - s[begin] for s in seen if s[begin] is not None and s[end] is not None]
        report.add(f"{name}:   {step}, ms", spread(both))
    report.add(
        f"{name}:   messages, kB, charts redrawn per press (median)",
        f"{statistics.median(s['messages'] for s in seen):.0f}, "
        f"{statistics.median(s['bytes'] for s in seen) / 1e3:.1f}, "
        f"{statistics.median(s['charts'] for s in seen):.0f}",
    )


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


def bench_heap(report: Report, page: Page, steps: Sequence[int]) -> None:
    """Does the page grow while a slider goes back and forth? It ends where it began each time."""
    slider = Slider(page, SLIDERS["GPUs"])
    heaps: list[float] = []
    done = 0
    for until in (0, *steps):
        for _ in range(until - done):
            slider.press(within=5, quiet=0)
        done = until
        heap, listeners, nodes = browser_weight(page)
        heaps.append(heap)
        last = until == steps[-1]
        growth = heaps[-1] - heaps[1] if len(heaps) > 1 else 0.0
        report.add(
            f"browser after {until} steps: heap MB, listeners, DOM nodes",
            f"{heap:.1f}, {listeners:,}, {nodes:,}",
            f"flat after {steps[0]}: growth < {HEAP_GROWTH_MB:.0f}" if last else "",
            growth < HEAP_GROWTH_MB if last else None,
        )


def unique_mb(process: psutil.Process) -> float:
    """Memory that would be free if this process ended."""
    return float(process.memory_full_info().uss / 1e6)


def bench_first_page(report: Report, browser: Browser, served: Served, loads: int) -> None:
    """From the address to a page that can be used, its kernel started for it."""
    floor, ready, everything = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(FLOOR)])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "", "language": ""}
        nbformat.write(notebook, Path(folder) / "floor.ipynb")
        with server(Path(folder)) as bare:
            for _ in range(loads):
                floor.append(_load(browser, bare, "floor.ipynb")["slider"])
                seen = _load(browser, served, "studio.ipynb")
                ready.append(max(seen["ready"], seen["firstChart"]))
                everything.append(max(seen["ready"], seen["allCharts"]))
    median = statistics.median(ready)
    report.add("Voila's floor, a page of one slider, s", _seconds(floor))
    report.add(
        "first usable page from a cold kernel, s (median, lowest to highest)",
        _seconds(ready),
        f"< {TARGET_FIRST_PAGE_S:.0f}",
        median < TARGET_FIRST_PAGE_S,
    )
    report.add("all charts drawn, s", _seconds(everything))


def _load(browser: Browser, served: Served, notebook: str) -> dict[str, float]:
    page = open_page(browser, served.page(notebook))
    seen = {
        name: value / 1e3
        for name, value in page.evaluate("netdesignProbe.loaded").items()
        if value is not None
    }
    leave(page)
    wait_until(lambda: not served.kernels(), 60, "the kernel ended")
    return seen


def _seconds(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{statistics.median(values):.2f} ({low:.2f} to {high:.2f})"


def bench_import(report: Report) -> None:
    """What a kernel loads before the first line of the notebook."""
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import netdesign.app.studio"], check=True, cwd=ROOT)
        times.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    bare = time.perf_counter() - begin
    report.add("import netdesign.app.studio, s", _seconds([t - bare for t in times]))
    traced = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import netdesign.app.studio"],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stderr
    own = sorted(_imported(traced), reverse=True)
    packages: dict[str, float] = {}
    for ms, module in own:
        packages[module.split(".")[0]] = packages.get(module.split(".")[0], 0.0) + ms
    heaviest = sorted(packages.items(), key=lambda item: -item[1])[:8]
    report.add("  by package, ms", ", ".join(f"{name} {ms:.0f}" for name, ms in heaviest))
    report.add("  heaviest modules, ms", ", ".join(f"{name} {ms:.0f}" for ms, name in own[:5]))
    banned = {"altair", "pandas", "scipy", "dask"} & set(packages)
    report.add(
        "  altair, pandas, scipy, dask loaded",
        ", ".join(sorted(banned)) or "none",
        "none",
        not banned,
    )


def _imported(traced: str) -> Iterator[tuple[float, str]]:
    for line in traced.splitlines():
        cells = line.removeprefix("import time:").split("|")
        if len(cells) == 3 and cells[0].strip().isdigit():
            yield int(cells[0]) / 1e3, cells[2].strip()


def bench_kernel(report: Report, changes: int) -> None:
    """The kernel's part of a press, without server and browser."""
    from netdesign.app.studio import Studio
    from netdesign.evaluate import evaluate

    evaluations: list[float] = []

    def timed(*of: Any) -> Any:
        begin = time.perf_counter()
        result = evaluate(*of)
        evaluations.append((time.perf_counter() - begin) * 1e3)
        return result

    studio = Studio(evaluate=timed)
    for name, path in SLIDERS.items():
        slider = studio.controls.field(path).slider  # type: ignore[attr-defined]
        evaluations.clear()
        whole = []
        step = 1
        for _ in range(changes):
            if not slider.min <= slider.value + step <= slider.max:
                step = -step
            begin = time.perf_counter()
            slider.value += step
            whole.append((time.perf_counter() - begin) * 1e3)
        rest = [w - e for w, e in zip(whole, evaluations, strict=False)]
        report.add(
            f"{name}: kernel alone, ms: evaluate; panels and controls (p50 / p95 / max)",
            f"{spread(evaluations)}; {spread(rest)}",
        )


def bench_served(
    report: Report, browser: Browser, served: Served, presses: int, steps: Sequence[int]
) -> None:
    """Everything that needs a page which stays open, and the kernel behind it."""
    pages = [open_page(browser, served.page("studio.ipynb")) for _ in range(3)]
    kernels = served.kernels()
    fresh = [unique_mb(kernel) for kernel in kernels]
    report.add(f"kernel per visitor after load, MB ({len(fresh)} visitors)", _megabytes(fresh))
    for other in pages[1:]:
        leave(other)
    page = pages[0]
    wait_until(lambda: len(served.kernels()) == 1, 60, "the other kernels ended")
    kernel = served.kernels()[0]
    bench_heap(report, page, steps)
    used = unique_mb(kernel)
    report.add(
        f"kernel per visitor after {steps[-1]} steps, MB",
        f"{used:.0f}",
        f"< {TARGET_KERNEL_MB:.0f}",
        used < TARGET_KERNEL_MB,
    )
    bench_latency(report, page, presses)
    report.add(f"kernel after {3 * presses} more presses, MB", f"{unique_mb(kernel):.0f}")
    heap, listeners, nodes = browser_weight(page)
    report.add(
        f"browser after {3 * presses} more presses: heap MB, listeners, DOM nodes",
        f"{heap:.1f}, {listeners:,}, {nodes:,}",
    )
    leave(page)


def _megabytes(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    quick = parser.parse_args().quick
    presses, loads, steps = (30, 2, (20, 60)) if quick else (300, 5, (100, 500))

    report = Report()
    print(f"load average before: {load_average()}", flush=True)
    bench_import(report)
    bench_kernel(report, presses)
    with chromium() as browser, server(ROOT / "notebooks") as served:
        bench_first_page(report, browser, served, loads)
        bench_served(report, browser, served, presses, steps)
    report.print()
    print(f"\nload average after: {load_average()}")


if __name__ == "__main__":
    main()
