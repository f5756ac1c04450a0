"""What perftest printed, in SI units; None is what a file does not say."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Measure = Literal["bw", "lat"]


@dataclass(frozen=True, slots=True)
class PortShare:
    """What one port of a dual-port test carried."""

    bandwidth: float | None  # bytes/s
    messages: float | None  # messages/s


@dataclass(frozen=True, slots=True)
class BandwidthRow:
    """One message size of a bandwidth test; both directions summed if the test is bidirectional."""

    size: int  # bytes of a message
    iterations: int | None
    average: float | None  # bytes/s
    peak: float | None  # bytes/s; None where it was not measured
    messages: float | None  # messages/s
    ports: tuple[PortShare, ...] = ()
    processor: float | None = None  # percent of the processor's time
    service_level: int | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One message size of a latency test, seconds; half a round trip but for reads and atomics."""

    size: int  # bytes of a message
    iterations: int | None
    average: float | None
    typical: float | None = None  # the median
    minimum: float | None = None
    maximum: float | None = None
    deviation: float | None = None
    p99: float | None = None
    p999: float | None = None
    per_second: float | None = None  # messages/s, of a test that runs for a time
    line: int = 0


@dataclass(frozen=True)
class Setup:
    """The block of parameters above a table, and what the command line adds to it."""

    device: str | None = None
    transport: str | None = None  # IB, IW
    connection: str | None = None  # RC, UC, UD, XRC, DC, SRD
    link_type: str | None = None  # IB, Ethernet
    mtu: int | None = None  # bytes
    queue_pairs: int | None = None
    gid_index: int | None = None
    outstanding_reads: int | None = None
    bidirectional: bool = False
    dual_port: bool = False
    rdma_cm: bool | None = None
    gpu_memory: bool = False
    by_duration: bool = False
    is_server: bool = False
    is_loopback: bool = False  # both ends are the same port


@dataclass(frozen=True)
class Run:
    """One run of one program."""

    verb: str | None  # write, read, send, atomic; None where nothing names it
    measure: Measure | None
    line: int  # where it starts
    setup: Setup
    bandwidth: tuple[BandwidthRow, ...] = ()
    latency: tuple[LatencyRow, ...] = ()
    has_table: bool = False
    unit: str = ""  # of bandwidth, as the header writes it: MB/sec
    unit_seen: str = ""  # what message rate x bytes says the unit is; "" where it cannot tell

    @property
    def name(self) -> str:
        """write_bw; only bw where nothing names the verb."""
        return "_".join(part for part in (self.verb, self.measure) if part) or "unknown"

    @cached_property
    def best(self) -> BandwidthRow | None:
        """The row with the largest average."""
        rows = [row for row in self.bandwidth if row.average is not None]
        return max(rows, key=lambda row: row.average or 0.0, default=None)


@dataclass(frozen=True)
class Fault:
    """A complaint that perftest printed."""

    line: int
    text: str


@dataclass(frozen=True)
class PerftestRuns:
    """All of a file."""

    tests: tuple[Run, ...]
    faults: tuple[Fault, ...] = ()
    more_faults: int = 0  # beyond those kept
    port_rates: tuple[float, ...] = field(default=())  # bytes/s, where ibstat stands in the file
    known_rate: float | None = None  # bytes/s of a port, as a person or a design gives it

    @property
    def port_rate(self) -> float | None:
        """Bytes/s per direction of one port: as given, else the one that the file names."""
        if self.known_rate is None and len(self.port_rates) == 1:
            return self.port_rates[0]
        return self.known_rate
