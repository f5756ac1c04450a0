"""Which switch of the other technology stands in for the one of a design?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from netdesign.catalog import PriceBook, Switch, Transport, load_catalog
from netdesign.design import Design
from netdesign.economics.switch_choice import able_switches, alike, nearest_switch, runs_at
from netdesign.errors import DesignError
from netdesign.order import Parts, parts_of


@dataclass(frozen=True)
class Counterpart:
    """The switch on the other side, and how it was found."""

    switch: Switch
    same: bool  # as many ports of the same speed, or the design's own switch
    priced: bool  # the price book has a price of it
    reason: str  # one sentence or two


def counterpart(
    design: Design, transport: str, price_book: PriceBook | None = None, *, by_book: bool = True
) -> Counterpart:
    """The switch that a design has on a transport: its own, or one of the other technology.

    Ports of the links' speed, whole or halved, come first; of those a switch with a price where
    the price book prices both fabrics (``by_book``); then as many ports of the same speed, and the
    nearest number of ports.

    Raises
    ------
    DesignError     for an unknown transport, or where no switch of its technology is fast enough
    """
    row = load_catalog().transports.require(transport, "transports")
    parts = parts_of(design, price_book)
    own, speed = parts.switch, parts.link_gbps
    if own.technology == row.technology:
        priced = parts.price_book.price(own.id) is not None
        return Counterpart(own, True, priced, f"{own.name} is the switch of the design.")
    able = switches_for(parts, row)
    found = nearest_switch(own, able, speed, parts.price_book, priced_first=by_book)
    if found is None:
        raise DesignError(
            "transports",
            transport,
            f"has no switch with ports of {speed:g} Gb/s",
            "choose a transport of the design's own technology",
        )
    told = _told(parts, found, able, by_book=by_book)
    if not row.own_switches:
        return told
    return replace(
        told,
        reason=f"{row.name} runs on switches that are not sold: counted as if built on "
        f"{found.name}.",
    )


def switches_for(parts: Parts, transport: Transport) -> list[Switch]:
    """The switches that carry a transport and are fast enough for the links of a design."""
    catalog = load_catalog().switches.values()
    return able_switches(catalog, (transport.technology,), parts.link_gbps)


def named(parts: Parts, switch: Switch) -> Counterpart:
    """A switch that a planner named instead of the counterpart."""
    own, priced = parts.switch, parts.price_book.price(switch.id) is not None
    reason = f"{switch.name} was asked for: {_ports(switch, parts.link_gbps)}"
    reason += "." if priced else f"; {parts.price_book.name} has no price of it."
    return Counterpart(switch, switch.id == own.id or alike(own, switch), priced, reason)


def _told(parts: Parts, found: Switch, able: Sequence[Switch], *, by_book: bool) -> Counterpart:
    own, speed, book = parts.switch, parts.link_gbps, parts.price_book
    same, priced = alike(own, found), book.price(found.id) is not None
    like = [switch for switch in able if alike(own, switch)]
    if same:
        reason = f"{found.name} has {found.ports} ports of {found.port_gbps:g} Gb/s as {own.name}."
    elif like and by_book and priced:
        reason = (
            f"{found.name} stands in, with {_ports(found, speed)} where {own.name} has "
            f"{own.radix(speed)}: {book.name} has no price of a switch with the same ports "
            f"({_some(like)})."
        )
    else:
        reason = (
            f"No switch has the ports of {own.name}: {found.name} with {_ports(found, speed)} is "
            f"the nearest to its {own.radix(speed)}."
        )
    if by_book and not priced:
        none = f"{_technology(found)} switch of {speed:g} Gb/s"
        which = f"any {none}" if runs_at(found, speed) else "it"
        reason += f" {book.name} has no price of {which}."
    return Counterpart(found, same, priced, reason)


def _ports(switch: Switch, speed: float) -> str:
    speed = min(speed, switch.port_gbps)
    return f"{switch.radix(speed)} ports at {speed:g} Gb/s"


def _some(switches: Sequence[Switch]) -> str:
    names = [switch.name for switch in switches]
    return ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} others"


def _technology(switch: Switch) -> str:
    return {"infiniband": "InfiniBand", "ethernet": "Ethernet"}.get(
        switch.technology, switch.technology
    )
