"""Reading the matrix of ``nvidia-smi topo -m``: tabs, spaces, colours, comments, cut anywhere."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from netdesign.audit.document import Document, Line
from netdesign.audit.gpu_topology import amd
from netdesign.audit.gpu_topology.content import Device, GpuTopology, Matrix
from netdesign.audit.report import Understood

MOST_MATRICES = 2000
MOST_DEVICES = 128  # of one host
MOST_PAIRS = 1_000_000  # of all hosts
_HEADER = re.compile(r"^[\s#>|/*]*GPU\d{1,3}\b(?![\]:])")
_NAME = re.compile(r"[A-Za-z][\w.:-]{0,40}\Z")
_GPU = re.compile(r"GPU\d{1,3}\Z")
_LINK = re.compile(r"(?:X|SYS|SOC|NODE|PHB|PXB|PIX|PSB|C2C|NV\d{1,3}|N/A|-)\Z")
_PEER = frozenset({"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"})
_LEGEND = re.compile(
    r"[\s#>|]*(?:(?:NIC )?Legend\s*:|(?:X|SYS|NODE|PHB|PXB|PIX|SOC|PSB|NV#|OK|CNS|GNS|TNS|NS|DR|U)"
    r"\s+=\s+\w|(?:a NUMA node\)?)\Z)"
)
_LABEL = re.compile(r"[\s#>|]*(NIC\d{1,3})\s*:\s*([\w.:/-]{1,60})\s*\Z")
_COMMAND = re.compile(r"nvidia-smi\s+topo\b(.{0,80})|mx-smi\s+topo\b")
_PREFIX = " \t#>|/*"


@dataclass
class _Open:
    """A matrix that is being read."""

    line: int
    columns: list[str]
    pcie_only: bool
    links: dict[tuple[str, str], str] = field(default_factory=dict)
    rows: dict[str, Device] = field(default_factory=dict)
    peers: dict[tuple[str, str], str] = field(default_factory=dict)
    numeric_memory: bool = False
    labels: dict[str, str] = field(default_factory=dict)


@dataclass
class _State:
    matrices: list[Matrix] = field(default_factory=list)
    open: _Open | None = None
    pcie_only: bool = False
    pairs: int = 0


def read(document: Document) -> tuple[GpuTopology, Understood]:
    """Every matrix of a file."""
    used = Understood()
    state = _State()
    radeon = amd.Reader()
    for line in document.lines():
        text = line.text
        if not text:
            continue
        if radeon.take(line) or _take(state, line):
            used.add(line.number)
    _close(state)
    matrices = sorted([*state.matrices, *radeon.matrices()], key=lambda matrix: matrix.line)
    return GpuTopology(tuple(matrices[:MOST_MATRICES])), used


def _take(state: _State, line: Line) -> bool:
    text = line.text
    if "GPU" in text and _HEADER.match(text) is not None and _table(state, line):
        return True
    if state.open is not None:
        if _row(state.open, line):
            return True
        found = _LABEL.match(text) if "NIC" in text else None
        if found is not None:
            state.open.labels[found[1]] = found[2]
            return True
    if "=" in text or "egend" in text or "NUMA node" in text:
        return _LEGEND.match(text) is not None
    command = _COMMAND.search(text) if "topo" in text else None
    if command is not None:
        state.pcie_only = "-mp" in (command[1] or "")
        return True
    return False


def _table(state: _State, line: Line) -> bool:
    """A header, or a row whose name is a GPU's."""
    tokens = line.text.strip(_PREFIX).replace("|", " ").split()
    if not _PEER.isdisjoint(tokens[1:]):
        return _peers(state, tokens)
    if len(tokens) > 1 and _LINK.match(tokens[1]):
        if state.open is None or tokens[0] in state.open.rows:
            state.open = _headless(state, line, tokens[0])
        return _row(state.open, line)
    columns = _columns(tokens)
    if not columns or len(columns) > MOST_DEVICES:
        return False
    current = state.open
    if current is not None and columns == current.columns[: len(columns)]:
        gpus = [name for name in columns if _GPU.match(name)]
        if gpus == columns and not line.text.rstrip().endswith(("Affinity", "ID")):
            return True  # the matrix of peers repeats the GPUs
    _close(state)
    state.open = _Open(line.number, columns, state.pcie_only)
    state.pcie_only = False
    return True


def _peers(state: _State, tokens: list[str]) -> bool:
    """A row of ``topo -p2p``, which says of the GPUs above whether they may talk."""
    if state.open is None:
        return False
    for column, cell in zip(state.open.columns, tokens[1:], strict=False):
        if cell in _PEER:
            state.open.peers[tokens[0], column] = cell
    return True


def _headless(state: _State, line: Line, name: str) -> _Open:
    """A matrix whose header was cut off: its columns are its rows, in their order."""
    _close(state)
    fresh = _Open(line.number, [], state.pcie_only)
    tokens = line.text.strip(_PREFIX).replace("|", " ").split()[1:]
    links = 0
    while links < len(tokens) and _LINK.match(tokens[links]):
        links += 1
    start = tokens.index("X") if "X" in tokens[:links] else 0
    number = int(name[3:]) - start if _GPU.match(name) else 0
    fresh.columns = [f"GPU{max(0, number) + place}" for place in range(_gpus_of(tokens[:links]))]
    fresh.columns += [f"NIC{place}" for place in range(links - len(fresh.columns))]
    return fresh


def _gpus_of(links: list[str]) -> int:
    """GPUs among the columns of a row without header: NVLinks tell them; else all are."""
    last = max((place for place, link in enumerate(links) if link.startswith("NV")), default=-1)
    return len(links) if last < 0 else max(last, links.index("X") if "X" in links else 0) + 1


def _columns(tokens: list[str]) -> list[str]:
    columns: list[str] = []
    for place, token in enumerate(tokens):
        if token in ("CPU", "NUMA") or (
            token == "GPU" and tokens[place + 1 : place + 2] == ["NUMA"]
        ):
            break
        if not _NAME.match(token) or token in columns:
            return []
        columns.append(token)
    return columns


def _row(current: _Open, line: Line) -> bool:
    text = line.text.strip(_PREFIX)
    plain = text.replace("|", " ")
    tokens = plain.split()
    if len(tokens) < 2 or tokens[0] not in current.columns:
        return False
    name, cells = tokens[0], tokens[1:]
    count = 0
    for column, cell in zip(current.columns, cells, strict=False):
        if not _LINK.match(cell):
            break
        if cell not in ("N/A", "-"):
            current.links[name, column] = cell
        count += 1
    if not count:
        return False
    cpus, numa, memory = _affinity(plain, cells[count:], 1 + count)
    current.numeric_memory |= memory.isdecimal()
    current.rows[name] = Device(name, name, cpus, numa_of(numa), line.number)
    return True


def _affinity(text: str, rest: list[str], before: int) -> tuple[str | None, str, str]:
    """CPU affinity, NUMA affinity and the NUMA id of the GPU's memory, as printed."""
    if not rest:
        return None, "", ""
    if "\t" in text:
        place = 0
        for _ in range(before):  # past the name and the links
            while place < len(text) and text[place].isspace():
                place += 1
            while place < len(text) and not text[place].isspace():
                place += 1
        parts = [part.strip() for part in text[place:].strip(" ").split("\t")][1:]
        numa, *fused = parts[1].split() if len(parts) > 1 and parts[1] else [""]
        memory = next((part for part in (*fused, *parts[2:]) if part), "")
        if len(parts) > 1 or len(rest) == 1:
            return (parts or [""])[0] or None, numa, memory
    cells = [*rest, "", ""]
    return cells[0], cells[1], cells[2]


def numa_of(text: str) -> tuple[int, ...]:
    """Nodes of ``0``, ``0-1`` or ``0,2``; none of N/A."""
    nodes: set[int] = set()
    for part in text.split(",")[:64]:
        low, _, high = part.partition("-")
        if not low.isdecimal() or (high and not high.isdecimal()) or len(part) > 9:
            return ()
        nodes.update(range(int(low), min(int(high or low), int(low) + 255) + 1))
    return tuple(sorted(nodes))


def _close(state: _State) -> None:
    current, state.open = state.open, None
    if current is None or not current.rows or len(state.matrices) >= MOST_MATRICES:
        return
    state.pairs += len(current.columns) ** 2
    if state.pairs > MOST_PAIRS:
        return
    devices = {
        name: current.rows.get(name, Device(name, name, line=current.line))
        for name in current.columns
    }
    blocked = [pair for pair, cell in current.peers.items() if cell != "OK"]
    gpus = tuple(device for name, device in devices.items() if _GPU.match(name))
    place = {name: number for number, name in enumerate(devices)}
    unsaid = sum(
        1
        for gpu in gpus
        for name, number in place.items()
        if (gpu.name, name) not in current.links
        and (name, gpu.name) not in current.links
        and (number > place[gpu.name] or not (number == place[gpu.name] or _GPU.match(name)))
    )
    state.matrices.append(
        Matrix(
            line=current.line,
            tool="nvidia-smi",
            gpus=gpus,
            nics=tuple(
                Device(name, current.labels.get(name, name), device.cpus, device.numa, device.line)
                for name, device in devices.items()
                if not _GPU.match(name) and not name.startswith(("NVSwitch", "CPU"))
            ),
            links=current.links,
            pcie_only=current.pcie_only,
            coherent=current.numeric_memory,
            missing=unsaid,
            blocked_peers=tuple(blocked),
        )
    )
