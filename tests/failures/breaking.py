"""Stages to break things on, built once."""

from __future__ import annotations

from functools import cache
from typing import Any

from netdesign.design import Design, default_design
from netdesign.evaluate import evaluate
from netdesign.failures import Outcome, Stage, broken, outcome, stage_of
from netdesign.failures.redundancy import alternatives

# Tensor groups stay in a server; pipeline neighbours are 32 servers apart, behind other leaves, so
# every port sends over the spines.
PLAN = {
    "plan.mode": "manual",
    "plan.tensor": 8,
    "plan.pipeline": 4,
    "plan.micro_batch": 1,
    "plan.virtual_stages": 1,
}


def design(**changes: Any) -> Design:
    given = {path.replace("__", "."): value for path, value in changes.items()}
    return default_design().with_values({**PLAN, **given})


@cache
def stage(fabric: str = "as designed", **changes: Any) -> Stage:
    evaluation = evaluate(design(**changes))
    spec = None if fabric == "as designed" else alternatives(evaluation)[fabric]
    return stage_of(evaluation, spec=spec)


def after(word: str, on: Stage | None = None) -> Outcome:
    where = stage() if on is None else on
    return outcome(where, broken(where.fabric, word, nic_ports=where.nic_ports))
