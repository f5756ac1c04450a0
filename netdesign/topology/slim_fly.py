"""Slim fly: routers two links apart, as many as that can join (besta-2014).

The graphs are those of McKay, Miller and Siran (hafner-2004). With q = 4w + d, d in -1, 0, 1, there
are 2 q^2 routers, each with k' = (3q - d) / 2 links to others. Routers are (0, x, y) and (1, m, c)
over the field of q elements: y - y' in X joins (0, x, y) and (0, x, y'), c - c' in X' joins
(1, m, c) and (1, m, c'), y = m x + c joins (0, x, y) and (1, m, c). A group is all routers with the
same x or m: its links are local, those between groups global.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.direct import (
    DirectShape,
    Ends,
    Obstacle,
    check,
    check_buildable,
    direct_counts,
    direct_fabric,
    lanes,
    over_balance,
    port_obstacle,
    ports_of_switch,
    usable_ports,
)
from netdesign.topology.galois import GaloisField, galois_field, prime_power
from netdesign.topology.spec import FabricCounts, FabricSpec

_SMALLEST = 3  # q = 2 leaves d no value


@dataclass(frozen=True, kw_only=True)
class SlimFlyShape(DirectShape):
    """A slim fly with every number settled."""

    q: int


def degree(q: int) -> int:
    """Links of a router to other routers, k' = (3q - d) / 2.

    Raises
    ------
    DesignError    q = 4w + 2: no such graph is known
    """
    remainder = q % 4
    if remainder == 2 or q < _SMALLEST:
        below, above = (str(next(found, "")) for found in (_below(q), _above(q)))
        hint = f"q = {below} and q = {above} can be built" if below else f"give q = {above}"
        raise DesignError("q", q, "is not 4w - 1, 4w or 4w + 1, so no slim fly exists", hint)
    return (3 * q - (-1 if remainder == 3 else remainder)) // 2


def slim_fly_shape(spec: FabricSpec) -> SlimFlyShape:
    """Settle q and the endpoints of a router.

    Raises
    ------
    DesignError    no size is given, q = 4w + 2, or the switch has too few ports for any slim fly
    """
    check(spec)
    breakout = lanes(spec)
    usable = usable_ports(spec)
    if usable is not None and usable <= degree(_SMALLEST):
        least = degree(_SMALLEST) + 1 + spec.spare_ports
        raise DesignError("radix", spec.radix, "is too few for a slim fly", f"at least {least}")
    q = _choose(spec, breakout, usable)
    limit = _most_endpoints(q, usable, breakout)
    p = spec.p
    if p is None:
        p = max(limit, 1)
        if spec.endpoints is not None:
            p = min(p, -(-spec.endpoints // (2 * q * q)))
    holds = 2 * q * q * p
    endpoints = holds if spec.endpoints is None else spec.endpoints
    needed = degree(q) - (-p // breakout)
    largest = holds if usable is None else _largest(usable, breakout)[0]
    if usable is not None and needed <= usable:
        largest = max(largest, holds)
    return SlimFlyShape(
        endpoints=min(endpoints, holds),
        q=q,
        p=p,
        breakout=breakout,
        radix=ports_of_switch(spec, needed),
        spare_ports=spec.spare_ports,
        switches={"router": 2 * q * q},
        # Inside a group: links by X and X', and one of every (1, m, c) to its own x = m.
        between={"local": q * q * (degree(q) - q + 1), "global": q * q * (q - 1)},
        largest=largest,
        obstacle=_obstacle(spec, endpoints, q, p, needed),
        notes=_notes(spec, q, p),
    )


def size_slim_fly(spec: FabricSpec) -> FabricCounts:
    """Counts of a slim fly by formula, also of a q for which no graph exists; no bisection."""
    shape = slim_fly_shape(spec)
    diameter = 2 if shape.switches_with_hosts > 1 else 0
    return direct_counts(
        spec,
        shape,
        diameter=diameter,
        bisection_links=None,
        oversubscription=over_balance(spec, shape.p, -(-degree(shape.q) // 2)),
    )


def build_slim_fly(spec: FabricSpec) -> Fabric:
    """Every router and link of a slim fly.

    Routers are numbered group by group; in a group (0, x, y) by y, then (1, m, c) by c.

    Raises
    ------
    DesignError    it cannot be built, or has more links than are held in memory
    """
    shape = slim_fly_shape(spec)
    check_buildable("slim fly", shape.obstacle, shape.links, shape.endpoints)
    a, b = _graph(shape.q)
    local = a // (2 * shape.q) == b // (2 * shape.q)
    return direct_fabric(
        spec,
        shape,
        {"local": (a[local], b[local]), "global": (a[~local], b[~local])},
        group=np.repeat(np.arange(shape.q), 2 * shape.q),
    )


def generators(field: GaloisField) -> tuple[Ends, Ends]:
    """The sets X and X' of the field, each closed under negation (hafner-2004)."""
    q, powers = field.q, field.powers
    if q % 4 == 3:
        half = (q + 1) // 2
        even = np.concatenate([np.arange(0, half - 1, 2), np.arange(half - 1, q - 1, 2)])
        return powers[even], powers[(even + 1) % (q - 1)]
    if q % 2:
        return powers[0::2], powers[1::2]
    return powers[np.arange(0, q, 2) % (q - 1)], powers[np.arange(1, q, 2) % (q - 1)]


def _graph(q: int) -> tuple[Ends, Ends]:
    field = galois_field(q)
    element = np.arange(q, dtype=np.int64)
    ends = []
    for half, generator in enumerate(generators(field)):
        near = np.repeat(element, len(generator))
        far = field.add(element[:, None], generator[None, :]).ravel()
        once = near < far
        first = (2 * q * element + half * q)[:, None]
        ends.append(((first + near[once]).ravel(), (first + far[once]).ravel()))
    x, m, c = (grid.ravel() for grid in np.meshgrid(element, element, element, indexing="ij"))
    y = field.add(field.multiply(m, x), c)
    ends.append((2 * q * x + y, 2 * q * m + q + c))
    return np.concatenate([a for a, _ in ends]), np.concatenate([b for _, b in ends])


def _most_endpoints(q: int, usable: int | None, breakout: int) -> int:
    """Endpoints of a router: half its links to others, within the ports that are left."""
    ports = -(-degree(q) // 2)
    if usable is not None:
        ports = min(ports, usable - degree(q))
    return ports * breakout


def _above(q: int) -> Iterator[int]:
    """Sizes above q that can be built, nearest first."""
    while True:
        q += 1
        if q >= _SMALLEST and prime_power(q) is not None:
            yield q


def _below(q: int) -> Iterator[int]:
    """Sizes below q that can be built, nearest first."""
    return (size for size in range(q - 1, _SMALLEST - 1, -1) if prime_power(size) is not None)


def _largest(usable: int, breakout: int) -> tuple[int, int]:
    """Most endpoints of a slim fly of this switch, and its q.

    Endpoints grow with q until half the links of a router no longer fit beside them, at
    k' = 2/3 of the ports, and fall beyond; rounding moves the peak by less than three sizes.
    """
    peak = max(4 * usable // 9, _SMALLEST)
    near = [*islice(_below(peak + 1), 4), *islice(_above(peak), 4)]
    return max(
        (2 * q * q * _most_endpoints(q, usable, breakout), q) for q in near if degree(q) < usable
    )


def _choose(spec: FabricSpec, breakout: int, usable: int | None) -> int:
    if spec.q is not None:
        degree(spec.q)
        return spec.q
    if spec.endpoints is None:
        if usable is None:
            raise DesignError("q", None, "is not given", "give q, radix or endpoints")
        return _largest(usable, breakout)[1]
    most = None if usable is None else _largest(usable, breakout)[1]
    for q in _above(_SMALLEST - 1):
        limit = _most_endpoints(q, usable, breakout) if spec.p is None else spec.p
        if 2 * q * q * limit >= spec.endpoints or q == most:
            return q
    raise AssertionError("sizes never end")


def _obstacle(spec: FabricSpec, endpoints: int, q: int, p: int, needed: int) -> Obstacle | None:
    if prime_power(q) is None:
        return Obstacle("q", q, _neighbours(spec, q))
    too_few = port_obstacle(spec, f"A router of a slim fly with q = {q} and p = {p} needs", needed)
    if too_few is not None:
        return too_few
    if endpoints <= 2 * q * q * p:
        return None
    breakout = lanes(spec)
    enough = next(
        size
        for size in _above(q)
        if 2 * size * size * _most_endpoints(size, None, breakout) >= endpoints
    )
    ports = degree(enough) + -(-degree(enough) // 2) + spec.spare_ports
    kind = f"{spec.radix}-port switches" if spec.q is None else f"q = {q} and p = {p}"
    sentence = (
        f"A slim fly of {kind} ends at {2 * q * q * p:,} endpoints; {endpoints:,} need "
        f"q = {enough} of {ports}-port switches."
    )
    return Obstacle("endpoints", endpoints, sentence)


def _neighbours(spec: FabricSpec, q: int) -> str:
    usable, breakout = usable_ports(spec), lanes(spec)
    found = []
    for size in (next(_below(q), None), next(_above(q))):
        if size is not None and (usable is None or degree(size) < usable):
            endpoints = 2 * size * size * _most_endpoints(size, usable, breakout)
            found.append(f"q = {size} ({endpoints:,} endpoints)")
    sentence = f"q = {q} is not a prime power, so no such graph exists"
    if found:
        sentence += f"; {' and '.join(found)} can be built"
        if spec.radix is not None:
            sentence += f" with {spec.radix}-port switches"
    return sentence + "."


def _notes(spec: FabricSpec, q: int, p: int) -> tuple[str, ...]:
    notes = []
    if spec.q is None:
        why = "the largest that the switch allows"
        if spec.endpoints is not None:
            why = "the smallest that can be built and holds the endpoints"
        notes.append(f"q = {q}, {why}")
    if spec.p is None:
        notes.append(f"{p} endpoints a router beside {degree(q)} links to other routers")
    return tuple(notes)
