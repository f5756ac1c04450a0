"""Figures of transports: framing by formula, queue pairs, reduction in switches, overrides."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.catalog import load_catalog
from netdesign.catalog.transport_facts import (
    FIGURES,
    facts_of,
    figure_rows,
    header_rows,
    reduction_rows,
    transport_facts,
)
from netdesign.comparison.figures import OVERRIDABLE, figures_of, read_overrides
from netdesign.errors import DesignError
from netdesign.network.congestion import ecmp_slowest_estimate
from netdesign.network.transport import (
    balance_with_queue_pairs,
    frame_efficiency,
    reduction_gain,
)

TRANSPORTS = load_catalog().transports


# Ceilings by framing, published: InfiniBand 99.4 and 97.5 %, RoCEv2 98.0 and 92.6 %.
@pytest.mark.parametrize(
    ("transport", "mtu", "share"),
    [
        ("infiniband", 4096, 0.994),
        ("infiniband", 1024, 0.975),
        ("roce-hashed", 4096, 0.980),
        ("roce-hashed", 1024, 0.926),
        ("roce-adaptive", 4096, 0.980),
    ],
)
def test_framing_follows_from_mtu_and_headers(transport, mtu, share):
    assert frame_efficiency(mtu, TRANSPORTS[transport].overhead_bytes) == pytest.approx(
        share, abs=5e-4
    )
    figures = figures_of(transport, {transport: {"mtu_bytes": mtu}})
    assert figures.framing.value == pytest.approx(share, abs=5e-4)
    assert figures.framing.grade == "yours"


def test_the_row_and_the_formula_agree_on_framing():
    for row in TRANSPORTS.values():
        assert row.framing_efficiency == pytest.approx(
            frame_efficiency(row.mtu_bytes, row.overhead_bytes)
        )


@pytest.mark.parametrize("technology", ["infiniband", "ethernet"])
def test_overhead_is_the_sum_of_the_headers(technology):
    headers = sum(row.bytes for row in header_rows() if row.framing == technology)
    rows = [row for row in TRANSPORTS.values() if row.technology == technology]
    assert {row.overhead_bytes for row in rows} == {headers}


# Monte Carlo of hashing, L = 16: flows per uplink and rate of the slowest.
@pytest.mark.parametrize(
    ("before", "pairs", "after"), [(0.508, 4, 0.681), (0.600, 4, 0.756), (0.508, 8, 0.756)]
)
def test_queue_pairs_scale_as_thrown_dice(before, pairs, after):
    assert balance_with_queue_pairs(before, pairs) == pytest.approx(after, abs=0.02)


@given(links=st.integers(2, 512), flows=st.floats(1, 64), pairs=st.integers(1, 128))
def test_queue_pairs_scale_as_the_estimate_does(links, flows, pairs):
    one = ecmp_slowest_estimate(links, flows)
    assert balance_with_queue_pairs(one, pairs) == pytest.approx(
        ecmp_slowest_estimate(links, flows * pairs)
    )


def test_the_row_with_four_queue_pairs_is_the_formula():
    one = TRANSPORTS["roce-hashed"].balance_efficiency
    assert TRANSPORTS["roce-queue-pairs"].balance_efficiency == pytest.approx(
        balance_with_queue_pairs(one, 4), abs=5e-4
    )
    low = figure_rows()["roce-queue-pairs balance_efficiency"].low
    assert low == pytest.approx(balance_with_queue_pairs(0.814, 4), abs=1e-3)
    pairs = figures_of("roce-hashed", {"roce-hashed": {"queue_pairs": 4}})
    assert pairs.balance.value == pytest.approx(0.959, abs=5e-4)
    assert pairs.balance.low < pairs.balance.value <= pairs.balance.high
    assert (pairs.balance.grade, pairs.queue_pairs) == ("computed", 4)


# NCCL's tuner counts reduction in switches at 0.85: 2 x 127 / 128 x 0.85 = 1.687 for 128 servers.
@pytest.mark.parametrize(
    ("ranks", "efficiency", "largest", "gain"),
    [(128, 0.85, 1.7, 1.687), (2, 0.85, 1.7, 1.0), (128, 1.0, 2.0, 1.984), (128, 0.85, 1.2, 1.2)],
)
def test_reduction_in_switches(ranks, efficiency, largest, gain):
    assert reduction_gain(ranks, efficiency, largest) == pytest.approx(gain, abs=1e-3)


def test_reduction_in_switches_is_for_all_reduce_in_every_generation():
    assert set(reduction_rows()) == {"HDR", "NDR", "XDR"}
    assert {row.operations for row in reduction_rows().values()} == {"all-reduce"}
    gains = reduction_gain(np.array([1, 2, 8, 1024]), 0.85, 1.7)
    assert np.all(np.diff(gains) >= 0)
    assert gains[0] == 1.0


def test_every_figure_of_every_transport_has_a_grade_and_holds_its_value():
    for transport, row in TRANSPORTS.items():
        for name in FIGURES:
            known = figure_rows()[f"{transport} {name}"]
            value = row.framing_efficiency if name == "framing" else getattr(row, name)
            low = value if known.low is None else known.low
            high = value if known.high is None else known.high
            assert low <= value <= high, (transport, name)
    assert {key.split(" ")[0] for key in figure_rows()} == set(TRANSPORTS)


def test_every_source_is_in_the_references():
    references = load_catalog().references
    rows = (
        *figure_rows().values(),
        *header_rows(),
        *reduction_rows().values(),
        *transport_facts(),
    )
    assert {row.source for row in rows} <= set(references)


@pytest.mark.parametrize("transport", list(TRANSPORTS))
@pytest.mark.parametrize(
    "topic", ["load-balancing", "congestion-control", "operations", "risk", "configure"]
)
def test_every_transport_says_what_to_know(transport, topic):
    assert facts_of(transport, topic)


def test_no_fact_is_of_an_unknown_transport():
    assert {fact.transport for fact in transport_facts()} == set(TRANSPORTS)


def test_a_planners_figure_stands_in_for_the_data():
    overrides = read_overrides(
        ["transport.roce-hashed.balance_efficiency=0.95", "transport.srd.base_latency_us=8"]
    )
    hashed, srd = figures_of("roce-hashed", overrides), figures_of("srd", overrides)
    assert (hashed.balance.value, hashed.balance.grade) == (0.95, "yours")
    assert hashed.balance.low == hashed.balance.high == 0.95
    assert srd.base_latency.value == pytest.approx(8e-6)
    assert hashed.base_latency.grade == "secondary"
    assert figures_of("infiniband", overrides) == figures_of("infiniband")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a figure of a transport"),
        ("transport.roce-hashed.balance_efficiency", "is not a figure of a transport"),
        ("network.roce-hashed.balance_efficiency=1", "is not a figure of a transport"),
        ("transport.nobody.balance_efficiency=1", "is not a known transport"),
        ("transport.srd.balance=1", "did you mean balance_efficiency"),
        ("transport.srd.balance_efficiency=much", "is out of range"),
        ("transport.srd.balance_efficiency=nan", "is out of range"),
        ("transport.srd.balance_efficiency=inf", "is out of range"),
        ("transport.srd.balance_efficiency=1.01", "from 0.01 to 1"),
        ("transport.srd.queue_pairs=2.5", "a whole number from 1 to 128"),
    ],
)
def test_a_wrong_override_is_one_sentence(text, said):
    with pytest.raises(DesignError, match=said) as caught:
        read_overrides([text])
    assert "\n" not in str(caught.value)


def test_every_override_changes_a_figure():
    plain = figures_of("roce-hashed")
    for name, (lowest, highest) in OVERRIDABLE.items():
        value = lowest if name != "queue_pairs" else highest
        assert figures_of("roce-hashed", {"roce-hashed": {name: value}}) != plain, name
