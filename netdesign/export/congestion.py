"""Congestion on the built fabric as plain numbers and as text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from netdesign.congestion import (
    CollectiveCongestion,
    Congestion,
    Meeting,
    SideBySide,
    Spread,
    StorageTraffic,
)
from netdesign.congestion.scene import Conditions, Scene
from netdesign.export.json_numbers import finite
from netdesign.topology.built import Fabric
from netdesign.topology.naming import device_names
from netdesign.units import bytes_per_second_to_gbps, bytes_to_gigabytes, seconds_to_milliseconds

_HOTTEST = 8
LEVELS = (0.1, 0.5, 0.9)


def congestion_record(
    found: Congestion, spread: Spread | None = None, storage: tuple[StorageTraffic, ...] = ()
) -> dict[str, Any]:
    """Nested dictionaries that are valid JSON, units in the names; no number is infinite."""
    record = {
        **_scene_record(found.evaluation.plan_label, found.conditions, found.scene),
        "collectives": [_collective(entry, found.scene.fabric) for entry in found.collectives],
        "worst_leaf_pair": None
        if found.pairs is None
        else {
            "uplinks_count": found.pairs.uplinks,
            "shared_count": found.pairs.worst,
            "spines_count": found.pairs.spines,
        },
        "hottest_links": _hottest(found.scene.fabric, found.load),
        "step": {
            "ideal_s": found.step.ideal_s,
            "on_this_fabric_s": finite(found.step.step_s),
            "closed_form_s": float(found.evaluation.step.step_time_s),
            "exposed_s": {kind: finite(time) for kind, time in found.step.exposed_s.items()},
        },
    }
    if spread is not None:
        record["seeds"] = _spread(spread)
    if storage:
        record["storage"] = [_storage(entry) for entry in storage]
    return record


def side_by_side_record(found: SideBySide) -> dict[str, Any]:
    """The same for two jobs."""
    return {
        **_scene_record(found.evaluation.plan_label, found.conditions, found.scene),
        "jobs": [[_meeting(entry) for entry in of_job] for of_job in found.meetings],
    }


def congestion_text(
    found: Congestion, spread: Spread | None = None, storage: tuple[StorageTraffic, ...] = ()
) -> str:
    """What a terminal shows."""
    fabric = found.scene.fabric
    lines = [*_head(found.evaluation.plan_label, found.conditions, found.scene), *_pairs(found), ""]
    if not found.collectives:
        lines.append("Nothing of this plan leaves the scale-up domain.")
    else:
        lines.append(
            f"{'one call of all groups at once':52}{'slow-down':>10}{'by formula':>11}"
            f"{'slowest':>9}{'mean':>7}{'time':>12}"
        )
    lines += [_line(entry) for entry in found.collectives]
    lines += ["", *_hot_lines(fabric, found.load)]
    step = found.step
    lines += [
        "",
        f"step if only host ports limit             {step.ideal_s:10.3f} s",
        f"step on this fabric                       {step.step_s:10.3f} s",
        f"step by the closed forms of the step model{found.evaluation.step.step_time_s:10.3f} s",
    ]
    if spread is not None:
        lines += ["", *_spread_lines(spread)]
    for entry in storage:
        lines += ["", *_storage_lines(entry)]
    lines += ["", *_NOTES]
    return "\n".join(lines)


def side_by_side_text(found: SideBySide) -> str:
    """The same for two jobs."""
    lines = _head(found.evaluation.plan_label, found.conditions, found.scene)
    lines.append("two jobs with half the data-parallel ranks each; server after server in turn")
    for number, meetings in enumerate(found.meetings, 1):
        heading = f"job {number}"
        lines += ["", f"{heading:56}{'time':>14}{'slow-down':>11}"]
        lines += _meeting_lines(meetings)
    lines += ["", "- The other job sends all the time; rates are max-min fair over both jobs."]
    return "\n".join(lines)


def _meeting_lines(meetings: tuple[Meeting, ...]) -> list[str]:
    """Each collective alone, then beside those of the other job."""
    lines = []
    for own in dict.fromkeys(entry.own for entry in meetings):
        of_own = [entry for entry in meetings if entry.own == own]
        lines.append(f"{own[:48] + ', alone':56}{_milliseconds(of_own[0].alone_s):>14}")
        lines += [
            f"{'  beside ' + entry.other[:46]:56}{_milliseconds(entry.together_s):>14}"
            f"{_number(entry.slowdown):>11}"
            for entry in of_own
        ]
    return lines


_NOTES = (
    "- slow-down: time over that if only host ports limit; the busiest link sets the pace.",
    "- by formula: of the taper for a packed job on whole pods, or with hashing of balls in bins,",
    "  whichever is more. Another placement is on the built fabric only.",
    "- slowest, mean: max-min fair rate of the flows, of what their host ports allow; a flow waits",
    "  for its slowest queue pair, so that more of them can lower the mean.",
)


def _head(label: str, conditions: Conditions, scene: Scene) -> list[str]:
    fabric = scene.fabric
    pairs = "" if scene.policy != "ecmp" else f" of {scene.queue_pairs} queue pair(s) a flow"
    return [
        label,
        f"{fabric.family}, {fabric.hosts:,} hosts, {fabric.switches:,} switches, "
        f"{fabric.links:,} links",
        f"routing {scene.policy}{pairs}; {conditions.placement} placement",
        f"ranks {conditions.rank_order}; rings by {conditions.sending.order}; "
        f"{'PXN' if conditions.sending.pxn else 'no PXN'}; seed {conditions.seed}",
    ]


def _pairs(found: Congestion) -> list[str]:
    """What two leaves get between them where their wiring allows less than the taper."""
    pairs, share = found.pairs, found.worst_pair_share
    if pairs is None or share is None:
        return []
    return [
        f"some leaves meet over {pairs.worst} of their {pairs.uplinks} uplinks, which "
        f"{pairs.spines} spine(s) do not divide: {share:.1%} of peak between the two"
    ]


def _line(entry: CollectiveCongestion) -> str:
    phase = entry.phase
    name = f"{entry.name} [{entry.shape}]"
    return (
        f"{name[:51]:52}{_number(entry.slowdown):>10}{_number(entry.closed_form):>11}"
        f"{_percent(phase.slowest_share):>9}{_percent(phase.mean_share):>7}"
        f"{_milliseconds(phase.time_s):>12}"
    )


def _hot_lines(fabric: Fabric, load: npt.NDArray[np.float64]) -> list[str]:
    lines = [f"{'links':20}{'count':>8}{'mean load':>11}{'highest':>9}"]
    for name, (count, mean, highest) in _by_kind(fabric, load).items():
        lines.append(
            f"{name.replace('_', '-'):20}{count:>8,}{_percent(mean):>11}{_percent(highest):>9}"
        )
    return lines


def _by_kind(fabric: Fabric, load: npt.NDArray[np.float64]) -> dict[str, tuple[int, float, float]]:
    """Links, mean and highest load of each kind of link."""
    found = {}
    for number, kind in enumerate(fabric.kinds):
        of_kind = load[fabric.kind == number]
        if len(of_kind):
            found[kind.name] = (len(of_kind), float(of_kind.mean()), float(of_kind.max()))
    return found


def _spread_lines(spread: Spread) -> list[str]:
    quantiles = spread.quantiles(spread.slowdown, LEVELS)
    heading = f"slow-down over {len(spread.seeds)} seeds"
    lines = [f"{heading:52}{'10 %':>10}{'median':>11}{'90 %':>9}"]
    for place, name in enumerate(spread.names):
        low, middle, high = (_number(value) for value in quantiles[:, place].tolist())
        lines.append(f"{name[:51]:52}{low:>10}{middle:>11}{high:>9}")
    low, middle, high = spread.quantiles(spread.step_s, LEVELS).tolist()
    lines.append(f"{'step, s':52}{low:>10.3f}{middle:>11.3f}{high:>9.3f}")
    return lines


def _storage_lines(entry: StorageTraffic) -> list[str]:
    size, rate = bytes_to_gigabytes(entry.phase.size), bytes_per_second_to_gbps(entry.bandwidth)
    heading = (
        f"{entry.name}: {size:,.3g} GB in {_milliseconds(entry.phase.time_s)} alone, "
        f"{rate:,.0f} Gb/s in all"
    )
    return [
        heading,
        *(
            f"  {meeting.own[:48]:50}{_number(meeting.slowdown)} times as long beside it"
            for meeting in entry.meetings
        ),
    ]


def _scene_record(label: str, conditions: Conditions, scene: Scene) -> dict[str, Any]:
    return {
        "plan": label,
        "fabric": {
            "family": scene.fabric.family,
            "hosts_count": scene.fabric.hosts,
            "switches_count": scene.fabric.switches,
            "links_count": scene.fabric.links,
        },
        "conditions": {
            "routing": scene.policy,
            "queue_pairs_count": scene.queue_pairs,
            "placement": conditions.placement,
            "algorithm": conditions.sending.algorithm,
            "ring_order": conditions.sending.order,
            "rank_order": conditions.rank_order,
            "pxn": conditions.sending.pxn,
            "seed": conditions.seed,
            "storage_servers_count": conditions.storage_servers,
        },
    }


def _collective(entry: CollectiveCongestion, fabric: Fabric) -> dict[str, Any]:
    phase = entry.phase
    return {
        "name": entry.name,
        "parallelism": entry.collective.parallelism,
        "operation": entry.collective.operation,
        "content": entry.collective.content,
        "shape": entry.shape,
        "flows_count": phase.flows,
        "unreachable_count": phase.unreachable,
        "size_bytes": phase.size,
        "time_s": finite(phase.time_s),
        "host_time_s": phase.host_time_s,
        "slowdown_ratio": finite(entry.slowdown),
        "taper_form_ratio": entry.taper_form,
        "hashed_form_ratio": entry.hashed_form,
        "slowest_share": finite(phase.slowest_share),
        "mean_share": finite(phase.mean_share),
        "load_by_kind": {
            name: {"links_count": count, "mean_share": mean, "highest_share": highest}
            for name, (count, mean, highest) in _by_kind(fabric, phase.load).items()
        },
    }


def _hottest(fabric: Fabric, load: npt.NDArray[np.float64]) -> list[dict[str, Any]]:
    names = device_names(fabric)
    order = np.argsort(-load, kind="stable")[:_HOTTEST]
    return [
        {
            "link": link,
            "kind": fabric.kinds[int(fabric.kind[link])].name,
            "from": names[int(fabric.a[link])],
            "to": names[int(fabric.b[link])],
            "load_share": float(load[link]),
        }
        for link in order.tolist()
    ]


def _spread(spread: Spread) -> dict[str, Any]:
    return {
        "seeds_count": len(spread.seeds),
        "first_seed": int(spread.seeds[0]),
        "collectives": {
            name: {
                "slowdown_ratio": [finite(value) for value in spread.slowdown[:, place].tolist()],
                "slowest_share": [
                    finite(value) for value in spread.slowest_share[:, place].tolist()
                ],
                "mean_share": [finite(value) for value in spread.mean_share[:, place].tolist()],
            }
            for place, name in enumerate(spread.names)
        },
        "step_s": [finite(value) for value in spread.step_s.tolist()],
    }


def _storage(entry: StorageTraffic) -> dict[str, Any]:
    return {
        "name": entry.name,
        "size_bytes": entry.phase.size,
        "time_s": finite(entry.phase.time_s),
        "host_time_s": entry.phase.host_time_s,
        "bandwidth_gbps": bytes_per_second_to_gbps(entry.bandwidth),
        "beside": [_meeting(meeting) for meeting in entry.meetings],
    }


def _meeting(entry: Meeting) -> dict[str, Any]:
    return {
        "own": entry.own,
        "other": entry.other,
        "alone_s": finite(entry.alone_s),
        "together_s": finite(entry.together_s),
        "slowdown_ratio": finite(entry.slowdown),
    }


def _number(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "no way"


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %" if math.isfinite(value) else "-"


def _milliseconds(value: float) -> str:
    return f"{seconds_to_milliseconds(value):,.3f} ms" if math.isfinite(value) else "never"
