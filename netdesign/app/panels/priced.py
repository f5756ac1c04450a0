"""How money is said when some part of the cluster has no price."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from netdesign.charts.format import NOTHING, Said, dollars, power

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

AT_LEAST = "at least"
UNKNOWN = "unknown"


def servers_priced(evaluation: Evaluation) -> bool:
    """Whether the servers have a price; without one nothing can be said of the whole."""
    return not math.isnan(float(evaluation.cost.network_share))


def complete(evaluation: Evaluation) -> bool:
    """Whether every part has a price."""
    return bool(evaluation.cost.complete)


def at_least(evaluation: Evaluation, said: Said | str) -> str:
    """A sum over what has a price: a lower bound where a part has none."""
    return str(said) if complete(evaluation) else f"{AT_LEAST} {said}"


def derived(evaluation: Evaluation, said: Said | str) -> str:
    """Money that follows from the purchase: nothing without a price of the servers."""
    return at_least(evaluation, said) if servers_priced(evaluation) else NOTHING


def network_money(evaluation: Evaluation) -> str:
    """What the network costs: a lower bound where one of its parts has no price."""
    bom = evaluation.bom
    missing = any(row.network and row.total_usd is None for row in bom.rows)
    said = str(dollars(bom.network_usd))
    return f"{AT_LEAST} {said}" if missing else said


def metered(watts: float, unmetered: bool) -> str:
    """Power over the parts that have a figure."""
    if not unmetered:
        return str(power(watts))
    return f"{AT_LEAST} {power(watts)}" if watts > 0 else UNKNOWN
