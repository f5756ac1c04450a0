"""What happens to the cables when a fabric grows, and what to buy now so that none moves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from netdesign.errors import DesignError
from netdesign.export.csv_cells import cells, csv_text
from netdesign.topology.families import build
from netdesign.topology.growth import moved_cables, ready_to_grow
from netdesign.topology.spec import FabricSpec

COLUMNS = ("kind", "device", "from", "to")


def growth_record(today: FabricSpec, endpoints: int, moves: Path | None = None) -> dict[str, Any]:
    """Cables by kind that stay, move, are new or go, and switches to buy now.

    Parameters
    ----------
    today : FabricSpec
    endpoints : int         of tomorrow, more than today's
    moves : path or None    where to write a row for each cable that moves, CSV

    Raises
    ------
    DesignError             for a fabric that cannot be built, or one that does not grow
    """
    if today.endpoints is None or endpoints <= today.endpoints:
        raise DesignError("grow_to", endpoints, "is no growth", "give more than the endpoints")
    tomorrow = replace(today, endpoints=endpoints)
    ready = ready_to_grow(today, tomorrow)
    growth = ready.unprepared
    if moves is not None:
        rows = moved_cables(growth, build(today), build(tomorrow))
        columns = [cells([row[place] for row in rows]) for place in range(len(COLUMNS))]
        moves.write_text(csv_text(COLUMNS, columns), encoding="utf-8", newline="")
    return {
        "endpoints": endpoints,
        "stays": dict(growth.stays),
        "moves": dict(growth.moves),
        "new": dict(growth.new),
        "gone": dict(growth.gone),
        "buy_now": {tier: count for tier, count in ready.extra.items() if count},
        "moves_if_bought": ready.prepared.moved,
    }


def growth_text(record: dict[str, Any]) -> str:
    """The same for a terminal."""
    lines = [f"Grown to {record['endpoints']:,} endpoints"]
    for name in ("stays", "moves", "new", "gone"):
        parts = [f"{count:,} {kind.replace('_', '-')}" for kind, count in record[name].items()]
        lines.append(f"  {name:<6} {', '.join(parts)}")
    bought = [f"{count:,} more {tier} switches" for tier, count in record["buy_now"].items()]
    if bought:
        lines.append(
            f"  with {' and '.join(bought)} bought now, {record['moves_if_bought']:,} cables move"
        )
    return "\n".join(lines)
