"""What NCCL_DEBUG lines in the same file tell of the network that a table used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from netdesign.audit.nccl_tests.tables import NetworkSeen

_RANKS = re.compile(r"\bnRanks (\d{1,7}) nNodes (\d{1,6})\b")
_NRANKS = re.compile(r"\bnranks (\d{1,7})\b")
_USING = re.compile(r"Using network ([\w ./+-]{1,40})")
_VIA = re.compile(r"via NET/([\w /.-]{1,30}?)/(\d{1,4})(?:\(\d{1,5}\))?(/GDRDMA)?(?!\w)")
_GDR = re.compile(r"\bGDR ([01])\b")
_VERSION = re.compile(r"\b[NR]CCL version\s+(\d+\.\d+[\w.]{0,20})")
_DEVICE = re.compile(r"\[\d{1,4}\] ?([\w.+-]{1,64}):\d{1,3}/(IB|RoCE)\b")
_PAIRS = re.compile(r"QPS_PER_CONNECTION set (?:by \w{1,30} )?to (\d{1,4})")
_MOST = 64
_LONGEST = 16_384  # characters of a line


@dataclass(slots=True)
class LogSeen:
    """Claims of log lines since the last table."""

    transports: dict[str, None] = field(default_factory=dict)
    nics: dict[str, None] = field(default_factory=dict)
    sockets: bool = False
    on: int = 0
    off: int = 0
    versions: dict[str, None] = field(default_factory=dict)
    ranks: int | None = None
    nodes: int | None = None
    links: dict[str, None] = field(default_factory=dict)
    bonded: bool = False
    queue_pairs: int = 1

    def see(self, text: str) -> None:
        """Take what a log line tells."""
        if "NET/" in text and (via := _VIA.search(text)) is not None:
            self._add(self.transports, via[1])
            self._add(self.nics, via[2])
            self.sockets = self.sockets or via[1] == "Socket"
            self.on += via[3] is not None
            self.off += via[3] is None and via[1] != "Socket"
        elif "NET/IB" in text and " Using [" in text:
            self._devices(text[:_LONGEST])
        elif "QPS_PER_CONNECTION" in text:
            pairs = _PAIRS.search(text)
            self.queue_pairs = int(pairs[1]) if pairs is not None else self.queue_pairs
        elif "GDR " in text and (gdr := _GDR.search(text)) is not None:
            self.on += gdr[1] == "1"
            self.off += gdr[1] == "0"
        elif "GPU Direct RDMA " in text:
            self.on += "RDMA Enabled" in text
            self.off += "RDMA Disabled" in text
        elif "anks " in text:
            self._count(text)
        elif "Using network" in text and (using := _USING.search(text)) is not None:
            self._add(self.transports, using[1].strip())
            self.sockets = self.sockets or using[1].strip() == "Socket"
        elif "version" in text and (version := _VERSION.search(text)) is not None:
            self._add(self.versions, version[1].rstrip("."))

    def _devices(self, text: str) -> None:
        for device, link in _DEVICE.findall(text):
            self._add(self.links, link)
            self.bonded = self.bonded or "bond" in device

    def _count(self, text: str) -> None:
        both = _RANKS.search(text)
        if both is not None:
            self.ranks, self.nodes = int(both[1]), int(both[2])
        elif (ranks := _NRANKS.search(text)) is not None:
            self.ranks = max(self.ranks or 0, int(ranks[1]))

    @staticmethod
    def _add(names: dict[str, None], name: str) -> None:
        if len(names) < _MOST:
            names[name] = None

    def frozen(self) -> NetworkSeen:
        """What was seen, for good."""
        return NetworkSeen(
            tuple(self.transports),
            tuple(self.nics),
            self.sockets,
            self.on,
            self.off,
            tuple(self.versions),
            self.ranks,
            self.nodes,
            tuple(self.links),
            self.bonded,
            self.queue_pairs,
        )
