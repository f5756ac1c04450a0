"""Max-min fair rates: no sub-flow can have more without one that has no more getting less."""

from __future__ import annotations

import numpy as np

from netdesign.topology.flow_paths import Reals, Routes
from netdesign.topology.forwarding import summed

_ALIKE = 1e-12  # shares that differ by less are one bottleneck


def subflow_rates(routes: Routes, capacity: Reals) -> Reals:
    """Max-min fair rate of every sub-flow, by progressive filling.

    All rates rise together until a trunk is full; its sub-flows keep what they have and the others
    rise on (bertsekas-gallager-1992, section 6.5.2). Here every trunk whose fair share is the least
    on all ways of its sub-flows is filled at once: what others freeze at later can only leave it as
    it is. Exact, in as many rounds as bottlenecks depend on each other, not as many as there are
    different rates.

    Parameters
    ----------
    routes : Routes
    capacity : float array [2 links], bytes/s       of each directed link

    Returns
    -------
    float array [sub-flows], bytes/s                infinite for one that crosses no link
    """
    rates = np.full(routes.subflows, np.inf)
    left = routes.of_trunks(capacity).astype(np.float64)
    trunk, weight = routes.trunk, routes.weight
    length = np.diff(routes.start)
    sub = np.flatnonzero(length)
    length = length[sub]
    while len(sub):
        begin = np.cumsum(length) - length
        if weight is None:
            load = np.bincount(trunk, minlength=len(left)).astype(np.float64)
        else:
            load = summed(trunk, weight, len(left))
        share = np.full(len(left), np.inf)
        np.divide(left, load, out=share, where=load > 0)
        at = share[trunk]
        least = np.minimum.reduceat(at, begin)
        spread = np.repeat(least, length)
        lower = spread < at * (1 - _ALIKE)
        waits = np.zeros(len(left), dtype=bool)
        waits[trunk[lower]] = True
        full = ~lower & ~waits[trunk]
        done = np.logical_or.reduceat(full, begin)
        rates[sub[done]] = least[done]
        gone = np.repeat(done, length)
        taken = spread[gone] if weight is None else spread[gone] * weight[gone]
        left -= summed(trunk[gone], taken, len(left))
        np.maximum(left, 0.0, out=left)
        trunk, sub, length = trunk[~gone], sub[~done], length[~done]
        weight = None if weight is None else weight[~gone]
    return rates
