"""What the planner is told about failures and checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from netdesign.design import default_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.findings.finding import Finding


def evaluated(**changes: Any) -> Evaluation:
    paths = {path.replace("__", "."): value for path, value in changes.items()}
    return evaluate(default_design().with_values(paths))


def said(evaluation: Evaluation, code: str) -> Finding | None:
    return next((each for each in evaluation.findings if each.code == code), None)


def fixed(evaluation: Evaluation, found: Finding) -> Evaluation:
    assert found.field
    return evaluate(evaluation.design.with_values({found.field: found.suggestion}))


LARGE = {"cluster__gpus": 16384, "model__preset": "llama-3.1-405b", "training__global_batch": 4096}


def test_a_slow_write_on_many_gpus_leaves_too_little_time() -> None:
    slow = evaluated(**LARGE, reliability__storage_write_gbytes_per_s_per_gpu=0.006)
    assert slow.goodput.write_s == pytest.approx(57.8, abs=0.1)  # 5.68 TB
    found = said(slow, "ettr-low")
    assert found is not None
    assert found.severity == "warning"
    assert "85.2%" in found.sentence
    assert "3.09 h" in found.sentence
    assert found.field == "reliability.checkpoint_stall_s"
    assert fixed(slow, found).goodput.ettr >= 0.9
    assert said(fixed(slow, found), "ettr-low") is None


def test_a_slow_restart_is_mended_by_a_faster_one() -> None:
    slow = evaluated(**LARGE, reliability__restart_minutes=40.0)
    found = said(slow, "ettr-low")
    assert found is not None
    assert found.field == "reliability.restart_minutes"
    assert fixed(slow, found).goodput.ettr == pytest.approx(0.9, abs=1e-3)


def test_nothing_alone_may_be_enough() -> None:
    found = said(
        evaluated(
            **LARGE,
            reliability__restart_minutes=60.0,
            reliability__storage_write_gbytes_per_s_per_gpu=0.001,
        ),
        "ettr-low",
    )
    assert found is not None
    assert found.suggestion is None


def test_storage_that_keeps_the_job_waiting() -> None:
    slow = evaluated(**LARGE, reliability__storage_write_gbytes_per_s_per_gpu=0.003)
    found = said(slow, "checkpoint-write-slow")
    assert found is not None
    assert said(fixed(slow, found), "checkpoint-write-slow") is None
    by_hand = evaluated(reliability__checkpoint_interval_minutes=2.0)
    found = said(by_hand, "checkpoint-write-slow")
    assert found is not None
    assert said(fixed(by_hand, found), "checkpoint-write-slow") is None


def test_a_write_behind_training_must_end_before_the_next() -> None:
    late = evaluated(
        **LARGE,
        reliability__checkpoint_stall_s=2.0,
        reliability__storage_write_gbytes_per_s_per_gpu=0.0005,
    )
    assert late.goodput.write_s == 2
    found = said(late, "checkpoint-write-slow")
    assert found is not None
    assert "next is due" in found.sentence
    assert said(fixed(late, found), "checkpoint-write-slow") is None


def test_many_single_cables_stop_a_job_every_few_days() -> None:
    found = said(evaluated(**LARGE, network__family="rail-optimised"), "single-tor-stops")
    assert found is not None
    assert found.severity == "note"
    assert "9.3 cables" in found.sentence
    assert said(evaluated(), "single-tor-stops") is None


def test_checkpoints_on_the_compute_fabric_are_told_of() -> None:
    assert said(evaluated(), "storage-on-compute-fabric") is None
    waiting = evaluated(reliability__checkpoint_network="compute")
    found = said(waiting, "storage-on-compute-fabric")
    assert found is not None
    assert found.severity == "note"
    assert "while training waits" in found.sentence
    assert said(fixed(waiting, found), "storage-on-compute-fabric") is None
    beside = evaluated(
        model__preset="llama-3.1-405b",
        cluster__gpus=1024,
        reliability__checkpoint_network="compute",
        reliability__checkpoint_stall_s=0.5,
        reliability__storage_write_gbytes_per_s_per_gpu=8.0,
    )
    found = said(beside, "storage-on-compute-fabric")
    assert found is not None
    assert found.severity == "warning"
    assert "16.0% of the ports" in found.sentence
