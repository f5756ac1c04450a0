"""``netdesign nccl check`` and ``netdesign nccl config`` as a person runs them."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from netdesign.audit.nccl_check.reader import LARGEST_FILE_BYTES

from .shell import SHIPPED, Run, run_process, strict_json

Command = Callable[..., Run]
KEYS = {"variable", "value", "verdict", "reason", "suggestion", "source", "line"}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "job.sh"
    path.write_text("#!/bin/bash\nexport NCCL_DEBUG=INFO\nexport NCCL_IB_TIMEOUT=22\n")
    return path


def test_a_sound_file_is_status_0(command: Command, script: Path) -> None:
    run = command("nccl", "check", str(script), "--nccl", "2.27", "--json")
    assert (run.status, run.err) == (0, "")
    record = strict_json(run.out)
    assert all(set(finding) == KEYS for finding in record["findings"])
    assert [finding["verdict"] for finding in record["findings"]] == ["ok", "situational"]
    assert record["nccl"] == "2.27"


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("NCCL_FOO=1", "unknown"),
        ("NCCL_MAX_NCHANNELS=4", "deprecated"),
        ("NCCL_ALGO=Ring,Treering", "invalid-value"),
        ("NCCL_P2P_DISABLE=1", "harmful"),
    ],
)
def test_a_fault_is_status_1(command: Command, script: Path, line: str, verdict: str) -> None:
    script.write_text(script.read_text() + line + "\n")
    run = command("nccl", "check", str(script))
    assert (run.status, run.err) == (1, "")
    assert f"{verdict:<14}line 4: {line}" in run.out


def test_the_network_and_the_release_are_heeded(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "env"
    path.write_text("NCCL_NET=IB\n")
    assert command("nccl", "check", str(path)).status == 0
    assert command("nccl", "check", str(path), "--fabric", "efa").status == 1
    assert command("nccl", "check", str(path), "--fabric", "SRD").status == 1
    assert command("nccl", "check", str(path), "--nccl", "v2.9").status == 1


def test_stdin_is_read(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"NCCL_ALGO=Treering\x00\xff\xfe\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    run = command("nccl", "check", "-", "--json")
    assert run.status == 1
    assert strict_json(run.out)["findings"][0]["line"] == 1


def test_a_pipe_is_read() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "netdesign", "nccl", "check", "-"],
        input=b"export NCCL_DEBUG=INFO\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "nowhere.sh"), "nowhere.sh cannot be read: no such file"),
        (("check", "."), "cannot be read: is a directory"),
        (("check", "a\x00b"), "cannot be read"),
        (("check", "{script}", "--nccl", "latest"), "nccl: 'latest' is not a version"),
        (("check", "{script}", "--fabric", "token-ring"), "is not a known fabric; use one of"),
        (("config", "nowhere"), "nowhere"),
        (("config", SHIPPED, "--cloud", "moon"), "cloud: 'moon' is not known; use aws"),
        (("config", SHIPPED, "--format", "xml"), "format: 'xml' is not known; use env"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    command: Command, script: Path, arguments: tuple[str, ...], words: str
) -> None:
    run = command("nccl", *(part.format(script=script) for part in arguments))
    assert (run.status, run.out) == (2, "")
    assert words in run.err
    assert run.err.count("\n") == 1


def test_a_file_that_is_too_long(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "long.log"
    path.write_bytes(b"\n" * (LARGEST_FILE_BYTES + 1))
    run = command("nccl", "check", str(path))
    assert (run.status, "too long" in run.err) == (2, True)


def test_settings_of_a_design_go_back_through_the_checker(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "nccl.env"
    for form in ("env", "yaml", "slurm"):
        run = command("nccl", "config", SHIPPED, "--nccl", "2.27", "--format", form)
        assert (run.status, run.err) == (0, "")
        path.write_text(run.out)
        checked = command("nccl", "check", str(path), "--nccl", "2.27", "--fabric", "infiniband")
        assert checked.status == 0, checked.out


def test_settings_as_json(command: Command) -> None:
    run = command("nccl", "config", f"{SHIPPED}-ethernet", "--json")
    record = strict_json(run.out)
    assert record["fabric"] == "roce-adaptive"
    assert [entry["variable"] for entry in record["settings"]][0] == "NCCL_DEBUG"
    assert all(
        set(entry) == {"variable", "value", "reason", "source"} for entry in record["settings"]
    )


def test_help_is_there() -> None:
    run = run_process("nccl", "check", "--help")
    assert run.status == 0
    assert "Exit status" in run.out
