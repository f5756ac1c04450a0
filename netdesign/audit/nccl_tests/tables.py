"""What a file of nccl-tests or rccl-tests holds: tables of rows, each row run out of place and in.

SI inside: bytes, seconds, bytes/s. A figure that was not printed, or printed as ``nan``, is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

# How a fact about a table is known, the strongest first.
Source = Literal[
    "header",  # "# Collective test starting: ..."
    "concluded",  # "# Collective test concluded: ..."
    "json",
    "rank lines",
    "count",  # size over count and width of an element
    "ratio",  # busbw over algbw
    "columns",  # redop, root and count of the rows
    "NCCL log",
    "device numbers",
    "settings",  # one process drives all GPUs
    "command",
    "surroundings",  # Slurm variables, launcher, pod names around the table
    "file name",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Side:
    """One half of a row: out of place, or in place."""

    time: float  # s
    algbw: float  # bytes/s
    busbw: float  # bytes/s
    wrong: float | None = None  # elements with a wrong value; None: not checked, or not counted
    deviation: float | None = None  # the largest error, of versions that print that
    resolution: float = 1e7  # bytes/s of the last printed digit


@dataclass(frozen=True, slots=True)
class Row:
    """One message size."""

    size: int  # bytes, as nccl-tests counts them
    count: int  # elements, as printed
    type: str  # float
    redop: str | None  # sum; None when the cell is blank or "none"
    root: int | None  # -1 as printed for operations without one; None when there is no such column
    out_of_place: Side | None
    in_place: Side | None
    line: int = 0

    @property
    def sides(self) -> tuple[Side, ...]:
        """The halves that were printed."""
        first, second = self.out_of_place, self.in_place
        if first is None:
            return () if second is None else (second,)
        return (first,) if second is None else (first, second)

    @property
    def busbw(self) -> float | None:
        """Bytes/s of the better half."""
        return max((side.busbw for side in self.sides), default=None)


@dataclass(frozen=True)
class NetworkSeen:
    """What NCCL_DEBUG lines around a table say about its network."""

    transports: tuple[str, ...] = ()  # IB, Socket, AWS Libfabric
    nics: tuple[str, ...] = ()  # numbers or names of NICs that channels use
    sockets: bool = False  # channels over TCP
    gpudirect_on: int = 0  # lines that say so
    gpudirect_off: int = 0
    versions: tuple[str, ...] = ()
    ranks: int | None = None
    nodes: int | None = None
    links: tuple[str, ...] = ()  # IB, RoCE, of the devices that NCCL lists
    bonded: bool = False  # a listed device is a bond of ports
    queue_pairs: int = 1  # of a connection, as set

    @property
    def is_rdma(self) -> bool:
        """Whether channels go over verbs, and none over sockets."""
        return not self.sockets and any(name.startswith("IB") for name in self.transports)


@dataclass(frozen=True)
class Table:
    """One sweep over sizes."""

    operation: str | None  # all_reduce, all_gather, ...; None: the file does not tell
    operation_from: Source
    told_operation: str | None  # what header, command or file name claim, also if rows deny it
    possible: tuple[str, ...]  # operations that the rows allow
    ranks: int | None
    ranks_from: Source
    listed_ranks: int | None  # highest listed rank + 1
    claimed_ranks: int | None  # of launcher, Slurm variables or NCCL log
    ratio_ranks: tuple[int, int] | None  # fewest and most ranks that fit busbw over algbw
    groups: int  # communicators that run at once
    nodes: int | None
    nodes_from: Source
    hosts: tuple[str, ...]
    devices: tuple[str, ...]  # different GPU names
    version: str | None  # of nccl-tests or rccl-tests
    nccl_version: str | None
    options: Mapping[str, str]  # of the "# nThread" line: minBytes, maxBytes, step, ...
    rows: tuple[Row, ...]
    printed_average: float | None  # bytes/s
    average_ok: bool | None  # against NCCL_TESTS_MIN_BW
    out_of_bounds: int | None
    out_of_bounds_ok: bool | None
    complete: bool  # ended with its summary, or reached its largest size
    first_line: int
    last_line: int
    pods: int | None = None  # nodes that pod names around the table reach
    job_names: tuple[str, ...] = ()  # of the pods
    headers_version: str | None = None  # of NCCL that the tests were built with
    splices: bool = False  # parts of several runs, or rows left out
    jobs: int = 1  # runs whose output is mixed in it
    failures: tuple[str, ...] = ()  # lines of tests that broke off
    network: NetworkSeen = field(default_factory=NetworkSeen)

    @property
    def communicator(self) -> int | None:
        """Ranks that talk to each other."""
        return None if self.ranks is None else max(1, self.ranks // max(1, self.groups))

    @property
    def ranks_per_node(self) -> float | None:
        """GPUs of a node that take part."""
        if self.ranks is None or not self.nodes:
            return None
        return self.ranks / self.nodes

    @property
    def computed_average(self) -> float | None:
        """Mean bus bandwidth over all rows and halves, as nccl-tests does it, bytes/s."""
        rates = [side.busbw for row in self.rows for side in row.sides]
        return fmean(rates) if rates else None

    @property
    def wrong_sizes(self) -> int:
        """Rows with a wrong value in a half."""
        return sum(any(side.wrong for side in row.sides) for row in self.rows)

    @property
    def is_verified(self) -> bool:
        """Whether results were compared with the right ones."""
        sides = [side for row in self.rows for side in row.sides]
        if not sides:
            return bool(self.out_of_bounds)
        return any(side.wrong is not None or side.deviation is not None for side in sides)


@dataclass(frozen=True)
class NcclTests:
    """Every table of a file."""

    tables: tuple[Table, ...]
    name: str = ""  # of the file
    rows_left_out: int = 0  # beyond the most that are kept
