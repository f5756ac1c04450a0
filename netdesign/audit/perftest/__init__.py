"""perftest: ib_write_bw, ib_read_lat and their like, as text and as JSON."""

from __future__ import annotations

import re

from netdesign.audit.kind import Kind
from netdesign.audit.perftest.content import PerftestRuns
from netdesign.audit.perftest.judge import judge
from netdesign.audit.perftest.reader import read
from netdesign.audit.perftest.summary import informed, summarise

KIND = Kind(
    name="perftest",
    title="perftest",
    needles=(
        b"#bytes",
        b"BW average",
        b"t_avg[usec]",
        b"t_typical[usec]",
        b" BW Test",
        b"Latency Test",
        b'"BW_average"',
        b'"t_typical"',
        b'"tps_average"',
        b"Completion with error at",
        b"to RTR",
        b"init the socket connection",
        b"Couldn't connect to",
    ),
    signature=re.compile(
        r"#\s?bytes\s+#\s?(?:sl|iterations)|BW[ _]average\s?\[|t_(?:avg|typical)\s?\[usec\]"
        r"|\b(?:RDMA_Write|RDMA_Read|Send|Atomic)(?: \w+){0,6} (?:BW|Latency)(?: \w+)? Test\b"
        r'|"(?:BW_average|t_typical|tps_average)"\s*:|Completion with error at (?:client|server)'
        r"|Failed to modify QP|Unable to init the socket connection|Couldn't connect to \S+:\d+"
    ),
    read=read,
    summarise=summarise,
    judge=judge,
    informed=informed,
    is_empty=lambda runs: not (runs.tests or runs.faults),
)

__all__ = ["KIND", "PerftestRuns", "judge", "read", "summarise"]
