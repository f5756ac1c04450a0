"""Designs drawn over the ranges of data/parameters.csv."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, settings
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.design import Design, choices, default_design
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate

EXAMPLES = 60

LAW = settings(
    deadline=None,
    max_examples=EXAMPLES,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def _logarithmic_integers(lowest: int, highest: int) -> st.SearchStrategy[int]:
    powers = [2**k for k in range(0, 40) if lowest <= 2**k <= highest]
    anything = st.floats(math.log(max(lowest, 1)), math.log(highest)).map(
        lambda exponent: min(highest, max(lowest, round(math.exp(exponent))))
    )
    return st.one_of(st.sampled_from(powers), anything)


def values(path: str) -> st.SearchStrategy[Any]:
    """Every value that a planner may give a parameter."""
    parameter = load_catalog().parameters[path]
    if path == "training.gradient_bytes":
        return st.sampled_from([2, 4])
    if parameter.kind == "choice":
        return st.sampled_from(choices(path))
    if parameter.kind == "flag":
        return st.booleans()
    assert parameter.lowest is not None
    assert parameter.highest is not None
    if parameter.kind == "integer":
        return _logarithmic_integers(int(parameter.lowest), int(parameter.highest))
    if parameter.scale == "log":
        return st.floats(math.log(parameter.lowest), math.log(parameter.highest)).map(
            lambda exponent: min(parameter.highest, max(parameter.lowest, math.exp(exponent)))
        )
    return st.floats(parameter.lowest, parameter.highest)


@st.composite
def designs(draw: st.DrawFn, fixed: dict[str, Any] | None = None) -> Design:
    """Any design that passes validation: some parameters moved anywhere in their range."""
    fixed = fixed or {}
    paths = [path for path in load_catalog().parameters if path not in fixed]
    moved = draw(st.lists(st.sampled_from(paths), unique=True, max_size=12))
    return default_design().with_values({**{path: draw(values(path)) for path in moved}, **fixed})


@st.composite
def planned_designs(draw: st.DrawFn, fixed: dict[str, Any] | None = None) -> Design:
    """A design with a parallel plan of its own that is legal: degrees multiply to the GPUs."""
    tensor = draw(st.sampled_from([1, 2, 4, 8]))
    pipeline = draw(st.sampled_from([1, 2, 4, 8]))
    context = draw(st.sampled_from([1, 1, 1, 2, 4]))
    data = 2 ** draw(st.integers(0, 8))
    chosen: dict[str, Any] = {
        "model.preset": draw(st.sampled_from(["llama-3-8b", "llama-3-70b", "by-size"])),
        "model.parameters_billion": draw(st.floats(3, 300)),
        "training.sequence_length": draw(st.sampled_from([2048, 8192, 32768])),
        "training.global_batch": 2 ** draw(st.integers(0, 13)),
        "cluster.gpus": tensor * pipeline * context * data,
        "plan.mode": "manual",
        "plan.tensor": tensor,
        "plan.pipeline": pipeline,
        "plan.context": context,
        "plan.micro_batch": draw(st.sampled_from([1, 2, 4])),
        "plan.sharding": draw(st.sampled_from(["ddp", "zero-1", "zero-2", "zero-3", "fsdp"])),
        "plan.recompute": draw(values("plan.recompute")),
        "network.family": draw(values("network.family")),
        "network.transport": draw(values("network.transport")),
        "network.oversubscription": draw(st.sampled_from([1.0, 1.5, 2.0, 4.0, 7.0])),
    }
    return default_design().with_values({**chosen, **(fixed or {})})


def evaluated(design: Design) -> Evaluation | None:
    """The evaluation, or None for a design that is refused in one sentence."""
    try:
        return evaluate(design)
    except DesignError as error:
        refusal = error
    assert "\n" not in str(refusal)
    assert refusal.hint
    return None


def some(design: Design) -> Evaluation:
    """The evaluation; a design that is refused is drawn again."""
    evaluation = evaluated(design)
    assume(evaluation is not None)
    assert evaluation is not None
    return evaluation


def close(value: Any) -> Any:
    """Equal but for rounding."""
    return pytest.approx(value, rel=1e-9, abs=1e-9)
