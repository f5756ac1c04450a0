"""Which ports are dead when something is broken, and over which others do messages go?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import components, forwarding, hosts_forward
from netdesign.topology.routing import (
    Flows,
    Lost,
    endpoint_hosts,
    endpoint_links,
    endpoint_nodes,
)

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]


def dead_endpoints(fabric: Fabric, lost: Lost) -> Bools:
    """Endpoints that no longer reach the larger rest of their part of the fabric.

    A part is what hangs together while nothing is broken: the whole fabric, a rail, a plane.

    Returns
    -------
    bool array [endpoints]
    """
    links = endpoint_links(fabric)
    alive = lost.alive(fabric)
    kept = replace(
        fabric,
        kind=fabric.kind[alive],
        a=fabric.a[alive],
        a_slot=fabric.a_slot[alive],
        b=fabric.b[alive],
        b_slot=fabric.b_slot[alive],
        medium=None,
        length_m=None,
    )
    whole = forwarding(fabric)
    before, after = components(whole), components(forwarding(kept))
    nodes = endpoint_nodes(fabric)
    cut = np.zeros(len(nodes), dtype=bool) if hosts_forward(fabric) else ~alive[links]
    size = np.bincount(after[nodes[~cut]], minlength=int(after.max(initial=0)) + 1)
    # Of each part the piece with the most endpoints stays, of equal ones the first.
    order = np.lexsort((after, -size[after], before))
    leads = np.concatenate([[True], np.diff(before[order]) > 0])
    rest = np.zeros(len(after), dtype=bool)
    rest[after[order[leads]]] = True
    return np.asarray(cut | ~rest[after[nodes]], dtype=bool)


def stand_ins(fabric: Fabric, group_ports: int) -> Numbers:
    """The endpoints that may take over from each: the others of its group, in turn.

    The ports of one NIC lead to different leaves, so where neighbours among the slots of a host
    share a leaf they are the first ports of different NICs: the second ones follow after all of
    the first.

    Parameters
    ----------
    fabric : Fabric
    group_ports : int, >= 1     ports of one NIC, or all of a host

    Returns
    -------
    int array [endpoints, group_ports - 1]
    """
    host = endpoint_hosts(fabric)
    count = np.bincount(host, minlength=fabric.hosts)[host]
    first = np.arange(len(host)) - _place(host)
    place = _place(host)
    shifts = np.arange(1, group_ports)
    if _in_turn(fabric, group_ports):
        nics = count // group_ports
        turned = (place[:, None] + shifts * nics[:, None]) % count[:, None]
        return np.asarray(first[:, None] + turned, dtype=np.int64)
    base = place // group_ports * group_ports
    size = np.minimum(group_ports, count - base)
    inside = (place - base)[:, None] + shifts
    return np.asarray((first + base)[:, None] + inside % size[:, None], dtype=np.int64)


def nic_order(fabric: Fabric, nic_ports: int, gpu_ports: Numbers) -> Numbers:
    """Ports of GPUs with those of one NIC together; as given where the slots have them so."""
    if not _in_turn(fabric, nic_ports):
        return gpu_ports
    ports = fabric.host_ports
    host, place = np.divmod(gpu_ports, ports)
    return np.asarray(
        host * ports + place // nic_ports + place % nic_ports * (ports // nic_ports),
        dtype=np.int64,
    )


def moved(flows: Flows, dead: Bools, others: Numbers) -> Flows:
    """Flows with dead ends moved to the ports that may take over.

    Both ends move by the same number of ports where that finds two live ones: on one plane, or
    one rail, they stay together. Otherwise each dead end takes the next live port of its group.
    A flow with no live port keeps its dead one.

    Parameters
    ----------
    flows : Flows
    dead : bool array [endpoints]
    others : int array [endpoints, m]       of ``stand_ins``
    """
    waiting = np.flatnonzero(dead[flows.source] | dead[flows.target])
    if not len(waiting):
        return flows
    source, target = flows.source.copy(), flows.target.copy()
    for taking in others.T:
        to_source, to_target = taking[flows.source[waiting]], taking[flows.target[waiting]]
        free = ~dead[to_source] & ~dead[to_target]
        source[waiting[free]], target[waiting[free]] = to_source[free], to_target[free]
        waiting = waiting[~free]
    for ends in (source, target):
        left = waiting[dead[ends[waiting]]]
        origin = ends[left].copy()
        for taking in others.T:
            free = dead[ends[left]] & ~dead[taking[origin]]
            ends[left[free]] = taking[origin[free]]
    return Flows(source, target, flows.size)


def _place(host: Numbers) -> Numbers:
    """Place of each endpoint among those of its host."""
    start = np.concatenate([[True], np.diff(host) > 0])
    first = np.maximum.accumulate(np.where(start, np.arange(len(host)), 0))
    return np.asarray(np.arange(len(host)) - first, dtype=np.int64)


def _in_turn(fabric: Fabric, nic_ports: int) -> bool:
    """Whether the first ports of all NICs of a host come before the second ones."""
    nodes = endpoint_nodes(fabric)[: fabric.host_ports]
    apart = 1 < nic_ports < fabric.host_ports and fabric.host_ports % nic_ports == 0
    return bool(apart and nodes[0] == nodes[1])
