"""An Evaluation as a page of text for a shell, and the list of parameters."""

from __future__ import annotations

import math
import textwrap

from netdesign.bands import MEANING, bands
from netdesign.catalog import load_catalog
from netdesign.charts.own_words import own_measurements
from netdesign.design import choices
from netdesign.evaluate import Evaluation
from netdesign.export.goodput_text import goodput_lines
from netdesign.units import bytes_per_second_to_gbps, bytes_to_gigabytes, watts_to_kilowatts


def to_text(evaluation: Evaluation) -> str:
    """The numbers a planner asks for first, in the order of the five questions."""
    return "\n".join(
        [
            evaluation.design.name,
            "",
            *_job(evaluation),
            *_network(evaluation),
            *_money(evaluation),
            *(_line(*each) for each in goodput_lines(evaluation)),
            "",
            *_findings(evaluation),
        ]
    )


def _line(label: str, value: str) -> str:
    return f"  {label:<24}{value}"


def _job(evaluation: Evaluation) -> list[str]:
    memory, need, found = evaluation.memory, evaluation.requirement, bands(evaluation)
    time, mfu, speed, each = (
        found.step_time_s,
        found.mfu,
        found.tokens_per_s,
        found.tokens_per_s_per_gpu,
    )
    own = own_measurements(evaluation.design)
    return [
        _line(
            "model", f"{evaluation.architecture.name}, {evaluation.parameters / 1e9:,.1f} billion"
        ),
        _line("plan", evaluation.plan_label),
        _line(
            "step time",
            f"{time.value:,.3f} s ({time.low:,.3f} to {time.high:,.3f} s: {MEANING})",
        ),
        *([_line("collectives", f"rest on {own}")] if own else []),
        _line("MFU", f"{mfu.value:.1%} ({mfu.low:.1%} to {mfu.high:.1%})"),
        _line("tokens/s", f"{speed.value:,.0f} ({speed.low:,.0f} to {speed.high:,.0f})"),
        _line("tokens/s per GPU", f"{each.value:,.0f} ({each.low:,.0f} to {each.high:,.0f})"),
        _line(
            "memory per GPU",
            f"{bytes_to_gigabytes(memory.total):,.1f} of "
            f"{bytes_to_gigabytes(evaluation.memory_limit):,.0f} GB",
        ),
        _line(
            "bandwidth needed",
            f"{_bandwidth_needed(evaluation)} to wait for the network at most "
            f"{need.communication_share:.1%} of the step (given: "
            f"{bytes_per_second_to_gbps(evaluation.machine.network_bandwidth):,.0f})",
        ),
    ]


def _bandwidth_needed(evaluation: Evaluation) -> str:
    need = bytes_per_second_to_gbps(evaluation.requirement.bandwidth_per_gpu)
    return f"{need:,.0f} Gb/s per GPU" if math.isfinite(need) else "no bandwidth is enough"


def _network(evaluation: Evaluation) -> list[str]:
    fabric = evaluation.fabric
    return [
        _line(
            "fabric",
            f"{fabric.family}, {fabric.tiers} tiers: {fabric.leaves} leaves, {fabric.spines} "
            f"spines, {fabric.cores} cores",
        ),
        _line(
            "links",
            f"{fabric.access_links:,} to servers, {fabric.leaf_spine_links:,} leaf to spine, "
            f"{fabric.spine_core_links:,} spine to core",
        ),
    ]


def _money(evaluation: Evaluation) -> list[str]:
    cost, found = evaluation.cost, bands(evaluation)
    days, run, million = found.training_days, found.training_usd, found.usd_per_million_tokens
    hours, wait = found.training_gpu_hours, found.network_wait_usd_per_day
    bound = "" if cost.complete else " at least (parts without a price)"
    least = "" if cost.complete else "at least "
    metered = "at least " if evaluation.bom.unmetered else ""
    share = f"{cost.network_share:.1%}" if math.isfinite(cost.network_share) else "share unknown"
    return [
        _line("purchase", f"${cost.capex_usd:,.0f}{bound}, network {share}"),
        _line("whole order", _order(evaluation)),
        _line("power", f"{metered}{watts_to_kilowatts(cost.power_w):,.0f} kW"),
        _line(
            "the run",
            f"{days.value:,.1f} days ({days.low:,.1f} to {days.high:,.1f}), "
            f"{hours.value:,.0f} GPU-hours ({hours.low:,.0f} to {hours.high:,.0f})",
        ),
        _line("cost of the run", f"{least}${run.value:,.0f} (${run.low:,.0f} to ${run.high:,.0f})"),
        _line(
            "per million tokens",
            f"{least}${million.value:,.3f} (${million.low:,.3f} to ${million.high:,.3f})",
        ),
        _line(
            "lost to the network",
            f"${wait.value:,.0f} per day (${wait.low:,.0f} to ${wait.high:,.0f} if the network "
            "alone made the step shorter or longer)",
        ),
    ]


def _order(evaluation: Evaluation) -> str:
    order = evaluation.order
    least = "at least " if order.unpriced else ""
    beside = [sized.network.role for sized in evaluation.beside.networks]
    also = f" with the {', '.join(beside)} networks" if beside else ""
    missing = f"; no published ports of {len(evaluation.beside.missing)} other networks"
    return f"{least}${order.total_usd:,.0f}{also}" + (missing if evaluation.beside.missing else "")


def _findings(evaluation: Evaluation) -> list[str]:
    if not evaluation.findings:
        return ["  No findings."]
    return [f"  {item.severity}: {item.sentence} {item.fix}" for item in evaluation.findings]


def parameters_text() -> str:
    """Every parameter with unit, default, range and meaning."""
    blocks = []
    for path, parameter in load_catalog().parameters.items():
        if parameter.kind == "choice":
            span = " | ".join(choices(path))
        elif parameter.kind == "flag":
            span = "true | false"
        else:
            span = f"{parameter.lowest:,.10g} to {parameter.highest:,.10g} {parameter.unit}"
        blocks.append(f"{path} = {parameter.default}    ({span})")
        blocks.append(textwrap.indent(textwrap.fill(parameter.help, 96), "    "))
    return "\n".join(blocks)
