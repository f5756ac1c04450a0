"""The whole order: the bill of the compute fabric and of the networks beside it."""

from __future__ import annotations

from collections import Counter

import pytest

from netdesign.catalog import PriceBook, load_catalog
from netdesign.economics.bom import bill_of_materials
from netdesign.economics.whole_order import side_medium, whole_order
from netdesign.topology.media import link_medium
from netdesign.topology.side_networks import side_networks
from netdesign.topology.sizing import size_fabric

CATALOG = load_catalog()


def compute(server="dgx-h100", servers=127, switch="qm9700", book="street-2026"):
    machine, box = CATALOG.servers[server], CATALOG.switches[switch]
    speed = min(machine.port_gbps, box.port_gbps)
    fabric = size_fabric(
        "rail-optimised",
        servers=servers,
        ports_per_server=machine.network_ports,
        gpus_per_server=machine.gpus,
        radix=box.radix(speed),
    )
    media = [
        link_medium(
            CATALOG.link_media.values(), speed, 30, use, twin_port_cages=machine.twin_port_cages
        )
        for use in ("host", "fabric", "fabric")
    ]
    bom = bill_of_materials(
        server=machine,
        servers=servers,
        nic=CATALOG.nics[machine.nic],
        fabric=fabric,
        leaf_switch=box,
        spine_switch=box,
        access_medium=media[0],
        spine_medium=media[1],
        core_medium=media[2],
        price_book=CATALOG.price_book(book),
    )
    return bom, side_networks(machine, servers, fabric)


def order(book="street-2026", length=30.0, spare_share=0.0, **options):
    bom, side = compute(**options)
    prices = CATALOG.price_book(book) if isinstance(book, str) else book
    whole = whole_order(
        bom, side, prices, access_length_m=length, spine_length_m=length, spare_share=spare_share
    )
    return bom, whole


def quantities(whole) -> Counter:
    found: Counter = Counter()
    for row in whole.rows:
        found[row.place, row.part_id] += row.quantity
    return found


# RA-11333-001 V11, major parts and optics of 4 SU: 16 QM9700 of storage and 48 of compute, 8
# SN4600C, 8 SN2201, 254 QSFP112 modules. The 369 switch modules of the storage network are 128 at
# the leaves of servers, 240 between switches, and one that no count of ours has; the modules of
# 48 splitters to storage, which bring their own ends there, are 24 here.
def test_superpod_h100():
    _, whole = order()
    found = quantities(whole)
    switches = Counter()
    for row in whole.rows:
        if row.kind == "switch":
            switches[row.of_network, row.part_id] += row.quantity
    assert switches == {
        ("compute", "qm9700"): 48,
        ("storage", "qm9700"): 16,
        ("in-band", "sn4600c"): 8,
        ("out-of-band", "sn2201"): 8,
    }
    assert found["storage server", "mma1z00-ns400"] == 254
    assert found["storage access", "mma4z00-ns"] == 128 + 24
    assert found["storage leaf-spine", "mma4z00-ns"] == 240
    assert found["storage access", "mpo12-multimode"] == 254 + 48
    assert found["out-of-band access", "cat6"] == 317
    assert found["in-band switch uplink", "mma1b00-c100"] == 16
    assert found["in-band access", "mpo12-multimode"] == 254 + 8 + 4 + 6 + 8 + 16
    assert found["in-band leaf-spine", "mpo12-multimode"] == 24


# Enterprise RA GB300: 36n QSFP112 modules at the DPUs, 18n twin-port modules and 36n fibres at
# their leaves.
@pytest.mark.parametrize("racks", [1, 3])
def test_gb300_dpu_links(racks):
    bom, side = compute("gb300-nvl72", racks, "sn5600")
    converged = side.of("in-band")
    whole = whole_order(
        bom, side, CATALOG.price_book("street-2026"), access_length_m=30, spine_length_m=30
    )
    found = quantities(whole)
    assert found["in-band server", "mma1z00-ns400"] == 36 * racks
    assert found["in-band access", "mpo12-multimode"] == 36 * racks
    assert found["in-band access", "mma4z00-ns"] in (18 * racks, 18 * racks + 1)
    # Ports of 100G at the management switches do not meet modules of 400G: said, not guessed.
    assert found["in-band uplink", "link-in-band-uplink"] == side.of("out-of-band").uplinks
    assert converged.size.access_links == 36 * racks + side.of("out-of-band").uplinks


def test_the_rows_of_the_compute_fabric_stay_as_they_are():
    bom, whole = order()
    kept = whole.rows[: len(bom.rows)]
    assert [(r.part_id, r.place, r.quantity, r.total_usd) for r in kept] == [
        (r.part_id, r.place, r.quantity, r.total_usd) for r in bom.rows
    ]
    assert {row.of_network for row in kept} == {"compute"}
    assert {row.of_network for row in whole.rows[len(bom.rows) :]} == {
        "storage",
        "in-band",
        "out-of-band",
    }


def test_sums_are_those_of_the_rows():
    bom, whole = order()
    assert whole.total_usd == pytest.approx(sum(row.total_usd or 0 for row in whole.rows))
    assert whole.total_power_w == pytest.approx(sum(row.total_power_w or 0 for row in whole.rows))
    added = whole.total_usd - bom.total_usd
    assert added > 0
    assert whole.network_usd - bom.network_usd == pytest.approx(added)
    assert whole.network_power_w - bom.network_power_w == pytest.approx(
        whole.total_power_w - bom.total_power_w
    )


def test_what_has_no_price_is_named_and_counts_nothing():
    _, whole = order(book=PriceBook("none"))
    names = {row.name for row in whole.rows if row.unit_price_usd is None}
    assert {"SN2201", "SN4600C", "Cat6 cable with RJ45 ends"} <= names <= set(whole.unpriced)


def test_a_server_without_published_ports_says_so():
    bom, whole = order(server="aws-p5en")
    assert whole.total_usd == bom.total_usd
    assert [name for name in whole.unpriced if name not in bom.unpriced] == [
        f"{role} network of this server: no published ports"
        for role in ("storage", "in-band", "out-of-band")
    ]


def test_a_link_that_no_medium_makes_is_a_line_without_a_price():
    _, whole = order(server="hgx-h100", servers=16, switch="qm9700")
    line = next(row for row in whole.rows if row.part_id == "link-in-band-access")
    assert (line.quantity, line.unit_price_usd, line.power_w) == (32, None, None)
    assert line.name in whole.unpriced


def test_spares_lie_on_the_shelf_and_draw_no_power():
    _, none = order()
    _, some = order(spare_share=0.05)
    leaf = [
        next(row for row in whole.rows if row.place == "out-of-band leaf") for whole in (none, some)
    ]
    assert [(row.quantity, row.spare) for row in leaf] == [(8, 0), (9, 1)]
    assert leaf[0].total_power_w == leaf[1].total_power_w


# (speed, metres, links of a cage, use, cage) -> medium
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ((400, 30, 2, "host", "QSFP112"), "400g-sr4-qsfp112"),
        ((400, 2, 2, "fabric", ""), "400g-dac-fabric"),
        ((400, 30, 2, "fabric", ""), "400g-sr4-twin"),
        ((100, 30, 1, "host", "QSFP28"), "100g-sr4"),
        ((800, 100, 1, "fabric", ""), "800g-dr8"),
        ((200, 10, 4, "host", ""), None),  # no part splits a cage into four
        ((400, 5000, 2, "fabric", ""), None),
    ],
)
def test_medium_of_a_link(asked, found):
    medium = side_medium(*asked)
    assert (None if medium is None else medium.id) == found
