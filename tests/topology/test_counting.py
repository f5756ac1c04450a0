"""Counts of fabrics that are wired by hand, and what must hold for all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_fabrics import (
    hyperx,
    joined,
    one_switch,
    rails_apart,
    small_dragonfly,
    three_tiers,
    torus,
    two_tiers,
    wired,
)

from netdesign.topology.counting import count

# Links between each leaf and each spine.
PARALLEL = st.integers(1, 4).flatmap(
    lambda spines: st.lists(
        st.lists(st.integers(0, 3), min_size=spines, max_size=spines), min_size=1, max_size=5
    )
)


def test_two_leaves_and_two_spines() -> None:
    # 8 hosts; a leaf has 4 down and 4 up, 2 to each spine; 4 switches of 8 ports.
    counts = count(two_tiers([[2, 2], [2, 2]], 4))
    assert counts.switches == {"leaf": 2, "spine": 2}
    assert counts.links == {"host": 8, "leaf_spine": 8}
    assert counts.link_gbps == {"host": 400, "leaf_spine": 400}
    assert counts.endpoints == 8
    assert counts.oversubscription == 1
    assert counts.diameter == 2
    assert counts.bisection_links == 4
    assert counts.transceivers == 2 * 16
    assert counts.stranded_ports == 4 * 8 - 8 - 2 * 8
    assert counts.largest == 0
    assert counts.buildable
    assert counts.notes == ()


def test_the_fat_tree_of_al_fares() -> None:
    # Al-Fares 2008: k = 4 gives k^3/4 = 16 hosts, 20 switches of 4 ports, all of them used.
    counts = count(three_tiers())
    assert counts.switches == {"leaf": 8, "spine": 8, "core": 4}
    assert counts.links == {"host": 16, "leaf_spine": 16, "spine_core": 16}
    assert counts.diameter == 4
    assert counts.bisection_links == 16 // 2
    assert counts.stranded_ports == 0
    assert counts.transceivers == 96


def test_the_dragonfly_of_kim() -> None:
    # Kim 2008, worked example: h = 2, 9 groups, 36 routers of 7 ports, 72 endpoints.
    counts = count(small_dragonfly())
    assert counts.switches == {"router": 36}
    assert counts.links == {"host": 72, "local": 9 * 6 + 36}
    assert counts.diameter == 3
    assert counts.oversubscription == 1
    # Four groups against five are 20 links apart; equal halves cut the ninth group as well.
    assert 20 < counts.bisection_links <= 28
    assert counts.stranded_ports == 36  # routers of 8 ports use 7


# Facts of a torus: diameter is the sum of k // 2, bisection 2 N / k_max links.
@pytest.mark.parametrize("dims", [(4, 4), (4, 6), (6, 4), (3, 4, 6), (8, 2, 4), (16,), (7, 4, 5)])
def test_tori(dims: tuple[int, ...]) -> None:
    counts = count(torus(*dims))
    nodes = int(np.prod(dims))
    assert counts.switches == {}
    assert counts.endpoints == nodes
    assert counts.diameter == sum(size // 2 for size in dims)
    assert counts.bisection_links == 2 * nodes // max(dims)
    assert counts.transceivers == 2 * sum(counts.links.values())
    assert counts.stranded_ports == 0


# Facts of a HyperX: N S_i / 4 links in the dimension that is cut; floor of a line if odd.
@pytest.mark.parametrize(
    ("dims", "links"), [((4, 4), 16), ((2, 6), 6), ((3, 5), 10), ((6, 6), 54), ((4, 3, 5), 40)]
)
def test_hyperx(dims: tuple[int, ...], links: int) -> None:
    assert count(hyperx(*dims)).bisection_links == links


def test_a_ring_of_five_is_halved_in_the_middle_of_a_node() -> None:
    assert count(torus(5)).bisection_links == 2


def test_three_leaves_share_half_their_uplinks() -> None:
    assert count(two_tiers([[2, 2]] * 3, 4)).bisection_links == 6


def test_one_switch_has_nothing_between_switches() -> None:
    counts = count(one_switch(5))
    assert (counts.diameter, counts.bisection_links, counts.oversubscription) == (0, 0, 1)
    assert (counts.transceivers, counts.stranded_ports) == (10, 3)


def test_rails_that_never_meet() -> None:
    counts = count(rails_apart(4, 3))
    assert (counts.endpoints, counts.diameter, counts.bisection_links) == (12, 0, 0)
    assert counts.stranded_ports == 0


def test_links_that_share_a_split_port_share_a_transceiver() -> None:
    # 3 hosts at 200 Gb/s on two ports of a leaf that split in two; two whole ports up.
    fabric = wired(
        3,
        [("leaf", 1), ("spine", 1)],
        [("host", 200.0, [(0, 3), (1, 3), (2, 3)]), ("leaf_spine", 400.0, [(3, 4), (3, 4)])],
        breakout=2,
        slots=(1, 2),
        ports=6,
        spare_ports=1,
    )
    counts = count(fabric)
    assert counts.transceivers == 3 + 2 + 2 * 2
    assert counts.stranded_ports == 2 * (6 - 1) - (2 + 2) - 2
    assert counts.link_gbps == {"host": 200, "leaf_spine": 400}


def test_hosts_that_are_missing_do_not_make_it_better_than_one() -> None:
    # 3 down, 4 up of 8 ports: a fourth host fits.
    assert count(two_tiers([[2, 2], [2, 2]], 3)).oversubscription == 1
    # 3 down, 4 up of 7 ports: there is room for no more.
    assert count(two_tiers([[2, 2], [2, 2]], 3, ports=7)).oversubscription == 0.75
    assert count(two_tiers([[1, 1], [1, 1]], 3)).oversubscription == 1.5
    # The worst leaf counts.
    assert count(two_tiers([[1, 1], [1, 0]], 3)).oversubscription == 3


def test_a_fabric_without_links_is_counted_too() -> None:
    counts = count(wired(0, [("leaf", 2)], [("host", 400.0, [])]))
    assert counts.switches == {"leaf": 2}
    assert (counts.endpoints, counts.diameter, counts.bisection_links) == (0, 0, 0)
    assert counts.stranded_ports == 16


def test_a_large_ring_says_that_its_diameter_is_from_a_sample() -> None:
    # Every node sees the same, so that the sample finds the diameter; far more leaves than 4,096.
    switches = 5000
    pairs = [(i, (i + step) % switches) for i in range(switches) for step in (1, 70)]
    counts = count(joined(1, switches, pairs))
    assert counts.notes == ("diameter from 512 of 5,000 leaves, evenly spaced",)
    assert counts.diameter > 30


@settings(max_examples=100, deadline=None)
@given(PARALLEL, st.integers(1, 4))
def test_every_end_of_a_link_is_a_port(parallel: list[list[int]], hosts: int) -> None:
    fabric = two_tiers(parallel, hosts, ports=16)
    counts = count(fabric)
    up = sum(map(sum, parallel))
    assert counts.links == {"host": len(parallel) * hosts, "leaf_spine": up}
    assert counts.transceivers == 2 * (counts.host_links + up)
    assert counts.stranded_ports == 16 * counts.total_switches - counts.host_links - 2 * up
    assert counts.bisection_links is not None
    assert 0 <= counts.bisection_links <= up // 2 + up % 2
    assert counts.diameter % 2 == 0
