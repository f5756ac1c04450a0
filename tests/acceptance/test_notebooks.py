"""Every notebook runs from top to bottom and is stored without outputs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from .shell import ROOT

NOTEBOOKS = sorted(
    path for path in (ROOT / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
)


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_clean(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
    assert notebook.metadata.get("widgets") is None


RUN = """
import sys
import nbformat
from nbclient import NotebookClient

for path in sys.argv[1:]:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=60, kernel_name="python3")
    client.execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                raise SystemExit(f"{path}: {output.text}")
"""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    # Another process: the client's event loop and sockets warn in ways that are not ours.
    run = subprocess.run(
        [sys.executable, "-c", RUN, str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:] + run.stdout[-1000:]
