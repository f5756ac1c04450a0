"""Failures against the size of a job, and how one pattern runs while a part is broken."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from netdesign.catalog.reliability import reliability
from netdesign.congestion.phase import Phase, routed
from netdesign.congestion.report import Congestion
from netdesign.evaluate import Evaluation
from netdesign.failures.outcome import Outcome, Pattern, Stage
from netdesign.failures.rerouting import dead_endpoints, moved, stand_ins
from netdesign.failures.scenario import Scenario
from netdesign.performance.goodput import (
    checkpoint_interval,
    effective_training_time_ratio,
    mean_time_to_failure,
)
from netdesign.reliability import stops_of
from netdesign.topology.routing import routes
from netdesign.units import hours_to_seconds

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SizeCurve:
    """A job like the design's at many sizes; SI units."""

    gpus: Reals
    mttf_s: Reals
    interval_s: Reals  # the best one, or that of the design
    ettr: Reals
    ettr_measured: Reals  # where jobs stop as often as small ones were measured to
    optimistic_below: float  # GPUs
    measured_gpus: float  # the one small job that was measured
    measured_mttf_s: float


def by_size(evaluation: Evaluation, gpus: Reals) -> SizeCurve:
    """MTTF, interval and ETTR against the number of GPUs.

    The time of a write is that of the design at every size: storage grows with the cluster, the
    model does not.

    Parameters
    ----------
    evaluation : Evaluation
    gpus : float array, > 0
    """
    stops, found = stops_of(evaluation.design), evaluation.goodput
    mttf = np.asarray(mean_time_to_failure(gpus / stops.node_gpus, stops.failures_per_node_day))
    own = np.full_like(mttf, found.interval_s)
    best = np.asarray(checkpoint_interval(found.write_s, mttf))
    interval = best if found.interval_is_best else own
    small = gpus < stops.optimistic_below_gpus
    measured = mttf * np.where(small, stops.measured_over_model, 1.0)
    ratio = (stops.restart_s, interval, found.write_s)
    return SizeCurve(
        gpus=gpus,
        mttf_s=mttf,
        interval_s=interval,
        ettr=np.asarray(effective_training_time_ratio(mttf, *ratio)),
        ettr_measured=np.asarray(effective_training_time_ratio(measured, *ratio)),
        optimistic_below=stops.optimistic_below_gpus,
        measured_gpus=reliability("small-job-gpus"),
        measured_mttf_s=float(hours_to_seconds(reliability("small-job-mttf"))),
    )


def phase_while_broken(stage: Stage, scenario: Scenario, pattern: Pattern) -> Phase:
    """One pattern of the job while a part is broken, on the ports that ``outcome`` leaves it."""
    dead = dead_endpoints(stage.fabric, scenario.lost)
    found = _phase(stage, scenario, pattern, dead, stage.nic_ports)
    if found.unreachable:
        found = _phase(stage, scenario, pattern, dead, stage.fabric.host_ports)
    return found


def _phase(
    stage: Stage,
    scenario: Scenario,
    pattern: Pattern,
    dead: npt.NDArray[np.bool_],
    group_ports: int,
) -> Phase:
    fabric, scene = scenario.slow_fabric(stage.fabric), stage.scene
    flows = stage.flows[pattern]
    if np.any(dead):
        flows = moved(flows, dead, stand_ins(stage.fabric, group_ports))
    way = routes(
        fabric,
        flows,
        scene.policy,
        seed=stage.conditions.seed,
        queue_pairs=scene.queue_pairs,
        lost=scenario.lost,
    )
    found = routed(fabric, flows, way, fair=False)
    return replace(found, host_time_s=stage.host_times[pattern])


def step_while_broken(found: Congestion, outcome: Outcome) -> float:
    """Seconds of a step until the repair: that on the built fabric, slowed as the break does."""
    return found.step.step_s * outcome.slowdown
