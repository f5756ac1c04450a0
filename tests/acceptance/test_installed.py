"""The installed package has everything that the checkout has."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .shell import ROOT, SHIPPED, run_process, strict_json

LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    (built,) = folder.glob("netdesign-*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def files_below(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not LEFT_OUT & set(path.parts) and path.suffix != ".pyc"
    }


@pytest.mark.parametrize("folder", ["netdesign", "data", "notebooks"])
def test_every_file_is_inside(unpacked: Path, folder: str) -> None:
    inside = unpacked / "netdesign" if folder == "netdesign" else unpacked / "netdesign" / folder
    there = files_below(ROOT / folder)
    assert there
    assert there - files_below(inside) == set()


def test_nothing_else_is_inside(unpacked: Path) -> None:
    (metadata,) = unpacked.glob("*.dist-info")
    assert {path.name for path in unpacked.iterdir()} == {"netdesign", metadata.name}
    package = files_below(unpacked / "netdesign")
    known = files_below(ROOT / "netdesign")
    known |= {f"{top}/{file}" for top in ("data", "notebooks") for file in files_below(ROOT / top)}
    assert package - known == set()
    assert any(path.name == "LICENSE" for path in metadata.rglob("*"))
    entries = (metadata / "entry_points.txt").read_text(encoding="utf-8")
    assert "netdesign = netdesign.cli:main" in entries


def test_pages_templates_and_scripts_are_inside(unpacked: Path) -> None:
    kinds = {Path(name).suffix for name in files_below(unpacked / "netdesign")}
    assert {".csv", ".yaml", ".bib", ".ipynb", ".js", ".css", ".json"} <= kinds


def test_it_evaluates_away_from_the_checkout(unpacked: Path, tmp_path: Path) -> None:
    where = subprocess.run(
        [sys.executable, "-c", "import netdesign; print(netdesign.__file__)"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        timeout=60,
        check=True,
    ).stdout.strip()
    assert Path(where).is_relative_to(unpacked)
    installed = run_process("evaluate", SHIPPED, "--json", cwd=tmp_path, PYTHONPATH=str(unpacked))
    assert (installed.status, installed.err) == (0, "")
    assert strict_json(installed.out) == strict_json(run_process("evaluate", SHIPPED, "--json").out)
