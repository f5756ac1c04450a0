"""The answer of ``predict-collective``: rows, skipped rows, summary, wrong input."""

from __future__ import annotations

import csv
import io
import json

import pytest

from netdesign.errors import DesignError
from netdesign.export.predict_collective import (
    COLUMNS,
    predict_collective_file,
    predict_collective_report,
    predict_collective_text,
    summary_lines,
    to_csv,
)

OWN = """id,collective,gpus,nodes,accelerator,size_bytes,nic_gbps_per_gpu,fabric,time_us
good,all_reduce,16,2,H100-SXM5-80GB,1073741824,400,InfiniBand NDR400,5200
slow,all_reduce,16,2,H100-SXM5-80GB,1073741824,400,InfiniBand NDR400,52000
plan,all_gather,16,2,H100-SXM5-80GB,1073741824,400,InfiniBand NDR400,
no-nic,all_gather,16,2,H100-SXM5-80GB,1073741824,,InfiniBand NDR400,
no-size,all_gather,16,2,H100-SXM5-80GB,,400,InfiniBand NDR400,
odd,all_shuffle,16,2,H100-SXM5-80GB,1024,400,InfiniBand NDR400,
words,all_gather,many,2,H100-SXM5-80GB,1024,400,InfiniBand NDR400,
"""


@pytest.fixture(scope="module")
def record():
    return predict_collective_text(OWN)


def test_every_row_is_predicted_or_skipped_with_a_reason(record):
    assert [row["id"] for row in record["rows"]] == ["good", "slow", "plan"]
    reasons = {entry["id"]: entry["reason"] for entry in record["skipped"]}
    assert list(reasons) == ["no-nic", "no-size", "odd", "words"]
    assert "nic_gbps_per_gpu" in reasons["no-nic"]
    assert "size_bytes" in reasons["no-size"]
    assert "all_shuffle" in reasons["odd"]
    assert "gpus" in reasons["words"]


def test_a_row_has_time_bandwidth_band_error_and_verdict(record):
    good, slow, plan = record["rows"]
    busbw = 2 * 15 / 16 * 2**30 / (good["predicted_time_us"] * 1e-6) / 1e9
    assert good["predicted_busbw_gbs"] == pytest.approx(busbw)
    assert good["low"] < good["predicted_time_us"] < good["high"]
    assert good["error"] == pytest.approx(good["predicted_time_us"] / 5200 - 1)
    assert good["verdict"] == "as predicted"
    assert slow["verdict"] == "measured far below the prediction"
    assert plan["measured"] is None
    assert plan["error"] is None
    assert plan["verdict"] == "not measured"


def test_the_summary_counts_and_names_missing_columns(record):
    summary = record["summary"]
    assert (summary["rows"], summary["measured"], summary["skipped"]) == (3, 2, 4)
    assert "intra_link" in summary["missing_columns"]
    assert summary["errors"]["all"]["all"]["far_below"] == 1
    text = "\n".join(summary_lines(record))
    assert "no column intra_link" in text
    assert "4 skipped" in text
    assert summary["blank_cells"] == {"size_bytes": 1, "nic_gbps_per_gpu": 1, "time_us": 5}
    assert "nic_gbps_per_gpu 1" in text
    json.dumps(record, allow_nan=False)


def test_the_csv_lists_skipped_rows_too(record):
    rows = list(csv.DictReader(io.StringIO(to_csv(record))))
    assert len(rows) == 7
    assert rows[0]["verdict"] == "as predicted"
    assert "nic_gbps_per_gpu" in rows[3]["reason"]


def test_a_column_without_which_nothing_works_is_named():
    with pytest.raises(DesignError, match="size_bytes is missing"):
        predict_collective_text("id,collective,gpus,nodes,accelerator\n")


def test_a_header_alone_is_an_empty_answer():
    record = predict_collective_text(",".join(COLUMNS) + "\n")
    assert record["rows"] == []
    assert record["summary"]["missing_columns"] == []


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(DesignError, match="cannot be read"):
        predict_collective_file(tmp_path / "none.csv")
    path = tmp_path / "own.csv"
    path.write_text("\ufeff" + OWN, encoding="utf-8")
    assert len(predict_collective_file(path)["rows"]) == 3


def test_the_report_prints_or_writes(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text(OWN, encoding="utf-8")
    assert "3 rows predicted, 4 skipped" in predict_collective_report(path)
    assert len(json.loads(predict_collective_report(path, as_json=True))["rows"]) == 3
    assert "wrote" in predict_collective_report(path, out=tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("id,predicted_time_us")
    predict_collective_report(path, out=tmp_path / "a.json")
    assert set(json.loads((tmp_path / "a.json").read_text())) == {"rows", "skipped", "summary"}
    with pytest.raises(DesignError, match="cannot be written"):
        predict_collective_report(path, out=tmp_path / "none" / "a.csv")
