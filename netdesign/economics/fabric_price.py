"""What do the switches and links of a fabric cost, and what power do its switches draw?

For a fabric that is only described by its counts; one with a Design has a bill of materials.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from netdesign.catalog import PriceBook, Switch
from netdesign.economics.counted_parts import Cabling, counted_parts
from netdesign.topology.spec import FabricCounts

_LINK_PLACES = {"host": "access", "leaf_spine": "leaf-spine", "spine_core": "spine-core"}


@dataclass(frozen=True)
class FabricPrice:
    """Money and power of a fabric without servers; None where a price or a figure is missing."""

    cost_usd: float | None
    power_w: float | None
    notes: tuple[str, ...]


def matching_switch(switches: Iterable[Switch], radix: int, port_gbps: float) -> Switch | None:
    """A switch of the catalogue with these ports; one whose power is known before the others."""
    alike = [
        switch
        for switch in switches
        if (switch.ports, switch.port_gbps) == (radix, port_gbps)
        or (port_gbps < switch.port_gbps and switch.radix(port_gbps) == radix)
    ]
    alike.sort(key=lambda switch: (switch.port_gbps != port_gbps, switch.power_w is None))
    return alike[0] if alike else None


def fabric_price(
    counts: FabricCounts,
    *,
    port_gbps: float,
    switch: Switch | None,
    book: PriceBook,
    cabling: Cabling | None = None,
) -> FabricPrice:
    """Cost of switches and links by a price book, power of the switches.

    Parameters
    ----------
    counts : FabricCounts
    port_gbps : float           speed of a port
    switch : Switch or None     what stands in the racks; power and price come from it
    book : PriceBook            prices switches by the piece or the port; links by their modules
                                and cables, as a whole, or by the transceivers at their ends
    cabling : Cabling           lengths and cages; None: links are not priced by their parts
    """
    total = counts.total_switches
    notes: list[str] = []
    power = 0.0 if not total else None
    if total and switch is not None and switch.power_w is not None:
        power = total * switch.power_w
        notes.append(f"power is that of the switches alone, as {switch.name}")
    switches_usd = _switches_usd(total, counts.radix, port_gbps, switch, book)
    links_usd, how = None, ""
    if cabling is not None:
        links_usd = _parts_usd(counts, book, cabling)
        how = (
            f"links by their modules and cables of {cabling.access_length_m:g} m to servers and "
            f"{cabling.spine_length_m:g} m between switches"
        )
    if links_usd is None:
        links_usd, how = _links_usd(counts, book)
    if switches_usd is None or links_usd is None:
        notes.append(f"price book {book.name} has no price for all of its parts")
        return FabricPrice(None, power, tuple(notes))
    notes.append(f"prices of {book.name}, {how}")
    return FabricPrice(switches_usd + links_usd, power, tuple(notes))


def _parts_usd(counts: FabricCounts, book: PriceBook, cabling: Cabling) -> float | None:
    """Modules and cables of all links; None where one has no price or no medium reaches."""
    total = 0.0
    for links in counted_parts(counts, cabling):
        prices = [book.price(part.part_id) for part in links.parts]
        if not prices:
            return None
        for part, price in zip(links.parts, prices, strict=True):
            if price is None:
                return None
            total += part.quantity * price.price_usd
    return total


def _switches_usd(
    total: int, radix: int, port_gbps: float, switch: Switch | None, book: PriceBook
) -> float | None:
    if not total:
        return 0.0
    whole = book.price(switch.id) if switch else None
    if whole is not None:
        return total * whole.price_usd
    port = book.price(f"switch-port-{port_gbps:g}")
    return None if port is None else total * radix * port.price_usd


def _links_usd(counts: FabricCounts, book: PriceBook) -> tuple[float | None, str]:
    """Links as a whole, or by the transceivers at their ends; and which of the two."""
    places = [(_LINK_PLACES.get(name, ""), count) for name, count in counts.links.items() if count]
    prices = [book.price(f"link-{place}") for place, _ in places]
    if all(price is not None for price in prices):
        whole = sum(
            count * price.price_usd
            for (_, count), price in zip(places, prices, strict=True)
            if price is not None
        )
        return whole, "each link as a whole"
    speeds = {counts.link_gbps[name] for name, count in counts.links.items() if count}
    each = {speed: book.price(f"transceiver-{speed:g}") for speed in speeds}
    if len(speeds) > 1 or None in each.values():
        return None, ""
    price = next(iter(each.values()), None)
    known = 0.0 if price is None else counts.transceivers * price.price_usd
    return known, "links by the transceivers at their ends, cables not counted"
