"""Why is one plan behind another? What it loses and what it wins back, in seconds and in words."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from netdesign.ranking.ranked import Ranking, Standing

WORTH_SAYING = 0.1  # of the difference: smaller parts of it are left out of a sentence
_LOST = MappingProxyType(
    {
        "compute": "slower kernels",
        "recompute": "recomputation",
        "bubble": "pipeline bubble",
        "tensor": "exposed tensor-parallel communication",
        "context": "exposed context-parallel communication",
        "expert": "exposed expert all-to-all",
        "pipeline": "exposed pipeline messages",
        "data": "exposed gradient reduction",
        "sharding": "exposed weight gathering",
        "optimizer": "optimizer",
        "overhead": "overhead",
    }
)
_WON = MappingProxyType({**_LOST, "compute": "faster kernels"})


class Difference(NamedTuple):
    """One part of the step of a plan against that of another; positive is lost."""

    part: str
    seconds: float


def differences(plan: Standing, reference: Standing) -> tuple[Difference, ...]:
    """What a plan loses against another, largest first, and then what it wins; sums to the whole.

    Returns
    -------
    tuple of Difference, s
    """
    found = [
        Difference(part, plan.parts.get(part, 0.0) - reference.parts.get(part, 0.0))
        for part in dict.fromkeys((*plan.parts, *reference.parts))
    ]
    return tuple(sorted((one for one in found if one.seconds), key=lambda one: -one.seconds))


def loses_on(plan: Standing, reference: Standing) -> str:
    """The part that costs a plan most against another: a key of ``parts``; empty if none does."""
    found = differences(plan, reference)
    return found[0].part if found and found[0].seconds > 0 else ""


def reason(plan: Standing, reference: Standing) -> str:
    """How much slower or faster a plan is than another, and what that comes from; no full stop."""
    behind = plan.step_time_s - reference.step_time_s
    share = behind / reference.step_time_s
    parts = differences(plan, reference)
    threshold = WORTH_SAYING * max(abs(behind), max((abs(p.seconds) for p in parts), default=0.0))
    lost = [p for p in parts if p.seconds > 0 and p.seconds >= threshold]
    won = [p for p in parts[::-1] if p.seconds < 0 and -p.seconds >= threshold]
    if abs(share) < 5e-4:
        sentence = "as fast"
    else:
        sentence = f"{_percent(abs(share))} {'slower' if behind > 0 else 'faster'}"
    loses = "loses " + ", ".join(f"{_time(p.seconds)} to {_LOST[p.part]}" for p in lost)
    wins = "wins " + ", ".join(f"{_time(-p.seconds)} on {_WON[p.part]}" for p in won)
    said = [loses] if lost else []
    said += [wins] if won else []
    if behind < 0:
        said.reverse()
    return f"{sentence}: {', but '.join(said)}" if said else sentence


def verdict(ranking: Ranking) -> tuple[str, ...]:
    """Why the design has the plan it has: its place, the runner-up, and what memory forbids."""
    own, unfitting = ranking.own, ranking.unfitting
    gb = ranking.job.memory_limit / 1e9
    if not ranking.fitting:
        sentence = f"None of {_tried(ranking)} fits in the {gb:.0f} GB that a job can use of a GPU"
        if unfitting is None:
            return (f"{sentence}.",)
        needs = f"{unfitting.memory_bytes / 1e9:.0f} GB"
        return (f"{sentence}; the one that needs least, {unfitting.label}, needs {needs}.",)
    sentences = [_place(ranking)]
    rival = ranking.runner_up()
    if rival is not None:
        title = "The runner-up" if own.rank == 1 else "The fastest that cuts the job otherwise"
        sentences.append(f"{title}, {rival.label}, is {reason(rival, own)}.")
    if unfitting is not None:
        faster = 1 - unfitting.step_time_s / float(ranking.step_time_s[0])
        sentences.append(
            f"What memory costs: {unfitting.label} would be {_percent(faster)} faster than the "
            f"first and needs {unfitting.memory_bytes / 1e9:.0f} GB where {gb:.0f} GB can be used."
        )
    return tuple(sentences)


def _place(ranking: Ranking) -> str:
    own, first = ranking.own, ranking.standings(1)[0]
    among = f"of {ranking.fitting:,} plans that fit, out of {_tried(ranking)}"
    if own.rank == 0:
        return f"Your plan does not fit in memory; the fastest {among} is {first.label}."
    if own.rank == 1:
        return f"Your plan is the fastest {among}."
    behind = own.step_time_s / first.step_time_s - 1
    place = f"Your plan is number {own.rank:,} {among}, {_percent(behind)} behind the first"
    if own.roomy and not first.roomy:
        free = f"{100 * (1 - ranking.job.comfortable_share):.0f}\u00a0%"
        return f"{place}, which would leave less than {free} of the memory free."
    return f"{place}: it {_loses(reason(own, first))}."


def _tried(ranking: Ranking) -> str:
    """How many plans were tried, and how many there are."""
    if ranking.tried == ranking.valid:
        return f"{ranking.valid:,} valid plans"
    return f"{ranking.tried:,} tried plans ({ranking.valid:,} are valid)"


def _loses(sentence: str) -> str:
    """The part of a reason that follows its percentage."""
    return sentence.partition(": ")[2] or "is as fast"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"


def _time(seconds: float) -> str:
    """Three digits in s, or in ms below 0.1 s."""
    return f"{seconds:.3g} s" if seconds >= 0.1 else f"{seconds * 1e3:.3g} ms"
