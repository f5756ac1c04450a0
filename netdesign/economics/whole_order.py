"""What is the whole order: the compute fabric and the networks beside it?"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from netdesign.catalog import Catalog, LinkMedium, PriceBook, load_catalog
from netdesign.catalog.parts import Cable, Transceiver
from netdesign.economics.bom import BillOfMaterials, BomRow
from netdesign.topology.side_networks import SideNetworks
from netdesign.topology.side_sizing import SizedSideNetwork

_COPPER_PAIR = "cat6"
_KINDS = ("switch", "transceiver", "cable")


@dataclass(frozen=True)
class _Pieces:
    part_id: str
    name: str
    kind: str
    place: str
    quantity: int
    power_w: float | None


def whole_order(
    compute: BillOfMaterials,
    side: SideNetworks,
    price_book: PriceBook,
    *,
    access_length_m: float,
    spine_length_m: float,
    spare_share: float = 0.0,
) -> BillOfMaterials:
    """The bill of the compute fabric with the rows of the other networks behind it.

    Servers bring the adapters of these networks. The far end of a link to other equipment comes
    with that equipment; the far end of an uplink of an out-of-band switch is in the order.

    Parameters
    ----------
    compute : BillOfMaterials
    side : SideNetworks
    price_book : PriceBook
    access_length_m, spine_length_m : float    of links to servers and between switches
    spare_share : float                        spares to stock of switches, modules and cables

    Returns
    -------
    BillOfMaterials     rows of other networks name theirs, also first in their ``place``; sums of
                        both; what has no price, and networks without published ports, in
                        ``unpriced``
    """
    rows = tuple(
        _priced(piece, sized.network.role, price_book, spare_share)
        for sized in side.networks
        for piece in _pieces(sized, access_length_m, spine_length_m)
        if piece.quantity
    )
    usd = sum(row.total_usd or 0.0 for row in rows)
    watts = sum(row.total_power_w or 0.0 for row in rows)
    unpriced = [row.name for row in rows if row.unit_price_usd is None]
    unmetered = [row.name for row in rows if row.power_w is None]
    return replace(
        compute,
        rows=compute.rows + rows,
        total_usd=compute.total_usd + usd,
        network_usd=compute.network_usd + usd,
        total_power_w=compute.total_power_w + watts,
        network_power_w=compute.network_power_w + watts,
        unpriced=tuple(dict.fromkeys((*compute.unpriced, *unpriced, *side.missing))),
        unmetered=tuple(dict.fromkeys((*compute.unmetered, *unmetered, *side.missing))),
    )


def side_medium(
    gbps: float, length_m: float, links_per_cage: int, use: str, cage: str = ""
) -> LinkMedium | None:
    """The shipped medium of the shortest reach whose ends fit the cages.

    Parameters
    ----------
    gbps : float            speed of a link
    length_m : float
    links_per_cage : int    links that one cage of the switch serves
    use : str               "host" or "fabric"
    cage : str              form of the module at the server; blank: any

    Returns
    -------
    LinkMedium or None      None where the catalogue has none
    """
    return _medium(gbps, length_m, links_per_cage, use, cage)


@functools.lru_cache(maxsize=1024)
def _medium(gbps: float, length_m: float, links: int, use: str, cage: str) -> LinkMedium | None:
    catalog = load_catalog()
    suitable = [
        medium
        for medium in catalog.link_media.values()
        if medium.port_gbps == gbps
        and medium.reach_m >= length_m
        and medium.serves(use)
        and (medium.switch_end_ports or medium.cable_links) == links
        and (use == "fabric" or _fits(catalog, medium, cage))
    ]
    return min(suitable, key=lambda medium: medium.reach_m, default=None)


def _fits(catalog: Catalog, medium: LinkMedium, cage: str) -> bool:
    if not cage:
        return medium.suits_host(False)
    end = medium.host_end_part
    return bool(end) and catalog.transceivers[end].form == cage


def _pieces(sized: SizedSideNetwork, access_m: float, spine_m: float) -> Iterator[_Pieces]:
    size, switch = sized.size, sized.network.switch
    for place, count in (("leaf", size.leaves), ("spine", size.spines), ("core", size.cores)):
        yield _Pieces(switch.id, switch.name, "switch", place, int(count), switch.power_w)
    yield from _access(sized, access_m)
    between = (
        ("peer", sized.peer_links, int(size.leaves), int(size.leaves)),
        ("leaf-spine", int(size.leaf_spine_links), int(size.leaves), int(size.spines)),
        ("spine-core", int(size.spine_core_links), int(size.spines), int(size.cores)),
    )
    medium = _medium(switch.port_gbps, spine_m, switch.cage_ports, "fabric", "")
    for place, links, lower, upper in between:
        if not links:
            continue
        if medium is None:
            yield _unmade(switch.port_gbps, sized, place, links)
            continue
        ends = (
            _modules(2 * links, switch.cage_ports, lower)
            if place == "peer"
            else _modules(links, switch.cage_ports, lower)
            + _modules(links, switch.cage_ports, upper)
        )
        if medium.switch_end_part:
            yield _module(medium.switch_end_part, place, ends)
        yield _cable(medium, place, links)


def _access(sized: SizedSideNetwork, length_m: float) -> Iterator[_Pieces]:
    network = sized.network
    links = int(sized.size.access_links)
    if network.cage == "RJ45":
        name = load_catalog().parts[_COPPER_PAIR].name
        yield _Pieces(_COPPER_PAIR, name, "cable", "access", links, 0.0)
        return
    per_cage = network.split * network.switch.cage_ports
    medium = _medium(network.gbps, length_m, per_cage, "host", network.cage)
    if medium is None:
        yield _unmade(network.gbps, sized, "access", links)
        return
    slower = [e for e in network.attached if e.gbps is not None and e.gbps != network.gbps]
    for entry in slower:
        yield _unmade(entry.gbps or network.gbps, sized, "uplink", entry.links)
    apart = sum(entry.links for entry in slower)
    if medium.host_end_part:
        ordered = [e.links for e in network.attached if e.ends_ordered and e not in slower]
        yield _module(medium.host_end_part, "server", sized.server_links)
        yield _module(medium.host_end_part, "switch uplink", sum(ordered))
    if medium.switch_end_part:
        modules = sum(
            entry.copies * _modules(entry.endpoints, per_cage, entry.leaves)
            for entry in sized.leaf_sets
        )
        yield _module(medium.switch_end_part, "access", modules - apart // per_cage)
    yield _cable(medium, "access", links - apart)


def _unmade(gbps: float, sized: SizedSideNetwork, place: str, links: int) -> _Pieces:
    role = sized.network.role
    name = f"{gbps:g}G {place} link of the {role} network (no medium of the catalogue fits)"
    return _Pieces(f"link-{role}-{place}", name, "cable", place, links, None)


def _module(part_id: str, place: str, quantity: int) -> _Pieces:
    part = load_catalog().parts[part_id]
    power = part.power_w if isinstance(part, Transceiver) else None
    return _Pieces(part_id, part.name, "transceiver", place, quantity, power)


def _cable(medium: LinkMedium, place: str, links: int) -> _Pieces:
    part = load_catalog().parts[medium.cable_part]
    power = 2 * part.power_per_end_w if isinstance(part, Cable) else None
    quantity = -(-links // medium.cable_links)
    return _Pieces(part.id, part.name, "cable", place, quantity, power)


def _modules(links: int, ports: int, devices: int) -> int:
    """As ``transceivers_needed``, of whole numbers."""
    each, more = divmod(links, devices)
    return more * -(-(each + 1) // ports) + (devices - more) * -(-each // ports)


def _priced(piece: _Pieces, role: str, book: PriceBook, spare_share: float) -> BomRow:
    price = book.price(piece.part_id)
    spare = math.ceil(piece.quantity * spare_share) if piece.kind in _KINDS else 0
    return BomRow(
        part_id=piece.part_id,
        name=piece.name,
        kind=piece.kind,
        place=f"{role} {piece.place}",
        quantity=piece.quantity + spare,
        unit_price_usd=None if price is None else price.price_usd,
        price_source="" if price is None else price.source,
        price_date="" if price is None else price.date,
        power_w=piece.power_w,
        network=True,
        spare=spare,
        of_network=role,
    )
