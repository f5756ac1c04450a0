"""pyproject.toml, environment.yml and requirements.lock name the same things."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = (ROOT / "requirements.lock").read_text().splitlines()
# what only Binder's build step needs
BUILD_ONLY = {"pip", "hatchling"}


def requirements(lines: list[str]) -> dict[str, Requirement]:
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(r.name): r for r in found}


RUNTIME = requirements(PROJECT["dependencies"])
TEST = requirements(PROJECT["optional-dependencies"]["test"])


@pytest.fixture(scope="module")
def pins() -> dict[str, Version]:
    names = (line.split("==") for line in LOCK)
    return {canonicalize_name(name): Version(version) for name, version in names}


def test_lock_holds_exact_pins_and_no_address() -> None:
    for line in LOCK:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+", line), line
    assert len(LOCK) == len(set(LOCK)) > 100


def test_lock_satisfies_pyproject(pins: dict[str, Version]) -> None:
    for name, requirement in (RUNTIME | TEST).items():
        assert pins[name] in requirement.specifier, name


def test_environment_is_pyproject() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["channels"] == ["conda-forge"]
    conda = requirements(environment["dependencies"])
    assert str(conda.pop("python").specifier) == PROJECT["requires-python"]
    for name in BUILD_ONLY:
        conda.pop(name)
    assert {n: r.specifier for n, r in conda.items()} == {
        n: r.specifier for n, r in RUNTIME.items()
    }


def test_lock_is_what_is_installed(pins: dict[str, Version]) -> None:
    from importlib.metadata import version

    assert {name: Version(version(name)) for name in RUNTIME} == {n: pins[n] for n in RUNTIME}


def test_wheel_carries_data_pages_and_notebooks(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    wheel = next(tmp_path.glob("netdesign-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    for folder in ("data", "notebooks"):
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(file.parts):
                assert f"netdesign/{file.relative_to(ROOT).as_posix()}" in inside
    template = "netdesign/app/serving/share/voila/templates/netdesign"
    assert {
        f"{template}/index.html.j2",
        f"{template}/tree.html",
        "netdesign/app/serving/static/netdesign.css",
        "netdesign/app/transport/static/runtime.js",
        "netdesign/app/transport/static/THIRD_PARTY_NOTICES.txt",
    } <= inside
    assert not any(name.startswith(("tests/", "data/", "notebooks/")) for name in inside)
