"""The fabric of a Design as a built thing: every switch, port and cable of what was evaluated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict

from netdesign.catalog import Server, Switch, load_catalog
from netdesign.catalog.parts import Technology
from netdesign.design import Design
from netdesign.economics.fabric_price import FabricPrice
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation
from netdesign.order import parts_of
from netdesign.topology.built import Fabric
from netdesign.topology.circuits import build_torus_cables
from netdesign.topology.families import build, size
from netdesign.topology.layout import Placement, floor_for, place, with_cables
from netdesign.topology.side_build import build_side_network, plain_spec
from netdesign.topology.spec import SPINE_RULES, FabricSpec

_FAMILY_NAMES = {"fat-tree-2": "fat-tree", "fat-tree-3": "fat-tree"}


@dataclass(frozen=True)
class Hardware:
    """What stands at the two ends of the links; None where nobody has chosen it."""

    switch: Switch | None = None
    server: Server | None = None

    @property
    def cages(self) -> Cages:
        """How many ports share a cage."""
        twin = self.server is not None and self.server.twin_port_cages
        ports = 1 if self.switch is None else self.switch.cage_ports
        return {"server_twin_port_cages": twin, "switch_cage_ports": ports}

    @property
    def technology(self) -> Technology:
        return "ethernet" if self.switch is None else self.switch.technology


class Cages(TypedDict):
    """Ports that share a cage, as the makers of cables and parts take them."""

    server_twin_port_cages: bool
    switch_cage_ports: int


@dataclass(frozen=True, eq=False)
class BuiltFabric:
    """A fabric with its cables, and where its devices stand."""

    spec: FabricSpec
    fabric: Fabric
    placement: Placement
    hardware: Hardware


def spec_of(evaluation: Evaluation) -> FabricSpec:
    """The description of the fabric that was evaluated.

    Raises
    ------
    DesignError     when the Design's fabric cannot be built
    """
    if not evaluation.fabric.buildable:
        raise DesignError(
            "network.family",
            evaluation.design.network.family,
            "cannot be built: " + str(evaluation.fabric.reason).rstrip("."),
            "see the findings of the design",
        )
    tiers = int(evaluation.fabric.tiers)
    return described(evaluation.design, tiers if tiers > 1 else None)


def described(design: Design, tiers: int | None = None) -> FabricSpec:
    """The fabric of a design as a description; the Design's switch ports at link speed."""
    parts = parts_of(design)
    servers = -(-design.cluster.gpus // parts.server.gpus)
    network = design.network
    return FabricSpec(
        family=_FAMILY_NAMES.get(network.family, network.family),
        endpoints=servers * parts.server.network_ports,
        radix=parts.switch.radix(parts.link_gbps),
        port_gbps=parts.link_gbps,
        tiers=tiers,
        oversubscription=network.oversubscription,
        core_oversubscription=network.core_oversubscription,
        spread_evenly=SPINE_RULES[network.spines],
        gpus_per_server=parts.server.gpus,
        ports_per_server=parts.server.network_ports,
    )


def hardware_of(design: Design) -> Hardware:
    """The switch and the server of a design."""
    parts = parts_of(design)
    return Hardware(parts.switch, parts.server)


def cabled(spec: FabricSpec, hardware: Hardware = Hardware()) -> BuiltFabric:
    """A described fabric, its racks, and the length and medium of each cable.

    Links between the cubes of a torus are cabled through their circuit switches.
    """
    through_circuits = spec.family == "torus" and size(spec).circuit_switches > 0
    fabric = build_torus_cables(spec) if through_circuits else build(spec)
    floor = load_catalog().floor if hardware.server is None else floor_for(hardware.server)
    placement = place(fabric, floor)
    done = with_cables(fabric, placement, floor=floor, **hardware.cages)
    return BuiltFabric(spec, done, placement, hardware)


def build_beside(evaluation: Evaluation, network: str) -> BuiltFabric:
    """The storage, in-band or out-of-band network of a Design, its switches named after it.

    Raises
    ------
    DesignError     when no source gives the ports of this network
    """
    sized = evaluation.beside.of(network)
    if sized is None:
        known = [entry.network.role for entry in evaluation.beside.networks]
        raise DesignError(
            "network",
            network,
            "has no published ports for this server",
            f"there are {', '.join(['compute', *known])}",
        )
    server = parts_of(evaluation.design).server
    fabric = build_side_network(sized)
    named = tuple(f"{network}-{tier}" for tier in fabric.tier_names)
    floor = floor_for(server)
    hardware = Hardware(sized.network.switch)
    placement = place(fabric, floor)
    cables = with_cables(
        replace(fabric, tier_names=named, host_port=f"{network}-"),
        placement,
        floor=floor,
        **hardware.cages,
    )
    return BuiltFabric(plain_spec(sized), cables, placement, hardware)


def price_of(evaluation: Evaluation, network: str = "compute") -> FabricPrice:
    """Switches, modules and cables of one of the networks, from the whole order."""
    rows = [
        row
        for row in evaluation.order.rows
        if row.of_network == network and row.kind in ("switch", "transceiver", "cable")
    ]
    priced = [row for row in rows if row.total_usd is not None]
    metered = [row for row in rows if row.total_power_w is not None]
    notes = [f"prices of {evaluation.bom.price_book}"]
    missing = dict.fromkeys(row.name for row in rows if row.total_usd is None)
    if missing:
        notes.append(f"no price for {', '.join(missing)}")
    unmetered = dict.fromkeys(row.name for row in rows if row.total_power_w is None)
    if unmetered:
        notes.append(f"no power figure for {', '.join(unmetered)}")
    return FabricPrice(
        cost_usd=None if missing else sum(row.total_usd or 0.0 for row in priced),
        power_w=None if unmetered else sum(row.total_power_w or 0.0 for row in metered),
        notes=tuple(notes),
    )
