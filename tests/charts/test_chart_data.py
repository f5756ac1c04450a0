"""What the pictures show of an Evaluation."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from netdesign import units
from netdesign.charts import (
    bill_bars,
    memory_bar,
    network_picture,
    share_curve,
    step_time_bar,
    traffic_bars,
)
from netdesign.charts.network_shape import LEFT, RIGHT, shape_of
from netdesign.charts.palette import PART_COLOURS
from netdesign.charts.words import MEMORY_PARTS, STEP_PARTS, place
from netdesign.design import default_design
from netdesign.evaluate import Evaluation, evaluate


def at(**changes: object) -> Evaluation:
    """The default design with values changed; ``cluster__gpus`` is ``cluster.gpus``."""
    values = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(default_design().with_values(values))


def test_parts_of_the_step_bar_end_where_the_step_ends() -> None:
    evaluation = at()
    parts = step_time_bar.data(evaluation)["parts"]
    assert parts[0]["x0"] == 0
    for left, right in zip(parts, parts[1:], strict=False):
        assert right["x0"] == left["x1"]
    assert parts[-1]["x1"] == pytest.approx(float(evaluation.step.step_time_s), rel=1e-9)


def test_parts_of_the_memory_bar_end_at_the_total() -> None:
    evaluation = at()
    parts = memory_bar.data(evaluation)["parts"]
    total = units.bytes_to_gigabytes(float(evaluation.memory.total))
    assert parts[-1]["x1"] == pytest.approx(total, rel=1e-9)


def test_memory_says_when_it_does_not_fit() -> None:
    evaluation = at(model__preset="llama-3.1-405b", cluster__gpus=8)
    assert "does not fit" in memory_bar.data(evaluation)["limits"][0]["text"]
    assert "does not fit" not in memory_bar.data(at())["limits"][0]["text"]


def test_words_at_the_memory_limit_stand_where_the_axis_leaves_room() -> None:
    for evaluation in (at(cluster__gpus=8), at()):
        data = memory_bar.data(evaluation)
        limit, end = data["limits"][0], data["frame"][0]["limit"]
        assert limit["side"] == ("left" if limit["x"] > end / 2 else "right")
    assert memory_bar.data(at(cluster__gpus=8))["limits"][0]["side"] == "right"


def test_parts_of_one_bar_have_colours_of_their_own() -> None:
    for parts in (STEP_PARTS, MEMORY_PARTS):
        colours = [PART_COLOURS[key] for key in parts]
        assert len(set(colours)) == len(colours)


def test_words_of_the_budget_keep_off_the_curve() -> None:
    for changes in ({}, {"target__communication_share": 0.02}, {"model__preset": "deepseek-v3"}):
        data = share_curve.data(at(**changes))
        target, top = data["target"][0], data["frame"][0]["share"]
        assert target["below"]
        left = [row["share"] for row in data["curve"] if row["gbps"] < share_curve.LEFT_NEEDS_GBPS]
        assert all(share > target["share"] for share in left)
        assert target["share"] > share_curve.BELOW_NEEDS * top


def test_a_point_without_a_place_on_the_axis_is_left_out() -> None:
    points = share_curve.data(at(cluster__gpus=8))["points"]
    assert [point["which"] for point in points] == [share_curve.GIVEN]


def test_traffic_keeps_its_rows_and_adds_up() -> None:
    for gpus in (8, 1024):
        evaluation = at(cluster__gpus=gpus)
        data = traffic_bars.data(evaluation)
        assert len(data["labels"]) == 6
        drawn = sum(bar["x1"] - bar["x0"] for bar in data["bars"])
        sent = sum(float(part.bytes_per_gpu) for part in evaluation.traffic)
        assert drawn == pytest.approx(units.bytes_to_gigabytes(sent), rel=1e-9)


def test_the_curve_passes_through_the_design() -> None:
    evaluation = at()
    data = share_curve.data(evaluation)
    given = next(point for point in data["points"] if point["which"] == share_curve.GIVEN)
    curve = data["curve"]
    share = np.interp(
        np.log(given["gbps"]),
        np.log([row["gbps"] for row in curve]),
        [row["share"] for row in curve],
    )
    assert share == pytest.approx(given["share"], rel=0.05, abs=0.002)


def test_no_bandwidth_is_enough_leaves_out_the_needed_point() -> None:
    evaluation = at(target__communication_share=0.005, plan__mode="manual", plan__tensor=8)
    endless = dataclasses.replace(
        evaluation,
        requirement=dataclasses.replace(
            evaluation.requirement,
            bandwidth_per_gpu=float("inf"),
            bandwidth_per_server=float("inf"),
        ),
    )
    points = share_curve.data(endless)["points"]
    assert [point["which"] for point in points] == [share_curve.GIVEN]
    assert "no bandwidth" in share_curve.label(endless)


def test_the_bill_says_no_price_plainly() -> None:
    evaluation = at()
    row = dataclasses.replace(evaluation.bom.rows[0], unit_price_usd=None)
    bom = dataclasses.replace(evaluation.bom, rows=(row,))
    bars = bill_bars.data(dataclasses.replace(evaluation, bom=bom))["bars"]
    assert bars[0]["text"] == "no price"


@pytest.mark.parametrize("family", ["rail-optimised", "fat-tree-2", "rail-only"])
def test_a_small_fabric_is_drawn_link_by_link(family: str) -> None:
    evaluation = at(cluster__gpus=64, network__family=family)
    fabric = evaluation.fabric
    data = network_picture.data(evaluation)
    assert len(data["links"]) == fabric.access_links + fabric.leaf_spine_links
    assert len(data["boxes"]) == evaluation.servers + fabric.switches
    assert len({link["tip"] for link in data["links"]}) > evaluation.servers


@pytest.mark.parametrize("family", ["rail-optimised", "fat-tree-3"])
def test_a_large_fabric_is_drawn_as_stacks_with_their_numbers(family: str) -> None:
    evaluation = at(cluster__gpus=16384, network__family=family)
    fabric = evaluation.fabric
    data = network_picture.data(evaluation)
    assert len(data["boxes"]) < 60
    titles = {row["text"] for row in data["titles"]}
    assert f"{fabric.leaves:,} leaf switches" in titles
    assert f"{fabric.cores:,} core switches" in titles
    assert f"{evaluation.servers:,} servers" in titles
    assert any(str(f"{fabric.access_links:,}") in note["text"] for note in data["notes"])


def test_a_taper_is_marked_by_more_than_colour() -> None:
    flat, tapered = at(), at(network__oversubscription=4.0)
    assert not any(link["tapered"] for link in network_picture.data(flat)["links"])
    links = network_picture.data(tapered)["links"]
    narrow = {link["width"] for link in links if link["tapered"]}
    wide = {link["width"] for link in links if not link["tapered"]}
    assert narrow
    assert max(narrow) < min(wide)
    assert "oversubscribed" in network_picture.label(tapered)


@pytest.mark.parametrize("gpus", [8, 16, 64, 248, 512, 1024, 2048, 16384, 32768])
@pytest.mark.parametrize("family", ["single-switch", "fat-tree", "rail-optimised", "rail-only"])
def test_every_picture_stays_on_its_sheet(gpus: int, family: str) -> None:
    evaluation = at(cluster__gpus=gpus, network__family=family)
    data = network_picture.data(evaluation)
    if not evaluation.fabric.buildable:
        assert evaluation.fabric.reason in data["notes"][0]["text"]
        return
    for box in data["boxes"]:
        assert LEFT - 1 <= box["x"] < box["x2"] <= RIGHT + 1
        assert 0 <= box["y"] < box["y2"] <= 100
    servers = [row for row in shape_of(evaluation).rows if row.kind == "server"]
    assert servers[0].count == evaluation.servers


def test_the_place_of_a_group_is_its_lowest_tier() -> None:
    nvidia, amd = at(), at(cluster__server="mi300x-8gpu")
    assert {place(part, nvidia) for part in nvidia.traffic if part.span.domains == 1} == {"NVLink"}
    assert "Infinity Fabric" in {place(part, amd) for part in amd.traffic}
    far = [part for part in nvidia.traffic if part.parallelism == "pipeline"]
    assert {place(part, nvidia) for part in far} == {"fabric"}


def test_what_comes_with_the_server_is_said_to_be_included() -> None:
    bars = {bar["name"]: bar["text"] for bar in bill_bars.data(at())["bars"]}
    assert bars["Adapters"] == "included in the servers"
    assert bars["Servers"].startswith("$")
