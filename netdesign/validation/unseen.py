"""Errors on runs whose whole source was left out of the fit, as the last fit stored them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from netdesign.arrays import Array
from netdesign.catalog import Row, data_directory
from netdesign.catalog.tables import Name, Positive, keyed_rows
from netdesign.performance.measurements import MeasuredRun


class UnseenRun(Row):
    """A published run, predicted by constants that were fitted without its source."""

    id: Name
    predicted_over_measured: Positive
    fit: Name  # digest of the calibration that the same model and runs gave


@cache
def unseen_runs() -> Mapping[str, UnseenRun]:
    """The rows of ``data/unseen_runs.csv`` by id; none where no fit has stored them."""
    path = data_directory() / "unseen_runs.csv"
    return keyed_rows(path, UnseenRun, ("id",)) if path.exists() else {}


@cache
def current_fit() -> str:
    """A short digest of the shipped constants, by which stored errors are known to be theirs.

    The factors of the band are made from these errors and do not count.
    """
    lines = (data_directory() / "calibration.csv").read_bytes().splitlines()
    constants = b"\n".join(line for line in lines if not line.startswith(b"error_"))
    return hashlib.sha256(constants).hexdigest()[:12]


def of_an_earlier_fit() -> bool:
    """Whether the stored errors were computed beside other constants than the shipped ones."""
    return any(row.fit != current_fit() for row in unseen_runs().values())


def unseen_errors(runs: Sequence[MeasuredRun]) -> Array:
    """Predicted over measured less 1 of runs of unseen sources, NaN where none is stored."""
    stored = unseen_runs()
    ratios = [
        stored[run.id].predicted_over_measured if run.id in stored else np.nan for run in runs
    ]
    return np.array(ratios, dtype=float) - 1
