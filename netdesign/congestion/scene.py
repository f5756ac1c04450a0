"""The stage of an evaluated design: its built fabric, where its ranks sit, where storage stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from netdesign.arrays import as_float
from netdesign.congestion.members import groups_in_order
from netdesign.congestion.settings import RoutingRow, routing_rows, setting
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation
from netdesign.fabrics import spec_of
from netdesign.topology.built import Fabric
from netdesign.topology.families import build
from netdesign.topology.placement import (
    PLACEMENTS,
    Numbers,
    Seats,
    hosts_in_order,
    hosts_side_by_side,
    ports_of_gpus,
    seats,
)
from netdesign.topology.routing import Policy
from netdesign.topology.spec import FabricSpec
from netdesign.workload.patterns import Sending
from netdesign.workload.plan import Plan
from netdesign.workload.rank_groups import RANK_ORDERS, Ranks, rank_count


@dataclass(frozen=True)
class Conditions:
    """How a design's traffic runs; None takes what is usual for the design."""

    routing: Policy | None = None  # of the transport
    queue_pairs: int | None = None  # of each connection
    placement: str = "packed"  # packed | fragmented | random | side-by-side
    rank_order: str = RANK_ORDERS[0]  # fastest first; ``:K`` behind it seats K to a pod
    sending: Sending = Sending()
    seed: int = 0  # of hashing and placement
    piece_hosts: float | None = None  # mean length of a free piece, for "fragmented"
    storage_servers: int = 0  # on the compute fabric, each with the ports of a server


USUAL = Conditions()


@dataclass(frozen=True, eq=False)
class Scene:
    """A fabric with a job on it."""

    fabric: Fabric
    plan: Plan
    groups: Mapping[str, Ranks]  # of the plan, by the names of ``rank_groups``
    jobs: tuple[Seats, ...]  # one, or two of half the size side by side
    storage: Numbers  # endpoints of the storage servers
    policy: Policy
    queue_pairs: int


@lru_cache(maxsize=16)
def fabric_of(spec: FabricSpec) -> tuple[Fabric, Numbers]:
    """The built fabric of a description and the ports of its GPUs."""
    fabric = build(spec)
    return fabric, ports_of_gpus(fabric)


def scene_of(evaluation: Evaluation, conditions: Conditions = USUAL) -> Scene:
    """Build the fabric of a design and seat its job.

    Raises
    ------
    DesignError     when the fabric cannot be built, or the job cannot be placed as asked
    """
    spec = spec_of(evaluation)
    extra = conditions.storage_servers * (spec.ports_per_server or 1)
    if conditions.storage_servers < 0:
        hint = "give 0 for a storage network of its own"
        raise DesignError("storage_servers", conditions.storage_servers, "is below 0", hint)
    fabric, ports = fabric_of(replace(spec, endpoints=(spec.endpoints or 0) + extra))
    servers = fabric.hosts - conditions.storage_servers
    plan = evaluation.plan
    if conditions.placement == "side-by-side":
        plan = half_of(plan)
    wanted = -(-rank_count(plan) // fabric.gpus_per_host)
    domain_gpus = int(evaluation.machine.domain_gpus)
    return Scene(
        fabric=fabric,
        plan=plan,
        groups=groups_in_order(
            plan,
            conditions.rank_order,
            domain_gpus=domain_gpus,
            pod_gpus=as_float(evaluation.machine.pod_gpus),
        ),
        jobs=tuple(
            seats(fabric, hosts, rank_count(plan), domain_gpus=domain_gpus, ports=ports)
            for hosts in _hosts(servers, wanted, conditions)
        ),
        storage=ports[servers * fabric.gpus_per_host :].ravel(),
        policy=conditions.routing or usual_routing(evaluation).policy,
        queue_pairs=_queue_pairs(evaluation, conditions),
    )


def usual_routing(evaluation: Evaluation) -> RoutingRow:
    """How the transport of a design routes.

    Raises
    ------
    DesignError     when routing.csv has no row for the transport
    """
    transport = evaluation.design.network.transport
    row = routing_rows().get(transport)
    if row is None:
        hint = "add a row to routing.csv, or choose the routing"
        raise DesignError("network.transport", transport, "has no known routing", hint)
    return row


def _queue_pairs(evaluation: Evaluation, conditions: Conditions) -> int:
    if conditions.queue_pairs is not None:
        return conditions.queue_pairs
    row = routing_rows().get(evaluation.design.network.transport)
    return 1 if row is None else row.queue_pairs


def half_of(plan: Plan) -> Plan:
    """The plan of a job on half the GPUs: half the data ranks, each with as much to do.

    Raises
    ------
    DesignError     when the data ranks, or the experts over them, cannot be halved
    """
    data, expert, group = int(plan.data), int(plan.expert), int(plan.shard_group)
    if data % 2 or data // 2 % expert:
        raise DesignError(
            "placement",
            "side-by-side",
            f"needs two jobs of half the size, and {data} data-parallel ranks cannot be halved",
            "choose another plan",
        )
    whole = group == 0 or group >= data * int(plan.context)
    return replace(plan, data=data // 2, shard_group=0 if whole else _half_group(plan, group))


def _half_group(plan: Plan, group: int) -> int:
    return int(np.gcd(group, int(plan.data) // 2 * int(plan.context)))


def _hosts(servers: int, wanted: int, conditions: Conditions) -> tuple[Numbers, ...]:
    if conditions.placement == "side-by-side":
        return hosts_side_by_side(servers, wanted)
    if conditions.placement not in PLACEMENTS:
        raise DesignError(
            "placement", conditions.placement, "is not known", f"one of {', '.join(PLACEMENTS)}"
        )
    piece = conditions.piece_hosts or setting("piece-hosts")
    seed = conditions.seed
    return (hosts_in_order(servers, wanted, conditions.placement, seed=seed, piece_hosts=piece),)
