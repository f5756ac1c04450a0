"""A topology file for packet-level simulators on ns-3 with RDMA.

Two dialects of one format are written:

- ``simai``: SimAI's ns-3 front end (aliyun/SimAI, network_frontend/ns3/common.h of its
  astra-sim, commit 120db6a) and ns-3-alibabacloud. First line: nodes, GPUs of a server,
  NVSwitches, switches, links, GPU type; second line: ids of NVSwitches and switches; then a link a
  line: source, destination, rate, delay, error rate.
- ``hpcc``: the simulator of HPCC (alibaba-edu/High-Precision-Congestion-Control) and those that
  follow it. First line: nodes, switches, links; the rest is the same, without NVSwitches.

Nodes are GPUs: GPU g of host h is node ``h * gpus_per_host + g``. NVSwitches, one a host, come
next, then the switches of the fabric in its order. Port p of a host is the network card of GPU
``p // (ports of a host / GPUs of a host)``.

Both simulators keep one link for each pair of nodes (the map ``nbr2if``): of parallel links only
the last would carry traffic. They are joined into one link with the rate of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from netdesign.errors import DesignError
from netdesign.topology.built import Fabric

if TYPE_CHECKING:
    from netdesign.topology.layout import Placement

Dialect = Literal["simai", "hpcc"]
Whole = npt.NDArray[np.int64]

# ip_to_node_id in common.h: an address has 16 bits for the node.
_MOST_NODES = 1 << 16


@dataclass(frozen=True)
class SimulatorSettings:
    """What the file says beyond the fabric; the defaults are those of SimAI's own generator.

    See ``analysis_template`` in inputs/topo/gen_Topo_Template.py of aliyun/SimAI, commit 071ec08.
    """

    gpu_type: str = "H100"  # A100, A800, H100, H800; any other is NONE to the simulator
    scaleup_gbps: float = 2880.0  # of a GPU to its NVSwitch, one direction
    scaleup_delay_ns: float = 25.0
    link_delay_ns: float = 500.0
    error_rate: float = 0.0  # of a packet on a link


def topology_file(
    fabric: Fabric,
    placement: Placement | None = None,
    *,
    dialect: Dialect = "simai",
    settings: SimulatorSettings | None = None,
) -> str:
    """The topology file of a fabric.

    Raises
    ------
    DesignError     if GPUs share a port, servers forward for others, or there are more nodes than
                    the simulator can number
    """
    if dialect not in ("simai", "hpcc"):
        raise DesignError("dialect", dialect, "is not known", "give simai or hpcc")
    settings = SimulatorSettings() if settings is None else settings
    gpus = max(fabric.gpus_per_host, 1)
    ends = fabric.hosts * gpus
    scaleup = fabric.hosts if dialect == "simai" and gpus > 1 else 0
    nodes = ends + scaleup + fabric.switches
    _check(fabric, gpus, nodes)
    shift = ends + scaleup - fabric.hosts
    low, high, gbps = _joined(
        _nodes(fabric, fabric.a, fabric.a_slot, gpus, shift),
        _nodes(fabric, fabric.b, fabric.b_slot, gpus, shift),
        np.asarray([kind.gbps for kind in fabric.kinds], dtype=np.float64)[fabric.kind],
    )
    error = f"{settings.error_rate:g}"
    lines = [
        _first_line(fabric, dialect, settings, nodes, scaleup, len(low) + scaleup * gpus),
        " ".join(map(str, range(ends, nodes))),
    ]
    if scaleup:
        tail = f"{settings.scaleup_gbps:g}Gbps {settings.scaleup_delay_ns:g}ns {error}"
        lines += [f"{gpu} {ends + gpu // gpus} {tail}" for gpu in range(ends)]
    tails = {
        rate: f"{rate:.12g}Gbps {settings.link_delay_ns:g}ns {error}" for rate in set(gbps.tolist())
    }
    lines += [
        f"{a} {b} {tails[rate]}"
        for a, b, rate in zip(low.tolist(), high.tolist(), gbps.tolist(), strict=True)
    ]
    return "\n".join([*lines, ""])


def write_simulator(
    fabric: Fabric,
    placement: Placement | None,
    path: str | Path,
    *,
    dialect: Dialect = "simai",
    settings: SimulatorSettings | None = None,
) -> None:
    """Write the topology file."""
    text = topology_file(fabric, placement, dialect=dialect, settings=settings)
    Path(path).write_bytes(text.encode("ascii"))


def _first_line(
    fabric: Fabric,
    dialect: Dialect,
    settings: SimulatorSettings,
    nodes: int,
    scaleup: int,
    links: int,
) -> str:
    if dialect == "hpcc":
        return f"{nodes} {fabric.switches} {links}"
    gpus = max(fabric.gpus_per_host, 1)
    return f"{nodes} {gpus} {scaleup} {fabric.switches} {links} {settings.gpu_type}"


def _check(fabric: Fabric, gpus: int, nodes: int) -> None:
    if np.any(fabric.b < fabric.hosts):
        raise DesignError(
            "family",
            fabric.family,
            "joins servers to servers, and the simulator forwards in switches alone",
            "export a fabric with switches",
        )
    if fabric.host_ports % gpus:
        raise DesignError(
            "ports of a host",
            fabric.host_ports,
            f"are no multiple of its {gpus} GPUs, and every GPU is a node with ports of its own",
            f"give {gpus} or a multiple",
        )
    if nodes > _MOST_NODES:
        raise DesignError(
            "nodes",
            nodes,
            f"are more than the {_MOST_NODES:,} that the simulator can tell apart",
            "give fewer GPUs",
        )


def _nodes(
    fabric: Fabric,
    devices: npt.NDArray[np.integer],
    slots: npt.NDArray[np.integer],
    gpus: int,
    shift: int,
) -> Whole:
    """The node of the simulator at one end of every link."""
    device, slot = devices.astype(np.int64), slots.astype(np.int64)
    ports = max(fabric.host_ports // gpus, 1)
    gpu = np.minimum(slot // ports, gpus - 1)
    return np.where(device < fabric.hosts, device * gpus + gpu, device + shift)


def _joined(
    a: Whole, b: Whole, gbps: npt.NDArray[np.float64]
) -> tuple[Whole, Whole, npt.NDArray[np.float64]]:
    """Each pair of nodes once, in the order of the links, with the rate of all its links."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    _, first, inverse = np.unique(low * _MOST_NODES + high, return_index=True, return_inverse=True)
    rate = np.zeros(len(first))
    np.add.at(rate, inverse, gbps)
    order = np.argsort(first)
    return a[first[order]], b[first[order]], rate[order]
