"""``netdesign congestion``: its answer as text and JSON, and what a wrong input gets."""

from __future__ import annotations

import csv
from collections.abc import Callable
from numbers import Real
from typing import Any

import pytest

from netdesign.catalog import data_directory

from .shell import SHIPPED, Run, leaves, strict_json
from .test_fabric_bad_input import check_sentence
from .test_shell import UNITS


def answer(command: Callable[..., Run], *options: str) -> dict[str, Any]:
    run = command("congestion", SHIPPED, "--json", *options)
    assert (run.status, run.err) == (0, "")
    record: dict[str, Any] = strict_json(run.out)
    return record


def test_json_names_the_unit_of_every_number(command: Callable[..., Run]) -> None:
    record = answer(command, "--storage-servers", "2", "--routing", "ecmp")
    echoes = {"seed", "link", "first_seed"}
    nameless = {
        ".".join(str(part) for part in path)
        for path, value in leaves(record)
        if isinstance(value, Real) and not isinstance(value, bool)
        if path[-1] not in echoes and "exposed_s" not in path and not UNITS.search(str(path[-1]))
    }
    assert nameless == set()


def test_the_record_says_what_was_asked_and_found(command: Callable[..., Run]) -> None:
    record = answer(command, "--routing", "ecmp", "--queue-pairs", "4", "--placement", "random")
    asked = record["conditions"]
    assert (asked["routing"], asked["queue_pairs_count"], asked["placement"]) == (
        "ecmp",
        4,
        "random",
    )
    others = ("--no-pxn", "--ring-order", "pod", "--rank-order", "tp-cp-ep-pp-dp")
    other = answer(command, *others, "--algorithm", "tree", "--seed", "3")["conditions"]
    assert other == asked | {
        "routing": "adaptive",
        "queue_pairs_count": 1,
        "placement": "packed",
        "algorithm": "tree",
        "ring_order": "pod",
        "rank_order": "tp-cp-ep-pp-dp",
        "pxn": False,
        "seed": 3,
    }
    kinds = {entry["parallelism"] for entry in record["collectives"]}
    assert {"data", "sharding"} <= kinds
    for entry in record["collectives"]:
        assert entry["slowdown_ratio"] >= 1 - 1e-9
        assert entry["time_s"] >= entry["host_time_s"] * (1 - 1e-9)
        assert 0 < entry["slowest_share"] <= entry["mean_share"] <= 1 + 1e-9
        highest = max(part["highest_share"] for part in entry["load_by_kind"].values())
        assert highest == pytest.approx(1.0)
    loads = [entry["load_share"] for entry in record["hottest_links"]]
    assert loads == sorted(loads, reverse=True)
    assert record["hottest_links"][0]["from"].startswith(("server-", "leaf-"))
    assert record["step"]["on_this_fabric_s"] >= record["step"]["ideal_s"]


def test_members_of_a_ring_in_a_pod_are_asked_for_in_two_ways(command: Callable[..., Run]) -> None:
    by_option = answer(command, "--members", "2")
    by_order = answer(command, "--rank-order", "tp-cp-ep-dp-pp:2")
    assert by_option == by_order
    assert by_option["conditions"]["rank_order"] == "tp-cp-ep-dp-pp:2"
    assert answer(command, "--members", "0") == answer(command)
    other = answer(command, "--rank-order", "tp-cp-ep-pp-dp", "--members", "1")
    assert other["conditions"]["rank_order"] == "tp-cp-ep-pp-dp:1"


def test_presets_are_listed_with_the_options_they_stand_for(command: Callable[..., Run]) -> None:
    run = command("congestion", "--presets")
    assert (run.status, run.err) == (0, "")
    with (data_directory() / "congestion_presets.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = run.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        f"{row['id']}: {row['name']}" for row in rows
    ]
    options = lines[2].removeprefix("  options  ")
    assert options == "--members 24 --routing adaptive"
    assert answer(command, *options.split())["conditions"]["routing"] == "adaptive"
    values = dict(entry.split("=") for entry in lines[1].removeprefix("  design   ").split())
    assert values["network.oversubscription"] == "7"
    assert values["plan.mode"] == "manual"


def test_seeds_give_a_distribution(command: Callable[..., Run]) -> None:
    record = answer(command, "--routing", "ecmp", "--seeds", "5")["seeds"]
    assert record["seeds_count"] == 5
    for entry in record["collectives"].values():
        assert len(entry["slowdown_ratio"]) == 5
    text = command("congestion", SHIPPED, "--routing", "ecmp", "--seeds", "5").out
    assert "slow-down over 5 seeds" in text


def test_two_jobs_and_storage_have_their_tables(command: Callable[..., Run]) -> None:
    both = answer(command, "--placement", "side-by-side")
    assert [len(job) for job in both["jobs"]] == [4, 4]
    text = command("congestion", SHIPPED, "--placement", "side-by-side").out
    assert "job 2" in text
    stored = command("congestion", SHIPPED, "--storage-servers", "2").out
    assert "checkpoint:" in stored


def test_the_text_shows_the_built_fabric_beside_the_formula(command: Callable[..., Run]) -> None:
    lines = command("congestion", SHIPPED).out.splitlines()
    heading = next(line for line in lines if "slow-down" in line)
    assert "by formula" in heading
    assert any(line.startswith("leaf-spine") for line in lines)
    assert any(line.startswith("step on this fabric") for line in lines)
    assert max(len(line) for line in lines) <= 101


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("--routing magic", ("routing", "magic", "adaptive")),
        ("--placement nowhere", ("placement", "nowhere", "fragmented")),
        ("--queue-pairs 0", ("queue_pairs", "0", "128")),
        ("--queue-pairs 129", ("queue_pairs", "129", "128")),
        ("--algorithm star", ("algorithm", "star", "tree")),
        ("--ring-order x", ("ring_order", "pod")),
        ("--rank-order x", ("rank_order", "tp-cp-ep-pp-dp")),
        ("--rank-order x:4", ("rank_order", "x:4", "tp-cp-ep-pp-dp")),
        ("--rank-order tp-cp-ep-dp-pp:x", ("rank_order", "tp-cp-ep-dp-pp:x", "tp-cp-ep-dp-pp:24")),
        ("--rank-order tp-cp-ep-dp-pp:0", ("rank_order", "tp-cp-ep-dp-pp:0", "number of members")),
        ("--members -1", ("members", "-1", "100000")),
        ("--rank-order tp-cp-ep-dp-pp:4 --members 2", ("members", "2", "twice")),
        ("--seeds -1", ("seeds", "-1", "10000")),
        ("--seed -1", ("seed", "-1")),
        ("--storage-servers -1", ("storage_servers", "-1")),
        ("--placement side-by-side --seeds 3", ("seeds", "3")),
        ("--seeds 2 --scheduler tcp://nowhere", ("scheduler", "tcp://nowhere")),
    ],
)
def test_a_wrong_option_is_one_sentence(
    command: Callable[..., Run], options: str, names: tuple[str, ...]
) -> None:
    check_sentence(command("congestion", SHIPPED, *options.split()), *names)


def test_a_design_that_is_none_is_one_sentence(command: Callable[..., Run]) -> None:
    check_sentence(command("congestion", "no-such-design"), "no-such-design")
