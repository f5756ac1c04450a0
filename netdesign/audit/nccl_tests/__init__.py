"""nccl-tests and rccl-tests: text of every version, and the JSON of the newer ones."""

from __future__ import annotations

import re
from typing import Any

from netdesign.audit.kind import Kind
from netdesign.audit.nccl_tests.judge import judge
from netdesign.audit.nccl_tests.reader import read
from netdesign.audit.nccl_tests.summary import summarise


def _is_empty(content: Any) -> bool:
    return not content.tables


KIND = Kind(
    name="nccl-tests",
    title="nccl-tests or rccl-tests",
    needles=(
        b"busbw",
        b"nThread",
        b"Avg bus bandwidth",
        b"Out of bounds values",
        b"Collective test",
        b"alg_bw",
        b"busBw",
        b" float ",
        b" half ",
        b" double ",
        b" bfloat16 ",
        b" int8 ",
        b" uint8 ",
        b" int32 ",
    ),
    signature=re.compile(
        r"algbw\s+busbw|nThreads?:?\s+\d+\s+nGpus|Avg bus bandwidth\s*:|Out of bounds values\s*:"
        r"|Collective test (?:starting|concluded)|\"alg_bw\"|\"average_bus_bandwidth\"|\"busBw\""
        r"|(?<![\w.])\d{1,19}+[\s|]++\d{1,19}+[\s|]++(?:float|half|double|bfloat16|u?int(?:8|32|64))\s"
    ),
    read=read,
    summarise=summarise,
    judge=judge,
    is_empty=_is_empty,
)
