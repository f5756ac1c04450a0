"""A link that comes back by itself: does the job wait, or does it stop?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from netdesign.arrays import as_float
from netdesign.catalog.reliability import reliability
from netdesign.evaluate import Evaluation
from netdesign.failures.outcome import stop_cost
from netdesign.performance.goodput import retry_window


@dataclass(frozen=True)
class Flap:
    """A link that is down for a while; SI units."""

    down_s: float
    window_s: float  # until a connection gives up
    stops_job: bool
    least_lost_s: float  # time of the whole job
    most_lost_s: float  # a lost packet waits for the end of its try


def flap(evaluation: Evaluation, down_s: float) -> Flap:
    """What a link that is down for so many seconds costs the job of a design.

    Below the retry window every message waits: at least as long as the link is down, at most
    until the try that fell into the gap ends. Above it connections give up and the job restarts.

    Parameters
    ----------
    evaluation : Evaluation
    down_s : float, s
    """
    exponent, tries = reliability("ib-timeout"), reliability("ib-retries")
    window = as_float(retry_window(exponent, tries))
    one = as_float(retry_window(exponent, 1))
    if down_s >= window:
        cost = stop_cost(evaluation)
        return Flap(down_s, window, True, cost, cost + down_s)
    return Flap(down_s, window, False, down_s, math.ceil(down_s / one) * one)
