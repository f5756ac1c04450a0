"""What NCCL says of itself with NCCL_DEBUG set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median

_STEADY = 0.8  # of the median; what comes before and below it is a warm-up


@dataclass(frozen=True, slots=True)
class Complaint:
    """A warning, as often as it stands in the file."""

    text: str  # the first one, shortened
    key: str  # without its numbers
    count: int
    line: int  # of the first one
    hosts: tuple[str, ...]  # the first few
    is_nccl: bool = True  # else the framework says it
    ends: tuple[str, ...] = ()  # peers and NICs that it names, the most frequent first


@dataclass(frozen=True)
class NcclLog:
    """Everything that a log says; empty or None is what it does not say."""

    lines: int  # lines of NCCL
    spliced: int  # lines in which one message runs into another
    versions: Mapping[str, int]
    plugin: str | None  # aws-ofi-nccl 1.6.0
    plugin_versions: tuple[str, ...]
    networks: Mapping[str, int]  # as chosen: IB, Socket, AWS Libfabric
    provider: str | None  # of libfabric: efa, cxi, tcp
    libfabric: str | None
    nics: tuple[str, ...]  # names, where NCCL lists them
    nic_links: tuple[str, ...]  # IB, RoCE
    nics_found: int | None  # of one host
    no_ib_device: bool
    used: Mapping[str, frozenset[str]]  # by host: IB/0, AWS Libfabric/3
    transports: Mapping[str, int]  # connections by kind: P2P/CUMEM, NET/IB/GDRDMA
    gdr_said: bool | None  # what NCCL says of GPUDirect RDMA, apart from the connections
    channels: int | None
    ranks: int | None
    nodes: int | None
    local_ranks: int | None
    hosts: tuple[str, ...]
    complete: frozenset[str]  # hosts of which every rank speaks in the log
    gpus: int  # distinct GPUs that initialise
    algorithms: tuple[str, ...]  # NVLS, CollNet
    environment: Mapping[str, tuple[str, ...]]  # values by name
    speeds: Mapping[tuple[str, str], float]  # bytes/s of a NIC by host and name
    gid_indexes: tuple[int, ...]
    mtus: tuple[int, ...]  # bytes
    p2p_disabled: bool
    complaints: tuple[Complaint, ...]
    bandwidths: tuple[float, ...]  # bytes/s, in the order of the file: lines "busbw: N Gbps"
    unfinished: Mapping[str, tuple[int, ...]]  # by host, ranks whose initialisation does not end
    completed: int  # initialisations that do
    merged: tuple[str, ...] = ()  # ports that NCCL joins into one device: mlx5_2+mlx5_3

    @property
    def gdr(self) -> bool | None:
        """Whether GPUDirect RDMA is used between hosts; None where nothing tells."""
        net = [name for name in self.transports if name.startswith(("NET/", "COLLNET"))]
        if any(name.endswith("/GDRDMA") for name in net):
            return True
        return False if net else self.gdr_said

    @property
    def uses_network(self) -> bool:
        return any(name.startswith(("NET/", "COLLNET")) for name in self.transports)

    @property
    def is_single_node(self) -> bool:
        """Whether all ranks are surely in one host."""
        if self.nodes is not None:
            return self.nodes == 1
        return False

    @cached_property
    def nics_used(self) -> tuple[str, ...]:
        """Names or numbers of all NICs that carry a connection on some host."""
        return tuple(sorted({nic for nics in self.used.values() for nic in nics}, key=_natural))

    @property
    def fewest_used(self) -> int | None:
        """NICs that the host with the fewest of them uses, of those that speak in full."""
        return min(
            (len(nics) for host, nics in self.used.items() if host in self.complete), default=None
        )

    @cached_property
    def steady_bandwidth(self) -> float | None:
        """Median without the warm-up, bytes/s."""
        if not self.bandwidths:
            return None
        middle = median(self.bandwidths)
        return median(value for value in self.bandwidths if value >= _STEADY * middle)

    @cached_property
    def warm_up(self) -> tuple[float, ...]:
        """Values far below the median, bytes/s."""
        if not self.bandwidths:
            return ()
        middle = median(self.bandwidths)
        return tuple(value for value in self.bandwidths if value < _STEADY * middle)


def _natural(name: str) -> tuple[str, int, str]:
    head = name.rstrip("0123456789")
    tail = name[len(head) :]
    return head, int(tail) if tail and len(tail) < 10 else -1, name
