"""A file of settings judged: one finding for each variable and value, and a summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from netdesign.audit.nccl_check import names
from netdesign.audit.nccl_check.combine import combined
from netdesign.audit.nccl_check.judge import FAULTS, SEVERITY, Context, Finding, judge
from netdesign.audit.nccl_check.reader import Setting, read_settings
from netdesign.catalog.nccl_variables import (
    NcclCloud,
    NcclFabric,
    Verdict,
    Version,
    compare,
    nccl_tables,
    version_text,
)
from netdesign.wording import named, printable

MOST_FINDINGS = 1000
MOST_OTHERS = 100
_MOST_SHOWN = 12  # of the others, in the text


@dataclass(frozen=True)
class Report:
    """What was found in a file, in the order of its lines."""

    findings: tuple[Finding, ...]
    others: tuple[str, ...]  # variables that are not NCCL's
    left_out: int  # findings and other variables beyond the most that are listed
    notes: tuple[str, ...]
    version: Version
    fabric: NcclFabric | None

    @property
    def has_faults(self) -> bool:
        """Whether something must be changed."""
        return any(finding.verdict in FAULTS for finding in self.findings)

    def counts(self) -> dict[Verdict, int]:
        """Findings by verdict, the worst verdict first."""
        verdicts = [finding.verdict for finding in self.findings]
        return {verdict: verdicts.count(verdict) for verdict in reversed(SEVERITY)}


def check_settings(
    content: str | bytes,
    *,
    version: Version | None = None,
    fabric: NcclFabric | None = None,
    name: str = "file",
) -> Report:
    """Judge the settings of a text.

    Parameters
    ----------
    content : str or bytes      a script, an environment, YAML, JSON, a job file, a log
    version : Version           release of NCCL; the newest that the table knows if None
    fabric : NcclFabric         the network; None: verdicts say what they depend on

    Raises
    ------
    DesignError                 when the text is too long
    """
    release = nccl_tables().newest if version is None else version
    context = Context(release, fabric)
    ours: list[Setting] = []
    others: dict[str, None] = {}
    for setting in read_settings(content, name):
        if names.is_ours(setting.name):
            ours.append(setting)
        elif setting.name.isupper() and not setting.unset:
            others[setting.name] = None
    findings, beyond = _findings(ours, context)
    return Report(
        findings=findings,
        others=tuple(others)[:MOST_OTHERS],
        left_out=beyond + max(0, len(others) - MOST_OTHERS),
        notes=tuple(_notes(release, fabric, bool(findings))),
        version=release,
        fabric=fabric,
    )


def _findings(settings: Sequence[Setting], context: Context) -> tuple[tuple[Finding, ...], int]:
    known = nccl_tables().variables
    kept: dict[tuple[str, str | None, str], list[Setting]] = {}
    last: dict[str, Setting] = {}
    for setting in settings:
        if setting.loose and setting.name not in known:
            continue  # a constant of a program, more likely than a misspelt variable
        if setting.unset and setting.name not in last:
            continue
        last[setting.name] = setting
        if not setting.unset:
            kept.setdefault((setting.name, setting.value, setting.text), []).append(setting)
    values = {name: setting.value for name, setting in last.items() if not setting.unset}
    found = [
        _one(group, last[name], values, context)
        for (name, _, _), group in list(kept.items())[:MOST_FINDINGS]
    ]
    found.sort(key=lambda finding: finding.line)
    return tuple(found), max(0, len(kept) - MOST_FINDINGS)


def _one(
    group: Sequence[Setting],
    last: Setting,
    values: dict[str, str | None],
    context: Context,
) -> Finding:
    """The finding on one variable and value, which may be set on several lines."""
    setting = group[-1]
    finding = judge(setting.name, setting.value, setting.line, context)
    finding = replace(finding, value=setting.text)
    effective = setting == last
    if effective:
        finding = combined(finding, values, context)
    elif last.unset:
        finding = replace(finding, reason=f"{finding.reason}; line {last.line} takes it back")
    else:
        finding = _at_least_situational(finding)
        finding = replace(
            finding,
            reason=f"{finding.reason}; line {last.line} sets {_short(last.text)}, which wins",
            suggestion=finding.suggestion or "keep one of the two",
        )
    if setting.doubt:
        finding = replace(
            _at_least_situational(finding), reason=f"{finding.reason}; {setting.doubt}"
        )
    return finding


def _at_least_situational(finding: Finding) -> Finding:
    if finding.verdict in ("ok", "redundant"):
        return replace(finding, verdict="situational")
    return finding


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _notes(release: Version, fabric: NcclFabric | None, any_found: bool) -> Iterable[str]:
    newest = nccl_tables().newest
    if compare(release, newest) > 0:
        yield (
            f"The table of variables ends with NCCL {version_text(newest)}; what "
            f"{version_text(release)} adds is unknown here."
        )
    if not any_found:
        yield "No variable of NCCL is set in this text."
    elif fabric is None:
        yield "The network is not given (--fabric): verdicts that depend on it say so."


def cloud_note(name: str) -> str:
    """What the name of a cloud is taken as, and which of its machines have another network.

    "" where the name is that of a network.
    """
    rows = [row for row in nccl_tables().clouds if name.strip().lower() in _words(row)]
    usual = next((row for row in rows if not row.servers), None)
    if usual is None:
        return ""
    fabrics = nccl_tables().fabrics
    others = [
        f"{', '.join(row.servers.split())} has {row.fabric}"
        for row in rows
        if row.servers and row.fabric != usual.fabric
    ]
    more = f"; {' and '.join(others)}: name that instead" if others else ""
    return f"{usual.vendor} is taken as {fabrics[usual.fabric].name} ({usual.fabric}){more}."


def _words(row: NcclCloud) -> tuple[str, str]:
    return row.cloud, row.vendor.lower()


def report_record(report: Report) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "nccl": version_text(report.version),
        "fabric": report.fabric.id if report.fabric else None,
        "findings": [
            {
                "variable": finding.variable,
                "value": finding.value,
                "verdict": finding.verdict,
                "reason": finding.reason,
                "suggestion": finding.suggestion,
                "source": finding.source,
                "line": finding.line,
            }
            for finding in report.findings
        ],
        "summary": {
            "variables": len({finding.variable for finding in report.findings}),
            "to_change": sum(finding.verdict in FAULTS for finding in report.findings),
            "verdicts": report.counts(),
            "not_nccl": list(report.others),
            "left_out": report.left_out,
            "notes": list(report.notes),
        },
    }


def report_text(report: Report) -> str:
    """The report for a shell, the worst first."""
    where = report.fabric.name if report.fabric else "network not given"
    lines = [f"NCCL {version_text(report.version)}, {where}", ""]
    worst = sorted(report.findings, key=lambda finding: -SEVERITY.index(finding.verdict))
    for finding in worst:
        lines.append(
            f"{finding.verdict:<14}line {finding.line}: "
            f"{printable(finding.variable)}={printable(_short(finding.value))}"
        )
        lines.append(f"{'':14}{printable(finding.reason)} [{finding.source}]")
        if finding.suggestion:
            lines.append(f"{'':14}-> {printable(finding.suggestion)}")
    counts = ", ".join(
        f"{number} {verdict}" for verdict, number in report.counts().items() if number
    )
    lines += ["", counts or "nothing found"]
    if report.others:
        lines.append(f"Not NCCL's, not judged: {named(map(printable, report.others), _MOST_SHOWN)}")
    if report.left_out:
        lines.append(f"{report.left_out} more are left out.")
    return "\n".join([*lines, *report.notes])
