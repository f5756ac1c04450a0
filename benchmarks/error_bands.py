"""Between which factors on a predicted step time do four of five unseen runs lie? By style.

    python benchmarks/error_bands.py            print the share of runs inside, write the bands
    python benchmarks/error_bands.py --dry-run  print only

Takes the errors that benchmarks/unseen_runs.py stored and the constants of data/calibration.csv,
fits nothing, and renews the rows error_low, error_high, error_low_experts and error_high_experts.
"""

from __future__ import annotations

import argparse
import csv
import datetime
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
from residuals import Scored

from netdesign.catalog import data_directory, load_catalog
from netdesign.performance.calibration import BAND_NAMES, Calibration, calibration_from_rows
from netdesign.performance.measurements import (
    MeasuredRun,
    generation_of,
    measured_runs,
    run_batches,
    scope_of,
)
from netdesign.validation.unseen import unseen_runs

SHARE = 0.8  # of the runs inside a band
TAILS = tuple(float(tail) for tail in np.linspace(0.1, 0.03, 15))  # tried, beyond each end
FEW = 20  # runs, below which a generation has no band of its own
FIT_SOURCE = "netdesign-calibration"
NOTE = "80 % of unseen {style} runs lie between {low} and {high} times the prediction"
NONE = "no such runs measured: the band of all generations"
STYLES = ((False, "dense", BAND_NAMES[:2]), (True, "mixture-of-experts", BAND_NAMES[2:]))


def bands(
    fitted: list[Scored], left_out: list[Scored], scopes: Iterable[str]
) -> dict[str, dict[str, float]]:
    """Measured over predicted by scope: the factors of ``BAND_NAMES``.

    Dense models and mixtures of experts have bands of their own: the errors of the latter are
    twice as wide. The band of a style holds four of five runs of unseen sources and four of five
    fitted ones, of the generation where it has more than a few and of all of them: a generation
    has few sources, and the next one may differ from them as the others do. Where no source holds
    most of a style's runs the band is wider still: four of five of the runs of a source must lie
    inside the band that the other sources alone would give. The band of mixtures of experts is
    never narrower than that of dense models, which they contain.
    """
    found: dict[str, dict[str, float]] = {scope: {} for scope in scopes}
    for experts, _, names in STYLES:
        sets = [_of_style(scores, experts) for scores in (fitted, left_out)]
        tail = tail_of(sets[1])
        for scope, factors in found.items():
            ends = [_quantiles(scores, scope.partition("/")[0], tail) for scores in sets]
            known = list(factors.values())  # of dense models, which come first
            factors[names[0]] = float(min([low for low, _ in ends] + known[:1]))
            factors[names[1]] = float(max([high for _, high in ends] + known[1:]))
    return found


def tail_of(left_out: list[Scored]) -> float:
    """Share of a style's runs beyond each end of its band, so that the band suits new sources."""
    sources = Counter(score.run.source for score in left_out)
    if max(sources.values()) > len(left_out) / 2:
        return TAILS[0]  # without its main source the rest says nothing about the style
    for tail in TAILS:
        if np.mean(_inside(left_out, tail)) >= SHARE:
            return tail
    return TAILS[-1]


def _inside(left_out: list[Scored], tail: float) -> list[bool]:
    """Whether each run lies inside the band that the other sources alone would give."""
    inside = []
    for source in {score.run.source for score in left_out}:
        others = [score for score in left_out if score.run.source != source]
        for score in left_out:
            if score.run.source == source:
                low, high = _quantiles(others, generation_of(score.run), tail)
                inside.append(bool(low <= 1 / score.ratio <= high))
    return inside


def _quantiles(scores: list[Scored], generation: str, tail: float) -> tuple[float, float]:
    own = [score for score in scores if generation_of(score.run) == generation]
    low, high = np.quantile([1 / score.ratio for score in scores], (tail, 1 - tail))
    if len(own) < FEW:
        return low, high
    own_low, own_high = np.quantile([1 / score.ratio for score in own], (tail, 1 - tail))
    return min(low, own_low), max(high, own_high)


def _of_style(scores: list[Scored], experts: bool) -> list[Scored]:
    return [score for score in scores if bool(score.run.experts) == experts]


def coverage(left_out: list[Scored]) -> dict[str, tuple[int, float]]:
    """Runs, and the share inside the band that the other sources alone would give, by style."""
    inside: dict[str, list[bool]] = {}
    for source in {score.run.source for score in left_out}:
        others = [score for score in left_out if score.run.source != source]
        own = [score for score in left_out if score.run.source == source]
        band = bands(others, others, {generation_of(score.run) for score in own})
        for score in own:
            _, style, (low, high) = STYLES[bool(score.run.experts)]
            factors = band[generation_of(score.run)]
            for key in ("all", style):
                holds = factors[low] <= 1 / score.ratio <= factors[high]
                inside.setdefault(key, []).append(bool(holds))
    return _shares(inside)


def held(
    left_out: list[Scored], band: Callable[[MeasuredRun], tuple[float, float]]
) -> dict[str, tuple[int, float]]:
    """Runs of unseen sources, and the share inside the bands that ship, by style."""
    inside: dict[str, list[bool]] = {}
    for score in left_out:
        low, high = band(score.run)
        for key in ("all", STYLES[bool(score.run.experts)][1]):
            inside.setdefault(key, []).append(bool(low <= 1 / score.ratio <= high))
    return _shares(inside)


def _shares(inside: dict[str, list[bool]]) -> dict[str, tuple[int, float]]:
    return {key: (len(each), float(np.mean(each))) for key, each in sorted(inside.items())}


def band_line(
    name: str, scope: str, value: float, date: str, measured: set[tuple[str, bool]]
) -> list[str]:
    """A row of data/calibration.csv."""
    experts, style, (low, high) = STYLES[name in BAND_NAMES[2:]]
    known = (scope.partition("/")[0], experts) in measured
    note = NOTE.format(style=style, low=low, high=high) if known else NONE
    return [name, scope, f"{value:.5g}", "1", "", "", FIT_SOURCE, date, note]


def styles_measured(runs: Iterable[MeasuredRun]) -> set[tuple[str, bool]]:
    """Generations, and whether of experts, that some run was measured of."""
    return {(generation_of(run), bool(run.experts)) for run in runs}


def shipped_scores(runs: Iterable[MeasuredRun], constants: dict[str, Calibration]) -> list[Scored]:
    """Runs predicted by the constants of data/calibration.csv."""
    groups: dict[str, list[MeasuredRun]] = {}
    for run in runs:
        groups.setdefault(scope_of(run), []).append(run)
    scored = []
    for scope, group in groups.items():
        for batch in run_batches(group, constants[scope]):
            ratios = batch.step(constants[scope]).step_time_s / batch.measured
            scored += [Scored(*pair) for pair in zip(batch.runs, ratios, strict=True)]
    return scored


def shipped_constants() -> dict[str, Calibration]:
    """The constants by scope; band factors that have no row yet are 1."""
    rows = dict(load_catalog().calibrations)
    one = next(iter(rows.values())).model_copy(update={"value": 1.0})
    scopes = sorted({scope for _, scope in rows})
    for scope in scopes:
        for name in BAND_NAMES:
            rows.setdefault((name, scope), one)
    return {scope: calibration_from_rows(rows, scope) for scope in scopes}


def write(band: dict[str, dict[str, float]], date: str, measured: set[tuple[str, bool]]) -> None:
    """Replace the rows of the bands in data/calibration.csv, and nothing else."""
    path = data_directory() / "calibration.csv"
    with path.open(newline="", encoding="utf-8") as file:
        heads, *rows = csv.reader(file)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(heads)
        for scope in sorted(band):
            out.writerows(row for row in rows if row[1] == scope and row[0] not in BAND_NAMES)
            out.writerows(
                band_line(name, scope, band[scope][name], date, measured) for name in BAND_NAMES
            )


def show(title: str, shares: dict[str, tuple[int, float]]) -> None:
    print(title)
    for style, (runs, share) in shares.items():
        print(f"  {style:20} {runs:4} runs {share:6.1%} inside")


def show_bands(band: dict[str, dict[str, float]]) -> None:
    for scope, factors in sorted(band.items()):
        print(f"band {scope:32} " + " ".join(f"{factors[name]:6.3f}" for name in BAND_NAMES))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--dry-run", action="store_true", help="write nothing")
    options = arguments.parse_args()
    runs = measured_runs()
    left_out = [Scored(runs[row.id], row.predicted_over_measured) for row in unseen_runs().values()]
    constants = shipped_constants()
    band = bands(
        shipped_scores([score.run for score in left_out], constants), left_out, sorted(constants)
    )

    def before(run: MeasuredRun) -> tuple[float, float]:
        return constants[scope_of(run)].error_band(run.experts)

    def after(run: MeasuredRun) -> tuple[float, float]:
        low, high = STYLES[bool(run.experts)][2]
        return band[scope_of(run)][low], band[scope_of(run)][high]

    show("inside the bands of data/calibration.csv", held(left_out, before))
    show("inside the bands that follow from the errors", held(left_out, after))
    show("inside bands that other sources alone would give", coverage(left_out))
    show_bands(band)
    if not options.dry_run:
        measured = styles_measured(score.run for score in left_out)
        write(band, datetime.date.today().isoformat(), measured)
        print("wrote data/calibration.csv")


if __name__ == "__main__":
    main()
