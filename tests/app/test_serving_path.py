"""What a visitor's kernel does not import, and how many widgets a page opens with."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from netdesign.app.studio import Studio
from ipywidgets.widgets.widget import _instances
Studio()
heavy = {"altair", "pandas", "scipy", "dask", "openpyxl", "vl_convert"} & set(sys.modules)
print(sorted(heavy), len(_instances))
"""
MOST_WIDGETS = 150


def test_the_studio_imports_nothing_heavy_and_stays_small() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=120
    )
    heavy, _, number = run.stdout.strip().rpartition(" ")
    assert heavy == "[]"
    assert int(number) < MOST_WIDGETS
