"""How long does a pipeline of stages compute, and how long does it wait, under its schedule?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.performance.compute import ComputeTime
from netdesign.workload.plan import Plan
from netdesign.workload.transformer import Architecture


@dataclass(frozen=True)
class Pipeline:
    """Seconds a GPU spends in the pipeline of one step, on average over the stages."""

    compute: Numeric
    idle: Numeric


@formula(
    latex=r"t = m\,t_\mathrm{slow} + \frac{p\,\bar t - t_\mathrm{slow}}{v}",
    source="narayanan-2021",
)
def pipeline_time(
    slowest: Numeric,
    mean: Numeric,
    pipeline: Numeric,
    micro_batches: Numeric,
    virtual_stages: Numeric,
) -> Numeric:
    """Duration of a (possibly interleaved) 1F1B pipeline with uneven stages.

    The slowest stage sets the pace; filling and draining pass once through the others, in chunks
    of one v-th of a stage. Even stages give ``(m + (p - 1) / v) t``.

    Parameters
    ----------
    slowest, mean : float or array, s       forward and backward of a micro-batch on a stage
    pipeline : int or array, >= 1           stages p
    micro_batches : int or array, >= 1      m
    virtual_stages : int or array, >= 1     v

    Returns
    -------
    float or array, s
    """
    return micro_batches * slowest + (pipeline * mean - slowest) / virtual_stages


@formula(latex=r"t = 2\,\frac{p-1}{v}\,t_W", source="qi-2023")
def filled_bubble(weight_gradient: Numeric, pipeline: Numeric, virtual_stages: Numeric) -> Numeric:
    """Idle time of a 1F1B pipeline that a split backward pass fills, at the same memory.

    Only gradients of inputs are passed on; those of weights wait until a stage has nothing else
    to do: ``(p - 1)(F + B + W)`` of filling and draining becomes ``(p - 1)(F + B - W)``.

    Parameters
    ----------
    weight_gradient : float or array, s     of a micro-batch on a stage
    pipeline : int or array, >= 1           stages p
    virtual_stages : int or array, >= 1     v

    Returns
    -------
    float or array, s
    """
    return 2.0 * (pipeline - 1) / virtual_stages * weight_gradient


def pipeline_of(
    arch: Architecture,
    plan: Plan,
    compute: ComputeTime,
    layers: Numeric,
    in_layer: Numeric,
    *,
    zero_bubble: bool = False,
) -> Pipeline:
    """Mean compute of a stage, and what it waits: fill, drain, and slower stages.

    The ends of the model have embedding and logits to compute besides; where the layers do not
    fill all stages, the last stage holds fewer of them.

    Parameters
    ----------
    arch : Architecture
    plan : Plan
    compute : ComputeTime           of a layer and of the ends, one micro-batch
    layers : int or array           of the fullest stage
    in_layer : float or array, s    exposed communication inside layers, of the whole step
    zero_bubble : bool              gradients of weights wait for idle time

    Returns
    -------
    Pipeline, s
    """
    stages, batches = plan.pipeline, plan.micro_batches
    layer = compute.layer_forward + compute.layer_backward
    work = (arch.layers * layer + compute.ends) / stages
    talk = in_layer / batches
    mean = work + talk
    per_layer = layer + talk * stages / arch.layers
    spare = stages * layers - arch.layers
    last = (layers - np.ceil(spare / 2)) * per_layer + compute.ends
    slowest = np.where(stages > 1, np.maximum(layers * per_layer, last), mean)
    duration = pipeline_time(slowest, mean, stages, batches, plan.virtual_stages)
    idle = duration - batches * mean
    if zero_bubble:
        split = compute.weight_gradient * arch.layers / stages
        idle = idle - np.minimum(filled_bubble(split, stages, plan.virtual_stages), idle)
    return Pipeline(batches * work, idle)
