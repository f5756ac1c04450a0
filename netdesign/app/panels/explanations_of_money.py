"""What stands behind the money of a design: owning, tokens, the run, waiting, and power."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from netdesign.app.panels.explanation import Explanation, Origins, Terms
from netdesign.app.panels.origins import BAND, card, constants, prices, settings, wires
from netdesign.charts.format import (
    cents,
    count,
    days,
    digits,
    dollars,
    percent,
    power,
    seconds,
    tokens,
)

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

OWNING = (
    "economics.amortisation_years",
    "economics.interest_rate",
    "economics.operations_share",
    "economics.usd_per_kwh",
    "economics.pue",
)


def _owning(evaluation: Evaluation) -> Terms:
    cost, chosen = evaluation.cost, evaluation.design.economics
    return [
        ("h/n", "Owning a GPU for an hour", cents(cost.usd_per_gpu_hour)),
        ("n", "GPUs", count(evaluation.design.cluster.gpus)),
        ("C", "Cluster", dollars(cost.capex_usd)),
        ("e", "Electricity in a year", dollars(cost.energy_usd_per_year)),
        ("m", "Operations in a year, of the purchase", percent(chosen.operations_share)),
        ("r", "Interest", percent(chosen.interest_rate)),
        (r"n_\mathrm{years}", "Years of use", digits(chosen.amortisation_years)),
    ]


def _million(evaluation: Evaluation) -> Terms:
    cost = evaluation.cost
    return [
        (r"c_\mathrm{M}", "A million tokens", cents(cost.usd_per_million_tokens)),
        ("h/n", "Owning a GPU for an hour", cents(cost.usd_per_gpu_hour)),
        ("n", "GPUs", count(evaluation.design.cluster.gpus)),
        ("t", "Step time", seconds(evaluation.step.step_time_s)),
        (r"b\,s", "Tokens of a step", tokens(evaluation.tokens_per_step)),
    ]


def _training(evaluation: Evaluation) -> Terms:
    cost = evaluation.cost
    budget = evaluation.design.training.token_budget_trillion * 1e12
    return [
        (r"C_\mathrm{run}", "Whole training", dollars(cost.training_usd)),
        (r"c_\mathrm{M}", "A million tokens", cents(cost.usd_per_million_tokens)),
        ("T", "Token budget", tokens(budget)),
        ("D", "Training", days(cost.training_days)),
    ]


def _wait(evaluation: Evaluation) -> Terms:
    cost, step = evaluation.cost, evaluation.step
    return [
        ("w", "Network wait, per day", dollars(cost.network_wait_usd_per_day)),
        ("n", "GPUs", count(evaluation.design.cluster.gpus)),
        ("p", "Worth of a GPU-hour", cents(evaluation.design.economics.rental_usd_per_gpu_hour)),
        (r"t_\mathrm{network}", "Waiting in a step", seconds(step.network_exposed_s)),
        ("t", "Step time", seconds(step.step_time_s)),
        ("x", "Their ratio", percent(evaluation.requirement.share_reached)),
    ]


def _power(evaluation: Evaluation) -> Terms:
    bom = evaluation.bom
    terms: Terms = [
        ("P", "Power", power(bom.total_power_w)),
        (r"P_\mathrm{network}", "Of it the network", power(bom.network_power_w)),
    ]
    metered = [row for row in bom.rows if row.power_w is not None]
    for number, row in enumerate(metered, start=1):
        said = f"{count(row.quantity - row.spare)} × {power(row.power_w)}"
        terms.append((f"q_{{{number}}} P_{{{number}}}", f"{row.name}, {row.place}", said))
    return terms


def _order(evaluation: Evaluation) -> Terms:
    order, bom = evaluation.order, evaluation.bom
    return [
        (r"C_\mathrm{order}", "Whole order", dollars(order.total_usd)),
        ("C", "Cluster with its compute network", dollars(bom.total_usd)),
        (
            r"q_j c_j",
            "Lines of storage and management networks",
            count(len(order.rows) - len(bom.rows)),
        ),
    ]


def _of_owning(evaluation: Evaluation) -> Origins:
    return (*settings(evaluation, *OWNING), *prices(evaluation))


def _of_tokens(evaluation: Evaluation) -> Origins:
    return (*constants(evaluation, *BAND), *_of_owning(evaluation))


def _of_power(evaluation: Evaluation) -> Origins:
    return (*card(evaluation), *wires(evaluation)[1:])


FORMULAS = ("owning_usd_per_hour", "capital_recovery_factor", "energy_usd_per_year")
MONEY: Mapping[str, Explanation] = MappingProxyType(
    {
        "usd_per_gpu_hour": Explanation(
            "Owning, per GPU-hour",
            "What the purchase costs in an hour, spread over its years with interest, with "
            "electricity and operations, for each GPU.",
            r"\frac{h}{n} = \frac{C\,\mathrm{CRF}(r, n_\mathrm{years}) + e + m\,C}"
            r"{8760\,\mathrm{h}\cdot n}",
            _owning,
            FORMULAS,
            source="fabric-economics",
            origins=_of_owning,
        ),
        "usd_per_million_tokens": Explanation(
            "Per million tokens",
            "Owning the cluster for the time of a step, over the tokens of a step.",
            r"c_\mathrm{M} = \frac{h\,t}{3600\,\mathrm{s}}\cdot\frac{10^6}{b\,s}",
            _million,
            FORMULAS,
            origins=_of_tokens,
            band=lambda found: found.usd_per_million_tokens,
            say=cents,
        ),
        "training_usd": Explanation(
            "Whole training",
            "The cost of a token times the token budget, without stops or restarts.",
            r"C_\mathrm{run} = c_\mathrm{M}\,\frac{T}{10^6}",
            _training,
            FORMULAS,
            origins=_of_tokens,
            band=lambda found: found.training_usd,
            say=dollars,
        ),
        "network_wait": Explanation(
            "Network wait, per day",
            "GPU-hours of a day times the share of the step in which they wait for the network. "
            "No published run tells which part of its step a prediction missed: the range is what "
            "the wait would be if the network alone were to blame.",
            r"w = 24\,\mathrm{h}\cdot n\,p\,x, \quad x = \frac{t_\mathrm{network}}{t}",
            _wait,
            ("network_wait_usd_per_day", "exposed_time"),
            origins=lambda e: (
                *settings(e, "economics.rental_usd_per_gpu_hour"),
                *constants(e, *BAND),
            ),
            band=lambda found: found.network_wait_usd_per_day,
            say=dollars,
            meaning="at both ends of the step time, if the network alone were to blame",
        ),
        "power": Explanation(
            "Power",
            "Quantity times the power on the data sheet, added over the parts that have one.",
            r"P = \sum_i q_i P_i",
            _power,
            origins=_of_power,
        ),
        "order": Explanation(
            "Whole order",
            "The compute cluster and the storage, in-band and out-of-band networks beside it.",
            r"C_\mathrm{order} = C + \sum_j q_j c_j",
            _order,
            origins=prices,
        ),
    }
)
