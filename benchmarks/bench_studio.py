"""How fast and how heavy is the Studio for the one who uses it?

A real server, the product's own notebooks, a real Chromium; time is kept inside the page. The
targets are printed beside what was measured and nothing is asserted. Seconds on the clock grow with
whatever else the machine does, so the load is printed too; processor time hardly does.
``--quick`` takes a tenth of the samples.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
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
from studio_page import Slider, browser_weight, leave, open_page, processor_time

SLIDERS = {
    "model size": "model.parameters_billion",
    "GPUs": "cluster.gpus",
    "oversubscription": "network.oversubscription",
}
FLOOR = "import ipywidgets\n\nipywidgets.IntSlider()"

TARGET_LATENCY_MS = 100.0
TARGET_EVALUATE_MS = 5.0
TARGET_FIRST_PAGE_S = 3.0
TARGET_KERNEL_MB = 85.0
HEAP_GROWTH_MB = 5.0


@dataclass
class Report:
    """Rows of what was measured, and whether it is what was aimed at."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, what: str, measured: str, target: str = "", passed: bool | None = None) -> None:
        """A row of the table."""
        verdict = "" if passed is None else "pass" if passed else "MISS"
        self.rows.append((what, measured, target, verdict))
        print(f"{what}: {measured} {verdict}", flush=True)

    def detail(self, what: str, measured: str) -> None:
        """Where it comes from; printed at once and not repeated in the table."""
        print(f"    {what}: {measured}", flush=True)

    def print(self) -> None:
        heads = ("what", "measured", "target", "")
        widths = [max(len(row[i]) for row in [heads, *self.rows]) for i in range(4)]
        print()
        for row in (heads, tuple("-" * width for width in widths), *self.rows):
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]


def spread(values: Sequence[float]) -> str:
    """Median, 95th percentile and worst."""
    return f"{statistics.median(values):.0f} / {quantile(values, 0.95):.0f} / {max(values):.0f}"


def load_average() -> str:
    return " ".join(f"{load:.1f}" for load in os.getloadavg()) + f" on {os.cpu_count()} cores"


def bench_latency(report: Report, page: Page, presses: int) -> None:
    """From the key press to the last redrawn chart, and where the time goes."""
    for name, path in SLIDERS.items():
        slider = Slider(page, path)
        with processor_time(page) as spent:
            seen = [slider.press() for _ in range(presses)]
        redrew = [s for s in seen if s["drawn"] is not None]
        if not redrew:
            report.add(f"{name}: {presses} presses", "redrew nothing", passed=False)
            continue
        drawn = [s["drawn"] - s["at"] for s in redrew]
        p95 = quantile(drawn, 0.95)
        report.add(
            f"{name}: key press to last chart redrawn, ms (p50 / p95 / max of {len(drawn)})",
            spread(drawn),
            f"p95 < {TARGET_LATENCY_MS:.0f}",
            p95 < TARGET_LATENCY_MS,
        )
        _break_down(report, redrew)
        each = ", ".join(f"{what} {s * 1e3 / presses:.0f}" for what, s in spent.items())
        report.detail("browser's main thread, ms of processor time per press", each)
        if len(redrew) < presses:
            report.detail("presses that change no chart", str(presses - len(redrew)))


def _break_down(report: Report, seen: Sequence[dict[str, float]]) -> None:
    steps = {
        "browser until it is sent": ("at", "sent"),
        "there and back, kernel included": ("sent", "received"),
        "browser from the news to the last chart": ("received", "drawn"),
        "from the last chart to the frame on the screen": ("drawn", "painted"),
        "key press to the frame on the screen": ("at", "painted"),
    }
    for step, (begin, end) in steps.items():
        report.detail(f"{step}, ms", spread([s[end] - s[begin] for s in seen]))
    for what, key, unit in (
        ("messages per press", "messages", 1.0),
        ("kB per press", "bytes", 1e3),
        ("charts redrawn per press", "charts", 1.0),
    ):
        report.detail(what, spread([s[key] / unit for s in seen]))


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
    floor, studio = [], []
    with tempfile.TemporaryDirectory() as folder:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(FLOOR)])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "", "language": ""}
        nbformat.write(notebook, Path(folder) / "floor.ipynb")
        with server(Path(folder)) as bare:
            for _ in range(loads):
                floor.append(_load(browser, bare, "floor.ipynb"))
                studio.append(_load(browser, served, "studio.ipynb"))
    ready = [max(seen["ready"], seen["firstChart"]) for seen in studio]
    median = statistics.median(ready)
    report.add(
        "page of one slider, Voila's floor, s (median, lowest to highest)",
        _seconds([seen["slider"] for seen in floor]),
    )
    report.add(
        "first usable page of the Studio from a cold kernel, s",
        _seconds(ready),
        f"< {TARGET_FIRST_PAGE_S:.0f}",
        median < TARGET_FIRST_PAGE_S,
    )
    for name, loads_seen in (("floor", floor), ("Studio", studio)):
        steps = ("html", "scripts", "socket", "slider")
        said = ", ".join(f"{s} {statistics.median(x[s] for x in loads_seen):.2f}" for s in steps)
        report.detail(f"{name}: page whole, Voila's scripts in, first word, slider, s", said)
        kernel = _seconds([seen["kernel"] for seen in loads_seen])
        report.detail(f"{name}: processor time of the kernel until then, s", kernel)
    report.detail("Studio: all charts drawn, s", _seconds([s["allCharts"] for s in studio]))


def _load(browser: Browser, served: Served, notebook: str) -> dict[str, float]:
    page = open_page(browser, served.page(notebook))
    times = served.kernels()[0].cpu_times()
    seen = {
        name: value / 1e3
        for name, value in page.evaluate("netdesignProbe.timesOfLoad()").items()
        if value is not None
    }
    leave(page)
    wait_until(lambda: not served.kernels(), 60, "the kernel ended")
    return {**seen, "kernel": times.user + times.system}


def _seconds(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{statistics.median(values):.2f} ({low:.2f} to {high:.2f})"


def bench_import(report: Report) -> None:
    """What a kernel loads before the first line of the notebook, in processor time."""
    whole = [_processor_time("import netdesign.app.studio") for _ in range(5)]
    bare = min(_processor_time("pass") for _ in range(3))
    report.add(
        "import netdesign.app.studio, s of processor time", _seconds([t - bare for t in whole])
    )
    code = "import netdesign.app.studio"
    traced = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code],
        check=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stderr
    own = sorted(_imported(traced), reverse=True)
    packages: dict[str, float] = {}
    for ms, module in own:
        package = module.split(".")[0]
        packages[package] = packages.get(package, 0.0) + ms
    heaviest = sorted(packages.items(), key=lambda item: -item[1])[:8]
    report.detail("by package, ms", ", ".join(f"{name} {ms:.0f}" for name, ms in heaviest))
    report.detail("heaviest modules, ms", ", ".join(f"{name} {ms:.0f}" for ms, name in own[:6]))
    banned = {"altair", "pandas", "scipy", "dask"} & set(packages)
    report.add(
        "altair, pandas, scipy or dask loaded with it",
        ", ".join(sorted(banned)) or "none",
        "none",
        not banned,
    )


def _processor_time(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
        begin = time.process_time()
        result = evaluate(*of)
        evaluations.append((time.process_time() - begin) * 1e3)
        return result

    begin = time.process_time()
    studio = Studio(evaluate=timed)
    built = time.process_time() - begin
    report.detail("Studio() in the kernel, s of processor time", f"{built:.2f}")
    for name, path in SLIDERS.items():
        slider = studio.controls.field(path).slider  # type: ignore[attr-defined]
        evaluations.clear()
        whole = []
        step = 1
        for _ in range(changes):
            if not slider.min <= slider.value + step <= slider.max:
                step = -step
            begin = time.process_time()
            slider.value += step
            whole.append((time.process_time() - begin) * 1e3)
        rest = [w - e for w, e in zip(whole, evaluations, strict=True)]
        report.add(
            f"{name}: evaluate in the kernel, ms of processor time",
            spread(evaluations),
            f"p50 < {TARGET_EVALUATE_MS:.0f}",
            statistics.median(evaluations) < TARGET_EVALUATE_MS,
        )
        report.detail("panels, charts' data and controls, ms of processor time", spread(rest))


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
