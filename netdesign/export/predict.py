"""``netdesign predict``: a table of measured or planned training runs against the step-time model.

The record has ``rows``, ``skipped`` and ``summary``; times are in s and every error is predicted
over measured less 1.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netdesign import units
from netdesign.errors import DesignError
from netdesign.export.csv_cells import cells, csv_text
from netdesign.export.json_numbers import finite
from netdesign.validation.rows import Candidate, RunTable, read_run_table
from netdesign.validation.scores import (
    CUTS,
    FEW,
    GroupErrors,
    Scores,
    group_errors,
    published,
    score_table,
)
from netdesign.wording import named, printable

LARGEST_TABLE = 32 * 2**20  # bytes of a file that is read
CSV_COLUMNS = (
    "id", "predicted_step_time_s", "low", "high", "measured", "error", "fits_memory",
    "flat_mfu_step_time_s", "left_out", "unknown", "reason",
)  # fmt: skip
NUMBERS = frozenset(CSV_COLUMNS[1:6]) | {"flat_mfu_step_time_s"}
NAIVE = (
    "one flat MFU for each accelerator and precision, chosen in hindsight on these very rows (on "
    f"the published runs where there are fewer than {FEW}): better than anyone can plan with"
)


def predict_file(path: Path) -> dict[str, Any]:
    """Predict the rows of a CSV file.

    Raises
    ------
    DesignError     when the file cannot be read, is no table, or lacks a column every row needs
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_TABLE + 1)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise DesignError(path.name, None, f"cannot be read: {reason}", "check the path") from None
    return predict_bytes(content, path.name)


def predict_bytes(content: bytes, name: str) -> dict[str, Any]:
    """Predict the rows of a CSV file that was read, as ``predict_file``."""
    return record_of(*score_table(table_from_bytes(content, name), published()))


def table_from_bytes(content: bytes, name: str) -> RunTable:
    """The runs of a CSV file that was read: bounded, parsed, nothing evaluated.

    Raises
    ------
    DesignError     when it is too large, no text, or no table of runs
    """
    if len(content) > LARGEST_TABLE:
        limit = units.bytes_to_mebibytes(LARGEST_TABLE)
        raise DesignError(name, None, "is too large", f"give at most {limit:.0f} MiB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DesignError(name, None, "is not text", "give CSV in UTF-8") from None
    if "\0" in text:
        raise DesignError(name, None, "is not text", "give CSV in UTF-8")
    return read_run_table(text, name)


def record_of(table: RunTable, scores: Scores) -> dict[str, Any]:
    """Rows, skipped rows and the summary as plain values."""
    rows = [_row(candidate, place, scores) for place, candidate in enumerate(scores.candidates)]
    skipped = [{"id": identity, "reason": reason} for identity, reason in table.skipped]
    return {"rows": rows, "skipped": skipped, "summary": _summary(table, scores)}


def _row(candidate: Candidate, place: int, scores: Scores) -> dict[str, Any]:
    return {
        "id": candidate.run.id,
        "predicted_step_time_s": float(scores.predicted[place]),
        "low": float(scores.low[place]),
        "high": float(scores.high[place]),
        "measured": candidate.measured,
        "error": finite(scores.error[place]),
        "fits_memory": bool(scores.fits_memory[place]),
        "flat_mfu_step_time_s": finite(scores.flat[place]),
        "left_out": candidate.left_out or None,
        "unknown": list(candidate.unknown),
    }


def _summary(table: RunTable, scores: Scores) -> dict[str, Any]:
    unknown: dict[str, int] = {}
    left_out: dict[str, int] = {}
    for candidate in table.candidates:
        for column in candidate.unknown:
            unknown[column] = unknown.get(column, 0) + 1
        if candidate.left_out:
            left_out[candidate.left_out] = left_out.get(candidate.left_out, 0) + 1
    whole = group_errors(scores, "all")
    return {
        "rows": len(table.candidates),
        "scored": int(scores.scored.sum()),
        "skipped": len(table.skipped),
        "do_not_fit": int((~scores.fits_memory).sum()),
        "left_out": left_out,
        "missing_columns": list(table.missing),
        "blank": unknown,
        "all": _errors(whole[0]) if whole else None,
        **{
            cut: {group.name: _errors(group) for group in group_errors(scores, cut)} for cut in CUTS
        },
        "naive": NAIVE,
        "units": {"time": "s", "error": "predicted/measured - 1"},
    }


def _errors(group: GroupErrors) -> dict[str, Any]:
    return {
        "rows": group.rows,
        "median_error": group.median,
        "p90_error": group.percentile_90,
        "in_band": group.in_band,
        "naive_median_error": group.flat_median,
        "naive_p90_error": group.flat_percentile_90,
        "naive_is_better": group.flat_is_better,
    }


def to_csv(record: Mapping[str, Any]) -> str:
    """The rows of a record as CSV, those that were skipped at the end with the reason."""
    entries = [*record["rows"], *record["skipped"]]
    columns = [_column(name, [entry.get(name) for entry in entries]) for name in CSV_COLUMNS]
    return csv_text(CSV_COLUMNS, columns)


def _column(name: str, values: Sequence[Any]) -> list[str]:
    if name in NUMBERS:
        return ["" if value is None else f"{value:.6g}" for value in values]
    return cells([_text(value) for value in values])


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else str(value)


def summary_lines(record: Mapping[str, Any]) -> list[str]:
    """What a terminal shows of a record."""
    summary = record["summary"]
    lines = [
        f"{summary['rows']:,} rows predicted, {summary['scored']:,} of them scored, "
        f"{summary['skipped']:,} skipped; {summary['do_not_fit']:,} do not fit in memory"
    ]
    if summary["missing_columns"]:
        lines.append("no column " + ", ".join(summary["missing_columns"]) + ": taken as unknown")
    if summary["blank"]:
        blank = (f"{column} in {rows:,}" for column, rows in summary["blank"].items())
        lines.append("blank, so taken as unknown: " + ", ".join(blank))
    lines += [f"not scored by rule {rule}: {rows:,}" for rule, rows in summary["left_out"].items()]
    reasons: dict[str, list[str]] = {}
    for entry in record["skipped"]:
        reasons.setdefault(entry["reason"], []).append(entry["id"])
    lines += [f"skipped {len(ids):,}: {why} ({named(ids)})" for why, ids in reasons.items()]
    if summary["all"]:
        lines += ["", *_table(summary), "", f"naive: {summary['naive']}"]
    return [printable(line) for line in lines]


def _table(summary: Mapping[str, Any]) -> list[str]:
    out = io.StringIO()
    print(f"{'':44}{'rows':>6} {'ours':^15} {'in band':>8} {'naive':^15}", file=out)
    print(f"{'':44}{'':>6} {'median':>7} {'p90':>7} {'':>8} {'median':>7} {'p90':>7}", file=out)
    groups = {"": {"all": summary["all"]}, **{cut: summary[cut] for cut in CUTS}}
    for cut, entries in groups.items():
        for name, entry in entries.items():
            label = f"{cut} {name}".strip()[:43]
            print(
                f"{label:44}{entry['rows']:>6} {entry['median_error']:>7.1%} "
                f"{entry['p90_error']:>7.1%} {entry['in_band']:>8.0%} "
                f"{entry['naive_median_error']:>7.1%} {entry['naive_p90_error']:>7.1%}"
                + ("  naive is better" if entry["naive_is_better"] else ""),
                file=out,
            )
    return out.getvalue().splitlines()
