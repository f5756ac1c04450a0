"""Import files for NetBox: sites, roles, types, racks, devices, interfaces and cables as CSV.

Column names and choices are those of the bulk-import forms of NetBox 4.7 (dcim/forms/bulk_import.py
and dcim/choices.py of netbox-community/netbox, read at 4.7.1 of 2026-09-15); the columns used here
are the same back to 4.0. Import the files in the order of their numbers.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from netdesign.catalog import LinkMedium, load_catalog
from netdesign.errors import DesignError
from netdesign.export.archive import TimelessZip
from netdesign.export.cable_plan import CablePlan, cable_table, lengths
from netdesign.export.csv_cells import cells, csv_text
from netdesign.export.device_table import DeviceTable
from netdesign.topology.built import Fabric

if TYPE_CHECKING:
    from netdesign.topology.layout import Placement

Technology = Literal["ethernet", "infiniband"]
Columns = dict[str, Sequence[str]]

_LONGEST_LABEL = 100
_PLANNED = "planned"
_MAKER = "Generic"
_ROLE_COLOUR = "9e9e9e"
_KBPS = 1_000_000  # in a gigabit per second; NetBox holds the speed of an interface in kbit/s

# Names of NetBox, not of ours: InterfaceTypeChoices by speed in Gb/s, and CableTypeChoices.
_ETHERNET = {
    1: "1000base-t",
    10: "10gbase-x-sfpp",
    25: "25gbase-x-sfp28",
    40: "40gbase-x-qsfpp",
    50: "50gbase-x-sfp56",
    100: "100gbase-x-qsfp28",
    200: "200gbase-x-qsfp56",
    400: "400gbase-x-osfp",
    800: "800gbase-x-osfp",
}
_INFINIBAND = {
    100: "infiniband-edr",
    200: "infiniband-hdr",
    400: "infiniband-ndr",
    800: "infiniband-xdr",
}
_CABLE_TYPES = {
    "dac": "dac-passive",
    "active-copper": "dac-active",
    "aoc": "aoc",
    "optics-multimode": "mmf",
    "optics-singlemode": "smf",
}


def netbox_files(
    fabric: Fabric,
    placement: Placement | None = None,
    *,
    site: str = "Cluster",
    technology: Technology = "ethernet",
    media: Iterable[LinkMedium] | None = None,
    server_twin_port_cages: bool = False,
    switch_cage_ports: int = 1,
) -> dict[str, str]:
    """The import files by name, in the order in which NetBox must read them.

    Parameters
    ----------
    fabric : Fabric
    placement : Placement or None           without it no racks, and devices without a position
    site : str                              name of the site that everything stands in
    technology : "ethernet" or "infiniband" chooses the type of the interfaces
    media : iterable of LinkMedium or None  rows that ``fabric.media`` names; None: the catalogue
    server_twin_port_cages, switch_cage_ports   as given to ``topology.layout.with_cables``
    """
    if technology not in ("ethernet", "infiniband"):
        raise DesignError(
            "technology", technology, "is not known to NetBox", "give ethernet or infiniband"
        )
    rows = tuple(load_catalog().link_media.values() if media is None else media)
    plan = cable_table(
        fabric,
        placement,
        rows,
        server_twin_port_cages=server_twin_port_cages,
        switch_cage_ports=switch_cage_ports,
    )
    table = plan.devices
    heights = _heights(placement, table)
    files = _before_racks(site, heights)
    if placement is not None:
        files["racks"] = _racks(placement, table, heights, site)
    files["devices"] = _devices(table, site, placed=placement is not None)
    files["interfaces"] = _interfaces(plan, technology)
    files["cables"] = _cables(plan, rows)
    return {
        f"{number:02d}-{name}.csv": csv_text(
            list(columns), [cells(list(column)) for column in columns.values()]
        )
        for number, (name, columns) in enumerate(files.items(), start=1)
    }


def write_netbox(
    fabric: Fabric, placement: Placement | None, path: str | Path, **options: Any
) -> None:
    """Write the import files as one ZIP archive; options are those of ``netbox_files``."""
    archive_bytes = io.BytesIO()
    with TimelessZip(archive_bytes, "w") as archive:
        for name, text in netbox_files(fabric, placement, **options).items():
            archive.writestr(name, text.encode("utf-8"))
    Path(path).write_bytes(archive_bytes.getvalue())


def _before_racks(site: str, heights: dict[str, int]) -> dict[str, Columns]:
    """What racks and devices refer to: the site, a maker, and a role and a type for each role."""
    roles = list(heights)
    slugs = [_slug(role) for role in roles]
    return {
        "sites": {"name": [site], "slug": [_slug(site)], "status": [_PLANNED]},
        "manufacturers": {"name": [_MAKER], "slug": [_slug(_MAKER)]},
        "device-roles": {"name": roles, "slug": slugs, "color": [_ROLE_COLOUR] * len(roles)},
        "device-types": {
            "manufacturer": [_MAKER] * len(roles),
            "model": roles,
            "slug": slugs,
            "u_height": [str(heights[role]) for role in roles],
        },
    }


def _racks(placement: Placement, table: DeviceTable, heights: dict[str, int], site: str) -> Columns:
    """Racks as high as the highest of them is used: NetBox refuses a device above the top."""
    tops = [
        unit + heights[role] - 1 for unit, role in zip(table.unit.tolist(), table.role, strict=True)
    ]
    count = len(placement.rack_names)
    return {
        "site": [site] * count,
        "name": placement.rack_names,
        "status": [_PLANNED] * count,
        "width": ["19"] * count,
        "u_height": [str(max(tops, default=1))] * count,
    }


def _devices(table: DeviceTable, site: str, *, placed: bool) -> Columns:
    count = len(table)
    columns: Columns = {
        "name": table.name,
        "role": table.role,
        "manufacturer": [_MAKER] * count,
        "device_type": table.role,
        "status": [_PLANNED] * count,
        "site": [site] * count,
    }
    if placed:
        columns["rack"] = table.rack
        columns["position"] = [str(unit) for unit in table.unit.tolist()]
        columns["face"] = ["front"] * count
    return columns


def _interfaces(plan: CablePlan, technology: Technology) -> Columns:
    """Every cabled port; a lane of a split port is an interface of its own."""
    known = _ETHERNET if technology == "ethernet" else _INFINIBAND
    speeds = plan.gbps.tolist()
    kinds = [known.get(speed, "other") for speed in speeds]
    kbps = [str(round(speed * _KBPS)) for speed in speeds]
    return {
        "device": [*plan.a_device, *plan.b_device],
        "name": [*plan.a_port, *plan.b_port],
        "type": kinds * 2,
        "speed": kbps * 2,
    }


def _cables(plan: CablePlan, media: Iterable[LinkMedium]) -> Columns:
    """One cable a link; a splitter is as many cables as it has tails, with one number in labels."""
    types = {medium.id: _CABLE_TYPES.get(medium.kind, "") for medium in media}
    count = len(plan)
    columns: Columns = {
        "side_a_device": plan.a_device,
        "side_a_type": ["dcim.interface"] * count,
        "side_a_name": plan.a_port,
        "side_b_device": plan.b_device,
        "side_b_type": ["dcim.interface"] * count,
        "side_b_name": plan.b_port,
        "type": [types.get(medium, "") for medium in plan.medium],
        "status": [_PLANNED] * count,
        "label": [label[:_LONGEST_LABEL] for label in plan.label],
    }
    if plan.length_m is not None:
        columns["length"] = lengths(plan.length_m, count)
        columns["length_unit"] = ["m"] * count
    return columns


def _heights(placement: Placement | None, table: DeviceTable) -> dict[str, int]:
    """Rack units of each role: of its highest device; 1 where nothing was placed."""
    found = dict.fromkeys(table.role, 1)
    if placement is not None:
        for role, height in zip(table.role, placement.height.tolist(), strict=True):
            found[role] = max(found[role], height)
    return found


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-") or "unnamed"
