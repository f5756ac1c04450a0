"""The Studio without a browser: set inputs, read what the panels would show."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from moved_clock import Clock

from netdesign.app.panels.explain import explained
from netdesign.app.panels.explanations import EXPLANATIONS
from netdesign.app.panels.explanations_of_money import MONEY
from netdesign.app.studio import Studio
from netdesign.bands import MEANING
from netdesign.catalog import load_catalog
from netdesign.design import Design, default_design, design_to_query, design_to_yaml
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate


def typed(studio: Studio, path: str, text: str) -> None:
    """What a planner types into the field of a parameter."""
    studio.controls.field(path).text.value = text


def complaint(studio: Studio, path: str) -> str:
    field = studio.controls.field(path)
    return field._complaint.value if field._complaint else ""


def number(studio: Studio, key: str) -> str:
    tile = next(n for n in studio.headline._numbers if n.key == key)
    return str(tile.said)


def test_dragging_each_main_slider_changes_numbers_and_pictures(studio: Studio) -> None:
    step, memory, demand, network, bill = studio.panels[2:]
    pictures = {
        "model.parameters_billion": (step.picture, memory.picture, demand.bars),
        "cluster.gpus": (step.picture, network.picture, bill.picture),
        "network.oversubscription": (network.picture, bill.picture),
    }
    for path, changed in pictures.items():
        before = [(picture.view.revision, picture.view.data) for picture in changed]
        capex = studio.headline.strip.value
        studio.controls.field(path).slider.value += 3
        assert studio.headline.strip.value != capex
        for (revision, data), picture in zip(before, changed, strict=True):
            assert picture.view.revision > revision
            assert picture.view.data != data


def test_what_did_not_change_is_not_drawn_again(studio: Studio) -> None:
    memory = studio.panels[3].picture.view
    revision = memory.revision
    studio.change({"economics.usd_per_kwh": 0.2})
    assert memory.revision == revision


def test_a_drag_of_the_size_leaves_the_preset(studio: Studio) -> None:
    studio.controls.field("model.parameters_billion").slider.value += 1
    assert studio.state.inputs.model.preset == "by-size"


def test_choosing_a_preset_moves_the_size(studio: Studio) -> None:
    studio.controls.field("model.preset").list.value = "llama-3.1-405b"
    size = studio.controls.field("model.parameters_billion")
    assert size.text.value == "405.9"
    assert size.slider.value > 60
    assert studio.state.inputs.model.preset == "llama-3.1-405b"


def test_gpus_go_in_whole_servers(studio: Studio) -> None:
    studio.controls.field("cluster.server").list.value = "gb200-nvl72"
    stops = studio.controls.field("cluster.gpus")._stops
    assert stops[:4] == (72, 144, 216, 288)


def test_a_typed_error_stays_in_its_field_and_the_picture_stays(studio: Studio) -> None:
    headline = studio.headline.strip.value
    typed(studio, "cluster.gpus", "0")
    assert "out of range" in complaint(studio, "cluster.gpus")
    assert 'role="alert"' in studio.banner.widget.value
    assert studio.headline.strip.value == headline
    assert studio.controls.field("cluster.gpus").text.value == "0"
    studio.change({"network.oversubscription": 2.0})
    assert studio.controls.field("cluster.gpus").text.value == "0"
    assert complaint(studio, "cluster.gpus")
    typed(studio, "cluster.gpus", "2,048")
    assert complaint(studio, "cluster.gpus") == ""
    assert studio.state.inputs.cluster.gpus == 2048


@pytest.mark.parametrize("text", ["many", "1e", "<b>7</b>", "", "nan", "inf", "1e400"])
def test_what_is_no_number_is_told_escaped(studio: Studio, text: str) -> None:
    typed(studio, "cluster.gpus", text)
    assert complaint(studio, "cluster.gpus")
    assert "<b>7" not in complaint(studio, "cluster.gpus")
    assert studio.state.inputs == default_design()
    assert "is not a whole number" in studio.banner.widget.value


def test_a_huge_number_is_said_short(studio: Studio) -> None:
    typed(studio, "cluster.gpus", "1e99")
    assert "1e+99 is out of range" in complaint(studio, "cluster.gpus")
    assert len(complaint(studio, "cluster.gpus")) < 200


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("model.parameters_billion", "from 0.1 to 2,000 billion parameters"),
        ("network.oversubscription", "from 1 : 1 to 16 : 1"),
    ],
)
def test_a_range_is_said_in_the_words_of_its_field(studio: Studio, path: str, given: str) -> None:
    typed(studio, path, "-1")
    assert given in complaint(studio, path)


def test_the_banner_is_of_the_last_thing_typed_and_goes_with_it(studio: Studio) -> None:
    typed(studio, "cluster.gpus", "0")
    assert "0 is out of range" in studio.banner.widget.value
    typed(studio, "cluster.gpus", "abc")
    assert "abc" in studio.banner.widget.value
    assert "out of range" not in studio.banner.widget.value
    typed(studio, "cluster.gpus", "1,024")
    assert studio.banner.widget.value == ""
    assert complaint(studio, "cluster.gpus") == ""


def test_the_size_slider_says_the_architecture_it_makes(studio: Studio) -> None:
    before = studio.controls.architecture.value
    assert "80 layers · hidden 8,192 · 64 heads · 8 KV heads" in before.replace("\u00a0", " ")
    studio.controls.field("model.parameters_billion").slider.value -= 9
    assert studio.controls.architecture.value != before
    made = studio.evaluation.architecture
    line = studio.controls.architecture.value.replace("\u00a0", " ")
    assert f"{int(made.layers)} layers · hidden {int(made.hidden):,}" in line
    studio.change({"model.preset": "deepseek-v3"})
    line = studio.controls.architecture.value.replace("\u00a0", " ")
    assert "latent attention · 256 experts, 8 per token" in line


def test_a_plan_that_cannot_run_is_told_beside_its_control(studio: Studio) -> None:
    studio.change({"plan.mode": "manual"})
    headline = studio.headline.strip.value
    typed(studio, "plan.tensor", "7")
    assert "does not divide" in complaint(studio, "plan.tensor")
    assert studio.controls.groups["Parallel plan"].heading.value
    assert studio.headline.strip.value == headline
    typed(studio, "plan.tensor", "8")
    assert complaint(studio, "plan.tensor") == ""
    assert studio.banner.widget.value == ""


def test_the_schedule_is_set_beside_a_best_plan(studio: Studio) -> None:
    studio.controls.groups["Parallel plan"].open()
    schedule = studio.controls.field("plan.schedule").list
    assert not schedule.disabled
    schedule.value = "zero-bubble"
    assert studio.state.inputs.plan.mode == "best"
    assert studio.evaluation.plan_label.endswith("zero-bubble")


def test_manual_controls_show_the_plan_found_and_start_from_it(studio: Studio) -> None:
    studio.controls.groups["Parallel plan"].open()
    tensor = studio.controls.field("plan.tensor")
    assert tensor.text.disabled
    found = studio.evaluation.plan
    assert tensor.text.value == str(int(found.tensor))
    studio.controls.field("plan.mode").list.value = "manual"
    assert not tensor.text.disabled
    assert studio.state.inputs.plan.tensor == found.tensor
    assert studio.evaluation.plan.pipeline == found.pipeline
    assert studio.evaluation.step.step_time_s == pytest.approx(
        evaluate(default_design()).step.step_time_s
    )


def test_undo_takes_back_a_drag_as_one_step(studio: Studio, clock: Clock) -> None:
    slider = studio.controls.field("cluster.gpus").slider
    for _ in range(5):
        clock.now += 0.1
        slider.value += 1
    clock.now += 5
    studio.change({"network.oversubscription": 2.0})
    studio.toolbar.buttons.act("undo", "")
    assert studio.state.inputs.network.oversubscription == 1.0
    studio.toolbar.buttons.act("undo", "")
    assert studio.state.inputs == default_design()
    assert not studio.state.can_undo
    studio.toolbar.buttons.act("redo", "")
    studio.toolbar.buttons.act("redo", "")
    assert studio.state.inputs.network.oversubscription == 2.0


def test_undo_passes_over_designs_that_could_not_run(studio: Studio, clock: Clock) -> None:
    studio.change({"plan.mode": "manual"})
    start = studio.state.inputs
    for text in ("7", "9", "2"):
        clock.now += 5
        typed(studio, "plan.tensor", text)
    assert studio.evaluation.plan.tensor == 2
    studio.toolbar.buttons.act("undo", "")
    assert studio.state.inputs == start
    assert studio.banner.widget.value == ""
    studio.toolbar.buttons.act("redo", "")
    assert studio.state.inputs.plan.tensor == 2
    clock.now += 5
    typed(studio, "plan.tensor", "7")
    studio.toolbar.buttons.act("undo", "")
    assert studio.state.inputs.plan.tensor == 2
    assert not studio.state.can_redo


def test_reset_goes_back_to_what_was_opened(studio: Studio) -> None:
    typed(studio, "cluster.gpus", "nonsense")
    studio.change({"network.oversubscription": 2.0})
    studio.toolbar.buttons.act("reset", "")
    assert studio.state.inputs == default_design()
    assert studio.controls.field("cluster.gpus").text.value == "1,024"


def test_the_address_is_a_permalink(studio: Studio) -> None:
    studio.change({"cluster.gpus": 512, "network.oversubscription": 2.0})
    again = Studio()
    again.page.initial_query = studio.page.query
    assert again.state.inputs == studio.state.inputs
    assert again.page.query == design_to_query(studio.state.inputs)
    assert not again.state.can_undo


def test_a_spoilt_link_is_told_and_the_rest_of_it_taken(studio: Studio) -> None:
    studio.page.initial_query = "v=1&cluster.gpus=512&network.family=%3Cscript%3E&plan.nonsense=1"
    assert studio.state.inputs.cluster.gpus == 512
    assert "Ignored in the link" in studio.toolbar.buttons.value
    assert "<script>" not in studio.toolbar.buttons.value


def test_a_design_file_goes_round(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: dict[str, Any] = {}
    monkeypatch.setattr(
        studio.page, "download", lambda name, text, mime: saved.update(name=name, text=text)
    )
    studio.change({"cluster.gpus": 512, "name": "Half <b>size</b>"})
    studio.toolbar.buttons.act("download", "")
    assert saved["name"] == "half-b-size-b.yaml"
    other = Studio()
    other.toolbar.buttons.act("upload-design", "mine.yaml", saved["text"].encode(), 999)
    assert other.state.inputs == studio.state.inputs


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"cluster: {gpus: 0}", "cluster.gpus: 0 is out of range"),
        (b"clutser: {gpus: 8}", "did you mean cluster"),
        (b"cluster: {gpus: many}", "cluster.gpus"),
        (b"a: [", "is not YAML"),
        (b"!!python/object/apply:os.system ['true']", "is not YAML"),
        (b"\xff\xfe\x00", "YAML"),
        (b"plan: {mode: manual, tensor: 7}", ".yaml: plan.tensor: 7 "),
        (b"x" * 70_000, "too large"),
        (None, "too large"),
    ],
)
def test_a_bad_design_file_is_one_sentence_and_nothing_is_lost(
    studio: Studio, content: bytes | None, sentence: str
) -> None:
    studio.change({"cluster.gpus": 512})
    headline = studio.headline.strip.value
    studio.toolbar.buttons.act("upload-design", "<i>x</i>.yaml", content, 70_000)
    assert sentence in studio.toolbar.buttons.value.replace("&#x27;", "'")
    assert "<i>" not in studio.toolbar.buttons.value
    assert "Traceback" not in studio.toolbar.buttons.value
    assert studio.state.inputs.cluster.gpus == 512
    assert studio.headline.strip.value == headline


def test_two_pinned_designs_are_compared(studio: Studio) -> None:
    assert "nd-shown" not in studio.compare.widget._dom_classes
    studio.toolbar.buttons.act("pin", "")
    assert "pin it as B" in studio.compare.text.value
    studio.change({"network.oversubscription": 4.0})
    studio.toolbar.buttons.act("pin-b", "")
    html = studio.compare.text.value
    assert "Oversubscription 1 → 4" in html
    assert "★" in html
    assert "Waiting for the network" in html
    assert re.search(r"<td>MFU</td>.*? points</td>", html)
    assert {part["row"] for part in studio.compare.picture.view.data["parts"]} == {"A", "B"}
    studio.compare.text.act("unpin", "")
    assert "nd-shown" not in studio.compare.widget._dom_classes


def test_each_headline_number_is_explained_from_the_formula_registry(studio: Studio) -> None:
    for tile in studio.headline._numbers:
        studio.headline.strip.act("explain", tile.key)
        html = studio.explanation.text.value
        assert "<math" in html, tile.key
        assert "<code>\\" not in html, tile.key
        assert str(tile.said).partition("\u00a0")[0] in html, tile.key
        assert html.count("Source: ") == 1 + len(EXPLANATIONS[tile.key].formulas)
        assert "Where its inputs come from" in html
        assert f"How “{tile.label}” is computed" in html
        studio.headline.strip.act("explain", tile.key)
        assert studio.explanation.text.value == ""


def test_every_number_that_a_step_time_moves_shows_its_range(studio: Studio) -> None:
    notes = {tile.key: tile.note for tile in studio.headline._numbers}
    for key in ("step_time", "mfu", "tokens_per_s", "training_days"):
        assert re.fullmatch(r"[\d.,]+ to [\d.,]+\u00a0\D+", notes[key]), key
    assert studio.headline.strip.value.count(MEANING) == 1
    assert studio.bill.facts.value.count("nd-fact-range") == 3
    assert MEANING in "".join(panel.foot.value for panel in studio.panels[2:3])


@pytest.mark.parametrize("panel", ["bill", "demand"])
def test_the_facts_of_a_panel_explain_themselves(studio: Studio, panel: str) -> None:
    shown = studio.bill if panel == "bill" else studio.panels[4]
    facts = shown.explained
    keys = re.findall(r'data-value="(\w+)"', facts.list.value)
    assert len(keys) >= 3
    for key in keys:
        facts.list.act("explain", key)
        html = facts.list.value
        assert "Where its inputs come from" in html
        assert html.count("Source: ") == 1 + len(EXPLANATIONS[key].formulas)
        assert "<code>\\" not in html, key
    facts.list.act("close-explain", "")
    assert "Where its inputs come from" not in facts.list.value
    facts.list.act("explain", "<b>")
    assert "<b>" not in facts.list.value


def test_every_explanation_names_a_known_source_for_its_equation_and_inputs(
    studio: Studio,
) -> None:
    references = load_catalog().references
    for key, explanation in EXPLANATIONS.items():
        sum_of_parts = key in MONEY and key != "usd_per_gpu_hour"
        assert explanation.source in references or (sum_of_parts and not explanation.source), key
        origins = explanation.origins(studio.evaluation)
        assert origins, key
        for origin in origins:
            assert not origin.source or origin.source in references, (key, origin)
    said = explained(EXPLANATIONS["step_time"], studio.evaluation)
    row = load_catalog().calibrations["matrix_efficiency", "hopper"]
    assert row.date in said
    assert "fitted" in said
    assert 'href="https://' in said
    assert 'rel="noopener noreferrer"' in said


def test_a_setting_of_ones_own_is_not_given_a_source(studio: Studio) -> None:
    before = explained(EXPLANATIONS["usd_per_gpu_hour"], studio.evaluation)
    studio.change({"economics.interest_rate": 0.037})
    after = explained(EXPLANATIONS["usd_per_gpu_hour"], studio.evaluation)
    assert "Your design" not in before
    assert "Your design" in after
    assert "0.037" in after


def test_a_difference_within_the_range_has_no_winner(studio: Studio) -> None:
    studio.pin("A")
    studio.change({"network.oversubscription": 2.0})
    studio.pin("B")
    html = studio.compare.text.value
    assert re.search(r"<td>Step time</td>.*?within the range", html)
    assert "do not trust their difference" in html
    assert re.search(r"<td>Switches</td>[^★]*★ </span>B", html)
    studio.change({"cluster.gpus": 2048, "network.oversubscription": 1.0})
    studio.pin("B")
    html = studio.compare.text.value
    assert re.search(r"<td>Step time</td>[^★]*★ </span>B", html)
    assert "do not trust their difference" not in html


def test_an_explanation_follows_the_design(studio: Studio) -> None:
    studio.explain("mfu")
    before = studio.explanation.text.value
    studio.change({"cluster.gpus": 512})
    assert studio.explanation.text.value != before
    assert "512" in studio.explanation.text.value


def test_a_finding_is_applied_with_its_button(studio: Studio) -> None:
    studio.change({"network.oversubscription": 8.0})
    position = next(
        n
        for n, finding in enumerate(studio.evaluation.findings)
        if finding.field == "network.oversubscription"
    )
    suggestion = studio.evaluation.findings[position].suggestion
    studio.findings.list.act("apply", str(position))
    assert studio.state.inputs.network.oversubscription == suggestion
    studio.findings.list.act("apply", "99")
    studio.findings.list.act("apply", "x")


def test_every_panel_names_the_inputs_it_shows(studio: Studio) -> None:
    studio.change({"cluster.gpus": 512})
    for panel in studio.panels[2:]:
        assert "512 GPUs" in panel.head.value


def test_names_from_strangers_are_escaped_everywhere(studio: Studio) -> None:
    evil = default_design().with_values({"name": "<img src=x onerror=alert(1)>"})
    studio.toolbar.buttons.act("upload-design", "d.yaml", design_to_yaml(evil).encode(), 1)
    shown = [panel.widget for panel in studio.panels] + [studio.toolbar.widget]
    for widget in shown:
        for part in getattr(widget, "children", [widget]):
            assert "<img" not in getattr(part, "value", "") or part is studio.toolbar.name


def test_an_unexpected_error_is_logged_and_the_page_goes_on(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    broken = {"on": False}

    def fragile(design: Design, book: Any) -> Evaluation:
        if broken["on"]:
            raise ZeroDivisionError("secret detail")
        return evaluate(design, book)

    studio = Studio(evaluate=fragile, clock=clock)
    headline = studio.headline.strip.value
    broken["on"] = True
    with caplog.at_level(logging.ERROR):
        studio.change({"cluster.gpus": 512})
    assert "secret detail" in caplog.text
    assert "secret detail" not in studio.banner.widget.value
    assert 'role="alert"' in studio.banner.widget.value
    assert studio.headline.strip.value == headline
    broken["on"] = False
    studio.change({"cluster.gpus": 256})
    assert studio.banner.widget.value == ""
    assert studio.headline.strip.value != headline


def test_a_panel_that_fails_leaves_the_last_picture(studio: Studio) -> None:
    headline = studio.headline.strip.value
    bill = studio.bill.show

    def fail(evaluation: Evaluation) -> None:
        if evaluation.design.cluster.gpus == 512:
            raise RuntimeError("broken panel")
        bill(evaluation)

    studio.bill.show = fail
    studio.change({"cluster.gpus": 512})
    assert studio.headline.strip.value == headline
    assert 'role="alert"' in studio.banner.widget.value


def test_a_link_to_a_plan_that_cannot_run_shows_the_default_and_says_why() -> None:
    def picky(design: Design, book: Any) -> Evaluation:
        if design.plan.mode == "manual":
            raise DesignError("plan.tensor", 3, "does not divide 64 heads", "2 or 4 would do")
        return evaluate(design, book)

    studio = Studio(evaluate=picky)
    studio.page.initial_query = "v=1&plan.mode=manual&plan.tensor=3"
    assert "does not divide" in studio.banner.widget.value
    assert studio.headline.strip.value
    assert studio.evaluation.design == default_design()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("reliability.restart_minutes", 120.0),
        ("reliability.storage_write_gbytes_per_s_per_gpu", 0.001),
        ("reliability.checkpoint_interval_minutes", 400.0),
        ("reliability.jitter_us", 300.0),
    ],
)
def test_a_slider_of_failures_changes_the_card_of_failures(
    studio: Studio, path: str, value: float
) -> None:
    before = studio.goodput.widget.value
    studio.change({path: value})
    assert studio.goodput.widget.value != before


def test_a_design_with_an_error_gets_no_star(studio: Studio) -> None:
    studio.pin("A")
    studio.change({"network.transport": "roce-adaptive"})
    studio.pin("B")
    text = studio.compare.text.value
    assert "B cannot be built" in text
    assert "★" not in text
