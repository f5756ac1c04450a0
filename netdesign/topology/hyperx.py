"""HyperX: routers on a grid, each joined to all others of its line in every dimension (ahn-2009).

With sides S_1, S_2, ... there are S_1 S_2 ... routers of sum(S_i - 1) links each. Half of a line
sees the other half over S_i^2 / 4 links, so S_i / 2 endpoints a router keep the full bisection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.direct import (
    MOST_ENDPOINTS,
    MOST_PORTS,
    DirectShape,
    Ends,
    Obstacle,
    check,
    check_buildable,
    check_dims,
    direct_counts,
    direct_fabric,
    lanes,
    over_balance,
    port_obstacle,
    ports_of_switch,
    usable_ports,
)
from netdesign.topology.spec import FabricCounts, FabricSpec

# Left to itself a HyperX takes two dimensions, else three: more hops would make it a hypercube.
_FEW, _MANY = 2, 3


@dataclass(frozen=True, kw_only=True)
class HyperxShape(DirectShape):
    """A HyperX with every number settled; its kinds of link are its dimensions."""

    dims: tuple[int, ...]  # routers along each dimension


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
        radix=ports_of_switch(spec, needed),
        spare_ports=spec.spare_ports,
        switches={"router": routers},
        between={
            f"dim{number}": routers * (side - 1) // 2 for number, side in enumerate(dims, start=1)
        },
        largest=largest,
        obstacle=_obstacle(spec, endpoints, dims, p, needed),
        notes=_notes(spec, dims, p, breakout),
    )


def size_hyperx(spec: FabricSpec) -> FabricCounts:
    """Counts of a HyperX by formula; the bisection is the least over dimensions."""
    shape = hyperx_shape(spec)
    routers = prod(shape.dims)
    thinnest = min((side for side in shape.dims if side > 1), default=0)
    # Of an odd side it is the fraction rounded down: no straight cut makes equal halves.
    return direct_counts(
        spec,
        shape,
        diameter=_diameter(shape),
        bisection_links=routers * thinnest // 4,
        oversubscription=over_balance(spec, shape.p, thinnest / 2) if thinnest else 1.0,
    )


def build_hyperx(spec: FabricSpec) -> Fabric:
    """Every router and link of a HyperX; the first dimension runs fastest, its lines are groups.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = hyperx_shape(spec)
    check_buildable("HyperX", shape.obstacle, shape.links, shape.endpoints)
    return direct_fabric(
        spec,
        shape,
        {name: _lines(shape.dims, axis) for axis, name in enumerate(shape.between)},
        group=np.arange(prod(shape.dims)) // shape.dims[0],
    )


def _diameter(shape: HyperxShape) -> int:
    """Dimensions in which routers with hosts differ."""
    return sum(
        side > 1 and shape.switches_with_hosts > prod(shape.dims[:axis])
        for axis, side in enumerate(shape.dims)
    )


def _lines(dims: tuple[int, ...], axis: int) -> tuple[Ends, Ends]:
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
    too_few = port_obstacle(spec, f"A router of a {sides} HyperX with p = {p} needs", needed)
    if too_few is not None:
        return too_few
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
        notes.append(f"a grid of {sides} routers, the sides as equal as can be")
    if spec.p is None:
        notes.append(f"{p} endpoints a router")
    shortest = min((side for side in dims if side > 1), default=0)
    if shortest and 2 * p > shortest * breakout:
        share = shortest * breakout / (2 * p)
        notes.append(f"half the endpoints reach the other half at {share:.0%} of their speed")
    return tuple(notes)
