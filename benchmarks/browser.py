"""A real server and a real Chromium, for what measures or photographs the pages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from chromium import FLAGS, MISSING, chromium_path  # noqa: E402
from served import Served, wait_until  # noqa: E402

__all__ = ["ROOT", "Served", "chromium", "server", "wait_until"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser named in $CHROMIUM, else the one that is installed."""
    path = chromium_path()
    if path is None:
        sys.exit(MISSING)
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
