"""``netdesign failures``: what breaks, in words, as JSON, and as a plan of tests."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from .shell import SHIPPED, run_process, strict_json

SMALL = "llama-3-8b-64-h100"


def test_one_of_each_breaks() -> None:
    run = run_process("failures", SMALL)
    assert run.status == 0, run.err
    for word in ("cable:", "nic:", "leaf:", "spine:", "flap of 40 s", "dual ToR", "two planes"):
        assert word in run.out
    assert "optimistic" in run.out
    assert "28.8 h" in run.out
    assert "7.9 h" in run.out


def test_as_json() -> None:
    run = run_process("failures", SHIPPED, "--break", "spine:3", "--break", "leaf:0", "--json")
    assert run.status == 0, run.err
    record = strict_json(run.out)
    spine, leaf = record["breaks"]
    assert spine["name"] == "spine-04"
    assert spine["recovers_by_routing"] is True
    assert leaf["stops_job"] is True
    assert leaf["gpus_without_port_count"] == 32
    assert record["redundancy"] == []


def test_numbers_without_bound_are_null() -> None:
    run = run_process("failures", SMALL, "--break", "leaf", "--json")
    record = strict_json(run.out)
    assert record["breaks"][0]["collectives"][0]["slowdown_ratio"] is None


def test_a_plane_breaks_on_a_fabric_that_has_two() -> None:
    run = run_process("failures", SMALL, "--on", "two-planes", "--break", "plane")
    assert run.status == 0, run.err
    assert "two planes" in run.out.splitlines()[0]
    assert "the job runs on" in run.out


@pytest.mark.parametrize("ending", ["md", "csv"])
def test_the_plan_is_a_file(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"plan.{ending}"
    run = run_process("failures", SMALL, "--plan", str(file), "--no-redundancy")
    assert run.status == 0, run.err
    text = file.read_text(encoding="utf-8")
    if ending == "csv":
        rows = list(csv.DictReader(text.splitlines()))
        assert {"soak", "cable", "tail"} <= {row["test"] for row in rows}
        assert all(float(row["expected"]) >= 0 for row in rows)
    else:
        assert "| Pull one NIC cable | pause until the job computes again | 630.1 s |" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--break", "spin"), "did you mean spine"),
        (("--break", "leaf:99"), "counted from 0"),
        (("--break", "nic@7"), "share"),
        (("--break", "plane"), "not made of several planes"),
        (("--on", "moon"), "own, dual-tor, two-planes"),
        (("--plan", "plan.pdf"), "neither .md nor .csv"),
        (("--plan", "/nowhere/at/all.md"), "no such folder"),
        (("--break", "cable") * 51, "too many"),
    ],
)
def test_a_wrong_input_is_one_line(arguments: tuple[str, ...], said: str) -> None:
    run = run_process("failures", SMALL, *arguments)
    assert run.status == 2
    assert run.out == ""
    assert len(run.err.strip().splitlines()) == 1
    assert said in run.err
    assert "Traceback" not in run.err


def test_evaluate_says_what_failures_leave() -> None:
    text = run_process("evaluate", "llama-3.1-405b-16384-h100").out
    assert "every 3.09 h" in text
    assert "ETTR" in text
    record = strict_json(run_process("evaluate", SHIPPED, "--json").out)
    assert record["goodput"]["effective_training_days"] > record["cost"]["training_days"]
    assert record["goodput"]["optimistic"] is True
    assert "28.8 h" in record["goodput"]["remark"]
    assert 0 < record["tail"]["overhead_share"] < 0.01
