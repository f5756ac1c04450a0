"""The prediction of collectives: laws that hold whatever the constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.errors import DesignError
from netdesign.network.nccl.choice import Ranks
from netdesign.network.nccl.constants import SCOPES, constants_from, shipped_constants
from netdesign.network.nccl.group_time import group_time
from netdesign.network.nccl.hardware import FABRICS, GENERATIONS, LINKS
from netdesign.network.nccl.prediction import (
    domain_bandwidth,
    link_class,
    network_share,
    pipelined_time,
    predict,
)
from netdesign.network.nccl.tables import ALGORITHMS, PROTOCOLS

RING, SIMPLE = ALGORITHMS.index("ring"), PROTOCOLS.index("simple")


def one(ranks, domains, link="nvlink4", generation="hopper", fabric="infiniband", nic=50e9):
    return Ranks(
        ranks=np.array([float(ranks)]),
        domains=np.array([float(domains)]),
        generation=np.array([GENERATIONS.index(generation)]),
        link=np.array([LINKS.index(link)]),
        mesh=np.array([False]),
        fabric=np.array([FABRICS.index(fabric) if domains > 1 else -1]),
        nic_bandwidth=np.array([nic]),
        algorithm=np.array([-1]),
        protocol=np.array([-1]),
    )


def time_of(operation, size, ranks, algorithm="ring", protocol="simple"):
    a = ALGORITHMS.index(algorithm)
    found = predict(
        operation, a, PROTOCOLS.index(protocol), np.array([size]), ranks, shipped_constants()
    )
    return float(found.time[0])


def test_pipelined_time_is_the_square_of_a_sum_beside_its_start():
    # t - a = (sqrt(u) + sqrt(tau))^2 - tau
    start, transfer, fill = 5e-6, 4e-4, 9e-6
    expected = start + (transfer**0.5 + fill**0.5) ** 2 - fill
    assert pipelined_time(start, transfer, fill) == pytest.approx(expected)
    assert pipelined_time(start, transfer, 0.0) == start + transfer


def test_contention_begins_beyond_two_domains():
    assert network_share(0.9, 0.1, 1) == network_share(0.9, 0.1, 2) == 0.9
    assert network_share(0.9, 0.1, 8) == pytest.approx(0.9 / 1.2)


@given(
    operation=st.sampled_from(["all-reduce", "all-gather", "reduce-scatter", "broadcast"]),
    domains=st.sampled_from([1, 2, 8, 64]),
    exponent=st.floats(3, 34),
    factor=st.floats(1.01, 8),
)
def test_a_larger_message_takes_longer(operation, domains, exponent, factor):
    ranks = one(8 * domains, domains)
    size = 2.0**exponent
    assert time_of(operation, size * factor, ranks) > time_of(operation, size, ranks)


@given(
    operation=st.sampled_from(["all-to-all", "gather", "scatter", "send"]),
    domains=st.sampled_from([1, 2, 8, 64]),
    exponent=st.floats(3, 34),
    slower=st.floats(0.05, 0.95),
)
def test_a_slower_network_never_helps(operation, domains, exponent, slower):
    size = 2.0**exponent
    fast, slow = one(8 * domains, domains), one(8 * domains, domains, nic=50e9 * slower)
    assert time_of(operation, size, slow) >= time_of(operation, size, fast)


@pytest.mark.parametrize(
    ("link", "generation", "published"),
    [
        # nvls all-reduce of 8 GPUs: 480 and 840 GB/s (stas00/ml-engineering, 8 GiB)
        ("nvlink4", "hopper", 480e9),
        ("nvlink5", "blackwell", 840e9),
    ],
)
def test_the_switches_of_a_server_reach_what_is_published(link, generation, published):
    size = 2.0**34
    time = time_of("all-reduce", size, one(8, 1, link, generation), "nvls")
    assert 2 * 7 / 8 * size / time == pytest.approx(published, rel=0.05)


def test_a_flat_ring_shows_the_rate_of_all_nics_of_a_server():
    # 386 GB/s on eight servers of eight H100 with 400 Gb/s each (CoreWeave nccl-tests)
    size = 8 * 2.0**30
    time = time_of("all-reduce", size, one(64, 8))
    assert 2 * 63 / 64 * size / time == pytest.approx(386e9, rel=0.08)


def test_an_all_to_all_does_not_pool_nics():
    # 50 GB/s on 10 servers of 4 GPUs (xxrjun), bound 50 * 39 / 36
    size = 16 * 2.0**30
    time = time_of("all-to-all", size, one(40, 10))
    assert 39 / 40 * size / time < 50e9 * 39 / 36
    assert 39 / 40 * size / time == pytest.approx(50e9, rel=0.1)


def test_a_mesh_of_fewer_gpus_has_fewer_links():
    constants = shipped_constants()
    full = domain_bandwidth(one(8, 1, "xgmi", "cdna3"), constants)[0]
    pair = domain_bandwidth(one(2, 1, "xgmi", "cdna3"), constants)[0]
    assert pair == pytest.approx(full / 7)


def test_one_gpu_a_server_is_limited_by_its_nic_alone():
    assert np.isinf(domain_bandwidth(one(10, 10), shipped_constants())[0])


def test_links_are_of_three_classes():
    assert link_class(np.arange(len(LINKS))).tolist() == [0, 0, 0, 0, 1, 1, 1, 2]


def test_a_missing_constant_is_named():
    values = {(name, scope): 1.0 for name, scopes in SCOPES.items() for scope in scopes}
    assert constants_from(values).launch_s.shape == (len(GENERATIONS),)
    del values["network_hop_s", "efa"]
    with pytest.raises(DesignError, match="network_hop_s"):
        constants_from(values)


HOPPER = {
    "generation": "hopper",
    "link": "nvlink4",
    "fabric": "infiniband",
    "nic_bandwidth": 50e9,
}


def test_group_time_broadcasts_and_is_nothing_for_one_rank():
    sizes, ranks = np.array([1e3, 1e6, 1e9])[:, None], np.array([1, 8, 64])
    found = group_time("all-reduce", sizes, ranks, np.maximum(ranks // 8, 1), **HOPPER)
    assert found.shape == (3, 3)
    assert np.all(found[:, 0] == 0)
    assert np.all(np.diff(found[:, 1]) > 0)
    alone = group_time("all-reduce", 1e9, 64, 8, **HOPPER)
    assert np.ndim(alone) == 0
    assert found[2, 2] == pytest.approx(alone)


def test_group_time_of_an_unknown_machine_is_refused():
    with pytest.raises(DesignError, match="fabric"):
        group_time("all-reduce", 1e9, 64, 8, **HOPPER | {"fabric": "pigeon"})
    with pytest.raises(DesignError, match="operation"):
        group_time("all-shuffle", 1e9, 64, 8, **HOPPER)
