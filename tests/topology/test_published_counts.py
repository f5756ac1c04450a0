"""Fabric sizes against published designs, exactly."""

from __future__ import annotations

import csv

import pytest

from netdesign.catalog import data_directory, references
from netdesign.topology.sizing import size_fabric

with (data_directory() / "reference" / "topology-counts.csv").open(encoding="utf-8") as file:
    ROWS = list(csv.DictReader(file))
COUNTS = ("leaves", "spines", "cores", "access_links", "leaf_spine_links", "spine_core_links")


def sized(row):
    return size_fabric(
        row["family"],
        servers=int(row["servers"]),
        ports_per_server=int(row["ports_per_server"]),
        gpus_per_server=int(row["gpus_per_server"]),
        radix=int(row["radix"]),
        oversubscription=float(row["oversubscription"]),
        core_oversubscription=float(row["core_oversubscription"]),
        even_spread=row["even_spread"] == "true",
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["design"])
def test_counts_are_those_of_the_design(row):
    fabric = sized(row)
    assert {name: getattr(fabric, name) for name in ("tiers", *COUNTS)} == {
        name: int(row[name]) for name in ("tiers", *COUNTS)
    }
    assert fabric.buildable
    assert fabric.reason == ""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["design"])
def test_every_row_names_a_source_of_the_bibliography(row):
    assert row["source"] in references()
    assert row["date"]


@pytest.mark.parametrize("servers", [95, 288])
def test_without_even_spread_the_spines_are_the_least_that_have_the_ports(servers):
    # SuperPOD H100 with 3 SU needs 12 spines by port count, B300 XDR with 4 SU needs 16.
    radix, least = {95: (64, 12), 288: (144, 16)}[servers]
    fabric = size_fabric(
        "rail-optimised",
        servers=servers,
        ports_per_server=8,
        gpus_per_server=8,
        radix=radix,
        even_spread=False,
    )
    assert fabric.spines == least


# Largest fabrics: R^2/2 in two tiers, R^3/4 in three (Al-Fares 2008); 144 ports as a Q3400-RA.
@pytest.mark.parametrize(
    ("radix", "two", "three"),
    [(64, 2048, 65536), (128, 8192, 524288), (144, 10368, 746496)],
)
def test_reach_of_a_fat_tree(radix, two, three):
    small = size_fabric("fat-tree-2", servers=1, ports_per_server=8, gpus_per_server=8, radix=radix)
    large = size_fabric("fat-tree-3", servers=1, ports_per_server=8, gpus_per_server=8, radix=radix)
    assert (small.largest, large.largest) == (two, three)


# Dell H20082: GPUs reached in one hop (one leaf) and three hops by servers wired to one leaf and
# by rails; the paper's three-hop rails are eight separate fabrics.
@pytest.mark.parametrize(
    ("radix", "leaf", "rail", "tree", "rails"),
    [(64, 32, 256, 2048, 16384), (128, 64, 512, 8192, 65536)],
)
def test_reach_in_hops(radix, leaf, rail, tree, rails):
    def fabric(family, servers):
        return size_fabric(
            family, servers=servers, ports_per_server=8, gpus_per_server=8, radix=radix
        )

    assert fabric("fat-tree-2", 256).pod_gpus == leaf
    assert fabric("rail-optimised", 256).pod_gpus == rail
    assert fabric("fat-tree-2", 1).largest == tree
    two_tiers = fabric("rail-only", rails // 8)
    assert (two_tiers.tiers, two_tiers.endpoints) == (2, rails)
    assert fabric("rail-only", rails // 8 + 1).tiers == 3


# Juniper JVD-AICLUSTERDC-EVPNType5: a stripe is 8 leaves with half their ports down.
@pytest.mark.parametrize(
    ("ports", "servers", "gpus"), [(32, 16, 128), (64, 32, 256), (128, 64, 512)]
)
def test_stripe_of_eight_leaves(ports, servers, gpus):
    fabric = size_fabric(
        "rail-optimised", servers=servers, ports_per_server=8, gpus_per_server=8, radix=ports
    )
    assert (fabric.leaves, fabric.pod_gpus) == (8, gpus)
    assert fabric.oversubscription == 1


def test_a_scalable_unit_of_gb200_has_a_leaf_for_each_rack_and_rail():
    # SuperPOD GB200: 8 racks of 72 GPUs, 4 rails, 32 leaves with 18 GPUs down and 18 links up.
    fabric = size_fabric(
        "rail-optimised", servers=8, ports_per_server=72, gpus_per_server=72, radix=64
    )
    assert fabric.leaves == 32
    assert fabric.leaf_spine_links == 32 * 18
    assert fabric.oversubscription == 1


def test_full_three_tier_fabric_of_64_ports_has_196_608_cables():
    fabric = size_fabric("fat-tree", servers=8192, ports_per_server=8, gpus_per_server=8, radix=64)
    assert fabric.links == 196_608
    assert fabric.switches == 5 * 65_536 / 64
