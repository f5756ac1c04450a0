"""A design with measurements of one's own says so wherever its step time is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from netdesign.acceptance.benchmarks import benchmarks
from netdesign.app.choices import what_follows
from netdesign.app.panels.explain import explained
from netdesign.app.panels.explanations import EXPLANATIONS
from netdesign.app.panels.step_time import StepTimePanel
from netdesign.app.studio import Studio
from netdesign.app.summary_panels import trust
from netdesign.charts.own_words import own_measurements
from netdesign.design import NOT_MEASURED, default_design
from netdesign.evaluate import evaluate
from netdesign.export.acceptance_record import plan_document
from netdesign.export.record import to_record
from netdesign.export.text import to_text

MEASURED: dict[str, Any] = {
    "measured.domain_speed": 0.95,
    "measured.network_speed": 0.83,
    "measured.network_start_up": 1.2,
    "measured.logs": 3,
}
SAID = "your own measurements: 3 logs, domain × 0.95, network × 0.83, network start-up × 1.2"


def plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html).replace("\u00a0", " ")


def foot(studio: Studio) -> str:
    panel = studio.panels[2]
    assert isinstance(panel, StepTimePanel)
    return plain(panel.foot.value)


def test_the_step_time_card_says_it_and_drops_it(studio: Studio) -> None:
    first, before = studio.state.inputs, foot(studio)
    assert "measurements" not in before
    studio.change(MEASURED)
    slower = studio.evaluation
    assert f"Uses {SAID}. Drop them" in foot(studio)
    panel = studio.panels[2]
    assert isinstance(panel, StepTimePanel)
    panel.foot.act("drop-measured", "")
    assert studio.state.inputs.measured == first.measured
    assert foot(studio) == before
    assert studio.evaluation is not None
    assert slower is not None
    assert studio.evaluation.step.step_time_s < slower.step.step_time_s
    studio.toolbar.buttons.act("undo", "")
    assert SAID in foot(studio)


def test_the_address_carries_it(studio: Studio) -> None:
    studio.change(MEASURED)
    query = studio.page.query
    other = Studio()
    other.page.initial_query = query
    assert other.state.inputs.measured == studio.state.inputs.measured
    assert SAID in foot(other)


def test_a_wrong_factor_in_an_address_is_said_and_left(studio: Studio) -> None:
    studio.page.initial_query = "v=1&measured.network_speed=7&measured.logs=2"
    assert "measured.network_speed" in studio.toolbar.buttons.value
    assert studio.state.inputs.measured.network_speed == 1


def test_summary_text_record_and_explanation_say_it() -> None:
    default, own = default_design(), default_design().with_values(MEASURED)
    without, found = evaluate(default), evaluate(own)
    assert SAID in plain(str(trust.sources(found)))
    assert SAID in plain(to_text(found))
    assert plain(to_record(found)["collectives"]) == f"use {SAID}"
    shown = plain(str(explained(EXPLANATIONS["step_time"], found)))
    assert SAID in shown
    assert f"design, refitted on {SAID}; four" in plain(plan_document(found, benchmarks(found), ()))
    assert "refitted" not in plan_document(without, benchmarks(without), ())
    assert "own measurements" not in to_text(without)
    assert "collectives" not in to_record(without)
    assert "own measurements" not in plain(str(trust.sources(without)))


def test_words_name_what_moved() -> None:
    assert own_measurements(default_design()) == ""
    one = default_design().with_values({"measured.logs": 1})
    assert own_measurements(one) == "your own measurements: 1 log, as the model expects"


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({"cluster.server": "gb200-nvl72"}, (1.0, 1.0, 1.0, 0)),
        ({"cluster.server": "dgx-h100"}, (0.95, 0.83, 1.2, 3)),
        ({"network.transport": "roce-hashed"}, (0.95, 1.0, 1.0, 3)),
        ({"cluster.gpus": 512}, (0.95, 0.83, 1.2, 3)),
    ],
)
def test_what_was_measured_does_not_hold_for_other_machines(
    changes: dict[str, Any], left: tuple[float, ...]
) -> None:
    design = default_design().with_values(MEASURED)
    own = design.with_values(what_follows(design, changes, None)).measured
    assert (own.domain_speed, own.network_speed, own.network_start_up, own.logs) == left


def test_what_a_change_says_itself_wins() -> None:
    design = default_design().with_values(MEASURED)
    changes = {"cluster.server": "gb200-nvl72", **MEASURED}
    assert what_follows(design, changes, None).items() >= MEASURED.items()
    assert (
        not NOT_MEASURED.keys() & what_follows(default_design(), {"cluster.gpus": 8}, None).keys()
    )
