"""Predict every published run by constants fitted without its source; write data/unseen_runs.csv.

    python benchmarks/unseen_runs.py

Needs SciPy, as benchmarks/calibrate.py does, and takes some minutes: a fit for each source.
Run it after benchmarks/calibrate.py: the Validation page says so where the constants are newer.
benchmarks/error_bands.py makes the bands of data/calibration.csv from what it writes.
"""

from __future__ import annotations

import csv
import datetime
from collections.abc import Iterable

from calibrate import Prior, Scored, unseen
from error_bands import FIT_SOURCE

from netdesign.catalog import data_directory
from netdesign.catalog.tables import read_rows
from netdesign.performance.measurements import measured_runs
from netdesign.validation.unseen import current_fit

COLUMNS = ("id", "predicted_over_measured", "fit", "source", "date", "note")


def write(left_out: Iterable[Scored], date: str) -> None:
    """Store predicted over measured of each run, by id; after data/calibration.csv is written."""
    path = data_directory() / "unseen_runs.csv"
    fit = current_fit()
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for scored in sorted(left_out, key=lambda one: one.run.id):
            out.writerow([scored.run.id, f"{scored.ratio:.5g}", fit, FIT_SOURCE, date, ""])


def main() -> None:
    priors = read_rows(data_directory() / "measurements" / "priors.csv", Prior)
    runs = [run for run in measured_runs().values() if not run.left_out]
    write(unseen(priors, runs), datetime.date.today().isoformat())
    print("wrote data/unseen_runs.csv")


if __name__ == "__main__":
    main()
