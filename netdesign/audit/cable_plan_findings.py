"""What is not as the cable plan has it, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from netdesign.audit.cable_plan import Cable, PlanComparison
from netdesign.audit.report import Finding
from netdesign.wording import named, plural

_MOST_SHOWN = 5  # cables of a sentence; all of them are in the evidence


def plan_findings(found: PlanComparison) -> tuple[Finding, ...]:
    """What is not as planned, worst first."""
    findings: list[Finding] = []
    if found.how == "counts":
        return (_counts(found),)
    if found.how == "order":
        findings.append(_aligned(found))
    if not found.by_port:
        findings.append(
            Finding(
                "ports-named-otherwise",
                "note",
                "cable plan",
                "Ports are not named as in the cable plan, so cables were compared between "
                "devices and not port by port.",
            )
        )
    findings += _missing_devices(found)
    for rule, severity, cables, said in (
        ("cable-missing", "error", found.missing, "planned and not found"),
        ("cable-extra", "warning", found.extra, "found and not planned"),
    ):
        if cables:
            findings.append(_of_cables(rule, severity, cables, said))
    if found.swapped:
        shown = "; ".join(f"{_text(a)} with {_text(b)}" for a, b in found.swapped[:_MOST_SHOWN])
        findings.append(
            Finding(
                "cable-swapped",
                "error",
                _where(found.swapped[0][0]),
                f"{plural(len(found.swapped), 'pair')} of cables exchanged: {shown}. Exchange "
                "them at one end.",
                {"pairs": [[_text(a), _text(b)] for a, b in found.swapped]},
            )
        )
    if found.moved:
        shown = "; ".join(f"{_text(a)} is {_text(b)}" for a, b in found.moved[:_MOST_SHOWN])
        findings.append(
            Finding(
                "cable-moved",
                "error",
                _where(found.moved[0][0]),
                f"{plural(len(found.moved), 'cable')} at a wrong port: {shown}.",
                {"cables": [[_text(a), _text(b)] for a, b in found.moved]},
            )
        )
    if not findings or all(finding.severity == "note" for finding in findings):
        findings.append(
            Finding(
                "as-planned",
                "note",
                "cable plan",
                f"As planned: all {found.matched:,} cables are where the plan has them.",
                {"cables": found.matched},
            )
        )
    return tuple(findings)


def _missing_devices(found: PlanComparison) -> list[Finding]:
    gone = found.devices_missing
    if not gone:
        return []
    planned = sum(count for count, _ in found.counts.values())
    evidence = {"devices": list(gone), "planned": planned}
    if found.is_partial:
        said = f"{planned - len(gone):,} of {planned:,} planned devices are in the files"
        message = f"Only a part of the network was read: {said}. Only cables between them count."
        return [Finding("part-of-the-plan", "note", "cable plan", message, evidence)]
    message = (
        f"{plural(len(gone), 'planned device')} not found: "
        f"{named(gone, _MOST_SHOWN)}. Off, not cabled, or named otherwise."
    )
    return [Finding("device-missing", "error", gone[0], message, evidence)]


def _of_cables(rule: str, severity: str, cables: Sequence[Cable], said: str) -> Finding:
    shown = named((_text(cable) for cable in cables), _MOST_SHOWN, "; ")
    return Finding(
        rule,
        "error" if severity == "error" else "warning",
        _where(cables[0]),
        f"{plural(len(cables), 'cable')} {said}: {shown}.",
        {"count": len(cables), "cables": [_text(cable) for cable in cables]},
    )


def _aligned(found: PlanComparison) -> Finding:
    pairs = list(found.called.items())
    shown = ", ".join(f"{a} = {b}" for a, b in pairs[:3])
    return Finding(
        "names-not-the-plans",
        "note",
        "cable plan",
        f"Devices are not named as in the cable plan; they were taken in their order ({shown}, "
        "...). Where that is wrong, name the devices as the plan does.",
        {"called": dict(pairs)},
    )


def _counts(found: PlanComparison) -> Finding:
    differing = {tier: pair for tier, pair in found.counts.items() if pair[0] != pair[1]}
    counts = ", ".join(
        f"{tier}: {a:,} planned, {b:,} found" for tier, (a, b) in found.counts.items()
    )
    word = "Not the network of the design, or only a part of it" if differing else "Same counts"
    return Finding(
        "not-the-plans-network",
        "warning" if differing else "note",
        "cable plan",
        f"{word}: {counts}; cables: {found.planned:,} planned, {found.found:,} found. Names are "
        "not the plan's, so cables were not compared one by one.",
        {"counts": {tier: list(pair) for tier, pair in found.counts.items()}},
    )


def _text(cable: Cable) -> str:
    return " to ".join(f"{device} {port}".strip() for device, port in cable)


def _where(cable: Cable) -> str:
    return f"{cable[0][0]} {cable[0][1]}".strip()
