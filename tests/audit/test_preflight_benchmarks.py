"""The plan of benchmarks: its numbers are the model's, its script runs, its logs are judged."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from netdesign.acceptance.benchmarks import Benchmark, benchmarks, preflight_rows
from netdesign.acceptance.expected import expected_curve, lacks, system_of
from netdesign.audit.acceptance import accept
from netdesign.audit.report import FileReport
from netdesign.catalog import references
from netdesign.design import read_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.export.acceptance_record import acceptance_lines, acceptance_record, plan_document
from netdesign.export.preflight_script import preflight_script

DESIGN = "llama-3-70b-1024-h100"


@cache
def evaluation(name: str = DESIGN) -> Evaluation:
    return evaluate(read_design(name))


@cache
def plan(name: str = DESIGN) -> dict[str, Benchmark]:
    return {check.id: check for check in benchmarks(evaluation(name))}


def test_rows_have_sources() -> None:
    assert {row.source for row in preflight_rows().values()} <= set(references())


@pytest.mark.parametrize("design", [DESIGN, "deepseek-v3-2048-h100", "gpt-3-175b-1024-a100"])
def test_every_check_has_a_number_that_passes_and_one_that_does_not(design: str) -> None:
    found = benchmarks(evaluation(design))
    assert len({check.id for check in found}) == len(found)
    for check in found:
        assert check.low <= check.expected <= check.high
        assert check.passes(check.expected)
        assert not check.passes(check.limit * (0.9 if check.more_is_better else 1.1))


def test_the_jobs_own_messages_are_in_it() -> None:
    gradients = next(
        entry
        for entry in evaluation().traffic
        if (entry.parallelism, entry.operation) == ("data", "reduce-scatter") and entry.calls
    )
    check = plan()["data-reduce-scatter"]
    assert (check.size, check.group_ranks) == (gradients.size, gradients.span.ranks)
    assert check.split == f"MOD {gradients.span.stride}"
    assert check.ranks == check.group_ranks * gradients.span.stride


def test_numbers_are_those_of_the_collective_model() -> None:
    check = plan()["all-all-gather"]
    system = system_of(evaluation())
    assert lacks(system, "all_gather", 1024, 128) == ""
    curve = expected_curve(system, "all_gather", 1024, 128, [check.size])
    assert check.expected == pytest.approx(float(curve.busbw[0]))
    assert check.limit == pytest.approx(float(curve.low[0]))


def test_a_taper_lowers_what_an_all_to_all_must_reach() -> None:
    design = read_design(DESIGN)
    network = design.network.model_copy(update={"family": "fat-tree-2", "oversubscription": 4.0})
    tapered = evaluate(design.model_copy(update={"network": network}))
    found = {check.id: check for check in benchmarks(tapered)}
    assert found["all-alltoall"].expected < 0.5 * plan()["all-alltoall"].expected
    assert found["one-node-all-reduce"].expected == plan()["one-node-all-reduce"].expected


def test_no_verbs_where_the_transport_has_none() -> None:
    design = read_design(DESIGN)
    network = design.network.model_copy(update={"transport": "srd"})
    found = benchmarks(replace(evaluation(), design=design.model_copy(update={"network": network})))
    assert not [check for check in found if check.quantity != "busbw"]


def test_the_script_is_bash_and_prints_every_run(tmp_path: Path) -> None:
    script, hosts = tmp_path / "preflight.sh", tmp_path / "hosts.txt"
    script.write_text(preflight_script(evaluation(), list(plan().values())))
    hosts.write_text("# hosts\n" + "".join(f"host{number}\n" for number in range(128)))
    subprocess.run(["bash", "-n", str(script)], check=True)
    ran = subprocess.run(
        ["bash", str(script)],
        env={
            "PATH": "/usr/bin:/bin",
            "HOSTS": str(hosts),
            "DRY_RUN": "1",
            "LOGS": str(tmp_path / "l"),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.partition(":")[0].partition("@")[0] for line in ran.stdout.splitlines()}
    assert names == set(plan())
    assert "NCCL_TESTS_SPLIT=MOD\\ 4" in ran.stdout


def test_a_logs_first_line_names_its_check(tmp_path: Path) -> None:
    """A stand-in for mpirun shows that what the script writes is what an audit looks for."""
    fake = tmp_path / "mpirun"
    fake.write_text("#!/bin/sh\necho ran\n")
    fake.chmod(0o755)
    script, hosts, logs = tmp_path / "p.sh", tmp_path / "h", tmp_path / "logs"
    script.write_text(preflight_script(evaluation(), [plan()["one-node-all-reduce"]]))
    hosts.write_text("only\n")
    environment = {"PATH": "/usr/bin:/bin", "HOSTS": str(hosts), "LOGS": str(logs)}
    subprocess.run(["bash", str(script)], env=environment | {"MPIRUN": str(fake)}, check=True)
    text = (logs / "one-node-all-reduce@only.log").read_text()
    assert text == "# netdesign check: one-node-all-reduce\nran\n"


def test_a_name_of_a_design_cannot_break_out_of_the_script() -> None:
    design = evaluation().design.model_copy(update={"name": "x\nrm -rf /; $(reboot)"})
    lines = preflight_script(replace(evaluation(), design=design), []).splitlines()
    assert all(line.startswith("#") for line in lines if "reboot" in line)
    assert "rm -rf /" not in [line.strip() for line in lines]


def test_the_document_has_a_row_for_each_check() -> None:
    text = plan_document(evaluation(), list(plan().values()), [])
    for check in plan().values():
        assert text.count(f"## {check.title.replace('-', chr(92) + '-')}\n") >= 1


@dataclass(frozen=True)
class Side:
    busbw: float
    wrong: float | None = 0.0


@dataclass(frozen=True)
class TableRow:
    size: float
    out_of_place: Side | None


@dataclass(frozen=True)
class OneTable:
    operation: str
    ranks: int
    rows: tuple[TableRow, ...]
    complete: bool = True
    wrong_sizes: int = 0
    out_of_bounds: int | None = 0
    out_of_bounds_ok: bool | None = True


@dataclass(frozen=True)
class Tables:
    tables: tuple[OneTable, ...]


def log(name: str, table: OneTable, check: str = "") -> FileReport:
    contents: dict[str, Any] = {"nccl-tests": Tables((table,))}
    return FileReport(name, "nccl-tests", ("nccl-tests",), {}, (), (), 0, check, contents)


def run(check: Benchmark, share: float, *, wrong_sizes: int = 0) -> OneTable:
    row = TableRow(check.size * 0.999, Side(check.limit * share))
    return OneTable(check.operation, check.group_ranks, (row,), wrong_sizes=wrong_sizes)


@pytest.mark.parametrize(
    ("share", "wrong", "verdict"), [(1.01, 0, "passed"), (0.5, 0, "failed"), (1.01, 3, "invalid")]
)
def test_verdicts(share: float, wrong: int, verdict: str) -> None:
    check = plan()["data-reduce-scatter"]
    reports = [log("a.log", run(check, share, wrong_sizes=wrong), check.id)]
    answers = accept(list(plan().values()), reports)
    assert {a.check.id: a.verdict for a in answers if a.runs} == {check.id: verdict}
    record = {row["check"]: row for row in acceptance_record(answers)}
    assert record[check.id]["failed"] == (["a.log"] if verdict == "failed" else [])
    assert record["pairs-bandwidth"]["verdict"] == "not run"
    assert any(check.id in line and verdict in line for line in acceptance_lines(answers))


def test_the_worst_of_many_hosts_counts() -> None:
    check = plan()["one-node-all-reduce"]
    reports = [log(f"h{n}", run(check, 0.6 if n == 3 else 1.1), check.id) for n in range(8)]
    (answer,) = [a for a in accept(list(plan().values()), reports) if a.runs]
    assert (answer.verdict, [entry.file for entry in answer.failed]) == ("failed", ["h3"])
    assert answer.worst == pytest.approx(check.limit * 0.6)


def test_a_check_of_every_server_is_incomplete_with_some() -> None:
    check = plan()["one-node-all-reduce"]
    assert check.runs == evaluation().servers
    some = [log(f"h{n}", run(check, 1.1), check.id) for n in range(check.runs - 1)]
    every = [*some, log("last", run(check, 1.1), check.id)]
    verdicts = []
    for reports in (some, every):
        (answer,) = [a for a in accept(list(plan().values()), reports) if a.runs]
        verdicts.append(answer.verdict)
    assert verdicts == ["incomplete", "passed"]


def test_an_odd_server_is_paired_with_the_first(tmp_path: Path) -> None:
    script, hosts = tmp_path / "preflight.sh", tmp_path / "hosts.txt"
    script.write_text(preflight_script(evaluation(), [plan()["pairs-bandwidth"]]))
    hosts.write_text("a\nb\nc\n")
    environment = {"PATH": "/usr/bin:/bin", "HOSTS": str(hosts), "DRY_RUN": "1"}
    ran = subprocess.run(
        ["bash", str(script)], env=environment | {"LOGS": str(tmp_path)}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert "pairs-bandwidth@c-a-mlx5_0" in ran.stdout


def test_a_log_without_a_mark_is_known_by_operation_ranks_and_size() -> None:
    check = plan()["data-reduce-scatter"]
    other = replace(run(check, 1.1), operation="all_gather")
    answers = accept(list(plan().values()), [log("a", run(check, 1.1)), log("b", other)])
    assert [(a.check.id, a.verdict) for a in answers if a.runs] == [(check.id, "passed")]


def test_a_marked_log_without_a_result_is_invalid() -> None:
    check = plan()["data-reduce-scatter"]
    empty = FileReport("a", "unknown", (), {}, (), (), 0, check.id, {})
    (answer,) = [a for a in accept(list(plan().values()), [empty]) if a.runs]
    assert answer.verdict == "invalid"
