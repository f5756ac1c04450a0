"""Which algorithm and protocol does NCCL take?

It takes the least time of its own table (``tuning``), whatever the system then shows. What its
topology search finds is quoted in ``data/nccl_tuning.csv`` for each generation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Array, Numeric
from netdesign.network.nccl.hardware import FABRICS, GENERATIONS, LINKS
from netdesign.network.nccl.tables import ALGORITHMS, PROTOCOLS, tables
from netdesign.network.nccl.tables import GENERATIONS as ROWS
from netdesign.network.nccl.tuning import LEGAL, Group, tuning_bandwidth, tuning_latency


@dataclass(frozen=True)
class Ranks:
    """Groups of ranks and their hardware, one entry a case.

    ``domains`` counts scale-up domains (servers, or racks that NVLink joins). ``generation``,
    ``link`` and ``fabric`` are positions in ``hardware``'s lists; fabric -1 is none. Forced
    algorithm and protocol are positions in ``ALGORITHMS`` and ``PROTOCOLS``, -1 if NCCL chooses.
    """

    ranks: Array
    domains: Array
    generation: Array
    link: Array
    mesh: Array
    fabric: Array
    nic_bandwidth: Array  # line rate of a rank's share of the NICs, bytes/s
    algorithm: Array
    protocol: Array

    def chosen(self, where: Array) -> Ranks:
        """The cases where a mask is true, or those of some positions."""
        return Ranks(**{name: value[where] for name, value in vars(self).items()})

    @property
    def local(self) -> Array:
        """Ranks in a domain."""
        local: Array = self.ranks / self.domains
        return local

    @property
    def nvlink(self) -> Array:
        """Whether the link is NVLink or its like, not PCIe."""
        pcie: Array = np.isin(self.link, [LINKS.index(f"pcie-{gen}") for gen in (3, 4, 5)])
        other: Array = ~pcie
        return other


def searched_group(ranks: Ranks) -> Group:
    """The ranks as NCCL's topology search leaves them: channels and rate of each.

    Parameters
    ----------
    ranks : Ranks
    """
    table = tables()
    rows = np.array([int(table.value("row", scope=name)) for name in GENERATIONS])[ranks.generation]
    several = ranks.domains > 1

    def found(name: str, nodes: str) -> Array:
        by_row: Array = np.array([table.searched(name, "ring", scope, nodes) for scope in ROWS])[
            rows
        ]
        for link in ("pcie-3", "pcie-4", "pcie-5"):
            own = table.searched(name, "ring", link, "1")
            by_row = np.where(ranks.link == LINKS.index(link), own, by_row)
        return by_row

    channels = np.where(several, found("searched_channels", "2"), found("searched_channels", "1"))
    rate = np.where(several, found("searched_bandwidth", "2"), found("searched_bandwidth", "1"))
    network = ranks.local * ranks.nic_bandwidth * table.value("network_payload")
    rate = np.where(several, np.minimum(rate * channels, network) / channels, rate)
    switched = np.isin(ranks.link, (LINKS.index("nvlink4"), LINKS.index("nvlink5"))) & ~ranks.mesh
    nvls = [
        [table.values.get((name, "nvls", "", scope, "1"), 0.0) for scope in ROWS]
        for name in ("searched_channels", "searched_bandwidth")
    ]
    return Group(
        ranks=ranks.ranks,
        nodes=ranks.domains,
        generation=rows,
        channels=channels,
        intra_bandwidth=rate,
        inter_bandwidth=rate,
        nvlink=ranks.nvlink,
        nvls_channels=np.where(switched, np.array(nvls[0])[rows], 0),
        nvls_bandwidth=np.array(nvls[1])[rows],
    )


def tuning_time(
    operation: str, algorithm: str, protocol: str, size: Array, group: Group
) -> Numeric:
    """Time by NCCL's own table; infinite where it does not offer the combination, s."""
    table = tables()
    rate = np.broadcast_to(tuning_bandwidth(operation, algorithm, protocol, group), size.shape)
    latency = tuning_latency(operation, algorithm, protocol, group)
    if algorithm == "tree":
        index = np.clip(np.log2(np.maximum(size, 64) / 64), 0, 23).astype(int)
        rate = rate * tables().tree_correction[PROTOCOLS.index(protocol)][index]
    if algorithm == "ring" and protocol == "simple" and operation == "all-reduce":
        least = table.value("plateau_bytes", "ring", "simple")
        large = size / (group.channels * group.ranks) >= least
        newer = np.greater_equal(group.generation, 1)
        factor = np.where(
            newer,
            table.value("plateau", "ring", "simple", "ampere"),
            table.value("plateau", "ring", "simple", "volta"),
        )
        latency = latency * np.where(large & np.greater(group.nodes, 1), factor, 1.0)
    return np.where(rate > 0, latency + size / np.where(rate > 0, rate, 1.0), np.inf)


def choose(operation: str, size: Array, ranks: Ranks) -> tuple[Array, Array]:
    """Algorithm and protocol that NCCL takes.

    Parameters
    ----------
    operation : str         of NCCL's table (``tuning.LEGAL``)
    size : array, bytes
    ranks : Ranks           of the same length

    Returns
    -------
    positions in ``ALGORITHMS`` and in ``PROTOCOLS``
    """
    group = searched_group(ranks)
    pairs = [
        (ALGORITHMS.index(name), p)
        for name in LEGAL[operation]
        for p in range(len(PROTOCOLS))
        if not name.startswith("collnet") or p == PROTOCOLS.index("simple")
    ]
    times = np.stack(
        [
            _offered(a, p, ranks) + tuning_time(operation, ALGORITHMS[a], PROTOCOLS[p], size, group)
            for a, p in pairs
        ]
    )
    best = np.array(pairs)[np.argmin(times, axis=0)]
    return best[:, 0], best[:, 1]


def _offered(algorithm: int, protocol: int, ranks: Ranks) -> Array:
    """0 where NCCL may take a combination, infinite where it is off or another is forced."""
    name = ALGORITHMS[algorithm]
    allowed: Mapping[str, bool] = {
        fabric: bool(tables().value("ll128_offered", scope=fabric)) for fabric in FABRICS
    }
    off = (ranks.algorithm >= 0) & (ranks.algorithm != algorithm)
    off |= (ranks.protocol >= 0) & (ranks.protocol != protocol)
    if name.startswith("collnet") or name == "pat":
        off |= ranks.algorithm != algorithm
    if PROTOCOLS[protocol] == "ll128":
        over = np.array([*allowed.values(), True])[ranks.fabric]
        usual = ranks.nvlink & (over | (ranks.domains <= 1))
        off |= ~usual & (ranks.protocol != protocol)
    if name.startswith("nvls"):
        off |= ranks.local <= 2
    cost: Array = np.where(off, np.inf, 0.0)
    return cost
