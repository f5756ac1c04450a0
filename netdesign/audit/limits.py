"""The lines between healthy and worth a look; rows of ``data/audit_limits.csv``."""

from __future__ import annotations

from functools import cache

from netdesign.catalog.library import data_directory
from netdesign.catalog.tables import Name, Positive, Row, keyed_rows


class LimitRow(Row):
    """One limit, with its source."""

    name: Name
    value: Positive
    unit: Name


@cache
def limit_rows() -> dict[str, LimitRow]:
    """Limits by name."""
    return keyed_rows(data_directory() / "audit_limits.csv", LimitRow, ("name",))


def limit(name: str) -> float:
    """The value of a limit, in its unit."""
    return limit_rows()[name].value
