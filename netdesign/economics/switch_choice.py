"""Which switch of the catalogue stands in for another one, at the speed of a design's links?"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from netdesign.catalog import PriceBook, Switch

_HALF = 2  # a port in two halves: what a twin-port cage or a breakout cable makes of it


def runs_at(switch: Switch, link_gbps: float) -> bool:
    """Whether its ports, whole or in two halves, run at a speed in Gb/s."""
    halved = switch.breakout >= _HALF and switch.port_gbps == _HALF * link_gbps
    return switch.port_gbps == link_gbps or halved


def alike(switch: Switch, other: Switch) -> bool:
    """As many ports of the same speed."""
    return (switch.ports, switch.port_gbps) == (other.ports, other.port_gbps)


def able_switches(
    switches: Iterable[Switch], technologies: Collection[str], link_gbps: float
) -> list[Switch]:
    """The switches of these technologies whose ports are fast enough, Gb/s."""
    return [
        switch
        for switch in switches
        if switch.technology in technologies and switch.port_gbps >= link_gbps
    ]


def nearest_switch(
    own: Switch,
    able: Iterable[Switch],
    link_gbps: float,
    book: PriceBook,
    *,
    priced_first: bool = True,
) -> Switch | None:
    """The one of several switches that is nearest to a switch; None where there are none.

    Ports that run at the speed of the links, whole or halved, come first; of those a switch that
    the price book knows; then as many ports of the same speed, whole ports, the nearest number of
    ports at that speed, and the same vendor.

    Parameters
    ----------
    own : Switch            the switch of the design
    able : of Switch        as ``able_switches`` gives them
    link_gbps : float       speed of a link, Gb/s
    book : PriceBook
    priced_first : bool     False where somebody says the price: it only decides between equals
    """

    def distance(other: Switch) -> tuple[bool, bool, bool, bool, float, bool, bool]:
        ports = own.radix(min(link_gbps, own.port_gbps))
        unpriced = book.price(other.id) is None
        return (
            not runs_at(other, link_gbps),
            priced_first and unpriced,
            not alike(own, other),
            other.port_gbps != link_gbps,
            abs(math.log(other.radix(link_gbps) / ports)),
            unpriced,
            other.vendor != own.vendor,
        )

    return min(able, key=distance, default=None)
