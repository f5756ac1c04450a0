"""What a planner need not say: how each transport routes, and the usual settings around it."""

from __future__ import annotations

from functools import cache
from typing import Literal

from netdesign.catalog.library import data_directory
from netdesign.catalog.tables import Count, Name, Positive, Row, keyed_rows
from netdesign.topology.routing import Policy

Grade = Literal["verified", "secondary", "recalled", "computed", "assumed"]


class RoutingRow(Row):
    """How a transport's packets find their way."""

    transport: Name
    policy: Policy
    queue_pairs: Count  # of a connection
    grade: Grade


class SettingRow(Row):
    """A number that holds where a planner gives none."""

    name: Name
    value: Positive
    unit: Name
    grade: Grade


@cache
def routing_rows() -> dict[str, RoutingRow]:
    """Rows of routing.csv by transport."""
    return keyed_rows(data_directory() / "routing.csv", RoutingRow, ("transport",))


@cache
def setting_rows() -> dict[str, SettingRow]:
    """Rows of congestion.csv by name."""
    return keyed_rows(data_directory() / "congestion.csv", SettingRow, ("name",))


def setting(name: str) -> float:
    """Value of a setting of congestion.csv."""
    return setting_rows()[name].value
