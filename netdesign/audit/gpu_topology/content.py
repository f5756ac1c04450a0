"""How the GPUs and NICs of one host reach each other, as nvidia-smi or rocm-smi print it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

# From near to far; a higher place is a longer way.
DISTANCE = {"PIX": 0, "PXB": 1, "PHB": 2, "NODE": 3, "SYS": 4, "SOC": 4}
_CLASS = {0: 0, 1: 0, 2: 1, 3: 1, 4: 2}  # under one switch, in one socket, across sockets


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU or a NIC."""

    name: str  # GPU0, NIC0, mlx5_0
    label: str  # what the NIC legend calls it; else the name
    cpus: str | None = None  # CPU affinity as printed
    numa: tuple[int, ...] = ()  # nodes of the affinity; empty where not said
    line: int = 0


@dataclass(frozen=True)
class Matrix:
    """One matrix: of one host."""

    line: int
    tool: str  # nvidia-smi, rocm-smi
    gpus: tuple[Device, ...]
    nics: tuple[Device, ...]
    links: Mapping[tuple[str, str], str]  # (row, column): NV18, PIX, ...; no entry where not said
    pcie_only: bool = False  # printed with -mp, which shows no NVLink
    coherent: bool = False  # GPU memory is a NUMA node of the host (Grace): NICs are on the CPU
    missing: int = 0  # pairs with a GPU that the header announces and no row gives
    blocked_peers: tuple[tuple[str, str], ...] = field(default=())  # P2P that is not OK

    def link(self, a: str, b: str) -> str | None:
        """The link of two devices, whichever row gives it."""
        found = self.links.get((a, b))
        return found if found is not None else self.links.get((b, a))

    @cached_property
    def nvlinks(self) -> Mapping[str, tuple[int, ...]]:
        """NVLinks of each GPU to each other one; 0 where there is none."""
        return {
            gpu.name: tuple(
                nvlink_count(self.link(gpu.name, other.name)) or 0
                for other in self.gpus
                if other.name != gpu.name
            )
            for gpu in self.gpus
        }

    @property
    def has_nvlink(self) -> bool:
        return any(any(counts) for counts in self.nvlinks.values())

    def best_nics(self, gpu: str) -> tuple[str | None, tuple[str, ...]]:
        """The nearest way from a GPU to a NIC, and the NICs that it leads to."""
        ways = {nic.name: self.link(gpu, nic.name) for nic in self.nics}
        known = {nic: way for nic, way in ways.items() if way in DISTANCE}
        if not known:
            return None, ()
        near = min(DISTANCE[way] for way in known.values() if way)
        names = tuple(nic for nic, way in known.items() if way and DISTANCE[way] == near)
        return known[names[0]], names

    def near_class(self, gpu: str) -> int | None:
        """0 a NIC under the same PCIe switch, 1 in the same socket, 2 across sockets."""
        best, _ = self.best_nics(gpu)
        return None if best is None else _CLASS[DISTANCE[best]]

    def nic_numa(self, nic: str) -> tuple[int, ...]:
        """NUMA nodes of a NIC, from the GPUs that reach it without crossing sockets."""
        close = [
            gpu.numa for gpu in self.gpus if DISTANCE.get(self.link(gpu.name, nic) or "SYS", 4) < 4
        ]
        nodes = {node for numa in close for node in numa}
        return tuple(sorted(nodes)) if all(len(numa) == 1 for numa in close) else ()


@dataclass(frozen=True)
class GpuTopology:
    """All matrices of a file."""

    matrices: tuple[Matrix, ...]


def nvlink_count(link: str | None) -> int | None:
    """18 of NV18; None where it is no NVLink."""
    if link and link.startswith("NV") and link[2:].isdecimal() and len(link) < 6:
        return int(link[2:])
    return 1 if link == "XGMI" else None
