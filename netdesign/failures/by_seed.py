"""Congestion over seeds while a part is broken: another hash, another way around it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from netdesign.congestion.report import congestion
from netdesign.congestion.scene import Conditions
from netdesign.congestion.seeds import Spread
from netdesign.evaluate import Evaluation
from netdesign.failures.by_size import phase_while_broken, step_while_broken
from netdesign.failures.outcome import outcome, stage_of
from netdesign.failures.scenario import broken


def spread_while_broken(
    evaluation: Evaluation, conditions: Conditions, word: str, *, seeds: int
) -> Spread:
    """Slow-downs and step times with so many seeds, from that of the conditions upwards.

    Fair rates of single flows are not found: both shares are not a number.

    Parameters
    ----------
    evaluation : Evaluation
    conditions : Conditions
    word : str              what is broken, as ``broken`` reads it
    seeds : int, >= 1

    Raises
    ------
    DesignError             as ``congestion``; when the fabric has no such part
    """
    numbers = np.arange(conditions.seed, conditions.seed + max(seeds, 1), dtype=np.int64)
    names: tuple[str, ...] = ()
    slow, steps = [], []
    for seed in numbers.tolist():
        own = replace(conditions, seed=seed)
        found = congestion(evaluation, own, fair=False)
        stage = stage_of(evaluation, own)
        scenario = broken(stage.fabric, word, nic_ports=stage.nic_ports)
        slowed = {
            pattern: phase_while_broken(stage, scenario, pattern).slowdown
            for pattern in dict.fromkeys(entry.pattern for entry in found.collectives)
        }
        names = tuple(entry.name for entry in found.collectives)
        slow.append([slowed[entry.pattern] for entry in found.collectives])
        steps.append(step_while_broken(found, outcome(stage, scenario)))
    slowdown = np.array(slow, dtype=np.float64).reshape(len(numbers), len(names))
    unknown = np.full_like(slowdown, np.nan)
    return Spread(numbers, names, slowdown, unknown, unknown, np.array(steps, dtype=np.float64))
