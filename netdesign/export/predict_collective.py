"""``netdesign predict-collective``: a table of measured or planned collectives against the model.

The table has the columns of the shared layout (``COLUMNS``); a planner's own may leave out or leave
blank what is not in ``NEEDED``, and the answer says which columns were missing.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netdesign import units
from netdesign.errors import DesignError
from netdesign.performance.collective_errors import error_statistics, verdicts
from netdesign.performance.collective_prediction import (
    OPERATIONS,
    Case,
    Predictions,
    predict_cases,
    time_from_bandwidth,
)

COLUMNS = (
    "id", "source", "source_location", "year", "collective", "gpus", "nodes", "gpus_per_node",
    "accelerator", "intra_link", "nic_gbps_per_gpu", "fabric", "switch_topology", "algo", "proto",
    "nccl_version", "size_bytes", "time_us", "algbw_gbs", "busbw_gbs", "notes",
)  # fmt: skip
NEEDED = ("collective", "gpus", "nodes", "accelerator", "size_bytes")
USED = (
    *NEEDED, "intra_link", "nic_gbps_per_gpu", "fabric", "algo", "proto", "time_us", "algbw_gbs",
    "busbw_gbs",
)  # fmt: skip
SUMMARY = ("all", "size", "collective", "network", "source")
LARGEST_TABLE = 64 * 2**20  # bytes of a file that is read


def predict_collective_file(path: Path) -> dict[str, Any]:
    """Predict the rows of a CSV file; see ``predict_collective_text``.

    Raises
    ------
    DesignError     when the file cannot be read, or lacks a column that every prediction needs
    """
    try:
        if path.stat().st_size > LARGEST_TABLE:
            limit = units.bytes_to_mebibytes(LARGEST_TABLE)
            raise DesignError("rows", path.name, "is too large", f"give at most {limit:.0f} MiB")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DesignError("rows", str(path), "cannot be read", str(error)) from error
    return predict_collective_text(text, path.name)


def predict_collective_text(text: str, name: str = "rows") -> dict[str, Any]:
    """Predict the rows of a CSV text.

    Parameters
    ----------
    text : str      with a first row of column names, in any order
    name : str      of the table, for messages

    Returns
    -------
    dict            ``rows``, ``skipped`` and ``summary``, plain numbers with the unit in the name

    Raises
    ------
    DesignError     when a column is missing without which nothing can be predicted
    """
    reader = csv.DictReader(io.StringIO(text))
    header = [column.strip() for column in reader.fieldnames or ()]
    for column in NEEDED:
        if column not in header:
            raise DesignError(
                f"{name}, row 1, column {column}", "", "is missing",
                "give the columns " + ", ".join(USED),
            )  # fmt: skip
    cases: list[Case] = []
    blank: dict[str, int] = {}
    skipped: list[dict[str, str]] = []
    try:
        for number, cells in enumerate(reader, start=1):
            row = {(key or "").strip(): _text(value) for key, value in cells.items()}
            identity = row.get("id") or f"row {number}"
            for column in USED:
                if column in header and not row[column]:
                    blank[column] = blank.get(column, 0) + 1
            case = _case(identity, row)
            reason = case if isinstance(case, str) else case.lacks
            if reason:
                skipped.append({"id": identity, "reason": reason})
            elif isinstance(case, Case):
                cases.append(case)
    except csv.Error as error:
        raise DesignError(name, str(error), "is not CSV", "quote cells with commas") from error
    found = predict_cases(cases)
    words = verdicts(cases, found)
    rows = [_record(case, position, found, words) for position, case in enumerate(cases)]
    summary = _summary(cases, found, len(skipped))
    summary["missing_columns"] = [column for column in USED if column not in header]
    summary["blank_cells"] = blank
    return {"rows": rows, "skipped": skipped, "summary": summary}


def predict_collective_report(path: Path, *, as_json: bool = False, out: Path | None = None) -> str:
    """What ``netdesign predict-collective`` prints; with ``out`` the rows go to that file.

    Parameters
    ----------
    path : Path         the table
    as_json : bool      print (or write) the whole record as JSON
    out : Path          file to write: JSON if it ends in ``.json`` or JSON is asked for, else CSV

    Raises
    ------
    DesignError         when the table cannot be used, or the file cannot be written
    """
    record = predict_collective_file(path)
    text = json.dumps(record, indent=1, allow_nan=False)
    if out is None:
        return text if as_json else "\n".join(summary_lines(record))
    whole = as_json or out.suffix == ".json"
    try:
        out.write_text(text + "\n" if whole else to_csv(record), encoding="utf-8")
    except OSError as error:
        raise DesignError("out", str(out), "cannot be written", str(error)) from error
    return "\n".join([*summary_lines(record), f"wrote {out}"])


def to_csv(record: Mapping[str, Any]) -> str:
    """The rows of a record as CSV, those that were skipped at the end with the reason."""
    columns = [
        "id", "predicted_time_us", "predicted_busbw_gbs", "low", "high", "measured", "error",
        "verdict", "regime", "reason",
    ]  # fmt: skip
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows([*record["rows"], *record["skipped"]])
    return out.getvalue()


def summary_lines(record: Mapping[str, Any]) -> list[str]:
    """What a terminal shows of a record."""
    summary = record["summary"]
    lines = [f"{summary['rows']} rows predicted, {summary['skipped']} skipped"]
    if summary["missing_columns"]:
        lines.append("no column " + ", ".join(summary["missing_columns"]) + ": taken as unknown")
    if summary["blank_cells"]:
        cells = (f"{column} {count}" for column, count in summary["blank_cells"].items())
        lines.append("blank cells taken as unknown: " + ", ".join(cells))
    reasons: dict[str, int] = {}
    for entry in record["skipped"]:
        reasons[entry["reason"]] = reasons.get(entry["reason"], 0) + 1
    lines += [f"  skipped {count}: {reason}" for reason, count in reasons.items()]
    for title, group in summary["errors"].items():
        for name, entry in group.items():
            lines.append(
                f"{title} {name}: {entry['rows']} measured, median error "
                f"{entry['median_error']:.1%}, in the band {entry['in_band']:.0%}, "
                f"far below the prediction {entry['far_below']}"
            )
    return lines


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _case(identity: str, row: Mapping[str, str]) -> Case | str:
    """The case of a row, or the reason why there is none."""
    operation = OPERATIONS.get(row["collective"].lower())
    if operation is None:
        return f"the collective {row['collective'] or 'is blank and'} is not one of " + ", ".join(
            OPERATIONS
        )
    numbers: dict[str, float | None] = {}
    for column in ("gpus", "nodes", "size_bytes", "nic_gbps_per_gpu", "time_us", "algbw_gbs",
                   "busbw_gbs"):  # fmt: skip
        number = _number(row.get(column, ""))
        if number is not None and (not math.isfinite(number) or number < 0):
            return f"{column} is not a number of at least 0"
        numbers[column] = number
    gpus, nodes, size = (numbers[column] or 0.0 for column in ("gpus", "nodes", "size_bytes"))
    for column, value in (("gpus", gpus), ("nodes", nodes), ("size_bytes", size)):
        if not value:
            return f"{column} is blank or 0"
    if gpus % 1 or nodes % 1:
        return "gpus and nodes must be whole numbers"
    return Case(
        id=identity,
        operation=operation,
        gpus=int(gpus),
        nodes=int(nodes),
        size=size,
        accelerator=row["accelerator"],
        link=row.get("intra_link", ""),
        fabric=row.get("fabric", ""),
        nic_gbps_per_gpu=numbers["nic_gbps_per_gpu"],
        algorithm=row.get("algo", ""),
        protocol=row.get("proto", ""),
        measured=_measured(operation, gpus, size, numbers),
        source=row.get("source", ""),
    )


def _number(text: str) -> float | None:
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return math.nan


def _measured(
    operation: str, gpus: float, size: float, numbers: Mapping[str, float | None]
) -> float | None:
    if numbers["time_us"]:
        return float(units.microseconds_to_seconds(numbers["time_us"]))
    return time_from_bandwidth(operation, gpus, size, numbers["algbw_gbs"], numbers["busbw_gbs"])


def _record(case: Case, position: int, found: Predictions, words: Sequence[str]) -> dict[str, Any]:
    time = float(found.time[position])
    low, high = float(found.low[position]), float(found.high[position])
    measured = case.measured
    return {
        "id": case.id,
        "predicted_time_us": float(units.seconds_to_microseconds(time)),
        "predicted_busbw_gbs": float(units.bytes_to_gigabytes(found.bus_bandwidth[position])),
        "low": float(units.seconds_to_microseconds(low)),
        "high": float(units.seconds_to_microseconds(high)),
        "measured": None if measured is None else float(units.seconds_to_microseconds(measured)),
        "error": None if measured is None else time / measured - 1,
        "verdict": words[position],
        "regime": found.regime(position),
    }


def _summary(cases: Sequence[Case], found: Predictions, skipped: int) -> dict[str, Any]:
    """Errors of the measured rows by several cuts."""
    groups: dict[str, dict[str, Any]] = {}
    for entry in error_statistics(cases, found, SUMMARY):
        groups.setdefault(entry.cut, {})[entry.name] = {
            "rows": entry.cases,
            "median_error": entry.median,
            "percentile_90": entry.percentile_90,
            "in_band": entry.in_band,
            "far_below": entry.far_below,
        }
    return {
        "rows": len(cases),
        "measured": sum(case.measured is not None for case in cases),
        "skipped": skipped,
        "errors": groups,
        "units": {"low": "us", "high": "us", "measured": "us", "error": "predicted/measured - 1"},
    }
