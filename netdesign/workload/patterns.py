"""Which messages does a collective put on the network, from which port to which?

All groups of one kind run at the same time, so one phase holds the messages of all of them. What
stays inside a scale-up domain is left out.

Rings and trees run over the domains of a group. As NCCL does, there is one of them for each member
that a domain has: number c goes to the c-th member of the next domain and carries its part of the
bytes; on even groups each stays on its rail. A message leaves on the rail of its receiver: it first
goes over the domain's own links to the GPU on that rail (PXN), so that an all-to-all sends one
message from a rail for all members of a domain. Without PXN it leaves on the port of its sender.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Array
from netdesign.topology.flow_paths import Flows
from netdesign.topology.placement import Numbers, Seats
from netdesign.workload.plan import Plan
from netdesign.workload.rank_groups import Ranks, group_of, rank_groups
from netdesign.workload.traffic import Collective, allreduce_bytes, exchange_bytes

RING_ORDERS = ("rank", "pod")
ALGORITHMS = ("ring", "tree")


@dataclass(frozen=True)
class Sending:
    """How the communication library sends."""

    algorithm: str = "ring"  # of an all-reduce; all others have no tree
    order: str = "rank"  # of a ring: as ranks are numbered, or pod after pod
    pxn: bool = True


@dataclass(frozen=True, eq=False)
class Visits:
    """The domains that each group sits in, group after group, in the order of its ring."""

    member: Ranks  # visit after visit, in each by the place in the domain
    first: Numbers  # of each visit, index into member
    count: Numbers  # members in each visit
    domain: Numbers  # of each visit
    group: Numbers  # of each visit
    start: Numbers  # of each group, index of its first visit
    length: Numbers  # visits of each group

    @property
    def place(self) -> Numbers:
        """Of each visit, in its group."""
        return np.arange(len(self.group)) - self.start[self.group]


def visits(groups: Ranks, seats: Seats, order: str = "rank") -> Visits:
    """Where the members of groups sit.

    Parameters
    ----------
    groups : int array [groups, members]
    seats : Seats
    order : str         "rank": domains come as the members' ranks do; "pod": as they stand in
                        the fabric, one pod after the other
    """
    count, size = groups.shape
    member = groups.ravel()
    domains = int(seats.domain.max(initial=0)) + 1
    key = np.repeat(np.arange(count), size) * domains + seats.domain[member]
    known, seen, which, members = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    group = known // domains
    turn = np.lexsort((seen, group)) if order == "rank" else np.arange(len(known))
    position = np.empty(len(known), dtype=np.int64)
    position[turn] = np.arange(len(known))
    sorted_members = np.lexsort((seats.local[member], position[which]))
    counts = members[turn]
    length = np.bincount(group, minlength=count)
    return Visits(
        member=member[sorted_members],
        first=np.cumsum(counts) - counts,
        count=counts,
        domain=known[turn] % domains,
        group=group[turn],
        start=np.cumsum(length) - length,
        length=length,
    )


def ring_flows(
    groups: Ranks, seats: Seats, sent: float, order: str = "rank", *, pxn: bool = True
) -> Flows:
    """One turn of the rings of every group: each domain to the next.

    Parameters
    ----------
    sent : float, bytes     by one rank over all its rings
    order : str             see ``visits``
    pxn : bool              where the members of two domains sit on different rails, leave on the
                            rail of the receiver
    """
    found = visits(groups, seats, order)
    after = (found.place + 1) % found.length[found.group] + found.start[found.group]
    moves = np.flatnonzero(found.length[found.group] > 1)
    return _side_by_side(found, seats, (moves, after[moves]), sent, pxn)


def tree_flows(
    groups: Ranks, seats: Seats, size: float, order: str = "rank", *, pxn: bool = True
) -> Flows:
    """The double binary trees of every group: half the message up and down each of the two.

    Parameters
    ----------
    size : float, bytes     message of an all-reduce
    order, pxn              see ``ring_flows``
    """
    found = visits(groups, seats, order)
    ends = []
    for parent in _double_tree(found.place, found.length[found.group]):
        below = np.flatnonzero(parent >= 0)
        above = parent[below] + found.start[found.group[below]]
        ends += [(below, above), (above, below)]
    low, high = (np.concatenate(side) for side in zip(*ends, strict=True))
    return _side_by_side(found, seats, (low, high), size / 2, pxn)


def all_to_all_flows(groups: Ranks, seats: Seats, block: float, *, pxn: bool = True) -> Flows:
    """Every member of every group to every other one.

    Parameters
    ----------
    block : float, bytes    from one member to one other that is outside the domain
    pxn : bool              gather on the receiver's rail what is for it
    """
    found = visits(groups, seats)
    each = found.length[found.group]
    source = np.repeat(np.arange(len(each)), each)
    target = _counting(each) + np.repeat(found.start[found.group], each)
    apart = source != target
    source, target = source[apart], target[apart]
    copies = found.count[target]
    receiver = found.member[np.repeat(found.first[target], copies) + _counting(copies)]
    source = np.repeat(source, copies)
    if pxn:
        gathered = seats.on_rail_of(found.member[found.first[source]], receiver)
        return _flows(seats, gathered, receiver, block * found.count[source])
    senders = found.count[source]
    sender = found.member[np.repeat(found.first[source], senders) + _counting(senders)]
    return _flows(seats, seats.gpu[sender], np.repeat(receiver, senders), block)


def send_flows(
    seats: Seats, source: Ranks, target: Ranks, size: float, *, pxn: bool = True
) -> Flows:
    """Messages from rank to rank; those inside a domain are left out."""
    leaves = seats.domain[source] != seats.domain[target]
    source, target = source[leaves], target[leaves]
    gpu = seats.on_rail_of(source, target) if pxn else seats.gpu[source]
    return _flows(seats, gpu, target, size)


def pipeline_flows(
    groups: Ranks, seats: Seats, size: float, *, circular: bool, pxn: bool = True
) -> Flows:
    """Activations to the next stage and gradients to the one before, at the same time.

    Parameters
    ----------
    size : float, bytes     of one message
    circular : bool         the last stage also sends to the first: interleaved schedules
    """
    ahead = np.roll(groups, -1, axis=1)
    if not circular or groups.shape[1] < 2:
        groups, ahead = groups[:, :-1], ahead[:, :-1]
    low, high = groups.ravel(), ahead.ravel()
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    return send_flows(seats, source, target, size, pxn=pxn)


def checkpoint_writers(plan: Plan) -> Ranks:
    """Ranks that hold something no other rank writes."""
    groups = rank_groups(plan)
    return np.sort(groups["data" if plan.sharding == 0 else "replicate"][:, 0])


def dataset_readers(plan: Plan) -> Ranks:
    """Ranks that read tokens: one of each tensor group, in the first stage of the pipeline."""
    return rank_groups(plan)["pipeline"][:: int(plan.tensor), 0]


def storage_flows(
    seats: Seats, ranks: Ranks, storage: Numbers, size: float, *, read: bool
) -> Flows:
    """What ranks write to storage or read from it, spread over its endpoints in turn.

    Parameters
    ----------
    ranks : int array               that write or read
    storage : int array             endpoints of the storage on the same fabric
    size : float, bytes             of each rank
    read : bool                     from storage to ranks
    """
    ports = seats.ports[ranks]
    near = ports.ravel()
    far = storage[np.arange(len(near)) % len(storage)]
    sizes = np.full(len(near), size / ports.shape[1])
    return Flows(far, near, sizes) if read else Flows(near, far, sizes)


def shape_of(collective: Collective, sending: Sending = Sending()) -> str:
    """How a collective sends: ring, tree, exchange (all-to-all), turn (to the next) or chain."""
    if collective.parallelism == "pipeline":
        return "chain"
    if collective.operation == "send":
        return "turn"
    if collective.operation == "all-to-all":
        return "exchange"
    if collective.operation == "all-reduce" and sending.algorithm == "tree":
        return "tree"
    return "ring"


def amount_of(collective: Collective, shape: str) -> float:
    """Bytes that ``shape_flows`` needs to know of one call of a collective."""
    size, ranks = float(collective.size), float(collective.span.ranks)
    if shape == "exchange":
        return size / ranks * float(collective.distinct_share)
    if shape == "ring":
        reduced = collective.operation == "all-reduce"
        return float(allreduce_bytes(size, ranks) if reduced else exchange_bytes(size, ranks))
    return size


def shape_flows(
    shape: str,
    groups: Ranks,
    seats: Seats,
    amount: float = 1.0,
    *,
    circular: bool = False,
    sending: Sending = Sending(),
) -> Flows:
    """Messages of all groups at once.

    Parameters
    ----------
    shape : str             of ``shape_of``
    groups : int array [groups, members]
    seats : Seats
    amount : float, bytes   of a message (turn, chain), of a block (exchange), sent by a rank
                            (ring), or of the whole message (tree)
    circular : bool         of a chain, whether its last member sends to the first
    sending : Sending
    """
    if shape == "chain":
        return pipeline_flows(groups, seats, amount, circular=circular, pxn=sending.pxn)
    if shape == "turn":
        ahead = np.roll(groups, -1, axis=1)
        return send_flows(seats, groups.ravel(), ahead.ravel(), amount, pxn=sending.pxn)
    if shape == "exchange":
        return all_to_all_flows(groups, seats, amount, pxn=sending.pxn)
    if shape == "tree":
        return tree_flows(groups, seats, amount, sending.order, pxn=sending.pxn)
    return ring_flows(groups, seats, amount, sending.order, pxn=sending.pxn)


def collective_flows(
    collective: Collective, plan: Plan, seats: Seats, sending: Sending = Sending()
) -> Flows:
    """Messages of one call of a collective by all its groups at once.

    A pipeline's call is a message each way between all neighbours.

    Parameters
    ----------
    collective : Collective     of scalars
    plan : Plan                 of scalars
    seats : Seats               of all ranks of the plan
    sending : Sending
    """
    shape = shape_of(collective, sending)
    return shape_flows(
        shape,
        rank_groups(plan)[group_of(collective)],
        seats,
        amount_of(collective, shape),
        circular=bool(plan.virtual_stages > 1),
        sending=sending,
    )


def _side_by_side(
    found: Visits, seats: Seats, moves: tuple[Numbers, Numbers], sent: float, pxn: bool
) -> Flows:
    """From visit to visit, on the port of every member that all visits of the group have."""
    source, target = moves
    rings = np.minimum.reduceat(found.count, found.start)
    each = rings[found.group[source]]
    ring = _counting(each)
    sender = found.member[np.repeat(found.first[source], each) + ring]
    receiver = found.member[np.repeat(found.first[target], each) + ring]
    gpu = seats.on_rail_of(sender, receiver) if pxn else seats.gpu[sender]
    return _flows(seats, gpu, receiver, sent / np.repeat(each, each))


def _flows(seats: Seats, gpu: Numbers, receiver: Ranks, size: float | Array) -> Flows:
    """Flows from the ports of GPUs to those of ranks, port by port; none from a port to itself."""
    source, target = seats.gpu_ports[gpu], seats.ports[receiver]
    each = np.broadcast_to(np.asarray(size, dtype=np.float64), gpu.shape) / source.shape[1]
    sizes = np.repeat(each, source.shape[1])
    apart = source.ravel() != target.ravel()
    return Flows(source.ravel()[apart], target.ravel()[apart], sizes[apart])


def _counting(counts: Numbers) -> Numbers:
    """0, 1, ... up to each count, one after the other."""
    first = np.cumsum(counts) - counts
    return np.arange(int(counts.sum()), dtype=np.int64) - np.repeat(first, counts)


def _double_tree(place: Numbers, length: Numbers) -> tuple[Numbers, Numbers]:
    """Parent of each place in the two trees, -1 at the root.

    The second tree is the first one mirrored where the length is even and turned by one place where
    it is odd, so that nobody but the first root has children in both.
    """
    odd = length % 2 == 1
    other = np.where(odd, (place - 1) % length, length - 1 - place)
    above = _tree_parent(other, length)
    turned = np.where(odd, (above + 1) % length, length - 1 - above)
    return _tree_parent(place, length), np.where(above < 0, -1, turned)


def _tree_parent(place: Numbers, length: Numbers) -> Numbers:
    bit = place & -place
    above = (place ^ bit) | (bit << 1)
    parent = np.where(above < length, above, place ^ bit)
    return np.where(place == 0, -1, parent)
