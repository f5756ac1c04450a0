"""What a closed group of controls says about the design."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netdesign.app.choices import BEST, GIVEN, names
from netdesign.catalog import load_catalog
from netdesign.charts.format import SPACE, count
from netdesign.design import Design

if TYPE_CHECKING:
    from netdesign.workload.transformer import Architecture


def _training(design: Design) -> str:
    training = design.training
    return (
        f"{count(training.global_batch)} sequences of {count(training.sequence_length)} tokens, "
        f"{training.token_budget_trillion:g} T tokens, {training.precision.upper()}"
    )


def _plan(design: Design) -> str:
    plan = design.plan
    if plan.mode == BEST:
        return "the fastest that fits"
    degrees = {"TP": plan.tensor, "PP": plan.pipeline, "CP": plan.context, "EP": plan.expert}
    said = " ".join(f"{name} {number}" for name, number in degrees.items() if number > 1)
    return f"by hand: {said or 'data parallel'}, {plan.sharding.upper()}"


def _network(design: Design) -> str:
    catalog = load_catalog()
    network = design.network
    switch = catalog.switches[network.switch].name
    return f"{switch}, {catalog.transports[network.transport].name}"


def _money(design: Design) -> str:
    economics = design.economics
    return (
        f"{economics.price_book}, ${economics.rental_usd_per_gpu_hour:.2f} per GPU-hour, "
        f"{economics.amortisation_years:g} years"
    )


def _failures(design: Design) -> str:
    chosen = design.reliability
    fleet = names("reliability.fleet")[chosen.fleet]
    said = "given" if chosen.fleet == GIVEN else f"as {fleet.partition(',')[0]}"
    return f"{said}, restart {chosen.restart_minutes:g} min"


def architecture_line(architecture: Architecture) -> str:
    """The shape of a model in one line."""
    parts = [
        f"{count(architecture.layers)} layers",
        f"hidden {count(architecture.hidden)}",
        f"{count(architecture.heads)} heads",
        "latent attention"
        if architecture.kv_rank > 0
        else f"{count(architecture.kv_heads)} KV heads",
    ]
    if architecture.experts > 0:
        parts.append(
            f"{count(architecture.experts)} experts, "
            f"{count(architecture.experts_per_token)} per token"
        )
    return " · ".join(part.replace(" ", SPACE) for part in parts)


SUMMARIES: dict[str, Callable[[Design], str]] = {
    "Training": _training,
    "Parallel plan": _plan,
    "Network": _network,
    "Money": _money,
    "Failures": _failures,
}
