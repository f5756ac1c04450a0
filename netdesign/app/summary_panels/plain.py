"""What a design is, in words for someone who signs for it and does not design networks."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from netdesign.app.layout import model_name
from netdesign.bands import bands
from netdesign.catalog import load_catalog
from netdesign.charts.format import (
    Said,
    count,
    days,
    digits,
    dollars,
    parameters,
    percent,
    power,
    ratio,
    tokens,
)
from netdesign.charts.words import FAMILIES
from netdesign.design import default_design
from netdesign.wording import plural

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

FAMILY_MEANS = MappingProxyType(
    {
        "single-switch": "all servers are plugged into one switch",
        "fat-tree": "servers are plugged into leaf switches, which spine switches join",
        "fat-tree-2": "servers are plugged into leaf switches, which spine switches join",
        "fat-tree-3": "servers are plugged into leaf switches, which spine and core switches join",
        "rail-optimised": (
            "port number one of every server goes to the same switch, port number two to the next, "
            "and so on, so that GPUs of the same number are one switch apart"
        ),
        "rail-only": (
            "port number one of every server goes to one group of switches, port number two to "
            "another, and these groups are not joined"
        ),
    }
)
MANY_LEAVES = (
    "port number one of every server in a group goes to the same switch, port number two to the "
    "next, and so on, so that GPUs of the same number are one switch apart within a group and "
    "reach the other groups over the switches above"
)
GLOSSARY = (
    ("GPU", "the processor that does the training; thousands of them work on one model."),
    ("Token", "a piece of a word; the unit in which training text is counted."),
    (
        "Step",
        "one round of training: compute, exchange results over the network, update the model.",
    ),
    ("Network share", "what switches, adapters and cables are of the price of the equipment."),
    (
        "Oversubscription",
        "bandwidth into the first switches over bandwidth out of them: 1 : 1 never holds traffic "
        "up, 2 : 1 saves half of the upper network.",
    ),
    (
        "Lost to the network",
        "the worth of the hours in which GPUs wait for data that the network is still carrying.",
    ),
    ("Price book", "the dated list of prices that a bill is made from, each with its source."),
    (
        "Range",
        "where 8 of 10 measured training runs lay when the model predicted them without knowing "
        "them.",
    ),
)


LARGE = MappingProxyType({"T": "trillion", "B": "billion", "M": "million", "k": "thousand"})


def spelled(said: Said) -> Said:
    """A large number with its power of ten as a word: 42.7 million."""
    number = said.number.removesuffix(".00").removesuffix(".0")
    return Said(number, LARGE.get(said.unit, said.unit))


def usd(value: Any) -> Said:
    """US dollars as a manager reads them: $42.7 million, $114,900, $2,000."""
    if value is None or not math.isfinite(value) or abs(value) >= 1e6:
        return spelled(dollars(value))
    if abs(value) < 100:
        return Said(f"${digits(value)}", "")
    return Said(f"${float(f'{value:.3g}'):,.0f}", "")


def day_range(evaluation: Evaluation) -> tuple[Said, Said]:
    """The range of the length of the run: that of a step, as many times."""
    length = bands(evaluation).training_days
    return days(length.low), days(length.high)


def title(evaluation: Evaluation) -> str:
    """The name of the design, or one made for it where it only has the one it started with."""
    design, start = evaluation.design, default_design()
    if design.name not in (start.name, "Untitled design") or design == start:
        return design.name
    return f"{model_name(evaluation)} on {count(design.cluster.gpus)} {_accelerator(evaluation)}"


def priced(evaluation: Evaluation) -> bool:
    """Whether anything of the purchase has a price."""
    return float(evaluation.cost.capex_usd) > 0


def owning_known(evaluation: Evaluation) -> bool:
    """Whether the bill says enough of the cluster to derive what owning it costs.

    Without a price of the servers, or with a fabric that cannot be built, it does not.
    """
    servers = [row for row in evaluation.bom.rows if row.kind == "server"]
    return (
        priced(evaluation)
        and bool(evaluation.fabric.buildable)
        and all(row.unit_price_usd is not None for row in servers)
    )


def unknown_money(evaluation: Evaluation) -> str:
    """Why money that follows from the purchase is not shown."""
    if not evaluation.fabric.buildable:
        return "The network cannot be built as described."
    if not priced(evaluation):
        return "No part of this design has a price in the book."
    return "The servers have no price in the book."


def outcome(evaluation: Evaluation) -> str:
    """The first sentence: what one gets, when, for how much."""
    cost = evaluation.cost
    budget = evaluation.design.training.token_budget_trillion * 1e12
    run = (
        f"{model_name(evaluation)} trained on {spelled(tokens(budget))} tokens in about "
        f"{days(cost.training_days)}"
    )
    if not evaluation.fabric.buildable:
        return f"{run}, if its network could be built: as described it cannot."
    price = f"costs {'' if cost.complete else 'at least '}{usd(cost.capex_usd)} to buy"
    if not priced(evaluation):
        price = "has no price in the price book"
    elif not owning_known(evaluation):
        price = f"has no price for its servers (the rest is {usd(cost.capex_usd)} or more)"
    return f"{run}, on a cluster that {price} and draws {power(cost.power_w)}."


def description(evaluation: Evaluation) -> str:
    """One paragraph: the job, the machines, the network."""
    return " ".join((_job(evaluation), _network(evaluation), _taper(evaluation))).strip()


def _accelerator(evaluation: Evaluation) -> str:
    catalog = load_catalog()
    server = catalog.servers[evaluation.design.cluster.server]
    return str(catalog.accelerators[server.accelerator].name)


def _job(evaluation: Evaluation) -> str:
    design = evaluation.design
    server = load_catalog().servers[design.cluster.server]
    size = spelled(parameters(evaluation.parameters))
    active = ""
    if evaluation.active_parameters < 0.99 * evaluation.parameters:
        working = spelled(parameters(evaluation.active_parameters))
        active = f"; {working} of them work on each token"
    return (
        f"The model has {size} parameters, the numbers that training adjusts{active}. "
        f"{count(design.cluster.gpus)} {_accelerator(evaluation)} processors (GPUs) in "
        f"{plural(evaluation.servers, 'server')} of type {server.name} train it together, and all "
        "of them exchange results in every step."
    )


def _network(evaluation: Evaluation) -> str:
    fabric, network = evaluation.fabric, evaluation.design.network
    if not fabric.buildable:
        return f"The network cannot be built as described: {fabric.reason}"
    switch = load_catalog().switches[network.switch]
    family = FAMILIES.get(fabric.family, fabric.family)
    means = FAMILY_MEANS.get(fabric.family, "")
    ports = fabric.endpoints / evaluation.servers
    if fabric.family == "rail-optimised" and fabric.leaves > ports:
        means = MANY_LEAVES
    return (
        f"They are joined by a {family} network" + (f": {means}. " if means else ". ") + "It takes "
        f"{plural(fabric.switches, 'switch', 'switches')} of type {switch.name} and "
        f"{plural(fabric.links, 'link')}."
    )


def _taper(evaluation: Evaluation) -> str:
    fabric = evaluation.fabric
    taper = float(fabric.oversubscription) * float(fabric.core_oversubscription)
    if not fabric.buildable or fabric.tiers < 2:
        return ""
    if taper <= 1.0:
        return "It is built without a bottleneck: all servers can send at full speed at once."
    return (
        f"Its upper part is oversubscribed {ratio(taper)}, so that {percent(1 / taper)} of the "
        "servers' bandwidth is built there, which saves switches and cables and can slow the "
        "exchange."
    )


def standing(evaluation: Evaluation) -> tuple[str, str]:
    """Whether the design can be signed: good, fair or bad, and one sentence."""
    severities = [finding.severity for finding in evaluation.findings]
    errors, warnings = severities.count("error"), severities.count("warning")
    if errors:
        return "bad", (
            "This design does not work yet. The numbers below show what it would be; "
            f"{plural(errors, 'thing')} must be put right first."
        )
    if warnings:
        verbs = "costs time or money and wants" if warnings == 1 else "cost time or money and want"
        return "fair", f"This design works. {plural(warnings, 'point')} below {verbs} a decision."
    notes = severities.count("note")
    if notes:
        verb = "is" if notes == 1 else "are"
        return "good", f"This design works. {plural(notes, 'note')} below {verb} good to know."
    return "good", "This design works, and no rule has an objection."
