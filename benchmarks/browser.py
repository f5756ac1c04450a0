"""A real server and a real Chromium, for what measures or photographs the pages."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from served import Served, wait_until  # noqa: E402

__all__ = ["ROOT", "Served", "chromium", "server", "wait_until"]

FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser named in $CHROMIUM, else the one that is installed."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None or not Path(path).exists():
        sys.exit("No Chromium found: install Debian's chromium or name one in CHROMIUM.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def server(notebooks: Path) -> Iterator[Served]:
    """The workbook's server with the notebooks of a folder, on a free port."""
    served = Served(notebooks)
    try:
        yield served
    finally:
        served.stop()
