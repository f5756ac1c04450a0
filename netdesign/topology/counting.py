"""What is a built fabric made of? Counts from its arrays alone, to hold against the closed form."""

from __future__ import annotations

import numpy as np

from netdesign.topology.bisection import graph_bisection
from netdesign.topology.built import Fabric
from netdesign.topology.distances import graph_distances
from netdesign.topology.forwarding import components, forwarding, host_links
from netdesign.topology.metrics import (
    links_by_tier,
    oversubscription_by_leaf,
    ports_by_tier,
    switches_by_tier,
)
from netdesign.topology.spec import FabricCounts

UNKNOWN = 0


def count(fabric: Fabric) -> FabricCounts:
    """Count a fabric link by link.

    Parameters
    ----------
    fabric : Fabric

    Returns
    -------
    FabricCounts    ``endpoints``: links of hosts to switches, all planes together; hosts where
                    they are cabled to each other;
                    ``oversubscription``: of the worst leaf, see ``oversubscription_by_leaf``;
                    ``diameter``: over leaves with hosts, of parts that do not meet the largest;
                    a note says where it is from a sample of the leaves;
                    ``bisection_links``: see ``bisection``, without random halves;
                    ``largest`` and ``circuit_switches`` cannot be seen in a graph and are 0
    """
    graph = forwarding(fabric)
    part = components(graph)
    tiers = ports_by_tier(fabric).values()
    far = graph_distances(graph, part=part)
    cut = graph_bisection(graph, part=part)
    used = sum(ports.used for ports in tiers)
    return FabricCounts(
        family=fabric.family,
        endpoints=int(graph.endpoints.sum()),
        switches=switches_by_tier(fabric),
        links=links_by_tier(fabric),
        link_gbps={kind.name: kind.gbps for kind in fabric.kinds},
        oversubscription=oversubscription_by_leaf(fabric).worst,
        diameter=far.diameter,
        bisection_links=cut.links,
        transceivers=used + _host_ends(fabric),
        stranded_ports=sum(ports.stranded for ports in tiers),
        largest=UNKNOWN,
        circuit_switches=UNKNOWN,
        notes=() if far.exact else (f"diameter {far.note}",),
    )


def _host_ends(fabric: Fabric) -> int:
    """Ends of links at hosts: both of a link between two hosts."""
    between = np.count_nonzero((fabric.a < fabric.hosts) & (fabric.b < fabric.hosts))
    return int(2 * between + np.count_nonzero(host_links(fabric)))
