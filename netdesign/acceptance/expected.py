"""Which bus bandwidth does the collective model expect of these machines, and how surely?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from netdesign.arrays import Array
from netdesign.evaluate import Evaluation
from netdesign.network.nccl.constants import Constants, shipped_constants
from netdesign.network.nccl.hardware import Hardware, described
from netdesign.network.own_speeds import AS_SHIPPED, OwnSpeeds, own_constants
from netdesign.order import parts_of
from netdesign.performance.collective_prediction import (
    OPERATIONS,
    Band,
    Case,
    bus_factor,
    predict_cases,
)
from netdesign.units import bytes_per_second_to_gbps


@dataclass(frozen=True)
class System:
    """The machines that run a collective, as far as they are known."""

    accelerator: str = ""  # as a person or a driver writes it: "NVIDIA H100 80GB HBM3"
    link: str = ""  # between the GPUs of a server; blank: that of the accelerator's usual server
    fabric: str = ""  # infiniband | roce | efa | ... , as a person writes it
    nic_gbps_per_gpu: float | None = None
    domain_line: float = float("inf")  # bytes/s of a GPU's scale-up links in one direction
    own: OwnSpeeds = AS_SHIPPED  # of collectives, as the planner measured them

    @property
    def hardware(self) -> Hardware:
        """What the descriptions say."""
        return described(self.accelerator, self.link, self.fabric)


@dataclass(frozen=True, eq=False)
class Curve:
    """Expected bus bandwidth by size, bytes/s, with the band of four calls in five."""

    operation: str  # all-reduce
    sizes: Array  # bytes
    time: Array  # s
    busbw: Array
    low: Array  # bytes/s: the slow end of the band
    high: Array
    regimes: tuple[str, ...]  # what each call spends its time on


def system_of(evaluation: Evaluation) -> System:
    """The machines of a design."""
    parts = parts_of(evaluation.design)
    per_gpu = parts.server.network_ports / parts.server.gpus
    return System(
        accelerator=parts.accelerator.name,
        fabric=parts.transport.name,
        nic_gbps_per_gpu=parts.link_gbps * per_gpu,
        domain_line=parts.accelerator.scaleup_bandwidth,
        own=evaluation.design.measured.speeds,
    )


def rate_per_gpu(node_rate: float, gpus_per_node: float) -> float:
    """Gb/s of NICs for each GPU, of bytes/s of a node."""
    return float(bytes_per_second_to_gbps(node_rate)) / gpus_per_node


def lacks(system: System, operation: str, ranks: int, nodes: int) -> str:
    """What is missing for a prediction, blank if nothing."""
    return _case(system, operation, ranks, nodes, 1.0).lacks


def expected_curve(
    system: System,
    operation: str,
    ranks: int,
    nodes: int,
    sizes: Sequence[float] | Array,
    *,
    constants: Constants | None = None,
    band: Band | None = None,
) -> Curve:
    """The model's curve.

    Parameters
    ----------
    system : System             that lacks nothing (``lacks``)
    operation : str             all_reduce as nccl-tests calls it, or all-reduce
    ranks, nodes : int          of the run
    sizes : sequence, bytes     above 0
    constants, band             the shipped ones if None; what was measured on own machines
                                (``system.own``) counts on top of the constants

    Returns
    -------
    Curve                       in the order of the sizes
    """
    name = OPERATIONS.get(operation, operation)
    cases = [_case(system, name, ranks, nodes, float(size)) for size in sizes]
    own = own_constants(constants or shipped_constants(), system.own, system.domain_line)
    found = predict_cases(cases, own, band)
    size = np.asarray(sizes, dtype=float)
    moved = size * bus_factor(name, np.full(size.shape, float(ranks)))
    return Curve(
        operation=name,
        sizes=size,
        time=found.time,
        busbw=found.bus_bandwidth,
        low=moved / found.high,
        high=moved / found.low,
        regimes=tuple(found.regime(position) for position in range(len(cases))),
    )


def _case(system: System, operation: str, ranks: int, nodes: int, size: float) -> Case:
    return Case(
        id="",
        operation=OPERATIONS.get(operation, operation),
        gpus=ranks,
        nodes=nodes,
        size=size,
        accelerator=system.accelerator,
        link=system.link,
        fabric=system.fabric,
        nic_gbps_per_gpu=system.nic_gbps_per_gpu,
    )
