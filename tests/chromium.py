"""Which browser is driven, and how it is started: for the tests and the benchmarks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
MISSING = "no Chromium found: install Debian's chromium or name one in CHROMIUM"


def chromium_path() -> str | None:
    """The browser to drive: $CHROMIUM, or Debian's."""
    candidates = (os.environ.get("CHROMIUM"), "/usr/bin/chromium", shutil.which("chromium"))
    return next((path for path in candidates if path and Path(path).exists()), None)
