"""NCCL's tables of latency and bandwidth as arrays, read from ``data/nccl_tuning.csv``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from netdesign import units
from netdesign.arrays import Array
from netdesign.catalog import load_catalog

ALGORITHMS = ("tree", "ring", "collnet-direct", "collnet-chain", "nvls", "nvls-tree", "pat")
PROTOCOLS = ("ll", "ll128", "simple")
GENERATIONS = ("volta", "ampere", "hopper", "blackwell")
LINKS = ("nvlink", "pcie", "network")
COLUMNS = ("1", "2", "3")  # one node, two, more

Key = tuple[str, str, str, str, str]


@dataclass(frozen=True)
class Tables:
    """Latencies in s, bandwidths in bytes/s; ``latency`` is by link, algorithm, protocol."""

    base_latency: Array  # algorithm, protocol
    latency: Array  # link, algorithm, protocol
    ll_bandwidth: Array  # row, column of nodes
    ring_ll128: Array  # generation, column; of a channel
    tree_ll128: Array
    tree: Array
    nvls_tree: Array
    nvls_efficiency: Array  # generation
    tree_correction: Array  # protocol, power of two above 64 bytes
    values: dict[Key, float]  # the single numbers, SI

    def value(self, table: str, algorithm: str = "", protocol: str = "", scope: str = "") -> float:
        """A single number of the file."""
        return self.values[table, algorithm, protocol, scope, ""]

    def searched(self, name: str, algorithm: str, scope: str, nodes: str) -> float:
        """What NCCL's search finds; that of one node where there is none for several."""
        several = self.values.get((name, algorithm, "", scope, nodes))
        return self.values[name, algorithm, "", scope, "1"] if several is None else several


@cache
def tables() -> Tables:
    """The shipped tables."""
    values = {
        (row.table, row.algorithm, row.protocol, row.scope, row.nodes): _si(row.value, row.unit)
        for row in load_catalog().nccl_tuning
    }

    def grid(table: str, algorithm: str, protocol: str) -> Array:
        return np.array(
            [
                [values[table, algorithm, protocol, generation, column] for column in COLUMNS]
                for generation in GENERATIONS
            ]
        )

    def latencies(table: str, scope: str) -> Array:
        return np.array(
            [
                [values.get((table, name, protocol, scope, ""), 0.0) for protocol in PROTOCOLS]
                for name in ALGORITHMS
            ]
        )

    corrections = [
        [values["tree_correction", "tree", protocol, str(power), ""] for power in range(24)]
        for protocol in PROTOCOLS
    ]
    return Tables(
        base_latency=latencies("base_latency", ""),
        latency=np.array([latencies("hardware_latency", link) for link in LINKS]),
        ll_bandwidth=grid("ll_bandwidth", "", "ll"),
        ring_ll128=grid("channel_bandwidth", "ring", "ll128"),
        tree_ll128=grid("channel_bandwidth", "tree", "ll128"),
        tree=grid("channel_bandwidth", "tree", "simple"),
        nvls_tree=grid("channel_bandwidth", "nvls-tree", "simple"),
        nvls_efficiency=np.array(
            [values["nvls_efficiency", "nvls", "simple", name, ""] for name in GENERATIONS]
        ),
        tree_correction=np.array(corrections),
        values=values,
    )


def _si(value: float, unit: str) -> float:
    if unit == "us":
        return float(units.microseconds_to_seconds(value))
    return float(units.gigabytes_to_bytes(value)) if unit == "GB/s" else value
