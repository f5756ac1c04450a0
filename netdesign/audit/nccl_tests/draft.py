"""What do the lines read so far say of a table? Rows and header before they are a ``Table``."""

from __future__ import annotations

from dataclasses import dataclass, field

from netdesign.audit.nccl_tests.cells import Cells
from netdesign.audit.nccl_tests.header import RankLine
from netdesign.audit.nccl_tests.seen import LogSeen

SETTINGS, DEVICES, COLUMNS, ROWS, SUMMARY = range(1, 6)
_MOST_FAILURES = 5
_MOST_RANKS = 200_000  # listed ranks that are told apart


@dataclass(slots=True)
class HostSeen:
    """Ranks of one host in the rank list."""

    lowest: int
    highest: int
    device: int  # highest number
    ranks: int = 1


@dataclass(slots=True)
class RankList:
    """The list under "Using devices", as far as it was printed."""

    highest: int = -1
    groups: set[int] = field(default_factory=set)
    ranks: set[int] = field(default_factory=set)
    hosts: dict[str, HostSeen] = field(default_factory=dict)
    nameless: bool = False  # a rank without a host
    devices: dict[str, None] = field(default_factory=dict)
    places: set[tuple[str, int]] = field(default_factory=set)
    shared_places: bool = False  # two ranks on one device of one host name
    first_pids: set[int] = field(default_factory=set)  # of rank 0

    def add(self, line: RankLine) -> None:
        """One more rank."""
        again = line.rank in self.ranks
        self.highest = max(self.highest, line.rank)
        if len(self.ranks) < _MOST_RANKS:
            self.ranks.add(line.rank)
            self.groups.add(line.group)
        if line.rank == 0 and line.pid is not None and len(self.first_pids) < 1000:
            self.first_pids.add(line.pid)
        if line.name and len(self.devices) < 20:
            self.devices[line.name] = None
        if line.host is None:
            self.nameless = True
        elif len(self.hosts) < _MOST_RANKS:
            self._place(line.host, line, again)

    def _place(self, name: str, line: RankLine, again: bool) -> None:
        host = self.hosts.get(name)
        if host is None:
            self.hosts[name] = HostSeen(line.rank, line.rank, line.device)
        else:
            host.lowest = min(host.lowest, line.rank)
            host.highest = max(host.highest, line.rank)
            host.device = max(host.device, line.device)
            host.ranks += not again
        if not again and len(self.places) < _MOST_RANKS:
            place = (name, line.device)
            self.shared_places = self.shared_places or place in self.places
            self.places.add(place)

    @property
    def listed(self) -> int | None:
        """Highest listed rank + 1."""
        return None if self.highest < 0 else self.highest + 1

    @property
    def is_whole(self) -> bool:
        """Whether no rank between the first and the highest is left out."""
        return len(self.ranks) == self.highest + 1 > 0


@dataclass(slots=True)
class Draft:
    """What is known of a table so far."""

    first_line: int
    run: int
    last_line: int = 0
    phase: int = SETTINGS
    started: str | None = None  # program
    concluded: str | None = None
    command: str | None = None  # operation
    options: dict[str, str] = field(default_factory=dict)
    version: str | None = None
    nccl_version: str | None = None
    headers_version: str | None = None
    ranks: RankList = field(default_factory=RankList)
    columns: tuple[str, ...] | None = None
    few: tuple[str, ...] = ()  # all columns of a table that has no type
    time_unit: float | None = None
    rate_unit: float | None = None
    cells: list[Cells] = field(default_factory=list)
    average: str | None = None
    average_ok: bool | None = None
    bounds: int | None = None
    bounds_ok: bool | None = None
    failures: list[str] = field(default_factory=list)
    dots: bool = False  # rows or ranks were left out with "..."
    claimed_tasks: int | None = None
    gpus_per_task: int = 1  # of the command
    claimed_nodes: int | None = None
    pods: int | None = None
    job_names: tuple[str, ...] = ()
    log: LogSeen | None = None
    records: tuple[object, ...] = ()  # what tells its JSON records from others

    @property
    def jobs(self) -> int:
        """Runs of one rank whose output is mixed here: each lists a rank 0 of its own."""
        return max(1, len(self.ranks.first_pids)) if self.ranks.highest <= 0 else 1

    @property
    def gpus_of_a_process(self) -> int | None:
        """GPUs that one process drives, by the settings; None without them."""
        threads, gpus = (self.options.get(name, "") for name in ("nThread", "nGpus"))
        if not (threads.isdecimal() and gpus.isdecimal()):
            return None
        return int(threads) * int(gpus)

    @property
    def claimed_ranks(self) -> int | None:
        """GPUs that were asked for around it."""
        if self.claimed_tasks is None:
            return None
        return self.claimed_tasks * (self.gpus_of_a_process or self.gpus_per_task)

    def failed(self, text: str) -> None:
        """Keep the first lines that tell of a failure."""
        if len(self.failures) < _MOST_FAILURES:
            self.failures.append(text.strip()[:200])

    def successor(self, line: int) -> Draft:
        """The next table of the same run: other sizes, same machine and settings."""
        return Draft(
            line,
            self.run,
            started=self.started,
            command=self.command,
            options=self.options,
            version=self.version,
            nccl_version=self.nccl_version,
            headers_version=self.headers_version,
            ranks=self.ranks,
            columns=self.columns,
            few=self.few,
            time_unit=self.time_unit,
            rate_unit=self.rate_unit,
            claimed_tasks=self.claimed_tasks,
            gpus_per_task=self.gpus_per_task,
            claimed_nodes=self.claimed_nodes,
            pods=self.pods,
            job_names=self.job_names,
            log=self.log,
        )

    @property
    def is_table(self) -> bool:
        """Whether it is more than a stray line."""
        return bool(
            self.cells
            or self.columns
            or self.options
            or self.average is not None
            or self.bounds is not None
            or (self.started and self.ranks.listed)
        )
