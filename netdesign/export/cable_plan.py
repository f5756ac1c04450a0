"""Which cable goes where, in which order is it pulled, and what is printed on it?

One row is one link. Cables are pulled in bundles, all cables between one pair of racks at once:

1. bundles between racks before cables inside a rack, which never lie in a tray;
2. bundles of the highest tier first (core, then spine, then servers): they run the farthest and
   lie undermost, and they do not wait for servers to arrive;
3. of one tier the longest bundle first, then by rack;
4. inside a bundle switch by switch and port by port of the upper end.

Without a placement the cables between one pair of devices are a bundle. A copper splitter carries
several links: its rows share a number in ``cable``, and each of its tails has a label of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from netdesign.catalog import LinkMedium, load_catalog
from netdesign.export.csv_cells import cells, csv_text
from netdesign.export.device_table import DeviceTable, device_table
from netdesign.topology.built import Fabric, Floats, Ints
from netdesign.topology.cabling import Cages, cages_of
from netdesign.topology.naming import port_names
from netdesign.topology.wiring import occurrence

if TYPE_CHECKING:
    from netdesign.topology.layout import Placement

Numbers = npt.NDArray[np.int64]

COLUMNS = (
    "order",
    "bundle",
    "cable",
    "label",
    "from_device",
    "from_port",
    "from_rack",
    "from_unit",
    "to_device",
    "to_port",
    "to_rack",
    "to_unit",
    "kind",
    "gbps",
    "medium",
    "length_m",
)
_LABEL_DIGITS = 6


@dataclass(frozen=True, eq=False)
class CablePlan:
    """The links of a fabric in the order in which their cables are pulled; columns of one length.

    ``a`` is the end nearer the hosts.
    """

    link: Numbers  # index of the link in the fabric
    order: Numbers  # 1 and up
    bundle: Numbers  # 1 and up: cables pulled together
    cable: Numbers  # 1 and up: links in one cable assembly share it
    label: list[str]
    a_device: list[str]
    a_port: list[str]
    a_rack: list[str]  # "" without a placement
    a_unit: Ints  # 0 without a placement
    b_device: list[str]
    b_port: list[str]
    b_rack: list[str]
    b_unit: Ints
    kind: list[str]
    gbps: npt.NDArray[np.float64]
    medium: list[str]  # key of the catalogue's link media, "" if none reaches or none was chosen
    length_m: Floats | None  # None before cables were measured
    devices: DeviceTable

    def __len__(self) -> int:
        return len(self.link)

    @property
    def cables(self) -> int:
        """Cable assemblies to buy."""
        return int(self.cable.max(initial=0))


def cable_table(
    fabric: Fabric,
    placement: Placement | None = None,
    media: Iterable[LinkMedium] | None = None,
    *,
    server_twin_port_cages: bool = False,
    switch_cage_ports: int = 1,
) -> CablePlan:
    """The cable plan of a fabric.

    Parameters
    ----------
    fabric : Fabric                         with length and medium of its links, or without
    placement : Placement or None           racks and rack units of its devices
    media : iterable of LinkMedium or None  rows that ``fabric.media`` names; None: the catalogue
    server_twin_port_cages : bool           as given to ``topology.layout.with_cables``
    switch_cage_ports : int, >= 1           as given to ``topology.layout.with_cables``

    Returns
    -------
    CablePlan                               one row a link
    """
    cages = cages_of(
        fabric,
        server_twin_port_cages=server_twin_port_cages,
        switch_cage_ports=switch_cage_ports,
    )
    bundle, link = _pulled(fabric, placement)
    cable = _numbered(_assemblies(fabric, cages, media)[link])
    return _rows(fabric, device_table(fabric, placement), link, bundle[link], cable)


def to_csv(plan: CablePlan) -> str:
    """The plan as CSV (RFC 4180) with the columns ``COLUMNS``; unknown cells are empty."""
    columns = (
        _whole(plan.order),
        _whole(plan.bundle),
        _whole(plan.cable),
        _label_cells(plan),
        cells(plan.a_device),
        cells(plan.a_port),
        cells(plan.a_rack),
        _units(plan.a_unit),
        cells(plan.b_device),
        cells(plan.b_port),
        cells(plan.b_rack),
        _units(plan.b_unit),
        cells(plan.kind),
        [f"{speed:g}" for speed in plan.gbps.tolist()],
        cells(plan.medium),
        lengths(plan.length_m, len(plan)),
    )
    return csv_text(COLUMNS, columns)


def write_csv(plan: CablePlan, path: str | Path) -> None:
    """Write the plan to a CSV file in UTF-8."""
    Path(path).write_bytes(to_csv(plan).encode("utf-8"))


def lengths(length_m: Floats | None, count: int) -> list[str]:
    """Lengths in metres as cells, to a centimetre; empty where unknown."""
    if length_m is None:
        return [""] * count
    return [f"{length:g}" for length in np.round(length_m.astype(np.float64), 2).tolist()]


def write_xlsx(plan: CablePlan, path: str | Path) -> None:
    """Write the plan as a workbook: Cables, Bundles, Lengths, Devices. See cable_workbook."""
    from netdesign.export.cable_workbook import write_workbook

    write_workbook(plan, path)


def _rows(
    fabric: Fabric, devices: DeviceTable, link: Numbers, bundle: Numbers, cable: Numbers
) -> CablePlan:
    """The columns of the plan for links in the order in which they are pulled."""
    a, b, kind = fabric.a[link], fabric.b[link], fabric.kind[link]
    a_device, b_device = _gathered(devices.name, a), _gathered(devices.name, b)
    a_port = port_names(fabric, fabric.a_slot[link], a).tolist()
    b_port = port_names(fabric, fabric.b_slot[link], b).tolist()
    return CablePlan(
        link=link,
        order=np.arange(1, len(link) + 1),
        bundle=bundle,
        cable=cable,
        label=_labels(cable, a_device, a_port, b_device, b_port),
        a_device=a_device,
        a_port=a_port,
        a_rack=_gathered(devices.rack, a),
        a_unit=devices.unit[a],
        b_device=b_device,
        b_port=b_port,
        b_rack=_gathered(devices.rack, b),
        b_unit=devices.unit[b],
        kind=_gathered([entry.name for entry in fabric.kinds], kind),
        gbps=np.asarray([entry.gbps for entry in fabric.kinds], dtype=np.float64)[kind],
        medium=_media(fabric, link),
        length_m=None if fabric.length_m is None else fabric.length_m[link],
        devices=devices,
    )


def _pulled(fabric: Fabric, placement: Placement | None) -> tuple[Numbers, Numbers]:
    """The bundle of every link, and the links in the order in which they are pulled."""
    place = np.arange(fabric.devices) if placement is None else placement.rack
    ends = np.sort(np.stack([place[fabric.a], place[fabric.b]]).astype(np.int64), axis=0)
    places = int(place.max(initial=0)) + 1
    pairs, inverse = np.unique(ends[0] * places + ends[1], return_inverse=True)
    near, far = pairs // places, pairs % places
    highest = np.zeros(len(pairs), dtype=np.int64)
    np.maximum.at(highest, inverse, fabric.kind)
    longest = np.zeros(len(pairs))
    if fabric.length_m is not None:
        np.maximum.at(longest, inverse, fabric.length_m)
    rank = np.empty(len(pairs), dtype=np.int64)
    rank[np.lexsort((far, near, -longest, -highest, near == far))] = np.arange(1, len(pairs) + 1)
    bundle = rank[inverse]
    order = np.lexsort((fabric.a_slot, fabric.a, fabric.b_slot, fabric.b, -fabric.kind, bundle))
    return bundle, order


def _assemblies(fabric: Fabric, cages: Cages, media: Iterable[LinkMedium] | None) -> Numbers:
    """A number for every link that links in one cable assembly share.

    Links of one assembly leave one cage of the switch. Between two switches they end in one cage
    as well; towards servers each has a tail of its own. ``economics.fabric_parts`` counts alike.
    """
    alone = np.arange(fabric.links, dtype=np.int64)
    if fabric.medium is None or not fabric.media:
        return alone
    rows = load_catalog().link_media.values() if media is None else media
    carried = {row.id: row.cable_links for row in rows}
    most = np.asarray([carried.get(name, 1) for name in fabric.media] + [1])[fabric.medium]
    shared = np.flatnonzero(most > 1)
    tail = fabric.a[shared] < fabric.hosts
    together = np.unique(
        np.stack([fabric.medium[shared], cages.b[shared], np.where(tail, -1, cages.a[shared])]),
        axis=1,
        return_inverse=True,
    )[1]
    order = np.lexsort((fabric.b_slot[shared], together))
    place = np.empty(len(shared), dtype=np.int64)
    place[order] = occurrence(together[order])
    part = together * (fabric.links + 1) + place // most[shared]
    _, first, inverse = np.unique(part, return_index=True, return_inverse=True)
    alone[shared] = shared[first[inverse]]
    return alone


def _numbered(groups: Numbers) -> Numbers:
    """Groups renumbered 1, 2, ... as they first occur."""
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(1, len(first) + 1)
    return rank[inverse]


def _labels(
    cable: Numbers, a_device: list[str], a_port: list[str], b_device: list[str], b_port: list[str]
) -> list[str]:
    digits = max(_LABEL_DIGITS, len(str(int(cable.max(initial=0)))))
    return [
        f"C-{number:0{digits}d} {a}:{a_end} > {b}:{b_end}"
        for number, a, a_end, b, b_end in zip(
            cable.tolist(), a_device, a_port, b_device, b_port, strict=True
        )
    ]


def _label_cells(plan: CablePlan) -> list[str]:
    # Labels are all different: look at what they are made of instead, which is not.
    parts = (plan.a_device, plan.a_port, plan.b_device, plan.b_port)
    if all(text == cell for part in parts for text, cell in _changes(part)):
        return plan.label
    return cells(plan.label)


def _changes(part: list[str]) -> Iterable[tuple[str, str]]:
    texts = list(set(part))
    return zip(texts, cells(texts), strict=True)


def _media(fabric: Fabric, link: Numbers) -> list[str]:
    if fabric.medium is None:
        return [""] * len(link)
    return _gathered([*fabric.media, ""], fabric.medium[link])


def _gathered(texts: list[str], index: npt.NDArray[np.integer]) -> list[str]:
    gathered: list[str] = np.asarray(texts, dtype=object)[index].tolist()
    return gathered


def _whole(numbers: Numbers) -> list[str]:
    return list(map(str, numbers.tolist()))


def _units(units: Ints) -> list[str]:
    return [str(unit) if unit > 0 else "" for unit in units.tolist()]
