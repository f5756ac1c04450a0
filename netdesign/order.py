"""What is bought for a design: its parts, the bill of its compute fabric, the whole order."""

from __future__ import annotations

from dataclasses import dataclass

from netdesign.catalog import Accelerator, PriceBook, Server, Switch, Transport, load_catalog
from netdesign.design import Design
from netdesign.economics.bom import BillOfMaterials, bill_of_materials
from netdesign.economics.whole_order import whole_order
from netdesign.topology.fabric import FabricSize
from netdesign.topology.media import link_medium
from netdesign.topology.side_networks import SideNetworks, side_networks


@dataclass(frozen=True)
class Parts:
    """The catalogue rows that a design names."""

    server: Server
    accelerator: Accelerator
    switch: Switch
    transport: Transport
    price_book: PriceBook

    @property
    def link_gbps(self) -> float:
        """Speed of a server link: the slower of its two ends."""
        return min(self.server.port_gbps, self.switch.port_gbps)


def parts_of(design: Design, price_book: PriceBook | None = None) -> Parts:
    """The catalogue rows that a design names; the planner's prices over the named book."""
    catalog = load_catalog()
    book = catalog.price_books[design.economics.price_book]
    server = catalog.servers[design.cluster.server]
    return Parts(
        server=server,
        accelerator=catalog.accelerator_of(server),
        switch=catalog.switches[design.network.switch],
        transport=catalog.transports[design.network.transport],
        price_book=book.overlay(price_book) if price_book else book,
    )


def bill_of(design: Design, parts: Parts, servers: int, fabric: FabricSize) -> BillOfMaterials:
    """Servers and compute fabric."""
    catalog = load_catalog()
    between = link_medium(
        catalog.link_media.values(), parts.link_gbps, design.network.spine_length_m, "fabric"
    )
    return bill_of_materials(
        server=parts.server,
        servers=servers,
        nic=catalog.nics[parts.server.nic],
        fabric=fabric,
        leaf_switch=parts.switch,
        spine_switch=parts.switch,
        access_medium=link_medium(
            catalog.link_media.values(),
            parts.link_gbps,
            design.network.access_length_m,
            "host",
            twin_port_cages=parts.server.twin_port_cages,
        ),
        spine_medium=between,
        core_medium=between,
        price_book=parts.price_book,
    )


def networks_beside(parts: Parts, servers: int, fabric: FabricSize) -> SideNetworks:
    """The storage, in-band and out-of-band networks that belong to the compute fabric."""
    return side_networks(parts.server, servers, fabric)


def order_of(
    design: Design, parts: Parts, bill: BillOfMaterials, beside: SideNetworks
) -> BillOfMaterials:
    """The bill of the compute fabric and the networks beside it."""
    return whole_order(
        bill,
        beside,
        parts.price_book,
        access_length_m=design.network.access_length_m,
        spine_length_m=design.network.spine_length_m,
    )
