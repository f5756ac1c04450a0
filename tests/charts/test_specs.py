"""Frozen specifications are what the builders make, and name the data that the page sends."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

from netdesign.charts import NAMES, spec
from netdesign.charts.freeze import SPECS, frozen
from netdesign.design import default_design
from netdesign.evaluate import evaluate

OF_A_DESIGN = (
    "traffic_bars",
    "share_curve",
    "step_time_bar",
    "memory_bar",
    "network_picture",
    "bill_bars",
)


def named_data(node: Any) -> set[str]:
    """Names of the data sets in a specification."""
    found: set[str] = set()
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


@pytest.mark.parametrize("name", NAMES)
def test_the_frozen_spec_is_what_the_builder_makes(name: str) -> None:
    text = (SPECS / f"{name}.json").read_text(encoding="utf-8")
    assert text == frozen(name), "run: make specs"


@pytest.mark.parametrize("name", NAMES)
def test_a_spec_carries_no_data_and_says_what_it_shows(name: str) -> None:
    specification = spec(name)
    assert "datasets" not in specification
    assert specification["description"]
    assert specification["title"]["text"].endswith("?")
    assert specification["width"] == "container"


@pytest.mark.parametrize("name", OF_A_DESIGN)
def test_data_fill_every_named_set_with_plain_values(name: str) -> None:
    evaluation = evaluate(default_design())
    chart = import_module(f"netdesign.charts.{name}")
    data = chart.data(evaluation)
    assert set(data) == named_data(spec(name))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert chart.label(evaluation).endswith(".")


def test_the_pair_fills_its_named_sets() -> None:
    from netdesign.charts import step_time_pair

    evaluation = evaluate(default_design())
    data = step_time_pair.data(evaluation, evaluation)
    assert set(data) == named_data(spec("step_time_pair"))
    assert {part["row"] for part in data["parts"]} == {"A", "B"}
