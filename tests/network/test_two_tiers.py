"""Collectives over domains and a network: NCCL's own latencies, bus bandwidths, limits, laws."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netdesign.network.collectives import (
    bus_bandwidth,
    direct_all_to_all_time,
    flat_ring_all_gather_time,
    flat_ring_allreduce_time,
    flat_ring_bandwidth,
    flat_ring_latency,
    hierarchical_all_gather_time,
    hierarchical_allreduce_time,
    in_network_allreduce_time,
    nvls_tree_allreduce_time,
    rail_all_to_all_time,
    ring_all_gather_time,
    ring_allreduce_time,
    tree_over_domains_allreduce_time,
)

EVERY = [
    direct_all_to_all_time,
    flat_ring_all_gather_time,
    flat_ring_allreduce_time,
    hierarchical_all_gather_time,
    hierarchical_allreduce_time,
    in_network_allreduce_time,
    nvls_tree_allreduce_time,
    rail_all_to_all_time,
    tree_over_domains_allreduce_time,
]
MICROSECOND = 1e-6
US = st.floats(0, 1e-3)
RATES = st.floats(1e8, 1e12)
LOCAL = st.integers(1, 72)
DOMAINS = st.integers(1, 512)
SIZES = st.floats(1, 1e12)


# Latencies NCCL 2.27.5 logs for H100 nodes of 8 (TUNING), kept by the autoparallel project: base
# + hops. (domain hop, network hop) by protocol LL, LL128, Simple; here in microseconds.
@pytest.mark.parametrize(
    ("domains", "base", "domain_hop", "network_hop", "logged"),
    [
        (2, 6.6, 1.0, 2.7, 40.0),
        (2, 14.0, 1.9, 4.0, 75.2),
        (2, 8.4, 3.4, 14.0, 131.6),
        (4, 6.6, 1.0, 2.7, 78.8),
        (4, 14.0, 1.9, 4.0, 144.4),
        (4, 8.4, 3.4, 14.0, 282.8),
    ],
)
def test_ring_latency_is_what_nccl_logs(domains, base, domain_hop, network_hop, logged):
    hops = flat_ring_allreduce_time(
        0.0, 8, domains, 1.0, domain_hop * MICROSECOND, 1.0, network_hop * MICROSECOND
    )
    assert base + hops / MICROSECOND == pytest.approx(logged, abs=0.05)


@pytest.mark.parametrize(
    ("base", "domain_hop", "network_hop", "logged"),
    [(6.6, 1.0, 2.7, 23.3), (14.0, 1.9, 4.0, 44.6), (8.4, 3.4, 14.0, 70.0)],
)
def test_all_gather_latency_is_what_nccl_logs(base, domain_hop, network_hop, logged):
    hops = flat_ring_latency(8, 2, domain_hop, network_hop)
    assert base + hops == pytest.approx(logged, abs=0.05)


@pytest.mark.parametrize(
    ("base", "domain_hop", "network_hop", "logged"),
    [(6.8, 0.6, 5.0, 25.2), (14.0, 1.25, 8.5, 48.5), (8.4, 4.0, 14.0, 92.4)],
)
def test_tree_latency_is_what_nccl_logs(base, domain_hop, network_hop, logged):
    hops = tree_over_domains_allreduce_time(0.0, 8, 2, 1.0, domain_hop, 1.0, network_hop)
    assert base + hops == pytest.approx(logged, abs=0.05)


@pytest.mark.parametrize(("domains", "logged"), [(2, 53), (4, 81), (8, 109)])
def test_nvls_tree_latency_is_what_nccl_logs(domains, logged):
    # NVLSTree, Simple: 25 us inside the domain and 14 us a network hop.
    assert nvls_tree_allreduce_time(0.0, 8, domains, 1.0, 25.0, 1.0, 14.0) == logged


def busbw(function, domains, domain, network, size=1e12):
    time = function(size, 8, domains, domain, 0.0, network, 0.0)
    operation = "all-reduce" if "allreduce" in function.__name__ else "all-gather"
    return bus_bandwidth(operation, size, time, 8 * domains)


@pytest.mark.parametrize("domains", [2, 3, 8, 100])
def test_flat_ring_runs_at_the_nics_of_a_domain_for_every_size(domains):
    # facts of NCCL: a flat ring with a channel per NIC shows g B2 for every number of nodes.
    assert busbw(flat_ring_allreduce_time, domains, 367e9, 25e9) == pytest.approx(8 * 25e9)
    assert busbw(flat_ring_all_gather_time, domains, 367e9, 25e9) == pytest.approx(8 * 25e9)
    assert busbw(flat_ring_allreduce_time, domains, 367e9, 50e9) == pytest.approx(367e9)


@pytest.mark.parametrize("domains", [2, 3, 8, 100])
def test_hierarchical_gains_k_over_k_minus_one(domains):
    # busbw = g B2 (n-1)/n k/(k-1) where the network limits.
    ranks = 8 * domains
    expected = 8 * 25e9 * (ranks - 1) / ranks * domains / (domains - 1)
    for function in (hierarchical_allreduce_time, hierarchical_all_gather_time):
        assert busbw(function, domains, 1e13, 25e9) == pytest.approx(expected)


def test_tree_between_two_domains_sends_once_and_more_send_twice():
    # algbw = g B2 for two nodes (busbw 1.875 g B2 at 16 ranks), g B2 / 2 beyond.
    assert busbw(tree_over_domains_allreduce_time, 2, 1e13, 25e9) == pytest.approx(1.875 * 200e9)
    assert busbw(tree_over_domains_allreduce_time, 8, 1e13, 25e9) == pytest.approx(63 / 64 * 200e9)
    assert busbw(nvls_tree_allreduce_time, 8, 1e13, 25e9) == pytest.approx(63 / 64 * 200e9)


def test_in_network_reduction_doubles_the_bus_bandwidth_of_the_nics():
    # SHARP: busbw <= 2 g B2 (n-1)/n, whatever the number of nodes.
    for domains in (2, 16, 128):
        ranks = 8 * domains
        expected = 2 * 8 * 25e9 * (ranks - 1) / ranks
        assert busbw(in_network_allreduce_time, domains, 1e13, 25e9) == pytest.approx(expected)


def test_all_to_all_moves_the_data_of_every_gpu_over_its_own_nic():
    # nccl-tests issue 130: busbw is about N/(N-1) times the network bandwidth of one GPU.
    size = 1e12
    for domains in (2, 4, 16):
        ranks = 8 * domains
        for function in (rail_all_to_all_time, direct_all_to_all_time):
            time = function(size, 8, domains, 1e13, 0.0, 50e9, 0.0)
            shown = bus_bandwidth("all-to-all", size, time, ranks)
            assert shown == pytest.approx(50e9 * (ranks - 1) / (ranks - 8))


def test_gradients_of_7b_over_four_nodes_of_100g():
    # Claim A10: the ring of 14 GB between 4 nodes of 8 x 100 Gb/s takes 0.21 s.
    assert hierarchical_allreduce_time(14e9, 8, 4, 1e13, 0.0, 12.5e9, 0.0) == pytest.approx(0.21)


def test_rails_save_messages_and_pay_with_domain_bytes():
    rail = rail_all_to_all_time(1e3, 8, 16, 450e9, 1e-6, 50e9, 5e-6)
    direct = direct_all_to_all_time(1e3, 8, 16, 450e9, 1e-6, 50e9, 5e-6)
    assert direct - rail == pytest.approx((120 - 15) * 5e-6, rel=1e-3)
    slow_domain = (1e9, 8, 2, 40e9, 0.0, 50e9, 0.0)
    assert direct_all_to_all_time(*slow_domain) < rail_all_to_all_time(*slow_domain)


@settings(deadline=None)
@given(size=SIZES, local=LOCAL, domain=RATES, network=RATES, near=US, far=US)
def test_one_domain_is_a_ring_inside(size, local, domain, network, near, far):
    at = (size, local, 1, domain, near, network, far)
    ring = ring_allreduce_time(size, local, domain, near)
    assert flat_ring_allreduce_time(*at) == pytest.approx(ring, rel=1e-9, abs=1e-15)
    assert hierarchical_allreduce_time(*at) == pytest.approx(ring, rel=1e-9, abs=1e-15)
    assert in_network_allreduce_time(*at) == pytest.approx(ring, rel=1e-9, abs=1e-15)


@settings(deadline=None)
@given(size=SIZES, domains=DOMAINS, domain=RATES, network=RATES, near=US, far=US)
def test_one_rank_a_domain_is_a_ring_over_the_network(size, domains, domain, network, near, far):
    at = (size, 1, domains, domain, near, network, far)
    ring = ring_all_gather_time(size, domains, network, far)
    assert flat_ring_all_gather_time(*at) == pytest.approx(ring, rel=1e-9, abs=1e-15)
    assert hierarchical_all_gather_time(*at) == pytest.approx(ring, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("function", EVERY, ids=lambda function: function.__name__)
@settings(max_examples=40, deadline=None)
@given(
    size=SIZES,
    local=LOCAL,
    domains=DOMAINS,
    domain=RATES,
    network=RATES,
    near=US,
    far=US,
    more=st.floats(1, 100),
)
def test_laws(function, size, local, domains, domain, network, near, far, more):
    time = function(size, local, domains, domain, near, network, far)
    slack = 1 + 1e-9
    assert time >= 0
    assert function(size, 1, 1, domain, near, network, far) == 0
    assert function(size * more, local, domains, domain, near, network, far) * slack >= time
    assert function(size, local, domains, domain * more, near, network, far) <= time * slack
    assert function(size, local, domains, domain, near, network * more, far) <= time * slack
    assert function(size, local, domains, domain, near * more, network, far) * slack >= time
    assert function(size, local, domains, domain, near, network, far * more) * slack >= time


@pytest.mark.parametrize("function", EVERY, ids=lambda function: function.__name__)
def test_arrays_equal_loops(function):
    sizes = np.array([1e3, 1e9])[:, None, None]
    local = np.array([1, 4, 8])[:, None]
    domains = np.array([1, 2, 3, 40])
    times = function(sizes, local, domains, 367e9, 1e-6, 50e9, 5e-6)
    assert times.shape == (2, 3, 4)
    for place in np.ndindex(times.shape):
        alone = function(
            float(sizes[place[0], 0, 0]),
            int(local[place[1], 0]),
            int(domains[place[2]]),
            367e9,
            1e-6,
            50e9,
            5e-6,
        )
        assert times[place] == pytest.approx(float(alone), rel=1e-12)


def test_bandwidth_of_a_ring_by_place():
    assert flat_ring_bandwidth(8, 1, 450e9, 50e9) == 450e9
    assert flat_ring_bandwidth(1, 4, 450e9, 50e9) == 50e9
    assert flat_ring_bandwidth(4, 4, 450e9, 50e9) == 200e9
    assert flat_ring_bandwidth(8, 4, 300e9, 50e9) == 300e9


def test_every_formula_says_its_units():
    for function in EVERY:
        text = inspect.getdoc(function)
        assert "bytes/s" in text
        assert "Returns" in text
