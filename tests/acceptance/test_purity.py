"""A design survives its file and its address; evaluating it changes and opens nothing."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given

from netdesign.catalog import load_catalog
from netdesign.design import (
    Design,
    design_from_query,
    design_from_yaml,
    design_to_query,
    design_to_yaml,
)
from netdesign.evaluate import evaluate

from .drawing import LAW, designs, some


@LAW
@given(designs())
def test_an_evaluation_holds_scalars_only(design: Design) -> None:
    evaluation = some(design)
    for section in (evaluation.memory, evaluation.step, evaluation.fabric, evaluation.cost):
        for field in dataclasses.fields(section):
            value = getattr(section, field.name)
            assert np.ndim(value) == 0 or isinstance(value, tuple), (field.name, type(value))


@LAW
@given(designs())
def test_a_design_survives_its_file_and_its_address(design: Design) -> None:
    assert design_from_yaml(design_to_yaml(design)) == design
    back, ignored = design_from_query(design_to_query(design))
    assert ignored == ()
    assert back.name == design.name
    for path in load_catalog().parameters:
        told, meant = back.value(path), design.value(path)
        # An address carries twelve digits.
        assert told == (pytest.approx(meant, rel=1e-11) if isinstance(meant, float) else meant)


@LAW
@given(designs())
def test_what_an_address_says_survives_its_own_address(design: Design) -> None:
    told, _ = design_from_query(design_to_query(design))
    again, _ = design_from_query(design_to_query(told))
    assert again == told


@LAW
@given(designs())
def test_evaluate_is_pure(design: Design) -> None:
    before = design.model_dump_json()
    first = some(design)
    second = evaluate(Design.model_validate_json(before))
    assert first == second
    assert design.model_dump_json() == before
    assert first.design == design


WATCH = """
import sys
from netdesign.design import default_design
from netdesign.evaluate import evaluate

design = default_design()
evaluate(design)
watched = ("open", "socket.", "subprocess.", "os.", "import")
seen = []
watching = True

def watch(event, arguments):
    if watching and event.startswith(watched):
        seen.append(f"{event} {arguments}")

sys.addaudithook(watch)
for changes in (
    {"cluster.gpus": 512},
    {"model.preset": "by-size", "network.oversubscription": 4},
    {"cluster.server": "dgx-a100", "network.switch": "qm9700"},
    {"network.family": "fat-tree", "network.transport": "infiniband"},
    {"plan.mode": "manual"},
    {"economics.price_book": "cheah-2024"},
):
    evaluate(design.with_values(changes))
watching = False
print("\\n".join(seen))
"""


def test_evaluate_opens_nothing_once_the_catalogue_is_read() -> None:
    run = subprocess.run(
        [sys.executable, "-c", WATCH], capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == ""
