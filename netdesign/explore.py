"""What if? Alternatives to a design and evaluations along one parameter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from netdesign.catalog import PriceBook, load_catalog
from netdesign.design import Design, is_named, renamed
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate


@dataclass(frozen=True)
class Alternative:
    """A design beside the planner's own, and why it is worth a look."""

    title: str
    reason: str
    evaluation: Evaluation

    @property
    def design(self) -> Design:
        return self.evaluation.design


def what_if(design: Design, path: str, values: Iterable[Any]) -> tuple[Evaluation, ...]:
    """The design at each value of one parameter; values that make no design are left out."""
    found = []
    for value in values:
        try:
            found.append(evaluate(design.with_values({path: value})))
        except DesignError:
            continue
    return tuple(found)


def alternatives(
    design: Design, price_book: PriceBook | None = None
) -> tuple[Alternative, Alternative]:
    """Two designs to weigh against this one: the other technology, and the other structure."""
    own = evaluate(design, price_book)
    structure = _other_taper if own.fabric.tiers > 1 else _second_tier
    return _other_technology(design, price_book), structure(own, price_book)


def _changed(
    design: Design, changes: dict[str, Any], what: str, price_book: PriceBook | None
) -> Evaluation:
    other = design.with_values({**changes, "name": f"{design.name}, {what}"})
    return evaluate(other if is_named(design) else renamed(other), price_book)


def _other_technology(design: Design, price_book: PriceBook | None) -> Alternative:
    catalog = load_catalog()
    switch = catalog.switches[design.network.switch]
    wanted = "ethernet" if switch.technology == "infiniband" else "infiniband"
    port_gbps = catalog.servers[design.cluster.server].port_gbps
    book = catalog.price_books[design.economics.price_book]
    key = min(
        (
            book.price(key) is None,
            other.port_gbps * other.ports < switch.port_gbps * switch.ports,
            key,
        )
        for key, other in catalog.switches.items()
        if other.technology == wanted and other.port_gbps >= port_gbps
    )[-1]
    transport = min(
        (-row.efficiency, row.latency(), key)
        for key, row in catalog.transports.items()
        if row.technology == wanted and not row.own_switches
    )[-1]
    names = {"ethernet": "Ethernet", "infiniband": "InfiniBand"}
    changes = {
        "network.switch": key,
        "network.transport": transport,
        "network.in_network_reduction": False,
    }
    return Alternative(
        f"{names[wanted]} with {catalog.switches[key].name}",
        f"The same servers on {catalog.transports[transport].name}.",
        _changed(design, changes, names[wanted], price_book),
    )


def _other_taper(own: Evaluation, price_book: PriceBook | None) -> Alternative:
    tapered = own.design.network.oversubscription > 1
    changes = {"network.oversubscription": 1.0 if tapered else 2.0}
    other = _changed(
        own.design, changes, "non-blocking" if tapered else "2:1 oversubscribed", price_book
    )
    return Alternative(
        "Non-blocking fabric" if tapered else "2:1 oversubscribed fabric",
        f"{int(other.fabric.switches):,} switches instead of {int(own.fabric.switches):,}, "
        f"{int(other.fabric.leaf_spine_links):,} links above the leaves instead of "
        f"{int(own.fabric.leaf_spine_links):,}.",
        other,
    )


def _second_tier(own: Evaluation, price_book: PriceBook | None) -> Alternative:
    changes = {"network.family": "rail-optimised"}
    other = _changed(own.design, changes, "with spines", price_book)
    return Alternative(
        "Rail-optimised fabric with spines",
        f"{int(other.fabric.switches):,} switches instead of {int(own.fabric.switches):,}, and "
        f"room for {int(other.fabric.largest):,} ports instead of {int(own.fabric.largest):,}.",
        other,
    )
