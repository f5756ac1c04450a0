"""Findings about failures and checkpoints: what is lost, what is too slow, what stops the job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog
from netdesign.findings.finding import Finding
from netdesign.findings.job import rule_value
from netdesign.performance.goodput import (
    Goodput,
    checkpoint_interval,
    effective_training_time_ratio,
)
from netdesign.units import (
    SECONDS_PER_MINUTE,
    bytes_per_second_to_gbps,
    bytes_to_gigabytes,
    seconds_to_hours,
)

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

RESTART = "reliability.restart_minutes"
STALL = "reliability.checkpoint_stall_s"
STORAGE = "reliability.storage_write_gbytes_per_s_per_gpu"
_STALLS = (60, 30, 20, 10, 5, 2, 1)  # s, round ones to try
_MONTHS = 12
_MARGIN = 1.001


def ettr_is_low(evaluation: Evaluation) -> Finding | None:
    """Failures and checkpoints that take more of the time than published large runs lost."""
    found, limit = evaluation.goodput, rule_value("ettr-low")
    if found.ettr >= limit:
        return None
    field, suggestion, fix = _more_goodput(evaluation, limit)
    return Finding(
        "ettr-low",
        "warning",
        f"Failures and checkpoints leave {found.ettr:.1%} of the time for training: a stop every "
        f"{hours(found.mttf_s)}, {found.write_s:,.3g} s of writing every "
        f"{found.interval_s / SECONDS_PER_MINUTE:,.3g} min; large runs keep {limit:.0%}.",
        fix,
        field,
        suggestion,
    )


def _more_goodput(evaluation: Evaluation, limit: float) -> tuple[str, float | None, str]:
    """The one setting that reaches the limit, what it must be, and the sentence."""
    found = evaluation.goodput
    restart, stall = _restart_minutes(found, limit), _stall(evaluation, limit)
    writing = found.write_s / found.interval_s + found.interval_s / (2 * found.mttf_s)
    ways = []
    if restart is not None:
        ways.append((RESTART, restart, f"A restart in {restart:g} min reaches {limit:.0%}."))
    if stall is not None:
        said = f"Copy checkpoints to host memory: a stall of {stall:g} s reaches {limit:.0%}."
        ways.append((STALL, stall, said))
    if not ways:
        return "", None, "Restart faster and write checkpoints faster; neither alone is enough."
    return ways[0] if writing < found.restart_s / found.mttf_s else ways[-1]


def _restart_minutes(found: Goodput, limit: float) -> float | None:
    kept = limit * (1 + found.write_s / found.interval_s)
    minutes = ((1 - kept) * found.mttf_s - found.interval_s / 2) / SECONDS_PER_MINUTE
    lowest = load_catalog().parameters[RESTART].lowest or 0.0
    rounded = math.floor(minutes * 100) / 100
    return rounded if rounded >= lowest else None


def _stall(evaluation: Evaluation, limit: float) -> float | None:
    found = evaluation.goodput
    for stall in _STALLS:
        if stall >= found.write_s:
            continue
        best = checkpoint_interval(stall, found.mttf_s) if found.interval_is_best else 0.0
        interval = max(float(best) or found.interval_s, float(evaluation.step.step_time_s))
        reached = effective_training_time_ratio(found.mttf_s, found.restart_s, interval, stall)
        if reached >= limit:
            return float(stall)
    return None


def checkpoint_write_is_slow(evaluation: Evaluation) -> Finding | None:
    """Storage that keeps the job waiting, or is not done before the next checkpoint."""
    found = evaluation.goodput
    written = found.checkpoint_bytes / found.write_bandwidth
    behind = found.write_s < written
    share = found.write_s / (found.write_s + found.interval_s)
    if behind and written > found.interval_s:
        needed = found.checkpoint_bytes / found.interval_s
        sentence = (
            f"A checkpoint of {bytes_to_gigabytes(found.checkpoint_bytes):,.0f} GB takes "
            f"{written:,.3g} s to write and the next is due after {found.interval_s:,.3g} s."
        )
    elif not behind and share > rule_value("write-share-high"):
        needed = found.checkpoint_bytes / _write_time(found, rule_value("write-share-high"))
        sentence = (
            f"Writing checkpoints takes {share:.1%} of the time: "
            f"{bytes_to_gigabytes(found.checkpoint_bytes):,.0f} GB at "
            f"{bytes_to_gigabytes(found.write_bandwidth):,.3g} GB/s."
        )
    else:
        return None
    total = needed * _MARGIN
    each = bytes_to_gigabytes(total) / evaluation.design.cluster.gpus
    in_range = each <= (load_catalog().parameters[STORAGE].highest or math.inf)
    return Finding(
        "checkpoint-write-slow",
        "warning",
        sentence,
        f"Storage that takes {bytes_to_gigabytes(total):,.3g} GB/s is enough, or copy to host "
        "memory first and write while training goes on.",
        STORAGE if in_range else "",
        each if in_range else None,
    )


def _write_time(found: Goodput, share: float) -> float:
    """The write that takes this share of the time."""
    if found.interval_is_best:
        return 2 * found.mttf_s * share**2
    return found.interval_s * share / (1 - share)


def single_homed_stops(evaluation: Evaluation) -> Finding | None:
    """Cables and leaves whose failure stops the job because a port has no second way."""
    fabric, chosen = evaluation.fabric, evaluation.design.reliability
    if not fabric.buildable or fabric.tiers < 1:
        return None
    links = float(fabric.access_links) * chosen.link_failures_per_year / _MONTHS
    leaves = float(fabric.leaves) * chosen.switch_failures_per_year / _MONTHS
    if links + leaves < rule_value("stops-by-single-tor"):
        return None
    return Finding(
        "single-tor-stops",
        "note",
        f"Every port has one cable to one leaf: {links:,.1f} cables and {leaves:,.2g} leaves a "
        "month stop the job.",
        "With two leaves for each port (dual ToR) they would slow it down instead; "
        "`netdesign failures` says whether that pays.",
    )


def storage_shares_the_compute_fabric(evaluation: Evaluation) -> Finding | None:
    """Checkpoints beside collectives on the same links."""
    design, found = evaluation.design, evaluation.goodput
    if design.reliability.checkpoint_network != "compute":
        return None
    written = found.checkpoint_bytes / found.write_bandwidth
    bandwidth = float(evaluation.machine.network_bandwidth)
    share = found.write_bandwidth / design.cluster.gpus / bandwidth
    meets = found.write_s < written
    felt = meets and share > rule_value("storage-share-felt")
    rate = bytes_per_second_to_gbps(found.write_bandwidth)
    return Finding(
        "storage-on-compute-fabric",
        "warning" if felt else "note",
        f"A checkpoint sends {rate:,.0f} Gb/s over the compute fabric for {written:,.3g} s, "
        f"{share:.1%} of the ports of the GPUs"
        + (", beside the collectives." if meets else ", while training waits."),
        "Give storage a network of its own, or checkpoints a traffic class of their own.",
        "reliability.checkpoint_network",
        "own",
    )


def hours(seconds: float) -> str:
    """A time between failures in hours, or in minutes where it is short."""
    if seconds < 2 * 3600:
        return f"{seconds / SECONDS_PER_MINUTE:,.3g} min"
    return f"{seconds_to_hours(seconds):,.3g} h"
