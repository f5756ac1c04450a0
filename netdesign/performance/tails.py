"""How late is the last of many, and what does a step lose to it?

A collective ends when its slowest member does. A step that waits for K such barriers pays the
latest of all members K times; a latency alone, without the number of barriers, says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Numeric, as_float
from netdesign.formulas import formula
from netdesign.performance.step import CommunicationTime
from netdesign.workload.traffic import Collective

_EULER = 0.5772156649015329  # Euler-Mascheroni


@formula(latex=r"p = 2^{-1/N} \approx 1 - \frac{\ln 2}{N}", source="david-2003")
def tail_percentile(participants: Numeric) -> Numeric:
    """The percentile of one participant's delay at which the median of the latest of N sits.

    Exact for independent delays of any distribution; 1 - 0.693 / N is its first term.

    Parameters
    ----------
    participants : int or array, >= 1

    Returns
    -------
    float or array, 0 to 1          0.5 for one
    """
    return np.exp2(-1.0 / participants)


@formula(latex=r"N = \frac{\ln 2}{-\ln p}", source="david-2003")
def participants_of_percentile(percentile: Numeric) -> Numeric:
    """For how many participants is this percentile the median of the latest?

    Parameters
    ----------
    percentile : float or array, 0 to 1, exclusive

    Returns
    -------
    float or array                  69 for p99
    """
    return math.log(2.0) / -np.log(percentile)


@formula(
    latex=r"H_N = \sum_{i=1}^{N} \frac1i \approx \ln N + \gamma + \frac{1}{2N} - \frac{1}{12N^2}",
    source="david-2003",
)
def harmonic_number(count: Numeric) -> Numeric:
    """Sum of 1 / i up to N: how many means late the latest of N exponential delays is.

    Parameters
    ----------
    count : int or array, >= 1

    Returns
    -------
    float or array                  within 1e-4 of the sum from N = 3 on, 0.006 below it at 1
    """
    squared = np.multiply(count, count)
    return np.log(count) + _EULER + 0.5 / count - 1.0 / (12.0 * squared)


@formula(latex=r"E[\max_N] = m\,H_N", source="david-2003")
def latest_exponential(mean: Numeric, participants: Numeric) -> Numeric:
    """Expected delay of the latest of N whose delays are exponential.

    Parameters
    ----------
    mean : float or array, s            of one participant
    participants : int or array, >= 1

    Returns
    -------
    float or array, s
    """
    return mean * harmonic_number(participants)


@formula(latex=r"E[\max_N] \approx \mu + \sigma\sqrt{2 \ln N}", source="david-2003")
def latest_normal(mean: Numeric, deviation: Numeric, participants: Numeric) -> Numeric:
    """Expected delay of the latest of N whose delays are normal; an upper bound.

    Parameters
    ----------
    mean : float or array, s
    deviation : float or array, s       standard deviation
    participants : int or array, >= 1

    Returns
    -------
    float or array, s
    """
    return mean + deviation * np.sqrt(2.0 * np.log(participants))


@formula(
    latex=r"E[\max_N] \approx x_m\,\Gamma\!\left(1-\tfrac1a\right) N^{1/a}", source="david-2003"
)
def latest_pareto(least: Numeric, index: float, participants: Numeric) -> Numeric:
    """Expected delay of the latest of N whose delays have a Pareto tail: it grows as N^(1/a).

    Parameters
    ----------
    least : float or array, s           the smallest delay
    index : float, > 1                  a; at 1 and below the mean does not exist
    participants : int or array, >= 1   large

    Returns
    -------
    float or array, s
    """
    return least * math.gamma(1.0 - 1.0 / index) * np.power(participants, 1.0 / index)


@formula(latex=r"o = \frac{K\,t_\mathrm{late}}{T}", source="fabric-economics")
def barrier_overhead(barriers: Numeric, late: Numeric, step: Numeric) -> Numeric:
    """Share of a step that is lost to the latest member of its exposed barriers.

    Parameters
    ----------
    barriers : float or array           barriers of a step that nothing hides
    late : float or array, s            how late the last member is at each
    step : float or array, s            the step without it

    Returns
    -------
    float or array, 1
    """
    return barriers * late / step


@dataclass(frozen=True)
class Barriers:
    """Barriers of one kind of communication in a step."""

    parallelism: str
    calls: float  # of the step, on one GPU
    exposed: float  # of these, what nothing hides
    participants: int  # that each waits for

    @property
    def percentile(self) -> float:
        """The percentile of one participant that such a barrier feels."""
        return as_float(tail_percentile(self.participants))


@dataclass(frozen=True)
class Tail:
    """What a step loses to jitter on the network; SI units, scalars."""

    participants: int  # GPUs of the job: at the end of a step each has waited for all
    percentile: float  # of one GPU's delay that the step feels
    kinds: tuple[Barriers, ...]  # that leave the scale-up domain
    jitter_s: float  # mean delay of one participant at a barrier, exponential
    lateness_s: float  # of all exposed barriers of a step together
    overhead_share: float  # of the step
    tolerated_jitter_s: float | None  # mean jitter that costs a hundredth; None: nothing waits

    @property
    def barriers(self) -> float:
        """Exposed barriers of a step."""
        return sum(kind.exposed for kind in self.kinds)


def tail_of(
    collectives: Sequence[Collective],
    communication: Sequence[CommunicationTime],
    *,
    gpus: int,
    jitter_s: float,
    step_time_s: float,
) -> Tail:
    """Barriers of a step that leave the scale-up domain, and what jitter costs at them.

    A kind of communication is exposed in the share of its calls in which its time is. A message
    to a neighbour waits for two, a collective for its group.

    Parameters
    ----------
    collectives : sequence of Collective        of scalars
    communication : sequence of CommunicationTime
    gpus : int
    jitter_s : float, s                         mean delay of one participant
    step_time_s : float, s
    """
    shares = {
        part.parallelism: as_float(part.exposed_s) / as_float(part.total_s)
        for part in communication
        if as_float(part.total_s) > 0
    }
    kinds = _kinds(collectives, shares)
    per_jitter = sum(kind.exposed * as_float(harmonic_number(kind.participants)) for kind in kinds)
    return Tail(
        participants=gpus,
        percentile=as_float(tail_percentile(gpus)),
        kinds=kinds,
        jitter_s=jitter_s,
        lateness_s=per_jitter * jitter_s,
        overhead_share=as_float(barrier_overhead(per_jitter, jitter_s, step_time_s)),
        tolerated_jitter_s=0.01 * step_time_s / per_jitter if per_jitter else None,
    )


def _kinds(collectives: Sequence[Collective], shares: dict[str, float]) -> tuple[Barriers, ...]:
    calls: dict[str, float] = {}
    members: dict[str, int] = {}
    for entry in collectives:
        if not entry.calls or not entry.network_bytes_per_gpu:
            continue
        kind = entry.parallelism
        calls[kind] = calls.get(kind, 0.0) + as_float(entry.calls)
        group = 2 if entry.operation == "send" else int(entry.span.ranks)
        members[kind] = max(members.get(kind, 1), group)
    return tuple(
        Barriers(kind, count, count * min(1.0, shares.get(kind, 0.0)), members[kind])
        for kind, count in calls.items()
    )
