"""The cable plan as a workbook: the cables, their bundles, what to order, and where devices are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from netdesign.export.archive import NO_TIME, TimelessZip
from netdesign.export.cable_plan import COLUMNS, CablePlan
from netdesign.export.csv_cells import harmless
from netdesign.export.device_table import DeviceTable
from netdesign.topology.built import Floats

Row = Sequence[Any]

_BUNDLES = ("bundle", "from_rack", "to_rack", "kinds", "cables", "links", "longest_m")
_LENGTHS = ("medium", "gbps", "length_m", "cables", "links")
_DEVICES = ("device", "role", "pod", "rail", "plane", "rack", "unit", "links")
_WIDTHS = {"label": 44, "from_device": 16, "to_device": 16, "device": 16, "medium": 20, "kinds": 24}
_WIDTH = 11


def write_workbook(plan: CablePlan, path: str | Path) -> None:
    """Write the sheets Cables, Bundles, Lengths and Devices; the same plan gives the same bytes."""
    from openpyxl import Workbook
    from openpyxl.writer.excel import ExcelWriter

    book = Workbook(write_only=True)
    book.properties.creator = "netdesign"
    book.properties.created = book.properties.modified = NO_TIME
    for title, header, rows in (
        ("Cables", COLUMNS, _cable_rows(plan)),
        ("Bundles", _BUNDLES, bundle_rows(plan)),
        ("Lengths", _LENGTHS, length_rows(plan)),
        ("Devices", _DEVICES, _device_rows(plan)),
    ):
        _fill(book.create_sheet(title), header, rows)
    # Workbook.save would write the time of day into the file.
    with TimelessZip(path, "w", allowZip64=True) as archive:
        ExcelWriter(book, archive).write_data()


def bundle_rows(plan: CablePlan) -> list[Row]:
    """One row a bundle: the racks (devices without a placement), cables, links, longest cable."""
    bundles, first, inverse = np.unique(plan.bundle, return_index=True, return_inverse=True)
    count = len(bundles)
    links = np.bincount(inverse, minlength=count)
    assemblies = np.unique(np.stack([inverse, plan.cable]), axis=1)[0] if count else inverse
    cables = np.bincount(assemblies, minlength=count)
    longest: list[Any] = [None] * count
    if plan.length_m is not None:
        most = np.zeros(count)
        np.maximum.at(most, inverse, plan.length_m)
        longest = np.round(most, 2).tolist()
    kinds: list[dict[str, None]] = [{} for _ in range(count)]
    for number, kind in zip(inverse.tolist(), plan.kind, strict=True):
        kinds[number][kind] = None
    return [
        (
            number,
            harmless(plan.a_rack[row] or plan.a_device[row]),
            harmless(plan.b_rack[row] or plan.b_device[row]),
            harmless(" ".join(names)),
            cable,
            link,
            length,
        )
        for number, row, names, cable, link, length in zip(
            bundles.tolist(),
            first.tolist(),
            kinds,
            cables.tolist(),
            links.tolist(),
            longest,
            strict=True,
        )
    ]


def length_rows(plan: CablePlan) -> list[Row]:
    """One row a medium, speed and length: how many cables to order, and how many links they carry.

    A cable assembly with tails of several lengths is ordered as its longest.
    """
    length = _metres(plan.length_m, len(plan))
    longest: dict[int, float] = {}
    for cable, metres in zip(plan.cable.tolist(), length, strict=True):
        longest[cable] = max(metres or 0.0, longest.get(cable, 0.0))
    counted: dict[tuple[str, float, float], list[int]] = {}
    seen: set[int] = set()
    for cable, medium, gbps in zip(
        plan.cable.tolist(), plan.medium, plan.gbps.tolist(), strict=True
    ):
        entry = counted.setdefault((medium, gbps, longest[cable]), [0, 0])
        entry[0] += cable not in seen
        entry[1] += 1
        seen.add(cable)
    return [
        (harmless(medium), gbps, None if plan.length_m is None else metres, cables, links)
        for (medium, gbps, metres), (cables, links) in sorted(counted.items())
    ]


def _cable_rows(plan: CablePlan) -> Iterable[Row]:
    metres = _metres(plan.length_m, len(plan))
    return zip(
        plan.order.tolist(),
        plan.bundle.tolist(),
        plan.cable.tolist(),
        _texts(plan.label),
        _texts(plan.a_device),
        _texts(plan.a_port),
        _texts(plan.a_rack),
        _units(plan.a_unit.tolist()),
        _texts(plan.b_device),
        _texts(plan.b_port),
        _texts(plan.b_rack),
        _units(plan.b_unit.tolist()),
        _texts(plan.kind),
        plan.gbps.tolist(),
        _texts(plan.medium),
        metres,
        strict=True,
    )


def _device_rows(plan: CablePlan) -> Iterable[Row]:
    table: DeviceTable = plan.devices
    ends: dict[str, int] = dict.fromkeys(table.name, 0)
    for name in (*plan.a_device, *plan.b_device):
        ends[name] += 1
    return zip(
        _texts(table.name),
        _texts(table.role),
        _known(table.pod.tolist()),
        _known(table.rail.tolist()),
        _known(table.plane.tolist()),
        _texts(table.rack),
        _units(table.unit.tolist()),
        [ends[name] for name in table.name],
        strict=True,
    )


def _metres(length_m: Floats | None, count: int) -> list[Any]:
    if length_m is None:
        return [None] * count
    rounded: list[Any] = np.round(length_m.astype(np.float64), 2).tolist()
    return rounded


def _texts(values: list[str]) -> list[str | None]:
    return [harmless(text) or None for text in values]


def _units(units: list[int]) -> list[int | None]:
    return [unit if unit > 0 else None for unit in units]


def _known(numbers: list[int]) -> list[int | None]:
    return [number if number >= 0 else None for number in numbers]


def _fill(sheet: Any, header: Sequence[str], rows: Iterable[Row]) -> None:
    from openpyxl.utils import get_column_letter

    sheet.freeze_panes = "A2"
    for number, name in enumerate(header, start=1):
        sheet.column_dimensions[get_column_letter(number)].width = _WIDTHS.get(name, _WIDTH)
    sheet.append(header)
    for row in rows:
        sheet.append(row)
