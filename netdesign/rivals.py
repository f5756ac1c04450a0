"""How does a family of fabrics do beside others at the same size, and where does each run out?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from netdesign.catalog import PriceBook, Switch, load_catalog
from netdesign.economics.counted_parts import Cabling
from netdesign.economics.fabric_parts import fabric_parts
from netdesign.economics.fabric_price import FabricPrice, fabric_price
from netdesign.errors import DesignError
from netdesign.fabrics import BuiltFabric
from netdesign.topology.families import FAMILIES, size
from netdesign.topology.spec import FabricCounts, FabricSpec

# What a spec can say beyond endpoints, switch, spare ports and servers, by family.
WITHOUT_SWITCHES = frozenset({"torus"})
_TIERS = MappingProxyType({"rail-optimised": (2, 3)})
_SHARED = ("oversubscription", "core_oversubscription")
_EVERYWHERE = ("endpoints", "radix", "port_gbps", "endpoint_gbps", "spare_ports", "gpus_per_server")
_OF_SWITCHES = frozenset({"radix", "endpoint_gbps", "spare_ports", "gpus_per_server"})


@dataclass(frozen=True)
class Contender:
    """One family at one size: its counts and price, or what is wrong."""

    spec: FabricSpec
    counts: FabricCounts | None = None
    price: FabricPrice | None = None
    error: DesignError | None = None  # no fabric can have such values

    @property
    def buildable(self) -> bool:
        return self.counts is not None and self.counts.buildable

    @property
    def problem(self) -> str:
        """Why it cannot be built, one sentence; empty if it can."""
        if self.error is not None:
            return str(self.error)
        return "" if self.counts is None else self.counts.reason

    @property
    def usd_per_gpu(self) -> float | None:
        """Cost of switches and links for each endpoint; None where a price is missing."""
        if self.counts is None or self.price is None or self.price.cost_usd is None:
            return None
        return self.price.cost_usd / self.counts.endpoints

    @property
    def gbps_per_gpu(self) -> float | None:
        """What all ports of an endpoint can send, Gb/s."""
        counts = self.counts
        if counts is None or not counts.endpoints:
            return None
        if counts.host_links:
            return counts.host_links * counts.link_gbps["host"] / counts.endpoints
        links = counts.links.items()
        return 2 * sum(n * counts.link_gbps[name] for name, n in links) / counts.endpoints

    @property
    def bisection_share(self) -> float | None:
        """What crosses between two halves, over what one half can send; None if not known."""
        counts, each = self.counts, self.gbps_per_gpu
        if counts is None or counts.bisection_links is None or not each:
            return None
        used = [name for name, n in counts.links.items() if n]
        between = [name for name in used if name != "host"] or used
        slowest = min(counts.link_gbps[name] for name in between)
        return min(counts.bisection_links * slowest / (counts.endpoints / 2 * each), 1.0)


@dataclass(frozen=True)
class Reach:
    """Where a family ends with a switch."""

    family: str
    tiers: int  # 0 where a family has none
    largest: int  # endpoints


@dataclass(frozen=True)
class PartRow:
    """A part of a built fabric; the price of one is None where the book has none."""

    part_id: str
    name: str
    quantity: int
    price_usd: float | None

    @property
    def total_usd(self) -> float | None:
        return None if self.price_usd is None else self.quantity * self.price_usd


def settings_of(family: str) -> frozenset[str]:
    """Fields of a FabricSpec that mean something for a family."""
    fields = FAMILIES[family].reads.union(_EVERYWHERE)
    return frozenset(fields - _OF_SWITCHES if family in WITHOUT_SWITCHES else fields)


def spec_for(family: str, values: Mapping[str, Any]) -> FabricSpec:
    """The description of a fabric from those of the values that the family knows."""
    known = settings_of(family) & set(values)
    return FabricSpec(family=family, **{name: values[name] for name in known})


def as_rival(spec: FabricSpec, family: str) -> FabricSpec:
    """Another family for the same endpoints, switch, servers and taper; the rest is its own."""
    names = (*_EVERYWHERE, *_SHARED)
    return spec_for(family, {name: getattr(spec, name) for name in names})


def contend(
    spec: FabricSpec, switch: Switch | None, book: PriceBook, cabling: Cabling | None = None
) -> Contender:
    """Counts by formula, cost and power; a spec that no fabric can have is a Contender too.

    Links are priced by their modules and cables where ``cabling`` says how long they are.
    """
    try:
        counts = size(spec)
    except DesignError as error:
        return Contender(spec, error=error)
    price = fabric_price(
        counts, port_gbps=spec.port_gbps, switch=switch, book=book, cabling=cabling
    )
    return Contender(spec, counts, price)


def reaches(spec: FabricSpec) -> tuple[Reach, ...]:
    """The largest size of every family with this switch, for trees at each number of tiers.

    A family that takes no such values is left out; a torus has no switches and no end.
    """
    values = tuple((name, getattr(spec, name)) for name in (*_EVERYWHERE[1:], *_SHARED))
    return _reaches(values)


@lru_cache(maxsize=64)
def _reaches(values: tuple[tuple[str, Any], ...]) -> tuple[Reach, ...]:
    found: list[Reach] = []
    for family in FAMILIES:
        if family in WITHOUT_SWITCHES:
            continue
        spec = spec_for(family, dict(values))
        for count in _TIERS.get(family, (1, 2, 3) if "tiers" in FAMILIES[family].reads else (0,)):
            largest = _largest(replace(spec, tiers=count or None))
            if largest > max((one.largest for one in found if one.family == family), default=0):
                found.append(Reach(family, count, largest))
    return tuple(found)


def _largest(spec: FabricSpec) -> int:
    """Endpoints at which a family ends; 0 where it cannot have these values at all.

    Beyond the end of one shape there may be another: ports between switches split, endpoints dealt
    over planes.
    """
    servers = spec.gpus_per_server or 1
    largest, asked = 0, servers
    try:
        while (found := size(replace(spec, endpoints=asked))).buildable:
            largest = max(found.largest, asked)
            asked = (largest // servers + 1) * servers
    except DesignError:
        return largest
    return largest


def parts_list(built: BuiltFabric, books: Mapping[str, PriceBook]) -> tuple[str, list[PartRow]]:
    """Switches, modules and cables of a fabric with its cables, each link by its own length.

    Parameters
    ----------
    built : BuiltFabric     with the switch that stands in it
    books : mapping         price books by name, one at least

    Returns
    -------
    str, list of PartRow    the book that prices most of the parts; links that no medium reaches
                            are a row without a price
    """
    needed: dict[str, int] = {}
    switch, catalog = built.hardware.switch, load_catalog()
    if switch is not None and built.fabric.switches:
        needed[switch.id] = built.fabric.switches
    for links in fabric_parts(built.fabric, **built.hardware.cages):
        for part in links.parts:
            needed[part.part_id] = needed.get(part.part_id, 0) + part.quantity
        if not links.parts:
            name = f"no cable of {links.port_gbps:g} Gb/s is long enough"
            needed[name] = needed.get(name, 0) + links.links
    book = max(books.values(), key=lambda one: sum(one.price(part) is not None for part in needed))
    rows = []
    for part_id, quantity in needed.items():
        known, price = catalog.parts.get(part_id), book.price(part_id)
        name = part_id if known is None else str(known.name)
        rows.append(PartRow(part_id, name, quantity, None if price is None else price.price_usd))
    return book.name, rows
