"""Families side by side: published sizes, the law of where they end, and what rivals share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.catalog import Cable, load_catalog
from netdesign.fabrics import Hardware, cabled
from netdesign.rivals import (
    Contender,
    Reach,
    as_rival,
    contend,
    parts_list,
    reaches,
    settings_of,
    spec_for,
)
from netdesign.topology.families import FAMILIES, size
from netdesign.topology.spec import FabricSpec

BOOK = load_catalog().price_books["rail-only-2024"]
QM9700 = load_catalog().switches["qm9700"]
MOST_SIZED = 10_000_000  # above, sizes are refused whatever the family
SPEC = FabricSpec("fat-tree", endpoints=1024, radix=64, gpus_per_server=8)


def ends(spec: FabricSpec) -> dict[tuple[str, int], int]:
    return {(reach.family, reach.tiers): reach.largest for reach in reaches(spec)}


def contender(family: str, **values: object) -> Contender:
    known = {"endpoints": 1024, "radix": 64, "gpus_per_server": 8, **values}
    return contend(spec_for(family, known), QM9700, BOOK)


def test_families_end_where_their_papers_say() -> None:
    found = ends(SPEC)
    # al-fares-2008: k^3 / 4 hosts of k-port switches in three tiers; k^2 / 2 in two
    assert found["fat-tree", 3] == 64**3 // 4
    assert found["fat-tree", 2] == 64**2 // 2
    # kim-2008: a p (a h + 1) with a = 2p = 2h; 63 links and endpoints a router
    assert found["dragonfly", 0] == 32 * 16 * (32 * 16 + 1)
    # rail-only: each of 8 rails is a tree of its own
    assert found["rail-only", 2] == 8 * found["fat-tree", 2]
    assert ("rail-optimised", 1) not in found
    assert not any(family == "torus" for family, _ in found)


@given(
    st.sampled_from([16, 32, 36, 64, 144]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1.0, 2.0, 3.0]),
)
def test_a_family_holds_its_largest_size_and_no_more(
    radix: int, split: int, server: int, taper: float
) -> None:
    spec = replace(
        SPEC,
        radix=radix,
        endpoint_gbps=400 / split,
        gpus_per_server=server,
        oversubscription=taper,
    )
    for reach in reaches(spec):
        if reach.largest > MOST_SIZED:
            continue
        rival = replace(as_rival(spec, reach.family), tiers=reach.tiers or None)
        whole = reach.largest // server * server
        assert size(replace(rival, endpoints=whole)).buildable, reach
        assert not size(replace(rival, endpoints=whole + server)).buildable, reach


def test_reaches_rise_with_the_tiers() -> None:
    found: dict[str, Reach] = {}
    for reach in reaches(SPEC):
        assert reach.largest > (found[reach.family].largest if reach.family in found else 0)
        found[reach.family] = reach
    assert set(found) == set(FAMILIES) - {"torus"}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_rival_takes_what_all_share_and_leaves_what_is_anothers(family: str) -> None:
    spec = replace(SPEC, rails=4, tiers=3, spare_ports=2, oversubscription=2.0)
    rival = as_rival(spec, family)
    assert rival.endpoints == 1024
    assert rival.rails is None
    assert rival.tiers is None
    if "radix" in settings_of(family):
        assert (rival.radix, rival.spare_ports, rival.gpus_per_server) == (64, 2, 8)
    assert rival.oversubscription == (2.0 if "oversubscription" in FAMILIES[family].reads else 1.0)


def test_a_spec_gets_only_what_its_family_knows() -> None:
    spec = spec_for("slim-fly", {"endpoints": 100, "q": 5, "rails": 8, "dims": (4, 4)})
    assert spec == FabricSpec("slim-fly", endpoints=100, q=5)


def test_cost_is_ports_and_transceivers_of_the_book() -> None:
    tree = contender("fat-tree")
    # rail-only: 694 USD a port of a switch, 199 USD a transceiver; 48 switches, 4,096 ends
    assert tree.price is not None
    assert tree.price.cost_usd == 48 * 64 * 694 + 4096 * 199
    assert tree.usd_per_gpu == pytest.approx(2878, abs=1)


def test_what_has_no_price_is_unknown_and_not_free() -> None:
    faster = load_catalog().switches["sn5600"]
    spec = replace(SPEC, port_gbps=800.0)
    unpriced = contend(spec, faster, BOOK)
    assert unpriced.buildable
    assert unpriced.price is not None
    assert unpriced.price.cost_usd is None
    assert unpriced.usd_per_gpu is None


@pytest.mark.parametrize(("taper", "share"), [(1.0, 1.0), (3.0, 1 / 3)])
def test_bisection_share_is_the_inverse_of_the_taper(taper: float, share: float) -> None:
    # 16 leaves of 48 GPUs at most, all of them full
    tree = contender("fat-tree", endpoints=768, oversubscription=taper)
    assert tree.bisection_share == pytest.approx(share)


def test_a_plane_more_doubles_what_a_gpu_can_send() -> None:
    assert contender("fat-tree").gbps_per_gpu == 400
    assert contender("multi-plane", planes=2).gbps_per_gpu == 800
    # a node of a three-dimensional torus has six links
    assert contender("torus").gbps_per_gpu == 2400


def test_parts_are_those_of_every_link_by_the_book_that_knows_most() -> None:
    built = cabled(SPEC, Hardware(QM9700))
    book, rows = parts_list(built, load_catalog().price_books)
    pieces = {row.part_id: row for row in rows}
    assert book == "street-2026"
    assert pieces["qm9700"].total_usd == 48 * 36_000
    parts = load_catalog().parts
    joined = sum(
        row.quantity * part.links
        for row in rows
        if isinstance(part := parts.get(row.part_id), Cable)
    )
    # a cable that carries two links may leave the second unused
    assert joined >= built.fabric.links
    unpriced = [row for row in rows if row.price_usd is None]
    assert all(row.total_usd is None for row in unpriced)


def test_what_cannot_be_built_says_what_would_do() -> None:
    large = contender("single-switch")
    assert not large.buildable
    assert "ends at 64 endpoints" in large.problem
    odd = contender("rail-optimised", endpoints=1001)
    assert odd.counts is None
    assert "1,000 or 1,008" in odd.problem
    assert contender("fat-tree").problem == ""
