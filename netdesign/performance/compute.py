"""How long does one GPU compute? Matrix products from their shapes, the rest from its bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric
from netdesign.formulas import formula
from netdesign.performance.calibration import Calibration
from netdesign.performance.machine import Machine, Training
from netdesign.workload.operators import MatrixProduct, matrix_products, memory_traffic_per_layer
from netdesign.workload.plan import RECOMPUTE, Plan, recomputed_share
from netdesign.workload.transformer import Architecture, expert_layers

EIGHT_BIT = frozenset({"fp8", "mxfp8", "nvfp4"})
_ATTENTION_CORE = frozenset({"attention scores", "attention values"})


def operand_bytes(precision: str) -> int:
    """Bytes of an operand of a product with weights."""
    return 1 if precision in EIGHT_BIT else 2


@dataclass(frozen=True)
class ComputeTime:
    """Seconds of one micro-batch on one GPU."""

    layer_forward: Numeric  # an average layer
    layer_backward: Numeric  # with whatever is recomputed
    attention_forward: Numeric  # of the layer's forward, scores and values
    weight_gradient: Numeric  # of the layer's backward, what no other stage waits for
    ends: Numeric  # embedding, logits and loss, both passes; on the ends of the pipeline


@formula(
    latex=r"t = \frac{2mnk}{\eta F} + \frac{\kappa\,(b\,(mk + kn) + 2mn)}{\eta_m B_\mathrm{mem}}",
    source="williams-2009",
)
def matrix_product_time(
    m: Numeric,
    n: Numeric,
    k: Numeric,
    flops: Numeric,
    bandwidth: Numeric,
    operand_bytes: Numeric = 2,
) -> Numeric:
    """Time of a matrix product (m x k) by (k x n) with a 16-bit result.

    Arithmetic and traffic add up, because tiles are filled and drained between products: a product
    with a short side is slow, as a roofline says, and a square one of a few thousand loses a share.

    Parameters
    ----------
    m, n, k : float or array, elements
    flops : float or array, FLOP/s          peak times the efficiency of large products
    bandwidth : float or array, bytes/s     of the memory, over how often operands are moved
    operand_bytes : float                   2 for 16-bit operands, 1 for 8-bit

    Returns
    -------
    float or array, s
    """
    rows = m * n
    return 2.0 / flops * rows * k + (operand_bytes * k * (m + n) + 2.0 * rows) / bandwidth


@formula(latex=r"t = \frac{V}{\eta\,B_\mathrm{mem}}", source="williams-2009")
def memory_bound_time(size: Numeric, bandwidth: Numeric) -> Numeric:
    """Time of operators that move bytes and do little arithmetic.

    Parameters
    ----------
    size : float or array, bytes            read and written
    bandwidth : float or array, bytes/s     of the memory, times the efficiency

    Returns
    -------
    float or array, s
    """
    return size / bandwidth


def compute_time(
    arch: Architecture,
    plan: Plan,
    training: Training,
    machine: Machine,
    calibration: Calibration,
    *,
    gradient_bytes: Numeric = 4,
) -> ComputeTime:
    """Time of one micro-batch on one GPU, without communication.

    The host issues kernels while the GPU computes: a pass over a layer takes the longer of the
    two. A backward pass has two products for each one of the forward pass (fused attention five
    for two, because it computes the scores again), moves twice the bytes, and adds to the
    gradients of the layer's weights in memory.

    Returns
    -------
    ComputeTime, s      broadcast shape of plan, architecture, training and machine
    """
    tokens = plan.micro_batch * training.sequence_length
    documents = training.document_length
    products = matrix_products(
        arch,
        tokens,
        training.sequence_length if documents is None else documents,
        tensor=plan.tensor,
        context=plan.context,
        expert=plan.expert,
        causal=training.causal and training.flash_attention,
    )
    moved = memory_traffic_per_layer(
        arch,
        tokens,
        tensor=plan.tensor,
        context=plan.context,
        sequence_parallel=plan.sequence_parallel,
    )
    parts = (products, training, machine, calibration)
    weights = _weight_products_time(*parts)
    attention, attention_backward = _attention_time(*parts)
    if training.precision in EIGHT_BIT:
        moved = moved + _cast_bytes(products)
    moved = moved + _routing_bytes(arch, plan, tokens) * calibration.expert_copies
    speed = _memory_speed(machine, calibration)
    bound = memory_bound_time(moved, speed)
    routed = calibration.expert_launch_s * expert_layers(arch) / arch.layers
    launch = calibration.layer_launch_s + routed
    idle = calibration.layer_idle_s
    forward = np.maximum(weights + attention + bound + idle, launch)
    accumulate = memory_bound_time(2.0 * gradient_bytes * _weight_elements(products), speed)
    backward = np.maximum(2.0 * (weights + bound) + attention_backward + accumulate + idle, launch)
    return ComputeTime(
        layer_forward=forward,
        layer_backward=backward + _again(plan, training, forward, attention),
        attention_forward=attention,
        weight_gradient=weights + accumulate,
        ends=_ends_time(arch, plan, tokens, products[-1], training, machine, calibration),
    )


def _again(plan: Plan, training: Training, forward: Numeric, attention: Numeric) -> Numeric:
    """Time of what the backward pass recomputes; under flash attention the rest is cheap."""
    share = recomputed_share(plan)
    if training.flash_attention:
        return share * forward
    selected = (plan.recompute >= RECOMPUTE["selective"]) * (1 - share)
    return share * forward + selected * attention


def _matrix_speed(
    training: Training, machine: Machine, calibration: Calibration
) -> tuple[Numeric, Numeric, int]:
    """FLOP/s, memory bandwidth and operand bytes of the products with weights."""
    flops, bandwidth, width = _sixteen_bit(machine, calibration)
    if training.precision in EIGHT_BIT:
        share = _efficiency(calibration.matrix_efficiency_fp8, machine, calibration)
        return machine.peak_flops * share, bandwidth, 1
    return flops, bandwidth, width


def _sixteen_bit(machine: Machine, calibration: Calibration) -> tuple[Numeric, Numeric, int]:
    return (
        machine.attention_peak_flops
        * _efficiency(calibration.matrix_efficiency, machine, calibration),
        _memory_speed(machine, calibration) / calibration.matrix_traffic,
        2,
    )


def _efficiency(usual: float, machine: Machine, calibration: Calibration) -> Numeric:
    """Share of the peak that large products reach; ``usual`` on its generation's usual card.

    Large products draw all the power a card may, and it lowers its clock: a card with more power
    for its peak runs them faster, up to the clock that the peak is stated at.
    """
    if machine.power_w is None:
        return usual
    given = machine.power_w / (machine.attention_peak_flops * calibration.watts_per_flops)
    return np.minimum(usual * given**calibration.power_exponent, 1.0)


def _memory_speed(machine: Machine, calibration: Calibration) -> Numeric:
    return machine.memory_bandwidth * calibration.memory_efficiency


def _weight_products_time(
    products: tuple[MatrixProduct, ...],
    training: Training,
    machine: Machine,
    calibration: Calibration,
) -> Numeric:
    speed = _matrix_speed(training, machine, calibration)
    total: Numeric = 0.0
    for product in products[:-1]:
        if product.name not in _ATTENTION_CORE:
            time = matrix_product_time(product.m, product.n, product.k, *speed)
            total = total + time * (product.count * product.share)
    return total


def _weight_elements(products: tuple[MatrixProduct, ...]) -> Numeric:
    """Weights of an average layer that this GPU multiplies with."""
    total: Numeric = 0.0
    for product in products[:-1]:
        if product.name not in _ATTENTION_CORE:
            total = total + product.n * product.k * (product.count * product.share)
    return total


def _routing_bytes(arch: Architecture, plan: Plan, tokens: Numeric) -> Numeric:
    """Bytes of one copy, read and written, of all tokens a GPU sends to experts; average layer."""
    routed = expert_layers(arch) / arch.layers * arch.experts_per_token
    return 4.0 * routed * tokens * arch.hidden / (plan.context * plan.tensor)


def _cast_bytes(products: tuple[MatrixProduct, ...]) -> Numeric:
    """Bytes moved to turn 16-bit inputs into 8-bit ones, row-wise and column-wise."""
    total: Numeric = 0.0
    for product in products[:-1]:
        if product.name not in _ATTENTION_CORE:
            total = total + product.m * product.k * (product.count * product.share * 4.0)
    return total


def _attention_time(
    products: tuple[MatrixProduct, ...],
    training: Training,
    machine: Machine,
    calibration: Calibration,
) -> tuple[Numeric, Numeric]:
    """Forward and backward time of scores and values of a layer."""
    core = [product for product in products if product.name in _ATTENTION_CORE]
    flops: Numeric = 0.0
    for product in core:
        flops = flops + product.flops * product.share
    peak = machine.attention_peak_flops
    if training.flash_attention:
        scores = core[0].m * core[0].n * core[0].count
        exponential = calibration.exponential_flops / machine.exponential_rate
        waits = calibration.softmax_share * exponential
        forward = (flops + waits * scores) / (peak * calibration.attention_efficiency)
        return forward, 2.5 * forward
    time: Numeric = 0.0
    for product in core:
        one = matrix_product_time(
            product.m,
            product.n,
            product.k,
            *_sixteen_bit(machine, calibration),
        )
        time = time + one * product.count * product.share
    # Scores go out of and into memory as 16-bit values for scale and mask, softmax, and values.
    scores = core[0].m * core[0].n * core[0].count
    moved = memory_bound_time(scores * 10.0, _memory_speed(machine, calibration))
    return time + moved, 2.0 * (time + moved)


def _ends_time(
    arch: Architecture,
    plan: Plan,
    tokens: Numeric,
    logits: MatrixProduct,
    training: Training,
    machine: Machine,
    calibration: Calibration,
) -> Numeric:
    """Embedding, logits and loss of one micro-batch, forward and backward; always 16-bit."""
    product = matrix_product_time(logits.m, logits.n, logits.k, *_sixteen_bit(machine, calibration))
    # Loss in 32-bit: read 2, write 4, read 4 for the sum; backward read 4, write 2 and copies of 4.
    loss = logits.m * logits.n * 20.0
    table = tokens / plan.context * arch.hidden * 10.0
    return 3.0 * product + memory_bound_time(loss + table, _memory_speed(machine, calibration))


@formula(latex=r"t = \frac{30\,N_\mathrm{held}}{\eta\,B_\mathrm{mem}}", source="rajbhandari-2020")
def optimizer_time(parameters: Numeric, bandwidth: Numeric) -> Numeric:
    """Time of a mixed-precision Adam update.

    Per parameter it reads 4 bytes each of master weight, gradient and two moments, and writes
    the master weight, both moments and a 2-byte weight: 30 bytes.

    Parameters
    ----------
    parameters : float or array             held, and updated, by one GPU
    bandwidth : float or array, bytes/s     of the memory, times the efficiency

    Returns
    -------
    float or array, s
    """
    return 30.0 * parameters / bandwidth
