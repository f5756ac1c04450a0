"""Which parallel plan is the fastest that fits in memory?"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from netdesign.arrays import Array
from netdesign.performance.calibration import Calibration
from netdesign.performance.compute import operand_bytes
from netdesign.performance.machine import Machine, Training
from netdesign.performance.step import step_time
from netdesign.workload.memory import memory_per_gpu
from netdesign.workload.plan import Plan, candidate_plans, plan_at
from netdesign.workload.transformer import Architecture

_SETTINGS = (
    "tensor",
    "pipeline",
    "context",
    "expert",
    "data",
    "virtual_stages",
    "sharding",
    "shard_group",
    "micro_batch",
)


@lru_cache(maxsize=256)
def best_plan(
    arch: Architecture,
    gpus: int,
    training: Training,
    machine: Machine,
    calibration: Calibration,
    *,
    gradient_bytes: int,
    memory_limit: float,
    comfortable_share: float = 1.0,
) -> tuple[Plan, bool]:
    """The fastest legal plan that fits, and whether any fits.

    Parameters
    ----------
    gpus : int                      GPUs of the job
    memory_limit : float, bytes     what one GPU can hold
    comfortable_share : float       of it, that a plan keeps to where that costs less speed than
                                    it leaves room

    Returns
    -------
    Plan, bool                      if nothing fits, the plan that needs least memory and False
    """
    for thorough in (False, True):
        plans = candidate_plans(
            arch,
            gpus,
            int(training.global_batch),
            int(machine.domain_gpus),
            sequence_length=int(training.sequence_length),
            thorough=thorough,
        )
        memory = memory_per_gpu(
            arch,
            plans,
            training.sequence_length,
            gradient_bytes=gradient_bytes,
            workspace=calibration.workspace_bytes,
            operand_bytes=operand_bytes(training.precision),
        ).total
        memory = np.broadcast_to(memory, np.shape(plans.data))
        within = memory <= memory_limit
        roomy = memory <= comfortable_share * memory_limit
        fits = np.flatnonzero(within & ~_recomputes_in_vain(plans, within, roomy))
        if fits.size:
            fitting = plan_at(plans, fits)
            step = step_time(
                arch, fitting, training, machine, calibration, gradient_bytes=gradient_bytes
            )
            speed = np.broadcast_to(step.tokens_per_s, fits.shape)
            best = _fastest(speed, roomy[fits], worth=comfortable_share)
            return plan_at(plans, int(fits[best])), True
    return plan_at(plans, int(np.argmin(memory))), False


def _recomputes_in_vain(plans: Plan, fits: Array, roomy: Array) -> Array:
    """Plans of which the same with less recomputation, the row before, fits with as much room.

    Recomputation never makes a step shorter: such a plan is never the fastest.
    """
    in_vain = np.zeros(len(fits), dtype=bool)
    same = np.asarray(plans.recompute)[1:] > np.asarray(plans.recompute)[:-1]
    for name in _SETTINGS:
        values = np.asarray(getattr(plans, name))
        same &= values[1:] == values[:-1]
    in_vain[1:] = same & fits[:-1] & (roomy[:-1] | ~roomy[1:])
    return in_vain


def _fastest(speed: Array, roomy: Array, worth: float) -> int:
    """The fastest plan with room to spare, unless room costs more speed than it is worth."""
    fastest = int(np.argmax(speed))
    if roomy.any():
        comfortable = int(np.argmax(np.where(roomy, speed, 0.0)))
        if speed[comfortable] >= worth * speed[fastest]:
            return comfortable
    return fastest
