"""What one GPU computes, against arithmetic that can be checked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netdesign.performance.compute import (
    ComputeTime,
    compute_time,
    matrix_product_time,
    memory_bound_time,
    optimizer_time,
)
from netdesign.performance.machine import Training
from netdesign.performance.overlap import exposed_time
from netdesign.workload.plan import RECOMPUTE, Plan
from netdesign.workload.transformer import flops_per_token

from .machines import HOPPER, MODELS, h100

sides = st.integers(1, 20_000)


def test_a_large_product_runs_at_the_peak() -> None:
    # 2 x 8192^3 = 1.0995 TFLOP at 1 PFLOP/s is 1.0995 ms; 6 x 8192^2 = 403 MB at 4 TB/s 0.1007 ms.
    assert matrix_product_time(8192, 8192, 8192, 1e15, 4e12) == pytest.approx(1.2002e-3, rel=1e-4)


def test_a_product_with_one_row_moves_its_matrix() -> None:
    # A roofline: 8192 x 8192 weights of 2 bytes at 4 TB/s are 33.6 us, the arithmetic 0.13 us.
    assert matrix_product_time(1, 8192, 8192, 1e15, 4e12) == pytest.approx(33.7e-6, rel=5e-3)


@given(sides, sides, sides, st.sampled_from([1, 2]))
def test_a_product_is_never_above_the_peak(m: int, n: int, k: int, width: int) -> None:
    time = matrix_product_time(m, n, k, 1e15, 4e12, width)
    assert 2 * m * n * k / time <= 1e15
    assert matrix_product_time(m, n, k, 2e15, 4e12, width) <= time
    assert matrix_product_time(2 * m, n, k, 1e15, 4e12, width) <= 2 * time


def test_bytes_at_a_bandwidth() -> None:
    assert memory_bound_time(8e9, 2e12) == 4e-3


def test_adam_moves_thirty_bytes_a_parameter() -> None:
    # Reads four 4-byte values, writes three and a 2-byte weight.
    assert optimizer_time(1e9, 3e12) == pytest.approx(30e9 / 3e12)


def test_exposed_time_by_hand() -> None:
    assert exposed_time(2.0, 5.0, 0.25) == 0.5  # all hidden, a quarter of it lost
    assert exposed_time(5.0, 2.0, 0.25) == 3.5  # three seconds stick out
    assert exposed_time(5.0, 0.0, 0.25) == 5.0


@given(st.floats(0, 10), st.floats(0, 10), st.floats(0, 1), st.floats(0, 3))
def test_exposed_time_laws(time: float, window: float, slowdown: float, more: float) -> None:
    now = exposed_time(time, window, slowdown)
    assert 0 <= now <= time
    assert exposed_time(time + more, window, slowdown) >= now - 1e-12
    assert exposed_time(time, window + more, slowdown) <= now + 1e-12


def layer(plan: Plan, **changes: object) -> ComputeTime:
    training = replace(Training(4096, 512), **changes)  # type: ignore[arg-type]
    return compute_time(MODELS["llama-3-8b"], plan, training, h100(), HOPPER)


def test_a_step_computes_its_model_flops() -> None:
    # Without recomputation a large micro-batch takes the model's FLOPs at a share of the peak
    # that lies below the ceiling of the largest products.
    plan = Plan(data=8, micro_batch=8, recompute=RECOMPUTE["none"])
    found = layer(plan)
    arch = MODELS["llama-3-8b"]
    time = arch.layers * (found.layer_forward + found.layer_backward) + found.ends
    rate = flops_per_token(arch, 4096) * 8 * 4096 / time
    assert 0.45 * 989e12 < rate < HOPPER.matrix_efficiency * 989e12


def test_full_recomputation_repeats_the_forward_pass() -> None:
    plan = Plan(micro_batch=4, recompute=RECOMPUTE["none"])
    kept, again = layer(plan), layer(replace(plan, recompute=RECOMPUTE["full"]))
    assert again.layer_backward == pytest.approx(kept.layer_backward + kept.layer_forward)
    assert again.layer_forward == kept.layer_forward


def test_selective_recomputation_repeats_attention_only_where_scores_are_kept() -> None:
    plan = Plan(micro_batch=4, recompute=RECOMPUTE["none"])
    chosen = replace(plan, recompute=RECOMPUTE["selective"])
    assert layer(chosen).layer_backward == layer(plan).layer_backward
    unfused = layer(plan, flash_attention=False)
    repeated = layer(chosen, flash_attention=False)
    assert repeated.layer_backward == pytest.approx(
        unfused.layer_backward + unfused.attention_forward
    )


def test_a_tiny_layer_takes_the_time_to_launch_it() -> None:
    plan = Plan(tensor=8, micro_batch=1)
    found = layer(plan, sequence_length=128)
    assert found.layer_forward == HOPPER.layer_launch_s
    assert found.layer_backward == HOPPER.layer_launch_s


def test_tensor_parallelism_cuts_less_than_its_degree() -> None:
    degrees = np.array([1, 2, 4, 8])
    found = layer(Plan(tensor=degrees, micro_batch=4, recompute=RECOMPUTE["none"]))
    speedup = found.layer_forward[0] / found.layer_forward
    assert np.all(np.diff(speedup) > 0)
    assert np.all(speedup[1:] < degrees[1:])


def test_routing_costs_a_mixture_of_experts() -> None:
    plan = Plan(expert=8, data=8, micro_batch=2, recompute=RECOMPUTE["none"])
    mixtral = MODELS["mixtral-8x7b"]
    copied = compute_time(mixtral, plan, Training(4096, 512), h100(), HOPPER)
    free = compute_time(
        mixtral, plan, Training(4096, 512), h100(), replace(HOPPER, expert_copies=0.0)
    )
    # One copy: 2 x 2 bytes x 4,096 wide x 2 experts x 8,192 tokens, at the memory's speed.
    moved = HOPPER.expert_copies * 4 * 4096 * 2 * 8192
    speed = h100().memory_bandwidth * HOPPER.memory_efficiency
    assert copied.layer_forward - free.layer_forward == pytest.approx(moved / speed, rel=1e-9)
