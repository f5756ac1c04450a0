"""What explains the errors of the shipped constants: every run, with the parts of its step.

    python benchmarks/residuals.py            the runs that are off by 10 % and more, worst first
    python benchmarks/residuals.py --least 0  all of them

Prints for each run the error, the shares of the predicted step that each part takes, the memory
that it needs over what the card has, and then the median error, with its sign, of every kind of
run: a lean of one kind points at the part that it has more of than the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from netdesign.performance.calibration import calibration_for
from netdesign.performance.compute import EIGHT_BIT
from netdesign.performance.measurements import (
    MeasuredRun,
    RunBatch,
    generation_of,
    measured_runs,
    run_batches,
    scope_of,
)
from netdesign.validation.scores import parallel_style

CUTS: dict[str, Callable[[MeasuredRun], str]] = {
    "source": lambda run: run.source,
    "software": lambda run: f"{generation_of(run)}/{run.software}",
    "accelerator": lambda run: run.accelerator,
    "style": parallel_style,
    "precision": lambda run: "8-bit" if run.precision in EIGHT_BIT else "16-bit",
    "GPUs": lambda run: f"{4 ** int(np.log(run.gpus) / np.log(4)):5}",
    "sequence": lambda run: f"{run.sequence_length:6}",
    "recompute": lambda run: run.recompute or "unsaid",
}


class Scored(NamedTuple):
    run: MeasuredRun
    ratio: float  # predicted over measured


class Residual(NamedTuple):
    """A run, its error, and the shares of its predicted step by part."""

    run: MeasuredRun
    ratio: float
    shares: dict[str, float]
    memory: float  # needed over the card's


def rank_agreement(scores: list[Scored], least: float = 1.05) -> tuple[int, float]:
    """Pairs of runs that differ in plan only, by 5 % or more, and how many are told apart."""
    groups: dict[tuple[object, ...], list[Scored]] = {}
    for score in scores:
        run = score.run
        key = (
            run.source, run.software, run.accelerator, run.layers, run.hidden, run.heads, run.gpus,
            run.global_batch, run.sequence_length, run.precision,
        )  # fmt: skip
        groups.setdefault(key, []).append(score)
    right = []
    for one, other in (pair for group in groups.values() for pair in combinations(group, 2)):
        measured = one.run.step_time_s / other.run.step_time_s
        predicted = measured * one.ratio / other.ratio
        if abs(np.log(measured)) > np.log(least) and abs(predicted - 1) > 1e-9:
            right.append((measured > 1) == (predicted > 1))
    return len(right), float(np.mean(right))


def residuals(runs: list[MeasuredRun]) -> list[Residual]:
    """Errors of the shipped constants."""
    by_scope: dict[str, list[MeasuredRun]] = {}
    for run in runs:
        by_scope.setdefault(scope_of(run), []).append(run)
    found: list[Residual] = []
    for scope, group in by_scope.items():
        for batch in run_batches(group, calibration_for(scope)):
            found += _of_batch(batch, scope)
    return found


def _of_batch(batch: RunBatch, scope: str) -> list[Residual]:
    calibration = calibration_for(scope)
    step = batch.step(calibration)
    parts = {
        "compute": step.compute_s,
        "bubble": step.bubble_s,
        "optimizer": step.optimizer_s,
        "overhead": step.overhead_s,
        **{part.parallelism: part.exposed_s for part in step.communication},
    }
    shape = batch.measured.shape
    shares = {name: np.broadcast_to(part / step.step_time_s, shape) for name, part in parts.items()}
    memory = np.broadcast_to(batch.memory_bytes(calibration) / batch.machine.memory_bytes, shape)
    ratios = step.step_time_s / batch.measured
    return [
        Residual(
            run,
            float(ratios[place]),
            {name: float(share[place]) for name, share in shares.items()},
            float(memory[place]),
        )
        for place, run in enumerate(batch.runs)
    ]


def _line(one: Residual) -> str:
    run = one.run
    plan = (
        f"TP{run.tensor} PP{run.pipeline} CP{run.context} EP{run.expert} DP{run.data}"
        f" v{run.virtual_stages or 1} mb{run.micro_batch}"
    )
    shares = " ".join(f"{name} {share:.0%}" for name, share in one.shares.items() if share > 0.01)
    return (
        f"{one.ratio - 1:+7.1%} {run.id:10} {run.accelerator:13} {run.software:20}"
        f" {run.model[:24]:24} {run.precision:5} {run.gpus:5} GPUs  {plan:34}"
        f" memory {one.memory:4.0%}  {shares}"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--least", type=float, default=0.1, help="least error shown, 0 to 1")
    options = arguments.parse_args()
    found = residuals([run for run in measured_runs().values() if not run.left_out])
    for one in sorted(found, key=lambda one: -abs(np.log(one.ratio))):
        if abs(one.ratio - 1) >= options.least:
            print(_line(one))
    print(f"\n{'':44} {'runs':>5} {'median error':>13} {'of its size':>12}")
    for title, cut in CUTS.items():
        groups: dict[str, list[float]] = {}
        for one in found:
            groups.setdefault(cut(one.run), []).append(one.ratio - 1)
        for name, errors in sorted(groups.items()):
            sizes = np.abs(errors)
            print(f"{title:11} {name:32} {len(errors):5} {np.median(errors):+13.1%}"
                  f" {np.median(sizes):12.1%}")  # fmt: skip
    pairs, right = rank_agreement([Scored(one.run, one.ratio) for one in found])
    print(f"\nfaster of two plans told in {right:.1%} of {pairs} pairs")
    beyond = sum(one.memory > 1 for one in found)
    print(f"{beyond} of {len(found)} runs need more memory than their card has")


if __name__ == "__main__":
    main()
