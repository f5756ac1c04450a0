"""Evaluation -> pictures. Altair authors them, their specs are frozen, pages receive only data.

Each chart is a module with

``build()``             the Altair chart, data sets named and empty (imports Altair: not on a page)
``data(evaluation)``    rows (or columns) of those data sets, plain Python
``label(evaluation)``   one sentence that says what the picture shows, for screen readers

Pictures whose name begins with ``fabric`` are of a built ``Fabric`` instead of an Evaluation, those
that begin with ``validation`` of scored runs or collectives.

``spec(name)`` returns the frozen specification that a page embeds; ``python -m
netdesign.charts.freeze`` writes them and a test compares them with the builders.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

NAMES = (
    "traffic_bars",
    "share_curve",
    "step_time_bar",
    "step_time_pair",
    "memory_bar",
    "network_picture",
    "bill_bars",
    "summary_money",
    "slow_link_guess",
    "slow_link_curve",
    "slow_link_schedule",
    "fabric_ports",
    "fabric_tiers",
    "fabric_heat",
    "family_reach",
    "validation_scatter",
    "validation_errors",
    "validation_collectives",
    "plan_ranking",
    "tornado",
    "headroom_curve",
    "ecn_thresholds",
    "crossover_balance",
    "crossover_message",
    "crossover_discount",
    "slowdown_by_taper",
    "seed_spread",
    "mttf_curve",
    "ettr_curve",
    "audit_curve",
)


@cache
def _frozen(name: str) -> str:
    folder = resources.files("netdesign.charts") / "specs"
    return (folder / f"{name}.json").read_text(encoding="utf-8")


def spec(name: str) -> dict[str, Any]:
    """The frozen Vega-Lite specification of a chart, its data sets empty."""
    specification: dict[str, Any] = json.loads(_frozen(name))
    return specification
