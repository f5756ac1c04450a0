"""How long does it take to break a fabric, to weigh a second way, and to plan the tests?

Beside it what failures, checkpoints and tails add to one evaluation: the target is under 0.3 ms.
Best of several rounds and the worst, wall time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from netdesign.design import read_design
from netdesign.evaluate import evaluate
from netdesign.failures import broken, outcome, redundancy, stage_of, usual
from netdesign.failures.preflight import preflight
from netdesign.reliability import goodput_for, tail_for

ROUNDS = 5
TARGET_S = 3e-4
ADDED = "added to an evaluation"
CALLS = 200  # of what is too short to be timed once
DESIGNS = ("llama-3-8b-64-h100", "llama-3-70b-1024-h100", "llama-3.1-405b-16384-h100")


def timed(act: Callable[[], object], calls: int = 1) -> tuple[float, float]:
    """Seconds of the fastest and of the slowest round."""
    seconds = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.perf_counter()
        for _ in range(calls):
            act()
        seconds.append((time.perf_counter() - start) / calls)
    return min(seconds), max(seconds)


def rows(name: str) -> list[tuple[str, Callable[[], object], int]]:
    """What is timed for a design, and how often it is called in a round."""
    evaluation = evaluate(read_design(name))
    design, stage = evaluation.design, stage_of(evaluation)
    print(f"{name}: {stage.fabric.links:,} links")

    def added() -> None:
        goodput_for(design, evaluation.parameters, evaluation.step, evaluation.cost)
        tail_for(design, evaluation.traffic, evaluation.step)

    def each_part() -> None:
        fresh = stage_of(evaluation)
        for word in usual(fresh.fabric):
            outcome(fresh, broken(fresh.fabric, word, nic_ports=fresh.nic_ports))

    return [
        (ADDED, added, CALLS),
        ("one leaf", lambda: outcome(stage, broken(stage.fabric, "leaf")), 1),
        ("one of each part", each_part, 1),
        ("dual ToR and two planes", lambda: redundancy(evaluation), 1),
        ("plan of the tests", lambda: preflight(stage_of(evaluation)), 1),
    ]


def main() -> None:
    for name in DESIGNS:
        for label, act, calls in rows(name):
            best, worst = timed(act, calls)
            over = "  over the target" if label == ADDED and best > TARGET_S else ""
            print(f"  {label:<26}{1e3 * best:>10.3f} ms  (slowest {1e3 * worst:,.3f}){over}")


if __name__ == "__main__":
    main()
