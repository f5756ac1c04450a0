"""How long does a collective really take on this hardware?

NCCL's table gives the latency of each algorithm and protocol; systems show a start-up of the host
and the network on top of it, bandwidths below the link rate, and a pipeline that fills slowly:
``t = a + u + 2 sqrt(tau u)`` with ``u`` the time of the bytes alone. Everything broadcasts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.formulas import formula
from netdesign.network.nccl.choice import Ranks, searched_group
from netdesign.network.nccl.constants import LINK_CLASSES, Constants
from netdesign.network.nccl.hardware import LINKS
from netdesign.network.nccl.tables import ALGORITHMS, PROTOCOLS, tables
from netdesign.network.nccl.tuning import Group, steps, tuning_latency
from netdesign.network.two_tiers import tree_messages

RINGS = ("all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce")
_IN_STEPS = ("all-reduce", "all-gather", "reduce-scatter")
PEERS = ("all-to-all", "gather", "scatter", "send")


@dataclass(frozen=True)
class Predicted:
    """Time of each case, s, and what it is made of."""

    time: Array
    start: Array  # latency and start-up, s
    ramp: Array  # of the pipeline, s
    network_bound: Array  # the network, not the link of the domain, limits the bytes


@formula(
    latex=r"t = a + u + 2\sqrt{\tau u},\quad u = \frac{w}{B}", source="sanders-speck-traeff-2009"
)
def pipelined_time(start: Numeric, transfer: Numeric, fill: Numeric) -> Numeric:
    """Time of a transfer in chunks: start-up, the bytes alone, and the filling of the pipeline.

    With the best number of chunks the fill costs twice the root of its time and the transfer's.

    Parameters
    ----------
    start : float or array, s        before the first chunk
    transfer : float or array, s     of all bytes at the full rate
    fill : float or array, s         that the chunks of a full pipeline take to start

    Returns
    -------
    float or array, s
    """
    return start + transfer + 2 * np.sqrt(fill * transfer)


@formula(latex=r"\eta = \frac{\eta_2}{1 + c\,\log_2(\max(k, 2)/2)}", source="netdesign-collectives")
def network_share(share: Numeric, contention: Numeric, domains: Numeric) -> Numeric:
    """Share of the NICs' line rate that many domains keep.

    Parameters
    ----------
    share : float or array, 1         between two domains
    contention : float or array, 1    loss for each doubling of the domains
    domains : float or array, >= 1

    Returns
    -------
    float or array, 1
    """
    return share / (1 + contention * np.log2(np.maximum(domains, 2) / 2))


def predict(
    operation: str,
    algorithm: int,
    protocol: int,
    size: Array,
    ranks: Ranks,
    constants: Constants,
) -> Predicted:
    """Predicted time of one operation by one algorithm on many systems.

    Parameters
    ----------
    operation : str             one of ``RINGS`` or ``PEERS``
    algorithm, protocol : int   positions in ``ALGORITHMS`` and ``PROTOCOLS``; -1 for ``PEERS``
    size : array, bytes         as nccl-tests counts it
    ranks : Ranks               of the same length
    constants : Constants
    """
    if operation in PEERS:
        return _predict_peers(operation, size, ranks, constants)
    return _predict_table(operation, algorithm, protocol, size, ranks, constants)


def link_class(link: Array) -> Array:
    """Position in ``LINK_CLASSES`` of a link."""
    classes = [next(i for i, kind in enumerate(LINK_CLASSES) if n.startswith(kind)) for n in LINKS]
    found: Array = np.array(classes)[link]
    return found


def domain_bandwidth(ranks: Ranks, constants: Constants) -> Array:
    """Bus bandwidth of a ring inside a domain, bytes/s; without end where a domain is one GPU."""
    full = constants.ring_bandwidth[ranks.link]
    pair = np.where(ranks.ranks == 2, constants.pair_gain[ranks.link], 1.0)
    links = np.minimum((ranks.local - 1) / (constants.mesh_gpus[0] - 1), 1.0)
    part = np.where(ranks.link == LINKS.index("xgmi"), links, 1.0)
    alone = ranks.local <= 1
    found: Array = np.where(alone, np.inf, full * pair * np.where(alone, 1.0, part))
    return found


def ring_network_bandwidth(ranks: Ranks, constants: Constants) -> Array:
    """Bus bandwidth that the NICs of a domain give a ring, bytes/s; without end in one domain."""
    share = network_share(
        constants.network_share[ranks.fabric],
        constants.network_contention[ranks.fabric],
        ranks.domains,
    )
    found: Array = np.where(ranks.domains > 1, ranks.local * ranks.nic_bandwidth * share, np.inf)
    return found


def _predict_table(
    operation: str, a: int, p: int, size: Array, ranks: Ranks, constants: Constants
) -> Predicted:
    """Time of an operation of NCCL's table."""
    algorithm, simple = ALGORITHMS[a], PROTOCOLS[p] == "simple"
    n, several = ranks.ranks, ranks.domains > 1
    inside, between = _rates(algorithm, ranks, constants)
    rate = np.minimum(inside, between)
    switched = algorithm.startswith(("nvls", "collnet"))
    if switched:
        transfer = size / rate
    else:
        factor = {"all-reduce": 2 * (n - 1) / n, "broadcast": 1.0, "reduce": 1.0}
        moved = factor.get(operation, (n - 1) / n) * size
        transfer = moved / (rate * _share(PROTOCOLS[p], rate, searched_group(ranks)))
        if algorithm == "tree":
            transfer = transfer / tables().value("share", "tree", "simple")
        elif operation in _IN_STEPS and simple:
            transfer = transfer + size / n / constants.copy_bandwidth[ranks.generation]
    start = constants.launch_s[ranks.generation] + _latency(operation, a, p, ranks, constants)
    start = start + np.where(several, constants.network_start_s[ranks.fabric], 0.0)
    start = start * _start_up(several, constants)
    inside_fill = constants.link_ramp_s[ranks.link] * (n - 1)
    between_fill = constants.network_ramp_s[ranks.fabric]
    if switched:
        inside_fill = constants.nvls_ramp_s[ranks.link]
        between_fill = constants.switched_ramp_s[ranks.fabric]
    fill = np.where(several, between_fill, inside_fill)
    time = np.asarray(pipelined_time(start, transfer, fill if simple else 0.0))
    return Predicted(
        time=time, start=start, ramp=time - start - transfer, network_bound=between <= inside
    )


def _rates(algorithm: str, ranks: Ranks, constants: Constants) -> tuple[Array, Array]:
    """What the links of a domain and the network give an algorithm, bytes/s.

    Bus bandwidth of rings and trees, message bytes of algorithms whose switches add.
    """
    inside, between = domain_bandwidth(ranks, constants), ring_network_bandwidth(ranks, constants)
    switched = constants.nvls_bandwidth[ranks.link] * ~ranks.mesh
    if algorithm in ("nvls", "nvls-tree"):
        return switched, between / tree_messages(ranks.domains)
    if algorithm.startswith("collnet"):
        shared = ranks.local * ranks.nic_bandwidth * constants.reduction_share[ranks.fabric]
        return np.where(switched > 0, switched, inside / 2), shared
    return inside, between


def _latency(operation: str, a: int, p: int, ranks: Ranks, constants: Constants) -> Array:
    """NCCL's latency with the hops that systems show, s."""
    algorithm, protocol = ALGORITHMS[a], PROTOCOLS[p]
    several = ranks.domains > 1
    table = tables().latency[:, a, p]
    latency = np.asarray(tuning_latency(operation, algorithm, protocol, searched_group(ranks)))
    hops: Array = np.where(several, _hops(operation, algorithm, ranks), 0)
    hop = constants.network_hop_s if protocol == "simple" else constants.network_word_s
    latency = latency + hops * (hop[ranks.fabric] - table[2])
    if protocol == "simple" and algorithm == "ring" and operation in _IN_STEPS:
        overhead = 3 * tables().value("network_overhead", scope="intel")
        link = np.where(ranks.nvlink, table[0], table[1])
        link = np.where(several, np.maximum(link, overhead), link)
        inside = steps(operation, ranks.ranks) - hops
        latency = latency + inside * (constants.link_hop_s[ranks.link] - link)
    found: Array = np.maximum(latency, 0)
    return found


def _share(protocol: str, bus: Array, group: Group) -> Array:
    """Share of the bus that a protocol reaches."""
    table = tables()
    if protocol == "simple":
        return np.ones(len(bus))
    if protocol == "ll128":
        return np.full(len(bus), table.value("share", "ring", "ll128"))
    half = table.value("share", "ring", "ll")
    row = np.where(group.column == 0, group.row, 1)
    found: Array = np.minimum(half, table.ll_bandwidth[row, group.column] / bus)
    return found


def _hops(operation: str, algorithm: str, ranks: Ranks) -> Array:
    """Messages between domains that follow each other."""
    if algorithm == "ring":
        if operation in ("broadcast", "reduce"):
            return np.ones_like(ranks.domains)
        hops: Array = (2 if operation == "all-reduce" else 1) * (ranks.domains - 1)
        return hops
    if algorithm in ("tree", "nvls-tree"):
        levels: Array = 2 * np.floor(np.log2(np.maximum(ranks.domains, 1)))
        return levels
    return np.ones_like(ranks.domains)


def _start_up(several: Array, constants: Constants) -> Array:
    """What was measured on own machines, over the model."""
    return np.where(several, constants.network_start_up, constants.domain_start_up)


def _predict_peers(operation: str, size: Array, ranks: Ranks, constants: Constants) -> Predicted:
    """Time of sends and receives: between all ranks, with one of them, or between neighbours."""
    n, several = ranks.ranks, ranks.domains > 1
    kind = link_class(ranks.link)
    send = operation == "send"
    inside = domain_bandwidth(ranks, constants) * constants.link_peer_share[kind]
    if send:
        part = np.maximum(constants.send_bandwidth[kind] / n, size / constants.send_stage_s[kind])
        inside = np.minimum(inside, part)
    share = network_share(
        constants.network_send_share[ranks.fabric]
        if send
        else constants.network_peer_share[ranks.fabric],
        0.0 if send else constants.network_peer_contention[ranks.fabric],
        ranks.domains,
    )
    nic = np.where(several, ranks.nic_bandwidth * share, np.inf)
    outside = np.where(several, n - ranks.local, 0)
    if operation == "all-to-all":
        nic = nic * (n - 1) / np.maximum(outside, 1)
    elif not send:
        nic = nic * ranks.local
    transfer = (1.0 if send else (n - 1) / n) * size / np.minimum(inside, nic)
    if not send:
        transfer = transfer + size / n / constants.copy_bandwidth[ranks.generation]
    start = constants.launch_s[ranks.generation] + constants.link_start_s[kind]
    start = start + (1 if send else ranks.local - 1) * constants.link_peer_s[kind]
    start = start + np.where(several, constants.network_start_s[ranks.fabric], 0.0)
    away = np.minimum(outside, 1) if send else outside
    start = start + away * constants.network_peer_s[ranks.fabric]
    start = start * _start_up(several, constants)
    fill = np.where(several, 0.0, constants.link_ramp_s[ranks.link])
    time = np.asarray(pipelined_time(start, transfer, fill if operation == "all-to-all" else 0.0))
    return Predicted(
        time=time, start=start, ramp=time - start - transfer, network_bound=nic <= inside
    )
