"""What the planner is told: short, worst first, with a number that fixes it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from netdesign.catalog import load_catalog
from netdesign.design import (
    Design,
    default_design,
)
from netdesign.evaluate import evaluate
from netdesign.findings import SEVERITIES

from .drawing import LAW, designs, evaluated, some


@LAW
@given(designs())
def test_findings_are_short_and_worst_first(design: Design) -> None:
    findings = some(design).findings
    ranks = [SEVERITIES.index(each.severity) for each in findings]
    assert ranks == sorted(ranks)
    for each in findings:
        for text in (each.sentence, each.fix):
            assert text.isprintable()
            assert len(text) <= 240, text
        assert each.sentence.endswith(".")
        assert each.field == "" or each.field in load_catalog().parameters
    assert len({(each.code, each.sentence) for each in findings}) == len(findings)


@LAW
@given(designs())
def test_the_number_that_fixes_a_finding_fixes_it(design: Design) -> None:
    for each in some(design).findings:
        if each.suggestion is None or not each.field:
            continue
        fixed = evaluated(design.with_values({each.field: each.suggestion}))
        assert fixed is not None, each
        assert each.code not in {left.code for left in fixed.findings}, each


@LAW
@given(designs())
def test_what_cannot_be_built_is_an_error_and_only_that(design: Design) -> None:
    evaluation = some(design)
    errors = [each for each in evaluation.findings if each.severity == "error"]
    too_large = evaluation.memory.total > evaluation.memory_limit
    if too_large:
        assert any("memory" in each.code for each in errors), errors
    if not evaluation.fabric.buildable:
        assert any("memory" not in each.code for each in errors), errors
    if not too_large and evaluation.fabric.buildable and evaluation.cost.complete:
        assert not any("memory" in each.code for each in errors)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"plan.mode": "manual", "plan.tensor": 1, "plan.pipeline": 1}, ("fit", "GB")),
        ({"plan.mode": "manual", "plan.tensor": 16, "plan.pipeline": 4}, ("NVLink", "8")),
        ({"network.oversubscription": 8}, ("network", "8%")),
        (
            {
                "plan.mode": "manual",
                "plan.tensor": 1,
                "plan.pipeline": 1,
                "plan.sharding": "fsdp",
                "network.family": "fat-tree",
                "network.oversubscription": 4,
            },
            ("FSDP", "taper"),
        ),
        ({"network.family": "single-switch"}, ("64",)),
    ],
)
def test_the_planner_is_told(changes: dict[str, Any], words: tuple[str, ...]) -> None:
    findings = evaluate(default_design().with_values(changes)).findings
    assert any(all(word in f"{each.sentence} {each.fix}" for word in words) for each in findings), (
        findings
    )
