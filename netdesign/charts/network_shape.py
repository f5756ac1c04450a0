"""Rows of the network picture, read from a FabricSize."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog
from netdesign.charts.words import plural

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

HEIGHT = 100.0
LEFT, RIGHT = 21.0, 99.0  # the drawing; left of it stand the words
BOX_HEIGHT = 11.0
_ROW_CENTRES = {2: (20.0, 74.0), 3: (14.0, 50.0, 86.0), 4: (10.0, 36.5, 63.0, 89.5)}


@dataclass(frozen=True)
class Row:
    """One tier: servers, leaves, spines or cores."""

    kind: str
    title: str
    detail: str
    count: int
    y: float
    links_up: int
    taper: float  # bandwidth down over bandwidth up, 1 if nothing is lost

    @property
    def heading(self) -> str:
        """The row in words: 32 leaf switches."""
        ending = "es" if self.title.endswith("switch") else "s"
        return plural(self.count, self.title, self.title + ending)


@dataclass(frozen=True)
class Shape:
    """A fabric as the picture needs it, rows from the servers up."""

    rows: tuple[Row, ...]
    pods: int
    servers_per_pod: int
    ports_per_server: int
    fabrics: int
    port_gbps: float

    def in_pod(self, row: Row, pod: int) -> int:
        """Servers or leaves of one pod: pods are filled one after the other."""
        each = math.ceil(row.count / self.pods)
        if row.kind == "server":
            each = min(self.servers_per_pod, row.count)
        return max(0, min(each, row.count - pod * each))


def shape_of(evaluation: Evaluation) -> Shape:
    """The rows of a buildable fabric."""
    fabric = evaluation.fabric
    server = load_catalog().servers[evaluation.design.cluster.server]
    gpus = int(evaluation.design.cluster.gpus)
    servers = int(evaluation.servers)
    radix = f"{int(fabric.radix)} ports each"
    fabrics = int(fabric.independent_fabrics)
    apart = f", {fabrics} that never meet" if fabrics > 1 else ""
    found = [
        ("server", "server", f"{gpus:,} GPUs", servers, int(fabric.access_links), 1.0),
        (
            "leaf",
            "leaf switch",
            radix + apart,
            int(fabric.leaves),
            int(fabric.leaf_spine_links),
            float(fabric.oversubscription),
        ),
        (
            "spine",
            "spine switch",
            radix,
            int(fabric.spines),
            int(fabric.spine_core_links),
            float(fabric.core_oversubscription),
        ),
        ("core", "core switch", radix, int(fabric.cores), 0, 1.0),
    ]
    present = [row for row in found if row[3] > 0]
    centres = _ROW_CENTRES[max(2, len(present))]
    rows = tuple(
        Row(kind, title, detail, count, y, links, taper if links else 1.0)
        for (kind, title, detail, count, links, taper), y in zip(present, centres, strict=False)
    )
    pods = max(1, math.ceil(gpus / max(1.0, float(fabric.pod_gpus))))
    return Shape(
        rows=rows,
        pods=pods,
        servers_per_pod=max(1, math.ceil(servers / pods), int(fabric.pod_gpus) // int(server.gpus)),
        ports_per_server=max(1, int(fabric.access_links) // max(1, servers)),
        fabrics=fabrics,
        port_gbps=float(server.port_gbps),
    )
