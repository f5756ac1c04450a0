"""What exactly is bought?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from netdesign.catalog import (
    Cable,
    LinkMedium,
    Nic,
    Part,
    Price,
    PriceBook,
    Server,
    Switch,
    Transceiver,
    load_catalog,
)
from netdesign.economics.link_parts import LinkParts, link_parts
from netdesign.topology.fabric import FabricSize


@dataclass(frozen=True)
class BomRow:
    """One line of the order."""

    part_id: str
    name: str
    kind: str  # server | nic | switch | transceiver | cable | facility
    place: str  # server | access | leaf | spine | core | leaf-spine | spine-core
    quantity: int
    unit_price_usd: float | None  # None: no price with a source
    price_source: str
    price_date: str
    power_w: float | None  # of one piece
    network: bool  # counts towards the network share
    spare: int = 0  # of the quantity, on the shelf
    included_in: str = ""  # part whose price holds this one; then the unit price is 0
    of_network: str = "compute"  # or storage | in-band | out-of-band

    @property
    def total_usd(self) -> float | None:
        return None if self.unit_price_usd is None else self.quantity * self.unit_price_usd

    @property
    def total_power_w(self) -> float | None:
        return None if self.power_w is None else (self.quantity - self.spare) * self.power_w


@dataclass(frozen=True)
class BillOfMaterials:
    rows: tuple[BomRow, ...]
    price_book: str
    total_usd: float  # of what has a price
    network_usd: float
    total_power_w: float
    network_power_w: float
    unpriced: tuple[str, ...]  # names of parts without a price
    unmetered: tuple[str, ...]  # names of parts without a power figure
    facility_usd: float = 0.0  # of total_usd, where the book has it


def bill_of_materials(
    *,
    server: Server,
    servers: int,
    nic: Nic,
    fabric: FabricSize,
    leaf_switch: Switch,
    spine_switch: Switch,
    access_medium: LinkMedium | None,
    spine_medium: LinkMedium | None,
    core_medium: LinkMedium | None,
    price_book: PriceBook,
    spare_share: float = 0.0,
    parts: Mapping[str, Part] | None = None,
) -> BillOfMaterials:
    """The order of a cluster: servers, adapters, switches, modules and cables.

    A part without a price of its own is priced by what its book counts instead, if it has it:
    ``link-access``, ``link-leaf-spine`` or ``link-spine-core`` for a link with its ends,
    ``transceiver-SPEED`` for each of the two ends of a link, ``switch-port-SPEED`` for each port
    of a switch. ``facility-per-server`` adds a line.

    Parameters
    ----------
    server, nic                          rows of the catalogue
    servers : int
    fabric : FabricSize                  of scalars
    leaf_switch, spine_switch : Switch   cores are spine switches
    access_medium, spine_medium, core_medium : LinkMedium
                                         how links are made; None leaves a line without a price
    price_book : PriceBook
    spare_share : float                  spares to stock of switches, modules and cables
    parts : mapping                      parts that media name; those of the catalogue if None

    Returns
    -------
    BillOfMaterials                      rows: servers, adapters, switches, modules, cables
    """
    pricing = _Pricing(price_book, load_catalog().parts if parts is None else parts, spare_share)
    rows = [
        pricing.row(server.id, "server", "server", servers, power_w=server.power_w, network=False),
        pricing.adapters(server, servers, nic),
    ]
    speed = server.port_gbps if access_medium is None else access_medium.port_gbps
    for place, switch, count in (
        ("leaf", leaf_switch, fabric.leaves),
        ("spine", spine_switch, fabric.spines),
        ("core", spine_switch, fabric.cores),
    ):
        rows.append(pricing.switches(switch, place, int(count), speed, int(fabric.radix)))
    media = (access_medium, spine_medium, core_medium)
    for links in link_parts(fabric, server, servers, *media):
        rows += pricing.links(links)
    if price_book.price(_FACILITY) is not None:
        rows.append(
            pricing.row(_FACILITY, "facility", "server", servers, power_w=0.0, network=False)
        )
    order = sorted((row for row in rows if row.quantity), key=lambda row: _KINDS.index(row.kind))
    return _summed(tuple(order), price_book.name)


_FACILITY = "facility-per-server"
_KINDS = ("server", "nic", "switch", "transceiver", "cable", "facility")


@dataclass(frozen=True)
class _Pricing:
    """Makes rows: looks up the name, power and price of a part."""

    book: PriceBook
    parts: Mapping[str, Part]
    spare_share: float

    def row(
        self,
        part_id: str,
        kind: str,
        place: str,
        quantity: int,
        *,
        power_w: float | None = None,
        network: bool = True,
        name: str = "",
        price: Price | None = None,
        pieces: int = 1,
        included_in: str = "",
    ) -> BomRow:
        """One row; ``pieces`` of what the price is for make one part."""
        price = price or self.book.price(part_id)
        spare = math.ceil(quantity * self.spare_share) if kind in _KINDS[2:] else 0
        part = self.parts.get(part_id)
        amount = None if price is None else price.price_usd * pieces
        return BomRow(
            part_id=part_id,
            name=name or (part.name if part else part_id),
            kind=kind,
            place=place,
            quantity=quantity + spare,
            unit_price_usd=0.0 if included_in else amount,
            price_source=price.source if price and not included_in else "",
            price_date=price.date if price and not included_in else "",
            power_w=power_w,
            network=network,
            spare=spare,
            included_in=included_in,
        )

    def adapters(self, server: Server, servers: int, nic: Nic) -> BomRow:
        """The adapters; a server that comes with them brings their price and their power."""
        quantity = servers * -(-server.network_ports // nic.ports)
        if server.nics_included:
            return self.row(nic.id, "nic", "server", quantity, power_w=0.0, included_in=server.id)
        return self.row(nic.id, "nic", "server", quantity, power_w=nic.power_w)

    def switches(
        self, switch: Switch, place: str, count: int, port_gbps: float, radix: int
    ) -> BomRow:
        """Switches, by the port where the book has no price for the switch."""
        by_port = self.book.price(f"switch-port-{port_gbps:g}")
        if self.book.price(switch.id) is None and by_port is not None:
            return self.row(
                switch.id,
                "switch",
                place,
                count,
                power_w=switch.power_w,
                price=by_port,
                pieces=radix,
            )
        return self.row(switch.id, "switch", place, count, power_w=switch.power_w)

    def links(self, links: LinkParts) -> list[BomRow]:
        """Modules and cables of a place, and what prices them together if the book has that."""
        whole = self._as_a_whole(links)
        if whole is None and not links.parts:
            name = f"{links.port_gbps:g}G {links.place} link (no medium reaches)"
            return [self.row(f"link-{links.place}", "cable", links.place, links.links, name=name)]
        rows = [
            self.row(
                part.part_id,
                part.kind,
                part.place,
                part.quantity,
                power_w=self._power(part.part_id),
                included_in=whole.part_id if whole else "",
            )
            for part in links.parts
        ]
        return [*rows, whole] if whole else rows

    def _as_a_whole(self, links: LinkParts) -> BomRow | None:
        if links.parts and all(self.book.price(part.part_id) for part in links.parts):
            return None
        for part_id, kind, each in (
            (f"link-{links.place}", "cable", 1),
            (f"transceiver-{links.port_gbps:g}", "transceiver", 2),
        ):
            if self.book.price(part_id) is not None:
                quantity = each * links.links
                return self.row(part_id, kind, links.place, quantity, power_w=0.0)
        return None

    def _power(self, part_id: str) -> float | None:
        part = self.parts.get(part_id)
        if isinstance(part, Cable):
            return 2 * part.power_per_end_w
        return part.power_w if isinstance(part, Transceiver) else None


def _summed(rows: tuple[BomRow, ...], price_book: str) -> BillOfMaterials:
    def usd(chosen: Iterable[BomRow]) -> float:
        return sum(row.total_usd or 0.0 for row in chosen)

    def watts(chosen: Iterable[BomRow]) -> float:
        return sum(row.total_power_w or 0.0 for row in chosen)

    def names(chosen: Iterable[BomRow]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.name for row in chosen))

    return BillOfMaterials(
        rows=rows,
        price_book=price_book,
        total_usd=usd(rows),
        network_usd=usd(row for row in rows if row.network),
        total_power_w=watts(rows),
        network_power_w=watts(row for row in rows if row.network),
        unpriced=names(row for row in rows if row.unit_price_usd is None),
        unmetered=names(row for row in rows if row.power_w is None),
        facility_usd=usd(row for row in rows if row.part_id == _FACILITY),
    )
