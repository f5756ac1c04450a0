"""Warnings kept once for all that differ by numbers only."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from netdesign.audit.nccl_log.content import Complaint

MOST_COMPLAINTS = 500  # distinct ones
MOST_ENDS = 500  # peers and NICs of one complaint
MOST_HOSTS = 8  # of one complaint
LONGEST = 300  # characters of a complaint
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)*")
_END = re.compile(
    r"\bpeer ([\w.:-]{3,64})<|\b(mlx\d_\w{1,20}|bnxt_re\d{1,3}|hfi1_\d{1,3}|roce\w{1,20})"
)


@dataclass
class _Group:
    text: str
    line: int
    is_nccl: bool
    count: int = 0
    hosts: set[str] = field(default_factory=set)
    ends: dict[str, int] = field(default_factory=dict)


class Grouped:
    """Takes warnings one by one."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}

    def add(self, text: str, number: int, host: str, is_nccl: bool) -> None:
        """One warning."""
        plain = text.strip()[:LONGEST]
        key = _NUMBER.sub("#", plain)
        group = self._groups.get(key)
        if group is None:
            shown = plain
            if len(self._groups) >= MOST_COMPLAINTS:
                key, shown = "", "other warnings"
            group = self._groups.setdefault(key, _Group(shown, number, is_nccl))
        group.count += 1
        if host and len(group.hosts) < MOST_HOSTS:
            group.hosts.add(host)
        for found in _END.finditer(plain):
            end = found[1] or found[2]
            if end in group.ends or len(group.ends) < MOST_ENDS:
                group.ends[end] = group.ends.get(end, 0) + 1

    def all(self) -> tuple[Complaint, ...]:
        """Each kind of warning, in the order in which they came."""
        return tuple(
            Complaint(
                text=group.text,
                key=key,
                count=group.count,
                line=group.line,
                hosts=tuple(sorted(group.hosts)),
                is_nccl=group.is_nccl,
                ends=tuple(name for name, _ in sorted(group.ends.items(), key=_most)),
            )
            for key, group in self._groups.items()
        )


def _most(entry: tuple[str, int]) -> int:
    return -entry[1]
