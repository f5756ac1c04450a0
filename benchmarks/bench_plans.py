"""How long does it take to rank every valid parallel plan, and to move every input?

The enumeration, memory and step time of all plans, from empty caches, as arrays; beside it what the
Studio tries while a slider is dragged, and the tornado. Target: all valid plans of a 405B model on
16,384 GPUs in under 0.3 s. Best of several rounds and the worst, wall time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from netdesign.app.panels.plans import MOST
from netdesign.design import Design, default_design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.ranking import rank_plans, valid_plans
from netdesign.sensitivity import sensitivity

ROUNDS = 9
TARGET_S = 0.3
JOBS = (
    ("llama-3.1-405b", "dgx-h100", 16_384),
    ("llama-3-70b", "dgx-h100", 1_024),
    ("deepseek-v3", "dgx-h100", 2_048),
)


def design(model: str, server: str, gpus: int) -> Design:
    return default_design().with_values(
        {"model.preset": model, "cluster.server": server, "cluster.gpus": gpus}
    )


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the fastest and of the slowest round."""
    seconds = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - start)
    return min(seconds), max(seconds)


def ranked(evaluation: Evaluation, most: int | None) -> None:
    valid_plans.cache_clear()
    rank_plans(evaluation, most=most).standings(8)


def main() -> None:
    print(f"target: every valid plan of 405B on 16,384 GPUs ranked in under {TARGET_S} s")
    for model, server, gpus in JOBS:
        evaluation = evaluate(design(model, server, gpus))
        ranking = rank_plans(evaluation)
        counts = f"{ranking.valid:,} valid, {ranking.fitting:,} fit"
        print(f"{model} on {gpus:,} GPUs: {counts}")
        for name, act in (
            ("every valid plan", lambda e=evaluation: ranked(e, None)),
            (f"at most about {MOST:,}", lambda e=evaluation: ranked(e, MOST)),
            ("sensitivity", lambda e=evaluation: sensitivity(e)),
        ):
            best, worst = timed(act)
            print(f"    {name:24}{best * 1e3:8.1f} ms, slowest of {ROUNDS} {worst * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
