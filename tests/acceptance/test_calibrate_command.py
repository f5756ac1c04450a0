"""``netdesign calibrate`` as a person runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from nccl_tests_text import run_text

from netdesign.acceptance.expected import expected_curve, system_of
from netdesign.design import read_design
from netdesign.evaluate import evaluate
from netdesign.network.own_speeds import OwnSpeeds

from .shell import SHIPPED, Run

Command = Callable[..., Run]
SIZES = tuple(2**power for power in range(10, 34))


@cache
def text(operation: str, ranks: int, name: str = "NVIDIA H100 80GB HBM3") -> str:
    """A run on machines whose network is at 0.8 of the model, with start-ups a third longer."""
    system = replace(system_of(evaluate(read_design(SHIPPED))), own=OwnSpeeds(0.95, 0.8, 1.1, 1.33))
    curve = expected_curve(system, operation, ranks, ranks // 8, SIZES)
    times = [(size, float(time) * 1e6) for size, time in zip(SIZES, curve.time, strict=True)]
    return run_text(times, ranks=ranks, per_node=8, name=name, operation=operation)


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    runs = (("all_reduce", 8), ("all_gather", 64), ("all_reduce", 32), ("alltoall", 32))
    files = []
    for operation, ranks in runs:
        path = tmp_path / f"{operation}-{ranks}.log"
        path.write_text(text(operation, ranks))
        files.append(str(path))
    return files


def test_it_prints_what_was_used_the_factors_and_the_errors(
    command: Command, logs: list[str], tmp_path: Path
) -> None:
    other = tmp_path / "a100.log"
    other.write_text(text("all_reduce", 32, "NVIDIA A100-SXM4-80GB"))
    run = command("calibrate", *logs, str(other), "--design", SHIPPED)
    assert (run.status, run.err) == (0, "")
    assert "used: 96 rows of 4 logs" in run.out
    assert "a100.log, 24 rows: its GPU is NVIDIA A100" in run.out
    assert "bandwidth of the network    x 0.8" in run.out
    assert "each log by the others" in run.out


def test_it_writes_a_design_that_evaluates_and_says_so(
    command: Command, logs: list[str], tmp_path: Path
) -> None:
    new = tmp_path / "own.yaml"
    run = command("calibrate", *logs, "--design", SHIPPED, "--out", str(new))
    assert (run.status, run.err) == (0, f"{new} written\n")
    own, shipped = read_design(new), read_design(SHIPPED)
    assert own.measured.network_speed == pytest.approx(0.8, abs=0.02)
    assert own.measured.network_start_up == pytest.approx(1.33, abs=0.05)
    assert own.model_copy(update={"measured": shipped.measured}) == shipped
    told = command("evaluate", str(new)).out
    assert "collectives             rest on your own measurements: 4 logs" in told
    again = command("calibrate", *logs, "--design", str(new), "--json").out
    assert json.loads(again)["measured"] == own.measured.model_dump()


def test_json_is_strict_and_whole(command: Command, logs: list[str]) -> None:
    record = json.loads(command("calibrate", *logs, "--design", SHIPPED, "--json").out)
    assert set(record) == {
        "measured",
        "helps",
        "told",
        "logs",
        "rows",
        "errors",
        "unseen_logs",
        "band",
        "left_out",
    }
    assert record["rows"] == 4 * len(SIZES)
    assert record["helps"] is True
    assert all(line["after_median"] <= line["before_median"] for line in record["errors"])
    assert record["unseen_logs"]["after_median"] < record["unseen_logs"]["before_median"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is unknown, not nccl-tests"),
        ("\x00\x01\x02" * 50, "is unknown, not nccl-tests"),
        ("hello\n", "is unknown, not nccl-tests"),
    ],
)
def test_nothing_to_calibrate_with_is_one_line_and_status_2(
    command: Command, tmp_path: Path, content: str, reason: str
) -> None:
    path = tmp_path / "some.log"
    path.write_text(content)
    run = command("calibrate", str(path), "--design", SHIPPED)
    assert run.status == 2
    assert run.err.startswith("logs hold nothing to calibrate with: some.log: ")
    assert reason in run.err
    assert run.err.count("\n") == 1


def test_wrong_arguments_are_one_line_and_status_2(
    command: Command, logs: list[str], tmp_path: Path
) -> None:
    for arguments in (
        (*logs, "--design", SHIPPED, "--out", str(tmp_path / "own.txt")),
        (*logs, "--design", SHIPPED, "--out", str(tmp_path / "none" / "own.yaml")),
        (*logs, "--design", str(tmp_path / "none.yaml")),
        (str(tmp_path / "none.log"), "--design", SHIPPED),
    ):
        run = command("calibrate", *arguments)
        assert run.status == 2, arguments
        assert run.err.count("\n") == 1, run.err
        assert "Traceback" not in run.err
