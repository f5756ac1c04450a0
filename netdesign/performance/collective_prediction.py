"""Measured collectives against the prediction: time, bus bandwidth, band, and how far off.

A case is a row of a table of measurements or of a planner's own; ``predict_cases`` predicts all of
them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from netdesign import units
from netdesign.arrays import Array
from netdesign.catalog import data_directory, load_catalog
from netdesign.catalog.nccl import CollectivePoint, collective_points, collective_systems
from netdesign.network.bandwidth import bus_bandwidth_factor
from netdesign.network.nccl.choice import Ranks, choose
from netdesign.network.nccl.constants import Constants, shipped_constants
from netdesign.network.nccl.hardware import FABRICS, GENERATIONS, LINKS, Hardware, described
from netdesign.network.nccl.prediction import PEERS, predict
from netdesign.network.nccl.tables import ALGORITHMS, PROTOCOLS

OPERATIONS = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "alltoall": "all-to-all",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "gather": "gather",
    "scatter": "scatter",
    "sendrecv": "send",
}
_LIKE = {"reduce": "broadcast", "gather": "all-to-all", "scatter": "all-to-all"}
_FORCED = {"CollNet (SHARP)": "collnet-chain", "NVLSTree": "nvls-tree"}
SIZE_BINS = ((0, "under 1 MiB"), (2**20, "1 to 64 MiB"), (2**26, "64 MiB and more"))
NO_LINK = LINKS.index("pcie-5")  # stands for the link of a GPU that is alone in its server


@dataclass(frozen=True)
class Case:
    """A call of a collective on a described system; ``measured`` s, None if it was not measured."""

    id: str
    operation: str
    gpus: int
    nodes: int
    size: float  # bytes
    accelerator: str
    link: str = ""
    fabric: str = ""
    nic_gbps_per_gpu: float | None = None
    algorithm: str = ""
    protocol: str = ""
    measured: float | None = None
    system: str = ""
    cluster: str = ""
    source: str = ""
    sick: bool = False

    @property
    def hardware(self) -> Hardware:
        """What the descriptions say."""
        return described(self.accelerator, self.link, self.fabric)

    @property
    def domains(self) -> int:
        """Scale-up domains that the ranks span."""
        joined = self.hardware.domain
        return max(1, -(-self.gpus // joined)) if joined else self.nodes

    @property
    def lacks(self) -> str:
        """What is missing for a prediction, blank if nothing."""
        kinds = self.hardware
        if self.gpus < 2:
            return "one GPU has nothing to exchange"
        if self.nodes < 1 or self.gpus % self.nodes:
            return "the GPUs are not the same number on each node"
        if kinds.generation not in GENERATIONS:
            return f"the accelerator {self.accelerator or 'is blank and'} is of no known generation"
        if self.gpus > self.domains and kinds.link not in LINKS:
            return "the link between the GPUs of a server is of no known kind"
        if self.domains > 1 and kinds.fabric not in FABRICS:
            return f"the network {self.fabric or 'is blank and'} is of no known kind"
        if self.domains > 1 and not self.nic_gbps_per_gpu:
            return "the network's rate for each GPU (nic_gbps_per_gpu) is unknown"
        return ""


def bus_factor(operation: str, ranks: Array) -> Array:
    """Bus bandwidth over algorithm bandwidth, also of reduce, gather and scatter."""
    factor: Array = np.asarray(bus_bandwidth_factor(_LIKE.get(operation, operation), ranks))
    return factor


@dataclass(frozen=True)
class Batch:
    """Cases of one operation by one algorithm as arrays."""

    operation: str
    algorithm: int  # positions in ALGORITHMS and PROTOCOLS, -1 for sends and receives
    protocol: int
    positions: Array  # in the list that was given
    size: Array
    ranks: Ranks


def batches(cases: Sequence[Case]) -> list[Batch]:
    """Sort cases into arrays by operation; every case must lack nothing."""
    groups: dict[str, list[int]] = {}
    for position, case in enumerate(cases):
        groups.setdefault(case.operation, []).append(position)
    found = []
    for operation, positions in groups.items():
        group = [cases[position] for position in positions]
        kinds = [case.hardware for case in group]
        rates = [case.nic_gbps_per_gpu or 0.0 for case in group]
        ranks = Ranks(
            ranks=np.array([case.gpus for case in group], dtype=float),
            domains=np.array([case.domains for case in group], dtype=float),
            generation=np.array([GENERATIONS.index(kind.generation) for kind in kinds]),
            link=np.array(
                [LINKS.index(kind.link) if kind.link in LINKS else NO_LINK for kind in kinds]
            ),
            mesh=np.array([kind.mesh for kind in kinds]),
            fabric=np.array(
                [FABRICS.index(kind.fabric) if kind.fabric in FABRICS else -1 for kind in kinds]
            ),
            nic_bandwidth=np.asarray(units.gbps_to_bytes_per_second(np.array(rates))),
            algorithm=np.array([_position(ALGORITHMS, case.algorithm) for case in group]),
            protocol=np.array([_position(PROTOCOLS, case.protocol) for case in group]),
        )
        size = np.array([case.size for case in group])
        found += _by_choice(operation, np.array(positions), size, ranks)
    return found


def _by_choice(operation: str, positions: Array, size: Array, ranks: Ranks) -> list[Batch]:
    """Split the cases of an operation by what NCCL takes."""
    if operation in PEERS:
        return [Batch(operation, -1, -1, positions, size, ranks)]
    algorithms, protocols = choose(operation, size, ranks)
    found = []
    for a, p in sorted(set(zip(algorithms.tolist(), protocols.tolist(), strict=True))):
        own = (algorithms == a) & (protocols == p)
        found.append(Batch(operation, a, p, positions[own], size[own], ranks.chosen(own)))
    return found


def _position(names: Sequence[str], text: str) -> int:
    name = _FORCED.get(text, text).strip().lower()
    return names.index(name) if name in names else -1


@dataclass(frozen=True)
class Predictions:
    """Of each case in the order given: s, bytes/s, and the band of the time."""

    time: Array
    bus_bandwidth: Array
    start: Array
    ramp: Array
    algorithm: Array
    protocol: Array
    network_bound: Array
    low: Array
    high: Array

    def regime(self, position: int) -> str:
        """What a case spends most of its time on, and by which algorithm."""
        a, p = int(self.algorithm[position]), int(self.protocol[position])
        name = f"{ALGORITHMS[a]}, {PROTOCOLS[p]}" if a >= 0 else "sends and receives"
        rest = self.time[position] - self.start[position] - self.ramp[position]
        if self.start[position] >= max(rest, self.ramp[position]):
            return f"start-up ({name})"
        if self.ramp[position] > rest:
            return f"filling of the pipeline ({name})"
        bound = "network" if self.network_bound[position] else "link inside the domain"
        return f"bandwidth of the {bound} ({name})"


def predict_batches(
    grouped: Sequence[Batch], count: int, constants: Constants, band: Band | None = None
) -> Predictions:
    """Predict cases that were sorted into arrays; see ``predict_cases``."""
    columns = {
        name: np.zeros(count)
        for name in ("time", "bus_bandwidth", "start", "ramp", "algorithm", "protocol")
    }
    bound = np.zeros(count, dtype=bool)
    low, high = np.ones(count), np.ones(count)
    for batch in grouped:
        found = predict(
            batch.operation, batch.algorithm, batch.protocol, batch.size, batch.ranks, constants
        )
        at = batch.positions
        for name in ("time", "start", "ramp"):
            columns[name][at] = vars(found)[name]
        columns["algorithm"][at], columns["protocol"][at] = batch.algorithm, batch.protocol
        factor = bus_factor(batch.operation, batch.ranks.ranks)
        columns["bus_bandwidth"][at] = factor * batch.size / found.time
        bound[at] = found.network_bound
        if band is not None:
            low[at], high[at] = band.of(batch.size, batch.ranks.domains)
    return Predictions(
        **columns, network_bound=bound, low=columns["time"] * low, high=columns["time"] * high
    )


def predict_cases(
    cases: Sequence[Case], constants: Constants | None = None, band: Band | None = None
) -> Predictions:
    """Predict time and bus bandwidth of cases.

    Parameters
    ----------
    cases : sequence of Case    none of which lacks anything (``Case.lacks``)
    constants : Constants       the shipped ones if None
    band : Band                 the shipped one if None
    """
    chosen = shipped_constants() if constants is None else constants
    return predict_batches(batches(cases), len(cases), chosen, band or shipped_band())


def size_bin(size: Array) -> Array:
    """Position in ``SIZE_BINS``."""
    edges = [edge for edge, _ in SIZE_BINS[1:]]
    found: Array = np.searchsorted(edges, size, side="right")
    return found


@dataclass(frozen=True)
class Band:
    """Factors on a predicted time between which 80 % of unseen points lie.

    ``low`` and ``high`` are by size bin and by whether the ranks span one domain or more.
    """

    low: Array
    high: Array

    def of(self, size: Array, domains: Array) -> tuple[Array, Array]:
        """Factors of some cases."""
        row, column = size_bin(size), (np.asarray(domains) > 1).astype(int)
        return self.low[row, column], self.high[row, column]


BAND_SCOPES = tuple(
    tuple(f"{where}, {label}" for where in ("one domain", "several domains"))
    for _, label in SIZE_BINS
)


@cache
def shipped_band() -> Band:
    """The band of ``data/collective_constants.csv``."""
    rows = load_catalog().collective_constants
    low, high = (
        np.array([[rows[name, scope].value for scope in pair] for pair in BAND_SCOPES])
        for name in ("error_low", "error_high")
    )
    return Band(low, high)


@cache
def measured_cases() -> tuple[Case, ...]:
    """The points of ``data/measurements/collectives.csv`` that no rule leaves out."""
    return tuple(
        case_of(point)
        for point in collective_points(data_directory()).values()
        if not point.left_out
    )


def case_of(point: CollectivePoint) -> Case:
    """A measured point as a case."""
    system = collective_systems(data_directory())[point.system]
    size = point.size_bytes or 0.0
    return Case(
        id=point.id,
        operation=OPERATIONS[point.collective],
        gpus=point.gpus,
        nodes=point.nodes,
        size=size,
        accelerator=system.accelerator,
        link=system.link,
        fabric=system.fabric,
        nic_gbps_per_gpu=point.nic_gbps_per_gpu,
        algorithm=point.algorithm,
        protocol=point.protocol,
        measured=measured_time(point),
        system=system.id,
        cluster=system.cluster,
        source=point.source,
        sick=system.condition == "sick",
    )


def measured_time(point: CollectivePoint) -> float | None:
    """Seconds of a point; from its bandwidth where its source prints no time."""
    if point.time_us:
        return float(units.microseconds_to_seconds(point.time_us))
    operation = OPERATIONS[point.collective]
    return time_from_bandwidth(
        operation, point.gpus, point.size_bytes, point.algbw_gbs, point.busbw_gbs
    )


def time_from_bandwidth(
    operation: str,
    gpus: float,
    size: float | None,
    algbw_gbs: float | None,
    busbw_gbs: float | None,
) -> float | None:
    """Seconds of a call whose bandwidth is known, GB/s of 10^9; None where neither is."""
    if not size:
        return None
    if algbw_gbs:
        return size / float(units.gigabytes_to_bytes(algbw_gbs))
    if not busbw_gbs:
        return None
    factor = float(bus_factor(operation, np.array(float(gpus))))
    return factor * size / float(units.gigabytes_to_bytes(busbw_gbs))


def verdict(time: float, low: float, high: float, measured: float | None, far: float) -> str:
    """What a measured time says against the prediction and its band, all in s.

    Far below the prediction, as of a system that does not use its network as it could, is a
    bandwidth outside the band and less than a part (1 / ``far``) of the predicted.
    """
    if measured is None:
        return "not measured"
    if measured > max(high, far * time):
        return "measured far below the prediction"
    if measured > high:
        return "measured below the band"
    return "measured above the band" if measured < low else "as predicted"
