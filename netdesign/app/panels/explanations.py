"""What stands behind each headline number: formulas by name, and the inputs that went in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from netdesign import units
from netdesign.charts.format import (
    Said,
    bandwidth,
    count,
    digits,
    dollars,
    percent,
    rate,
    seconds,
    size,
    tokens,
)

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

Inputs = list[tuple[str, Any]]


class Explanation(NamedTuple):
    """A number in words, the formulas it is made of, and its inputs in a design."""

    title: str
    sentence: str
    formulas: tuple[str, ...]
    inputs: Callable[[Evaluation], Inputs]


def _step(evaluation: Evaluation) -> Inputs:
    step = evaluation.step
    return [
        ("Compute", seconds(step.compute_s)),
        ("Pipeline bubble", seconds(step.bubble_s)),
        ("Exposed communication", seconds(step.exposed_s)),
        ("Optimizer", seconds(step.optimizer_s)),
        ("Overhead", seconds(step.overhead_s)),
        ("Micro-batches", count(evaluation.plan.micro_batches)),
    ]


def _mfu(evaluation: Evaluation) -> Inputs:
    step, machine = evaluation.step, evaluation.machine
    flops = units.flops_to_teraflops(step.model_flops)
    return [
        ("Model FLOPs of a step", Said(digits(flops), "TFLOP")),
        ("Step time", seconds(step.step_time_s)),
        ("GPUs", count(evaluation.design.cluster.gpus)),
        ("Peak of one GPU", Said(digits(units.flops_to_teraflops(machine.peak_flops)), "TFLOP/s")),
    ]


def _tokens(evaluation: Evaluation) -> Inputs:
    return [
        ("Tokens in a step", tokens(evaluation.tokens_per_step)),
        ("Step time", seconds(evaluation.step.step_time_s)),
    ]


def _days(evaluation: Evaluation) -> Inputs:
    budget = evaluation.design.training.token_budget_trillion * 1e12
    return [("Token budget", tokens(budget)), ("Tokens", rate(evaluation.step.tokens_per_s))]


def _capex(evaluation: Evaluation) -> Inputs:
    fabric, bom = evaluation.fabric, evaluation.bom
    return [
        ("Servers", count(evaluation.servers)),
        ("Switches", count(fabric.switches)),
        ("Links", count(fabric.links)),
        ("Price book", bom.price_book),
        ("Parts without a price", count(len(bom.unpriced))),
    ]


def _network_share(evaluation: Evaluation) -> Inputs:
    bom = evaluation.bom
    return [
        ("Network", dollars(bom.network_usd)),
        ("Whole cluster", dollars(bom.total_usd)),
        ("Parts without a price", count(len(bom.unpriced))),
    ]


def _bandwidth(evaluation: Evaluation) -> Inputs:
    need, machine = evaluation.requirement, evaluation.machine
    return [
        ("Communication budget", percent(need.communication_share)),
        ("Lost with this network", percent(need.share_reached)),
        ("Lost with an endless network", percent(need.share_floor)),
        ("Line rate per GPU", bandwidth(machine.network_bandwidth)),
        ("Left by framing", percent(machine.framing_efficiency)),
        ("Left by load balancing", percent(machine.balance_efficiency)),
        ("Latency", seconds(machine.network_latency)),
    ]


def _memory(evaluation: Evaluation) -> Inputs:
    memory = evaluation.memory
    return [
        ("Parameters", count(evaluation.parameters)),
        ("Weights", size(memory.weights)),
        ("Gradients", size(memory.gradients)),
        ("Optimizer", size(memory.optimizer)),
        ("Activations", size(memory.activations)),
        ("Workspace", size(memory.workspace)),
        ("A job can use", size(evaluation.memory_limit)),
    ]


EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(
    {
        "step_time": Explanation(
            "Step time",
            "Compute of all micro-batches, the wait of the pipeline, the communication that does "
            "not hide behind compute, and the optimizer. The band is what 80 % of measured runs "
            "kept around the same prediction.",
            (
                "matrix_product_time",
                "memory_bound_time",
                "bubble_share",
                "pipeline_time",
                "exposed_time",
                "optimizer_time",
            ),
            _step,
        ),
        "mfu": Explanation(
            "MFU",
            "Model FLOPs utilisation: the arithmetic the model needs, without recompute, over what "
            "all GPUs could do in the time of a step.",
            ("model_flops_utilisation",),
            _mfu,
        ),
        "tokens_per_s": Explanation(
            "Tokens", "Tokens of a step over the time of a step.", ("pipeline_time",), _tokens
        ),
        "training_days": Explanation(
            "Training",
            "The token budget over tokens per second, without stops or restarts.",
            ("model_flops_utilisation",),
            _days,
        ),
        "capex": Explanation(
            "Cluster",
            "Quantity times unit price, added over the parts that have a price in the book. The "
            "network's quantities follow from the size of the fabric.",
            ("leaf_downlinks", "two_tier_reach", "three_tier_reach"),
            _capex,
        ),
        "network_share": Explanation(
            "Network share",
            "Adapters, switches, transceivers and cables over the price of the whole cluster.",
            ("leaf_downlinks",),
            _network_share,
        ),
        "bandwidth": Explanation(
            "Bandwidth needed",
            "The least bandwidth per GPU at which the share of the step lost to communication "
            "stays within the budget: the step is computed over a range of bandwidths and the "
            "crossing is refined.",
            ("exposed_time", "effective_bandwidth", "ring_reduce_scatter_time", "send_time"),
            _bandwidth,
        ),
        "memory": Explanation(
            "Memory",
            "Weights, gradients, optimizer states and activations of the fullest GPU, divided as "
            "the plan divides them, and the workspace of libraries.",
            ("memory_per_gpu", "micro_batches_in_flight"),
            _memory,
        ),
    }
)
