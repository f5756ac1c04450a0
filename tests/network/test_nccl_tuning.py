"""NCCL's cost model against the values that NCCL itself logs."""

from __future__ import annotations

import numpy as np
import pytest

from netdesign.errors import DesignError
from netdesign.network.nccl.tables import PROTOCOLS, tables
from netdesign.network.nccl.tuning import LEGAL, Group, steps, tuning_bandwidth, tuning_latency


def hopper(nodes, per_node=8, **changes):
    """H100 servers as in the logs: 8 channels of 48 GB/s, Intel's hosts, one NIC a tree."""
    fields = {
        "ranks": nodes * per_node,
        "nodes": nodes,
        "generation": 2,
        "channels": 8,
        "intra_bandwidth": 48e9,
        "inter_bandwidth": 48e9,
    }
    return Group(**fields | changes)


# NCCL 2.27.5 TUNING log, in meta-pytorch/autoparallel cost_models/nccl_cost_model.py:
# (latency us, algorithm bandwidth GB/s) of LL, LL128 and Simple
GOLDEN = {
    ("all-reduce", "ring", 2): ((40.0, 20.8), (75.2, 156.6), (131.6, 204.8)),
    ("all-reduce", "ring", 4): ((78.8, 10.5), (144.4, 151.5), (282.8, 198.2)),
    ("all-reduce", "tree", 2): ((25.2, 16.6), (48.5, 124.8), (92.4, 140.8)),
    ("all-gather", "ring", 2): ((23.3, 41.6), (44.6, 313.2), (70.0, 409.6)),
    ("reduce-scatter", "ring", 2): ((23.3, 41.6), (44.6, 313.2), (70.0, 409.6)),
}


@pytest.mark.parametrize(("operation", "algorithm", "nodes"), GOLDEN)
def test_latency_and_bandwidth_are_those_of_the_log(operation, algorithm, nodes):
    for protocol, (latency, bandwidth) in zip(
        PROTOCOLS, GOLDEN[operation, algorithm, nodes], strict=True
    ):
        found = tuning_latency(operation, algorithm, protocol, hopper(nodes))
        assert found * 1e6 == pytest.approx(latency, abs=0.051), protocol
        rate = tuning_bandwidth(operation, algorithm, protocol, hopper(nodes))
        assert rate / 1e9 == pytest.approx(bandwidth, abs=0.051), protocol


@pytest.mark.parametrize(("nodes", "latency"), [(2, 53), (4, 81), (8, 109)])
def test_nvls_tree_latency_with_the_hop_of_2_27(nodes, latency):
    found = tuning_latency("all-reduce", "nvls-tree", "simple", hopper(nodes), network_hop=14e-6)
    assert found * 1e6 == pytest.approx(latency)


def test_groups_broadcast():
    nodes = np.array([1, 2, 4, 8])
    group = hopper(nodes)
    for protocol in PROTOCOLS:
        latency = tuning_latency("all-reduce", "ring", protocol, group)
        assert latency.shape == nodes.shape
        assert np.all(np.diff(latency) > 0)
        one = tuning_latency("all-reduce", "ring", protocol, hopper(4))
        assert latency[2] == pytest.approx(one)
        rates = tuning_bandwidth("all-reduce", "ring", protocol, group)
        assert rates[2] == pytest.approx(
            tuning_bandwidth("all-reduce", "ring", protocol, hopper(4))
        )


def test_only_legal_combinations_have_bandwidth():
    for operation, legal in LEGAL.items():
        for algorithm in ("tree", "ring", "collnet-direct", "collnet-chain", "nvls", "pat"):
            rate = tuning_bandwidth(operation, algorithm, "simple", hopper(2))
            if algorithm not in legal:
                assert rate == 0, (operation, algorithm)
    assert tuning_bandwidth("all-reduce", "nvls", "ll", hopper(1, nvls_channels=16)) == 0


def test_nvls_adds_only_where_the_switches_can():
    switches = {"nvls_channels": 16, "nvls_bandwidth": 20.6e9}
    assert tuning_bandwidth("all-reduce", "nvls", "simple", hopper(1)) == 0
    # 16 channels of 20.6 GB/s at 0.85, one of them lost, twice, over 2 * 7 / 8
    rate = tuning_bandwidth("all-reduce", "nvls", "simple", hopper(1, **switches))
    assert rate / 1e9 == pytest.approx(16 * 20.6 * 0.85 * 15 / 16 * 2 * 8 / 14)
    assert tuning_bandwidth("all-reduce", "nvls", "simple", hopper(2, **switches)) == 0
    assert tuning_bandwidth("all-reduce", "nvls-tree", "simple", hopper(2, **switches)) > 0
    ampere = hopper(1, generation=1, **switches)
    assert tuning_bandwidth("all-reduce", "nvls", "simple", ampere) == 0


def test_amd_hosts_have_other_rows():
    intel, amd = hopper(2), hopper(2, amd_host=True)
    assert tuning_latency("all-reduce", "ring", "ll", amd) > tuning_latency(
        "all-reduce", "ring", "ll", intel
    )
    rate = tuning_bandwidth("all-reduce", "ring", "ll", amd)
    assert rate / 1e9 == pytest.approx(22.5 * 16 / 30)


def test_a_plug_in_adds_its_latency_and_simple_flushes():
    near, far = hopper(2), hopper(2, network_latency=20e-6)
    for protocol, times in (("ll", 1), ("simple", 2)):
        more = tuning_latency("all-reduce", "ring", protocol, far) - tuning_latency(
            "all-reduce", "ring", protocol, near
        )
        assert more == pytest.approx(2 * times * 20e-6)


def test_one_gpu_a_node_goes_by_the_trees_network_row():
    found = tuning_latency("all-gather", "ring", "ll", hopper(2, per_node=1))
    assert found * 1e6 == pytest.approx(6.6 + 5.0)


def test_steps_and_an_unknown_operation():
    assert steps("all-reduce", 8) == 14
    assert steps("broadcast", 8) == 8
    with pytest.raises(DesignError, match="NCCL's table"):
        steps("all-to-all", 8)


def test_tree_corrections_are_24_per_protocol():
    corrections = tables().tree_correction
    assert corrections.shape == (3, 24)
    assert corrections[0, 13] == 0.4  # LL at 512 KiB
    assert corrections[2, 11] == 0.5  # Simple at 128 KiB
    assert np.all((corrections > 0) & (corrections <= 1))
