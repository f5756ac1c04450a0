"""The setting ``network.spines``: what is counted is what is built, whoever asks."""

from __future__ import annotations

from timeit import timeit

import pytest

from netdesign.design import default_design, design_from_query, design_to_query
from netdesign.errors import DesignError
from netdesign.evaluate import evaluate
from netdesign.fabrics import described, spec_of
from netdesign.findings.fabric import leaf_pairs_share_less, pod_pairs_share_less
from netdesign.sensitivity import sensitivity
from netdesign.topology.counting import count
from netdesign.topology.families import build, size


def designed(**changes):
    paths = {key.replace("__", "."): value for key, value in changes.items()}
    return default_design().with_values({"network.oversubscription": 4, **paths})


@pytest.mark.parametrize(
    ("family", "gpus", "spines"),
    [
        # 24 leaves with 13 uplinks: 320 ports of 5 spines would do.
        ("rail-optimised", 1024, {"auto": 7, "even": 13, "fewest": 5}),
        ("fat-tree", 1024, {"auto": 5, "even": 13, "fewest": 5}),
        ("fat-tree", 1200, {"auto": 7, "even": 13, "fewest": 5}),
        # 21 leaves in one pod, whose spines have 32 ports down: one for each leaf.
        ("fat-tree-3", 1024, {"auto": 13, "even": 13, "fewest": 9}),
        ("fat-tree-3", 200, {"auto": 2, "even": 13, "fewest": 2}),
        # 32 and 9 leaves: 13 spines above each.
        ("fat-tree-3", 2048, {"auto": 26, "even": 26, "fewest": 17}),
        # Three leaves a rail.
        ("rail-only", 1024, {"auto": 8, "even": 8, "fewest": 8}),
    ],
)
def test_the_counted_fabric_is_the_built_one(family, gpus, spines):
    for rule, expected in spines.items():
        own = evaluate(designed(network__family=family, cluster__gpus=gpus, network__spines=rule))
        assert own.fabric.spines == expected
        spec = spec_of(own)
        assert size(spec).switches["spine"] == expected
        built = count(build(spec))
        assert built.switches["spine"] == expected
        assert built.links["leaf_spine"] == own.fabric.leaf_spine_links
        assert built.links.get("spine_core", 0) == own.fabric.spine_core_links
        assert built.switches.get("core", 0) == own.fabric.cores
        assert built.stranded_ports == own.fabric.stranded_ports


def test_without_a_taper_only_the_fewest_differ():
    for gpus, auto, fewest in ((760, 16, 12), (1024, 16, 16)):
        found = {
            rule: evaluate(
                designed(network__oversubscription=1, cluster__gpus=gpus, network__spines=rule)
            ).fabric.spines
            for rule in ("auto", "even", "fewest")
        }
        assert found == {"auto": auto, "even": auto, "fewest": fewest}


def test_the_setting_travels_and_a_wrong_one_is_said():
    design = designed(network__spines="even")
    assert "network.spines=even" in design_to_query(design)
    again, ignored = design_from_query(design_to_query(design))
    assert (again.network.spines, ignored) == ("even", ())
    assert described(again).spread_evenly is True
    with pytest.raises(DesignError, match=r"network\.spines: 'evn' is not known.*even"):
        designed(network__spines="evn")


def test_sensitivity_counts_the_same_spines():
    changes = {}
    for rule in ("auto", "fewest"):
        own = evaluate(designed(plan__mode="manual", network__spines=rule))
        moved = evaluate(own.design.with_values({"network.oversubscription": 3.75}))
        swing = next(s for s in sensitivity(own).swings if s.path == "network.oversubscription")
        changes[rule] = swing.down.change["usd_per_million_tokens"]
        ratio = moved.cost.usd_per_million_tokens / own.cost.usd_per_million_tokens
        assert 1 + changes[rule] == pytest.approx(ratio, rel=1e-9)
    assert changes["auto"] != pytest.approx(changes["fewest"], rel=1e-6)


@pytest.mark.parametrize("rule", ["auto", "fewest"])
def test_the_finding_of_pods_keeps_up_with_a_slider(rule):
    own = evaluate(designed(network__family="fat-tree-3", cluster__gpus=8192, network__spines=rule))
    pod_pairs_share_less(own)
    took = min(timeit(lambda: pod_pairs_share_less(own), number=50) for _ in range(3)) / 50
    assert took < 2e-4


def test_the_finding_keeps_up_with_a_slider():
    own = evaluate(designed(network__spines="fewest"))
    leaf_pairs_share_less(own)
    assert min(timeit(lambda: leaf_pairs_share_less(own), number=50) for _ in range(3)) / 50 < 2e-4
