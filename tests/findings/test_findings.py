"""Each rule speaks when it should, is silent when it should, and its suggestion cures it."""

from __future__ import annotations

import pytest

from netdesign.design import default_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.findings import SEVERITIES


def evaluated(**changes: object) -> Evaluation:
    paths = {key.replace("__", "."): value for key, value in changes.items()}
    return evaluate(default_design().with_values(paths))


def codes(evaluation: Evaluation) -> list[str]:
    return [finding.code for finding in evaluation.findings]


MANUAL = {
    "plan__mode": "manual",
    "plan__tensor": 8,
    "plan__pipeline": 4,
    "plan__sharding": "zero-1",
}

CASES = {
    "memory-does-not-fit": {**MANUAL, "plan__tensor": 1, "plan__pipeline": 1},
    "fabric-too-large": {"network__family": "fat-tree-2", "cluster__gpus": 8192},
    "single-switch-is-full": {"network__family": "single-switch"},
    "one-switch-would-do": {"cluster__gpus": 64},
    "wrong-technology": {"network__transport": "roce-adaptive"},
    "switch-of-the-transport": {"network__transport": "roce-adaptive"},
    "tensor-leaves-domain": {**MANUAL, "plan__tensor": 16},
    "idle-gpus": {**MANUAL, "cluster__gpus": 1000},
    "communication-over-budget": {"target__communication_share": 0.005},
    "sharded-over-taper": {
        **MANUAL,
        "plan__pipeline": 1,
        "plan__sharding": "fsdp",
        "network__oversubscription": 4,
    },
    "leaf-pairs-share-less": {"network__oversubscription": 4, "network__spines": "fewest"},
    "pod-pairs-share-less": {
        "network__family": "fat-tree-3",
        "network__oversubscription": 4,
        "network__spines": "fewest",
        "cluster__gpus": 8192,
    },
    "wrong-switch": {"cluster__server": "aws-p5en"},
    "srd-is-not-chosen": {
        "cluster__server": "aws-p5en",
        "network__switch": "sn5600",
        "network__transport": "roce-adaptive",
    },
    "run-outlives-hardware": {"cluster__gpus": 32, "training__token_budget_trillion": 15},
    "hashed-paths": {"network__switch": "sn5600", "network__transport": "roce-hashed"},
    "slow-links": {"network__switch": "qm8700"},
    "bubble-is-large": {**MANUAL, "plan__pipeline": 16, "training__global_batch": 64},
    "batch-does-not-divide": {**MANUAL, "training__global_batch": 2047},
    "uneven-stages": {**MANUAL, "plan__pipeline": 32},
    "longer-than-context": {"training__sequence_length": 131072, "training__global_batch": 128},
    "partly-filled-server": {"cluster__gpus": 1020},
    "prices-missing": {"cluster__server": "dgx-b300", "network__switch": "q3400-ra"},
}


@pytest.mark.parametrize("code", CASES)
def test_a_rule_speaks(code):
    assert code in codes(evaluated(**CASES[code]))


@pytest.mark.parametrize("code", CASES)
def test_a_rule_is_silent_on_the_default_design(code):
    assert code not in codes(evaluated())


@pytest.mark.parametrize("code", CASES)
def test_what_a_finding_suggests_cures_it(code):
    before = evaluated(**CASES[code])
    finding = next(item for item in before.findings if item.code == code)
    if not finding.field:
        pytest.skip(f"{code} names no single value that would cure it: {finding.fix}")
    if finding.suggestion is None:
        pytest.skip(f"{code} has no value to suggest: {finding.fix}")
    after = evaluate(before.design.with_values({finding.field: finding.suggestion}))
    assert code not in codes(after)


def test_what_uneven_wiring_costs_is_said_with_its_cure():
    found = evaluated(**CASES["leaf-pairs-share-less"]).findings
    finding = next(item for item in found if item.code == "leaf-pairs-share-less")
    assert finding.severity == "warning"
    assert finding.sentence == (
        "5 spines do not divide the 13 uplinks of a leaf: some leaves meet over 11 of them only, "
        "and get 21.6% of peak between the two instead of 25.5%, less than the 25.0% asked for."
    )
    assert finding.fix.startswith("7 spines in all instead of 5")
    assert (finding.field, finding.suggestion) == ("network.spines", "auto")


def test_below_cores_the_cure_is_a_number_of_spines_that_divides():
    # Two pods of 32 and 9 leaves: 13 spines each instead of 13 and 4.
    changes = {"network__family": "fat-tree-3", "network__oversubscription": 4}
    before = evaluated(**changes, network__spines="fewest", cluster__gpus=2048)
    finding = next(item for item in before.findings if item.code == "leaf-pairs-share-less")
    assert (finding.field, finding.suggestion) == ("network.spines", "auto")
    assert "12 of them only, and get 23.5% of peak" in finding.sentence
    assert finding.fix.startswith("26 spines in all instead of 17")
    assert not uneven(evaluated(**changes, cluster__gpus=2048))
    # A pod alone: the fewest spines have the ports for leaves that are cabled alike.
    assert not uneven(evaluated(**changes, network__spines="fewest", cluster__gpus=200))


def test_a_taper_that_saves_too_little_says_what_pods_get_and_what_cures_it():
    """1.25 : 1 saves 43 of 399 switches; cores that divide the links of its pods are 50 more."""
    changes = {"network__family": "fat-tree-3", "cluster__gpus": 5064}
    tapered = {**changes, "network__oversubscription": 1.25}
    found, untapered = evaluated(**tapered), evaluated(**changes)
    even = evaluated(**tapered, network__spines="even")
    assert found.fabric.switches <= untapered.fabric.switches < even.fabric.switches
    finding = next(item for item in found.findings if item.code == "pod-pairs-share-less")
    assert finding.severity == "warning"
    assert finding.sentence == (
        "66 cores do not divide the 928 links that a pod has to them: some pods get 77.6% of peak "
        "between the two instead of 82.9%, less than the 80.0% asked for."
    )
    assert finding.fix.startswith("145 spines and 116 cores instead of 145 and 66")
    assert (finding.field, finding.suggestion) == ("network.spines", "even")
    assert not uneven(even)


def uneven(evaluation):
    return set(codes(evaluation)) & {"leaf-pairs-share-less", "pod-pairs-share-less"}


def test_uneven_wiring_that_keeps_what_was_asked_for_is_a_note():
    changes = {"network__family": "fat-tree", "network__spines": "fewest"}
    found = evaluated(**changes, network__oversubscription=6, cluster__gpus=1024).findings
    finding = next(item for item in found if item.code == "leaf-pairs-share-less")
    # 54 ports down and 10 up are better than 6 : 1; 9 up are as good.
    assert finding.severity == "note"
    assert finding.sentence.endswith("get 16.7% of peak between the two instead of 18.5%.")


def test_worst_first():
    ranks = [
        SEVERITIES.index(finding.severity)
        for finding in evaluated(network__family="single-switch", cluster__gpus=1020).findings
    ]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0


def test_every_finding_says_a_number():
    for changes in CASES.values():
        for finding in evaluated(**changes).findings:
            assert finding.sentence.endswith(".")
            text = finding.sentence + finding.fix + str(finding.suggestion)
            assert any(letter.isdigit() for letter in text) or finding.suggestion is not None, text
