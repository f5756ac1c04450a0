"""Jobs on hosts: which hosts, in which order, and on which ports the ranks sit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_fabrics import ring

from netdesign.errors import DesignError
from netdesign.topology.families import build
from netdesign.topology.placement import (
    hosts_in_order,
    hosts_side_by_side,
    ports_of_gpus,
    seats,
)
from netdesign.topology.routing import endpoint_hosts, endpoint_links
from netdesign.topology.spec import FabricSpec

RAILS = build(FabricSpec("rail-optimised", endpoints=256, radix=32, gpus_per_server=8))


@settings(deadline=None)
@given(
    hosts=st.integers(1, 60),
    part=st.floats(0.1, 1),
    placement=st.sampled_from(["packed", "fragmented", "random"]),
    seed=st.integers(0, 5),
)
def test_a_job_gets_different_hosts_of_the_fabric(hosts, part, placement, seed):
    wanted = max(1, int(part * hosts))
    found = hosts_in_order(hosts, wanted, placement, seed=seed, piece_hosts=4)
    assert len(set(found.tolist())) == wanted
    assert set(found.tolist()) <= set(range(hosts))
    again = hosts_in_order(hosts, wanted, placement, seed=seed, piece_hosts=4)
    assert np.array_equal(found, again)


def test_packed_is_in_order_and_random_is_not():
    assert hosts_in_order(64, 64, "packed").tolist() == list(range(64))
    assert hosts_in_order(64, 64, "random", seed=1).tolist() != list(range(64))


def test_fragments_are_runs_of_neighbours_of_the_asked_mean_length():
    broken = [
        np.count_nonzero(
            np.diff(hosts_in_order(4096, 4096, "fragmented", seed=s, piece_hosts=p)) != 1
        )
        for p in (1, 4, 16)
        for s in range(3)
    ]
    pieces = np.array(broken).reshape(3, 3).mean(axis=1) + 1
    assert 4096 / pieces == pytest.approx([1, 4, 16], rel=0.15)


def test_side_by_side_jobs_take_hosts_in_turn():
    first, second = hosts_side_by_side(10, 4)
    assert first.tolist() == [0, 2, 4, 6]
    assert second.tolist() == [1, 3, 5, 7]


def test_a_job_larger_than_the_fabric_is_refused():
    with pytest.raises(DesignError, match="more than the 8"):
        hosts_in_order(8, 9, "packed")
    with pytest.raises(DesignError, match="needs 5 hosts for each of 2 jobs and the fabric has 8"):
        hosts_side_by_side(8, 5)
    with pytest.raises(DesignError, match="no placement of one job"):
        hosts_in_order(8, 8, "side-by-side")
    with pytest.raises(DesignError, match="do not fit"):
        seats(RAILS, np.arange(2), 17, domain_gpus=8)


def test_a_gpu_has_the_port_of_its_rail():
    ports = ports_of_gpus(RAILS)
    links = endpoint_links(RAILS)[ports[:, 0]]
    gpu = np.arange(256)
    assert ports.shape == (256, 1)
    assert np.array_equal(RAILS.a[links], gpu // 8)
    assert np.array_equal(RAILS.rail[RAILS.b[links] - RAILS.hosts], gpu % 8)


@pytest.mark.parametrize(
    ("per_server", "shape", "first_host"),
    [
        (8, (64, 1), [0, 1, 2, 3, 4, 5, 6, 7]),
        (4, (64, 1), [0, 0, 1, 1, 2, 2, 3, 3]),
        (16, (64, 2), list(range(16))),
    ],
)
def test_ports_are_shared_out_in_order(per_server, shape, first_host):
    spec = FabricSpec(
        "fat-tree",
        endpoints=8 * per_server,
        radix=64,
        gpus_per_server=8,
        ports_per_server=per_server,
    )
    fabric = build(spec)
    ports = ports_of_gpus(fabric)
    assert ports.shape == shape
    assert ports[:8].ravel().tolist() == first_host
    assert np.array_equal(endpoint_hosts(fabric)[ports[:, 0]], np.arange(64) // 8)


def test_planes_give_every_gpu_a_port_to_each():
    spec = FabricSpec("multi-plane", endpoints=64, radix=32, planes=2, gpus_per_server=8)
    fabric = build(spec)
    ports = ports_of_gpus(fabric)
    leaves = fabric.b[endpoint_links(fabric)[ports]] - fabric.hosts
    assert ports.shape == (64, 2)
    assert np.all(fabric.plane[leaves] == [0, 1])


def test_where_hosts_forward_the_host_is_the_port():
    fabric = ring(5)
    expected = np.repeat(np.arange(5), fabric.gpus_per_host)
    assert ports_of_gpus(fabric)[:, 0].tolist() == expected.tolist()


def test_ranks_fill_the_hosts_in_the_given_order():
    found = seats(RAILS, np.array([3, 0]), 16, domain_gpus=8)
    assert found.gpu.tolist() == [*range(24, 32), *range(8)]
    assert found.domain.tolist() == [3] * 8 + [0] * 8
    assert found.ports[8, 0] == 0
    assert found.on_rail_of(np.array([0]), np.array([11])).tolist() == [27]


def test_a_domain_that_ends_early_keeps_to_the_sender():
    found = seats(RAILS, np.arange(32), 256, domain_gpus=72)
    last, there = np.array([255]), np.array([60])
    assert found.domain[last] == 3
    assert found.on_rail_of(last, there).tolist() == [255]
