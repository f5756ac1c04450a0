"""How far may the real number lie from the predicted one? The band of everything a step time moves.

The calibration says between which factors on a predicted step time 80 % of the published runs that
the fit had not seen were measured. What falls as the step grows (rates, utilisation) has the band
turned round, what grows with it (days, money) keeps it. The time spent waiting for the network is
another matter: no published run tells which part of its step the prediction missed. Its band is
wide on purpose: what the wait would be if the network alone were to blame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from netdesign.arrays import Numeric, as_float

if TYPE_CHECKING:
    from netdesign.economics.cost import Cost
    from netdesign.evaluate import Evaluation
    from netdesign.performance.step import StepTime

SHARE = 0.8  # of the unseen runs lie inside, of dense models and of experts by themselves
MEANING = "80 % of unseen published runs fell inside"


@dataclass(frozen=True)
class Band:
    """A predicted number and the two between which the measured one is to be expected."""

    value: float
    low: float
    high: float

    @property
    def below(self) -> float:
        """How far the lower end lies below the prediction, as a share of it."""
        return 1 - self.low / self.value if self.value else 0.0

    @property
    def above(self) -> float:
        """How far the upper end lies above the prediction, as a share of it."""
        return self.high / self.value - 1 if self.value else 0.0

    @property
    def overrun(self) -> float:
        """The upper end less the prediction, in the unit of both."""
        return self.high - self.value

    def holds(self, value: float) -> bool:
        """Whether a number lies inside."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Bands:
    """Bands of the numbers of an Evaluation that follow from its step time; SI units, dollars."""

    step_time_s: Band
    mfu: Band
    tokens_per_s: Band
    tokens_per_s_per_gpu: Band
    training_days: Band
    training_gpu_hours: Band
    training_usd: Band
    usd_per_step: Band
    usd_per_million_tokens: Band
    network_wait_usd_per_day: Band  # if the network alone were to blame for the difference


def bands(evaluation: Evaluation) -> Bands:
    """The bands of an Evaluation.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    Bands       a number that is not known stays one that is not known
    """
    return bands_of(evaluation.step, evaluation.cost)


def bands_of(step: StepTime, cost: Cost) -> Bands:
    """The bands of a step of scalars and of what is paid for it."""
    time = Band(
        as_float(step.step_time_s), as_float(step.step_time_low_s), as_float(step.step_time_high_s)
    )
    return Bands(
        step_time_s=time,
        mfu=with_speed(step.mfu, time),
        tokens_per_s=with_speed(step.tokens_per_s, time),
        tokens_per_s_per_gpu=with_speed(step.tokens_per_s_per_gpu, time),
        training_days=with_time(cost.training_days, time),
        training_gpu_hours=with_time(cost.training_gpu_hours, time),
        training_usd=with_time(cost.training_usd, time),
        usd_per_step=with_time(cost.usd_per_step, time),
        usd_per_million_tokens=with_time(cost.usd_per_million_tokens, time),
        network_wait_usd_per_day=_of_the_wait(cost.network_wait_usd_per_day, step, time),
    )


def with_time(value: Numeric, time: Band) -> Band:
    """The band of what is proportional to the step time."""
    number = as_float(value)
    return Band(number, number * time.low / time.value, number * time.high / time.value)


def with_speed(value: Numeric, time: Band) -> Band:
    """The band of what is inversely proportional to the step time."""
    number = as_float(value)
    return Band(number, number * time.value / time.high, number * time.value / time.low)


def told_apart(first: Band, second: Band) -> bool:
    """Whether two predictions differ by more than they may be wrong: neither holds the other."""
    return not (first.holds(second.value) and second.holds(first.value))


def _of_the_wait(usd_per_day: Numeric, step: StepTime, time: Band) -> Band:
    """The wait per day if the network alone made the step as short, or as long, as its band."""
    number = as_float(usd_per_day)
    waited = as_float(step.network_exposed_s)
    if not waited:
        return Band(number, number, number)
    usd_per_share = number * time.value / waited
    shortest = max(0.0, waited - (time.value - time.low)) / time.low
    longest = (waited + time.high - time.value) / time.high
    return Band(number, usd_per_share * shortest, usd_per_share * longest)
