"""Running netdesign the way a person does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = "llama-3-70b-1024-h100"


@dataclass(frozen=True)
class Run:
    """What one command answered."""

    status: int
    out: str
    err: str


def run_process(*arguments: str, cwd: Path | None = None, **environment: str) -> Run:
    """``python -m netdesign ...`` in a process of its own, on a narrow terminal."""
    process = subprocess.run(
        [sys.executable, "-m", "netdesign", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "80", **environment},
        timeout=120,
        check=False,
    )
    return Run(process.returncode, process.stdout, process.stderr)


def strict_json(text: str) -> Any:
    """Parse JSON; NaN and Infinity, which are not JSON, fail."""

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def leaves(tree: Any, path: Sequence[str] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value of a nested structure with its path; list positions are ``*``."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, (*path, str(key)))
    elif isinstance(tree, list | tuple):
        for value in tree:
            yield from leaves(value, (*path, "*"))
    else:
        yield tuple(path), tree
