"""Two jobs side by side on one fabric: what does each lose to the other?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from netdesign.congestion.meeting import Meeting, met
from netdesign.congestion.report import name_of, one_byte_flows, running
from netdesign.congestion.scene import USUAL, Conditions, Scene, scene_of
from netdesign.evaluate import Evaluation
from netdesign.topology.placement import Seats
from netdesign.topology.routing import Flows, Lost
from netdesign.workload.patterns import Sending, amount_of, shape_of
from netdesign.workload.rank_groups import group_of
from netdesign.workload.traffic import Collective, traffic


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Two jobs of half the design's size that take the hosts in turn."""

    evaluation: Evaluation
    conditions: Conditions
    scene: Scene
    meetings: tuple[tuple[Meeting, ...], tuple[Meeting, ...]]  # of each job, every pair of kinds

    def worst(self, job: int) -> Meeting | None:
        """The pair of collectives that costs a job most."""
        return max(self.meetings[job], key=lambda entry: entry.slowdown, default=None)


def side_by_side(
    evaluation: Evaluation, conditions: Conditions = USUAL, *, lost: Lost | None = None
) -> SideBySide:
    """Every collective of each job while the other job runs any of its own.

    Rates are max-min fair over the flows of both, and the other job is taken to send all the
    time: the slow-down is that of a collective which the other job never lets alone.

    Parameters
    ----------
    evaluation : Evaluation     its plan with half the data ranks is that of both jobs
    conditions : Conditions     placed side by side whatever they say
    lost : Lost                 what is broken

    Raises
    ------
    DesignError                 when the plan cannot be halved
    """
    settled = replace(conditions, placement="side-by-side")
    scene = scene_of(evaluation, settled)
    kinds = _patterns(_traffic_of(evaluation, scene), settled.sending)
    found: tuple[list[Meeting], list[Meeting]] = ([], [])
    jobs = []
    for job in scene.jobs:
        every = [(name_of(entry), _sized(scene, job, entry, settled.sending)) for entry in kinds]
        jobs.append([entry for entry in every if len(entry[1])])
    for mine in jobs[0]:
        for theirs in jobs[1]:
            first, second = met(scene, settled.seed, mine, theirs, lost)
            found[0].append(first)
            found[1].append(second)
    return SideBySide(evaluation, settled, scene, (tuple(found[0]), tuple(found[1])))


def _traffic_of(evaluation: Evaluation, scene: Scene) -> tuple[Collective, ...]:
    """Collectives of one of the two jobs: each with as many sequences for a data rank as before."""
    design = evaluation.design
    return traffic(
        evaluation.architecture,
        scene.plan,
        design.training.sequence_length,
        domain_gpus=evaluation.machine.domain_gpus,
        gradient_bytes=design.training.gradient_bytes,
    )


def _patterns(collectives: tuple[Collective, ...], sending: Sending) -> list[Collective]:
    """The first collective of each pattern."""
    found: dict[tuple[str, str], Collective] = {}
    for entry in running(collectives):
        found.setdefault((group_of(entry), shape_of(entry, sending)), entry)
    return list(found.values())


def _sized(scene: Scene, job: Seats, entry: Collective, sending: Sending) -> Flows:
    shape = shape_of(entry, sending)
    flows = one_byte_flows(scene, job, (group_of(entry), shape), sending)
    return Flows(flows.source, flows.target, np.asarray(flows.size * amount_of(entry, shape)))
