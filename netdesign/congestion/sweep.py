"""The same plan under other tapers, and seeds gathered one at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from netdesign.arrays import as_float
from netdesign.congestion.closed import wiring_slowdown
from netdesign.congestion.report import CollectiveCongestion, Congestion, congestion
from netdesign.congestion.seeds import Spread
from netdesign.design import Design
from netdesign.evaluate import evaluate
from netdesign.fabrics import spec_of
from netdesign.network.congestion import crossing_slowdown
from netdesign.performance.overlap import UNORDERED
from netdesign.topology.clos_request import resolve
from netdesign.topology.spec import FabricSpec

Reals = npt.NDArray[np.float64]
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Crossing:
    """How a group of ranks lies over the pods, packed; scale-up domains count as members."""

    members: float  # domains of one group, on average
    in_pod: float  # of them in one pod, on average
    fullest: int  # of them in the pod that has most of a group
    ordered: bool  # sent in the order of the pods: leaves each pod once
    taper: float  # down over up, above a pod
    pods: int  # of the job

    @property
    def leaves_pod(self) -> bool:
        return self.in_pod < self.members

    @property
    def away(self) -> float:
        """Share of its partners that a member finds in other pods."""
        return max(self.members - self.in_pod, 0.0) / max(self.members - 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class TaperCurve:
    """Slow-down of one pattern by the taper alone, and what the built graph gave at some."""

    name: str
    taper: Reals
    slowdown: Reals
    today: tuple[float, float] | None  # taper and slow-down on the built graph as set
    built: tuple[tuple[float, float], ...] = ()


def crossing_of(found: Congestion, entry: CollectiveCongestion) -> Crossing:
    """How the groups of a collective lie over the pods of a packed job."""
    machine = found.evaluation.machine
    groups = found.scene.groups[entry.pattern[0]]
    number = np.arange(len(groups))[:, None]
    domain, pod = groups // int(machine.domain_gpus), _pods(found, groups)
    seen, first = np.unique(number * (domain.max() + 1) + domain, return_index=True)
    domains = len(seen)
    of_pod = (number * (pod.max() + 1) + pod).ravel()[first]
    _, inside = np.unique(of_pod, return_counts=True)
    return Crossing(
        members=domains / len(groups),
        in_pod=domains / len(inside),
        fullest=int(inside.max()),
        ordered=entry.collective.operation not in UNORDERED,
        taper=as_float(machine.oversubscription),
        pods=int(pod.max()) + 1,
    )


def _pods(found: Congestion, ranks: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    pod = as_float(found.evaluation.machine.pod_gpus)
    return np.asarray(ranks // pod if np.isfinite(pod) else np.zeros_like(ranks), dtype=np.int64)


def job_pods(found: Congestion) -> int:
    """Pods that a packed job reaches into."""
    gpus, pod = found.scene.jobs[0].ranks, as_float(found.evaluation.machine.pod_gpus)
    return max(1, math.ceil(gpus / pod))


def one_of_each(found: Congestion) -> tuple[CollectiveCongestion, ...]:
    """The first collective of each pattern; the others of it are slowed alike."""
    first: dict[tuple[str, str], CollectiveCongestion] = {}
    for entry in found.collectives:
        first.setdefault(entry.pattern, entry)
    return tuple(first.values())


def telling(found: Congestion) -> CollectiveCongestion | None:
    """The collective that says most: the slowest, or where none is slowed one that leaves pods."""
    worst = found.worst
    if worst is None or worst.slowdown > 1.0 + _ROUNDING:
        return worst
    leaving = (entry for entry in one_of_each(found) if crossing_of(found, entry).leaves_pod)
    return next(leaving, worst)


def taper_curves(found: Congestion, tapers: Sequence[float]) -> tuple[TaperCurve, ...]:
    """Slow-down against the taper at the leaf, by the closed form.

    The plan stays as it is, and so does the rule for the number of spines: where it leaves leaves
    with a part of their uplinks in common, a taper counts for more, as in ``closed``. The last
    curve is an all-to-all over all GPUs of the job: what meets the taper in full.

    Parameters
    ----------
    found : Congestion
    tapers : sequence of float, >= 1
    """
    taper = np.asarray(tapers, dtype=np.float64)
    felt = {ordered: taper * _wiring(found, tapers, ordered=ordered) for ordered in (True, False)}
    curves = []
    for entry in one_of_each(found):
        lies = crossing_of(found, entry)
        slow = crossing_slowdown(
            felt[lies.ordered], lies.in_pod, lies.members, ordered=lies.ordered
        )
        curves.append(
            TaperCurve(
                entry.name,
                taper,
                np.asarray(slow, dtype=np.float64),
                (lies.taper, float(entry.slowdown)),
            )
        )
    machine = found.evaluation.machine
    domains = max(found.evaluation.design.cluster.gpus / as_float(machine.domain_gpus), 1.0)
    inside = min(as_float(machine.pod_gpus) / as_float(machine.domain_gpus), domains)
    most = crossing_slowdown(felt[False], inside, domains, ordered=False)
    curves.append(TaperCurve("all-to-all over all GPUs", taper, np.asarray(most), None))
    return tuple(curves)


def _wiring(found: Congestion, tapers: Sequence[float], *, ordered: bool) -> Reals:
    """What the wiring of the fabric with each taper adds to it: 1 but with the fewest spines."""
    spec = spec_of(found.evaluation)
    if spec.spread_evenly is not False:
        return np.ones(len(tapers))
    return np.array([_added(replace(spec, oversubscription=one), ordered) for one in tapers])


@lru_cache(maxsize=512)
def _added(spec: FabricSpec, ordered: bool) -> float:
    fabric = resolve(spec)
    return 1.0 if fabric.reason else wiring_slowdown(fabric.shape, ordered=ordered)


def built_at(found: Congestion, design: Design, taper: float) -> tuple[tuple[str, float], ...]:
    """Slow-down of each pattern on the graph that is built with another taper.

    Parameters
    ----------
    found : Congestion      its conditions hold
    design : Design         with the plan pinned
    taper : float           at the leaf

    Raises
    ------
    DesignError             when there is no such fabric
    """
    other = evaluate(design.with_values({"network.oversubscription": taper}))
    met = congestion(other, found.conditions, fair=False)
    return tuple((entry.name, float(entry.slowdown)) for entry in one_of_each(met))


def joined(parts: Sequence[Spread]) -> Spread:
    """Outcomes of the same plan by other seeds, as one; the first of each pattern is kept."""
    return Spread(
        seeds=np.concatenate([part.seeds for part in parts]),
        names=parts[0].names,
        slowdown=np.concatenate([part.slowdown for part in parts]),
        slowest_share=np.concatenate([part.slowest_share for part in parts]),
        mean_share=np.concatenate([part.mean_share for part in parts]),
        step_s=np.concatenate([part.step_s for part in parts]),
    )


def depends_on_seed(found: Congestion) -> bool:
    """Whether anything is left to chance: hashing, or a placement that is not packed."""
    return found.scene.policy == "ecmp" or found.conditions.placement != "packed"
