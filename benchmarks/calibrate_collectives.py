"""Fit the constants of the prediction of collectives and write data/collective_constants.csv.

    python benchmarks/calibrate_collectives.py            fit, print the errors, write the file
    python benchmarks/calibrate_collectives.py --dry-run  fit and print only

Needs SciPy (``pip install scipy``), which nothing else in netdesign does.

What may be fitted, from which prior and how far, is ``data/measurements/collective-priors.csv``: a
row with a spread is fitted, one without is taken as it stands. A constant belongs to a generation
of GPUs or links or to a kind of network, never to a system, a source or a row. Systems whose
source names a fault (``condition`` sick) are not fitted. A sweep counts by the root of its
points. The errors on unseen systems come from leaving out whole machines (``cluster``), one at a
time; they and the errors of NCCL's own table go to data/collective_errors.csv.
"""

from __future__ import annotations

import argparse
import csv
import datetime
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from scipy.optimize import least_squares

from netdesign.arrays import Array
from netdesign.catalog import data_directory
from netdesign.catalog.nccl import (
    CollectiveConstantRow,
    CollectiveErrorRow,
    collective_points,
)
from netdesign.catalog.tables import Finite, Positive, read_rows
from netdesign.network.nccl.constants import (
    LINK_CLASSES,
    SCOPES,
    UNITS,
    Constants,
    constants_from,
)
from netdesign.network.nccl.hardware import LINKS, Hardware
from netdesign.network.nccl.prediction import link_class
from netdesign.performance.collective_errors import CUTS, size_name, tuning_times
from netdesign.performance.collective_prediction import (
    BAND_SCOPES,
    NO_LINK,
    SIZE_BINS,
    Band,
    Batch,
    Case,
    batches,
    measured_cases,
    predict_batches,
    size_bin,
)

NOISE = 0.1  # two measurements of one thing differ by about this much
INSIDE = 0.8  # share of unseen points that the band holds
TAILS = np.arange(0.1, 0.01, -0.005)  # shares left out on each side that are tried
STEP = 1e-3  # of the differences, in logarithms
REPORTED = ("all", "domains", "collective", "network", "link", "source", "system")
FIT_SOURCE = "netdesign-collectives"


class Prior(CollectiveConstantRow):
    """A constant before the fit: its value, and how far the fit may take it (relative spread)."""

    spread: Positive | None = None
    low: Finite | None = None
    high: Finite | None = None


class Fit:
    """Constants fitted on some cases."""

    def __init__(self, priors: Sequence[Prior], cases: Sequence[Case]) -> None:
        self.priors = priors
        self.free = [prior for prior in priors if prior.spread is not None]
        self.fixed = {(row.name, row.scope): row.value for row in priors if row.spread is None}
        self.values = np.log([prior.value for prior in self.free])
        self.cases = cases
        self.batches: list[Batch] = batches(cases)
        self.measured = np.array([case.measured for case in cases])
        self.weights = _weights(cases)
        self.touched = [_touched(prior, cases) for prior in self.free]
        self.parts = [_part(self.batches, mask) for mask in self.touched]

    def constants(self, values: Array | None = None) -> Constants:
        rows = dict(self.fixed)
        for prior, value in zip(self.free, self.values if values is None else values, strict=True):
            rows[prior.name, prior.scope] = float(np.exp(value))
        return constants_from(rows)

    def errors(self, values: Array, part: list[Batch] | None = None) -> Array:
        chosen = self.batches if part is None else part
        found = predict_batches(chosen, len(self.cases), self.constants(values))
        time = np.where(found.time > 0, found.time, self.measured)
        return np.log(time / self.measured) * self.weights / NOISE

    def run(self, start: Array | None = None) -> Fit:
        center = np.log([prior.value for prior in self.free])
        spread = np.array([prior.spread for prior in self.free])

        def residuals(values: Array) -> Array:
            return np.concatenate([self.errors(values), (values - center) / spread])

        def jacobian(values: Array) -> Array:
            base = self.errors(values)
            slopes = np.zeros((len(base), len(values)))
            for index, (mask, part) in enumerate(zip(self.touched, self.parts, strict=True)):
                moved = values.copy()
                moved[index] += STEP
                slopes[mask, index] = (self.errors(moved, part)[mask] - base[mask]) / STEP
            return np.concatenate([slopes, np.diag(1 / spread)])

        bounds = (
            np.log([prior.low for prior in self.free]),
            np.log([prior.high for prior in self.free]),
        )
        fitted = least_squares(
            residuals,
            self.values if start is None else start,
            jacobian,
            bounds,
            loss="soft_l1",
            max_nfev=25 if start is None else 8,
            xtol=1e-5,
            ftol=1e-5,
        )
        self.values = fitted.x
        return self


def _touched(prior: Prior, cases: Sequence[Case]) -> Array:
    """Cases that a constant can change: those of its kind of hardware."""
    return np.array([prior.scope in _scopes(case) for case in cases])


@cache
def _scopes(case: Case) -> frozenset[str]:
    kind = case.hardware
    inside = {kind.generation, kind.link, LINK_CLASSES[int(link_class(np.array(_link(kind))))]}
    return frozenset(inside | ({kind.fabric} if case.domains > 1 else set()))


def _link(kind: Hardware) -> int:
    return LINKS.index(kind.link) if kind.link in LINKS else NO_LINK


def _part(whole: list[Batch], mask: Array) -> list[Batch]:
    """The batches cut down to the cases of a mask."""
    found = []
    for batch in whole:
        own = mask[batch.positions]
        if own.any():
            found.append(
                replace(
                    batch,
                    positions=batch.positions[own],
                    size=batch.size[own],
                    ranks=batch.ranks.chosen(own),
                )
            )
    return found


def _weights(cases: Sequence[Case]) -> Array:
    keys = [(case.system, case.operation, case.gpus, case.nodes) for case in cases]
    counts: dict[tuple[object, ...], int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return np.array([counts[key] ** -0.5 for key in keys])


def ratios(constants: Constants, cases: Sequence[Case]) -> Array:
    """Measured over predicted."""
    found = predict_batches(batches(cases), len(cases), constants)
    return np.array([case.measured for case in cases]) / found.time


def unseen(whole: Fit) -> Array:
    """Measured over predicted by constants that were fitted without the machine.

    Constants of kinds of hardware that the machine does not have keep their value.
    """
    cases = whole.cases
    found = np.ones(len(cases))
    clusters = np.array([case.cluster for case in cases])
    fitted = dict(zip(whole.free, whole.values, strict=True))
    for cluster in sorted(set(clusters)):
        out = clusters == cluster
        own = [
            prior for prior, mask in zip(whole.free, whole.touched, strict=True) if mask[out].any()
        ]
        priors = [
            prior
            if prior.spread is None or prior in own
            else prior.model_copy(update={"spread": None, "value": float(np.exp(fitted[prior]))})
            for prior in whole.priors
        ]
        touched = np.any([_touched(prior, cases) for prior in own], axis=0) & ~out
        rest = [cases[position] for position in np.flatnonzero(touched)]
        fit = Fit(priors, rest).run(np.array([fitted[prior] for prior in own]))
        found[out] = ratios(fit.constants(), [cases[i] for i in np.flatnonzero(out)])
    return found


def report(cases: Sequence[Case], fitted: Array, left_out: Array) -> list[CollectiveErrorRow]:
    """Median and 90th percentile of the error by several cuts and size bins."""
    sizes = np.array([size_name(case) for case in cases])
    table = np.array([case.measured for case in cases]) / tuning_times(cases)
    rows = []
    for cut in REPORTED:
        names = np.array([CUTS[cut](case) for case in cases])
        for name in sorted(set(names)):
            for _, size in SIZE_BINS:
                own = (names == name) & (sizes == size)
                if own.any():
                    errors = [*_errors(fitted[own]), *_errors(left_out[own]), *_errors(table[own])]
                    rows.append(_error_row(cut, name, size, int(own.sum()), errors))
    return rows


def _errors(ratios: Array) -> tuple[float | None, float | None]:
    known = ratios[np.isfinite(ratios)]
    if not len(known):
        return None, None
    error = np.abs(1 / known - 1)
    return round(float(np.median(error)), 4), round(float(np.quantile(error, 0.9)), 4)


def _error_row(
    cut: str, name: str, size: str, points: int, errors: list[float | None]
) -> CollectiveErrorRow:
    columns = ("fitted_median", "fitted_90", "unseen_median", "unseen_90", "table_median",
               "table_90")  # fmt: skip
    return CollectiveErrorRow(
        cut=cut,
        name=name,
        size=size,
        points=points,
        source=FIT_SOURCE,
        date=datetime.date.today().isoformat(),
        **dict(zip(columns, errors, strict=True)),
    )


def show(rows: Sequence[CollectiveErrorRow]) -> None:
    print(f"{'':52} points   fitted, 90 %   unseen, 90 %   NCCL's table")
    for row in rows:
        table = "" if row.table_median is None else f"{row.table_median:7.1%}"
        print(
            f"{row.cut:10} {row.name:25} {row.size:15} {row.points:>6}  {row.fitted_median:7.1%} "
            f"{row.fitted_90:6.0%}  {row.unseen_median:7.1%} {row.unseen_90:6.0%}  {table:>8}"
        )


def write_errors(rows: Sequence[CollectiveErrorRow]) -> None:
    with (data_directory() / "collective_errors.csv").open(
        "w", newline="", encoding="utf-8"
    ) as file:
        out = csv.DictWriter(file, list(CollectiveErrorRow.model_fields), lineterminator="\n")
        out.writeheader()
        out.writerows(row.model_dump() for row in rows)


def bands(cases: Sequence[Case], left_out: Array, tail: float) -> dict[tuple[str, str], float]:
    """Quantiles of measured over predicted of unseen machines, ``tail`` on each side beyond."""
    bins = size_bin(np.array([case.size for case in cases]))
    columns = np.array([int(case.domains > 1) for case in cases])
    found = {}
    for row, scopes in enumerate(BAND_SCOPES):
        for column, scope in enumerate(scopes):
            chosen = (bins == row) & (columns == column)
            low, high = np.quantile(left_out[chosen], (tail, 1 - tail))
            found["error_low", scope], found["error_high", scope] = float(low), float(high)
    return found


def coverage(cases: Sequence[Case], left_out: Array, tail: float) -> float:
    """Share of points inside a band that was made without their own machine."""
    clusters = np.array([case.cluster for case in cases])
    size = np.array([case.size for case in cases])
    domains = np.array([float(case.domains) for case in cases])
    inside = np.zeros(len(cases), dtype=bool)
    for cluster in set(clusters):
        own = clusters == cluster
        rest = [case for case, out in zip(cases, own, strict=True) if not out]
        band = _band(bands(rest, left_out[~own], tail))
        low, high = band.of(size[own], domains[own])
        inside[own] = (left_out[own] >= low) & (left_out[own] <= high)
    return float(inside.mean())


def _band(values: dict[tuple[str, str], float]) -> Band:
    low, high = (
        np.array([[values[name, scope] for scope in pair] for pair in BAND_SCOPES])
        for name in ("error_low", "error_high")
    )
    return Band(low, high)


def write(fit: Fit, band: dict[tuple[str, str], float], date: str) -> None:
    path = data_directory() / "collective_constants.csv"
    values = {
        (p.name, p.scope): float(np.exp(v)) for p, v in zip(fit.free, fit.values, strict=True)
    }
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["name", "scope", "value", "unit", "source", "date", "note"])
        for prior in fit.priors:
            key = prior.name, prior.scope
            if key in values:
                note = f"fitted; {prior.value:g} before"
                row = [f"{values[key]:.5g}", UNITS[prior.name], FIT_SOURCE, date, note]
            else:
                row = [f"{prior.value:g}", UNITS[prior.name], prior.source, prior.date, prior.note]
            out.writerow([*key, *row])
        note = "80 % of unseen points lie between error_low and error_high times the predicted time"
        for (name, scope), value in band.items():
            out.writerow([name, scope, f"{value:.4g}", "1", FIT_SOURCE, date, note])


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--dry-run", action="store_true", help="write nothing")
    arguments.add_argument("--quick", action="store_true", help="no machines left out")
    options = arguments.parse_args()
    priors = read_rows(data_directory() / "measurements" / "collective-priors.csv", Prior)
    assert {(p.name, p.scope) for p in priors} == {(n, s) for n in SCOPES for s in SCOPES[n]}
    cases = [case for case in measured_cases() if not case.sick and not case.lacks]
    rules: dict[str, int] = {}
    for point in collective_points(data_directory()).values():
        if point.left_out:
            rules[point.left_out] = rules.get(point.left_out, 0) + 1
    fit = Fit(priors, cases).run()
    for prior, value in zip(fit.free, fit.values, strict=True):
        print(f"{prior.name:20} {prior.scope:14} {np.exp(value):10.4g}  ({prior.value:g})")
    fitted = ratios(fit.constants(), cases)
    left_out = fitted if options.quick else unseen(fit)
    print(f"\n{len(cases)} points of healthy systems; left out by rule: {rules}\n")
    errors = report(cases, fitted, left_out)
    show(errors)
    held = [(tail, coverage(cases, left_out, tail)) for tail in TAILS]
    tail, inside = next((pair for pair in held if pair[1] >= INSIDE), held[-1])
    band = bands(cases, left_out, tail)
    for (name, scope), value in band.items():
        print(f"{name:12} {scope:32} {value:.3f}")
    print(f"{inside:.1%} of points in a band made without their own machine (tails {tail:.1%})")
    if not options.dry_run:
        write(fit, band, datetime.date.today().isoformat())
        write_errors(errors)
        print("wrote data/collective_constants.csv and data/collective_errors.csv")


if __name__ == "__main__":
    main()
