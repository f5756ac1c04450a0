"""The page Congestion and failures without a browser: set values, read what the panels show."""

from __future__ import annotations

import asyncio
import csv
import io
import logging
import re

import numpy as np
import pytest
from moved_clock import Clock

from netdesign.app import congestion_failures as module
from netdesign.app.congestion_failures import CongestionFailures
from netdesign.app.congestion_panels import later
from netdesign.app.congestion_panels.presets import presets
from netdesign.app.congestion_panels.request import (
    default_request,
    from_query,
    names,
    to_query,
)
from netdesign.app.congestion_panels.request import settings as page_settings
from netdesign.app.courier import _bundle
from netdesign.app.transport import PageWidget
from netdesign.catalog import load_catalog
from netdesign.charts.fabric_boxes import device_in
from netdesign.congestion import Conditions, congestion, spread
from netdesign.congestion.sweep import (
    built_at,
    crossing_of,
    joined,
    one_of_each,
    taper_curves,
)
from netdesign.design import design_to_query, read_design, shipped_designs
from netdesign.evaluate import evaluate
from netdesign.failures import broken, outcome, stage_of
from netdesign.failures.by_seed import spread_while_broken
from netdesign.failures.by_size import by_size, phase_while_broken, step_while_broken

DESIGN = "llama-3-70b-1024-h100-ethernet"


@pytest.fixture
def page() -> CongestionFailures:
    return CongestionFailures()


def opened(query: str) -> CongestionFailures:
    return CongestionFailures(page=PageWidget(initial_query=query))


def words(page: CongestionFailures) -> str:
    return re.sub(r"<[^>]+>", " ", page.headline.text.value)


def complaint(page: CongestionFailures, path: str) -> str:
    said = page.controls.field(path)._complaint
    return "" if said is None else said.value


def test_every_setting_has_a_tip_a_source_and_a_default_it_may_have() -> None:
    for path, setting in page_settings().items():
        assert setting.help, path
        assert setting.source in load_catalog().references, path
        assert setting.kind != "choice" or setting.default in names(path), path
    assert default_request().with_values(dict(default_request().values)) == default_request()


def test_the_first_view_is_what_floor_3_says(page: CongestionFailures) -> None:
    design = read_design(DESIGN).with_values({"network.oversubscription": 4})
    found = congestion(evaluate(design), Conditions(routing="ecmp", queue_pairs=1))
    assert page.answer is not None
    assert page.answer.found.step == found.step
    assert np.array_equal(page.answer.load, found.worst.phase.load)
    assert f"× {found.worst.slowdown:.2f}" in words(page)
    assert page.banner.widget.value == ""


def test_a_ring_keeps_its_rate_under_four_to_one_and_a_chain_does_not(
    page: CongestionFailures,
) -> None:
    page.change({"routing": "adaptive"})
    slow = {entry.shape: entry.slowdown for entry in page.answer.found.collectives}
    assert slow["ring"] == pytest.approx(1.0)
    assert 3.0 < slow["chain"] <= 4.0


def test_a_sentence_for_the_ring_that_leaves_its_pod_once(page: CongestionFailures) -> None:
    page.change({"routing": "adaptive", "rank_order": "tp-cp-ep-pp-dp"})
    assert "leaves the pod once for all of them" in words(page)
    page.change({"taper": 1.0})
    assert "as much bandwidth leads up as down" in words(page)


def test_more_queue_pairs_spread_better(page: CongestionFailures) -> None:
    one = page.answer.worst.slowdown
    page.change({"queue_pairs": 16})
    assert page.answer.worst.slowdown < one


@pytest.mark.parametrize("word", ["cable", "nic", "nic@0.5", "uplink", "leaf", "spine", "server"])
def test_what_is_broken_is_what_the_failures_say(page: CongestionFailures, word: str) -> None:
    page.change({"broken": word})
    one = page.answer
    stage = stage_of(one.evaluation, one.request.conditions)
    expected = outcome(stage, broken(stage.fabric, word, nic_ports=stage.nic_ports))
    assert one.outcome.step_s == expected.step_s
    assert one.outcome.scenario.name in words(page)
    assert np.any(one.broken_links)
    assert one.outcome.scenario.is_slow or np.all(one.load[one.outcome.broken] == 0)


def test_a_click_breaks_and_a_second_click_mends() -> None:
    clock = Clock()
    page = CongestionFailures(clock=clock)
    page.change({"taper": 5.0})
    page.fabric.ports.view.selection = {"picked": {"device": ["leaf-02"]}}
    assert page.state.inputs.value("broken") == "leaf-02"
    assert "leaf-02" in words(page)
    clock.now += 5
    page.fabric.ports.view.selection = {"picked": {"device": ["leaf-02"]}}
    assert page.state.inputs.value("broken") == "none"
    page.toolbar.act("undo", "")
    assert page.answer.outcome is not None
    page.fabric.head.act("mend", "")
    assert page.answer.outcome is None


def test_a_click_on_a_box_of_tiers_breaks_its_first_device(page: CongestionFailures) -> None:
    page.change({"taper": 1.0})
    boxes = page.fabric.tiers.view.data["boxes"]
    named = {box["device"]: device_in(page.answer.fabric, box["device"]) for box in boxes}
    assert all(named.values()), named
    page.fabric.tiers.view.selection = {"picked": {"device": [next(iter(named))]}}
    assert page.answer.outcome is not None


def test_a_part_the_fabric_has_not_is_said_beside_its_control(page: CongestionFailures) -> None:
    page.change({"broken": "plane"})
    assert "is not there" in complaint(page, "broken")
    assert page.answer.outcome is None
    page.change({"broken": "leaf-99"})
    assert complaint(page, "broken")
    page.change({"broken": "none"})
    assert not complaint(page, "broken")


def test_a_wrong_value_changes_nothing(page: CongestionFailures) -> None:
    before = words(page)
    page.change({"taper": 99.0})
    assert "out of range" in complaint(page, "taper")
    assert words(page) == before
    page.change({"tensor": 3})
    assert page.banner.widget.value
    assert words(page) == before


def test_a_crash_is_logged_and_said(
    page: CongestionFailures, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(module, "answer", fails)
    with caplog.at_level(logging.ERROR):
        page.change({"taper": 2.0})
    assert page.unexpected in page.banner.widget.value
    assert "on purpose" in caplog.text


@pytest.mark.parametrize("name", sorted(shipped_designs()))
def test_every_shipped_design_opens_as_it_is(name: str) -> None:
    page = opened(f"design={name}&taper=2&routing=adaptive")
    assert page.banner.widget.value == ""
    assert not page._complaint
    assert page.answer.design.network.oversubscription == 2
    assert from_query(to_query(page.state.inputs))[0] == page.state.inputs


def test_a_design_of_the_studio_is_brought_along() -> None:
    own = read_design("llama-3-8b-64-h100").with_values({"cluster.gpus": 128})
    page = opened(design_to_query(own))
    assert page.answer.design.cluster.gpus == 128
    assert page.answer.design.model.preset == own.model.preset
    page.change({"taper": 2.0})
    again, ignored = from_query(page.page.query)
    assert not ignored
    assert again.base == own
    assert again.value("taper") == 2.0


def test_an_address_full_of_nonsense_is_ignored_and_said() -> None:
    page = opened("taper=1e9&broken=<script>&routing=magic&design=../../x&seed=a")
    assert page.state.inputs == default_request()
    assert page._complaint.count(";") >= 4
    assert "<script>" not in page.toolbar.value


def test_members_in_a_pod_are_asked_for_by_their_own_slider(page: CongestionFailures) -> None:
    page.change({"taper": 7.0, "routing": "adaptive", "tensor": 8, "pipeline": 4})
    usual = page.answer.crossing
    page.change({"members": 24})
    assert page.answer.crossing != usual
    assert page.answer.crossing.fullest >= 24
    assert f"{page.answer.crossing.fullest} in the fullest" in words(page)
    assert page.answer.found.conditions.rank_order.endswith(":24")
    assert "members=24" in page.page.query
    page.change({"gpus": 64, "members": 0})
    assert not page.answer.several_pods


def test_presets_open_their_views_and_undo_leads_back(page: CongestionFailures) -> None:
    for key, row in presets().items():
        _, ignored = from_query(row.query)
        assert ignored == ()
        assert row.source in load_catalog().references, key
    page.presets.widget.act("meta-seven-to-one", "")
    assert "no link carries more than a port" in words(page)
    assert page.answer.worst.slowdown == pytest.approx(1.0)
    page.presets.widget.act("few-in-a-pod", "")
    assert page.answer.worst.slowdown == pytest.approx(3.5)
    assert page.answer.crossing.in_pod == pytest.approx(2.0)
    page.toolbar.act("undo", "")
    assert page.state.inputs.value("members") == 24


def test_a_table_of_the_collectives(page: CongestionFailures) -> None:
    shown = page.collectives.text.value
    assert shown.count("<tr") == 1 + len(page.answer.rows)
    for row in page.answer.rows:
        assert row.name in shown
    assert "<dt>Exposed</dt>" in shown
    page.change({"broken": "leaf"})
    assert "while nothing is broken" in page.collectives.text.value


def test_a_taper_that_is_not_built_is_not_spoken_of(page: CongestionFailures) -> None:
    assert not page.controls.field("taper").text.disabled
    assert "4\u202f:\u202f1 at the leaf" in words(page).replace("\xa0", "\u202f")
    page.change({"family": "rail-only"})
    said = words(page) + page.fabric.head.value
    assert "taper is never met" not in said
    assert "no switch is above the leaf" in said
    assert said.count("no tier above the leaf, so no taper") == 2
    assert page.controls.field("taper").text.disabled
    page.change({"gpus": 2048})
    assert not page.controls.field("taper").text.disabled


def test_what_the_taper_alone_costs_is_said_with_its_condition(page: CongestionFailures) -> None:
    assert "if pods were filled alike." in words(page)
    page.change({"placement": "random"})
    assert "if servers were packed." in words(page)


def test_a_host_that_keeps_other_ports_is_not_cut_off(page: CongestionFailures) -> None:
    page.change({"broken": "cable"})
    assert "no GPU cut off" in words(page)
    page.change({"broken": "server"})
    assert "8 GPUs cut off" in words(page)


def test_a_question_in_a_complaint_ends_as_one(page: CongestionFailures) -> None:
    page.change({"broken": "leaf-99"})
    assert "did you mean leaf-09?<" in complaint(page, "broken")


def test_an_optic_is_named_with_its_cable(page: CongestionFailures) -> None:
    assert all("optics" in names("broken")[word] for word in ("cable", "uplink"))
    page.change({"broken": "uplink"})
    assert "the cable or its optics" in words(page)
    assert "cable or its optics" in page.fabric.head.value


def test_cards_say_which_fabric_load_and_seed_they_show(page: CongestionFailures) -> None:
    page.change({"broken": "leaf", "seed": 7, "taper": 5.0})
    page.later.finish()
    for said in (page.fabric.head.value, page.heat.head.value):
        assert "load of pipeline send" in said
        assert "broken: leaf-01" in said
    for said in (page.fabric.head.value, page.heat.head.value, page.taper.head.value):
        assert "5\u202f:\u202f1 at the leaf" in said.replace("\xa0", "\u202f")
        assert "1,024 GPUs" in said
        assert "seed 7" in said
        assert "at the spine" not in said
    page.change({"shown": "all"})
    assert "highest load of all collectives" in page.fabric.head.value


def test_seeds_are_of_the_fabric_as_it_is_now(page: CongestionFailures) -> None:
    page.later.finish()
    whole = page.seeds.picture.view.data["seeds"]
    assert "nothing broken" in page.seeds.head.value
    page.change({"broken": "spine"})
    assert "follow" in page.seeds.head.value
    page.later.finish()
    assert "broken: spine-01" in page.seeds.head.value
    assert page.seeds.picture.view.data["seeds"] != whole
    one = page.answer
    expected = spread_while_broken(one.evaluation, one.request.conditions, "spine", seeds=2)
    drawn = {dot["slow"] for dot in page.seeds.picture.view.data["seeds"]}
    assert set(np.round(expected.slowdown, 2).ravel()) <= drawn


def test_degrees_steer_how_many_members_are_in_a_pod(page: CongestionFailures) -> None:
    page.change({"tensor": 8, "pipeline": 1, "routing": "adaptive"})
    assert int(page.answer.evaluation.plan.tensor) == 8
    assert int(page.answer.evaluation.plan.pipeline) == 1


def test_seeds_and_other_tapers_follow_when_the_page_is_still(page: CongestionFailures) -> None:
    assert page.seeds.picture.view.data == {}
    page.later.finish()
    one = page.answer
    expected = spread(one.evaluation, one.request.conditions, seeds=32)
    drawn = page.seeds.picture.view.data
    assert len(drawn["seeds"]) == 32 * len(one_of_each(one.found))
    assert {dot["slow"] for dot in drawn["seeds"]} == set(np.round(expected.slowdown, 2).ravel())
    assert sum(dot["which"] == "built" for dot in page.taper.picture.view.data["dots"]) >= 8
    page.change({"taper": 3.0})
    assert "follow" in page.seeds.head.value
    assert page.seeds.picture.view.data is drawn


def test_later_runs_on_a_loop_piece_by_piece_and_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(later, "BETWEEN_S", 0.0)
    done: list[str] = []

    def pieces(name: str, count: int):  # type: ignore[no-untyped-def]
        for number in range(count):
            done.append(f"{name}{number}")
            yield

    async def run() -> None:
        work = later.Later()
        work.start(pieces("a", 1000), wait_s=0.0)
        while len(done) < 3:
            await asyncio.sleep(0)
        work.start(pieces("b", 2), wait_s=0.0)
        while "b1" not in done:
            await asyncio.sleep(0)

    asyncio.run(run())
    assert sum(name.startswith("a") for name in done) < 1000


def test_what_follows_later_is_sent_although_begun_in_an_update() -> None:
    async def run() -> None:
        page = CongestionFailures()
        page.change({"taper": 5.0})
        waiting = page.later._handle
        assert waiting is not None
        assert waiting._context.get(_bundle) is None

    asyncio.run(run())


def test_nothing_left_to_chance_is_said(page: CongestionFailures) -> None:
    page.change({"routing": "adaptive"})
    assert "Nothing is left to chance" in page.seeds.head.value


def test_infiniband_needs_no_headroom_and_the_picture_stays(page: CongestionFailures) -> None:
    before = page.lossless.headroom.view.data
    page.change({"design": "llama-3-70b-1024-h100"})
    assert "lossless by credits" in page.lossless.note.value
    assert page.lossless.headroom.view.data == before
    page.change({"chip": "tomahawk-5"})
    assert "Tomahawk 5" in page.lossless.note.value


def test_a_longer_cable_needs_more_headroom(page: CongestionFailures) -> None:
    def most() -> float:
        return max(tier["kib"] for tier in page.lossless.headroom.view.data["tiers"])

    short = most()
    page.change({"cable_length": 250.0})
    assert most() > short


def test_files_are_what_is_shown(page: CongestionFailures, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, str] = {}
    monkeypatch.setattr(
        page.files, "_download", lambda name, text, _mime: files.update({name: text})
    )
    page.change({"broken": "leaf"})
    for act in ("report", "loads", "plan", "plan-csv"):
        page.files.text.act(act, "")
    rows = list(csv.DictReader(io.StringIO(files["link-loads.csv"])))
    assert len(rows) == page.answer.fabric.links
    assert sum(row["broken"] == "yes" for row in rows) == np.count_nonzero(page.answer.broken_links)
    assert "leaf-01" in files["congestion-and-failures.md"]
    assert files["failure-tests.md"].startswith("# Failure and soak tests")
    assert files["failure-tests.csv"].count("\n") > 10


def test_closed_curves_and_built_points_agree_where_nothing_is_hashed() -> None:
    design = read_design(DESIGN)
    found = congestion(evaluate(design), Conditions(routing="adaptive"))
    curves = {curve.name: curve for curve in taper_curves(found, (1.0, 2.0, 4.0, 8.0))}
    for entry in one_of_each(found):
        assert curves[entry.name].today == (
            crossing_of(found, entry).taper, pytest.approx(entry.slowdown)
        )  # fmt: skip
        assert np.all(np.diff(curves[entry.name].slowdown) >= 0)
    everything = curves["all-to-all over all GPUs"]
    machine = found.evaluation.machine
    domains, inside = (
        gpus / float(machine.domain_gpus) for gpus in (design.cluster.gpus, machine.pod_gpus)
    )
    away = (domains - inside) / (domains - 1)
    assert everything.slowdown.tolist() == pytest.approx(
        [max(1.0, taper * away) for taper in (1, 2, 4, 8)]
    )
    for name, slow in built_at(found, design, 4.0):
        assert slow <= 4.2, name


def test_seeds_joined_are_the_seeds_at_once() -> None:
    evaluation = evaluate(read_design("llama-3-8b-64-h100"))
    at = [Conditions(routing="ecmp", seed=seed) for seed in range(3)]
    parts = joined([spread(evaluation, one, seeds=1) for one in at])
    whole = spread(evaluation, at[0], seeds=3)
    assert np.array_equal(parts.step_s, whole.step_s)
    assert np.array_equal(parts.slowdown, whole.slowdown)
    assert parts.seeds.tolist() == [0, 1, 2]


def test_sizes_hold_the_published_job_and_the_design() -> None:
    evaluation = evaluate(read_design(DESIGN).with_values({"reliability.fleet": "rsc-1"}))
    curve = by_size(evaluation, np.array([1024.0, 16_384.0]))
    assert curve.mttf_s / 3600 == pytest.approx([28.8, 1.8], rel=0.01)
    assert curve.ettr[0] == pytest.approx(evaluation.goodput.ettr)
    assert curve.ettr_measured[0] < curve.ettr[0]
    assert curve.ettr_measured[1] == curve.ettr[1]
    assert curve.measured_mttf_s == pytest.approx(7.9 * 3600)


def test_a_pattern_alone_while_broken_is_as_slow_as_the_outcome_says() -> None:
    evaluation = evaluate(read_design(DESIGN).with_values({"network.oversubscription": 2}))
    stage = stage_of(evaluation, Conditions(routing="adaptive"))
    scenario = broken(stage.fabric, "spine")
    found = outcome(stage, scenario)
    phases = {key: phase_while_broken(stage, scenario, key) for key in stage.flows}
    load = np.max([phase.load for phase in phases.values()], axis=0)
    assert np.allclose(load, found.load)
    healthy = congestion(evaluation, Conditions(routing="adaptive"))
    assert step_while_broken(healthy, found) == pytest.approx(
        healthy.step.step_s * found.step_s / found.healthy_step_s
    )
