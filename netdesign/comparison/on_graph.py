"""How long is the step where the traffic of each side runs over the fabric that is built?"""

from __future__ import annotations

from netdesign.comparison.sides import Side
from netdesign.congestion import Conditions, congestion
from netdesign.errors import DesignError


def built_step_s(side: Side) -> float | None:
    """Step time of a side with the collisions and tapers of its built fabric, one seed, s.

    The busiest link sets the pace of every collective, so with hashed paths this is an upper bound
    beside the measured balance of whole collectives that the comparison rests on. None where the
    fabric cannot be built.
    """
    pairs = side.figures.queue_pairs
    conditions = Conditions(queue_pairs=pairs) if pairs > 1 else Conditions()
    try:
        return congestion(side.evaluation, conditions, fair=False).step.step_s
    except DesignError:
        return None
