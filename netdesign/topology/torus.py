"""Torus: nodes on a grid, each cabled to its neighbours, without switches.

The links of a dimension close to rings. Optical circuit switches may join cubes of nodes: the links
of the two faces of all cubes at one place of an axis end on one of them, so that any whole cubes
make a torus (jouppi-2023). A twisted torus has sides k and 2k: where a ring of a short side closes,
it goes on half-way along every long side (camarero-2015); all dimensions are then alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, Ints, LinkKind
from netdesign.topology.direct import (
    MOST_ENDPOINTS,
    Obstacle,
    check,
    check_buildable,
    check_dims,
)
from netdesign.topology.spec import FabricCounts, FabricSpec
from netdesign.topology.wiring import Bundle, wired_fabric


@dataclass(frozen=True)
class TorusShape:
    """A torus with every number settled."""

    dims: tuple[int, ...]  # nodes along each dimension, the first runs fastest
    wrapped: bool  # rings are closed
    twist: bool
    circuit_switches: int
    obstacle: Obstacle | None
    notes: tuple[str, ...]

    @property
    def nodes(self) -> int:
        return prod(self.dims)

    @property
    def links(self) -> dict[str, int]:
        """Links of every dimension, by kind; a ring of two nodes has one link."""
        return {
            f"dim{axis + 1}": self.nodes if self.ring(axis) else self.nodes // side * (side - 1)
            for axis, side in enumerate(self.dims)
        }

    def ring(self, axis: int) -> bool:
        """Whether links of this dimension leave a node in both directions everywhere."""
        side = self.dims[axis]
        return self.wrapped and (side > 2 or (side == 2 and self.twist and side < max(self.dims)))


def torus_shape(spec: FabricSpec) -> TorusShape:
    """Settle the sides, the twist and the circuit switches.

    Raises
    ------
    DesignError    no size is given, or a twist of sides that are not k and 2k
    """
    check(spec)
    dims = _dims(spec)
    whole = spec.cube is None or all(side % spec.cube == 0 for side in dims)
    if spec.twist and (not whole or not _can_twist(dims)):
        raise DesignError(
            "dims", dims, "cannot be twisted", "give sides k and 2k of whole cubes, as 4x4x8"
        )
    obstacle = None
    nodes = prod(dims)
    if spec.endpoints is not None and spec.endpoints > nodes:
        obstacle = Obstacle("endpoints", spec.endpoints, _too_few(spec, dims, spec.endpoints))
    joined = 0 if spec.cube is None or not whole else len(dims) * spec.cube ** (len(dims) - 1)
    return TorusShape(
        dims=dims,
        wrapped=whole,
        twist=spec.twist,
        circuit_switches=joined,
        obstacle=obstacle,
        notes=_notes(spec, dims, whole, joined),
    )


def size_torus(spec: FabricSpec) -> FabricCounts:
    """Counts of a torus by formula.

    The endpoints are the nodes, and so is the largest: a torus does not end by ports, longer sides
    are another torus. The bisection is the least over dimensions, of a twisted torus
    None: its least cut is not along a dimension.
    """
    shape = torus_shape(spec)
    links = shape.links
    return FabricCounts(
        family=spec.family,
        endpoints=shape.nodes,
        switches={},
        links=links,
        link_gbps=dict.fromkeys(links, spec.port_gbps),
        oversubscription=1.0,
        diameter=_diameter(shape),
        bisection_links=None if shape.twist else _bisection(shape),
        transceivers=2 * sum(links.values()),
        stranded_ports=0,
        largest=shape.nodes,
        buildable=shape.obstacle is None,
        reason="" if shape.obstacle is None else shape.obstacle.sentence,
        circuit_switches=shape.circuit_switches,
        notes=shape.notes,
    )


def build_torus(spec: FabricSpec) -> Fabric:
    """Every node and link of a torus; ports of a node are +1, -1 of the first dimension, and so on.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = torus_shape(spec)
    check_buildable("torus", shape.obstacle, shape.links, shape.nodes)
    bundles, port = [], 0
    for axis, (side, name) in enumerate(zip(shape.dims, shape.links, strict=True)):
        a, b = _axis_links(shape, axis)
        both = side > 2 or shape.ring(axis)
        a_slot = np.full(len(a), port, dtype=np.int32)
        b_slot = a_slot + 1 if both else a_slot
        bundles.append(Bundle(LinkKind(name, spec.port_gbps), a, b, a_slot, b_slot))
        port += 2 if both else 1 if side == 2 else 0
    return wired_fabric(
        bundles,
        {},
        family=spec.family,
        hosts=shape.nodes,
        host_ports=port,
        endpoints=shape.nodes,
        ports=0,
        port_gbps=spec.port_gbps,
        notes=shape.notes,
    )


def _axis_links(shape: TorusShape, axis: int) -> tuple[Ints, Ints]:
    """Ends of the links of one dimension, from every node to the next one."""
    dims = shape.dims
    node = np.arange(shape.nodes, dtype=np.int32)
    place = np.array(np.unravel_index(node, dims, order="F"), dtype=np.int32)
    closing = place[axis] == dims[axis] - 1
    place[axis] = (place[axis] + 1) % dims[axis]
    if shape.twist and dims[axis] < max(dims):
        for other, side in enumerate(dims):
            if side == max(dims):
                place[other] = (place[other] + closing * (side // 2)) % side
    following = np.ravel_multi_index(tuple(place), dims, order="F").astype(np.int32)
    if shape.ring(axis):
        return node, following
    return node[~closing], following[~closing]


def _dims(spec: FabricSpec) -> tuple[int, ...]:
    if spec.dims is not None:
        check_dims(spec.dims, MOST_ENDPOINTS)
        return spec.dims
    if spec.endpoints is None:
        raise DesignError("dims", None, "is not given", "give dims or endpoints")
    if spec.cube is None:
        return _most_cubic(spec.endpoints)
    cubes = -(-spec.endpoints // spec.cube**3)
    dims = tuple(side * spec.cube for side in _most_cubic(cubes))
    check_dims(dims, MOST_ENDPOINTS)
    return dims


def _most_cubic(nodes: int) -> tuple[int, ...]:
    """Three sides with this product whose sum is the least, shortest first."""
    best = (1, 1, nodes)
    for short in _divisors(nodes, 3):
        rest = nodes // short
        middle = _divisors(rest, 2)[-1]
        sides = sorted((short, middle, rest // middle))
        if sum(sides) < sum(best):
            best = (sides[0], sides[1], sides[2])
    return best


def _divisors(number: int, root: int) -> list[int]:
    """Divisors up to the square root (2) or the cube root (3), ascending."""
    found, divisor = [], 1
    while divisor**root <= number:
        if number % divisor == 0:
            found.append(divisor)
        divisor += 1
    return found


def _too_few(spec: FabricSpec, dims: tuple[int, ...], endpoints: int) -> str:
    """The sentence for more endpoints than nodes, with sides that would do."""
    shortest = dims.index(min(dims))
    step = spec.cube or 1
    layer = prod(dims) // dims[shortest] * step
    longer = (*dims[:shortest], -(-endpoints // layer) * step, *dims[shortest + 1 :])
    return (
        f"A {_sides(dims)} torus has {prod(dims):,} nodes; {endpoints:,} fit into {_sides(longer)}."
    )


def _sides(dims: tuple[int, ...]) -> str:
    return " x ".join(f"{side:,}" for side in dims)


def _can_twist(dims: tuple[int, ...]) -> bool:
    """Two or three sides, some k and the others 2k."""
    return 2 <= len(dims) <= 3 and min(dims) > 1 and set(dims) == {min(dims), 2 * min(dims)}


def _diameter(shape: TorusShape) -> int:
    """Links on the longest shortest path: half of every ring, all of an open line.

    With a twist 3k/2 in three dimensions, k in two, rounded down (camarero-2015).
    """
    if shape.twist:
        return len(shape.dims) * min(shape.dims) // 2
    return sum(side // 2 if shape.wrapped else side - 1 for side in shape.dims)


def _bisection(shape: TorusShape) -> int:
    """Links cut across the middle of the dimension where they are fewest."""
    cuts = [
        shape.nodes // side * (2 if shape.ring(axis) else 1)
        for axis, side in enumerate(shape.dims)
        if side > 1
    ]
    return min(cuts, default=0)


def _notes(spec: FabricSpec, dims: tuple[int, ...], whole: bool, joined: int) -> tuple[str, ...]:
    notes = []
    sides = _sides(dims)
    nodes = prod(dims)
    if spec.dims is None:
        notes.append(f"sides {sides}, as equal as {nodes:,} nodes allow")
    notes.append("a torus has no end by ports: longer sides make a larger one")
    if spec.endpoints is not None and spec.endpoints < nodes:
        notes.append(f"a torus is whole: {nodes:,} nodes for {spec.endpoints:,} endpoints")
    if spec.cube is not None and not whole:
        notes.append(
            f"{sides} are not whole cubes of {spec.cube}: no circuit switch joins them, "
            "so the rings stay open"
        )
    if joined and spec.cube is not None:
        cubes = nodes // spec.cube ** len(dims)
        several = f"{cubes:,} cube" if cubes == 1 else f"{cubes:,} cubes"
        notes.append(
            f"{joined} circuit switches join {several}, two ports of each for a cube: "
            f"{2 * cubes:,} ports"
        )
    return tuple(notes)
