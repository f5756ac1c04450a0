"""How long does the traffic of a plan over its built fabric take, at slider speed and larger?

A full report (every collective routed, loads, fair rates, closed forms, step) after each kind of
change; the evaluation of the design, which a slider pays anyhow, stands beside it. Target: under
100 ms at 1,024 GPUs with the fabric built. Beside it the agreement with the closed forms: Meta's
1:7, a 4:1 taper packed and scattered. Best of several rounds and the worst, wall time.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import count

import numpy as np

from netdesign.congestion import Conditions, congestion, side_by_side, spread
from netdesign.congestion.scene import fabric_of, scene_of
from netdesign.design import default_design, read_design
from netdesign.evaluate import evaluate
from netdesign.topology.routing import Lost
from netdesign.workload.patterns import Sending

ROUNDS = 7
TARGET_S = 0.1
SHIPPED = ("llama-3-70b-1024-h100", "deepseek-v3-2048-h100", "llama-3.1-405b-16384-h100")


def timed(act: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """Seconds of the fastest and of the slowest round."""
    seconds = []
    for _ in range(rounds):
        gc.collect()
        start = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - start)
    return min(seconds), max(seconds)


def show(name: str, act: Callable[[], object], rounds: int = ROUNDS) -> None:
    best, worst = timed(act, rounds)
    print(f"    {name:44}{best * 1e3:9.1f} ms, slowest {worst * 1e3:9.1f} ms")


def speeds(name: str) -> None:
    own = evaluate(read_design(name))
    fabric = scene_of(own).fabric
    numbers = count()

    def built() -> None:
        fabric_of.cache_clear()
        scene_of(own)

    def hashed(pairs: int) -> None:
        seed = next(numbers)
        congestion(own, Conditions(routing="ecmp", queue_pairs=pairs, seed=seed))

    def scattered() -> None:
        congestion(own, Conditions(placement="random", seed=next(numbers)))

    def failed() -> None:
        congestion(own, lost=Lost.of(fabric, links=[fabric.links - 1 - next(numbers) % 64]))

    print(f"{name}: {fabric.links:,} links")
    show("evaluate, for comparison", lambda: evaluate(own.design))
    show("build the fabric", built)
    show("adaptive", lambda: congestion(own))
    show("hashed, 1 queue pair, new seed", lambda: hashed(1))
    show("hashed, 4 queue pairs, new seed", lambda: hashed(4))
    show("random placement, new seed", scattered)
    show("a new failed link", failed)


def sliders(name: str) -> None:
    own = evaluate(read_design(name))
    tapers = iter(np.arange(1.0, 4.0, 0.01))

    def new_taper() -> None:
        changed = own.design.with_values({"network.oversubscription": float(next(tapers))})
        congestion(evaluate(changed))

    print(f"{name}, what a slider pays")
    show("a new taper: evaluate, build, report", new_taper)
    show("two jobs side by side", lambda: side_by_side(own))
    show("32 seeds, hashed", lambda: spread(own, Conditions(routing="ecmp"), seeds=32), 3)


def agreement() -> None:
    meta = read_design(SHIPPED[2]).with_values(
        {
            "network.family": "fat-tree-3",
            "network.core_oversubscription": 7,
            "cluster.gpus": 14_336,  # eight whole pods
        }
    )
    own = evaluate(meta)
    for order in ("tp-cp-ep-pp-dp", "tp-cp-ep-dp-pp"):
        found = congestion(own, Conditions(rank_order=order))
        shown = ", ".join(
            f"{entry.collective.parallelism} {entry.slowdown:.2f} ({entry.taper_form:.2f})"
            for entry in found.collectives
        )
        print(f"1:7 above pods of {int(own.machine.pod_gpus):,} GPUs, ranks {order}: {shown}")
    tapered = evaluate(
        default_design().with_values(
            {
                "network.oversubscription": 4,
                "network.family": "rail-optimised",
                "plan.mode": "manual",
                "plan.tensor": 8,
                "plan.pipeline": 1,
                "plan.sharding": "fsdp",
            }
        )
    )
    for placement in ("packed", "fragmented", "random"):
        for order in ("rank", "pod"):
            conditions = Conditions(placement=placement, sending=Sending(order=order))
            shares = 1 / spread(tapered, conditions, seeds=8).slowdown[:, 0]
            print(
                f"4:1 taper, FSDP rings by {order}, {placement}: "
                f"{shares.min():.0%} to {shares.max():.0%} of peak over 8 seeds"
            )


def main() -> None:
    print(f"target: a full report at 1,024 GPUs in under {TARGET_S * 1e3:.0f} ms")
    for name in SHIPPED:
        speeds(name)
    sliders(SHIPPED[0])
    agreement()


if __name__ == "__main__":
    main()
