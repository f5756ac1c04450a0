"""Rows of the network picture, read from a FabricSize."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog
from netdesign.charts.network_cabling import Cabling, cabling_of
from netdesign.wording import plural

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

    def of(self, count: int) -> str:
        """Some boxes of this row in a word: 4 leaves."""
        return plural(count, self.kind, "leaves" if self.kind == "leaf" else f"{self.kind}s")


@dataclass(frozen=True)
class Column:
    """What is drawn above one another: a pod, or a rail that is a fabric of its own."""

    name: str
    counts: tuple[int, ...]  # boxes of each row that belong to this column
    texts: tuple[str, ...]
    links_up: tuple[int, ...]  # links of this column from each row to the next


@dataclass(frozen=True)
class Shape:
    """A fabric as the picture needs it, rows from the servers up."""

    rows: tuple[Row, ...]
    cabling: Cabling
    fabrics: int
    port_gbps: float

    @property
    def columns(self) -> int:
        """Rails where they never meet, pods elsewhere."""
        return self.fabrics if self.fabrics > 1 else self.cabling.pods

    @property
    def in_columns(self) -> tuple[str, ...]:
        """Kinds of the rows that are cut into columns; the others are one box for all."""
        return ("leaf", "spine", "core") if self.fabrics > 1 else ("server", "leaf")

    def column(self, number: int) -> Column:
        """One column, counted from 0."""
        return self._rail(number) if self.fabrics > 1 else self._pod(number)

    def _rail(self, number: int) -> Column:
        counts = tuple(row.count // self.fabrics for row in self.rows)
        return Column(
            name=f"Rail {number + 1:,}",
            counts=counts,
            texts=tuple(row.of(count) for row, count in zip(self.rows, counts, strict=True)),
            links_up=tuple(row.links_up // self.fabrics for row in self.rows),
        )

    def _pod(self, number: int) -> Column:
        cabling, (servers, leaf) = self.cabling, self.rows[:2]
        ports, leaves = cabling.pod_ports(number), cabling.pod_leaves(number)
        whole = ports % cabling.ports == 0
        single = cabling.pods == leaf.count > 1
        return Column(
            name=f"Pod {number + 1:,}",
            counts=(math.ceil(ports / cabling.ports), leaves),
            texts=(
                servers.of(ports // cabling.ports) if whole else plural(ports, "server port"),
                f"leaf {number + 1:,}" if single else leaf.of(leaves),
            ),
            links_up=(ports, leaves * (leaf.links_up // leaf.count)),
        )


def shape_of(evaluation: Evaluation) -> Shape:
    """The rows of a buildable fabric."""
    fabric, catalog = evaluation.fabric, load_catalog()
    server = catalog.servers[evaluation.design.cluster.server]
    switch = catalog.switches[evaluation.design.network.switch]
    gpus = int(evaluation.design.cluster.gpus)
    servers = int(evaluation.servers)
    radix = f"{int(fabric.radix)} ports each"
    fabrics = int(fabric.independent_fabrics)
    found = [
        ("server", "server", f"{gpus:,} GPUs", servers, int(fabric.access_links), 1.0),
        (
            "leaf",
            "leaf switch",
            radix,
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
    return Shape(
        rows=rows,
        cabling=cabling_of(evaluation),
        fabrics=fabrics,
        port_gbps=min(server.port_gbps, switch.port_gbps),
    )
