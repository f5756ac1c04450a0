"""The choice of an algorithm for the place where ranks sit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.errors import DesignError
from netdesign.network.collectives import (
    Links,
    algorithm_chosen,
    algorithm_times,
    bus_bandwidth,
    collective_time,
    flat_ring_all_gather_time,
    flat_ring_allreduce_time,
    send_time,
)
from netdesign.workload.plan import GroupSpan

LINKS = Links(
    domain_bandwidth=367e9,
    domain_latency=1e-6,
    network_bandwidth=49e9,
    network_latency=5e-6,
    start_up=50e-6,
)
OPERATIONS = ("all-reduce", "reduce-scatter", "all-gather", "all-to-all", "send")


def span(local: int, domains: int) -> GroupSpan:
    return GroupSpan(ranks=local * domains, stride=1, local=local, domains=domains)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_rank_takes_no_time_not_even_the_start_up(operation):
    assert collective_time(operation, 1e9, span(1, 1), LINKS) == 0
    assert algorithm_chosen(operation, 1e9, span(1, 1), LINKS) == "none"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_start_up_is_paid_once_a_call(operation):
    without = collective_time(operation, 1e9, span(8, 4), replace(LINKS, start_up=0.0))
    assert collective_time(operation, 1e9, span(8, 4), LINKS) - without == pytest.approx(50e-6)


def test_an_operation_without_a_model_is_refused_by_name():
    with pytest.raises(DesignError, match="'gossip'.*all-reduce"):
        collective_time("gossip", 1.0, span(8, 1), LINKS)


def test_large_gathers_follow_the_ring_of_nccl():
    at = (1e9, 8, 4, 367e9, 1e-6, 49e9, 5e-6)
    for operation in ("all-gather", "reduce-scatter"):
        time = collective_time(operation, 1e9, span(8, 4), LINKS)
        assert time == pytest.approx(50e-6 + flat_ring_all_gather_time(*at))
        assert algorithm_chosen(operation, 1e9, span(8, 4), LINKS) == "ring"


def test_small_messages_take_the_tree_and_large_ones_the_ring():
    many = span(8, 64)
    slow = replace(LINKS, network_bandwidth=20e9)
    assert algorithm_chosen("all-reduce", 1e3, many, slow) == "tree"
    assert algorithm_chosen("all-reduce", 1e11, many, slow) == "ring"


def test_two_domains_take_the_tree_where_the_network_is_slow():
    # Two nodes of a tree send their message once: nearly twice the bus bandwidth of a ring.
    assert algorithm_chosen("all-reduce", 1e9, span(8, 2), replace(LINKS, network_bandwidth=12e9))
    tree, ring = (
        algorithm_times("all-reduce", 1e10, span(8, 2), replace(LINKS, network_bandwidth=12e9))[k]
        for k in ("tree", "ring")
    )
    assert ring / tree == pytest.approx(1.875, rel=0.01)


def test_nvls_is_taken_only_where_the_domain_has_it():
    nvls = replace(LINKS, nvls=True, nvls_bandwidth=274e9)
    assert algorithm_chosen("all-reduce", 1e9, span(8, 1), LINKS) == "ring"
    assert algorithm_chosen("all-reduce", 1e9, span(8, 1), nvls) == "nvls"
    assert algorithm_chosen("all-gather", 1e9, span(8, 1), nvls) == "ring"
    assert algorithm_chosen("all-reduce", 1e9, span(2, 1), nvls) == "ring"


def test_network_reduction_helps_all_reduce_over_domains_only():
    sharp = replace(LINKS, in_network_reduction=True, network_bandwidth=20e9)
    plain = replace(sharp, in_network_reduction=False)
    far = span(8, 16)
    assert algorithm_chosen("all-reduce", 1e9, far, sharp) == "in-network"
    gain = collective_time("all-reduce", 1e11, far, plain) / collective_time(
        "all-reduce", 1e11, far, sharp
    )
    assert gain == pytest.approx(2 * 127 / 128, rel=0.01)
    for operation in ("reduce-scatter", "all-gather", "all-to-all"):
        assert collective_time(operation, 1e9, far, sharp) == collective_time(
            operation, 1e9, far, plain
        )
    assert algorithm_chosen("all-reduce", 1e9, span(8, 1), sharp) != "in-network"


def test_network_reduction_at_part_of_the_rate_can_lose_to_the_ring():
    weak = replace(
        LINKS, in_network_reduction=True, in_network_efficiency=0.3, network_bandwidth=20e9
    )
    assert algorithm_chosen("all-reduce", 1e11, span(8, 16), weak) == "ring"


def test_domain_switches_and_network_switches_work_together():
    both = replace(
        LINKS, nvls=True, nvls_bandwidth=274e9, in_network_reduction=True, network_bandwidth=100e9
    )
    time = collective_time("all-reduce", 1e11, span(8, 4), both)
    shown = bus_bandwidth("all-reduce", 1e11, time, 32)
    assert shown == pytest.approx(2 * 31 / 32 * 274e9, rel=0.01)


def test_level_by_level_is_an_option():
    level = replace(LINKS, hierarchical=True, network_bandwidth=10e9)
    assert algorithm_chosen("all-gather", 1e10, span(8, 2), level) == "hierarchical"
    assert algorithm_chosen("all-reduce", 1e10, span(8, 3), level) == "hierarchical"


def test_a_send_inside_a_domain_stays_off_the_network():
    inside = collective_time("send", 1e8, span(4, 1), LINKS)
    between = collective_time("send", 1e8, span(4, 2), LINKS)
    assert inside == pytest.approx(50e-6 + send_time(1e8, 367e9, 1e-6))
    assert between == pytest.approx(50e-6 + send_time(1e8, 49e9, 5e-6))


def test_an_infinitely_fast_network_leaves_the_domain():
    ideal = replace(LINKS, network_bandwidth=np.inf, network_latency=0.0)
    for operation in OPERATIONS:
        time = collective_time(operation, 1e9, span(8, 4), ideal)
        assert 0 < time < collective_time(operation, 1e9, span(8, 4), LINKS)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_arrays_equal_loops(operation):
    rng = np.random.default_rng(7)
    local, domains = rng.choice([1, 2, 8], 40), rng.choice([1, 2, 3, 64], 40)
    size = 10.0 ** rng.uniform(2, 10, 40)
    sharp, nvls = rng.random(40) < 0.5, rng.random(40) < 0.5
    network = rng.uniform(5e9, 100e9, 40)
    links = replace(
        LINKS,
        network_bandwidth=network,
        in_network_reduction=sharp,
        nvls=nvls,
        nvls_bandwidth=274e9,
        hierarchical=sharp & nvls,
    )
    spans = GroupSpan(local * domains, 1, local, domains)
    times = collective_time(operation, size, spans, links)
    names = algorithm_chosen(operation, size, spans, links)
    for place in range(40):
        alone = replace(
            LINKS,
            network_bandwidth=float(network[place]),
            in_network_reduction=bool(sharp[place]),
            nvls=bool(nvls[place]),
            nvls_bandwidth=274e9,
            hierarchical=bool(sharp[place] & nvls[place]),
        )
        at = span(int(local[place]), int(domains[place]))
        assert times[place] == pytest.approx(
            float(collective_time(operation, float(size[place]), at, alone)), rel=1e-12
        )
        assert names[place] == algorithm_chosen(operation, float(size[place]), at, alone)


@pytest.mark.parametrize("operation", OPERATIONS)
@settings(max_examples=40, deadline=None)
@given(
    size=st.floats(1, 1e12),
    local=st.integers(1, 72),
    domains=st.integers(1, 512),
    network=st.floats(1e9, 1e11),
    more=st.floats(1, 50),
)
def test_laws(operation, size, local, domains, network, more):
    links = replace(LINKS, network_bandwidth=network, nvls=True, nvls_bandwidth=274e9)
    at = span(local, domains)
    time = collective_time(operation, size, at, links)
    slack = 1 + 1e-9
    assert collective_time(operation, size * more, at, links) * slack >= time
    faster = replace(links, network_bandwidth=network * more)
    assert collective_time(operation, size, at, faster) <= time * slack
    wider = replace(links, domain_bandwidth=links.domain_bandwidth * more)
    assert collective_time(operation, size, at, wider) <= time * slack
    sharp = replace(links, in_network_reduction=True)
    assert collective_time(operation, size, at, sharp) <= time


def test_the_chosen_time_is_the_least():
    at = span(8, 16)
    times = algorithm_times("all-reduce", 1e9, at, LINKS)
    assert collective_time("all-reduce", 1e9, at, LINKS) == pytest.approx(
        50e-6 + min(map(float, times.values()))
    )
    assert times["ring"] == flat_ring_allreduce_time(1e9, 8, 16, 367e9, 1e-6, 49e9, 5e-6)
