"""ibdiagnet: its log in prose, and the tables that it writes beside it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from netdesign.audit.context import Context
from netdesign.audit.document import Document
from netdesign.audit.found.checks import findings_of
from netdesign.audit.found.network import FoundNetwork
from netdesign.audit.found.summary import summary_of
from netdesign.audit.found.tiers import Tiered, tiered
from netdesign.audit.infiniband.diagnosis import Diagnosis, Firmware, LogReader
from netdesign.audit.infiniband.diagnosis_tables import TableReader
from netdesign.audit.infiniband.remarks import conflicts
from netdesign.audit.infiniband.words import is_prompt, speed_of
from netdesign.audit.kind import Kind
from netdesign.audit.report import Finding, Understood
from netdesign.wording import plural

_MOST_LISTED = 20
_COMMENTS = (
    "# This database file",
    "# Running ",
    "# File ",
    "# Switch label port",
    "#   Quantum",
    "# INDEX_TABLE",
)
_GUIDS = re.compile(r"\b[SN]?[0-9a-f]{16}(?:/[SN]?[0-9a-f]{16})?(?:/[\w/]{1,12})?\b|0x[0-9a-f]+")


@dataclass(frozen=True)
class IbdiagnetReport:
    """The log, and the network where tables of links are in the file."""

    log: Diagnosis
    network: FoundNetwork
    table_rows: int = 0
    table_findings: tuple[tuple[str, int], ...] = ()  # rows of WARNINGS_ and ERRORS_ sections
    conflicts: tuple[str, ...] = ()
    conflict_count: int = 0

    @cached_property
    def tiers(self) -> Tiered:
        """The network with the tiers of its switches."""
        return tiered(self.network)


def _read(document: Document) -> tuple[IbdiagnetReport, Understood]:
    log, tables, used = LogReader(), TableReader(), Understood()
    for number, text, _ in document.lines():
        text = text.strip()
        if not text:
            continue
        in_table = text[0] != "-" and tables.line(number, text)
        if in_table or text.startswith(_COMMENTS) or log.line(text) or is_prompt(text):
            used.add(number)
    network = tables.network()
    content = IbdiagnetReport(
        log.found,
        network,
        tables.rows,
        tuple(tables.findings.items()),
        tuple(tables.build.conflicts),
        tables.build.conflict_count,
    )
    return content, used


def _is_empty(content: IbdiagnetReport) -> bool:
    return content.log.is_empty and not content.table_rows and not content.table_findings


def _summarise(content: IbdiagnetReport) -> dict[str, Any]:
    log = content.log
    summary = summary_of(content.tiers) if content.table_rows else _counted(log)
    if log.is_empty:
        return summary
    return {
        **summary,
        "version": log.version,
        "warnings": sum(stage.warnings for stage in log.stages) or log.warning_lines,
        "errors": sum(stage.errors for stage in log.stages) or log.error_lines,
        "stages": [
            {"name": stage.name, "warnings": stage.warnings, "errors": stage.errors}
            for stage in log.stages
        ],
        "adaptive_routing_switches": log.adaptive_routing,
        "hashed_forwarding_switches": log.hashed_forwarding,
        "master_sm": log.master or None,
        "standby_sm": log.standby,
        "firmware": [
            {
                "device": entry.device,
                "psid": entry.psid,
                "latest": entry.latest,
                "older": list(entry.older),
            }
            for entry in log.firmware.values()
        ],
    }


def _counted(log: Diagnosis) -> dict[str, Any]:
    """Counts as the log gives them; None where it gives none."""
    speeds: Counter[str] = Counter()
    for (width, lane), links in log.links_at.items():
        speeds[speed_of(width, lane) or f"{width}{lane}"] += links
    counts = log.counts
    aggregation = counts.get("aggregation_nodes")
    adapters = counts.get("channel_adapters")
    if adapters is None and aggregation is not None and "adapters_with_aggregation" in counts:
        adapters = counts["adapters_with_aggregation"] - aggregation
    return {
        "switches": counts.get("switches"),
        "hosts": adapters,
        "channel_adapters": adapters,
        "aggregation_nodes": aggregation,
        "routers": counts.get("routers"),
        "links": counts.get("links"),
        "host_links": None,
        "switch_links": None,
        "leaves": [],
        "speeds": dict(speeds),
        "speeds_as_printed": {f"{w}{lane}": links for (w, lane), links in log.links_at.items()},
    }


def _judge(content: IbdiagnetReport, context: Context) -> list[Finding]:
    log = content.log
    found = [
        *_errors(log),
        *_routing(log),
        *_subnet_manager(log),
        *_firmware(log),
        *_warnings(log),
        *_tables(content),
        *_inside(log),
    ]
    if content.table_rows:
        found += findings_of(content.tiers, context)
        found += conflicts(content.conflicts, content.conflict_count)
    return found


def _errors(log: Diagnosis) -> list[Finding]:
    bad = {stage.name: stage.errors for stage in log.stages if stage.errors}
    if not bad and not log.errors:
        return []
    count = sum(bad.values()) or log.error_lines
    stages = ", ".join(f"{name} {errors}" for name, errors in bad.items())
    first = "; ".join(log.errors[:3])
    return [
        Finding(
            "ibdiagnet-errors",
            "error",
            next(iter(bad), "log"),
            f"ibdiagnet reports {plural(count, 'error')}"
            + (f" ({stages})" if stages else "")
            + (f": {first}" if first else "")
            + ". Clear these before anything is measured.",
            {"errors": count, "stages": bad, "first": log.errors[:_MOST_LISTED]},
        )
    ]


def _routing(log: Diagnosis) -> list[Finding]:
    switches = log.routing_among or log.counts.get("switches")
    on = log.adaptive_routing
    if on is None or switches is None or switches < 2 or on >= switches:
        return []
    return [
        Finding(
            "adaptive-routing-off",
            "warning",
            "Fabric Summary",
            f"Adaptive routing is enabled on {on} of {switches} switches: large flows then share "
            "links while others idle. Set an adaptive routing engine in the subnet manager "
            "(ar_updn or ar_ftree).",
            {"adaptive_routing_switches": on, "switches": switches},
        )
    ]


def _subnet_manager(log: Diagnosis) -> list[Finding]:
    if log.standby != "":
        return []
    return [
        Finding(
            "no-standby-sm",
            "warning",
            "Fabric Summary",
            "No standby subnet manager: if the master"
            + (f" ({log.master.rpartition('Node_Description=')[2]})" if log.master else "")
            + " goes, no new path is set up. Start a second one on another switch or server.",
            {"standby": 0},
        )
    ]


def _firmware(log: Diagnosis) -> list[Finding]:
    behind = [entry for entry in log.firmware.values() if entry.older]
    if not behind:
        return []
    return [
        Finding(
            "firmware-levels",
            "warning",
            behind[0].psid,
            "Several firmware levels on devices of one kind: "
            + "; ".join(_levels(entry) for entry in behind[:5])
            + ". Bring them to one level.",
            {entry.psid: [*entry.older, entry.latest] for entry in behind},
        )
    ]


def _levels(entry: Firmware) -> str:
    versions = " and ".join([*entry.older, entry.latest])
    return f"{entry.psid} has {versions} (at least {plural(entry.devices_behind, 'device')} behind)"


def _warnings(log: Diagnosis) -> list[Finding]:
    stages = {stage.name: stage.warnings for stage in log.stages if stage.warnings}
    count = sum(stages.values()) or log.warning_lines
    if not count:
        return []
    alike = Counter(_GUIDS.sub("*", text.partition(" - ")[2] or text) for text in log.warnings)
    reasons = [text for text, _ in alike.most_common(6)]
    where = " and ".join(f"{count} in {name}" for name, count in stages.items())
    said = "; ".join(reason[:160] for reason in reasons[:3])
    return [
        Finding(
            "ibdiagnet-warnings",
            "note",
            next(iter(stages), "log"),
            f"ibdiagnet gives {plural(count, 'warning')}"
            + (f" ({where})" if where else "")
            + (f": {said}." if said else "; the log does not say here what of."),
            {"warnings": count, "stages": stages, "reasons": dict(alike.most_common(_MOST_LISTED))},
        )
    ]


def _tables(content: IbdiagnetReport) -> list[Finding]:
    """Sections of db_csv that hold errors or warnings."""
    findings = []
    for word, severity in (("ERRORS_", "error"), ("WARNINGS_", "note")):
        rows = {name: n for name, n in content.table_findings if name.startswith(word)}
        if rows:
            said = ", ".join(f"{name.removeprefix(word)} {n}" for name, n in rows.items())
            what = word.rstrip("S_").lower()
            findings.append(
                Finding(
                    f"ibdiagnet-{what}s",
                    severity,  # type: ignore[arg-type]
                    next(iter(rows)),
                    f"The database of ibdiagnet holds {plural(sum(rows.values()), what)}: {said}.",
                    rows,
                )
            )
    return findings


def _inside(log: Diagnosis) -> list[Finding]:
    switches, inside = log.counts.get("switches"), log.counts.get("aggregation_nodes")
    if not switches or not inside or inside >= switches:
        return []
    return [
        Finding(
            "aggregation-nodes",
            "note",
            "Fabric Summary",
            f"{inside} of {switches} switches show an aggregation node: reduction in the network "
            "(SHARP) can use only trees over those.",
            {"aggregation_nodes": inside, "switches": switches},
        )
    ]


IBDIAGNET = Kind(
    name="ibdiagnet",
    title="ibdiagnet",
    needles=(
        b"-I- ",
        b"-W- ",
        b"-E- ",
        b"IBDIAG",
        b"Neighbor Guid",
        b"Conn LID",
        b"START_",
        b"IB Sw",
    ),
    signature=re.compile(
        r"IBDIAG(?:NET)? |^-[IWE]- (?:\S.* finished|Stage |Start|Build|Links|Devid|Fabric|Discover)"
        r"|^-[WE]- (?:Link: |S?[0-9a-f]{16}/N?[0-9a-f]{16}|\S+/U\d+(?:/P?\d+)?\b)"
        r"|Neighbor Guid *:|Conn LID \(#\)|^START_(?:NODES|PORTS|LINKS|RUN_INFO)|^IB Switches +:"
    ),
    read=_read,
    summarise=_summarise,
    judge=_judge,
    is_empty=_is_empty,
)
