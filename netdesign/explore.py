"""What if? Alternatives to a design and evaluations along one parameter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from netdesign.catalog import load_catalog
from netdesign.design import Design
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


def alternatives(design: Design) -> tuple[Alternative, Alternative]:
    """Two designs to weigh against this one: the other technology, and the other taper."""
    return _other_technology(design), _other_taper(design)


def _other_technology(design: Design) -> Alternative:
    catalog = load_catalog()
    switch = catalog.switches[design.network.switch]
    wanted = "ethernet" if switch.technology == "infiniband" else "infiniband"
    port_gbps = catalog.servers[design.cluster.server].port_gbps
    book = catalog.price_books[design.economics.price_book]
    candidates = [
        (
            book.price(key) is None,
            other.port_gbps * other.ports < switch.port_gbps * switch.ports,
            key,
        )
        for key, other in catalog.switches.items()
        if other.technology == wanted and other.port_gbps >= port_gbps
    ]
    transport = min(
        (-row.efficiency, row.latency(), key)
        for key, row in catalog.transports.items()
        if row.technology == wanted
    )[-1]
    key = min(candidates)[2]
    names = {"ethernet": "Ethernet", "infiniband": "InfiniBand"}
    return Alternative(
        f"{names[wanted]} with {catalog.switches[key].name}",
        f"The same servers on {catalog.transports[transport].name}.",
        evaluate(
            design.with_values(
                {
                    "name": f"{design.name}, {names[wanted]}",
                    "network.switch": key,
                    "network.transport": transport,
                    "network.in_network_reduction": False,
                }
            )
        ),
    )


def _other_taper(design: Design) -> Alternative:
    tapered = design.network.oversubscription > 1
    ratio = 1.0 if tapered else 2.0
    other = evaluate(
        design.with_values(
            {"name": f"{design.name}, {ratio:.0f}:1", "network.oversubscription": ratio}
        )
    )
    own = evaluate(design).fabric
    return Alternative(
        "Non-blocking fabric" if tapered else "2:1 oversubscribed fabric",
        f"{int(other.fabric.switches):,} switches instead of {int(own.switches):,}, "
        f"{int(other.fabric.leaf_spine_links):,} links above the leaves instead of "
        f"{int(own.leaf_spine_links):,}.",
        other,
    )
