"""``netdesign evaluate``: the same numbers in a shell, as text and as JSON."""

from __future__ import annotations

import dataclasses
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from numbers import Real
from pathlib import Path
from typing import Any

import pytest

from netdesign.design import default_design, design_to_yaml
from netdesign.evaluate import evaluate

from .shell import SHIPPED, Run, leaves, run_process, strict_json

SECTIONS = ("requirement", "memory", "traffic", "step", "fabric", "bom", "cost", "findings")

UNITS = re.compile(
    r"_(?:s|bytes|gbps|usd|w|m|share|ratio|count|ranks|gpus|flops|days|hours|years|kwh)$"
    r"|usd_per_(?:year|gpu_hour|step|million_tokens|day)$|tokens_per_s(?:_per_gpu)?$"
)
# What the planner set, named as in the design file; and a plan's levels, which count nothing.
ECHOES = ("design", "plan")


@pytest.fixture
def record(command: Callable[..., Run]) -> dict[str, Any]:
    run = command("evaluate", SHIPPED, "--json")
    assert (run.status, run.err) == (0, "")
    record: dict[str, Any] = strict_json(run.out)
    return record


def test_json_has_the_promised_sections(record: dict[str, Any]) -> None:
    assert set(SECTIONS) <= set(record)
    assert record["step"]["step_time_s"] > 0


def test_json_names_the_unit_of_every_number(record: dict[str, Any]) -> None:
    nameless = {
        ".".join(path)
        for path, value in leaves(record)
        if isinstance(value, Real)
        and not isinstance(value, bool)
        and path[0] not in ECHOES
        and "suggestion" not in path
        and not UNITS.search(path[-1])
    }
    assert nameless == set()


def _numbers(part: Any) -> Iterator[tuple[str, float]]:
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if isinstance(value, Real) and not isinstance(value, bool):
            yield field.name, float(value)


@pytest.mark.parametrize("section", ["memory", "step", "fabric", "cost"])
def test_json_has_the_numbers_of_python(record: dict[str, Any], section: str) -> None:
    for name, value in _numbers(getattr(evaluate(default_design()), section)):
        told = {key: each for key, each in record[section].items() if key.startswith(name)}
        assert any(math.isclose(each, value) for each in told.values()), (name, value, told)


def test_json_traffic_is_that_of_python(record: dict[str, Any]) -> None:
    told = {
        (each["parallelism"], each["operation"]): each["per_gpu_per_step_bytes"]
        for each in record["traffic"]
    }
    counted = {
        (each.parallelism, each.operation): each.bytes_per_gpu
        for each in evaluate(default_design()).traffic
        if each.bytes_per_gpu
    }
    assert told == pytest.approx(counted)


def test_json_findings_are_those_of_python(record: dict[str, Any]) -> None:
    findings = evaluate(default_design()).findings
    assert [each["sentence"] for each in record["findings"]] == [each.sentence for each in findings]


@pytest.mark.parametrize(
    ("changes", "unlimited"),
    [
        # Tensor parallelism over two servers waits for latency alone.
        (
            {
                "plan.mode": "manual",
                "plan.tensor": 16,
                "plan.pipeline": 4,
                "target.communication_share": 0.005,
            },
            "bandwidth_per_gpu",
        ),
        ({"cluster.gpus": 8}, "latency_tolerated_s"),
    ],
)
def test_what_has_no_limit_is_still_json(
    command: Callable[..., Run], tmp_path: Path, changes: dict[str, Any], unlimited: str
) -> None:
    design = default_design().with_values(changes)
    assert math.isinf(getattr(evaluate(design).requirement, unlimited))
    file = tmp_path / "mine.yaml"
    file.write_text(design_to_yaml(design), encoding="utf-8")
    run = command("evaluate", str(file), "--json")
    assert run.status == 0
    told = {
        value
        for path, value in leaves(strict_json(run.out)["requirement"])
        if path[0].startswith(unlimited)
    }
    assert told == {None}
    text = command("evaluate", str(file))
    assert text.status == 0
    words = set(text.out.replace(",", " ").split())
    assert words.isdisjoint({"inf", "nan"}), text.out


def test_file_name_and_shipped_name_give_the_same(
    command: Callable[..., Run], tmp_path: Path, record: dict[str, Any]
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(design_to_yaml(default_design()), encoding="utf-8")
    run = command("evaluate", str(file), "--json")
    assert strict_json(run.out) == record


def test_two_processes_say_the_same_to_the_last_digit() -> None:
    first = run_process("evaluate", SHIPPED, "--json", PYTHONHASHSEED="1")
    second = run_process("evaluate", SHIPPED, "--json", PYTHONHASHSEED="2")
    assert (first.status, first.err) == (0, "")
    assert first.out == second.out


def test_text_tells_time_cost_and_findings(command: Callable[..., Run]) -> None:
    run = command("evaluate", SHIPPED)
    assert (run.status, run.err) == (0, "")
    for word in ("step", "memory", "network", "$", "leaf", "spine", "GPU"):
        assert word.lower() in run.out.lower()
    for finding in evaluate(default_design()).findings:
        words = "".join(finding.sentence.split())
        assert words in "".join(run.out.split())


def test_a_reader_that_stops_early_sees_no_traceback() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "netdesign", "evaluate", SHIPPED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    error = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert "Traceback" not in error


def test_designs_that_ship_are_listed(command: Callable[..., Run]) -> None:
    run = command("designs")
    assert run.status == 0
    assert SHIPPED in run.out


@pytest.mark.parametrize("arguments", [["evaluate"], ["evaluate", SHIPPED, "--jsn"], ["evalute"]])
def test_a_wrong_command_exits_with_2(command: Callable[..., Run], arguments: list[str]) -> None:
    run = command(*arguments)
    assert run.status == 2
    assert "Traceback" not in run.err + run.out


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_own_prices_replace_those_of_the_book_and_are_named(
    command: Callable[..., Run], tmp_path: Path, record: dict[str, Any], suffix: str
) -> None:
    file = tmp_path / f"quotes.{suffix}"
    rows = [("part_id", "price_usd"), ("qm9700", 1_000_000)]
    if suffix == "csv":
        text = "\n".join(",".join(map(str, row)) for row in rows)
        file.write_text(text, encoding="utf-8")
    else:
        import openpyxl

        workbook = openpyxl.Workbook()
        for row in rows:
            workbook.active.append(row)
        workbook.save(file)
    run = command("evaluate", SHIPPED, "--json", "--prices", str(file))
    assert run.status == 0, run.err
    told = strict_json(run.out)
    before = sum(
        row["quantity_count"] * row["unit_price_usd"]
        for row in record["bom"]["rows"]
        if row["part_id"] == "qm9700"
    )
    # 32 leaves and 16 spines: NVIDIA DGX SuperPOD H100 RA-11333-001 V11, 4 scalable units.
    expected = record["bom"]["total_usd"] - before + 48_000_000
    assert told["bom"]["total_usd"] == pytest.approx(expected)
    assert told["cost"]["capex_usd"] > record["cost"]["capex_usd"]
    assert file.name in told["bom"]["price_book"]
