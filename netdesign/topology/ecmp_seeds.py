"""How does hashing turn out over many seeds? A distribution, not one number."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.scheduler import mapped
from netdesign.topology.built import Fabric
from netdesign.topology.flow_paths import Flows, Lost, Reals, check_flows
from netdesign.topology.flows import capacities, flow_rates, link_loads, wanted_rates
from netdesign.topology.forwarding import Counts
from netdesign.topology.hop_walk import Walk, hashed_routes, walk_for
from netdesign.topology.max_min import subflow_rates

_TOGETHER = 50_000  # sub-flows solved at once
_BATCHES = 64  # at most so many seeds a batch, so that workers share the seeds evenly


@dataclass(frozen=True, eq=False)
class SeedResults:
    """One entry for each seed. Shares are of what the links of the hosts allow, 0 to 1."""

    seeds: Counts
    slowest: Reals  # share of the slowest flow: what a barrier sees
    mean: Reals  # mean share: what a traffic tester sees
    time: Reals  # s until the last flow is done, each at its rate
    hottest: Reals  # s that the fullest directed link needs for all its bytes
    hottest_link: Counts  # directed link

    @property
    def slowest_efficiency(self) -> float:
        """Mean time without collisions over mean time: 1 / E[1 / slowest share]."""
        return float(1 / np.mean(1 / self.slowest))

    @property
    def mean_efficiency(self) -> float:
        return float(np.mean(self.mean))

    def quantile(self, name: str, level: float) -> float:
        """A quantile, 0 to 1, of one of the fields."""
        return float(np.quantile(getattr(self, name), level))


def ecmp_seeds(
    fabric: Fabric,
    flows: Flows,
    seeds: int | npt.ArrayLike,
    *,
    queue_pairs: int = 1,
    coupled: bool = True,
    lost: Lost | None = None,
    scheduler: str | None = None,
) -> SeedResults:
    """Hash the flows with many seeds and solve each outcome for its max-min fair rates.

    Parameters
    ----------
    fabric : Fabric
    flows : Flows
    seeds : int or int array [K]    so many seeds from 0, or the seeds themselves
    queue_pairs : int               of each flow
    coupled : bool                  a flow waits for its slowest queue pair
    lost : Lost or None             what is broken
    scheduler : str or None         address of a Dask scheduler; None: this process

    Returns
    -------
    SeedResults                     flows without a way are left out; the same on any machine

    Raises
    ------
    DesignError                     for no seed, for flows that the fabric does not have, and where
                                    the scheduler does not answer
    """
    numbers = np.arange(seeds) if isinstance(seeds, int) else np.asarray(seeds, dtype=np.int64)
    if numbers.ndim != 1 or not len(numbers):
        raise DesignError("seeds", seeds, "gives no seed", "give at least 1")
    check_flows(fabric, flows)
    walk = walk_for(fabric, flows, lost=lost, queue_pairs=queue_pairs, seeds=len(numbers))
    step = min(max(_TOGETHER // max(len(walk.flow), 1), 1), _BATCHES)
    batches = [numbers[begin : begin + step] for begin in range(0, len(numbers), step)]
    shared = (walk, flows.size, capacities(fabric), wanted_rates(fabric, flows), coupled)
    parts = mapped(solve_seeds, batches, shared, scheduler=scheduler)
    return SeedResults(
        *(
            np.concatenate([getattr(part, entry.name) for part in parts])
            for entry in fields(SeedResults)
        )
    )


def solve_seeds(
    seeds: Counts, walk: Walk, size: Reals, capacity: Reals, wanted: Reals, coupled: bool
) -> SeedResults:
    """The outcome of some seeds, each on a copy of the fabric, all copies solved as one."""
    copies = len(seeds)
    routes = hashed_routes(walk, seeds)
    subflow = subflow_rates(routes, np.tile(capacity, copies))
    rates = flow_rates(routes, subflow, coupled=coupled).reshape(copies, walk.flows)
    busy = link_loads(routes, np.tile(size, copies)).reshape(copies, -1) / capacity
    met = np.isfinite(wanted) & ~walk.unreachable
    share = rates[:, met] / wanted[met]
    sent = met & (size > 0)
    return SeedResults(
        seeds=seeds,
        slowest=share.min(axis=1, initial=1.0),
        mean=share.mean(axis=1) if np.any(met) else np.ones(copies),
        time=(size[sent] / rates[:, sent]).max(axis=1, initial=0.0),
        hottest=busy.max(axis=1, initial=0.0),
        hottest_link=busy.argmax(axis=1) if busy.size else np.zeros(copies, dtype=np.int64),
    )
