"""Findings about growth: what happens to the cables when the cluster doubles."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog
from netdesign.findings.finding import Finding
from netdesign.topology.clos_request import Resolved, resolve
from netdesign.topology.recabling import Recabling, recabled
from netdesign.topology.spec import SPINE_RULES, FabricSpec
from netdesign.wording import plural

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

_MOST_TIERS = {"single-switch": 1, "fat-tree-2": 2}


def cables_move_when_it_doubles(evaluation: Evaluation) -> Finding | None:
    """Cables that twice the GPUs would move, and the switches with which none would."""
    growth = doubling(evaluation)
    if growth is None or not growth.between_switches + growth.host:
        return None
    between, hosts = growth.between_switches, growth.host
    said = [f"{between:,} of {growth.links_between_switches:,} cables between switches"]
    said = said if between else []
    if hosts:
        said.append(f"{hosts:,} of {int(evaluation.fabric.access_links):,} cables of servers")
    return Finding(
        "cables-move-when-it-doubles",
        "note",
        f"Twice the GPUs: {' and '.join(said)} would move.",
        f"If it will grow, {_remedy(growth)}: nothing moves later{_price(evaluation, growth)}.",
    )


def doubling(evaluation: Evaluation) -> Recabling | None:
    """What twice the GPUs of a design move; None where its family cannot hold them."""
    fabric, design = evaluation.fabric, evaluation.design
    if not fabric.buildable:
        return None
    server = load_catalog().servers[design.cluster.server]
    servers = math.ceil(2 * design.cluster.gpus / server.gpus)
    endpoints = servers * server.network_ports
    return _grown(fabric_today(evaluation), endpoints, _MOST_TIERS.get(fabric.family, 3))


def fabric_today(evaluation: Evaluation) -> FabricSpec:
    """The fabric that was evaluated, as the topology floor describes it."""
    fabric, network = evaluation.fabric, evaluation.design.network
    server = load_catalog().servers[evaluation.design.cluster.server]
    return FabricSpec(
        family="fat-tree" if fabric.family.startswith("fat-tree") else fabric.family,
        endpoints=int(fabric.endpoints),
        radix=int(fabric.radix),
        tiers=int(fabric.tiers),
        oversubscription=network.oversubscription,
        core_oversubscription=network.core_oversubscription,
        gpus_per_server=server.gpus,
        ports_per_server=server.network_ports,
        spread_evenly=SPINE_RULES[network.spines],
    )


@lru_cache(maxsize=64)
def _grown(today: FabricSpec, endpoints: int, most_tiers: int) -> Recabling | None:
    tomorrow = _smallest(replace(today, endpoints=endpoints), most_tiers)
    return None if tomorrow is None else recabled(resolve(today).shape, tomorrow.shape)


def _smallest(spec: FabricSpec, most_tiers: int) -> Resolved | None:
    """The fabric of the fewest tiers, from those of the spec on, that holds its endpoints."""
    for tiers in range(spec.tiers or 1, most_tiers + 1):
        found = resolve(replace(spec, tiers=tiers))
        if not found.reason:
            return found
    return None


def _remedy(growth: Recabling) -> str:
    """What to buy, by the tiers of which today's own fabric has another number of switches."""
    differ = [tier for tier in growth.ready if growth.ready[tier] != growth.today[tier]]
    if not any(growth.ready[tier] for tier in differ):
        differ = list(growth.ready)
    ready = _listed([plural(growth.ready[tier], tier) for tier in differ if growth.ready[tier]])
    if len(differ) == 1 and growth.today[differ[0]]:
        return f"buy {ready} now instead of {growth.today[differ[0]]:,}"
    today = [plural(growth.today[tier], tier) for tier in differ if growth.today[tier]]
    return f"buy {ready} now instead of {_listed(today) or 'none'}"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _price(evaluation: Evaluation, growth: Recabling) -> str:
    """What the switches cost that today alone does not need; empty without a price."""
    more = sum(growth.ready.values()) - sum(growth.today.values())
    price = next((row.unit_price_usd for row in evaluation.bom.rows if row.kind == "switch"), None)
    return "" if price is None or more <= 0 else f" (${more * price:,.0f} for the switches)"
