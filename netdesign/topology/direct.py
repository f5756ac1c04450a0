"""What do all direct fabrics share? Hosts on routers, checks of a request, assembly of the arrays.

In a direct fabric every switch (a router) carries hosts and links to other routers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, Ints, LinkKind
from netdesign.topology.spec import FabricSpec
from netdesign.topology.wiring import Bundle, wire

# Beyond these a number is a slip of the hand; counts stay exact and instant up to them.
MOST_ENDPOINTS = 100_000_000
MOST_PORTS = 10_000
MOST_DIMS = 16
# 18.6 million links were wired in 1.5 GB; what reads them afterwards takes more.
MOST_LINKS = 20_000_000

_MOST = {
    "endpoints": MOST_ENDPOINTS,
    "groups": MOST_ENDPOINTS,
    "q": 10_000,
    "gpus_per_server": MOST_PORTS,
    "ports_per_server": MOST_PORTS,
}
_LEAST = {"radix": 2, "q": 2, "spare_ports": 0}
_WHOLE = (
    "endpoints",
    "radix",
    "groups",
    "p",
    "a",
    "h",
    "q",
    "cube",
    "gpus_per_server",
    "ports_per_server",
    "spare_ports",
)


@dataclass(frozen=True)
class Obstacle:
    """Why a fabric cannot be built: the setting, its value, and a sentence with what would do."""

    field: str
    value: int
    sentence: str


@dataclass(frozen=True)
class Attachment:
    """Hosts on routers: the first routers are full, the last ones carry what is left."""

    endpoints: int
    routers: int
    each: int  # endpoints of a full router
    breakout: int  # endpoints of a split port

    @property
    def ports_each(self) -> int:
        """Ports of a full router that hosts take."""
        return -(-self.each // self.breakout)

    @property
    def ports(self) -> int:
        """Ports of all routers that hosts take."""
        full, rest = divmod(self.endpoints, self.each)
        return full * self.ports_each - (-rest // self.breakout)

    @property
    def transceivers(self) -> int:
        """One at every host port, one at every router port that hosts take."""
        return self.endpoints + self.ports


def check(spec: FabricSpec) -> None:
    """Refuse numbers that no fabric has.

    Raises
    ------
    DesignError    a count below its least value or beyond any fabric; a speed not above 0
    """
    for name in _WHOLE:
        value = getattr(spec, name)
        if value is not None:
            check_whole(name, value, _LEAST.get(name, 1), _MOST.get(name, MOST_PORTS))
    if spec.radix is not None and spec.spare_ports >= spec.radix:
        raise DesignError(
            "spare_ports",
            spec.spare_ports,
            f"leaves none of the {spec.radix} ports of a switch",
            f"keep fewer than {spec.radix}",
        )
    for name in ("port_gbps", "endpoint_gbps"):
        speed = getattr(spec, name)
        if speed is not None and not 0 < speed < float("inf"):
            raise DesignError(name, speed, "is no link speed", "give Gb/s above 0")
    if spec.endpoint_gbps is not None and spec.endpoint_gbps > spec.port_gbps:
        raise DesignError(
            "endpoint_gbps",
            spec.endpoint_gbps,
            f"is more than a port of {spec.port_gbps:g} Gb/s carries",
            f"give at most {spec.port_gbps:g}",
        )


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """Refuse what is not a whole number from ``least`` to ``most``, both included."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise DesignError(name, value, "is not a whole number", f"give {least} to {most:,}")
    if value < least:
        raise DesignError(
            name, value, f"is below {least}", f"give a whole number of at least {least}"
        )
    if value > most:
        raise DesignError(name, value, "is beyond any fabric", f"give at most {most:,}")


def lanes(spec: FabricSpec) -> int:
    """Into how many endpoint links a port splits; 1 if endpoints are as fast as ports."""
    if spec.endpoint_gbps is None:
        return 1
    return int(spec.port_gbps / spec.endpoint_gbps + 1e-9)


def usable_ports(spec: FabricSpec) -> int | None:
    """Ports of a switch that may be cabled; None without a radix."""
    return None if spec.radix is None else spec.radix - spec.spare_ports


def refuse(obstacle: Obstacle) -> NoReturn:
    """Raise the obstacle as the error of an input that cannot be built."""
    sentence = obstacle.sentence.rstrip(".")
    if sentence[1:2] == " ":
        sentence = sentence[0].lower() + sentence[1:]
    raise DesignError(obstacle.field, obstacle.value, "cannot be built", sentence)


def check_links(family: str, links: int, endpoints: int) -> None:
    """Refuse to build more links than this program holds in memory."""
    if links > MOST_LINKS:
        raise DesignError(
            "endpoints",
            endpoints,
            f"makes a {family} of {links:,} links",
            f"fabrics of up to {MOST_LINKS:,} links are built, larger ones only counted",
        )


def link_speeds(spec: FabricSpec, kinds: Sequence[str]) -> dict[str, float]:
    """Gb/s by kind of link: hosts at their own speed, all others at that of a port."""
    host = spec.port_gbps if spec.endpoint_gbps is None else spec.endpoint_gbps
    return {name: host if name == "host" else spec.port_gbps for name in kinds}


def assemble(
    spec: FabricSpec,
    attached: Attachment,
    between: Mapping[str, tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]],
    *,
    ports: int,
    group: npt.NDArray[np.integer] | None = None,
    tier_names: tuple[str, ...] = ("router",),
    tier: npt.NDArray[np.integer] | None = None,
    notes: tuple[str, ...] = (),
) -> Fabric:
    """Join hosts and links between routers to a ``Fabric``.

    Parameters
    ----------
    between : by kind of link, both ends of every link as numbers of switches from 0
    ports : int                of each switch, spare ones included
    group : ints, one a switch
    tier : ints, one a switch  index into ``tier_names``; all 0 if None
    """
    switches = attached.routers if tier is None else len(tier)
    host_ports = spec.ports_per_server or spec.gpus_per_server or 1
    hosts = -(-attached.endpoints // host_ports)
    endpoint = np.arange(attached.endpoints, dtype=np.int64)
    speed = link_speeds(spec, ["host", *between])
    bundles = [
        Bundle(
            LinkKind("host", speed["host"]),
            endpoint // host_ports,
            hosts + endpoint // attached.each,
            endpoint % host_ports,
        )
    ]
    for name, (a, b) in between.items():
        kind = LinkKind(name, speed[name], attached.breakout)
        bundles.append(Bundle(kind, hosts + a, hosts + b))
    wires = wire(bundles, hosts + switches)
    return Fabric(
        family=spec.family,
        hosts=hosts,
        host_ports=host_ports,
        gpus_per_host=spec.gpus_per_server or host_ports,
        endpoints=attached.endpoints,
        tier_names=tier_names,
        tier=_each(0 if tier is None else tier, switches),
        pod=_each(-1 if group is None else group, switches),
        rail=_each(-1, switches),
        plane=_each(0, switches),
        ports=_each(ports, switches),
        port_gbps=spec.port_gbps,
        breakout=attached.breakout,
        spare_ports=spec.spare_ports,
        kinds=wires.kinds,
        kind=wires.kind,
        a=wires.a,
        a_slot=wires.a_slot,
        b=wires.b,
        b_slot=wires.b_slot,
        notes=notes,
    )


def complete_graphs(graphs: int, nodes: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Ends of the links of equal complete graphs side by side, nodes numbered graph by graph."""
    a, b = np.triu_indices(nodes, 1)
    first = np.arange(graphs, dtype=np.int64)[:, None] * nodes
    return (first + a).ravel(), (first + b).ravel()


def _each(value: int | npt.NDArray[np.integer], switches: int) -> Ints:
    return np.broadcast_to(np.asarray(value, dtype=np.int32), (switches,)).copy()


def check_dims(dims: tuple[int, ...], most: int) -> None:
    """Refuse sides of a grid that are not whole numbers from 1 to ``most``, or too many nodes."""
    if not 1 <= len(dims) <= MOST_DIMS:
        raise DesignError("dims", dims, "is no grid", f"give 1 to {MOST_DIMS} sides, as 16x16x16")
    for side in dims:
        check_whole("dims", side, 1, most)
    if prod(dims) > MOST_ENDPOINTS:
        raise DesignError(
            "dims", dims, "is beyond any fabric", f"give at most {MOST_ENDPOINTS:,} nodes in all"
        )
