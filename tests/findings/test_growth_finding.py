"""Twice the GPUs: which cables would move, and what to buy now so that none does."""

from __future__ import annotations

from typing import Any

import pytest

from netdesign.catalog import load_catalog
from netdesign.design import default_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.fabrics import spec_of
from netdesign.findings.finding import Finding
from netdesign.findings.growth import cables_move_when_it_doubles, doubling
from netdesign.topology.families import build
from netdesign.topology.growth import compare, ready_to_grow

CODE = "cables-move-when-it-doubles"
FAMILIES = ("fat-tree", "fat-tree-2", "fat-tree-3", "rail-optimised", "rail-only", "single-switch")


def evaluated(**changes: Any) -> Evaluation:
    paths = {key.replace("__", "."): value for key, value in changes.items()}
    return evaluate(default_design().with_values(paths))


def spoken(evaluation: Evaluation) -> Finding | None:
    return next((each for each in evaluation.findings if each.code == CODE), None)


def test_two_tiers_that_double() -> None:
    """32 leaves on 16 spines, two links each, become 64 on 32 with one: half of them move."""
    evaluation = evaluated(cluster__gpus=1024, network__family="rail-optimised")
    found = spoken(evaluation)
    assert found is not None
    assert found.severity == "note"
    assert found.sentence == "Twice the GPUs: 512 of 1,024 cables between switches would move."
    price = next(row.unit_price_usd for row in evaluation.bom.rows if row.place == "spine")
    assert price is not None
    assert found.fix == (
        "If it will grow, buy 32 spines now instead of 16: nothing moves later "
        f"(${16 * price:,.0f} for the switches)."
    )


def test_two_tiers_that_become_three() -> None:
    """A full two-tier fabric of 64 ports: its spines give half their ports to cores."""
    found = spoken(evaluated(cluster__gpus=2048, network__family="fat-tree"))
    assert found is not None
    assert "1,024 of 2,048 cables between switches" in found.sentence
    assert "buy 64 spines and 64 cores now instead of 32 spines:" in found.fix


def test_servers_on_shared_leaves_move_too() -> None:
    """8 servers share two leaves between four rails each; 16 share four, of two rails each."""
    found = spoken(evaluated(cluster__gpus=64, network__family="rail-optimised"))
    assert found is not None
    assert "32 of 64 cables between switches and 48 of 64 cables of servers" in found.sentence
    assert "buy 4 leaves and 2 spines now instead of 2 leaves and 1 spine:" in found.fix


def test_a_pod_that_is_alone_needs_no_core_yet() -> None:
    """16 leaves in three tiers: the pod of tomorrow has 32 spines, and joins them all itself."""
    found = spoken(evaluated(cluster__gpus=512, network__family="fat-tree-3"))
    assert found is not None
    assert "buy 32 spines now instead of 16 spines and 8 cores:" in found.fix


def test_no_price_no_sum() -> None:
    found = spoken(evaluated(cluster__server="dgx-b300", network__switch="q3400-ra"))
    assert found is not None
    assert "$" not in found.fix


@pytest.mark.parametrize(
    "changes",
    [
        {"cluster__gpus": 32, "network__family": "single-switch"},  # 64 ports hold twice as many
        {"cluster__gpus": 256, "network__family": "rail-only"},  # 32 ports of 64 a rail, then 64
        {"cluster__gpus": 65536, "network__family": "fat-tree"},  # ends there: nothing to compare
        {"cluster__gpus": 4096, "network__family": "single-switch"},  # cannot be built
    ],
)
def test_silent_where_no_cable_moves(changes: dict[str, Any]) -> None:
    assert spoken(evaluated(**changes)) is None


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("gpus", [24, 200, 1000, 2048, 4096])
@pytest.mark.parametrize("taper", [1.0, 3.0])
def test_the_finding_counts_what_the_built_graph_counts(
    family: str, gpus: int, taper: float
) -> None:
    changes = {"network__family": family, "network__oversubscription": taper}
    evaluation = evaluated(cluster__gpus=gpus, **changes)
    larger = evaluated(cluster__gpus=2 * gpus, **changes)
    if not larger.fabric.buildable:
        assert doubling(evaluation) is None
        assert cables_move_when_it_doubles(evaluation) is None
        return
    said = doubling(evaluation)
    assert said is not None
    growth = compare(build(spec_of(evaluation)), build(spec_of(larger)))
    assert said.host == growth.moves["host"]
    assert said.between_switches == growth.moved_between_switches
    assert sum(said.today.values()) == evaluation.fabric.switches
    ready = ready_to_grow(spec_of(evaluation), spec_of(larger))
    assert ready.prepared.moved == 0
    assert ready.extra == {tier: said.ready[tier] - said.today[tier] for tier in said.ready}


def test_the_largest_design_can_be_asked() -> None:
    highest = load_catalog().parameters["cluster.gpus"].highest
    assert highest is not None
    evaluation = evaluated(cluster__gpus=int(highest), network__switch="q3400-ra")
    assert spoken(evaluation) is None or evaluation.fabric.buildable
