"""Findings about the bill."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from netdesign.findings.finding import Finding
from netdesign.findings.job import rule_value
from netdesign.units import DAYS_PER_YEAR
from netdesign.wording import named

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


def network_share_is_low(evaluation: Evaluation) -> Finding | None:
    """A network that costs little beside what it feeds."""
    share, limit = float(evaluation.cost.network_share), rule_value("network-share-low")
    if not evaluation.cost.complete or evaluation.fabric.tiers < 2 or share >= limit:
        return None
    missing = (limit - share) / (1 - limit) * float(evaluation.cost.capex_usd)
    return Finding(
        "network-share-low",
        "warning",
        f"The network is {share:.1%} of the purchase; below {limit:.0%} it is likely too small "
        "for more than one tier.",
        f"${missing:,.0f} more on the network reaches {limit:.0%}; check that the step does not "
        "wait for it.",
    )


def network_share_is_high(evaluation: Evaluation) -> Finding | None:
    """A network that costs more than published clusters spend."""
    share, limit = float(evaluation.cost.network_share), rule_value("network-share-high")
    if not evaluation.cost.complete or share <= limit:
        return None
    surplus = (share - limit) / (1 - limit) * float(evaluation.cost.capex_usd)
    return Finding(
        "network-share-high",
        "note",
        f"The network is {share:.1%} of the purchase; published clusters stay under {limit:.0%}.",
        f"${surplus:,.0f} less would meet that; a taper that the job does not feel is a way.",
    )


def run_outlives_the_hardware(evaluation: Evaluation) -> Finding | None:
    """A training run longer than the cluster is paid back over."""
    days = float(evaluation.cost.training_days)
    design = evaluation.design
    limit = design.economics.amortisation_years * DAYS_PER_YEAR
    if days <= limit:
        return None
    gpus = math.ceil(design.cluster.gpus * days / limit)
    return Finding(
        "run-outlives-hardware",
        "warning",
        f"The run takes {days / DAYS_PER_YEAR:,.1f} years; the cluster is paid back over "
        f"{design.economics.amortisation_years:g}.",
        f"More than {gpus:,} GPUs, or fewer than "
        f"{design.training.token_budget_trillion * limit / days:,.3g} trillion tokens.",
    )


def prices_missing(evaluation: Evaluation) -> Finding | None:
    """Parts without a price that has a source."""
    missing = evaluation.bom.unpriced
    if not missing:
        return None
    return Finding(
        "prices-missing",
        "note",
        f"No sourced price for {named(missing)}: the bill is a lower bound.",
        "Upload your own quotes as a price file (part_id, price_usd).",
    )


def power_missing(evaluation: Evaluation) -> Finding | None:
    """Parts without a power figure."""
    missing = evaluation.bom.unmetered
    if not missing:
        return None
    return Finding(
        "power-missing",
        "note",
        f"No sourced power figure for {named(missing)}: the power is a lower bound.",
        "Add the figure to the catalogue row of the part.",
    )
