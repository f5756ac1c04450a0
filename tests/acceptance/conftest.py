"""Fixtures of the acceptance tests."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from .shell import Run


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Run]:
    """The command's own entry point, called in this process."""
    from netdesign.cli import main

    def run(*arguments: str) -> Run:
        monkeypatch.setattr(sys, "argv", ["netdesign", *arguments])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        captured = capsys.readouterr()
        return Run(status, captured.out, captured.err)

    return run
