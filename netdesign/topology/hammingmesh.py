"""HammingMesh: boards of a x a accelerators, their rows and columns joined by switches.

Accelerators of a board form a mesh. Both ends of every row of every board go to the switch of that
row of the machine, and so for columns (hammingmesh-2022). Counts are of one plane and are not
built. How lines share switches is inferred from the costs that the paper prints: short lines share
a switch, a line longer than a switch is a fat tree of two tiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NoReturn

from netdesign.errors import DesignError
from netdesign.topology.direct import MOST_ENDPOINTS, check, check_dims, usable_ports
from netdesign.topology.spec import FabricCounts, FabricSpec

_ONLY_COUNTED = "A HammingMesh is only counted; a HyperX of the same rows and columns can be built."


@dataclass(frozen=True)
class Lines:
    """All lines of one direction: each joins the two ends of its row of every board."""

    count: int
    boards: int  # along a line
    usable: int  # ports of a switch

    @property
    def ports(self) -> int:
        """Ports of accelerators on a line; a single board needs no switch."""
        return 2 * self.boards if self.boards > 1 else 0

    @property
    def tall(self) -> bool:
        return self.ports > self.usable

    @property
    def leaves(self) -> int:
        if not self.ports:
            return 0
        if self.tall:
            return self.count * -(-self.ports // (self.usable // 2))
        return -(-self.count // (self.usable // self.ports))

    @property
    def spines(self) -> int:
        return self.count * -(-self.ports // self.usable) if self.tall else 0

    @property
    def uplinks(self) -> int:
        return self.count * self.ports if self.tall else 0

    def steps(self, a: int) -> int:
        """Links between the two farthest accelerators of a line: to an edge, over, and inward."""
        if not self.ports:
            return a - 1
        return 2 * ((a - 1) // 2) + (4 if self.tall else 2)


def size_hammingmesh(spec: FabricSpec) -> FabricCounts:
    """Counts of one plane of a HammingMesh by formula.

    ``a`` is the side of a board, ``dims`` the boards along a row and along a column. The diameter
    is in links between accelerators; the bisection is that of the narrower direction, in links of
    accelerators, and is 1 / (2a) of what they inject.

    Raises
    ------
    DesignError    a, dims or radix is missing or is no size
    """
    a, (x, y), usable = _request(spec)
    directions = (Lines(a * y, x, usable), Lines(a * x, y, usable))
    links = {
        "host": sum(line.count * line.ports for line in directions),
        "board": 2 * a * (a - 1) * x * y,
        "leaf_spine": sum(line.uplinks for line in directions),
    }
    leaves, spines = (sum(getattr(line, n) for line in directions) for n in ("leaves", "spines"))
    used = links["host"] + 2 * links["leaf_spine"]
    return FabricCounts(
        family=spec.family,
        endpoints=a * a * x * y,
        switches={"leaf": leaves, "spine": spines},
        links=links,
        link_gbps=dict.fromkeys(links, spec.port_gbps),
        oversubscription=1.0,
        diameter=sum(line.steps(a) for line in directions),
        bisection_links=min(
            (2 * (line.boards // 2) * line.count for line in directions if line.ports), default=None
        ),
        # Links on a board are traces: they have no modules.
        transceivers=2 * (links["host"] + links["leaf_spine"]),
        stranded_ports=(leaves + spines) * usable - used,
        largest=a * a * (usable * usable // 4) ** 2,
        buildable=False,
        reason=_ONLY_COUNTED,
        notes=("one plane; short lines share a switch, longer ones are fat trees of two tiers",),
    )


def build_hammingmesh(spec: FabricSpec) -> NoReturn:
    """Refuse: a HammingMesh is only counted.

    Raises
    ------
    DesignError    always
    """
    size_hammingmesh(spec)
    hint = _ONLY_COUNTED[:1].lower() + _ONLY_COUNTED[1:].rstrip(".")
    raise DesignError("family", spec.family, "cannot be built", hint)


def _request(spec: FabricSpec) -> tuple[int, tuple[int, int], int]:
    """Side of a board, boards across and down, and ports of a switch that may be cabled."""
    check(spec)
    usable = usable_ports(spec)
    if spec.a is None or spec.dims is None or usable is None:
        missing = "a" if spec.a is None else "dims" if spec.dims is None else "radix"
        raise DesignError(missing, None, "is not given", "give a, dims of two sides, and radix")
    check_dims(spec.dims, MOST_ENDPOINTS)
    if len(spec.dims) != 2:
        raise DesignError("dims", spec.dims, "is not two sides", "give boards across and down")
    if usable < 4:
        raise DesignError("radix", spec.radix, "is too few for two boards", "give at least 4")
    if spec.a**2 * prod(spec.dims) > MOST_ENDPOINTS:
        raise DesignError(
            "a", spec.a, "makes too large a machine", f"at most {MOST_ENDPOINTS:,} GPUs"
        )
    return spec.a, (spec.dims[0], spec.dims[1]), usable
