"""How often do parts and jobs fail in published fleets, and what else was measured there?"""

from __future__ import annotations

from functools import cache
from typing import Literal

from netdesign.catalog.library import data_directory
from netdesign.catalog.tables import Count, Name, Positive, Row, keyed_rows
from netdesign.units import DAYS_PER_YEAR

Grade = Literal["verified", "secondary", "recalled", "computed"]
Subject = Literal["node", "link", "switch", "nic", "gpu-path"]
_MONTHS_PER_YEAR = 12
_DAYS = {
    "per 1000 node-days": 1000.0,
    "% per month": 100.0 * DAYS_PER_YEAR / _MONTHS_PER_YEAR,
    "% per year": 100.0 * DAYS_PER_YEAR,
}


class FailureRateRow(Row):
    """How often one thing of a published fleet fails or stops its job."""

    name: Name
    subject: Subject
    value: Positive
    unit: Literal["per 1000 node-days", "% per month", "% per year"]
    node_gpus: Count | None = None  # GPUs of a node of that fleet
    grade: Grade

    @property
    def per_day(self) -> float:
        """Failures of one of them in a day."""
        return self.value / _DAYS[self.unit]

    @property
    def per_year(self) -> float:
        """Failures of one of them in a year."""
        return self.per_day * DAYS_PER_YEAR


class FailureCauseRow(Row):
    """How many stops of one published run had a cause."""

    cause: Name
    stops: Count
    part: Literal["server", "network", "software"]
    grade: Grade


class ReliabilityRow(Row):
    """A number about failures, stragglers or checkpoints."""

    name: Name
    value: Positive
    unit: Name
    grade: Grade


@cache
def failure_rates() -> dict[str, FailureRateRow]:
    """Rows of failure_rates.csv by name."""
    return keyed_rows(data_directory() / "failure_rates.csv", FailureRateRow, ("name",))


@cache
def failure_causes() -> dict[str, FailureCauseRow]:
    """Rows of failure_causes.csv by cause."""
    return keyed_rows(data_directory() / "failure_causes.csv", FailureCauseRow, ("cause",))


@cache
def reliability_rows() -> dict[str, ReliabilityRow]:
    """Rows of reliability.csv by name."""
    return keyed_rows(data_directory() / "reliability.csv", ReliabilityRow, ("name",))


def reliability(name: str) -> float:
    """Value of a row of reliability.csv."""
    return reliability_rows()[name].value
