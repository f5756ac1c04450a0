"""The fabric of a Design as a built thing: every switch, port and cable of what was evaluated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from netdesign.catalog import load_catalog
from netdesign.design import Design
from netdesign.economics.fabric_price import FabricPrice
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.order import parts_of
from netdesign.topology.built import Fabric
from netdesign.topology.families import build
from netdesign.topology.layout import Placement, place, with_cables
from netdesign.topology.spec import FabricSpec

_FAMILY_NAMES = {"fat-tree-2": "fat-tree", "fat-tree-3": "fat-tree"}


@dataclass(frozen=True, eq=False)
class BuiltFabric:
    """A fabric with its cables, and where its devices stand."""

    spec: FabricSpec
    fabric: Fabric
    placement: Placement


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
    return described(evaluation.design, tiers=int(evaluation.fabric.tiers))


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
        gpus_per_server=parts.server.gpus,
        ports_per_server=parts.server.network_ports,
    )


def build_design(design: Design) -> BuiltFabric:
    """Every switch, port and cable of a Design, placed on a floor."""
    return cabled(spec_of(evaluate(design)))


def cabled(spec: FabricSpec) -> BuiltFabric:
    """A described fabric, its racks, and the length and medium of each cable."""
    fabric = build(spec)
    placement = place(fabric)
    media = load_catalog().link_media.values()
    return BuiltFabric(spec, with_cables(fabric, placement, tuple(media)), placement)


def price_of(evaluation: Evaluation) -> FabricPrice:
    """Switches, modules and cables of the compute fabric, from the bill of materials."""
    rows = [row for row in evaluation.bom.rows if row.kind in ("switch", "transceiver", "cable")]
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


def at_size(spec: FabricSpec, endpoints: int) -> FabricSpec:
    """The same description for another number of endpoints."""
    return replace(spec, endpoints=endpoints)
