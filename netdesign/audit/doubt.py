"""A network that its log calls healthy, beside figures of the same file that are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netdesign.audit.report import Finding


def with_doubt(findings: Sequence[Finding]) -> list[Finding]:
    """The findings of a file; none says healthy of a network while others find fault."""
    faults = [finding for finding in findings if finding.severity != "note"]
    if not faults:
        return list(findings)
    return [
        _doubted(finding, faults[0])
        if finding.rule in ("network-healthy", "network-seen")
        else finding
        for finding in findings
    ]


def _doubted(finding: Finding, fault: Finding) -> Finding:
    seen = finding.message.removesuffix(": healthy.").removesuffix(".")
    return replace(
        finding,
        rule="network-seen",
        message=f"{seen}. What NCCL logs does not make the network healthy: another part of this "
        f"file is at fault ({fault.rule}, {fault.where}).",
        evidence={**finding.evidence, "fault": fault.rule},
    )
