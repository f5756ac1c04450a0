"""Dual top-of-rack switches and two planes against what they save."""

from __future__ import annotations

import pytest

from netdesign.economics.cost import capital_recovery_factor
from netdesign.evaluate import evaluate
from netdesign.failures import redundancy

from .breaking import design


def test_nine_cables_a_month_stop_a_large_job() -> None:
    large = design(cluster__gpus=4096, plan__pipeline=8)
    own, dual, planes = redundancy(evaluate(large))
    assert own.stops_per_month == pytest.approx(4096 * 0.00684 / 12, rel=0.05)
    assert dual.stops_per_month < 0.01 * own.stops_per_month
    assert planes.stops_per_month < 0.01 * own.stops_per_month
    assert own.pays_over(own) is False
    assert own.extra_usd == 0
    assert dual.counts is not None
    assert own.counts is not None
    assert dual.counts.host_links == 2 * own.counts.host_links


def test_a_second_cable_costs_what_the_first_did() -> None:
    evaluation = evaluate(design())
    own, dual, _ = redundancy(evaluation)
    access = [
        row.total_usd
        for row in evaluation.bom.rows
        if row.place in ("access", "server") and row.kind in ("cable", "transceiver")
    ]
    assert dual.extra_usd == pytest.approx(sum(usd or 0.0 for usd in access))
    yearly = float(capital_recovery_factor(0.1, 5)) + 0.1
    assert dual.extra_usd is not None
    assert dual.extra_usd_per_month == pytest.approx(dual.extra_usd * yearly / 12)
    assert dual.pays_over(own) is False


def test_it_pays_where_links_fail_often_and_hours_are_dear() -> None:
    dear = design(
        cluster__gpus=4096,
        plan__pipeline=8,
        reliability__link_failures_per_year=0.5,
        reliability__repair_hours=0.5,
        economics__rental_usd_per_gpu_hour=10.0,
    )
    own, dual, planes = redundancy(evaluate(dear))
    assert own.lost_share > dual.lost_share
    assert dual.pays_over(own) is True
    assert planes.pays_over(own) is True


def test_what_cannot_be_built_says_so() -> None:
    own, dual, planes = redundancy(evaluate(design(network__family="rail-only")))
    assert own.problem == ""
    assert "spines" in dual.problem
    assert dual.pays_over(own) is None
    assert planes.problem == ""


def test_losses_grow_with_the_rate() -> None:
    lost = [
        redundancy(evaluate(design(reliability__link_failures_per_year=rate)))[0].lost_s_per_month
        for rate in (0.001, 0.01, 0.1)
    ]
    assert lost == sorted(lost)
    assert lost[0] < lost[-1]
