"""Every switch and link of a Clos fabric.

Where the spines divide a leaf's uplinks, or in two tiers have the ports for it, all leaves of a pod
are cabled alike, so that any two of them share all their uplinks: those to one spine stand side by
side, where they can share cages and cables, and the first spines have one more where it does not
divide. Else uplink j of leaf l in its pod goes to spine (l u + j) mod S, so that each leaf and each
spine is loaded as evenly as whole links allow; the links of the spines go round the cores (see
``core_links``), or, in scalable units, round the cores of the group that belongs to the spine's
place. Uplinks of a leaf begin behind the ports kept for hosts, however few stand there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.topology.built import Fabric, LinkKind
from netdesign.topology.clos_leaves import ports_for_hosts
from netdesign.topology.clos_shape import ClosShape, alike_pods
from netdesign.topology.core_links import core_links
from netdesign.topology.wiring import Bundle, wired_fabric

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Place:
    """Where the leaves of a copy stand: all arrays have one entry a leaf."""

    pod: Numbers  # the set of spines above it
    index: Numbers  # among the leaves of that pod
    unit: Numbers  # the set or scalable unit it belongs to
    rail: Numbers  # -1 where it serves several


def build_clos(shape: ClosShape, notes: tuple[str, ...] = ()) -> Fabric:
    """The graph of a shape that can be built."""
    request, copies = shape.request, shape.request.copies
    hosts = -(-request.endpoints // request.server_ports)
    leaves, spines, cores = shape.leaves.count, shape.spines, shape.cores
    first_spine = hosts + copies * leaves
    first_core = first_spine + copies * spines
    place = _places(shape)
    host, nic, leaf = _hosts(shape)
    bundles = [
        Bundle(LinkKind("host", request.endpoint_gbps, 1), host, hosts + leaf, a_slot=nic),
    ]
    gbps = request.endpoint_gbps if request.split else request.port_gbps
    slots = 1 if request.split else request.breakout
    if shape.pods:
        low, high = _leaf_spine(shape, place)
        bundles.append(
            Bundle(
                LinkKind("leaf_spine", gbps, slots),
                _copied(low, copies, hosts, leaves),
                _copied(high, copies, first_spine, spines),
                a_first=request.breakout * ports_for_hosts(request),
            )
        )
    if cores:
        low, high = _units_to_cores(shape) if shape.core_groups else core_links(shape)
        bundles.append(
            Bundle(
                LinkKind("spine_core", gbps, slots),
                _copied(low, copies, first_spine, spines),
                _copied(high, copies, first_core, cores),
            )
        )
    pod, rail, plane = _switches(shape, place)
    return wired_fabric(
        bundles,
        {"leaf": copies * leaves, "spine": copies * spines, "core": copies * cores},
        family=request.family,
        hosts=hosts,
        host_ports=request.server_ports * (1 if request.dealt else request.planes),
        gpus_per_host=request.gpus_per_server,
        endpoints=request.host_links,
        pod=pod,
        rail=rail,
        plane=plane,
        ports=request.radix + request.spare_ports,
        port_gbps=request.port_gbps,
        breakout=request.breakout,
        spare_ports=request.spare_ports,
        notes=notes,
    )


def _hosts(shape: ClosShape) -> tuple[Numbers, Numbers, Numbers]:
    """Host, NIC port and leaf (of all copies) of each host link."""
    request = shape.request
    endpoint = np.arange(request.endpoints, dtype=np.int64)
    host, at_server = np.divmod(endpoint, request.server_ports)
    machine, at_machine = np.divmod(endpoint, request.machine_ports)
    if request.dealt:
        plane = at_machine % request.planes
        copy, leaf = _leaf_of(shape, machine, at_machine // request.planes)
        return (
            host,
            at_server,
            (plane * (request.copies // request.planes) + copy) * (shape.leaves.count) + leaf,
        )
    copy, leaf = _leaf_of(shape, machine, at_machine)
    in_plane = copy * shape.leaves.count + leaf
    every = request.copies // request.planes * shape.leaves.count
    planes = np.arange(request.planes, dtype=np.int64)[:, None]
    return (
        np.tile(host, request.planes),
        (at_server * request.planes + planes).ravel(),
        (planes * every + in_plane).ravel(),
    )


def _leaf_of(shape: ClosShape, machine: Numbers, port: Numbers) -> tuple[Numbers, Numbers]:
    """The copy within its plane, and the leaf within the copy, of each port of a machine."""
    request, sets = shape.request, shape.leaves
    rail, place = _rail_of(shape, port)
    zero = np.zeros_like(machine)
    if request.apart:
        local = machine * request.copy_ports + place
        return rail, local // sets.capacity
    if not sets.machines:
        return zero, (machine * request.copy_ports + port) // sets.capacity
    in_rail = request.copy_ports // request.rails
    side = rail * sets.for_rail + place * sets.for_rail // in_rail
    if request.unit_machines:
        unit, within = np.divmod(machine, request.unit_machines)
        number = within // sets.machines
        return zero, unit * sets.per_unit + number * request.rails * sets.for_rail + side
    number = machine // sets.machines
    full = request.machines // sets.machines
    shared = rail * sets.partial_leaves // request.rails
    first = number * request.rails * sets.for_rail
    return zero, first + np.where(number < full, side, shared)


def _rail_of(shape: ClosShape, port: Numbers) -> tuple[Numbers, Numbers]:
    """Rail of each port of a machine, and its place among the machine's ports of that rail.

    Ports of equal place in their server share a rail, also where several servers are one machine.
    """
    request = shape.request
    dealt = request.planes if request.dealt else 1
    server, machine = request.server_ports // dealt, request.machine_ports // dealt
    if server % request.rails == 0:
        each = server // request.rails
        tray, at_server = np.divmod(port, server)
        rail, place = np.divmod(at_server, each)
        return rail, tray * each + place
    rail, place = np.divmod(port, machine // request.rails)
    return rail, place


def _places(shape: ClosShape) -> _Place:
    request, sets = shape.request, shape.leaves
    leaf = np.arange(sets.count, dtype=np.int64)
    rails = request.copy_rails
    unit, within = np.divmod(leaf, sets.per_unit)
    in_set = within % (rails * sets.for_rail)
    rail = in_set // sets.for_rail if rails > 1 else np.full_like(leaf, -1)
    if sets.partial_leaves and sets.partial_leaves < rails * sets.for_rail:
        rail[sets.count - sets.partial_leaves :] = -1
    if shape.core_groups:
        number = within // (rails * sets.for_rail)
        group = unit * rails + in_set // sets.for_rail
        return _Place(group, number * sets.for_rail + in_set % sets.for_rail, unit, rail)
    in_pod = shape.pods[0].leaves if shape.pods else 1
    pod, index = np.divmod(leaf, in_pod)
    return _Place(pod, index, unit if sets.machines else np.full_like(leaf, -1), rail)


def _pod_table(shape: ClosShape) -> tuple[Numbers, Numbers]:
    """Spines and first spine of each pod."""
    counts = [pod.count for pod in shape.pods]
    spines = np.repeat([pod.spines for pod in shape.pods], counts).astype(np.int64)
    return spines, np.cumsum(spines) - spines


def _leaf_spine(shape: ClosShape, place: _Place) -> tuple[Numbers, Numbers]:
    up = shape.up_links
    spines, first = _pod_table(shape)
    leaf = np.repeat(np.arange(shape.leaves.count, dtype=np.int64), up)
    link = np.tile(np.arange(up, dtype=np.int64), shape.leaves.count)
    pod = place.pod[leaf]
    around = (place.index[leaf] * up + link) % spines[pod]
    each, more = np.divmod(up, spines[pod])
    wider = more * (each + 1)
    rest = more + (link - wider) // np.maximum(each, 1)
    side_by_side = np.where(link < wider, link // (each + 1), rest)
    return leaf, first[pod] + np.where(alike_pods(shape)[pod], side_by_side, around)


def _units_to_cores(shape: ClosShape) -> tuple[Numbers, Numbers]:
    groups, pod = shape.pods[0].count, shape.pods[0]
    up = pod.core_links // pod.spines
    cores = shape.cores // shape.core_groups
    spine = np.repeat(np.arange(groups * pod.spines, dtype=np.int64), up)
    link = np.tile(np.arange(up, dtype=np.int64), groups * pod.spines)
    group, place = np.divmod(spine, pod.spines)
    return spine, place * cores + (group * up + link) % cores


def _copied(devices: Numbers, copies: int, first: int, each: int) -> Numbers:
    """Device numbers of all copies: those of a copy follow those of the one before."""
    offsets = first + each * np.arange(copies, dtype=np.int64)[:, None]
    return np.asarray(offsets + devices).ravel()


def _switches(shape: ClosShape, place: _Place) -> tuple[Numbers, Numbers, Numbers]:
    """Pod, rail and plane of each switch."""
    request, copies = shape.request, shape.request.copies
    counts = (shape.leaves.count, shape.spines, shape.cores)
    spines, _ = _pod_table(shape) if shape.pods else (np.zeros(0, dtype=np.int64),) * 2
    of_spine = np.repeat(np.arange(len(spines)), spines)
    nowhere = np.full(shape.spines, -1)
    if shape.core_groups:
        above = (of_spine // request.copy_rails, of_spine % request.copy_rails)
        leaf_pod = place.unit
    elif shape.cores:
        above, leaf_pod = (of_spine, nowhere), place.pod
    else:
        above, leaf_pod = (nowhere, nowhere), place.unit
    pods = (leaf_pod, above[0], np.full(shape.cores, -1))
    rails = (place.rail, above[1], np.full(shape.cores, -1))
    copy = [np.repeat(np.arange(copies), count) for count in counts]
    per_plane = copies // request.planes
    rail = [
        number % per_plane if request.apart else np.tile(rails[level], copies)
        for level, number in enumerate(copy)
    ]
    return (
        np.concatenate([np.tile(pod, copies) for pod in pods]),
        np.concatenate(rail),
        np.concatenate([number // per_plane for number in copy]),
    )
