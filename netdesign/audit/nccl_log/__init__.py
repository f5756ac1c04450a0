"""Logs of NCCL and RCCL, written with NCCL_DEBUG=INFO, WARN or TRACE."""

from __future__ import annotations

import re

from netdesign.audit.kind import Kind
from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.nccl_log.judge import judge
from netdesign.audit.nccl_log.reader import read
from netdesign.audit.nccl_log.summary import summarise

KIND = Kind(
    name="nccl-log",
    title="an NCCL_DEBUG log",
    needles=(b"NCCL INFO ", b"NCCL WARN ", b"Watchdog caught collective"),
    signature=re.compile(
        r":\d+:\d+ \[-?\d+\] .{0,200}NCCL (?:INFO|WARN|TRACE) "
        r"|^.{0,60}NCCL (?:INFO|WARN) |Watchdog caught collective"
    ),
    read=read,
    summarise=summarise,
    judge=judge,
    is_empty=lambda log: not (log.lines or log.complaints),
)

__all__ = ["KIND", "NcclLog", "judge", "read", "summarise"]
