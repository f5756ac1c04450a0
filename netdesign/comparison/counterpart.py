"""Which switch of the other technology stands in for the one of a design?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from netdesign.catalog import PriceBook, Switch, load_catalog
from netdesign.design import Design
from netdesign.errors import DesignError
from netdesign.order import parts_of


@dataclass(frozen=True)
class Counterpart:
    """The switch on the other side, and how it was found."""

    switch: Switch
    same: bool  # as many ports of the same speed, or the design's own switch
    priced: bool  # the price book has a price of it
    reason: str  # one sentence


def counterpart(design: Design, transport: str, price_book: PriceBook | None = None) -> Counterpart:
    """The switch that a design has on a transport: its own, or one of the other technology.

    As many ports of the same speed come first, of the same vendor if there is one; else native
    ports of the servers' speed and the nearest number of ports at that speed.

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
    able = [
        switch
        for switch in load_catalog().switches.values()
        if switch.technology == row.technology and switch.port_gbps >= speed
    ]
    if not able:
        raise DesignError(
            "transports",
            transport,
            f"has no switch with ports of {speed:g} Gb/s",
            "choose a transport of the design's own technology",
        )
    found = min(able, key=lambda switch: _distance(own, switch, speed, parts.price_book))
    told = _told(own, found, speed, parts.price_book.price(found.id) is not None)
    if not row.own_switches:
        return told
    return replace(
        told,
        reason=f"{row.name} runs on switches that are not sold: counted as if built on "
        f"{found.name}.",
    )


def _distance(
    own: Switch, other: Switch, speed: float, book: PriceBook
) -> tuple[bool, bool, float, bool, bool]:
    return (
        not _same(own, other),
        other.port_gbps != speed,
        abs(math.log(other.radix(speed) / own.radix(speed))),
        book.price(other.id) is None,
        other.vendor != own.vendor,
    )


def _same(own: Switch, other: Switch) -> bool:
    return (own.ports, own.port_gbps) == (other.ports, other.port_gbps)


def _told(own: Switch, other: Switch, speed: float, priced: bool) -> Counterpart:
    same = _same(own, other)
    if same:
        reason = f"{other.name} has {other.ports} ports of {other.port_gbps:g} Gb/s as {own.name}."
    else:
        reason = (
            f"No switch has the ports of {own.name}: {other.name} with {other.radix(speed)} ports "
            f"at {speed:g} Gb/s is the nearest to its {own.radix(speed)}."
        )
    return Counterpart(other, same, priced, reason)
