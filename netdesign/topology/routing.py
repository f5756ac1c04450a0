"""Which links does each flow take over a built fabric: hashed, by static tables, or adaptive?"""

from __future__ import annotations

from typing import Literal

import numpy as np

from netdesign.errors import DesignError
from netdesign.topology.adaptive import spread_routes
from netdesign.topology.built import Fabric
from netdesign.topology.flow_paths import (
    Flows,
    Lost,
    Routes,
    check_flows,
    endpoint_hosts,
    endpoint_links,
    endpoint_nodes,
    endpoints_of_host,
)
from netdesign.topology.hop_walk import Walk, hashed_routes, walk_for
from netdesign.topology.static_tables import static_routes

Policy = Literal["ecmp", "static", "adaptive"]
POLICIES: tuple[Policy, ...] = ("ecmp", "static", "adaptive")
_MOST_QUEUE_PAIRS = 128  # NCCL_IB_QPS_PER_CONNECTION takes no more

__all__ = [
    "POLICIES",
    "Flows",
    "Lost",
    "Policy",
    "Routes",
    "Walk",
    "endpoint_hosts",
    "endpoint_links",
    "endpoint_nodes",
    "endpoints_of_host",
    "routes",
    "walk_for",
]


def routes(
    fabric: Fabric,
    flows: Flows,
    policy: Policy,
    *,
    seed: int = 0,
    queue_pairs: int = 1,
    lost: Lost | None = None,
) -> Routes:
    """The links of every flow on shortest paths over what is not broken.

    ecmp        every switch picks one of the links that lead nearer to the destination by a hash of
                the flow and the queue pair; parallel links are separate choices. Flows between the
                same two endpoints hash apart, as if they had a source port each.
    static      tables by destination, see ``static_routes``: all flows to an endpoint take the same
                way from any switch, however many queue pairs they have.
    adaptive    a flow is spread evenly over all its shortest paths, whatever other flows do: packet
                spraying, or adaptive routing, that hears where fewer links lead on. A single switch
                between two leaves gets what its narrower side can carry.

    Parameters
    ----------
    fabric : Fabric
    flows : Flows               a flow from an endpoint to itself crosses no link
    policy : str                ecmp | static | adaptive
    seed : int                  of the hash; the same on every machine
    queue_pairs : int, 1 to 128 sub-flows of equal share that hash apart (ecmp)
    lost : Lost or None         what is broken

    Returns
    -------
    Routes

    Raises
    ------
    DesignError                 for an unknown policy, endpoint or number of queue pairs
    """
    if policy not in POLICIES:
        raise DesignError("policy", policy, "is not known", f"one of {', '.join(POLICIES)}")
    if not 1 <= queue_pairs <= _MOST_QUEUE_PAIRS:
        hint = f"give 1 to {_MOST_QUEUE_PAIRS}"
        raise DesignError("queue_pairs", queue_pairs, "cannot be opened", hint)
    check_flows(fabric, flows)
    if policy == "ecmp":
        hashed = walk_for(fabric, flows, lost=lost, queue_pairs=queue_pairs)
        return hashed_routes(hashed, np.array([seed]))
    if policy == "static":
        return static_routes(fabric, walk_for(fabric, flows, lost=lost), flows)
    return spread_routes(walk_for(fabric, flows, lost=lost, listed=False))
