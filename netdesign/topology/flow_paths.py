"""What travels over a built fabric, what is broken in it, and which links each flow takes.

An endpoint is a link of a host to the fabric; endpoints are numbered by host, then by the slot of
the host. Where hosts forward (torus) an endpoint is a host. A directed link is 2 l upwards (from
``a`` to ``b`` of link l) and 2 l + 1 downwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric
from netdesign.topology.forwarding import Bools, Counts, host_links, hosts_forward, summed

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Flows:
    """Messages of one phase, all sent at the same time."""

    source: Counts  # endpoint of each flow
    target: Counts
    size: Reals  # bytes of each flow

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def of(cls, source: npt.ArrayLike, target: npt.ArrayLike, size: npt.ArrayLike = 1.0) -> Flows:
        """Flows from any sequences of whole numbers; one size may stand for all.

        Raises
        ------
        DesignError     for lists of different lengths, or a size below 0
        """
        ends = [_whole("source", source), _whole("target", target)]
        if len(ends[0]) != len(ends[1]):
            raise DesignError("target", len(ends[1]), "targets", f"give {len(ends[0])}")
        given = np.asarray(size, dtype=np.float64)
        if given.ndim and given.shape != ends[0].shape:
            raise DesignError("size", given.size, "sizes", f"give one or {len(ends[0])}")
        if not np.all((given >= 0) & (given < np.inf)):
            raise DesignError("size", None, "holds what is no size", "give bytes from 0")
        return cls(ends[0], ends[1], np.broadcast_to(given, ends[0].shape).copy())


@dataclass(frozen=True, eq=False)
class Lost:
    """What is broken."""

    switches: Bools  # of each switch
    links: Bools  # of each link

    @classmethod
    def nothing(cls, fabric: Fabric) -> Lost:
        """A fabric with nothing broken."""
        return cls(np.zeros(fabric.switches, dtype=bool), np.zeros(fabric.links, dtype=bool))

    @classmethod
    def of(cls, fabric: Fabric, switches: Any = (), links: Any = ()) -> Lost:
        """The loss of the switches and links of these numbers; switches count from 0."""
        nothing = cls.nothing(fabric)
        nothing.switches[np.asarray(switches, dtype=np.int64)] = True
        nothing.links[np.asarray(links, dtype=np.int64)] = True
        return nothing

    def alive(self, fabric: Fabric) -> Bools:
        """Links that still carry: neither they nor a switch at their ends is broken."""
        dead = np.concatenate([np.zeros(fabric.hosts, dtype=bool), self.switches])
        return np.asarray(~(self.links | dead[fabric.a] | dead[fabric.b]))


@dataclass(frozen=True, eq=False)
class Routes:
    """The links of every flow.

    A flow is one or more sub-flows (its queue pairs). A sub-flow crosses trunks. A trunk is one
    directed link (``trunk_of`` is None, it has the number of the link) or, where a sub-flow is
    spread evenly, a set of directed links that always carry the same; then ``weight`` says which
    part of the sub-flow crosses the trunk.
    """

    flows: int
    links: int  # of the fabric
    flow: Counts  # of each sub-flow
    share: Reals  # part of the flow's bytes in each sub-flow
    start: Counts  # trunks of sub-flow s are trunk[start[s] : start[s + 1]]
    trunk: Counts
    unreachable: Bools  # of each flow: no way is left; it has no sub-flows
    weight: Reals | None = None  # of each entry of ``trunk``; None: 1
    trunk_of: Counts | None = None  # of each directed link; -1 for one that is broken

    @property
    def subflows(self) -> int:
        return len(self.flow)

    @property
    def trunks(self) -> int:
        if self.trunk_of is None:
            return 2 * self.links
        return int(self.trunk_of.max(initial=-1)) + 1

    @property
    def subflow(self) -> Counts:
        """The sub-flow of each entry of ``trunk``."""
        return np.repeat(np.arange(self.subflows), np.diff(self.start))

    @property
    def weights(self) -> Reals:
        """The part of the sub-flow in each entry of ``trunk``."""
        return np.ones(len(self.trunk)) if self.weight is None else self.weight

    def over_links(self, on_trunks: Reals) -> Reals:
        """What all links of each trunk carry together, laid on the directed links one by one."""
        if self.trunk_of is None:
            return on_trunks
        there = np.flatnonzero(self.trunk_of >= 0)
        members = np.bincount(self.trunk_of[there], minlength=self.trunks)
        found = np.zeros(len(self.trunk_of))
        found[there] = (on_trunks / np.maximum(members, 1))[self.trunk_of[there]]
        return found

    def of_trunks(self, of_links: Reals) -> Reals:
        """The sum over the links of each trunk."""
        if self.trunk_of is None:
            return of_links
        there = np.flatnonzero(self.trunk_of >= 0)
        return summed(self.trunk_of[there], of_links[there], self.trunks)

    def sized(self, share: Reals) -> Routes:
        """The same ways with other parts of the flows in the sub-flows."""
        return replace(self, share=share)


def endpoint_links(fabric: Fabric) -> Counts:
    """The link of each endpoint, by host and the slot of the host; -1 where hosts forward."""
    if hosts_forward(fabric):
        return np.full(fabric.hosts, -1)
    links = np.flatnonzero(host_links(fabric))
    return links[np.lexsort((fabric.a_slot[links], fabric.a[links]))]


def endpoint_hosts(fabric: Fabric) -> Counts:
    """The host of each endpoint."""
    if hosts_forward(fabric):
        return np.arange(fabric.hosts)
    return fabric.a[endpoint_links(fabric)].astype(np.int64)


def endpoint_nodes(fabric: Fabric) -> Counts:
    """The node of the forwarding graph where each endpoint is: its leaf, or the host itself."""
    if hosts_forward(fabric):
        return np.arange(fabric.hosts)
    return fabric.b[endpoint_links(fabric)].astype(np.int64) - fabric.hosts


def endpoints_of_host(fabric: Fabric, host: int) -> Counts:
    """The endpoints of one host, in the order of its slots."""
    if not 0 <= host < fabric.hosts:
        raise DesignError("host", host, "is no host", f"give 0 to {fabric.hosts - 1}")
    return np.flatnonzero(endpoint_hosts(fabric) == host)


def check_flows(fabric: Fabric, flows: Flows) -> None:
    """Refuse flows from or to endpoints that the fabric does not have."""
    count = fabric.hosts if hosts_forward(fabric) else int(np.count_nonzero(host_links(fabric)))
    for field, ends in (("source", flows.source), ("target", flows.target)):
        wrong = ends[(ends < 0) | (ends >= count)]
        if len(wrong):
            raise DesignError(field, int(wrong[0]), "is no endpoint", f"give 0 to {count - 1}")


def _whole(field: str, given: npt.ArrayLike) -> Counts:
    found = np.asarray(given)
    if found.ndim != 1 or not (np.issubdtype(found.dtype, np.integer) or not found.size):
        raise DesignError(field, None, "is no list of whole numbers", "give endpoint numbers")
    return found.astype(np.int64)
