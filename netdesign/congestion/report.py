"""Evaluation -> the traffic of its plan over its built fabric: slow-downs, shares, link loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from netdesign.congestion.closed import balls_in_bins, hashed_slowdown, taper_slowdown
from netdesign.congestion.phase import Phase, routed
from netdesign.congestion.scene import USUAL, Conditions, Scene, scene_of
from netdesign.congestion.slowed_step import SlowedStep, slowed_step
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation
from netdesign.fabrics import spec_of
from netdesign.topology.clos_request import resolve
from netdesign.topology.leaf_pairs import LeafPairs, leaf_pairs
from netdesign.topology.placement import Seats
from netdesign.topology.routing import Flows, Lost, routes
from netdesign.workload.patterns import Sending, amount_of, shape_flows, shape_of
from netdesign.workload.rank_groups import RANK_ORDERS, group_of
from netdesign.workload.traffic import Collective


@dataclass(frozen=True, eq=False)
class CollectiveCongestion:
    """One kind of collective on the built fabric, beside its closed forms."""

    collective: Collective
    shape: str  # ring | tree | exchange | turn | chain
    phase: Phase  # one call by all groups at once
    taper_form: float  # slow-down by the taper, as the step-time model has it
    hashed_form: float | None  # slow-down expected of balls in bins; None unless hashed

    @property
    def slowdown(self) -> float:
        return self.phase.slowdown

    @property
    def closed_form(self) -> float:
        """The larger of the two closed forms."""
        return max(self.taper_form, self.hashed_form or 1.0)

    @property
    def name(self) -> str:
        """The kind and what is moved, in words."""
        return name_of(self.collective)

    @property
    def pattern(self) -> tuple[str, str]:
        """The group that runs it, and how it sends."""
        return group_of(self.collective), self.shape


@dataclass(frozen=True, eq=False)
class Congestion:
    """What the traffic of a plan meets on the built fabric."""

    evaluation: Evaluation
    conditions: Conditions
    scene: Scene
    collectives: tuple[CollectiveCongestion, ...]  # those that leave the scale-up domain
    step: SlowedStep
    pairs: LeafPairs | None  # the two leaves that share least of their uplinks; None without any

    @property
    def worst_pair_share(self) -> float | None:
        """Of peak, what two leaves get between them where that is less than the taper allows."""
        if self.pairs is None or self.pairs.worst == self.pairs.uplinks:
            return None
        return min(1.0, self.pairs.share / float(self.evaluation.fabric.oversubscription))

    @property
    def worst(self) -> CollectiveCongestion | None:
        """The collective that is slowed most."""
        return max(self.collectives, key=lambda entry: entry.slowdown, default=None)

    @property
    def load(self) -> npt.NDArray[np.float64]:
        """The highest load share of each link over the phases of all collectives."""
        idle = np.zeros(self.scene.fabric.links)
        loads = [idle, *(entry.phase.load for entry in self.collectives)]
        return np.asarray(np.max(np.stack(loads), axis=0), dtype=np.float64)


def congestion(
    evaluation: Evaluation,
    conditions: Conditions = USUAL,
    *,
    lost: Lost | None = None,
    fair: bool = True,
) -> Congestion:
    """Run the collectives of a design's plan over its built fabric, one kind at a time.

    Parameters
    ----------
    evaluation : Evaluation
    conditions : Conditions
    lost : Lost             what is broken in the fabric
    fair : bool             also find the fair rates of single flows

    Raises
    ------
    DesignError             when the fabric cannot be built or the job cannot be placed as asked
    """
    if conditions.placement == "side-by-side":
        raise DesignError(
            "placement", conditions.placement, "is of two jobs", "call side_by_side for them"
        )
    scene = scene_of(evaluation, conditions)
    found = collectives_on(
        scene,
        scene.jobs[0],
        running(evaluation.traffic),
        conditions.sending,
        seed=conditions.seed,
        lost=lost,
        fair=fair,
    )
    usual = conditions.rank_order == RANK_ORDERS[0]
    shape = resolve(spec_of(evaluation)).shape
    entries = tuple(
        replace(
            entry,
            taper_form=taper_slowdown(
                entry.collective,
                evaluation.machine,
                None if usual else scene.groups[entry.pattern[0]],
                shape,
            ),
        )
        for entry in found
    )
    step = slowed_step(evaluation, by_parallelism(entries))
    return Congestion(evaluation, conditions, scene, entries, step, leaf_pairs(shape))


def name_of(collective: Collective) -> str:
    """The kind of a collective and what it moves, in words."""
    return f"{collective.parallelism} {collective.operation}, {collective.content}"


def running(collectives: Sequence[Collective]) -> tuple[Collective, ...]:
    """Collectives that the plan runs."""
    return tuple(entry for entry in collectives if entry.calls > 0 and entry.size > 0)


def one_byte_flows(scene: Scene, job: Seats, pattern: tuple[str, str], sending: Sending) -> Flows:
    """Messages of a pattern (group, shape) of a job, for one byte."""
    name, shape = pattern
    groups = scene.groups[name]
    circular = bool(scene.plan.virtual_stages > 1)
    return shape_flows(shape, groups, job, circular=circular, sending=sending)


def collectives_on(
    scene: Scene,
    job: Seats,
    collectives: Sequence[Collective],
    sending: Sending,
    *,
    seed: int = 0,
    lost: Lost | None = None,
    fair: bool = True,
) -> tuple[CollectiveCongestion, ...]:
    """Send each kind of collective over the fabric; equal patterns are routed once.

    What stays inside the scale-up domains is left out.
    """
    known: dict[tuple[str, str], tuple[Phase, float | None] | None] = {}
    found = []
    for entry in collectives:
        shape = shape_of(entry, sending)
        key = (group_of(entry), shape)
        if key not in known:
            flows = one_byte_flows(scene, job, key, sending)
            known[key] = _sent(scene, flows, seed, lost, fair) if len(flows) else None
        sent = known[key]
        if sent is None:
            continue
        phase, hashed = sent
        amount = amount_of(entry, shape)
        found.append(CollectiveCongestion(entry, shape, scaled(phase, amount), 1.0, hashed))
    return tuple(found)


def scaled(phase: Phase, amount: float) -> Phase:
    """The phase with so many times the bytes."""
    return replace(
        phase,
        size=phase.size * amount,
        host_time_s=phase.host_time_s * amount,
        time_s=phase.time_s * amount,
    )


def by_parallelism(entries: Sequence[CollectiveCongestion]) -> dict[str, float]:
    """Slow-down of each kind of communication, its collectives weighed by their time."""
    time: dict[str, float] = {}
    ideal: dict[str, float] = {}
    for entry in entries:
        kind, calls = entry.collective.parallelism, float(entry.collective.calls)
        time[kind] = time.get(kind, 0.0) + calls * entry.phase.time_s
        ideal[kind] = ideal.get(kind, 0.0) + calls * entry.phase.host_time_s
    return {kind: time[kind] / ideal[kind] if ideal[kind] > 0 else 1.0 for kind in time}


def _sent(
    scene: Scene, flows: Flows, seed: int, lost: Lost | None, fair: bool
) -> tuple[Phase, float | None]:
    way = routes(
        scene.fabric,
        flows,
        scene.policy,
        seed=seed,
        queue_pairs=scene.queue_pairs,
        lost=lost,
    )
    phase = routed(scene.fabric, flows, way, fair=fair)
    if scene.policy != "ecmp":
        return phase, None
    bins = balls_in_bins(scene.fabric, way, flows.size)
    return phase, hashed_slowdown(bins, phase.host_time_s)
