"""How long does it take to predict every published training run?

python benchmarks/bench_predict.py
"""

from __future__ import annotations

import time

from netdesign.performance.measurements import measured_runs
from netdesign.validation.rows import Candidate
from netdesign.validation.scores import CUTS, group_errors, score

REPEATS = 5
LIMIT_S = 1.0


def main() -> None:
    candidates = [Candidate(run, run.step_time_s) for run in measured_runs().values()]
    best = min(_once(candidates) for _ in range(REPEATS))
    print(f"{len(candidates)} runs predicted and scored in {best:.3f} s (limit {LIMIT_S:g} s)")
    if best > LIMIT_S:
        raise SystemExit(1)


def _once(candidates: list[Candidate]) -> float:
    started = time.perf_counter()
    scores = score(candidates)
    for cut in CUTS:
        group_errors(scores, cut)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
