"""How long does evaluate(design) take while a slider is dragged? Target: under 5 ms.

Wall time and, beside it, processor time, which other work on the machine does not lengthen.
Every timed design differs from the ones before it, as during a drag, so that no cache answers.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Iterator

from netdesign.design import Design, default_design
from netdesign.evaluate import evaluate

ROUNDS = 200


def drags() -> Iterator[tuple[str, list[Design]]]:
    """Name of a drag and its designs; the first is the state before the drag."""
    best = default_design().with_values({"plan.mode": "best"})
    manual = default_design().with_values({"plan.mode": "manual"})
    steps = range(ROUNDS + 1)
    yield (
        "manual plan, oversubscription",
        [manual.with_values({"network.oversubscription": 1 + i * 0.05}) for i in steps],
    )
    yield (
        "manual plan, electricity price",
        [manual.with_values({"economics.usd_per_kwh": 0.05 + i * 0.001}) for i in steps],
    )
    yield (
        "best plan, oversubscription",
        [best.with_values({"network.oversubscription": 1 + i * 0.05}) for i in steps],
    )
    yield (
        "best plan, GPUs",
        [best.with_values({"cluster.gpus": 256 + 8 * i}) for i in steps],
    )
    yield (
        "best plan, model size",
        [
            best.with_values({"model.preset": "by-size", "model.parameters_billion": 7.0 + 0.7 * i})
            for i in steps
        ],
    )


def main() -> None:
    print(f"{'target: under 5 ms':34}{'wall':>11}{'p95':>11}{'processor':>11}{'p95':>11}")
    for name, designs in drags():
        evaluate(designs[0])
        gc.collect()
        walls, cores = [], []
        for design in designs[1:]:
            wall, core = time.perf_counter(), time.process_time()
            evaluate(design)
            walls.append((time.perf_counter() - wall) * 1e3)
            cores.append((time.process_time() - core) * 1e3)
        figures = (*_middle_and_late(walls), *_middle_and_late(cores))
        print(f"{name:34}" + "".join(f"{figure:8.2f} ms" for figure in figures))


def _middle_and_late(times: list[float]) -> tuple[float, float]:
    return statistics.median(times), statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    main()
