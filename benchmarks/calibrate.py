"""Fit the constants of the step-time model on published runs and write data/calibration.csv.

    python benchmarks/calibrate.py            fit, print the errors, write the file
    python benchmarks/calibrate.py --dry-run  fit and print only

Needs SciPy (``pip install scipy``), which nothing else in netdesign does.

What may be fitted, from which prior and how far, is ``data/measurements/priors.csv``: a row with a
spread is fitted, one without is taken as it stands. Hardware constants have a scope of one
accelerator generation, or of one era of software on it; the others are shared by all. No constant
belongs to a run, a model or a source. Runs of one source, model, card and precision are alike:
together they count as the cube root of their number. The errors on unseen runs come from leaving
out whole sources.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import datetime
import sys
from collections.abc import Callable, Iterable

import numpy as np
from error_bands import (
    FIT_SOURCE,
    band_line,
    bands,
    coverage,
    show,
    show_bands,
    styles_measured,
)
from residuals import Scored, rank_agreement
from scipy.optimize import least_squares

from netdesign.arrays import Array
from netdesign.catalog import CalibrationRow, data_directory
from netdesign.catalog.tables import Finite, Positive, read_rows
from netdesign.performance.calibration import (
    BAND_NAMES,
    Calibration,
    calibration_from_rows,
)
from netdesign.performance.compute import EIGHT_BIT
from netdesign.performance.measurements import (
    MeasuredRun,
    RunBatch,
    generation_of,
    measured_runs,
    run_batches,
)
from netdesign.validation.scores import best_mfu, parallel_style

ALL = "all"
NOISE = 0.07  # a run of one stack differs from the same run of another by about this much
ALIKE = 1 / 3  # exponent of a weight: n runs of one kind weigh as the cube root of n together


class Prior(CalibrationRow):
    """A constant before the fit: its value, and how far the fit may take it."""

    spread: Positive | None = None
    low: Finite | None = None
    high: Finite | None = None

    @property
    def logarithmic(self) -> bool:
        """Whether the spread is relative; that of a share is absolute."""
        return self.unit != "share"

    def encoded(self, value: float | None) -> float:
        return np.log(value) if self.logarithmic else value

    def decoded(self, value: float) -> float:
        return float(np.exp(value)) if self.logarithmic else float(value)


def scope_of(run: MeasuredRun, scopes: Iterable[str]) -> str:
    era = f"{generation_of(run)}/{run.software}"
    return era if era in scopes else generation_of(run)


class Fit:
    """Constants fitted on some runs."""

    def __init__(self, priors: tuple[Prior, ...], runs: Iterable[MeasuredRun]) -> None:
        self.fixed = [prior for prior in priors if prior.spread is None]
        self.free = [prior for prior in priors if prior.spread is not None]
        self.scopes = {prior.scope for prior in priors} - {ALL}
        self.values = np.array([prior.encoded(prior.value) for prior in self.free])
        by_scope: dict[str, list[MeasuredRun]] = {}
        for run in runs:
            by_scope.setdefault(scope_of(run, self.scopes), []).append(run)
        self.batches = {
            scope: run_batches(group, self.calibration(scope)) for scope, group in by_scope.items()
        }
        self.weights = _weights(self.batches)

    def calibration(self, scope: str, values: Array | None = None) -> Calibration:
        rows = {(row.name, row.scope): row.value for row in self.fixed}
        chosen = self.values if values is None else values
        for prior, value in zip(self.free, chosen, strict=True):
            rows[prior.name, prior.scope] = prior.decoded(value)
        return calibration_from_values(rows, scope)

    def run(self) -> Fit:
        center = np.array([prior.encoded(prior.value) for prior in self.free])
        spread = np.array([prior.spread for prior in self.free])

        def residuals(values: Array) -> Array:
            parts = [self._errors(scope, values) for scope in self.batches]
            return np.concatenate([*parts, (values - center) / spread])

        def jacobian(values: Array) -> Array:
            """By differences; a constant of one scope moves only the runs of that scope."""
            columns, step = [], 1e-4
            base = {scope: self._errors(scope, values) for scope in self.batches}
            for index, prior in enumerate(self.free):
                moved = values.copy()
                moved[index] += step
                columns.append(
                    np.concatenate(
                        [
                            (self._errors(scope, moved) - base[scope]) / step
                            if prior.scope in (ALL, scope, scope.partition("/")[0])
                            else np.zeros_like(base[scope])
                            for scope in self.batches
                        ]
                        + [(np.arange(len(self.free)) == index) / spread]
                    )
                )
            return np.stack(columns, axis=1)

        bounds = (
            [prior.encoded(prior.low) for prior in self.free],
            [prior.encoded(prior.high) for prior in self.free],
        )
        fitted = least_squares(
            residuals, center, jacobian, bounds, loss="soft_l1", max_nfev=60, xtol=1e-6, ftol=1e-6
        )
        self.values = fitted.x
        return self

    def score(self, runs: Iterable[MeasuredRun]) -> list[Scored]:
        """Predictions for runs; an era without runs of its own keeps what it had before the fit."""
        groups: dict[str, list[MeasuredRun]] = {}
        for run in runs:
            scope = scope_of(run, self.scopes)
            groups.setdefault(scope, []).append(run)
        scored = []
        for scope, group in groups.items():
            calibration = self.calibration(scope)
            for batch in run_batches(group, calibration):
                ratios = batch.step(calibration).step_time_s / batch.measured
                scored += [Scored(*pair) for pair in zip(batch.runs, ratios, strict=True)]
        return scored

    def _errors(self, scope: str, values: Array) -> Array:
        calibration = self.calibration(scope, values)
        ratios = [
            np.log(batch.step(calibration).step_time_s / batch.measured)
            for batch in self.batches[scope]
        ]
        return np.concatenate(ratios) * self.weights[scope] / NOISE


def calibration_from_values(values: dict[tuple[str, str], float], scope: str) -> Calibration:
    """Constants of a scope; error factors are 1 until they are known."""
    names = [field.name for field in dataclasses.fields(Calibration) if field.name != "generation"]
    defaults = dict.fromkeys(BAND_NAMES, 1.0)
    places = (scope, scope.partition("/")[0], ALL)  # an era of software, its card, all cards
    found = {
        name: next(
            (values[name, place] for place in places if (name, place) in values),
            defaults.get(name),
        )
        for name in names
    }
    missing = [name for name, value in found.items() if value is None]
    if missing:
        raise SystemExit(f"priors.csv has no {missing[0]} for {scope}")
    return Calibration(generation=scope, **found)


def _weights(batches: dict[str, list[RunBatch]]) -> dict[str, Array]:
    def key(run: MeasuredRun) -> tuple[str, ...]:
        return run.source, run.model, run.accelerator, run.precision

    counts: dict[tuple[str, ...], int] = {}
    for run in (run for group in batches.values() for batch in group for run in batch.runs):
        counts[key(run)] = counts.get(key(run), 0) + 1
    return {
        scope: np.array([counts[key(run)] ** -ALIKE for batch in group for run in batch.runs])
        for scope, group in batches.items()
    }


def unseen(priors: tuple[Prior, ...], runs: list[MeasuredRun]) -> list[Scored]:
    """Every run predicted by constants that were fitted without its source."""
    scored = []
    for source in sorted({run.source for run in runs}):
        fit = Fit(priors, [run for run in runs if run.source != source]).run()
        scored += fit.score([run for run in runs if run.source == source])
        print(f"  left out {source}", file=sys.stderr)
    return scored


def naive(fit: Fit, runs: list[MeasuredRun]) -> dict[str, float]:
    """Predicted over measured of the flat MFU that suits a card and precision best, in hindsight.

    The MFU is the one with the least median error on the very runs that it is scored on.
    """
    groups: dict[tuple[str, bool], list[tuple[str, float]]] = {}
    for batch in (batch for group in fit.batches.values() for batch in group):
        calibration = fit.calibration(scope_of(batch.runs[0], fit.scopes))
        gpus = np.array([run.gpus for run in batch.runs])
        ideal = batch.step(calibration).model_flops / (gpus * batch.machine.peak_flops)
        for run, ratio in zip(batch.runs, ideal / batch.measured, strict=True):
            key = run.accelerator, run.precision in EIGHT_BIT
            groups.setdefault(key, []).append((run.id, ratio))
    found = {}
    for group in groups.values():
        mfu = np.array([ratio for _, ratio in group])  # what each run reached
        best = best_mfu(mfu)
        found |= {name: ratio / best for name, ratio in group}
    return found


def report(
    fitted: list[Scored], left_out: list[Scored], flat: dict[str, float]
) -> list[tuple[str, ...]]:
    """Median and 90th percentile of the absolute error, by several cuts."""
    seen = {score.run.id: score.ratio for score in fitted}
    cuts: dict[str, Callable[[MeasuredRun], str]] = {
        "": lambda run: "all",
        "generation": generation_of,
        "accelerator": lambda run: run.accelerator,
        "style": parallel_style,
        "precision": lambda run: "8-bit" if run.precision in EIGHT_BIT else "16-bit",
        "source": lambda run: run.source,
    }
    lines = []
    for title, cut in cuts.items():
        groups: dict[str, list[Scored]] = {}
        for score in left_out:
            groups.setdefault(cut(score.run), []).append(score)
        for name in sorted(groups):
            group = groups[name]
            lines.append(
                (
                    f"{title} {name}".strip(),
                    str(len(group)),
                    *_errors([seen[score.run.id] for score in group]),
                    *_errors([score.ratio for score in group]),
                    *_errors([flat[score.run.id] for score in group]),
                )
            )
    return lines


def _errors(ratios: list[float]) -> tuple[str, str]:
    error = np.abs(np.array(ratios) - 1)
    return f"{np.median(error):6.1%}", f"{np.quantile(error, 0.9):6.1%}"


def write(
    fit: Fit, priors: tuple[Prior, ...], band: dict[str, dict[str, float]], date: str
) -> None:
    path = data_directory() / "calibration.csv"
    by_key = {(prior.name, prior.scope): prior for prior in priors}
    measured = styles_measured(
        run for group in fit.batches.values() for batch in group for run in batch.runs
    )
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["name", "scope", "value", "unit", "low", "high", "source", "date", "note"])
        for scope in sorted(fit.scopes):
            values = dataclasses.asdict(fit.calibration(scope)) | band[scope]
            del values["generation"]
            for name, value in values.items():
                card = scope.partition("/")[0]
                prior = next(
                    (by_key[name, at] for at in (scope, card, ALL) if (name, at) in by_key), None
                )
                out.writerow(_line(name, scope, value, prior, date, measured))
    rows = {(row.name, row.scope): row for row in read_rows(path, CalibrationRow)}
    for scope in fit.scopes:
        calibration_from_rows(rows, scope)


def _line(
    name: str,
    scope: str,
    value: float,
    prior: Prior | None,
    date: str,
    measured: set[tuple[str, bool]],
) -> list[str]:
    if prior is None:
        return band_line(name, scope, value, date, measured)
    number = f"{value:.5g}"
    if prior.spread is None:
        return [name, scope, number, prior.unit, "", "", prior.source, prior.date, prior.note]
    note = f"fitted; {prior.value:g} before" + ("" if prior.scope != ALL else "; one for all")
    return [name, scope, number, prior.unit, "", "", FIT_SOURCE, date, note]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--dry-run", action="store_true", help="write nothing")
    options = arguments.parse_args()
    priors = read_rows(data_directory() / "measurements" / "priors.csv", Prior)
    runs = [run for run in measured_runs().values() if not run.left_out]
    rules: dict[str, int] = {}
    for run in measured_runs().values():
        if run.left_out:
            rules[run.left_out] = rules.get(run.left_out, 0) + 1
    fit = Fit(priors, runs).run()
    for prior, value in zip(fit.free, fit.values, strict=True):
        print(f"{prior.name:24} {prior.scope:22} {prior.decoded(value):10.4g}  ({prior.value:g})")
    left_out = unseen(priors, runs)
    fitted = fit.score(runs)
    print(f"\n{len(runs)} runs; left out by rule: {rules}\n")
    print(f"{'':36} {'runs':>5}   {'fitted':^13}   {'unseen source':^13}   {'flat MFU':^13}")
    print(f"{'':36} {'':>5}   {'median':>6} {'p90':>6}   {'median':>6} {'p90':>6}"
          f"   {'median':>6} {'p90':>6}")  # fmt: skip
    for label, count, *errors in report(fitted, left_out, naive(fit, runs)):
        a, b, c, d, e, f = errors
        print(f"{label:36} {count:>5}   {a:>6} {b:>6}   {c:>6} {d:>6}   {e:>6} {f:>6}")
    for name, scores in (("fitted", fitted), ("unseen source", left_out)):
        pairs, right = rank_agreement(scores)
        print(f"faster of two plans, {name:13} {pairs:4} pairs {right:6.1%}")
    show("runs of unseen sources inside the band of the others", coverage(left_out))
    band = bands(fitted, left_out, fit.scopes)
    show_bands(band)
    if not options.dry_run:
        write(fit, priors, band, datetime.date.today().isoformat())
        print("wrote data/calibration.csv")


if __name__ == "__main__":
    main()
