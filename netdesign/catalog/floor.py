"""The machine room: how racks stand, how cables run, which lengths are on the shelf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from netdesign.catalog.tables import Name, Positive, Row, numbered_rows
from netdesign.errors import DesignError

_LENGTH = "stocked-length"
_WHOLE = ("racks-per-row", "rack-units", "gpus-per-rack", "switches-per-rack", "switch-units")
_NAMES = (
    "rack-width",
    "row-pitch",
    "cross-aisle",
    "unit-height",
    "tray-height",
    "port-to-manager",
    "slack-share",
    "units-per-gpu",
    "made-to-order-step",
    *_WHOLE,
)


class FloorRow(Row):
    """One number of the machine room; ``stocked-length`` has a row for each length."""

    name: Name
    value: Positive
    unit: Name


@dataclass(frozen=True)
class Floor:
    """A machine room with overhead cable trays; lengths in metres."""

    rack_width: float
    row_pitch: float  # from the middle of one row to the middle of the next
    racks_per_row: int
    cross_aisle: float  # between two rows that stand in one line
    rack_units: int
    unit_height: float
    tray_height: float  # above the top of the racks
    port_to_manager: float  # from a port sideways to where cables climb
    slack_share: float  # of the route
    gpus_per_rack: int
    units_per_gpu: float
    switches_per_rack: int
    switch_units: int
    made_to_order_step: float
    stocked_lengths: tuple[float, ...]  # rising
    servers_per_rack: int | None = None  # as many as ``gpus_per_rack`` allows if None
    server_units: int | None = None  # by ``units_per_gpu`` if None


def read_floor(path: Path) -> tuple[FloorRow, ...]:
    """Read floor.csv.

    Raises
    ------
    DesignError     naming the row of an unknown or repeated name, or the name that is missing
    """
    seen: set[tuple[str, float]] = set()
    names: set[str] = set()
    rows = numbered_rows(path, FloorRow)
    for line, row in rows:
        where = f"{path.name}, row {line}, column name"
        if row.name not in (*_NAMES, _LENGTH):
            raise DesignError(where, row.name, "is not known", "use " + ", ".join(_NAMES))
        if (row.name, row.value) in seen or (row.name in names and row.name != _LENGTH):
            raise DesignError(where, row.name, "stands twice in the file", "keep one row")
        if row.name in _WHOLE and row.value % 1:
            where = f"{path.name}, row {line}, column value"
            raise DesignError(where, row.value, "is not a whole number", "give a whole number")
        seen.add((row.name, row.value))
        names.add(row.name)
    for name in (*_NAMES, _LENGTH):
        if name not in names:
            raise DesignError(f"{path.name}, column name", name, "is missing", "add the row")
    return tuple(row for _, row in rows)


def floor_of(rows: Sequence[FloorRow]) -> Floor:
    """The machine room that checked rows describe."""
    value = {row.name: row.value for row in rows}
    return Floor(
        rack_width=value["rack-width"],
        row_pitch=value["row-pitch"],
        cross_aisle=value["cross-aisle"],
        racks_per_row=int(value["racks-per-row"]),
        rack_units=int(value["rack-units"]),
        unit_height=value["unit-height"],
        tray_height=value["tray-height"],
        port_to_manager=value["port-to-manager"],
        slack_share=value["slack-share"],
        gpus_per_rack=int(value["gpus-per-rack"]),
        units_per_gpu=value["units-per-gpu"],
        switches_per_rack=int(value["switches-per-rack"]),
        switch_units=int(value["switch-units"]),
        made_to_order_step=value["made-to-order-step"],
        stocked_lengths=tuple(sorted(row.value for row in rows if row.name == _LENGTH)),
    )
