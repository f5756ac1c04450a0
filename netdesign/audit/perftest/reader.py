"""Reading perftest's text, one or many runs in a file, between whatever else stands there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from netdesign.audit.document import Document, Line
from netdesign.audit.perftest import grammar
from netdesign.audit.perftest.content import BandwidthRow, Fault, LatencyRow, PerftestRuns, Run
from netdesign.audit.perftest.json_reader import JsonRuns
from netdesign.audit.perftest.rows import (
    bandwidth_row,
    compare_units,
    latency_row,
    setup_of,
    unit_seen,
)
from netdesign.audit.report import Understood
from netdesign.units import gbps_to_bytes_per_second

MOST_TESTS = 20_000
MOST_ROWS = 500_000  # of the whole file
MOST_FAULTS = 200
LONGEST_FAULT = 200
MOST_HOSTS = 10_000
LONGEST_NAME = 64
_NAME = re.compile(r"[\w.-]+\Z")
_RANK = re.compile(
    r"\[[\w ,.-]{1,24}\](?:<std\w{3}>)?:? ?"
)  # of a launcher: [rank 1], [1,0]<stdout>:
_DASHES = "-" * 40
_LAST = "Data ex. method"  # parameter of a block
_RATE = re.compile(r"^\s*(?:Rate|rate)\s*:\s*(\d{1,4})(?:\s*Gb/sec.{0,40})?\s*\Z")  # ibstat
_TELLING = re.compile(
    r"BW|Latency|#\s?bytes|ib_|raw_eth| : |\t:|address|GID|depth|order:|Moder|QPs|Mtu|[Rr]ate"
)


@dataclass
class _Open:
    """A test that is being read."""

    verb: str | None
    measure: str | None
    line: int
    given: dict[str, str] = field(default_factory=dict)
    command: dict[str, Any] = field(default_factory=dict)
    bidirectional: bool = False
    gpu_memory: bool = False
    columns: grammar.Columns | None = None
    rows: list[BandwidthRow] = field(default_factory=list)
    latency: list[LatencyRow] = field(default_factory=list)
    raw: set[tuple[float | None, ...]] = field(default_factory=set)
    ratios: dict[str, list[float]] = field(default_factory=dict)
    lids: dict[str, set[str]] = field(default_factory=dict)
    gids: dict[str, set[str]] = field(default_factory=dict)
    side: str = ""


@dataclass
class _State:
    tests: list[Run] = field(default_factory=list)
    open: _Open | None = None
    command: tuple[str | None, str, dict[str, Any]] | None = None
    gpu_memory: bool = False
    faults: list[Fault] = field(default_factory=list)
    more_faults: int = 0
    rates: set[float] = field(default_factory=set)
    rows: int = 0


def read(document: Document) -> tuple[PerftestRuns, Understood]:
    """Every test of a file, in the order in which they stand."""
    used = Understood()
    plain = _State()
    hosts: dict[str, _State] = {}  # by the prefix that pdsh, srun -l or ansible writes
    json = JsonRuns()
    for line in document.lines():
        if not line.text:
            continue
        state, inner = _state_of(plain, hosts, line)
        if _take(state, inner) or json.take(line):
            used.add(line.number)
    states = [plain, *hosts.values()]
    for state in states:
        _close(state)
    tests = [test for state in states for test in state.tests] + json.tests()
    faults = [fault for state in states for fault in state.faults]
    runs = PerftestRuns(
        tests=tuple(sorted(tests, key=lambda test: test.line)[:MOST_TESTS]),
        faults=tuple(sorted(faults, key=lambda fault: fault.line)[:MOST_FAULTS]),
        more_faults=sum(state.more_faults for state in states),
        port_rates=tuple(sorted({rate for state in states for rate in state.rates})),
    )
    return runs, used


def _state_of(plain: _State, hosts: dict[str, _State], line: Line) -> tuple[_State, Line]:
    """Whose line it is: lines of several hosts may take turns, each with its name before it."""
    rank = _RANK.match(line.text) if line.text[0] == "[" else None
    if rank is not None:
        name, rest = rank[0], line.text[rank.end() :]
    else:
        name, colon, rest = line.text.partition(": ")
        if not colon or len(name) > LONGEST_NAME:
            return plain, line
    known = hosts.get(name)
    if known is None:
        if (
            (rank is None and _NAME.match(name) is None)
            or len(hosts) >= MOST_HOSTS
            or not _begins(rest)
        ):
            return plain, line
        known = hosts[name] = _State()
    return known, line._replace(text=rest)


def _begins(text: str) -> bool:
    if "Test" in text:
        return grammar.title_of(text) is not None
    if "bytes" in text:
        return grammar.columns_of(text) is not None
    return text.startswith(_DASHES)


def _take(state: _State, line: Line) -> bool:
    """Whether the line means something here."""
    text = line.text
    current = state.open
    columns = None if current is None else current.columns
    if current is not None and columns is not None and _row(state, current, columns, line):
        return True
    if _TELLING.search(text) is not None and (_framing(state, line) or _detail(state, line)):
        return True
    if grammar.COMPLAINT.search(text) is not None and "NCCL" not in text:
        _complain(state, line)
        return True
    if grammar.CHATTER.match(text) is not None:
        if grammar.GPU_MEMORY.search(text) is not None:
            ends = "deallocating" in text or "destroying" in text
            state.gpu_memory = not ends
            if ends and current is not None and current.raw:
                current.gpu_memory = True
        return True
    return text[-1] in "$#>" and grammar.PROMPT.match(text) is not None


def _framing(state: _State, line: Line) -> bool:
    """Titles, headers and commands: where a test begins."""
    title = grammar.title_of(line.text) if "Test" in line.text else None
    if title is not None and '"' not in line.text:
        _begin(state, *title, line.number)
        return True
    columns = grammar.columns_of(line.text) if "bytes" in line.text else None
    if columns is not None:
        _header(state, columns, line.number)
        return True
    command = grammar.command_of(line.text)
    if command is not None:
        if state.open is not None and (state.open.columns is not None or state.open.lids):
            _close(state)
        state.command = command
        return True
    return False


def _detail(state: _State, line: Line) -> bool:
    """Parameters and addresses of the open test, and rates that other tools print."""
    found = _RATE.match(line.text)
    if found is not None:
        state.rates.add(gbps_to_bytes_per_second(float(found[1])))
        return True
    current = state.open
    if current is None:
        return False
    address = grammar.address_of(line.text)
    if address is not None:
        current.side = address[0]
        current.lids.setdefault(address[0], set()).add(address[1])
        return True
    gid = grammar.gid_of(line.text)
    if gid is not None:
        current.gids.setdefault(current.side, set()).add(gid)
        return True
    given = grammar.parameters_of(line.text)
    for key, value in given.items():
        current.given.setdefault(key, value)
    return bool(given)


def _begin(state: _State, verb: str, measure: str, bidirectional: bool, line: int) -> None:
    waiting = state.open
    if waiting is not None and waiting.verb == verb and waiting.measure == measure:
        cut_into = waiting.columns is None and not waiting.lids and _LAST not in waiting.given
        if cut_into:  # a loopback prints both sides into one terminal, each into the other
            return
    _close(state)
    state.open = _Open(verb, measure, line, bidirectional=bidirectional)
    if state.command is not None and state.command[:2] == (verb, measure):
        state.open.command = state.command[2]
    state.command = None
    state.open.gpu_memory, state.gpu_memory = state.gpu_memory, False


def _header(state: _State, columns: grammar.Columns, line: int) -> None:
    current = state.open
    if current is not None:
        if current.columns is None and current.measure in (None, columns.measure):
            current.columns = columns
            return
        if current.columns == columns and not current.raw:  # both sides of a loopback
            return
    _close(state)
    verb: str | None = None
    settings: dict[str, Any] = {}
    if state.command is not None and state.command[1] == columns.measure:
        verb, _, settings = state.command
    state.command = None
    state.open = _Open(verb, columns.measure, line, command=settings, columns=columns)
    state.open.gpu_memory, state.gpu_memory = state.gpu_memory, False


def _row(state: _State, current: _Open, columns: grammar.Columns, line: Line) -> bool:
    cells = grammar.cells_of(line.text, columns)
    if cells is None or line.cut:
        return False
    key = tuple(cells.values())
    if key in current.raw:
        return True
    if state.rows >= MOST_ROWS:
        return False
    state.rows += 1
    current.raw.add(key)
    if columns.measure == "bw":
        current.rows.append(bandwidth_row(cells, columns.unit, line.number))
        compare_units(current.ratios, cells)
    else:
        current.latency.append(latency_row(cells, columns, line.number))
    return True


def _complain(state: _State, line: Line) -> None:
    if len(state.faults) < MOST_FAULTS:
        state.faults.append(Fault(line.number, line.text.strip()[:LONGEST_FAULT]))
    else:
        state.more_faults += 1


def _close(state: _State) -> None:
    current, state.open = state.open, None
    if current is None or len(state.tests) >= MOST_TESTS:
        return
    gpu_memory = current.gpu_memory or state.gpu_memory
    state.gpu_memory = False
    setup = replace(
        setup_of(current.given, current.command),
        is_server="Mtu" in current.given and "TX depth" not in current.given,
        is_loopback=_is_loopback(current),
    )
    setup = replace(
        setup,
        bidirectional=setup.bidirectional or current.bidirectional,
        gpu_memory=setup.gpu_memory or gpu_memory,
        by_duration=setup.by_duration
        or (current.columns is not None and "tps" in current.columns.names),
    )
    test = Run(
        verb=current.verb,
        measure="bw" if current.measure == "bw" else "lat",
        line=current.line,
        setup=setup,
        bandwidth=tuple(current.rows),
        latency=tuple(current.latency),
        has_table=current.columns is not None,
        unit=current.columns.unit if current.columns is not None else "",
        unit_seen=unit_seen(current.ratios),
    )
    state.tests.append(test)


def _is_loopback(current: _Open) -> bool:
    local, remote = current.gids.get("local"), current.gids.get("remote")
    if not local or not remote:
        local = {lid for lid in current.lids.get("local", set()) if lid.strip("0x")}
        remote = current.lids.get("remote", set())
    return bool(local) and bool(remote) and local == remote
