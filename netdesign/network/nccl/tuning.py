"""NCCL's cost model: latency and bandwidth of each algorithm and protocol (tag v2.30.7).

A time is ``latency + bytes / bandwidth``. It is what NCCL chooses by, not what a system shows:
the prediction is in ``prediction``. Every field of a ``Group`` broadcasts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.errors import DesignError
from netdesign.network.nccl.tables import ALGORITHMS, PROTOCOLS, Tables, tables

RING = ("all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce")
LEGAL = {
    "all-reduce": ("tree", "ring", "collnet-direct", "collnet-chain", "nvls", "nvls-tree"),
    "all-gather": ("ring", "collnet-direct", "nvls", "pat"),
    "reduce-scatter": ("ring", "collnet-direct", "nvls", "pat"),
    "broadcast": ("ring",),
    "reduce": ("ring",),
}
_SIMPLE_ONLY = ("collnet-direct", "collnet-chain", "nvls", "nvls-tree", "pat")


@dataclass(frozen=True)
class Group:
    """The ranks of a communicator and what NCCL's topology search found for them.

    Bandwidths are bytes/s of one channel; ``generation`` counts Volta 0, Ampere 1, Hopper 2,
    Blackwell 3.
    """

    ranks: Numeric
    nodes: Numeric
    generation: Numeric
    channels: Numeric
    intra_bandwidth: Numeric
    inter_bandwidth: Numeric
    nvlink: bool | Array = True  # else PCIe
    amd_host: bool | Array = False
    network_latency: Numeric = 0.0  # that the plug-in reports, s
    plain_tree: bool | Array = True  # one NIC a tree, neither split nor balanced
    nvls_channels: Numeric = 0  # 0: the switches do not reduce
    nvls_bandwidth: Numeric = 0.0
    same_channels: bool | Array = True

    @property
    def per_node(self) -> Numeric:
        """Ranks in a node."""
        return self.ranks / self.nodes

    @property
    def column(self) -> Array:
        """Column of the tables: one node, two, more."""
        column: Array = np.minimum(np.asarray(self.nodes, dtype=int), 3) - 1
        return column

    @property
    def row(self) -> Array:
        """Row of the tables: the generation."""
        return np.asarray(self.generation, dtype=int)


def steps(operation: str, ranks: Numeric) -> Numeric:
    """Steps of a ring: 2(n-1) of all-reduce, n-1 of its halves, n of a broadcast or a reduce."""
    if operation == "all-reduce":
        return 2 * (ranks - 1)
    if operation in ("all-gather", "reduce-scatter"):
        return ranks - 1
    if operation in ("broadcast", "reduce"):
        return ranks
    known = ", ".join(LEGAL)
    raise DesignError("operation", operation, "is not in NCCL's table", f"one of {known}")


def tuning_latency(
    operation: str,
    algorithm: str,
    protocol: str,
    group: Group,
    network_hop: float | None = None,
) -> Numeric:
    """Latency by NCCL's table.

    Parameters
    ----------
    operation, algorithm, protocol : str    see ``LEGAL``, ``ALGORITHMS``, ``PROTOCOLS``
    group : Group
    network_hop : float, s                  other than the table's, for older versions

    Returns
    -------
    float or array, s
    """
    table = tables()
    a, p = ALGORITHMS.index(algorithm), PROTOCOLS.index(protocol)
    several = np.greater(group.nodes, 1)
    base = table.base_latency[a, p]
    intra = np.where(group.nvlink, table.latency[0, a, p], table.latency[1, a, p])
    own = table.latency[2, a, p] if network_hop is None else network_hop
    hop = np.where(np.equal(group.per_node, 1), table.latency[2, 0, p], own)
    hop = hop + group.network_latency * (2 if protocol == "simple" else 1)
    levels = np.floor(np.log2(np.maximum(group.nodes, 1)))
    further = group.per_node - 1
    found: Numeric
    if algorithm == "ring":
        found = base + _ring_latency(operation, protocol, group, intra, hop, table)
    elif algorithm == "tree":
        found = base + 2 * (further * intra + levels * hop)
    elif algorithm == "collnet-direct":
        step = table.value("collnet_step", "collnet-direct", "simple")
        found = base + 2 * (np.minimum(1, further) * intra + further * step) + hop
    elif algorithm == "collnet-chain":
        found = base + 2 * further * intra + hop
    elif algorithm == "nvls":
        found = intra + several * hop
    elif algorithm == "nvls-tree":
        found = intra + 2 * levels * hop
    else:
        rank = table.value("pat_rank", "pat", "simple")
        overlap = table.value("pat_overlap", "pat", "simple")
        found = base + levels * hop / overlap + rank * group.ranks
    return found


def _ring_latency(
    operation: str, protocol: str, group: Group, intra: Array, hop: Array, table: Tables
) -> Numeric:
    several = np.greater(group.nodes, 1)
    if operation in ("broadcast", "reduce"):
        lat = np.where(several, hop, intra)
        if protocol == "simple":
            tree = table.latency[:, 0, 2]
            inside = np.where(group.nvlink, tree[0], tree[1])
            lat = np.where(several, tree[2] + 2 * np.asarray(group.network_latency), inside)
        return np.where(group.same_channels, lat, group.ranks * lat)
    overhead = np.where(
        group.amd_host,
        table.value("network_overhead", scope="amd"),
        table.value("network_overhead", scope="intel"),
    ) * (3 if protocol == "simple" else 1)
    inside = np.where(several, np.maximum(intra, overhead), intra)
    crossing = (2 if operation == "all-reduce" else 1) * (group.nodes - 1)
    return (steps(operation, group.ranks) - crossing) * inside + crossing * hop


def tuning_bandwidth(operation: str, algorithm: str, protocol: str, group: Group) -> Numeric:
    """Message bytes over time by NCCL's table, for messages without end.

    Returns
    -------
    float or array, bytes/s     0 where NCCL does not offer the combination
    """
    if algorithm not in LEGAL[operation] or (algorithm in _SIMPLE_ONLY and protocol != "simple"):
        return np.zeros(np.shape(group.ranks))[()]
    table = tables()
    pairs = np.less_equal(group.nodes, 2)
    channel = np.where(
        pairs | (algorithm.startswith("collnet")), group.intra_bandwidth, group.inter_bandwidth
    )
    bus: Numeric = group.channels * channel
    if algorithm == "ring":
        bus = _ring_bus(protocol, bus, group, table)
        return bus * group.ranks / np.maximum(steps(operation, group.ranks), 1)
    if algorithm == "tree":
        return _tree_bus(protocol, bus, group, table) / 2
    if algorithm in ("nvls", "nvls-tree"):
        bus = _nvls_bus(operation, algorithm, group, table)
        if operation != "all-reduce":
            return bus
        return bus * group.ranks / np.maximum(steps(operation, group.ranks), 1)
    if algorithm == "pat":
        return bus * table.value("share", "pat", "simple")
    if operation != "all-reduce":
        return group.per_node * np.minimum(group.intra_bandwidth, 0.9 * group.inter_bandwidth)
    if algorithm == "collnet-direct":
        shared = group.per_node / group.channels
        bus = bus / (shared - (shared - 1) / 2)
        newer = table.value("collnet_share", "collnet-direct", "simple", "hopper")
        bus = bus * np.where(np.greater_equal(group.generation, 2), newer, 1.0)
    return bus / 2


def _ll_bandwidth(group: Group, table: Tables) -> Array:
    """Ceiling of the LL protocol: by the GPU on one node, by the host's vendor on several."""
    row = np.where(group.column == 0, group.row, np.where(group.amd_host, 1, 0))
    found: Array = table.ll_bandwidth[row, group.column]
    return found


def _ring_bus(protocol: str, bus: Numeric, group: Group, table: Tables) -> Numeric:
    if protocol == "ll":
        return np.minimum(_ll_bandwidth(group, table), table.value("share", "ring", "ll") * bus)
    if protocol == "ll128":
        ceiling = group.channels * table.ring_ll128[group.row, group.column]
        return np.minimum(table.value("share", "ring", "ll128") * bus, ceiling)
    return bus


def _tree_bus(protocol: str, bus: Numeric, group: Group, table: Tables) -> Numeric:
    ceiling = group.channels * table.tree[group.row, group.column]
    bus = np.minimum(table.value("share", "tree", "simple") * bus, ceiling)
    if protocol == "ll":
        bus = np.minimum(bus * table.value("share", "tree", "ll"), _ll_bandwidth(group, table))
    if protocol == "ll128":
        one = table.value("share", "tree", "ll128", "1")
        share = np.where(group.column == 0, one, table.value("share", "tree", "ll128"))
        ceiling = group.channels * table.tree_ll128[group.row, group.column]
        bus = np.minimum(bus * share, ceiling)
    plain: Numeric = np.where(group.plain_tree, table.value("share", "tree", "", "plain"), 1.0)
    return bus * plain


def _nvls_bus(operation: str, algorithm: str, group: Group, table: Tables) -> Numeric:
    channels = np.asarray(group.nvls_channels, dtype=float)
    efficiency = table.nvls_efficiency[group.row]
    offered = (channels >= 2) & (efficiency > 0)
    inside = group.nvls_bandwidth * efficiency * (channels - 1) / np.maximum(channels, 1)
    if operation == "all-reduce":
        inside = inside * 2
    else:
        inside = inside * (group.per_node - 1) / group.per_node
    if algorithm == "nvls":
        return np.where(offered & np.equal(group.nodes, 1), channels * inside, 0.0)
    pairs = np.less_equal(group.nodes, 2)
    between = group.inter_bandwidth * np.where(pairs, 2, 1) * group.channels
    rate = np.minimum(channels * inside, between)
    rate = np.minimum(rate, channels * table.nvls_tree[group.row, group.column])
    return np.where(offered & np.greater(group.nodes, 1), rate, 0.0)
