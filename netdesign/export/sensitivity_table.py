"""What each input does to the result, as a table of text and as plain numbers."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

from netdesign.sensitivity import MEASURES, Move, Sensitivity, Swing

_TITLES = MappingProxyType(
    {
        "step_time_s": "step time",
        "usd_per_million_tokens": "cost per token",
        "training_days": "training days",
    }
)


def sensitivity_record(found: Sensitivity) -> dict[str, Any]:
    """Nested dictionaries that are valid JSON; changes are shares of the design's value."""
    return {
        "base": {name: _number(value) for name, value in found.base.items()},
        "inputs": [
            {
                "path": swing.path,
                "label": swing.label,
                "down": _move(swing.down),
                "up": _move(swing.up),
                "elasticity": {name: _number(swing.elasticity(name)) for name in MEASURES},
            }
            for swing in found.swings
        ],
        "largest": {name: [swing.path for swing in found.ranked(name)[:1]] for name in MEASURES},
    }


def _move(move: Move) -> dict[str, Any]:
    return {
        "move": move.said,
        "input_ratio": move.ratio,
        "change_share": dict(move.change),
        "problem": move.problem,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def sensitivity_text(found: Sensitivity) -> str:
    """One table a measure, the input that moves it most first."""
    lines: list[str] = []
    for measure in MEASURES:
        lines += ["", f"What moves {_TITLES[measure]}"]
        swings = found.ranked(measure)
        if not swings:
            lines.append("  unknown: the servers have no price")
        lines += [_line(swing, measure) for swing in swings]
    return "\n".join(lines)


def _line(swing: Swing, measure: str) -> str:
    return (
        f"  {swing.label:<24}"
        + "".join(f"{_side(side, measure):<34}" for side in (swing.down, swing.up)).rstrip()
    )


def _side(side: Move, measure: str) -> str:
    if not side.said:
        return ""
    if measure not in side.change:
        return f"{side.said}: {side.problem or 'unknown'}"
    remark = f" ({side.problem})" if side.problem else ""
    return f"{side.said}: {100 * side.change[measure]:+.1f} %{remark}"
