"""Bills of materials against published ones, and what holds for any."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace

import pytest

from netdesign.catalog import Price, PriceBook, data_directory, load_catalog
from netdesign.economics.bom import BillOfMaterials, bill_of_materials
from netdesign.topology.media import link_medium
from netdesign.topology.sizing import size_fabric

CATALOG = load_catalog()
EMPTY = PriceBook("no prices")


def bill(
    server="dgx-h100",
    servers=127,
    family="rail-optimised",
    switch="qm9700",
    book="cheah-2024",
    access_m=10.0,
    fabric_m=30.0,
    taper=1.0,
    **options,
) -> BillOfMaterials:
    machine, box = CATALOG.servers[server], CATALOG.switches[switch]
    fabric = size_fabric(
        family,
        servers=servers,
        ports_per_server=machine.network_ports,
        gpus_per_server=machine.gpus,
        radix=box.radix(machine.port_gbps),
        oversubscription=taper,
    )
    media = [
        link_medium(
            CATALOG.link_media.values(),
            machine.port_gbps,
            length,
            use,
            twin_port_cages=machine.twin_port_cages,
        )
        for length, use in ((access_m, "host"), (fabric_m, "fabric"), (fabric_m, "fabric"))
    ]
    return bill_of_materials(
        server=options.pop("as_server", machine),
        servers=servers,
        nic=CATALOG.nics[machine.nic],
        fabric=fabric,
        leaf_switch=box,
        spine_switch=box,
        access_medium=media[0],
        spine_medium=media[1],
        core_medium=media[2],
        price_book=CATALOG.price_book(book) if isinstance(book, str) else book,
        **options,
    )


def quantities(order: BillOfMaterials) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for row in order.rows:
        if not row.part_id.startswith(("link-", "facility", "transceiver-")):
            counts[row.kind, row.place] += row.quantity
    return dict(counts)


def test_parts_of_a_superpod_of_four_units():
    # RA-11333-001 V11: 127 DGX, 48 compute switches, 1536 twin-port modules in switches, 508 in
    # servers, 2040 cables.
    counts = quantities(bill())
    assert counts == {
        ("server", "server"): 127,
        ("nic", "server"): 1016,
        ("switch", "leaf"): 32,
        ("switch", "spine"): 16,
        ("transceiver", "server"): 508,
        ("transceiver", "access"): 512,
        ("transceiver", "leaf-spine"): 1024,
        ("cable", "access"): 1016,
        ("cable", "leaf-spine"): 1024,
    }
    assert counts["transceiver", "access"] + counts["transceiver", "leaf-spine"] == 1536
    assert counts["cable", "access"] + counts["cable", "leaf-spine"] == 2040


with (data_directory() / "reference" / "cluster-bills.csv").open(encoding="utf-8") as file:
    SHEET = list(csv.DictReader(file))


@pytest.mark.parametrize("row", SHEET, ids=lambda row: row["design"])
def test_the_public_h100_sheet_to_the_dollar(row):
    order = bill(
        server=row["server"],
        servers=int(row["servers"]),
        family=row["family"],
        switch=row["switch"],
        book=row["book"],
    )
    switches = [line for line in order.rows if line.kind == "switch"]
    cables = [line for line in order.rows if line.part_id.startswith("link-")]
    assert sum(line.quantity for line in switches) == int(row["switches"])
    assert sum(line.total_usd for line in switches) == float(row["switch_usd"])
    assert sum(line.total_usd for line in cables) == float(row["cable_usd"])
    assert order.total_usd == float(row["total_usd"])
    assert order.network_usd == float(row["switch_usd"]) + float(row["cable_usd"])
    assert order.facility_usd == 50_000 * int(row["servers"])
    assert order.unpriced == ()


@pytest.mark.parametrize(
    ("family", "server", "servers", "usd"),
    [
        # Table II of the rail-only paper: 32,768 GPUs, $694 a port, $199 a transceiver, radix 64.
        ("rail-optimised", "hgx-h100", 4096, 152_829_952),
        ("rail-only-256", "hgx-h100", 128, 94_306_304),
    ],
)
def test_network_bills_of_the_rail_only_paper(family, server, servers, usd):
    machine = CATALOG.servers[server]
    if family == "rail-only-256":
        family = "rail-only"
        machine = replace_model(machine, gpus=256, network_ports=256, scaleup_domain=256)
    fabric = size_fabric(
        family,
        servers=servers,
        ports_per_server=machine.network_ports,
        gpus_per_server=machine.gpus,
        radix=64,
    )
    medium = CATALOG.link_media["400g-sr4-osfp"]
    order = bill_of_materials(
        server=machine,
        servers=servers,
        nic=CATALOG.nics[machine.nic],
        fabric=fabric,
        leaf_switch=CATALOG.switches["qm9700"],
        spine_switch=CATALOG.switches["qm9700"],
        access_medium=medium,
        spine_medium=medium,
        core_medium=medium,
        price_book=CATALOG.price_book("rail-only-2024"),
    )
    assert order.network_usd == usd


def replace_model(row, **changes):
    return row.model_copy(update=changes)


def test_adapters_that_come_with_the_server_cost_nothing_more():
    order = bill()
    adapters = next(row for row in order.rows if row.kind == "nic")
    assert (adapters.quantity, adapters.total_usd, adapters.included_in) == (1016, 0.0, "dgx-h100")
    assert adapters.total_power_w == 0
    bare = replace_model(CATALOG.servers["dgx-h100"], nics_included=False)
    book = PriceBook(
        "nic", {"connectx-7-400": Price("connectx-7-400", 2000.0, "s", "2026", "", "")}
    )
    bought = next(row for row in bill(as_server=bare, book=book).rows if row.kind == "nic")
    assert bought.total_usd == 1016 * 2000.0
    assert bought.included_in == ""


def test_rows_come_in_the_order_of_an_order():
    kinds = [row.kind for row in bill().rows]
    order = ["server", "nic", "switch", "transceiver", "cable", "facility"]
    assert list(dict.fromkeys(kinds)) == order
    assert kinds == sorted(kinds, key=order.index)


def test_what_has_no_price_is_named_and_left_out():
    order = bill(book=EMPTY)
    assert order.total_usd == 0
    assert "DGX H100" in order.unpriced
    assert "QM9700" in order.unpriced
    assert len(set(order.unpriced)) == len(order.unpriced)
    assert order.price_book == "no prices"


def test_totals_are_the_sums_of_the_rows():
    for options in ({}, {"book": "street-2026"}, {"spare_share": 0.05}, {"taper": 3.0}):
        order = bill(**options)
        assert order.total_usd == pytest.approx(sum(row.total_usd or 0 for row in order.rows))
        network = [row for row in order.rows if row.network]
        assert order.network_usd == pytest.approx(sum(row.total_usd or 0 for row in network))
        assert order.network_power_w == pytest.approx(
            sum(row.total_power_w or 0 for row in network)
        )
        assert order.network_usd <= order.total_usd
        assert order.network_power_w <= order.total_power_w


def test_spares_are_bought_but_draw_no_power():
    plain, stocked = bill(), bill(spare_share=0.02)
    assert stocked.total_power_w == plain.total_power_w
    assert stocked.network_usd > plain.network_usd
    extra = {row.place: row.spare for row in stocked.rows if row.kind == "switch"}
    assert extra == {"leaf": 1, "spine": 1}
    assert all(row.spare == 0 for row in stocked.rows if row.kind in ("server", "nic"))
    assert all(row.spare == 0 for row in plain.rows)


def test_short_links_take_copper_without_modules():
    order = bill(server="hgx-h100", servers=128, access_m=2.0, fabric_m=1.5)
    assert not [row for row in order.rows if row.kind == "transceiver"]
    cables = {row.part_id: row.quantity for row in order.rows if row.kind == "cable"}
    assert cables["mcp4y10"] == 512  # 1024 links between switches, two in an assembly
    assert cables["mcp7y00"] == 512  # splitters: 8 ports of a server are 4 assemblies


def test_a_link_that_nothing_can_make_is_a_line_without_a_price():
    order = bill(fabric_m=50_000, book=EMPTY)
    missing = [row for row in order.rows if "no medium" in row.name]
    assert [(row.place, row.quantity) for row in missing] == [("leaf-spine", 1024)]
    assert missing[0].unit_price_usd is None
    assert missing[0].name in order.unpriced


def test_own_prices_of_parts_win_over_a_price_of_whole_links():
    own = {
        part: Price(part, 100.0, "quote", "2026-10", "", "own")
        for part in ("mma4z00-ns", "mma4z00-ns-flt", "mpo12-multimode")
    }
    order = bill(book=CATALOG.price_book("cheah-2024").overlay(PriceBook("own", own)))
    assert not [row for row in order.rows if row.part_id.startswith("link-")]
    modules = [row for row in order.rows if row.kind == "transceiver"]
    assert {row.unit_price_usd for row in modules} == {100.0}
    assert {row.price_source for row in modules} == {"quote"}


def test_a_taper_makes_the_network_cheaper():
    bills = [bill(taper=taper, servers=128).network_usd for taper in (1.0, 3.0, 7.0)]
    assert bills == sorted(bills, reverse=True)
    assert bills[0] > bills[-1]


def test_module_counts_never_exceed_the_cages_of_the_switches():
    for servers in (1, 5, 31, 40, 127, 300):
        for taper in (1.0, 2.0, 4.0):
            order = bill(servers=servers, taper=taper)
            switches = sum(row.quantity for row in order.rows if row.kind == "switch")
            modules = sum(
                row.quantity
                for row in order.rows
                if row.kind == "transceiver" and row.place != "server"
            )
            assert modules <= 32 * switches


def test_only_what_is_there_is_listed():
    order = bill(servers=4, family="single-switch")
    assert all(row.quantity > 0 for row in order.rows)
    assert {row.place for row in order.rows} <= {"server", "leaf", "access"}


def test_a_row_is_a_plain_record():
    row = bill().rows[0]
    assert replace(row, quantity=2).total_usd in (None, 2 * (row.unit_price_usd or 0))
