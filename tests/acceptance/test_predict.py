"""``netdesign predict`` and ``predict-collective`` as a person runs them on a table."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from published_rows import published_row, table_text

from netdesign.export.predict import LARGEST_TABLE
from netdesign.performance.measurements import measured_runs

from .shell import run_process, strict_json
from .test_fabric_bad_input import check_sentence

ROW_KEYS = {
    "id", "predicted_step_time_s", "low", "high", "measured", "error", "fits_memory",
}  # fmt: skip
GROUP_KEYS = {
    "rows", "median_error", "p90_error", "in_band", "naive_median_error", "naive_p90_error",
}  # fmt: skip
COLLECTIVE = (
    "id,collective,gpus,nodes,accelerator,nic_gbps_per_gpu,fabric,size_bytes,time_us\n"
    "a,all_reduce,16,2,H100-SXM5-80GB,400,InfiniBand NDR,1073741824,4500\n"
    "b,all_reduce,16,2,H100-SXM5-80GB,,InfiniBand NDR,1073741824,\n"
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Every tenth published run, and a row that lacks its layers."""
    rows = [published_row(run) for run in list(measured_runs().values())[::10]]
    rows.append({**rows[0], "id": "lacking", "layers": ""})
    path = tmp_path / "runs.csv"
    path.write_text(table_text(rows), encoding="utf-8")
    return path


def test_a_table_comes_back_as_json(table: Path) -> None:
    run = run_process("predict", str(table), "--json")
    assert run.status == 0, run.err
    record = strict_json(run.out)
    assert set(record) == {"rows", "skipped", "summary"}
    for row in record["rows"]:
        assert set(row) >= ROW_KEYS
        assert row["low"] <= row["predicted_step_time_s"] <= row["high"]
        assert row["error"] == pytest.approx(row["predicted_step_time_s"] / row["measured"] - 1)
    assert {"id": "lacking", "reason": "layers blank"} in record["skipped"]
    ids = {row["id"] for row in (*record["rows"], *record["skipped"])}
    assert ids == {"lacking", *list(measured_runs())[::10]}
    summary = record["summary"]
    assert set(summary["all"]) >= GROUP_KEYS
    for cut in ("source", "accelerator", "style"):
        assert sum(group["rows"] for group in summary[cut].values()) == summary["scored"]
        assert all(set(group) >= GROUP_KEYS for group in summary[cut].values())


def test_a_table_is_told_in_words_and_written_to_a_file(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.csv"
    run = run_process("predict", str(table), "--out", str(out))
    assert run.status == 0, run.err
    assert "skipped 1: layers blank (lacking)" in run.out
    assert "naive" in run.out
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert {row["id"] for row in rows} == {"lacking", *list(measured_runs())[::10]}
    assert float(rows[0]["error"]) == pytest.approx(
        float(rows[0]["predicted_step_time_s"]) / float(rows[0]["measured"]) - 1, abs=1e-4
    )
    assert strict_json(_written(table, tmp_path / "predictions.json"))["rows"]


def _written(table: Path, out: Path) -> str:
    assert run_process("predict", str(table), "--out", str(out)).status == 0
    return out.read_text(encoding="utf-8")


def test_a_text_that_would_run_in_a_spreadsheet_is_made_harmless(tmp_path: Path) -> None:
    row = published_row(next(iter(measured_runs().values())))
    path = tmp_path / "runs.csv"
    path.write_text(table_text([{**row, "id": "=1+1"}]), encoding="utf-8")
    assert "'=1+1" in _written(path, tmp_path / "out.csv")


def test_missing_columns_are_named(tmp_path: Path) -> None:
    row = published_row(next(iter(measured_runs().values())))
    columns = [name for name in row if name not in ("fabric", "step_time_s", "vpp")]
    path = tmp_path / "runs.csv"
    path.write_text(table_text([row], columns), encoding="utf-8")
    run = run_process("predict", str(path), "--json")
    record = strict_json(run.out)
    assert set(record["summary"]["missing_columns"]) == {"fabric", "step_time_s", "vpp"}
    assert record["rows"][0]["measured"] is None
    assert record["summary"]["all"] is None


@pytest.mark.parametrize("command", ["predict", "predict-collective"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("binary.csv", bytes(range(256))),
        ("empty.csv", b""),
        ("words.csv", b"hello\nworld\n"),
        ("quote.csv", b'layers,"hidden\n1,2\n'),
    ],
)
def test_a_wrong_file_is_one_sentence(
    command: str, name: str, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    check_sentence(run_process(command, str(path)), name)


def test_what_cannot_be_read_or_written_is_one_sentence(table: Path, tmp_path: Path) -> None:
    check_sentence(run_process("predict", str(tmp_path / "no-such.csv")), "no-such.csv")
    check_sentence(run_process("predict", str(tmp_path)), tmp_path.name)
    check_sentence(run_process("predict", str(table), "--out", "x.txt"), "x.txt", ".csv")
    check_sentence(run_process("predict", str(table), "--out", str(tmp_path / "a" / "b.csv")))


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(LARGEST_TABLE + 1)
    check_sentence(run_process("predict", str(path)), "large.csv", "32")


def test_collectives_are_predicted_too(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text(COLLECTIVE, encoding="utf-8")
    run = run_process("predict-collective", str(path), "--json")
    assert run.status == 0, run.err
    record = strict_json(run.out)
    assert [row["id"] for row in record["rows"]] == ["a"]
    assert record["rows"][0]["predicted_time_us"] > 0
    assert [entry["id"] for entry in record["skipped"]] == ["b"]
