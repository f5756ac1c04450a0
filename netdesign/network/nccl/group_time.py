"""Time of a collective of any groups on one kind of machine: what a model of a step asks for."""

from __future__ import annotations

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.errors import DesignError
from netdesign.network.nccl.choice import Ranks, choose
from netdesign.network.nccl.constants import Constants, shipped_constants
from netdesign.network.nccl.hardware import FABRICS, GENERATIONS, LINKS
from netdesign.network.nccl.prediction import PEERS, RINGS, predict

NONE = -1


def group_time(
    operation: str,
    size: Numeric,
    ranks: Numeric,
    domains: Numeric,
    *,
    generation: str,
    link: str,
    fabric: str,
    nic_bandwidth: Numeric,
    constants: Constants | None = None,
) -> Numeric:
    """Predicted time of a collective by the algorithm that NCCL takes.

    Parameters
    ----------
    operation : str                         one of ``RINGS`` or ``PEERS``
    size : float or array, bytes            as nccl-tests counts it
    ranks : float or array, >= 1            of the group
    domains : float or array, >= 1          scale-up domains that it spans, evenly
    generation, link, fabric : str          of ``hardware``'s lists
    nic_bandwidth : float or array, bytes/s line rate of a rank's share of the NICs
    constants : Constants                   the shipped ones if None

    Returns
    -------
    float or array, s                       the broadcast shape; 0 for one rank

    Raises
    ------
    DesignError     for an unknown operation or kind of hardware
    """
    _known(operation, generation, link, fabric)
    shape = np.broadcast_shapes(*(np.shape(x) for x in (size, ranks, domains, nic_bandwidth)))
    flat = [
        np.broadcast_to(np.asarray(value, dtype=float), shape).ravel()
        for value in (size, ranks, domains, nic_bandwidth)
    ]
    several = flat[1] > 1
    time = np.zeros(len(several))
    if several.any():
        sizes, count, spread, nic = (column[several] for column in flat)
        kinds = {
            "generation": GENERATIONS.index(generation),
            "link": LINKS.index(link),
            "mesh": False,
            "fabric": FABRICS.index(fabric),
            "algorithm": NONE,
            "protocol": NONE,
        }
        columns = {name: np.full(len(sizes), value) for name, value in kinds.items()}
        columns["fabric"] = np.where(spread > 1, columns["fabric"], NONE)
        group = Ranks(ranks=count, domains=spread, nic_bandwidth=nic, **columns)
        time[several] = _chosen_time(operation, sizes, group, constants or shipped_constants())
    found: Numeric = time.reshape(shape)[()]
    return found


def _known(operation: str, generation: str, link: str, fabric: str) -> None:
    for field, value, known in (
        ("operation", operation, (*RINGS, *PEERS)),
        ("generation", generation, GENERATIONS),
        ("link", link, LINKS),
        ("fabric", fabric, FABRICS),
    ):
        if value not in known:
            raise DesignError(field, value, "has no constants", f"one of {', '.join(known)}")


def _chosen_time(operation: str, size: Array, ranks: Ranks, constants: Constants) -> Array:
    if operation in PEERS:
        return predict(operation, NONE, NONE, size, ranks, constants).time
    algorithms, protocols = choose(operation, size, ranks)
    time = np.empty(len(size))
    for a, p in set(zip(algorithms.tolist(), protocols.tolist(), strict=True)):
        own = (algorithms == a) & (protocols == p)
        time[own] = predict(operation, a, p, size[own], ranks.chosen(own), constants).time
    return time
