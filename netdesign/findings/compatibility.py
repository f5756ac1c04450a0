"""Findings about parts that do not go together: cards, switches, transports, speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netdesign.catalog import Switch, load_catalog
from netdesign.economics.switch_choice import able_switches, nearest_switch
from netdesign.findings.finding import Finding
from netdesign.order import parts_of

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

SPOKEN = {
    "infiniband": ("infiniband",),
    "ethernet": ("ethernet",),
    "both": ("infiniband", "ethernet"),
    "srd": ("ethernet",),
}


def wrong_switch(evaluation: Evaluation) -> Finding | None:
    """A switch that the server's network cards cannot talk to."""
    catalog, design = load_catalog(), evaluation.design
    server, switch = catalog.servers[design.cluster.server], catalog.switches[design.network.switch]
    spoken = SPOKEN[catalog.nics[server.nic].technology]
    if switch.technology in spoken:
        return None
    right = _nearest(evaluation, spoken, server.port_gbps)
    return Finding(
        "wrong-switch",
        "error",
        f"{switch.name} speaks {_technology(switch.technology)}; the network cards of "
        f"{server.name} speak {' or '.join(_technology(key) for key in spoken)}.",
        f"Choose {right.name}." if right else "Choose another switch.",
        "network.switch" if right else "",
        right.id if right else None,
    )


def _nearest(
    evaluation: Evaluation, technologies: tuple[str, ...], link_gbps: float
) -> Switch | None:
    parts = parts_of(evaluation.design)
    able = able_switches(load_catalog().switches.values(), technologies, link_gbps)
    return nearest_switch(parts.switch, able, link_gbps, parts.price_book)


def srd_is_not_chosen(evaluation: Evaluation) -> Finding | None:
    """Network cards that speak their cloud's own protocol."""
    catalog, design = load_catalog(), evaluation.design
    server = catalog.servers[design.cluster.server]
    if catalog.nics[server.nic].technology != "srd" or design.network.transport == "srd":
        return None
    return Finding(
        "srd-is-not-chosen",
        "warning",
        f"{server.name} comes with {catalog.nics[server.nic].name} cards, which use "
        f"{catalog.transports['srd'].name}.",
        "Choose that transport; the fabric and the bill are shown as if you built them.",
        "network.transport",
        "srd",
    )


def wrong_technology(evaluation: Evaluation) -> Finding | None:
    """A transport that the switch does not speak."""
    catalog, network = load_catalog(), evaluation.design.network
    switch, transport = catalog.switches[network.switch], catalog.transports[network.transport]
    if switch.technology == transport.technology:
        return None
    right = next(
        (key for key, other in catalog.transports.items() if other.technology == switch.technology),
        None,
    )
    return Finding(
        "wrong-technology",
        "error",
        f"{switch.name} is an {_technology(switch.technology)} switch and cannot carry "
        f"{transport.name}.",
        f"Choose the transport {catalog.transports[right].name}." if right else "Choose another.",
        "network.transport",
        right,
    )


def switch_of_the_transport(evaluation: Evaluation) -> Finding | None:
    """The other way out of a wrong technology: the nearest switch that carries the transport."""
    catalog, network = load_catalog(), evaluation.design.network
    own, transport = catalog.switches[network.switch], catalog.transports[network.transport]
    if own.technology == transport.technology:
        return None
    server = catalog.servers[evaluation.design.cluster.server]
    spoken = SPOKEN[catalog.nics[server.nic].technology]
    speed = parts_of(evaluation.design).link_gbps
    right = _nearest(evaluation, (transport.technology,), speed)
    if transport.technology not in spoken or right is None:
        return None
    return Finding(
        "switch-of-the-transport",
        "note",
        f"{right.name} carries {transport.name}, with {right.ports} ports of "
        f"{right.port_gbps:g} Gb/s; {own.name} has {own.ports} of {own.port_gbps:g}.",
        f"Or keep the transport and choose {right.name}.",
        "network.switch",
        right.id,
    )


def _technology(key: str) -> str:
    return {"infiniband": "InfiniBand", "ethernet": "Ethernet"}.get(key, key)


def slow_links(evaluation: Evaluation) -> Finding | None:
    """Switch ports slower than the NICs."""
    catalog, design = load_catalog(), evaluation.design
    switch, server = catalog.switches[design.network.switch], catalog.servers[design.cluster.server]
    if switch.port_gbps >= server.port_gbps:
        return None
    right = _nearest(evaluation, (switch.technology,), server.port_gbps)
    return Finding(
        "slow-links",
        "warning",
        f"{switch.name} has {switch.port_gbps:,.0f} Gb/s ports; the NICs of {server.name} could "
        f"run at {server.port_gbps:,.0f}.",
        f"Choose a switch with ports of {server.port_gbps:,.0f} Gb/s.",
        "network.switch",
        right.id if right else None,
    )
