"""``netdesign fabric`` against every published design, count by count.

The rows and their sources are in data/reference/published-fabrics.csv. A row is ``exact``; or
``contradiction``: its source contradicts itself or another, its note says how, and what can be
asserted is filled in; or ``given``: a count that the document chose above its own rule is blank.
"""

from __future__ import annotations

import csv
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from netdesign.catalog import data_directory, references
from netdesign.cli import app

from .shell import strict_json

with (data_directory() / "reference" / "published-fabrics.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))

SWITCHES = ("leaf", "spine", "core", "total")
LINKS = ("host", "leaf_spine", "spine_core", "inter_switch")
NUMBERS = ("endpoints", "diameter", "bisection_links", "transceivers", "cost_usd")
STATUSES = ("exact", "contradiction", "given")
# Every cable of these is written and counted as well.
CABLED = [
    row
    for row in ROWS
    if row["buildable"] != "false" and 0 < int(row["inter_switch"] or 0) <= 9_000 and row["host"]
]


def answer(command: str) -> dict[str, Any]:
    run = CliRunner().invoke(app, ["fabric", *shlex.split(command), "--json"])
    assert run.exit_code == 0, (command, run.exception, run.output)
    record: dict[str, Any] = strict_json(run.stdout)
    return record


def told(record: dict[str, Any], name: str) -> Any:
    if name in SWITCHES:
        return record["switches"].get(name, 0)
    if name in LINKS:
        return record["links"].get(name, 0)
    return record[name]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["design"])
def test_counts_are_the_published_ones(row: dict[str, str]) -> None:
    record = answer(row["command"])
    published = {name: int(row[name]) for name in (*SWITCHES, *LINKS, *NUMBERS) if row[name] != ""}
    assert {name: told(record, name) for name in published} == published, row["note"]
    if row["oversubscription"]:
        assert record["oversubscription"] == float(row["oversubscription"])
    if row["buildable"]:
        assert record.get("buildable", True) is (row["buildable"] == "true")


@pytest.mark.parametrize("row", CABLED, ids=lambda row: row["design"])
def test_every_published_cable_is_in_the_plan(row: dict[str, str], tmp_path: Path) -> None:
    plan = tmp_path / "cables.csv"
    run = CliRunner().invoke(app, ["fabric", *shlex.split(row["command"]), "--cables", str(plan)])
    assert run.exit_code == 0, (run.exception, run.output)
    with plan.open(encoding="utf-8", newline="") as file:
        kinds = Counter(cable["kind"] for cable in csv.DictReader(file))
    assert kinds["host"] == int(row["host"])
    assert kinds.total() - kinds["host"] == int(row["inter_switch"])
    for kind in ("leaf_spine", "spine_core"):
        if row[kind]:
            assert kinds[kind] == int(row[kind])


def test_every_row_has_a_source_a_date_and_a_count() -> None:
    assert len({row["design"] for row in ROWS}) == len(ROWS)
    known = set(references())
    for row in ROWS:
        assert row["source"] in known, row
        assert row["date"], row
        assert row["status"] in STATUSES, row
        assert row["status"] == "exact" or row["note"], row
        assert any(row[name] for name in (*SWITCHES, *LINKS, *NUMBERS)), row


def test_rows_add_up() -> None:
    for row in ROWS:
        counts = {name: int(row[name]) for name in (*SWITCHES, *LINKS) if row[name]}
        if {"leaf", "spine", "total"} <= set(counts):
            tiers = (counts["leaf"], counts["spine"], counts.get("core", 0))
            assert sum(tiers) == counts["total"], row
        if {"leaf_spine", "inter_switch"} <= set(counts) and not row["command"].startswith(
            "dragonfly"
        ):
            assert counts["leaf_spine"] + counts.get("spine_core", 0) == counts["inter_switch"], row
