"""What a design says of the planner's own measurements, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netdesign.charts.format import SPACE
from netdesign.wording import plural

if TYPE_CHECKING:
    from netdesign.design import Design


def own_measurements(design: Design) -> str:
    """Which measurements stand behind the collectives of a design; blank if only the shipped."""
    chosen = design.measured
    if not chosen.logs:
        return ""
    factors = (
        ("domain", chosen.domain_speed),
        ("network", chosen.network_speed),
        ("domain start-up", chosen.domain_start_up),
        ("network start-up", chosen.network_start_up),
    )
    moved = [f"{name} ×{SPACE}{value:.3g}" for name, value in factors if f"{value:.3g}" != "1"]
    said = ", ".join(moved) or "as the model expects"
    return f"your own measurements: {plural(chosen.logs, 'log')}, {said}"
