"""``netdesign fabric``: the shape of its answer, the laws its counts obey, its cable plan."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from netdesign.cli import app
from netdesign.design import shipped_designs

from .shell import Run, run_process, strict_json

PROMISED = (
    "family",
    "endpoints",
    "switches",
    "links",
    "oversubscription",
    "diameter",
    "bisection_links",
    "transceivers",
    "cost_usd",
    "power_w",
)
FAMILIES = {
    "fat-tree": ("--endpoints", "1024"),
    "rail-optimised": ("--endpoints", "1024"),
    "rail-only": ("--endpoints", "1024"),
    "multi-plane": ("--endpoints", "512", "--planes", "2"),
    "dragonfly": ("--h", "3"),
    "dragonfly-plus": ("--radix", "12"),
    "slim-fly": ("--q", "7"),
    "hyperx": ("--dims", "6x6", "--p", "6"),
    "torus": ("--dims", "4x4x8"),
}
OPTIONS = (
    "endpoints",
    "radix",
    "tiers",
    "oversubscription",
    "port-gbps",
    "endpoint-gbps",
    "rails",
    "planes",
    "gpus-per-server",
    "domain",
    "spread-evenly",
    "unit-servers",
    "groups",
    "p",
    "a",
    "h",
    "q",
    "dims",
    "json",
    "design",
    "cables",
)
CLOS = ("fat-tree", "rail-optimised", "rail-only")
PLAN_COLUMNS = {
    "order",
    "label",
    "from_device",
    "from_port",
    "to_device",
    "to_port",
    "kind",
    "medium",
    "length_m",
}


def answer(*arguments: object) -> dict[str, Any]:
    run = CliRunner().invoke(app, ["fabric", *map(str, arguments), "--json"])
    assert run.exit_code == 0, (arguments, run.exception, run.output)
    record: dict[str, Any] = strict_json(run.stdout)
    return record


def plan_of(path: Path, *arguments: str) -> list[dict[str, str]]:
    run = CliRunner().invoke(app, ["fabric", *arguments, "--cables", str(path)])
    assert run.exit_code == 0, (arguments, run.exception, run.output)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def check_sums(record: dict[str, Any]) -> None:
    switches, links = dict(record["switches"]), dict(record["links"])
    assert all(map(is_count, (*switches.values(), *links.values()))), record
    total = switches.pop("total")
    assert sum(switches.values()) == total, record
    between = links.pop("inter_switch")
    links.pop("host", None)
    assert sum(links.values()) == between, record


# Shape


@pytest.mark.parametrize("family", FAMILIES)
def test_json_has_the_promised_shape(family: str) -> None:
    record = answer(family, *FAMILIES[family])
    assert set(PROMISED) <= set(record)
    assert record["family"] == family
    for name in ("endpoints", "diameter", "bisection_links", "transceivers"):
        if name == "bisection_links" and family == "slim-fly":
            continue  # no closed form is published
        assert is_count(record[name]), (name, record[name])
        assert record[name] > 0, (name, record[name])
    assert record["oversubscription"] > 0
    assert "total" in record["switches"]
    assert "inter_switch" in record["links"]
    for name in ("cost_usd", "power_w"):
        value = record[name]
        assert value is None or (not isinstance(value, bool) and value >= 0), (name, value)
    check_sums(record)


@pytest.mark.parametrize("family", [*CLOS, "multi-plane"])
def test_tiers_and_kinds_of_a_clos_have_their_names(family: str) -> None:
    record = answer(family, *FAMILIES[family])
    assert {"leaf", "spine", "core", "total"} >= set(record["switches"]) >= {"leaf", "total"}
    known = {"host", "leaf_spine", "spine_core", "inter_switch"}
    assert known >= set(record["links"]) >= {"host", "inter_switch"}


def test_three_tiers_have_all_names() -> None:
    record = answer("fat-tree", "--endpoints", 8192, "--radix", 64)
    assert record["switches"] == {"leaf": 256, "spine": 256, "core": 128, "total": 640}
    assert record["links"] == {
        "host": 8192,
        "leaf_spine": 8192,
        "spine_core": 8192,
        "inter_switch": 16384,
    }


def test_cost_and_power_are_known_at_400_gbps() -> None:
    record = answer("fat-tree", "--endpoints", 2048, "--radix", 64, "--port-gbps", 400)
    assert record["cost_usd"] == 96 * 64 * 694 + 2 * 4096 * 199  # rail-only (2024)
    assert record["power_w"] > 96 * 100


def test_a_switch_by_name_brings_its_radix() -> None:
    by_name = answer("fat-tree", "--endpoints", 2048, "--tiers", 2, "--switch", "qm9700")
    by_radix = answer("fat-tree", "--endpoints", 2048, "--tiers", 2, "--radix", 64)
    assert by_name["switches"] == by_radix["switches"]
    split = answer(
        "fat-tree", "--endpoints", 8192, "--tiers", 2, "--switch", "sn5600", "--port-gbps", 400
    )
    assert split["switches"]["total"] == 192  # 64 x 800G are 128 x 400G


def test_two_processes_say_the_same() -> None:
    arguments = ("fabric", "rail-optimised", "--endpoints", "760", "--unit-servers", "32", "--json")
    first = run_process(*arguments, PYTHONHASHSEED="1")
    second = run_process(*arguments, PYTHONHASHSEED="2")
    assert (first.status, first.err) == (0, "")
    assert first.out == second.out


# Text


@pytest.mark.parametrize("family", FAMILIES)
def test_text_has_the_counts(command: Callable[..., Run], family: str) -> None:
    arguments = (family, *FAMILIES[family])
    record = answer(*arguments)
    run = command("fabric", *arguments)
    assert (run.status, run.err) == (0, "")
    text = run.out.replace(",", "")
    for number in (
        record["endpoints"],
        *(count for count in record["switches"].values() if count),
        *(n for kind, n in record["links"].items() if n and kind != "inter_switch"),
        record["diameter"],
    ):
        assert str(number) in text, (number, run.out)
    assert "switch" in text.lower()
    assert "Traceback" not in text


def test_text_says_what_was_chosen(command: Callable[..., Run]) -> None:
    run = command("fabric", "fat-tree", "--endpoints", "1024")
    assert run.status == 0
    text = run.out.lower()
    assert "radix 64" in text or "64 ports" in text
    assert "tier" in text
    assert "leaf" in text
    assert "spine" in text


def test_help_lists_the_options(command: Callable[..., Run]) -> None:
    run = run_process("fabric", "--help", COLUMNS="200")
    assert run.status == 0
    for option in OPTIONS:
        assert f"--{option}" in run.out, option


# A design


@pytest.mark.parametrize("name", shipped_designs())
def test_design_has_the_counts_of_evaluate(command: Callable[..., Run], name: str) -> None:
    run = command("evaluate", name, "--json")
    assert run.status == 0
    fabric = strict_json(run.out)["fabric"]
    record = answer("--design", name)
    assert record["family"] == fabric["family"]
    assert record["endpoints"] == fabric["endpoints_count"]
    for tier, counted in (("leaf", "leaves"), ("spine", "spines"), ("core", "cores")):
        assert record["switches"].get(tier, 0) == fabric[f"{counted}_count"], tier
    assert record["switches"]["total"] == fabric["switches_count"]
    assert record["links"]["host"] == fabric["access_links_count"]
    for kind in ("leaf_spine", "spine_core"):
        assert record["links"].get(kind, 0) == fabric[f"{kind}_links_count"], kind
    assert record["oversubscription"] == pytest.approx(fabric["oversubscription_ratio"])
    check_sums(record)


def test_design_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("cluster:\n  gpus: 256\n", encoding="utf-8")
    record = answer("--design", file)
    assert record["endpoints"] == 256
    assert record["switches"]["leaf"] == 8


# Cables


@pytest.mark.parametrize("family", FAMILIES)
def test_plan_has_one_row_a_cable(family: str, tmp_path: Path) -> None:
    arguments = (family, *FAMILIES[family])
    record = answer(*arguments)
    plan = plan_of(tmp_path / "cables.csv", *arguments)
    links = {kind: count for kind, count in record["links"].items() if kind != "inter_switch"}
    kinds = Counter(cable["kind"] for cable in plan)
    assert dict(kinds) == {kind: count for kind, count in links.items() if count}
    assert set(plan[0]) >= PLAN_COLUMNS
    for cable in plan:
        assert cable["from_device"] != cable["to_device"]
        assert float(cable["length_m"]) > 0
        assert cable["medium"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_port_takes_one_cable(family: str, tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "cables.csv", family, *FAMILIES[family])
    ends = Counter(
        (cable[f"{end}_device"], cable[f"{end}_port"]) for cable in plan for end in ("from", "to")
    )
    assert [end for end, count in ends.items() if count > 1] == []
    assert len({cable["label"] for cable in plan}) == len(plan)
    orders = sorted(int(cable["order"]) for cable in plan)
    assert orders == list(range(orders[0], orders[0] + len(plan)))


def test_plan_has_every_switch_and_no_port_beyond_the_radix(tmp_path: Path) -> None:
    arguments = ("rail-optimised", "--endpoints", "4096", "--radix", "64", "--spread-evenly")
    record = answer(*arguments)
    plan = plan_of(tmp_path / "cables.csv", *arguments)
    devices = {cable[f"{end}_device"] for cable in plan for end in ("from", "to")}
    for tier in ("leaf", "spine", "core"):
        assert sum(name.startswith(tier) for name in devices) == record["switches"][tier]
    assert len(devices) == 4096 // 8 + record["switches"]["total"]
    ports = {int(cable["to_port"]) for cable in plan}
    assert min(ports) >= 1
    assert max(ports) <= 64


def test_split_ports_have_lanes(tmp_path: Path) -> None:
    # OCP open design (2026): two 400G servers on each 800G port of a leaf.
    plan = plan_of(
        tmp_path / "cables.csv",
        *("rail-optimised", "--endpoints", "256", "--radix", "64", "--tiers", "2"),
        *("--port-gbps", "800", "--endpoint-gbps", "400"),
    )
    hosts = [cable for cable in plan if cable["kind"] == "host"]
    halves = Counter((cable["to_device"], cable["to_port"].split("/")[0]) for cable in hosts)
    assert set(halves.values()) == {2}
    assert {float(cable["gbps"]) for cable in hosts} == {400}
    assert {float(cable["gbps"]) for cable in plan if cable["kind"] != "host"} == {800}


def test_planes_do_not_meet(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path / "cables.csv",
        "multi-plane",
        "--planes",
        "2",
        "--endpoints",
        "512",
        "--tiers",
        "2",
    )
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for cable in plan:
        if cable["kind"] != "host":
            parent[root(cable["from_device"])] = root(cable["to_device"])
    assert len({root(name) for name in list(parent)}) == 2


def test_plan_is_the_same_twice(tmp_path: Path) -> None:
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    arguments = ("fabric", "dragonfly", "--h", "2", "--cables")
    for file, seed in ((first, "1"), (second, "2")):
        assert run_process(*arguments, str(file), PYTHONHASHSEED=seed).status == 0
    assert first.read_bytes() == second.read_bytes()
    assert first.read_bytes().count(b"\n") == 1 + 72 + 90


def test_plan_of_a_design(tmp_path: Path) -> None:
    plan = plan_of(tmp_path / "cables.csv", "--design", "llama-3-70b-1024-h100")
    assert len(plan) == 1024 + 1024


def test_json_and_plan_in_one_run(tmp_path: Path) -> None:
    file = tmp_path / "cables.csv"
    record = answer("fat-tree", "--endpoints", 128, "--radix", 16, "--cables", file)
    rows = len(file.read_text(encoding="utf-8").splitlines()) - 1
    assert rows == record["links"]["host"] + record["links"]["inter_switch"]


# Laws

RADIXES = st.sampled_from((8, 16, 32, 40, 64, 128, 144))


@settings(max_examples=40)
@given(st.sampled_from(CLOS), RADIXES, st.integers(1, 4000), st.booleans(), st.integers(1, 4))
def test_clos_fits_its_ports(
    family: str, radix: int, servers: int, evenly: bool, taper: int
) -> None:
    largest = radix**3 // 4 // 8 // 8
    endpoints = 8 * min(servers, max(largest, 1))
    record = answer(
        *(family, "--endpoints", endpoints, "--radix", radix, "--oversubscription", taper),
        *(("--spread-evenly",) if evenly else ()),
    )
    check_sums(record)
    switches = {tier: record["switches"].get(tier, 0) for tier in ("leaf", "spine", "core")}
    links = {kind: record["links"].get(kind, 0) for kind in ("host", "leaf_spine", "spine_core")}
    assert record["endpoints"] == links["host"] == endpoints
    assert links["host"] + links["leaf_spine"] <= switches["leaf"] * radix
    assert links["leaf_spine"] + links["spine_core"] <= switches["spine"] * radix
    assert links["spine_core"] <= switches["core"] * radix
    assert record["oversubscription"] <= taper + 1e-9
    assert record["transceivers"] == 2 * (links["host"] + record["links"]["inter_switch"])
    if links["leaf_spine"] and switches["leaf"] > 1:
        assert record["diameter"] == (4 if links["spine_core"] else 2)


@settings(max_examples=20)
@given(st.sampled_from((8, 16, 32, 64, 128)), st.sampled_from((2, 3)), st.integers(1, 8))
def test_full_and_untapered_is_one_to_one(radix: int, tiers: int, share: int) -> None:
    full = radix**tiers // 2 ** (tiers - 1)
    endpoints = full // 8 * share
    record = answer("fat-tree", "--endpoints", endpoints, "--radix", radix, "--tiers", tiers)
    assert record["oversubscription"] == 1
    assert record["links"]["leaf_spine"] >= endpoints
    if share == 8:
        assert record["switches"]["total"] == (2 * tiers - 1) * full // radix
        assert record["bisection_links"] == full // 2


@settings(max_examples=20)
@given(st.sampled_from((32, 64, 128)), st.integers(1, 64), st.sampled_from((2, 4)))
def test_twice_the_planes_is_twice_the_fabric(radix: int, servers: int, planes: int) -> None:
    arguments = ("multi-plane", "--endpoints", 8 * servers, "--radix", radix, "--planes")
    one, two = answer(*arguments, planes), answer(*arguments, 2 * planes)
    for part in ("switches", "links"):
        assert two[part] == {name: 2 * count for name, count in one[part].items()}
    assert two["transceivers"] == 2 * one["transceivers"]
    assert two["oversubscription"] == one["oversubscription"]
    assert two["diameter"] == one["diameter"]


@settings(max_examples=20)
@given(st.sampled_from((16, 32, 64)), st.integers(1, 64))
def test_spines_divide_the_uplinks_of_a_leaf(radix: int, share: int) -> None:
    endpoints = max(radix, radix * radix // 2 * share // 64)
    record = answer(
        *("fat-tree", "--endpoints", endpoints, "--radix", radix, "--tiers", 2, "--spread-evenly")
    )
    uplinks = record["links"]["leaf_spine"] / record["switches"]["leaf"]
    assert uplinks % record["switches"]["spine"] == 0


@settings(max_examples=20)
@given(st.sampled_from((16, 64)), st.integers(1, 200), st.integers(1, 50))
def test_more_endpoints_never_need_fewer_switches(radix: int, servers: int, more: int) -> None:
    few, many = (
        answer("fat-tree", "--endpoints", 2 * each, "--radix", radix, "--tiers", 3)
        for each in (servers, servers + more)
    )
    assert few["switches"]["total"] <= many["switches"]["total"]


@settings(max_examples=20)
@given(st.integers(1, 12), st.data())
def test_dragonfly_of_any_number_of_groups(h: int, data: st.DataObject) -> None:
    routers, largest = 2 * h, 2 * h * h + 1
    groups = data.draw(st.integers(2, largest))
    record = answer("dragonfly", "--h", h, "--a", routers, "--p", h, "--groups", groups)
    check_sums(record)
    assert record["switches"]["total"] == routers * groups
    assert record["endpoints"] == record["links"]["host"] == h * routers * groups
    local = groups * routers * (routers - 1) // 2
    assert local < record["links"]["inter_switch"] <= local + groups * routers * h // 2
    assert 1 <= record["diameter"] <= 3


@settings(max_examples=20)
@given(st.lists(st.integers(2, 9), min_size=1, max_size=3), st.integers(1, 8))
def test_hyperx_of_any_shape(dims: list[int], p: int) -> None:
    record = answer("hyperx", "--dims", "x".join(map(str, dims)), "--p", p)
    check_sums(record)
    routers = 1
    for side in dims:
        routers *= side
    assert record["switches"]["total"] == routers
    assert record["links"]["host"] == routers * p
    assert record["links"]["inter_switch"] == routers * sum(side - 1 for side in dims) // 2
    assert record["diameter"] == len(dims)


@settings(max_examples=20)
@given(st.lists(st.integers(3, 12), min_size=2, max_size=3))
def test_torus_of_any_shape(dims: list[int]) -> None:
    record = answer("torus", "--dims", "x".join(map(str, dims)))
    check_sums(record)
    nodes = 1
    for side in dims:
        nodes *= side
    assert record["endpoints"] == nodes
    assert record["links"]["inter_switch"] == len(dims) * nodes
    assert record["diameter"] == sum(side // 2 for side in dims)


# SuperPOD H100 major parts: 16 storage switches for four scalable units; a plan of their cables.
def test_the_networks_beside_have_counts_and_plans(tmp_path: Path) -> None:
    plan = tmp_path / "storage.csv"
    design = tmp_path / "superpod.yaml"
    design.write_text("cluster: {server: dgx-h100, gpus: 1016}\n", encoding="utf-8")
    command = ["fabric", "--design", str(design), "--network", "storage", "--json"]
    run = CliRunner().invoke(app, [*command, "--cables", str(plan)])
    assert run.exit_code == 0, run.output
    record = strict_json(run.stdout)
    assert record["switches"]["total"] == 16
    rows = list(csv.DictReader(plan.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == record["links"]["host"] + record["links"]["inter_switch"]
    assert len(rows) == 302 + 240  # 254 of servers and 48 of storage and managers; leaf to spine
    assert {row["to_device"].rsplit("-", 1)[0] for row in rows} == {"storage-leaf", "storage-spine"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("clos", "fat-tree"),
        ("rail-optimized", "rail-optimised"),
        ("Slim_Fly", "slim-fly"),
        ("dragonfly+", "dragonfly-plus"),
    ],
)
def test_families_go_by_their_other_names(said: str, meant: str) -> None:
    run = CliRunner().invoke(app, ["fabric", said, "--endpoints", "256", "--json"])
    assert strict_json(run.stdout)["family"] == meant


# SuperPOD H100 with a node less: the ports of the missing node stay free, uplinks are 33 to 64.
def test_a_missing_server_leaves_its_ports_free(tmp_path: Path) -> None:
    plan = tmp_path / "cables.csv"
    command = "fabric rail-optimised --endpoints 248 --radix 64 --unit-servers 32 --cables"
    assert CliRunner().invoke(app, [*command.split(), str(plan)]).exit_code == 0
    rows = list(csv.DictReader(plan.read_text(encoding="utf-8").splitlines()))
    uplinks = {int(row["from_port"]) for row in rows if row["kind"] == "leaf_spine"}
    down = {int(row["to_port"]) for row in rows if row["kind"] == "host"}
    assert uplinks == set(range(33, 65))
    assert down == set(range(1, 32))


# HammingMesh (SC'22), small Hx2Mesh and Hx4Mesh: 32 and 16 switches of 64 ports a plane.
@pytest.mark.parametrize(("side", "boards", "switches"), [(2, 16, 32), (4, 8, 16)])
def test_a_hammingmesh_is_counted(side: int, boards: int, switches: int) -> None:
    command = f"fabric hammingmesh --a {side} --dims {boards}x{boards} --radix 64"
    record = strict_json(CliRunner().invoke(app, [*command.split(), "--json"]).stdout)
    assert record["endpoints"] == 1024
    assert record["switches"]["total"] == switches
    assert not record["buildable"]
    refused = CliRunner().invoke(app, [*command.split(), "--cables", "plan.csv"])
    assert refused.exit_code == 2


# 32 leaves on 16 spines with two links each, and 64 leaves on 32 spines with one: half must move.
def test_growth_says_what_moves_and_what_to_buy(tmp_path: Path) -> None:
    moves = tmp_path / "moves.csv"
    command = "fabric rail-optimised --endpoints 1024 --radix 64 --grow-to 2048 --json --moves"
    run = CliRunner().invoke(app, [*command.split(), str(moves)])
    growth = strict_json(run.stdout)["growth"]
    assert growth["stays"] == {"host": 1024, "leaf_spine": 512}
    assert growth["moves"] == {"host": 0, "leaf_spine": 512}
    assert growth["new"] == {"host": 1024, "leaf_spine": 1024}
    assert growth["buy_now"] == {"spine": 16}
    assert growth["moves_if_bought"] == 0
    rows = list(csv.DictReader(moves.read_text(encoding="utf-8").splitlines()))
    assert len(rows) == 512
    assert all(row["device"].startswith("leaf-") and row["from"] != row["to"] for row in rows)
    assert CliRunner().invoke(app, [*command.split()[:4], "--grow-to", "512"]).exit_code == 2


def test_a_single_switch_stays_one() -> None:
    run = CliRunner().invoke(
        app, ["fabric", "single-switch", "--endpoints", "32", "--tiers", "2", "--json"]
    )
    record = strict_json(run.stdout)
    assert record["switches"]["total"] == 1
    assert any("tiers" in note for note in record["notes"])
