"""Which modules and cables make the links of a built fabric, counted cage by cage?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from netdesign.catalog import LinkMedium, load_catalog
from netdesign.economics.link_parts import LinkParts, PartCount
from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, Ints
from netdesign.topology.cabling import Cages, cages_of

Whole = npt.NDArray[np.int64]


def fabric_parts(
    fabric: Fabric,
    server_twin_port_cages: bool = False,
    switch_cage_ports: int = 1,
    *,
    media: Mapping[str, LinkMedium] | None = None,
) -> tuple[LinkParts, ...]:
    """Modules and cables of every kind of link, as ``economics.link_parts`` gives them.

    Link ends in one cage that use the same module share it, also when their links are of two
    kinds; the module then counts where the lower kind is. A cable that carries two links counts
    once for two that leave one cage: to servers for one cage of the switch (a splitter), between
    switches for one cage at each end.

    Parameters
    ----------
    fabric : Fabric                  with media, see ``topology.layout.with_cables``
    server_twin_port_cages : bool    two ports of a server share a cage
    switch_cage_ports : int, >= 1    ports of a switch that share a cage
    media : mapping                  the media by id; the catalogue's if None

    Returns
    -------
    tuple of LinkParts               places: "access" (its parts also at place "server"),
                                     "leaf-spine", "spine-core", or the kind's own name; links that
                                     no medium reaches are an entry without parts

    Raises
    ------
    DesignError                      when the fabric has no media yet
    """
    if fabric.medium is None:
        raise DesignError(
            "fabric", fabric.family, "has no cables yet", "call with_cables on its placement first"
        )
    known = load_catalog().link_media if media is None else media
    rows = tuple(known[key] for key in fabric.media)
    cages = cages_of(
        fabric,
        server_twin_port_cages=server_twin_port_cages,
        switch_cage_ports=switch_cage_ports,
    )
    modules = _modules(fabric, fabric.medium, rows, cages)
    found = []
    for index, kind in enumerate(fabric.kinds):
        links = fabric.kind == index
        reached = links & (fabric.medium >= 0)
        total, served = int(np.count_nonzero(links)), int(np.count_nonzero(reached))
        place = _place(kind.name)
        parts = [
            PartCount(part, "transceiver", "server" if at_server else place, count)
            for (part, at_server), count in modules[index].items()
        ]
        parts += _cables(fabric, fabric.medium, rows, cages, reached, place)
        if served:
            found.append(LinkParts(place, served, kind.gbps, tuple(parts)))
        if total > served:
            found.append(LinkParts(place, total - served, kind.gbps, ()))
    return tuple(found)


def _place(kind: str) -> str:
    return "access" if kind == "host" else kind.replace("_", "-")


def _modules(
    fabric: Fabric, medium: Ints, rows: tuple[LinkMedium, ...], cages: Cages
) -> list[dict[tuple[str, bool], int]]:
    """For each kind of link: modules by part and by whether they sit in a server."""
    at_server = (fabric.a < fabric.hosts) & (fabric.b >= fabric.hosts)
    found: list[dict[tuple[str, bool], int]] = [{} for _ in fabric.kinds]
    ends = (
        ("host_end", at_server, cages.a, True),
        ("switch_end", ~at_server, cages.a, False),
        ("switch_end", np.ones_like(at_server), cages.b, False),
    )
    sides = sorted({(end, server) for end, _, _, server in ends})
    for end, server in sides:
        for part, ports in _parts_of(rows, end).items():
            uses = np.array([getattr(row, f"{end}_part") == part for row in rows] + [False])
            cage = np.concatenate(
                [where[mask & uses[medium]] for name, mask, where, _ in ends if name == end]
            )
            kind = np.concatenate(
                [fabric.kind[mask & uses[medium]] for name, mask, _, _ in ends if name == end]
            )
            for index, count in enumerate(_shared(cage, kind, ports, len(fabric.kinds))):
                if count:
                    found[index][part, server] = count
    return found


def _parts_of(rows: tuple[LinkMedium, ...], end: str) -> dict[str, int]:
    """Modules that sit at this end of the media, with their ports."""
    return {
        getattr(row, f"{end}_part"): getattr(row, f"{end}_ports")
        for row in rows
        if getattr(row, f"{end}_part")
    }


def _shared(cage: Whole, kind: Whole, ports: int, kinds: int) -> list[int]:
    """Modules that each kind of link adds: a kind fills what lower kinds left in their cages."""
    _, which = np.unique(cage, return_inverse=True)
    size = int(which.max(initial=-1)) + 1
    held = np.zeros(size, dtype=np.int64)
    before, added = 0, []
    for index in range(kinds):
        held += np.bincount(which[kind == index], minlength=size)
        after = int((-(-held // ports)).sum())
        added.append(after - before)
        before = after
    return added


def _cables(
    fabric: Fabric,
    medium: Ints,
    rows: tuple[LinkMedium, ...],
    cages: Cages,
    chosen: npt.NDArray[np.bool_],
    place: str,
) -> list[PartCount]:
    """Cables of the chosen links, by part."""
    counts: dict[str, int] = {}
    for index, row in enumerate(rows):
        links = np.flatnonzero(chosen & (medium == index))
        if not len(links):
            continue
        count = len(links)
        if row.cable_links > 1:
            to_server = (fabric.a[links] < fabric.hosts) & (fabric.b[links] >= fabric.hosts)
            other = np.where(to_server, 0, 1 + cages.a[links])
            together = np.unique(cages.b[links] * (cages.count + 1) + other, return_counts=True)[1]
            count = int((-(-together // row.cable_links)).sum())
        counts[row.cable_part] = counts.get(row.cable_part, 0) + count
    return [PartCount(part, "cable", place, count) for part, count in counts.items()]
