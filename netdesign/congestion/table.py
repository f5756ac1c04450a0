"""Every collective of a step in one table: who, how much, how far, how slow, and who waits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.arrays import as_float
from netdesign.congestion.report import (
    CollectiveCongestion,
    Congestion,
    name_of,
    one_byte_flows,
    running,
)
from netdesign.topology.routing import Flows, endpoint_hosts
from netdesign.workload.traffic import Collective


@dataclass(frozen=True)
class CollectiveRow:
    """One kind of collective; SI units, scalars."""

    name: str
    parallelism: str
    members: int  # ranks of a group
    groups: int  # that run at the same time
    size: float  # bytes of one call
    calls: float  # per step
    crossing: float | None  # share of its bytes on the network that leaves a pod; None: none is
    slowdown: float | None  # on the built fabric, over host ports alone
    closed_form: float | None
    time_s: float | None  # on the network in a step, on the built fabric
    exposed_s: float  # of its parallelism: what the step waits for


def collective_rows(found: Congestion) -> tuple[CollectiveRow, ...]:
    """The collectives of a step, those inside the scale-up domain included.

    Collectives of one parallelism stand together and share what the step waits for.
    """
    on_network = {entry.name: entry for entry in found.collectives}
    shares: dict[tuple[str, str], float] = {}
    for entry in found.collectives:
        if entry.pattern not in shares:
            shares[entry.pattern] = crossing_share(found, entry)
    rows = []
    kinds = dict.fromkeys(entry.parallelism for entry in running(found.evaluation.traffic))
    for kind in kinds:
        for collective in running(found.evaluation.traffic):
            if collective.parallelism == kind:
                on = on_network.get(name_of(collective))
                share = None if on is None else shares[on.pattern]
                rows.append(_row(found, collective, on, share))
    return tuple(rows)


def _row(
    found: Congestion, entry: Collective, on: CollectiveCongestion | None, share: float | None
) -> CollectiveRow:
    members = int(as_float(entry.span.ranks))
    calls = as_float(entry.calls)
    return CollectiveRow(
        name=f"{entry.operation}, {entry.content}",
        parallelism=entry.parallelism,
        members=members,
        groups=found.scene.jobs[0].ranks // max(members, 1),
        size=as_float(entry.size),
        calls=calls,
        crossing=share,
        slowdown=None if on is None else float(on.slowdown),
        closed_form=None if on is None else float(on.closed_form),
        time_s=None if on is None else calls * float(on.phase.time_s),
        exposed_s=float(found.step.exposed_s.get(entry.parallelism, 0.0)),
    )


def crossing_share(found: Congestion, entry: CollectiveCongestion) -> float:
    """Share of a collective's bytes on the network that go from one pod to another, 0 to 1."""
    scene = found.scene
    flows = one_byte_flows(scene, scene.jobs[0], entry.pattern, found.conditions.sending)
    total = float(flows.size.sum())
    away = float(flows.size[_leaves_pod(found, flows)].sum())
    return away / total if total > 0 else 0.0


def _leaves_pod(found: Congestion, flows: Flows) -> npt.NDArray[np.bool_]:
    fabric, pod_gpus = found.scene.fabric, as_float(found.evaluation.machine.pod_gpus)
    if not np.isfinite(pod_gpus):
        return np.zeros(len(flows.size), dtype=bool)
    pod = endpoint_hosts(fabric) * fabric.gpus_per_host // int(pod_gpus)
    return np.asarray(pod[flows.source] != pod[flows.target])
