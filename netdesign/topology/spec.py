"""What fabric is asked for, and what is it made of? One description for every family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

SPINE_RULES: Mapping[str, bool | None] = MappingProxyType(
    {"auto": None, "even": True, "fewest": False}
)  # a planner's words for ``even_spread`` of ``sizing.size_fabric``


@dataclass(frozen=True)
class FabricSpec:
    """A fabric of one family; None lets the family choose, and its notes say what it chose."""

    family: str
    endpoints: int | None = None  # ports of hosts; in a multi-plane fabric, of each plane
    radix: int | None = None  # ports of a switch at port_gbps
    port_gbps: float = 400.0
    endpoint_gbps: float | None = None  # slower than a port: the port is split
    tiers: int | None = None
    oversubscription: float = 1.0  # at the leaf, at most
    core_oversubscription: float = 1.0
    rails: int | None = None
    planes: int | None = None
    dual_tor: bool = False  # every endpoint has a port to each of two leaves, below shared spines
    gpus_per_server: int | None = None
    ports_per_server: int | None = None  # one a GPU if None
    domain: int | None = None  # GPUs of one scale-up domain
    spread_evenly: bool | None = None  # how many spines: ``even_spread`` of ``sizing.size_fabric``
    unit_servers: int | None = None  # of a scalable unit
    spare_ports: int = 0  # of each switch, kept empty
    groups: int | None = None  # dragonfly, dragonfly+
    p: int | None = None  # endpoints of a router
    a: int | None = None  # routers of a group
    h: int | None = None  # global links of a router
    q: int | None = None  # slim fly
    dims: tuple[int, ...] | None = None  # hyperx, torus
    twist: bool = False  # torus: twisted wrap-around
    cube: int | None = None  # torus: side of the block that optical circuit switches join


@dataclass(frozen=True)
class FabricCounts:
    """Counts of one fabric, by formula or from the built graph: both fill the same fields."""

    family: str
    endpoints: int
    switches: Mapping[str, int]  # by tier name, lowest first, without the sum
    links: Mapping[str, int]  # by kind, "host" first, without sums
    link_gbps: Mapping[str, float]  # by kind
    oversubscription: float  # bandwidth down over bandwidth up of the fullest leaf; 1 if direct
    diameter: int  # links between switches on the longest shortest path (torus: between nodes)
    bisection_links: int | None  # links between switches that two halves of the endpoints share
    transceivers: int  # one at each end of a link; links that share a split port share one
    stranded_ports: int  # switch ports left empty, beyond those kept as spare
    largest: int  # endpoints this family can hold with this switch
    buildable: bool = True
    reason: str = ""  # why it cannot be built
    circuit_switches: int = 0  # optical, of a torus of cubes
    notes: tuple[str, ...] = field(default=())  # what was chosen for the planner

    @property
    def total_switches(self) -> int:
        return sum(self.switches.values())

    @property
    def radix(self) -> int:
        """Ports of a switch that may be used; 0 where there is no switch."""
        ports = self.transceivers - self.host_links + self.stranded_ports
        return ports // self.total_switches if self.switches else 0

    @property
    def host_links(self) -> int:
        return self.links.get("host", 0)

    @property
    def inter_switch_links(self) -> int:
        return sum(count for name, count in self.links.items() if name != "host")
