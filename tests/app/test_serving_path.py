"""What a visitor's kernel does not import, and how many widgets a page opens with."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from netdesign.app.{module} import {page}
from ipywidgets.widgets.widget import _instances
{page}()
heavy = {{"altair", "pandas", "scipy", "dask", "openpyxl", "vl_convert"}} & set(sys.modules)
print(sorted(heavy), len(_instances))
"""
MOST_WIDGETS = 150


@pytest.mark.parametrize(("module", "page"), [("studio", "Studio"), ("explorer", "Explorer")])
def test_a_page_imports_nothing_heavy_and_stays_small(module: str, page: str) -> None:
    program = PROGRAM.format(module=module, page=page)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    heavy, _, number = run.stdout.strip().rpartition(" ")
    assert heavy == "[]"
    assert int(number) < MOST_WIDGETS
