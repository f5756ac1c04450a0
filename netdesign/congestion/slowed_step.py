"""What do slow-downs of the collectives do to the step?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from netdesign.evaluate import Evaluation
from netdesign.performance.calibration import calibration_for
from netdesign.performance.step import IN_LAYER, StepTime, step_time


@dataclass(frozen=True)
class SlowedStep:
    """Seconds of a step on a fabric where only host ports limit, and on the built one."""

    ideal_s: float
    step_s: float
    exposed_s: Mapping[str, float]  # by parallelism: communication that the step waits for
    ideal_exposed_s: Mapping[str, float]

    @property
    def slowdown(self) -> float:
        return self.step_s / self.ideal_s


def slowed_step(evaluation: Evaluation, slowdowns: Mapping[str, float]) -> SlowedStep:
    """Step time with the network part of each kind of communication so many times slower.

    The step-time model runs once for each kind, on a network that is slower by the kind's factor
    and neither tapered nor badly balanced; the kind's exposed time is read from its own run, so
    what hides behind computing stays hidden as long as it fits. Gradients and weights share their
    window: each is read from a run in which both are as slow. The pipeline's wait for slower
    layers follows from the exposed time inside the layers, between the runs.

    Parameters
    ----------
    evaluation : Evaluation
    slowdowns : mapping         by parallelism, at least 1, infinite for one that never ends; kinds
                                that are not in it are not slowed
    """
    kinds = [part.parallelism for part in evaluation.step.communication]
    wanted = np.array([1.0, *(slowdowns.get(kind, 1.0) for kind in kinds)])
    ends = np.isfinite(wanted)
    factors = np.where(ends, wanted, 1.0)
    runs = _runs(evaluation, factors)
    exposed = {
        part.parallelism: np.broadcast_to(part.exposed_s, factors.shape)
        for part in runs.communication
    }
    ideal = {kind: float(times[0]) for kind, times in exposed.items()}
    slowed = {kind: float(exposed[kind][place]) for place, kind in enumerate(kinds, 1)}
    in_layer = sum((exposed[kind] for kind in kinds if kind in IN_LAYER), np.zeros(len(factors)))
    waiting = sum(slowed[kind] for kind in kinds if kind in IN_LAYER)
    idle = np.broadcast_to(runs.bubble_s, factors.shape)
    order = np.argsort(in_layer, kind="stable")
    bubble = np.interp(waiting, in_layer[order], idle[order])
    total = float(np.broadcast_to(runs.step_time_s, factors.shape)[0])
    if not np.all(ends):
        done = dict(zip(kinds, ends[1:].tolist(), strict=True))
        never = {kind: slowed[kind] if done[kind] else np.inf for kind in kinds}
        return SlowedStep(total, np.inf, never, ideal)
    more = sum(slowed.values()) - sum(ideal.values()) + float(bubble - idle[0])
    return SlowedStep(total, total + more, slowed, ideal)


def _runs(
    evaluation: Evaluation, factors: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> StepTime:
    """The step-time model on networks slower by each factor."""
    machine = evaluation.machine
    return step_time(
        evaluation.architecture,
        evaluation.plan,
        evaluation.training,
        replace(
            machine,
            network_bandwidth=machine.network_bandwidth / factors,
            oversubscription=1.0,
            balance_efficiency=1.0,
        ),
        calibration_for(machine.generation),
        gradient_bytes=evaluation.design.training.gradient_bytes,
    )
