"""What do all direct fabrics share? Checks of a request, counts and arrays of hosts on routers.

In a direct fabric every switch (a router) carries hosts and links to other routers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.spec import FabricCounts, FabricSpec
from netdesign.topology.wiring import Bundle, wired_fabric

Ends = npt.NDArray[np.int64]

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


@dataclass(frozen=True, kw_only=True)
class DirectShape:
    """A direct fabric of routers with every number settled; a family adds what is its own.

    Hosts are on the switches of the first tier: the first are full, the last carry what is left.
    """

    endpoints: int
    p: int  # endpoints of a full router
    breakout: int  # endpoints of a split port
    radix: int  # ports of a switch, spare ones included
    spare_ports: int
    switches: Mapping[str, int]  # by tier name, lowest first
    between: Mapping[str, int]  # links between switches, by kind
    largest: int  # endpoints that the family can hold with this switch
    obstacle: Obstacle | None
    notes: tuple[str, ...]

    @property
    def links(self) -> dict[str, int]:
        return {"host": self.endpoints, **self.between}

    @property
    def switches_with_hosts(self) -> int:
        return -(-self.endpoints // self.p)

    @property
    def ports_to_hosts(self) -> int:
        """Ports of all routers that hosts take; endpoints of one split port take one."""
        full, rest = divmod(self.endpoints, self.p)
        return full * -(-self.p // self.breakout) - (-rest // self.breakout)


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


def ports_of_switch(spec: FabricSpec, needed: int) -> int:
    """Ports of a switch, spare ones included; without a radix just those that are needed."""
    return spec.radix if spec.radix is not None else needed + spec.spare_ports


def port_obstacle(spec: FabricSpec, needs: str, needed: int) -> Obstacle | None:
    """Why a switch has too few ports; ``needs`` is what needs them, with its verb."""
    if spec.radix is None or needed <= spec.radix - spec.spare_ports:
        return None
    kept = f" beside {spec.spare_ports} spare ones" if spec.spare_ports else ""
    sentence = f"{needs} {needed} ports{kept}; the switch has {spec.radix}."
    return Obstacle("radix", spec.radix, sentence)


def check_buildable(
    family: str, obstacle: Obstacle | None, links: Mapping[str, int], endpoints: int
) -> None:
    """Refuse to build what cannot be, or has more links than are held in memory.

    Raises
    ------
    DesignError    the obstacle, or the number of links
    """
    if obstacle is not None:
        sentence = obstacle.sentence.rstrip(".")
        if sentence[1:2] == " ":
            sentence = sentence[0].lower() + sentence[1:]
        raise DesignError(obstacle.field, obstacle.value, "cannot be built", sentence)
    check_links(family, sum(links.values()), endpoints)


def check_links(family: str, total: int, endpoints: int | None) -> None:
    """Refuse to build more links than are held in memory.

    Raises
    ------
    DesignError
    """
    if total > MOST_LINKS:
        raise DesignError(
            "endpoints",
            endpoints,
            f"makes a {family} of {total:,} links",
            f"fabrics of up to {MOST_LINKS:,} links are built, larger ones only counted",
        )


def link_speeds(spec: FabricSpec, kinds: Iterable[str]) -> dict[str, float]:
    """Gb/s by kind of link: hosts at their own speed, all others at that of a port."""
    host = spec.port_gbps if spec.endpoint_gbps is None else spec.endpoint_gbps
    return {name: host if name == "host" else spec.port_gbps for name in kinds}


def direct_counts(
    spec: FabricSpec,
    shape: DirectShape,
    *,
    diameter: int,
    bisection_links: int | None,
    oversubscription: float = 1.0,
) -> FabricCounts:
    """Counts of a direct fabric of routers by formula."""
    ends = 2 * sum(shape.between.values())
    usable = sum(shape.switches.values()) * (shape.radix - shape.spare_ports)
    return FabricCounts(
        family=spec.family,
        endpoints=shape.endpoints,
        switches=shape.switches,
        links=shape.links,
        link_gbps=link_speeds(spec, shape.links),
        oversubscription=oversubscription,
        diameter=diameter,
        bisection_links=bisection_links,
        transceivers=shape.endpoints + shape.ports_to_hosts + ends,
        # With too few ports for its links the shape cannot be built and none is empty.
        stranded_ports=max(usable - shape.ports_to_hosts - ends, 0),
        largest=shape.largest,
        buildable=shape.obstacle is None,
        reason="" if shape.obstacle is None else shape.obstacle.sentence,
        notes=shape.notes,
    )


def over_balance(spec: FabricSpec, endpoints: int, balanced: float) -> float:
    """Bandwidth of a router's endpoints over that for which its links to others are balanced.

    Parameters
    ----------
    spec : FabricSpec
    endpoints : int         of a full router
    balanced : float        endpoints at the speed of a port that full bandwidth allows

    Returns
    -------
    float                   at least 1: fewer endpoints than balanced are no gain
    """
    speed = (spec.endpoint_gbps or spec.port_gbps) / spec.port_gbps
    return max(1.0, endpoints * speed / max(balanced, 1e-9))


def direct_fabric(
    spec: FabricSpec, shape: DirectShape, ends: Mapping[str, tuple[Ends, Ends]], group: Ends
) -> Fabric:
    """The graph of a direct fabric of routers.

    Parameters
    ----------
    spec : FabricSpec
    shape : DirectShape     of a fabric that can be built
    ends : mapping          by kind of link between switches, lowest first: both ends of every
                            link as numbers of switches from 0
    group : int array       of each switch
    """
    host_ports = spec.ports_per_server or spec.gpus_per_server or 1
    hosts = -(-shape.endpoints // host_ports)
    endpoint = np.arange(shape.endpoints, dtype=np.int64)
    speed = link_speeds(spec, shape.links)
    bundles = [
        Bundle(
            LinkKind("host", speed["host"]),
            endpoint // host_ports,
            hosts + endpoint // shape.p,
            endpoint % host_ports,
        )
    ]
    for name, (a, b) in ends.items():
        kind = LinkKind(name, speed[name], shape.breakout)
        bundles.append(Bundle(kind, hosts + a, hosts + b))
    return wired_fabric(
        bundles,
        shape.switches,
        family=spec.family,
        hosts=hosts,
        host_ports=host_ports,
        gpus_per_host=spec.gpus_per_server or host_ports,
        endpoints=shape.endpoints,
        pod=group,
        ports=shape.radix,
        port_gbps=spec.port_gbps,
        breakout=shape.breakout,
        spare_ports=shape.spare_ports,
        notes=shape.notes,
    )


def complete_graphs(graphs: int, nodes: int) -> tuple[Ends, Ends]:
    """Ends of the links of equal complete graphs side by side, nodes numbered graph by graph."""
    a, b = np.triu_indices(nodes, 1)
    first = np.arange(graphs, dtype=np.int64)[:, None] * nodes
    return (first + a).ravel(), (first + b).ravel()


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
