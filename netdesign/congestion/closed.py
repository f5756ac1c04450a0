"""The closed forms beside a phase on the built fabric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netdesign.network.congestion import crossing_slowdown, ecmp_slowest_efficiency
from netdesign.performance.machine import Machine
from netdesign.performance.overlap import UNORDERED
from netdesign.topology.built import Fabric
from netdesign.topology.clos_shape import ClosShape
from netdesign.topology.flows import capacities
from netdesign.topology.forwarding import host_links
from netdesign.topology.leaf_pairs import leaf_pairs, link_counts, shared_uplinks
from netdesign.topology.routing import Routes
from netdesign.workload.plan import members_within
from netdesign.workload.rank_groups import Ranks
from netdesign.workload.traffic import Collective

_SAME = 0.9  # groups of links this near to the fullest count as equally full


@dataclass(frozen=True)
class Bins:
    """Equal links that equal sub-flows are thrown on."""

    links: int
    flows: float  # thrown on all of them
    flow_time_s: float  # of one sub-flow alone on a link

    @property
    def mean_s(self) -> float:
        """Time of a link if all had the same to carry."""
        return self.flows / self.links * self.flow_time_s

    @property
    def time_s(self) -> float:
        """Expected time of the fullest link: its expected flows, one after the other."""
        if self.flows <= 0:
            return 0.0
        each = self.flows / self.links
        return float(each / ecmp_slowest_efficiency(self.links, each) * self.flow_time_s)


def taper_slowdown(
    collective: Collective,
    machine: Machine,
    groups: Ranks | None = None,
    shape: ClosShape | None = None,
) -> float:
    """Slow-down of a collective by the taper alone, packed and evenly spread.

    Domains take the place of ranks, as in ``performance.overlap``. Where two tiers are cabled so
    that leaves share a part of their uplinks only (see ``leaf_pairs``) the taper counts for more.

    Parameters
    ----------
    collective : Collective             of scalars
    machine : Machine                   of scalars
    groups : int array or None          ranks of its groups where they are not numbered as its span
                                        says
    shape : ClosShape or None           the wiring; None: any two leaves share all their uplinks
    """
    if groups is None:
        span = collective.span
        pod = members_within(span, machine.pod_gpus)
        inside, domains = np.maximum(pod / span.local, 1.0), span.domains
    else:
        inside, domains = _domains_in_pod(groups, machine)
    ordered = collective.operation not in UNORDERED
    taper = machine.oversubscription * wiring_slowdown(shape, ordered=ordered)
    return float(crossing_slowdown(taper, inside, domains, ordered=ordered))


def wiring_slowdown(shape: ClosShape | None, *, ordered: bool) -> float:
    """What the wiring of two tiers adds to their taper: 1 where leaves share all their uplinks.

    Each spine gets what both ends can carry over it. Rings in order go from a leaf to that of its
    rail in the next unit (and from the last to the first), all-to-alls to all of its rail alike.

    Parameters
    ----------
    shape : ClosShape or None
    ordered : bool              whether rings follow the pods

    Returns
    -------
    float                       at least 1
    """
    pairs = None if shape is None or shape.request.tiers != 2 else leaf_pairs(shape)
    if shape is None or pairs is None or pairs.worst == pairs.uplinks:
        return 1.0
    spines, uplinks, step = pairs.spines, pairs.uplinks, shape.leaves.per_unit
    last = (pairs.leaves - 1) // step * step
    if not last:
        return 1.0
    if ordered:
        return uplinks / min(shared_uplinks(uplinks, spines, apart) for apart in (step, last))
    links = link_counts(uplinks, spines, pairs.leaves)[::step]
    worst = 1.0
    for leaf in range(min(len(links), spines)):
        both = np.minimum(links[leaf], np.delete(links, leaf, axis=0))
        used = links[leaf] > 0
        given = (both / both.sum(axis=1, keepdims=True)).mean(axis=0)
        worst = max(worst, float((given[used] / links[leaf][used]).max()) * uplinks)
    return worst


def _domains_in_pod(groups: Ranks, machine: Machine) -> tuple[float, float]:
    """Domains of a group in one pod and in all, on average, ranks being packed."""
    number = np.arange(len(groups))[:, None]
    domain = groups // int(machine.domain_gpus)
    pod = groups // int(machine.pod_gpus)
    domains = len(np.unique(number * (domain.max() + 1) + domain))
    pods = len(np.unique(number * (pod.max() + 1) + pod))
    return domains / pods, domains / len(groups)


def balls_in_bins(
    fabric: Fabric, routes: Routes, size: npt.NDArray[np.float64]
) -> tuple[Bins, ...]:
    """The sets of equal links that hashing chooses from, with what is thrown on them.

    One entry for each kind of link between switches and direction: the links of those lower
    switches that have the most to carry for each link.

    Parameters
    ----------
    fabric : Fabric
    routes : Routes             hashed
    size : float array [flows]  bytes of each flow
    """
    thrown = np.bincount(routes.trunk, minlength=2 * fabric.links)
    carried = np.bincount(
        routes.trunk, (size[routes.flow] * routes.share)[routes.subflow], minlength=2 * fabric.links
    )
    capacity = capacities(fabric)
    between = ~host_links(fabric) & (fabric.a >= fabric.hosts)
    found = []
    for kind in np.unique(fabric.kind[between]):
        links = np.flatnonzero(between & (fabric.kind == kind))
        for downward in (0, 1):
            directed = 2 * links + downward
            flows = np.bincount(fabric.a[links], thrown[directed], minlength=fabric.devices)
            count = np.maximum(np.bincount(fabric.a[links], minlength=fabric.devices), 1)
            fullest = flows / count
            chosen = (fullest >= _SAME * fullest.max()) & (flows > 0)
            if not np.any(chosen):
                continue
            on = directed[chosen[fabric.a[links]]]
            each = carried[on].sum() / thrown[on].sum()
            found.append(
                Bins(len(on), float(flows[chosen].sum()), float(each / capacity[on].min()))
            )
    return tuple(found)


def hashed_slowdown(bins: tuple[Bins, ...], host_time_s: float) -> float:
    """Slow-down by the fullest link that throwing dice lets expect; at least 1.

    Sets that are as full as the fullest count as one: the worst of all their links decides.
    """
    if host_time_s <= 0 or not bins:
        return 1.0
    top = max(entry.mean_s for entry in bins)
    alike = [entry for entry in bins if entry.mean_s >= _SAME * top]
    links, flows = sum(entry.links for entry in alike), sum(entry.flows for entry in alike)
    each = sum(entry.flows * entry.flow_time_s for entry in alike) / flows
    together = Bins(links, flows, each)
    return max(1.0, *(entry.time_s / host_time_s for entry in (together, *bins)))
