"""Pictures of a lossless plan: headroom against length, and where queues begin to mark."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from netdesign.catalog import data_directory
from netdesign.catalog.switch_chips import ecn_rows
from netdesign.charts import ecn_thresholds, headroom_curve, spec
from netdesign.design import read_design
from netdesign.evaluate import evaluate
from netdesign.lossless import LosslessChoice, lossless_plan

EVALUATION = evaluate(read_design("llama-3-70b-1024-h100-ethernet"))
CHOICES = {
    "spectrum-4": {},
    "slow peer": {"chip": "spectrum-3", "gbps": 100},
    "rows only": {"chip": "tomahawk-5"},
    "no buffer": {"chip": "spectrum-6"},
    "does not fit": {"access_length": 2000, "spine_length": 2000, "priorities": (0, 1, 2, 3)},
    "given": {"chip": "silicon-one-g200", "headroom": 3e5},
}


def plan(**choice):
    return lossless_plan(EVALUATION, LosslessChoice(**choice))


def named_data(node):
    found = set()
    if isinstance(node, dict):
        data = node.get("data")
        if isinstance(data, dict) and "name" in data:
            found.add(data["name"])
        for value in node.values():
            found |= named_data(value)
    elif isinstance(node, list):
        for value in node:
            found |= named_data(value)
    return found


@pytest.mark.parametrize("name", ["headroom_curve", "ecn_thresholds"])
@pytest.mark.parametrize("choice", CHOICES.values(), ids=list(CHOICES))
def test_data_fill_every_named_set_with_plain_values(name, choice):
    chart = import_module(f"netdesign.charts.{name}")
    found = plan(**choice)
    data = chart.data(found)
    assert set(data) == named_data(spec(name))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert chart.label(found).endswith(".")


def test_curves_meet_the_plan_and_end_where_the_rows_end():
    found = plan(chip="spectrum-3", gbps=100)
    data = headroom_curve.data(found)
    assert {row["which"] for row in data["lines"]} == set(headroom_curve.NAMES.values())
    for tier, point in zip(found.tiers, data["tiers"], strict=True):
        assert point["kib"] == tier.headroom.xoff / 1024
        on_line = [
            row["kib"]
            for row in data["lines"]
            if row["which"] == "formula of the chip" and row["metres"] == tier.length
        ]
        assert on_line == [point["kib"]]
    far = headroom_curve.data(plan(spine_length=1000))
    published = [row["metres"] for row in far["lines"] if row["which"] == "published rows"]
    assert max(published) == 300
    highest = max(row["kib"] for row in far["lines"])
    assert far["frame"][1]["kib"] >= highest


def test_every_recommendation_has_its_row():
    found = plan()
    data = ecn_thresholds.data(found)
    assert len(data["ranges"]) == len(ecn_rows(data_directory())) == ecn_thresholds.MOST_ROWS
    lows = [row["low"] for row in data["ranges"]]
    assert lows == sorted(lows)
    for row in data["ranges"]:
        late = row["low"] * 1024 >= found.mark_bound
        assert row["which"] == (ecn_thresholds.LATE if late else ecn_thresholds.EARLY)
    assert [row["text"] for row in data["names"] if row["text"].endswith("(taken)")] == [
        f"{found.marking.name} (taken)"
    ]
    assert {row["which"] for row in data["limits"]} == {ecn_thresholds.PAUSE, ecn_thresholds.PATH}


def test_a_pause_that_is_not_known_draws_no_line():
    limits = ecn_thresholds.data(plan(chip="spectrum-6"))["limits"]
    assert [row["which"] for row in limits] == [ecn_thresholds.PATH]
