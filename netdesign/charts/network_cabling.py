"""Which leaf does a port of a server meet? The picture cables each family as its sizing counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from netdesign.catalog import load_catalog
from netdesign.topology.clos import leaf_downlinks
from netdesign.topology.rail import default_rails

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation


@dataclass(frozen=True)
class Cabling:
    """Servers to leaves. A unit is the fewest leaves that are filled before the next ones.

    Fat tree: a unit is one leaf, ports fill it as they come. Rail-optimised: a unit has leaves for
    every rail. Rail-only: as a fat tree, once for each rail.
    """

    servers: int
    ports: int  # of a server
    leaves: int  # of the whole fabric
    rails: int  # ports of equal place meet on a leaf; 1 where place does not count
    apart: bool  # rails are fabrics of their own
    unit_ports: int  # server ports that fill a unit, of one rail where rails are apart
    unit_leaves: int
    pod_units: int  # units that reach each other without a tapered link

    @property
    def pods(self) -> int:
        """Pods, the last one perhaps not full."""
        return math.ceil(self.servers * self.ports / (self.pod_units * self.unit_ports))

    def pod_ports(self, pod: int) -> int:
        """Server ports of one pod: pods are filled one after the other."""
        each = self.pod_units * self.unit_ports
        return max(0, min(each, self.servers * self.ports - pod * each))

    def pod_leaves(self, pod: int) -> int:
        """Leaves of one pod."""
        each = self.pod_units * self.unit_leaves
        return max(0, min(each, self.leaves - pod * each))

    def leaf(self, server: int, port: int) -> int:
        """The leaf that a port of a server meets; all count from 0."""
        on_rail = self.ports // self.rails
        rail, place = divmod(port, on_rail)
        if self.apart:
            return rail * (self.leaves // self.rails) + (
                (server * on_rail + place) // self.unit_ports
            )
        if self.rails == 1:
            return (server * self.ports + port) // self.unit_ports
        first = server * self.ports // self.unit_ports * self.unit_leaves
        of_rail = self.unit_leaves // self.rails
        shared = min(self.unit_leaves, self.leaves - first) // of_rail
        return first + rail * shared // self.rails * of_rail + place * of_rail // on_rail


def cabling_of(evaluation: Evaluation) -> Cabling:
    """The cabling of a buildable fabric."""
    fabric, network = evaluation.fabric, evaluation.design.network
    server = load_catalog().servers[evaluation.design.cluster.server]
    servers, leaves = int(evaluation.servers), int(fabric.leaves)
    ports = int(fabric.access_links) // servers
    down = int(fabric.radix)
    if fabric.spines:
        down = int(leaf_downlinks(down, network.oversubscription))
    pod_ports = math.ceil(int(fabric.pod_gpus) * ports / int(server.gpus))
    rails, apart, unit_ports, unit_leaves = 1, False, down, 1
    if fabric.family == "rail-only":
        rails, apart = int(fabric.independent_fabrics), True
    elif fabric.family == "rail-optimised":
        rails = int(default_rails(ports, int(server.gpus)))
        on_rail = ports // rails
        unit_ports = max(down // on_rail, 1) * ports
        unit_leaves = rails * math.ceil(on_rail / down)
    return Cabling(
        servers=servers,
        ports=ports,
        leaves=leaves,
        rails=rails,
        apart=apart,
        unit_ports=unit_ports,
        unit_leaves=unit_leaves,
        pod_units=max(1, math.ceil(pod_ports / unit_ports)),
    )
