"""The grammar of perftest's text: titles, parameters, commands, headers, rows, complaints.

Source: linux-rdma/perftest, src/perftest_parameters.h and .c.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from netdesign.units import BYTES_PER_MEBIBYTE, gbps_to_bytes_per_second, microseconds_to_seconds

_VERBS = {"rdma_write": "write", "rdma_read": "read", "send": "send", "atomic": "atomic"}
TITLE = re.compile(
    r"\b(RDMA[_ ]Write|RDMA[_ ]Read|Send|Atomic|Write[_ ]Imm)\w*[ _]"
    r"((?:[A-Za-z]+[_ ]){0,6}?)(BW|Latency)[_ ](?:[A-Za-z]+[_ ]){0,2}Test\b"
)
COMMAND = re.compile(
    r"\b(?:ib_(write|read|send|atomic)_(bw|lat)|raw_ethernet_(?:send_)?(bw|lat))\b(.{0,4000})"
)
_PARAMETER = re.compile(
    r"(Dual-port|Device|Number of qps|Transport type|Connection type|TX depth|Mtu|Link type"
    r"|GID index|Outstand reads|rdma_cm QPs|Use ROCm memory|Data ex\. method|Using SRQ"
    r"|PCIe relax order|Lock-free|ibv_wr\* API|Using DDP|Using Enhanced Reorder|RX depth"
    r"|CQ Moderation|CQE Poll Batch|Max inline data|Post List|Recv Post List|CPU freq|Buffer size"
    r"|GID index2|TOS|DCS num streams|Block Size)\s*:\s*([^\s:]+)"
)
_ADDRESS = re.compile(r"\b(local|remote) address\s*:(?:.{0,40}\bLID\s+(\w+))?")
_GID = re.compile(r"^[\s>#|]*GID\s*:\s*([0-9a-fA-Fx:]+)")
_COLUMN = re.compile(
    r"#\s?(?P<count>bytes|iterations|sl)\b"
    r"|(?P<bw>BW)[ _](?P<of>peak|average)\s?\[(?P<unit>[A-Za-z]+)/s(?:ec)?\]"
    r"|BW Port(?P<port>[12])\s?\[(?P<port_unit>[A-Za-z]+)/s(?:ec)?\]"
    r"|MsgRate Port(?P<rate_port>[12])\s?\[Mpps\]"
    r"|(?P<rate>MsgRate)\s?\[Mpps\]"
    r"|(?P<cpu>CPU_Util)\s?\[%+\]"
    r"|t_(?P<time>min|max|typical|avg|stdev)\s?\[(?P<time_unit>\w+)\]"
    r"|(?P<share>99(?:\.9)?)%+ percentile\s?\[(?P<share_unit>\w+)\]"
    r"|(?P<tps>tps average)",
    re.IGNORECASE,
)
# Every branch begins with a letter of its own, so that lines of other tools are passed over fast.
COMPLAINT = re.compile(
    r"Failed to \w+|Failed status \d+|Completion with error|Can't produce a report"
    r"|Couldn'?t (?:connect|create|get|set|allocate|read|open|find|init|listen|bind|resolve|post)\b"
    r"|Unable to (?:[Cc]onnect|init|find|open|read|write|create)|Unexpected CM event"
    r"|Did not detect devices|IB device \S+ not found|No IB devices found|RDMA CM event error"
    r"|poll CQ failed|Problems with warm|Wrong CQE|is (?:Down|DOWN)\b|result is below"
    r"|Connection refused|Parser function exited with Error"
)
CHATTER = re.compile(
    r"\s*(?:WARNING: |Warning: )?(?:Conflicting CPU frequency|Disabling dynamic polling"
    r"|BW peak won't be measured|Max msg size in|Changing (?:msg size )?to this MTU|\*{6,}"
    r"|\* Waiting for client|Waiting for client|Please run the same command"
    r"|deallocating (?:[RT]X )?GPU buffer"
    r"|destroying current CUDA|making it the current CUDA|creating CUDA Ctx|[Ii]nitializing CUDA"
    r"|Listing all CUDA devices|CUDA device \d|cuMem|There are \d+ devices supporting CUDA"
    r"|Perftest (?:doesn't )?supports? CUDA|using DMA-BUF|dmabuf export|Calling ibv_reg_dmabuf"
    r"|allocated \d+ bytes|allocated GPU buffer"
    r"|Using (?:ROCm|CUDA) |Using sampled CPU speed|Connected: |Completed: |Total run time: "
    r"|Picking device|CPU is not PCIe relaxed|You should disable PCIe|Requested mtu is higher"
    r"|Test with events|Perftest v|Post send method|Number of data encryption|MultiCast runs on UD"
    r"|\[pid = \d+, dev = \d+\] device name|Changing this)"
)
GPU_MEMORY = re.compile(r"GPU buffer|current CUDA Ctx|creating CUDA Ctx|Using ROCm Device")
PROMPT = re.compile(r"[\w.@:~/\[\]() +-]{0,120}[$#>]\Z")
_ENDING = (("mib", "MiB/sec"), ("mb", "MB/sec"), ("gb", "Gb/sec"))
# Both megabytes are 2**20 bytes in perftest's source (format_factor 0x100000).
FACTORS: dict[str, float] = {
    "MiB/sec": float(BYTES_PER_MEBIBYTE),
    "MB/sec": float(BYTES_PER_MEBIBYTE),
    "Gb/sec": float(gbps_to_bytes_per_second(1.0)),
}
_MICRO = float(microseconds_to_seconds(1.0))
_EMPTY = {"n/a", "-", "--", "nan", "-nan", "inf"}
_DIGITS = frozenset("0123456789")
_FIGURE = re.compile(r"\d{1,12}\.\d\d")  # of a latency, which has two decimals


@dataclass(frozen=True)
class Columns:
    """The columns of a table in their order: size, iterations, average, p99, port1, ..."""

    names: tuple[str, ...]
    unit: str  # of bandwidth: MB/sec, MiB/sec, Gb/sec; "" of a latency table or an unknown unit
    time: float = _MICRO  # seconds of one unit of time; 0 where it is no time (cycles)

    @property
    def measure(self) -> str:
        """bw or lat."""
        return "bw" if "average" in self.names or "peak" in self.names else "lat"


def columns_of(text: str) -> Columns | None:
    """The columns that a header names, None if it is no header of perftest."""
    names: list[str] = []
    unit, time = "", _MICRO
    for found in _COLUMN.finditer(text):
        part = {key: value for key, value in found.groupdict().items() if value}
        name = _column_name(part)
        if name in names:  # two processes wrote one line
            break
        names.append(name)
        unit = unit or unit_named(part.get("unit") or part.get("port_unit") or "")
        if (part.get("time_unit") or part.get("share_unit") or "usec").lower() != "usec":
            time = 0.0
    telling = {"average", "peak", "t_avg", "t_typical"} & set(names)
    if not telling or "bytes" not in names:
        return None
    return Columns(tuple(names), unit, time)


def _column_name(part: dict[str, str]) -> str:
    if "count" in part:
        return part["count"].lower()
    if "bw" in part:
        return part["of"].lower()
    if "port" in part:
        return f"port{part['port']}"
    if "rate_port" in part:
        return f"rate{part['rate_port']}"
    if "time" in part:
        return f"t_{part['time'].lower()}"
    if "share" in part:
        return "p99" if part["share"] == "99" else "p999"
    return next(name for name in ("rate", "cpu", "tps") if name in part)


def unit_named(text: str) -> str:
    """MB/sec, MiB/sec or Gb/sec for what stands before /sec; "" if it is none of them."""
    plain = text.lower()
    return next((unit for start, unit in _ENDING if plain == start), "")


def cells_of(text: str, columns: Columns) -> dict[str, float | None] | None:
    """The cells of a row by column, None if the line is no row; a row that is cut is none."""
    plain = text.strip(" \t#>|*`")
    if not plain or plain[0] not in _DIGITS:
        return None
    tokens = plain.replace("|", " ").split()
    if len(tokens) < len(columns.names):
        tokens = [part for token in tokens for part in _apart(token)]
    if len(tokens) != len(columns.names):
        return None
    cells: dict[str, float | None] = {}
    for name, token in zip(columns.names, tokens, strict=True):
        value = number(token)
        if value is None and token.lower() not in _EMPTY:
            return None
        cells[name] = value
    size = cells.get("bytes")
    return cells if size is not None and size >= 0 and size == int(size) else None


def _apart(token: str) -> list[str]:
    """2465.901216.65 as its two figures: one that is too wide for its column meets the next."""
    if token.count(".") < 2 or len(token) > 60:
        return [token]
    parts = _FIGURE.findall(token)
    return parts if "".join(parts) == token else [token]


def number(token: str) -> float | None:
    """A plain number that is neither negative nor without end, else None."""
    if not token or token[0] not in "0123456789." or len(token) > 40:
        return None
    try:
        value = float(token.rstrip("%"))
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def title_of(text: str) -> tuple[str, str, bool] | None:
    """Verb, measure and whether it is bidirectional, of a title; None if it is none."""
    found = TITLE.search(text)
    if found is None:
        return None
    verb = found[1].lower().replace(" ", "_")
    measure = "bw" if found[3] == "BW" else "lat"
    return _VERBS.get(verb, "write"), measure, "bidirectional" in found[0].lower()


def parameters_of(text: str) -> dict[str, str]:
    """The ``Key : value`` pairs of a line of the block of parameters."""
    return {found[1]: found[2] for found in _PARAMETER.finditer(text)}


def address_of(text: str) -> tuple[str, str] | None:
    """Side and LID of an address line, None if it is none."""
    found = _ADDRESS.search(text)
    return None if found is None else (found[1], found[2] or "")


def gid_of(text: str) -> str | None:
    """The GID of a line that follows an address."""
    found = _GID.match(text)
    return None if found is None else found[1]


def command_of(text: str) -> tuple[str | None, str, dict[str, Any]] | None:
    """Verb, measure and settings of a command line that stands somewhere in this line."""
    found = COMMAND.search(text)
    if found is None:
        return None
    verb = found[1] or "send"
    return verb, found[2] or found[3], _settings(found[4].split())


def _settings(words: list[str]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for place, word in enumerate(words):
        name, _, value = word.partition("=")
        value = value or (words[place + 1] if place + 1 < len(words) else "")
        if name in ("-b", "--bidirectional"):
            settings["bidirectional"] = True
        elif name.startswith(("--use_cuda", "--use-cuda", "--use_rocm", "--use-rocm")):
            settings["gpu_memory"] = True
        elif name in ("-d", "--ib-dev") and value:
            settings["device"] = value
        elif name in ("-c", "--connection") and value.isalnum():
            settings["connection"] = value.upper()
        elif name in ("-q", "--qp") and value.isdecimal() and len(value) < 7:
            settings["queue_pairs"] = int(value)
        elif name in ("-D", "--duration"):
            settings["by_duration"] = True
        elif name in ("-O", "--dualport"):
            settings["dual_port"] = True
        elif name in ("-R", "--rdma_cm"):
            settings["rdma_cm"] = True
    return settings
