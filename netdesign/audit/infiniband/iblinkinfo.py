"""iblinkinfo: state, width and speed of every port, and what both of its ends could do."""

from __future__ import annotations

import re
from typing import Any

from netdesign.audit.context import Context
from netdesign.audit.document import Document
from netdesign.audit.found.checks import findings_of
from netdesign.audit.found.link_checks import is_degraded
from netdesign.audit.found.summary import summary_of
from netdesign.audit.infiniband.link_report import LinkReport, read_link_report
from netdesign.audit.infiniband.remarks import conflicts, unreached
from netdesign.audit.kind import Kind
from netdesign.audit.report import Finding, Understood
from netdesign.wording import named, plural


def _read(document: Document) -> tuple[LinkReport, Understood]:
    return read_link_report(document)


def _summarise(content: LinkReport) -> dict[str, Any]:
    summary = summary_of(content.tiers)
    degraded = [link for link in content.network.links if is_degraded(link)]
    roles = [entry.role for entry in content.listed]
    return {
        **summary,
        "degraded_links": len(degraded),
        "ports_printed": content.ports,
        "switches_listed": roles.count("switch"),
        "hosts_listed": roles.count("host"),
    }


def _judge(content: LinkReport, context: Context) -> list[Finding]:
    if not content.ports:
        return [_only_lists(content)]
    found = findings_of(content.tiers, context)
    if content.not_active:
        first = ", ".join(content.not_active[:3])
        found.append(
            Finding(
                "not-active",
                "warning",
                content.not_active[0].partition(":")[0],
                f"{plural(len(content.not_active), 'cabled port')} not active ({first}): no subnet "
                "manager has set them up. See whether one runs, and what it logs on these ports.",
                {"count": len(content.not_active), "ports": list(content.not_active[:20])},
            )
        )
    return [
        *found,
        *conflicts(content.conflicts, content.conflict_count),
        *unreached(content.unreached),
        *_cut(content),
    ]


def _cut(content: LinkReport) -> list[Finding]:
    """An excerpt: the other ends say more than is printed of a device."""
    if not content.cut:
        return []
    return [
        Finding(
            "excerpt",
            "note",
            content.cut[0],
            f"The list of ports of {plural(len(content.cut), 'device')} ends before ports that "
            f"other devices are cabled to ({named(content.cut)}): an excerpt. What is cabled to "
            "the ports that are not printed may be missing here; give the whole output.",
            {"count": len(content.cut), "devices": list(content.cut[:20])},
        )
    ]


def _only_lists(content: LinkReport) -> Finding:
    return Finding(
        "no-links",
        "note",
        "file",
        f"The file names {len(content.listed):,} devices and no link: give the output of "
        "iblinkinfo or ibnetdiscover to see how they are joined.",
        {"devices": len(content.listed)},
    )


def _is_empty(content: LinkReport) -> bool:
    return not content.ports and not content.listed


IBLINKINFO = Kind(
    name="iblinkinfo",
    title="iblinkinfo",
    needles=(b"==>", b"\t: 0x", b": 0x", b" : 0x"),
    signature=re.compile(
        r"\d+\[[ \d]*\] *==\(.*==>|^(?:Switch|Ca|CA|Router|Rt)\s*: 0x[0-9a-fA-F]+ ports \d+"
    ),
    read=_read,
    summarise=_summarise,
    judge=_judge,
    is_empty=_is_empty,
)
