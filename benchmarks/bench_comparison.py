"""How long does it take to compare two fabrics, to draw the cross-overs, and to move a slider?

The comparison as the shell makes it, the map of GPU counts and balances from empty caches and with
the evaluations kept, and one change of every control of the page IB or RoCE without a browser.
Target: every slider under 0.1 s. Best of several rounds and the worst, wall time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np

from netdesign.app.ib_or_roce import IbOrRoce
from netdesign.comparison import Pricing, compare_transports, crossover
from netdesign.comparison.crossover import BALANCES, GPU_COUNTS, balance_map
from netdesign.design import default_design

ROUNDS = 9
TARGET_S = 0.1
PAIR = ("infiniband", "roce-hashed")
MOVES: tuple[tuple[str, tuple[Any, Any]], ...] = (
    ("gpus", (2048, 4096)),
    ("balance", (0.8, 0.7)),
    ("queue_pairs", (4, 8)),
    ("mtu", (1024, 2048)),
    ("discount", (10.0, 20.0)),
    ("message", (1.0, 64.0)),
    ("exposed", (5.0, 10.0)),
    ("second", ("roce-adaptive", "roce-hashed")),
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


def compared() -> object:
    return compare_transports(default_design(), PAIR, pricing=Pricing(0.1))


def mapped(fresh: bool) -> object:
    if fresh:
        crossover.forget()
    return balance_map(
        default_design(), PAIR, gpus=GPU_COUNTS, balance=np.array(BALANCES), pricing=Pricing(0.1)
    )


def main() -> None:
    print(f"target: a slider of the page in under {TARGET_S} s")
    rows: list[tuple[str, Callable[[], object]]] = [
        ("one comparison", compared),
        ("map, nothing kept", lambda: mapped(True)),
        ("map, evaluations kept", lambda: mapped(False)),
    ]
    page = IbOrRoce()
    for path, values in MOVES:
        ends = cycle(values)
        rows.append((f"page: {path}", lambda p=path, e=ends: page.change({p: next(e)})))
    print(f"{'':<24}{'best, ms':>10}{'worst, ms':>11}")
    for name, act in rows:
        best, worst = timed(act)
        print(f"{name:<24}{1e3 * best:>10.1f}{1e3 * worst:>11.1f}")


if __name__ == "__main__":
    main()
