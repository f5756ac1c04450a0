"""What do the switches and links of a fabric cost, and what power do its switches draw?

For a fabric that is only described by its counts; one with a Design has a bill of materials.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from netdesign.catalog import PriceBook, Switch
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
    counts: FabricCounts, *, port_gbps: float, switch: Switch | None, book: PriceBook
) -> FabricPrice:
    """Cost of switches and links by a price book, power of the switches.

    Parameters
    ----------
    counts : FabricCounts
    port_gbps : float           speed of a port
    switch : Switch or None     what stands in the racks; power and price come from it
    book : PriceBook            prices switches by the piece or the port, links as a whole or by
                                the transceivers at their ends
    """
    total = counts.total_switches
    notes: list[str] = []
    power = 0.0 if not total else None
    if total and switch is not None and switch.power_w is not None:
        power = total * switch.power_w
        notes.append(f"power is that of the switches alone, as {switch.name}")
    parts = (_switches_usd(total, counts.radix, port_gbps, switch, book), _links_usd(counts, book))
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        notes.append(f"price book {book.name} has no price for all of its parts")
        return FabricPrice(None, power, tuple(notes))
    notes.append(f"prices of {book.name}")
    return FabricPrice(sum(known), power, tuple(notes))


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


def _links_usd(counts: FabricCounts, book: PriceBook) -> float | None:
    places = [(_LINK_PLACES.get(name, ""), count) for name, count in counts.links.items() if count]
    prices = [book.price(f"link-{place}") for place, _ in places]
    if all(price is not None for price in prices):
        return sum(
            count * price.price_usd
            for (_, count), price in zip(places, prices, strict=True)
            if price is not None
        )
    speeds = {counts.link_gbps[name] for name, count in counts.links.items() if count}
    each = {speed: book.price(f"transceiver-{speed:g}") for speed in speeds}
    if len(speeds) > 1 or None in each.values():
        return None
    price = next(iter(each.values()), None)
    return 0.0 if price is None else counts.transceivers * price.price_usd
