"""What broken parts do to a job, as plain numbers and as lines for a shell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from netdesign.evaluate import Evaluation
from netdesign.export.goodput_text import goodput_lines
from netdesign.export.json_numbers import finite
from netdesign.failures import Choice, Outcome
from netdesign.failures.flap import Flap
from netdesign.units import SECONDS_PER_MINUTE, seconds_to_hours
from netdesign.wording import plural

_DAY = 86_400


def outcome_record(found: Outcome) -> dict[str, Any]:
    """One broken part and what it does; an unbounded time is None."""
    scenario = found.scenario
    return {
        "break": scenario.word,
        "part": scenario.part,
        "name": scenario.name,
        "rate_share": scenario.rate,
        "parts_count": scenario.count,
        "stops_job": found.stops_job,
        "recovers_by_routing": found.recovers,
        "hosts_cut_off_count": found.hosts_cut_off,
        "hosts_degraded_count": found.hosts_degraded,
        "gpus_stranded_count": found.gpus_stranded,
        "gpus_without_port_count": found.gpus_without_port,
        "healthy_step_s": found.healthy_step_s,
        "step_s": finite(found.step_s),
        "slowdown_ratio": finite(found.slowdown),
        "collectives": [
            {"name": name, "slowdown_ratio": finite(slowed)} for name, slowed in found.slowdowns
        ],
        "by_hand_ratio": found.closed_form,
        "ways": [
            {
                "name": way.name,
                "pause_s": way.pause_s,
                "step_s": finite(way.step_s),
                "lost_s": finite(way.lost_s),
            }
            for way in found.ways
        ],
        "lost_s": finite(found.lost_s),
        "lost_with_spares_s": finite(found.lost_with_spares_s),
        "failures_per_month_count": found.failures_per_month,
        "stops_per_month_count": found.stops_per_month,
        "repair_s": found.repair_s,
    }


def choice_record(found: Choice, own: Choice) -> dict[str, Any]:
    """A fabric beside the design's own."""
    return {
        "name": found.name,
        "problem": found.problem,
        "stops_per_month_count": found.stops_per_month,
        "lost_share": found.lost_share,
        "lost_usd_per_month": found.lost_usd_per_month,
        "extra_usd": found.extra_usd,
        "extra_usd_per_month": found.extra_usd_per_month,
        "pays": None if found is own else found.pays_over(own),
    }


def flap_record(found: Flap) -> dict[str, Any]:
    """A link that comes back by itself."""
    return {
        "down_s": found.down_s,
        "window_s": found.window_s,
        "stops_job": found.stops_job,
        "least_lost_s": found.least_lost_s,
        "most_lost_s": found.most_lost_s,
    }


def failures_record(
    evaluation: Evaluation,
    outcomes: Sequence[Outcome],
    flaps: Sequence[Flap],
    choices: Sequence[Choice],
) -> dict[str, Any]:
    """Everything that ``netdesign failures`` says."""
    return {
        "name": evaluation.design.name,
        "breaks": [outcome_record(found) for found in outcomes],
        "flaps": [flap_record(found) for found in flaps],
        "redundancy": [choice_record(found, choices[0]) for found in choices],
    }


def failures_text(
    evaluation: Evaluation,
    outcomes: Sequence[Outcome],
    flaps: Sequence[Flap],
    choices: Sequence[Choice],
    fabric: str = "",
) -> str:
    """The same as lines; ``fabric`` names one that is not the design's own."""
    lines = [evaluation.design.name + (f", with {fabric}" if fabric else ""), ""]
    lines += [f"  {label:<24}{value}" for label, value in goodput_lines(evaluation)]
    repair = seconds_to_hours(outcomes[0].repair_s) if outcomes else 0.0
    lines += ["", f"  What breaks, one at a time; it is repaired after {repair:g} h.", ""]
    for found in outcomes:
        lines += _outcome_lines(found)
    lines += [f"  {_flap_line(found)}" for found in flaps]
    if choices:
        lines += ["", "  A second way for every port, at the same bandwidth:"]
        lines += [f"  {_choice_line(found, choices[0])}" for found in choices]
    return "\n".join(lines)


def _outcome_lines(found: Outcome) -> list[str]:
    scenario, best = found.scenario, found.ways[0]
    rate = f" at {scenario.rate:.0%} of its rate" if scenario.is_slow else ""
    head = f"  {scenario.word}: {scenario.name}{rate}"
    said = ["stops the job" if found.stops_job else "routing goes around it, the job runs on"]
    if scenario.is_slow:
        said = ["the job runs on"]
    if found.hosts_cut_off:
        servers = plural(found.hosts_cut_off, "server")
        said.append(f"{plural(found.gpus_stranded, 'GPU')} in {servers} cut off")
    if found.hosts_degraded:
        servers = plural(found.hosts_degraded, "server")
        gpus = plural(found.gpus_without_port, "GPU")
        said.append(
            f"{gpus} in {servers} without a port of its own"
            if found.gpus_without_port
            else f"{servers} with fewer ports"
        )
    step = (
        f"step {best.step_s:,.3f} s for {found.healthy_step_s:,.3f} s ({found.slowdown - 1:+.2%})"
        if math.isfinite(best.step_s)
        else "no step until it is repaired"
    )
    worst = found.communication_slowdown
    talk = f"communication x {worst:.3g}" if math.isfinite(worst) else "some GPUs out of reach"
    by_hand = f" (x {found.closed_form:.3g} by hand)" if found.closed_form else ""
    cost = f"costs {duration(found.lost_s)} of the job"
    often = (
        f"{found.failures_per_month:,.3g} a month of {scenario.count:,}"
        if found.failures_per_month is not None
        else "no published rate"
    )
    return [
        head,
        f"    {', '.join(said)}; {talk}{by_hand}",
        f"    {best.name}: {step}; {cost}; {often}",
    ]


def _flap_line(found: Flap) -> str:
    if found.stops_job:
        return (
            f"flap of {found.down_s:g} s: longer than the {found.window_s:.0f} s that connections "
            f"wait; the job stops and loses {duration(found.least_lost_s)}"
        )
    return (
        f"flap of {found.down_s:g} s: the job waits {found.least_lost_s:.3g} to "
        f"{found.most_lost_s:.3g} s and runs on"
    )


def _choice_line(found: Choice, own: Choice) -> str:
    if found.problem:
        return f"  {found.name}: cannot be built: {found.problem}"
    lost = (
        f"{found.stops_per_month:,.3g} stops a month, {found.lost_share:.3%} of the time lost, "
        f"${found.lost_usd_per_month:,.0f} a month"
    )
    if found is own:
        return f"  {found.name}: {lost}"
    if found.extra_usd_per_month is None or found.extra_usd is None:
        return f"  {found.name}: {lost}; a part has no price"
    verdict = "pays" if found.pays_over(own) else "does not pay by this alone"
    return (
        f"  {found.name}: {lost}; ${found.extra_usd:,.0f} more to buy, "
        f"${found.extra_usd_per_month:,.0f} a month: {verdict}"
    )


def duration(seconds: float) -> str:
    """A time that people read: seconds, minutes, hours or days."""
    if not math.isfinite(seconds):
        return "all"
    if seconds < 2 * SECONDS_PER_MINUTE:
        return f"{seconds:,.3g} s"
    if seconds < 3 * 3600:
        return f"{seconds / SECONDS_PER_MINUTE:,.3g} min"
    if seconds < 3 * _DAY:
        return f"{seconds_to_hours(seconds):,.3g} h"
    return f"{seconds / _DAY:,.3g} days"
