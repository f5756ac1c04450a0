"""The network that a job needs, found again by putting it into the step time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from netdesign.performance.machine import Machine, Training
from netdesign.performance.requirement import Requirement, requirement
from netdesign.performance.step import step_time
from netdesign.workload.plan import SHARDING, Plan

from .machines import HOPPER, MODELS, h100

ARCH = MODELS["llama-3-70b"]
TRAINING = Training(8192, 512)
PLAN = Plan(tensor=8, data=64, micro_batches=8, sharding=SHARDING["zero-1"])


def needed(share: float, machine: Machine | None = None, plan: Plan = PLAN) -> Requirement:
    return requirement(
        ARCH,
        plan,
        TRAINING,
        machine or h100(),
        HOPPER,
        communication_share=share,
        gpus_per_server=8,
    )


def network_share(machine: Machine, plan: Plan = PLAN) -> float:
    step = step_time(ARCH, plan, TRAINING, machine, HOPPER)
    return float(step.network_exposed_s / step.step_time_s)


@pytest.mark.parametrize("share", [0.02, 0.05, 0.2])
def test_the_bandwidth_found_keeps_to_the_share(share: float) -> None:
    found = needed(share)
    at_need = network_share(h100(network_bandwidth=found.bandwidth_per_gpu))
    assert at_need == pytest.approx(share, rel=0.02)
    assert found.bandwidth_per_server == pytest.approx(8 * found.bandwidth_per_gpu)
    assert network_share(h100(network_bandwidth=0.9 * found.bandwidth_per_gpu)) > share


def test_the_latency_found_keeps_to_the_share() -> None:
    found = needed(0.2)
    assert found.share_reached < 0.2
    assert found.latency_tolerated_s > h100().network_latency
    at_limit = network_share(h100(network_latency=found.latency_tolerated_s))
    assert at_limit == pytest.approx(0.2, rel=0.05)


def test_shares_reached_are_those_of_the_step() -> None:
    found = needed(0.05)
    assert found.share_reached == pytest.approx(network_share(h100()))
    assert found.share_floor == pytest.approx(network_share(h100(network_bandwidth=1e24)))
    assert found.share_floor <= found.share_reached


def test_a_smaller_share_needs_a_faster_network() -> None:
    needs = [needed(share).bandwidth_per_gpu for share in (0.3, 0.1, 0.05, 0.02)]
    assert needs == sorted(needs)
    assert needs[0] < needs[-1]


def test_no_bandwidth_mends_a_share_below_the_floor() -> None:
    slow = h100(network_latency=5e-3)
    found = needed(0.01, slow)
    assert found.share_floor > 0.01
    assert found.bandwidth_per_gpu == np.inf


def test_a_job_inside_one_server_needs_no_network() -> None:
    found = needed(0.05, plan=replace(PLAN, tensor=8, data=1))
    assert found.bandwidth_per_gpu == 0
    assert found.latency_tolerated_s == np.inf
    assert found.share_reached == 0


def test_the_curve_falls_as_bandwidth_grows() -> None:
    bandwidth, share = np.array(needed(0.05).bandwidth_curve).T
    assert np.all(np.diff(bandwidth) > 0)
    assert np.all(np.diff(share) <= 1e-12)
