"""What stands behind each headline number: its equation, today's values, the formulas below.

``terms`` are the symbols of the equation with their values, so that it can be computed by hand;
``formulas`` are those of the registry that the terms come from.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from netdesign import units
from netdesign.app.panels.explanation import Explanation, Origins, Terms
from netdesign.app.panels.explanations_of_money import MONEY
from netdesign.app.panels.origins import (
    BAND,
    COLLECTIVES,
    HIDDEN,
    HOST,
    MEMORY,
    PRODUCTS,
    card,
    constants,
    model,
    own,
    prices,
    settings,
    wires,
)
from netdesign.charts.format import (
    Said,
    bandwidth,
    count,
    days,
    digits,
    dollars,
    percent,
    rate,
    seconds,
    size,
    tokens,
    unit_price,
)
from netdesign.charts.words import PART_KINDS

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


def _teraflops(value: Any) -> Said:
    return Said(digits(units.flops_to_teraflops(value), 6), "TFLOP")


def _step(evaluation: Evaluation) -> Terms:
    step, plan = evaluation.step, evaluation.plan
    return [
        ("t", "Step time", seconds(step.step_time_s)),
        (r"t_\mathrm{compute}", "Compute", seconds(step.compute_s)),
        (r"t_\mathrm{bubble}", "Pipeline bubble", seconds(step.bubble_s)),
        (r"t_\mathrm{exposed}", "Exposed communication", seconds(step.exposed_s)),
        (r"t_\mathrm{optimizer}", "Optimizer", seconds(step.optimizer_s)),
        (r"t_\mathrm{overhead}", "Overhead", seconds(step.overhead_s)),
        ("m", "Micro-batches", count(plan.micro_batches)),
        ("p", "Pipeline stages", count(plan.pipeline)),
        ("v", "Chunks on a stage", count(plan.virtual_stages)),
    ]


def _mfu(evaluation: Evaluation) -> Terms:
    step = evaluation.step
    peak = units.flops_to_teraflops(evaluation.machine.peak_flops)
    return [
        (r"\mathrm{MFU}", "MFU", percent(step.mfu)),
        (r"F_\mathrm{model}", "Model FLOPs of a step", _teraflops(step.model_flops)),
        ("t", "Step time", seconds(step.step_time_s)),
        ("n", "GPUs", count(evaluation.design.cluster.gpus)),
        (r"F_\mathrm{peak}", "Peak of one GPU", Said(digits(peak), "TFLOP/s")),
    ]


def _tokens(evaluation: Evaluation) -> Terms:
    training = evaluation.design.training
    return [
        ("r", "Tokens per second", rate(evaluation.step.tokens_per_s)),
        ("r/n", "Of it on a GPU", rate(evaluation.step.tokens_per_s_per_gpu)),
        ("n", "GPUs", count(evaluation.design.cluster.gpus)),
        ("b", "Sequences in a step", count(training.global_batch)),
        ("s", "Tokens in a sequence", count(training.sequence_length)),
        ("t", "Step time", seconds(evaluation.step.step_time_s)),
    ]


def _days(evaluation: Evaluation) -> Terms:
    budget = evaluation.design.training.token_budget_trillion * 1e12
    return [
        ("D", "Training", days(evaluation.cost.training_days)),
        ("T", "Token budget", tokens(budget)),
        ("r", "Tokens per second", rate(evaluation.step.tokens_per_s)),
    ]


def _capex(evaluation: Evaluation) -> Terms:
    bom = evaluation.bom
    terms: Terms = [("C", f"Cluster, prices of {bom.price_book}", dollars(bom.total_usd))]
    for number, row in enumerate(bom.rows, start=1):
        price = "included" if row.included_in else unit_price(row.unit_price_usd)
        kind = PART_KINDS.get(row.kind, row.kind)
        said = f"{count(row.quantity)} × {price}"
        terms.append((f"q_{{{number}}} c_{{{number}}}", f"{kind}: {row.name}, {row.place}", said))
    return terms


def _network_share(evaluation: Evaluation) -> Terms:
    bom = evaluation.bom
    terms: Terms = [
        ("a", "Network share", percent(evaluation.cost.network_share)),
        (r"C_\mathrm{network}", "Network", dollars(bom.network_usd)),
        ("C", "Whole cluster", dollars(bom.total_usd)),
        (r"C_\mathrm{facility}", "Facility in it", dollars(bom.facility_usd)),
    ]
    return terms


def _bandwidth(evaluation: Evaluation) -> Terms:
    need, machine = evaluation.requirement, evaluation.machine
    return [
        (r"B_\mathrm{needed}", "Bandwidth needed", bandwidth(need.bandwidth_per_gpu)),
        (r"x_\mathrm{budget}", "Accepted wait for the network", percent(need.communication_share)),
        (r"x(B)", "Waiting for the network of this design", percent(need.share_reached)),
        (r"x(\infty)", "Waiting for an endless network", percent(need.share_floor)),
        ("B", "Line rate per GPU", bandwidth(machine.network_bandwidth)),
        (r"\eta_f", "Left by framing", percent(machine.framing_efficiency)),
        (r"\eta", "Left by load balancing", percent(machine.balance_efficiency)),
        (r"\alpha", "Latency", seconds(machine.network_latency)),
    ]


def _memory(evaluation: Evaluation) -> Terms:
    memory = evaluation.memory
    return [
        ("M", "Memory", size(memory.total)),
        (r"M_\mathrm{weights}", "Weights", size(memory.weights)),
        (r"M_\mathrm{gradients}", "Gradients", size(memory.gradients)),
        (r"M_\mathrm{optimizer}", "Optimizer", size(memory.optimizer)),
        (r"M_\mathrm{activations}", "Activations", size(memory.activations)),
        (r"M_\mathrm{workspace}", "Workspace", size(memory.workspace)),
    ]


def _latency(evaluation: Evaluation) -> Terms:
    need = evaluation.requirement
    return [
        (r"\alpha_\mathrm{max}", "Latency tolerated", seconds(need.latency_tolerated_s)),
        (r"x_\mathrm{budget}", "Accepted wait for the network", percent(need.communication_share)),
        ("x", "Waiting for the network of this design", percent(need.share_reached)),
        (r"\alpha", "Latency of this design", seconds(evaluation.machine.network_latency)),
    ]


def _endless(evaluation: Evaluation) -> Terms:
    need = evaluation.requirement
    return [
        (r"x(\infty)", "Waiting for an endless network", percent(need.share_floor)),
        ("x(B)", "Waiting for the network of this design", percent(need.share_reached)),
        (r"\alpha", "Latency, which stays", seconds(evaluation.machine.network_latency)),
    ]


def _of_the_step(evaluation: Evaluation) -> Origins:
    """Everything a step time is made from."""
    return (
        *own(evaluation),
        *constants(evaluation, *PRODUCTS, *HOST, *COLLECTIVES, *HIDDEN, *BAND),
        *card(evaluation),
        *wires(evaluation),
        *model(evaluation),
    )


def _of_the_run(evaluation: Evaluation) -> Origins:
    run = settings(
        evaluation,
        "training.global_batch",
        "training.sequence_length",
        "training.token_budget_trillion",
    )
    return (*run, *constants(evaluation, *BAND))


def _of_the_network(evaluation: Evaluation) -> Origins:
    return (
        *settings(evaluation, "target.communication_share"),
        *wires(evaluation),
        *card(evaluation),
        *own(evaluation),
        *constants(evaluation, *COLLECTIVES, *HIDDEN),
    )


def _of_memory(evaluation: Evaluation) -> Origins:
    return (*constants(evaluation, *MEMORY), *card(evaluation), *model(evaluation))


EXPLANATIONS: Mapping[str, Explanation] = MappingProxyType(
    {
        "step_time": Explanation(
            "Step time",
            "Compute of all micro-batches, the wait of the pipeline, the communication that does "
            "not hide behind compute, and the optimizer. The band is what 80 % of measured runs "
            "kept around the same prediction.",
            r"t = t_\mathrm{compute} + t_\mathrm{bubble} + t_\mathrm{exposed}"
            r" + t_\mathrm{optimizer} + t_\mathrm{overhead}",
            _step,
            (
                "matrix_product_time",
                "memory_bound_time",
                "pipeline_time",
                "exposed_time",
                "optimizer_time",
            ),
            source="netdesign-step-time",
            origins=_of_the_step,
            band=lambda found: found.step_time_s,
            say=seconds,
        ),
        "mfu": Explanation(
            "MFU",
            "Model FLOPs utilisation: the arithmetic the model needs, without recompute, over what "
            "all GPUs could do in the time of a step.",
            r"\mathrm{MFU} = \frac{F_\mathrm{model}}{t\,n\,F_\mathrm{peak}}",
            _mfu,
            ("model_flops_utilisation", "flops_per_token"),
            source="chowdhery-2022",
            origins=lambda e: (*card(e), *model(e), *constants(e, *BAND)),
            band=lambda found: found.mfu,
            say=percent,
        ),
        "tokens_per_s": Explanation(
            "Tokens",
            "Tokens of a step over the time of a step.",
            r"r = \frac{b\,s}{t}",
            _tokens,
            source="narayanan-2021",
            origins=_of_the_run,
            band=lambda found: found.tokens_per_s,
            say=rate,
        ),
        "training_days": Explanation(
            "Training",
            "The token budget over tokens per second, without stops or restarts.",
            r"D = \frac{T}{r\cdot 86400\,\mathrm{s}}",
            _days,
            source="narayanan-2021",
            origins=_of_the_run,
            band=lambda found: found.training_days,
            say=days,
        ),
        "capex": Explanation(
            "Cluster",
            "Quantity times unit price, added over the parts that have a price in the book. The "
            "quantities of switches and links follow from the size of the fabric.",
            r"C = \sum_i q_i c_i",
            _capex,
            source="fabric-economics",
            origins=prices,
        ),
        "network_share": Explanation(
            "Network share",
            "Adapters, switches, transceivers and cables over the price of the whole cluster "
            "without its facility.",
            r"a = \frac{C_\mathrm{network}}{C - C_\mathrm{facility}}",
            _network_share,
            source="fabric-economics",
            origins=prices,
        ),
        "bandwidth": Explanation(
            "Bandwidth needed",
            "The least bandwidth per GPU at which the share of the step that waits for the network "
            "stays within the budget: the step is computed over a range of bandwidths and the "
            "crossing is refined.",
            r"B_\mathrm{needed} = \min B: x(B) \le x_\mathrm{budget}",
            _bandwidth,
            ("exposed_time", "effective_bandwidth", "ring_reduce_scatter_time", "send_time"),
            source="netdesign-step-time",
            origins=_of_the_network,
        ),
        "memory": Explanation(
            "Memory",
            "Weights, gradients, optimizer states and activations of the fullest GPU, divided as "
            "the plan divides them, and the workspace of libraries.",
            r"M = M_\mathrm{weights} + M_\mathrm{gradients} + M_\mathrm{optimizer}"
            r" + M_\mathrm{activations} + M_\mathrm{workspace}",
            _memory,
            ("memory_per_gpu", "micro_batches_in_flight"),
            source="rajbhandari-2020",
            origins=_of_memory,
        ),
        "latency": Explanation(
            "Latency tolerated",
            "The greatest latency of a message at which the share of the step that waits for the "
            "network stays within the budget, at the bandwidth of this design.",
            r"\alpha_\mathrm{max} = \max \alpha: x(\alpha) \le x_\mathrm{budget}",
            _latency,
            ("exposed_time", "ring_reduce_scatter_time", "send_time"),
            source="netdesign-step-time",
            origins=_of_the_network,
        ),
        "endless_network": Explanation(
            "Lost with an endless network",
            "What is left of the wait when the bandwidth of the network is without end and its "
            "latency stays: no faster link can mend it.",
            r"x(\infty) = \frac{t_\mathrm{exposed}(B \to \infty)}{t(B \to \infty)}",
            _endless,
            ("exposed_time", "send_time"),
            source="netdesign-step-time",
            origins=_of_the_network,
        ),
        **MONEY,
    }
)
