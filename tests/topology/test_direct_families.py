"""Dragonfly, dragonfly+, slim fly, HyperX and torus: formula, built arrays, published counts."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import shortest_path

from netdesign.catalog import data_directory, references
from netdesign.errors import DesignError
from netdesign.topology.direct import MOST_LINKS
from netdesign.topology.dragonfly import build_dragonfly, size_dragonfly
from netdesign.topology.dragonfly_plus import build_dragonfly_plus, size_dragonfly_plus
from netdesign.topology.group_links import crossing_links, group_links, linked_ports
from netdesign.topology.hammingmesh import build_hammingmesh, size_hammingmesh
from netdesign.topology.hyperx import build_hyperx, size_hyperx
from netdesign.topology.slim_fly import build_slim_fly, size_slim_fly
from netdesign.topology.spec import FabricSpec
from netdesign.topology.torus import build_torus, size_torus

SIZE = {
    "dragonfly": size_dragonfly,
    "dragonfly-plus": size_dragonfly_plus,
    "slim-fly": size_slim_fly,
    "hyperx": size_hyperx,
    "torus": size_torus,
}
BUILD = {
    "dragonfly": build_dragonfly,
    "dragonfly-plus": build_dragonfly_plus,
    "slim-fly": build_slim_fly,
    "hyperx": build_hyperx,
    "torus": build_torus,
}
with (data_directory() / "reference" / "direct-topologies.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))


def size(family, **given):
    return SIZE[family](FabricSpec(family, **given))


def build(family, **given):
    return BUILD[family](FabricSpec(family, **given))


def given_of(row):
    words = dict(word.split("=") for word in row["given"].split())
    special = {"dims": lambda text: tuple(map(int, text.split("x"))), "twist": "true".__eq__}
    return {name: special.get(name, int)(text) for name, text in words.items()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["design"])
def test_published_counts(row):
    given = given_of(row)
    counts = size(row["family"], **given)
    found = {
        "endpoints": counts.endpoints,
        "switches": counts.total_switches,
        "inter_switch_links": counts.inter_switch_links,
        "diameter": counts.diameter,
        "bisection_links": counts.bisection_links,
        "circuit_switches": counts.circuit_switches,
        "largest": counts.largest,
    }
    published = {name: int(row[name]) for name in found if row[name]}
    assert {name: found[name] for name in published} == published
    assert counts.buildable == (row["buildable"] == "true")
    if row["radix"]:
        # A router of so many ports is enough, and the formula knows what it leaves empty.
        assert size(row["family"], **{**given, "radix": int(row["radix"])}).switches
        ends = counts.endpoints + 2 * counts.inter_switch_links
        assert counts.stranded_ports == counts.total_switches * int(row["radix"]) - ends


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["design"])
def test_every_row_names_a_source(row):
    assert row["source"] in references()
    assert row["date"]


few = st.one_of(st.none(), st.integers(1, 5))
common = {
    "endpoints": st.one_of(st.none(), st.integers(1, 400)),
    "radix": st.one_of(st.none(), st.integers(3, 24)),
    "endpoint_gbps": st.sampled_from([None, None, 400.0, 200.0, 100.0]),
    "gpus_per_server": st.sampled_from([None, 1, 4, 8]),
    "spare_ports": st.sampled_from([0, 0, 1]),
}
grid = st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple)
grouped = {"p": few, "a": few, "h": few, "groups": st.one_of(st.none(), st.integers(1, 12))}
WISHES = st.one_of(
    st.fixed_dictionaries({"family": st.just("dragonfly"), **grouped, **common}),
    st.fixed_dictionaries({"family": st.just("dragonfly-plus"), **grouped, **common}),
    st.fixed_dictionaries(
        {
            "family": st.just("slim-fly"),
            "q": st.sampled_from([None, 3, 4, 5, 7, 8]),
            "p": few,
            **common,
        }
    ),
    st.fixed_dictionaries(
        {"family": st.just("hyperx"), "dims": st.one_of(st.none(), grid), "p": few, **common}
    ),
    st.fixed_dictionaries(
        {
            "family": st.just("torus"),
            "dims": st.one_of(st.none(), grid),
            "cube": st.sampled_from([None, None, 2]),
            "endpoints": common["endpoints"],
        }
    ),
    st.fixed_dictionaries(
        {
            "family": st.just("torus"),
            "dims": st.sampled_from([(2, 4), (3, 6), (2, 2, 4), (3, 6, 6), (4, 4, 8), (5, 10, 5)]),
            "twist": st.just(True),
        }
    ),
)


def ports_used(fabric):
    """Ports of switches that carry a link, and the most slots in use of any one of them."""
    width = np.array([kind.slots for kind in fabric.kinds])[fabric.kind]
    ends = np.concatenate([fabric.a, fabric.b]).astype(np.int64)
    slots = np.concatenate([fabric.a_slot, fabric.b_slot]).astype(np.int64)
    width = np.concatenate([width, width])
    at_switch = ends >= fabric.hosts
    ends, slots, width = ends[at_switch], slots[at_switch], width[at_switch]
    room = (fabric.ports - fabric.spare_ports)[ends - fabric.hosts] * fabric.breakout
    assert (slots + width <= room).all(), "no link beyond the ports of its switch"
    each = np.concatenate([ends + (slots + n) * 2**32 for n in range(fabric.breakout)])
    inside = np.concatenate([n < width for n in range(fabric.breakout)])
    assert len(np.unique(each[inside])) == np.count_nonzero(inside), "a slot holds one link"
    return len(np.unique(ends + slots // fabric.breakout * 2**32))


def hops(fabric):
    """Links on the longest shortest path between routers with hosts, or between nodes."""
    count = fabric.devices
    links = coo_matrix((np.ones(fabric.links), (fabric.a, fabric.b)), (count, count)).tocsr()
    if not fabric.switches:
        return int(shortest_path(links, directed=False, unweighted=True).max())
    links = links[fabric.hosts :, fabric.hosts :]
    with_hosts = np.unique(fabric.b[fabric.kind == 0]) - fabric.hosts
    far = shortest_path(links, directed=False, unweighted=True, indices=with_hosts)
    return int(far[:, with_hosts].max())


@given(WISHES)
@settings(max_examples=500, deadline=None)
def test_formula_counts_what_is_built(wish):
    try:
        counts = size(**wish)
    except DesignError:
        return  # one sentence each: see below
    for note in counts.notes:  # clauses, as of the Clos families
        assert not note.endswith(".")
        assert note[0] == note[0].lower()
    if not counts.buildable:
        assert counts.reason.endswith(".")
        with pytest.raises(DesignError):
            build(**wish)
        return
    assume(sum(counts.links.values()) < 20_000)
    fabric = build(**wish)
    assert {kind.name: fabric.links_of(kind.name) for kind in fabric.kinds} == dict(counts.links)
    assert {kind.name: kind.gbps for kind in fabric.kinds} == dict(counts.link_gbps)
    tiers = np.bincount(fabric.tier, minlength=len(fabric.tier_names)).tolist()
    assert dict(zip(fabric.tier_names, tiers, strict=True)) == dict(counts.switches)
    assert fabric.endpoints == counts.endpoints <= counts.largest
    used = ports_used(fabric)
    assert int((fabric.ports - fabric.spare_ports).sum()) - used == counts.stranded_ports
    at_hosts = counts.host_links if fabric.switches else 2 * fabric.links
    assert counts.transceivers == used + at_hosts
    measured = hops(fabric)
    # Hosts on a few routers of a slim fly may all be neighbours.
    assert measured == counts.diameter or (wish["family"] == "slim-fly" and measured == 1)


@given(st.integers(2, 40), st.integers(0, 90))
@settings(max_examples=300, deadline=None)
def test_global_links_are_spread_evenly(groups, ports):
    assume(ports >= groups - 1)
    left, left_port, right, right_port = group_links(groups, ports, spread=4)
    assert (left != right).all()
    assert 2 * len(left) == linked_ports(groups, ports)
    assert groups * ports - 2 * len(left) == groups * ports % 2
    low, high = np.minimum(left, right), np.maximum(left, right)
    pairs = np.bincount(low * groups + high, minlength=groups * groups).reshape(groups, groups)
    several = pairs[np.triu_indices(groups, 1)]
    assert several.max() - several.min() <= 1
    taken = np.concatenate([left * ports + left_port, right * ports + right_port])
    assert len(np.unique(taken)) == len(taken)
    assert taken.max() < groups * ports
    half = groups // 2
    assert crossing_links(groups, ports) == np.count_nonzero((left < half) != (right < half))


def test_parallel_links_of_two_groups_end_on_many_routers():
    fabric = build("dragonfly", p=1, a=8, h=4, groups=2)
    between = fabric.kind == 2
    pairs = fabric.a[between].astype(np.int64) * fabric.devices + fabric.b[between]
    assert np.unique(pairs, return_counts=True)[1].max() == 1


def test_dragonfly_of_a_quarter_million_endpoints_is_built():
    fabric = build("dragonfly", endpoints=261_632, radix=64)
    assert {kind.name: fabric.links_of(kind.name) for kind in fabric.kinds} == {
        "host": 261_632,
        "local": 253_456,
        "global": 130_816,
    }


def test_hosts_fill_the_first_routers():
    fabric = build("dragonfly", p=2, a=4, h=2, groups=9, endpoints=61)
    hosts = np.bincount(fabric.b[fabric.kind == 0] - fabric.hosts, minlength=fabric.switches)
    assert hosts.tolist() == [2] * 30 + [1] + [0] * 5


def test_ports_of_a_node_are_forward_and_back_of_each_dimension():
    fabric = build("torus", dims=(4, 2, 3))
    assert fabric.host_ports == 5
    first = {
        int(slot): int(peer)
        for ends, slots, peers in (
            (fabric.a, fabric.a_slot, fabric.b),
            (fabric.b, fabric.b_slot, fabric.a),
        )
        for slot, peer in zip(slots[ends == 0], peers[ends == 0], strict=True)
    }
    assert first == {0: 1, 1: 3, 2: 4, 3: 8, 4: 16}


# A twisted torus of sides k and 2k has diameter 3k/2 in three dimensions (camarero-2015, recalled).
@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("long", [(1, 1, 2), (1, 2, 2), (1, 2)])
def test_twist_brings_the_far_corners_nearer(k, long):
    dims = tuple(k * side for side in long)
    twisted = size("torus", dims=dims, twist=True)
    assert twisted.diameter == hops(build("torus", dims=dims, twist=True)) == len(dims) * k // 2
    assert twisted.diameter < size("torus", dims=dims).diameter


# Switches of one plane as rebuilt from the costs that hammingmesh-2022 prints (recalled).
@pytest.mark.parametrize(
    ("board", "boards", "gpus", "switches"),
    [(2, 16, 1_024, 32), (4, 8, 1_024, 16), (2, 64, 16_384, 256 * 6), (4, 32, 16_384, 256)],
)
def test_switches_of_a_hammingmesh(board, boards, gpus, switches):
    spec = FabricSpec("hammingmesh", a=board, dims=(boards, boards), radix=64)
    counts = size_hammingmesh(spec)
    assert (counts.endpoints, counts.total_switches) == (gpus, switches)
    # All-to-all gets 1 / (2a) of what the four ports of an accelerator inject.
    assert counts.bisection_links * 2 * (2 * board) == 4 * gpus
    with pytest.raises(DesignError, match="only counted"):
        build_hammingmesh(spec)


def test_a_torus_has_no_end_by_ports():
    counts = size("torus", dims=(4, 4, 4))
    assert counts.largest == counts.endpoints == 64
    assert any("no end by ports" in note for note in counts.notes)


def test_rings_stay_open_without_whole_cubes():
    counts = size("torus", dims=(2, 2, 4), cube=4)
    assert counts.circuit_switches == 0
    assert counts.diameter == 1 + 1 + 3
    assert "the rings stay open" in counts.notes[-1]


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (
            {"family": "dragonfly", "endpoints": 300_000, "radix": 64},
            "A dragonfly of 64-port switches ends at 262,656 endpoints; "
            "300,000 need 68 ports a switch.",
        ),
        (
            {"family": "dragonfly", "p": 16, "a": 40, "h": 16, "radix": 64},
            "A router with p = 16, a = 40, h = 16 needs 71 ports; the switch has 64.",
        ),
        (
            {"family": "dragonfly-plus", "endpoints": 200_000, "radix": 36},
            "A dragonfly+ of 36-port switches ends at 105,300 endpoints; "
            "200,000 need 44 ports a switch.",
        ),
        (
            {"family": "slim-fly", "endpoints": 40_000, "radix": 64},
            "A slim fly of 64-port switches ends at 35,322 endpoints; "
            "40,000 need q = 31 of 71-port switches.",
        ),
        (
            {"family": "hyperx", "endpoints": 100_000, "radix": 64},
            "A HyperX of 64-port switches ends at 68,590 endpoints in three dimensions; "
            "100,000 need 71 ports a switch.",
        ),
        (
            {"family": "torus", "endpoints": 5_000, "dims": (16, 16, 16)},
            "A 16 x 16 x 16 torus has 4,096 nodes; 5,000 fit into 20 x 16 x 16.",
        ),
    ],
    ids=lambda value: value["family"] if isinstance(value, dict) else "",
)
def test_what_does_not_fit_says_what_would(wish, reason):
    counts = size(**wish)
    assert not counts.buildable
    assert counts.reason == reason
    with pytest.raises(DesignError, match="cannot be built"):
        build(**wish)


@pytest.mark.parametrize("endpoints", [300_000, 1_000_000, 5_000_000])
@pytest.mark.parametrize("family", ["dragonfly", "dragonfly-plus", "slim-fly", "hyperx"])
def test_the_ports_that_are_named_do(family, endpoints):
    reason = size(family, endpoints=endpoints, radix=24).reason
    words = reason.rstrip(".").replace("-port", "").split()
    ports = next(int(word) for word in reversed(words) if word.isdigit())
    assert size(family, endpoints=endpoints, radix=ports).buildable


@pytest.mark.parametrize(
    ("family", "given", "field"),
    [
        ("dragonfly", {"radix": 0}, "radix"),
        ("dragonfly", {"radix": 1}, "radix"),
        ("dragonfly", {"radix": 2}, "radix"),
        ("dragonfly", {"radix": 64, "spare_ports": 64}, "spare_ports"),
        ("dragonfly", {}, "radix"),
        ("dragonfly", {"a": 0}, "a"),
        ("dragonfly", {"h": -2}, "h"),
        ("dragonfly", {"h": 10**9}, "h"),
        ("dragonfly", {"groups": 0, "radix": 64}, "groups"),
        ("dragonfly", {"endpoints": 0, "radix": 64}, "endpoints"),
        ("dragonfly", {"endpoints": 10**9, "radix": 64}, "endpoints"),
        ("dragonfly", {"h": 4, "endpoint_gbps": 800.0}, "endpoint_gbps"),
        ("dragonfly", {"h": 4, "port_gbps": -1.0}, "port_gbps"),
        ("dragonfly-plus", {"radix": 1}, "radix"),
        ("dragonfly-plus", {}, "radix"),
        ("slim-fly", {"radix": 5}, "radix"),
        ("slim-fly", {}, "q"),
        ("hyperx", {"dims": (0, 3), "p": 1}, "dims"),
        ("hyperx", {"dims": ()}, "dims"),
        ("hyperx", {"dims": (10**9,)}, "dims"),
        ("hyperx", {"dims": (2,) * 40}, "dims"),
        ("hyperx", {}, "dims"),
        ("torus", {"dims": (10**4, 10**4, 10**4)}, "dims"),
        ("torus", {"dims": (4, -4)}, "dims"),
        ("torus", {"dims": (4, 4, 4), "cube": 0}, "cube"),
        ("torus", {"dims": (4, 4, 6), "twist": True}, "dims"),
        ("torus", {}, "dims"),
    ],
)
def test_wrong_numbers_are_one_sentence_that_names_the_setting(family, given, field):
    with pytest.raises(DesignError, match=r"^[^\n]+; [^\n]+$") as caught:
        size(family, **given)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("family", "given"),
    [
        ("dragonfly", {"h": 60}),
        ("dragonfly-plus", {"radix": 200}),
        ("slim-fly", {"q": 997}),
        ("hyperx", {"dims": (3000, 3000), "p": 1}),
        ("torus", {"dims": (400, 400, 400)}),
    ],
)
def test_what_would_not_fit_in_memory_is_only_counted(family, given):
    counts = size(family, **given)
    assert sum(counts.links.values()) > MOST_LINKS
    with pytest.raises(DesignError, match="larger ones only counted"):
        build(family, **given)
