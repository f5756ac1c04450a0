"""HyperX: routers on a grid, each joined to all others of its line in every dimension (ahn-2009).

With sides S_1, S_2, ... there are S_1 S_2 ... routers of sum(S_i - 1) links each. Half of a line
sees the other half over S_i^2 / 4 links, so S_i / 2 endpoints a router keep the full bisection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.direct import (
    MOST_ENDPOINTS,
    MOST_PORTS,
    Attachment,
    Obstacle,
    assemble,
    check,
    check_dims,
    check_links,
    lanes,
    link_speeds,
    refuse,
    usable_ports,
)
from netdesign.topology.spec import FabricCounts, FabricSpec

# Left to itself a HyperX takes two dimensions, else three: more hops would make it a hypercube.
_FEW, _MANY = 2, 3


@dataclass(frozen=True)
class HyperxShape:
    """A HyperX with every number settled."""

    endpoints: int
    dims: tuple[int, ...]  # routers along each dimension
    p: int  # endpoints of a router
    breakout: int
    radix: int  # ports of a router, spare ones included
    spare_ports: int
    largest: int
    obstacle: Obstacle | None
    notes: tuple[str, ...]

    @property
    def routers(self) -> int:
        return prod(self.dims)

    @property
    def attached(self) -> Attachment:
        return Attachment(self.endpoints, self.routers, self.p, self.breakout)

    @property
    def dim_links(self) -> dict[str, int]:
        """Links of every dimension, by kind."""
        return {
            name: self.routers * (side - 1) // 2
            for name, side in zip(dim_kinds(self.dims), self.dims, strict=True)
        }


def dim_kinds(dims: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the kinds of link, one a dimension."""
    return tuple(f"dim{number}" for number in range(1, len(dims) + 1))


def hyperx_shape(spec: FabricSpec) -> HyperxShape:
    """Settle the sides and the endpoints of a router.

    Raises
    ------
    DesignError    no size is given, or the switch has too few ports for any HyperX
    """
    check(spec)
    breakout = lanes(spec)
    usable = usable_ports(spec)
    dims = _dims(spec, breakout, usable)
    routers, links = prod(dims), sum(dims) - len(dims)
    p = _endpoints_each(spec, dims, breakout, usable)
    endpoints = routers * p if spec.endpoints is None else spec.endpoints
    needed = links - (-p // breakout)
    largest = routers * p
    if spec.dims is None and usable is not None:
        largest = max(size * _each(spec.p, best, breakout, usable) for size, best in _tops(spec))
    return HyperxShape(
        endpoints=min(endpoints, routers * p),
        dims=dims,
        p=p,
        breakout=breakout,
        radix=spec.radix if spec.radix is not None else needed + spec.spare_ports,
        spare_ports=spec.spare_ports,
        largest=largest,
        obstacle=_obstacle(spec, endpoints, dims, p, needed),
        notes=_notes(spec, dims, p, breakout),
    )


def size_hyperx(spec: FabricSpec) -> FabricCounts:
    """Counts of a HyperX by formula; the bisection is the least over dimensions."""
    shape = hyperx_shape(spec)
    attached = shape.attached
    between = sum(shape.dim_links.values())
    usable = shape.routers * (shape.radix - shape.spare_ports)
    # A line of an odd number of routers is cut beside its middle.
    cuts = [shape.routers // side * (side * side // 4) for side in shape.dims if side > 1]
    return FabricCounts(
        family=spec.family,
        endpoints=shape.endpoints,
        switches={"router": shape.routers},
        links={"host": shape.endpoints, **shape.dim_links},
        link_gbps=link_speeds(spec, ("host", *shape.dim_links)),
        oversubscription=1.0,
        diameter=_diameter(shape),
        bisection_links=min(cuts, default=0),
        transceivers=attached.transceivers + 2 * between,
        stranded_ports=max(usable - attached.ports - 2 * between, 0),
        largest=shape.largest,
        buildable=shape.obstacle is None,
        reason="" if shape.obstacle is None else shape.obstacle.sentence,
        notes=shape.notes,
    )


def build_hyperx(spec: FabricSpec) -> Fabric:
    """Every router and link of a HyperX; the first dimension runs fastest, its lines are groups.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = hyperx_shape(spec)
    if shape.obstacle is not None:
        refuse(shape.obstacle)
    check_links("HyperX", shape.endpoints + sum(shape.dim_links.values()), shape.endpoints)
    return assemble(
        spec,
        shape.attached,
        {name: _lines(shape.dims, axis) for axis, name in enumerate(dim_kinds(shape.dims))},
        ports=shape.radix,
        group=np.arange(shape.routers) // shape.dims[0],
        notes=shape.notes,
    )


def _diameter(shape: HyperxShape) -> int:
    """Dimensions in which routers with hosts differ."""
    occupied = -(-shape.endpoints // shape.p)
    return sum(
        side > 1 and occupied > prod(shape.dims[:axis]) for axis, side in enumerate(shape.dims)
    )


def _lines(dims: tuple[int, ...], axis: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Ends of the links of one dimension: a complete graph on every line."""
    grid = np.arange(prod(dims), dtype=np.int64).reshape(dims[::-1])
    lines = np.moveaxis(grid, len(dims) - 1 - axis, -1).reshape(-1, dims[axis])
    a, b = np.triu_indices(dims[axis], 1)
    return lines[:, a].ravel(), lines[:, b].ravel()


def _dims(spec: FabricSpec, breakout: int, usable: int | None) -> tuple[int, ...]:
    if spec.dims is not None:
        check_dims(spec.dims, MOST_PORTS)
        return spec.dims
    if spec.endpoints is None and usable is None:
        raise DesignError("dims", None, "is not given", "give dims, radix or endpoints")
    if usable is not None and -(-(spec.p or 1) // breakout) > usable:
        least = -(-(spec.p or 1) // breakout) + spec.spare_ports
        raise DesignError(
            "radix", spec.radix, "has no port for another router", f"give at least {least}"
        )
    if spec.endpoints is not None:
        for count in (_FEW, _MANY):
            for dims in _near_cubes(count, usable):
                if prod(dims) * _each(spec.p, dims, breakout, usable) >= spec.endpoints:
                    return dims
    return max(_tops(spec))[1]


def _near_cubes(count: int, usable: int | None) -> Iterator[tuple[int, ...]]:
    """Grids whose sides differ by one at most, smallest first, as far as the switch reaches."""
    side = 1
    while True:
        for larger in range(count):
            dims = (side + 1,) * larger + (side,) * (count - larger)
            if usable is not None and sum(dims) - count >= usable:
                return
            if prod(dims) > 2 * MOST_ENDPOINTS:
                return
            yield dims
        side += 1


def _tops(spec: FabricSpec) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The grid of two and that of three dimensions that hold most, with their routers."""
    usable, breakout = usable_ports(spec), lanes(spec)
    for count in (_FEW, _MANY):
        yield max(
            ((prod(dims), dims) for dims in _near_cubes(count, usable)),
            key=lambda found: found[0] * _each(spec.p, found[1], breakout, usable),
        )


def _each(p: int | None, dims: tuple[int, ...], breakout: int, usable: int | None) -> int:
    """Endpoints of a router: p where the ports allow it, else half the shortest side of links."""
    left = None if usable is None else usable - (sum(dims) - len(dims))
    if p is not None:
        return p if left is None or -(-p // breakout) <= left else 0
    ports = -(-min((side for side in dims if side > 1), default=1) // 2)
    return (ports if left is None else max(min(ports, left), 0)) * breakout


def _endpoints_each(
    spec: FabricSpec, dims: tuple[int, ...], breakout: int, usable: int | None
) -> int:
    if spec.p is not None:
        return spec.p
    if spec.dims is not None and spec.endpoints is not None:
        most = None if usable is None else (usable - sum(dims) + len(dims)) * breakout
        wanted = -(-spec.endpoints // prod(dims))
        return wanted if most is None else max(min(wanted, most), 1)
    each = max(_each(None, dims, breakout, usable), 1)
    if spec.endpoints is not None:
        each = min(each, -(-spec.endpoints // prod(dims)))
    return each


def _obstacle(
    spec: FabricSpec, endpoints: int, dims: tuple[int, ...], p: int, needed: int
) -> Obstacle | None:
    sides = " x ".join(f"{side:,}" for side in dims)
    usable = usable_ports(spec)
    if usable is not None and needed > usable:
        kept = f" beside {spec.spare_ports} spare ones" if spec.spare_ports else ""
        sentence = (
            f"A router of a {sides} HyperX with p = {p} needs {needed} ports{kept}; "
            f"the switch has {spec.radix}."
        )
        return Obstacle("radix", spec.radix or 0, sentence)
    holds = prod(dims) * p
    if endpoints <= holds:
        return None
    breakout = lanes(spec)
    if spec.dims is None:
        dims = next(
            grid
            for grid in _near_cubes(_MANY, None)
            if prod(grid) * _each(spec.p, grid, breakout, None) >= endpoints
        )
        ports = sum(dims) - len(dims) - (-_each(spec.p, dims, breakout, None) // breakout)
        sentence = (
            f"A HyperX of {spec.radix}-port switches ends at {holds:,} endpoints in three "
            f"dimensions; {endpoints:,} need {ports + spec.spare_ports} ports a switch."
        )
        return Obstacle("endpoints", endpoints, sentence)
    each = -(-endpoints // prod(dims))
    ports = sum(dims) - len(dims) - (-each // breakout) + spec.spare_ports
    sentence = (
        f"A {sides} HyperX with p = {p} holds {holds:,} endpoints; "
        f"{endpoints:,} need p = {each} and {ports} ports a switch."
    )
    return Obstacle("endpoints", endpoints, sentence)


def _notes(spec: FabricSpec, dims: tuple[int, ...], p: int, breakout: int) -> tuple[str, ...]:
    notes = []
    if spec.dims is None:
        sides = " x ".join(str(side) for side in dims)
        notes.append(f"A grid of {sides} routers, the sides as equal as can be.")
    if spec.p is None:
        notes.append(f"{p} endpoints a router.")
    shortest = min((side for side in dims if side > 1), default=0)
    if shortest and 2 * p > shortest * breakout:
        share = shortest * breakout / (2 * p)
        notes.append(f"Half the endpoints reach the other half at {share:.0%} of their speed.")
    return tuple(notes)
