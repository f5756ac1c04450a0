"""ibnetdiscover: the whole subnet, from the switches' and the adapters' side."""

from __future__ import annotations

import re
from typing import Any

from netdesign.audit.context import Context
from netdesign.audit.document import Document
from netdesign.audit.found.checks import findings_of
from netdesign.audit.found.summary import summary_of
from netdesign.audit.infiniband.dump import Discovery, read_discovery
from netdesign.audit.infiniband.remarks import conflicts, unreached
from netdesign.audit.kind import Kind
from netdesign.audit.report import Finding, Understood


def _read(document: Document) -> tuple[Discovery, Understood]:
    return read_discovery(document)


def _summarise(content: Discovery) -> dict[str, Any]:
    return {**summary_of(content.tiers), "made": content.made}


def _judge(content: Discovery, context: Context) -> list[Finding]:
    return [
        *findings_of(content.tiers, context),
        *conflicts(content.conflicts, content.conflict_count),
        *unreached(content.unreached),
    ]


def _is_empty(content: Discovery) -> bool:
    return not content.network.devices


IBNETDISCOVER = Kind(
    name="ibnetdiscover",
    title="ibnetdiscover",
    needles=(
        b'"S-',
        b'"H-',
        b"&quot;S-",
        b"&quot;H-",
        b"Switch ",
        b"Switch\t",
        b"Hca",
        b"Ca ",
        b"Ca\t",
        b"SW ",
        b"CA ",
        b"SystemGUID:",
    ),
    signature=re.compile(
        r'(?:Switch|Ca|Hca|Rt)\s+\d+\s+(?:"[^"]+"|&quot;[SHR]-\w+&quot;)\s*(?:#|\Z)'
        r'|^[<> ]*\[\d+\]\S*\s*(?:"|&quot;)[SH]-[0-9a-f]{8,16}(?:"|&quot;)\s*\[\d+\]'
        r"|^(?:SW|CA|RT) +\d+ +\d+ +0x[0-9a-f]{8,16} +(?:\d+x|\?\?) "
        r"|^\{ *(?:CA|SW)\S* Ports:\w+ SystemGUID:"
    ),
    read=_read,
    summarise=_summarise,
    judge=_judge,
    is_empty=_is_empty,
)
