"""Whether a log in which nothing is wrong shows enough to be called healthy."""

from __future__ import annotations

from collections.abc import Sequence

from netdesign.audit.nccl_log.content import NcclLog
from netdesign.audit.report import Finding

_DOUBTS = {
    "nics-partly-seen": "the other NICs of a host (logs of all its ranks)",
    "nics-restricted": "the NICs that NCCL_IB_HCA leaves out",
    "bonded-one-queue-pair": "whether both ports of the bond are loaded",
    "init-incomplete": "the end of the start of all ranks",
    "rails": "why NCCL_CROSS_NIC or NCCL_PXN_DISABLE leaves the usual setting",
}


def in_order(log: NcclLog, found: Sequence[Finding]) -> Finding:
    """The note that closes a log without faults: healthy, or what is missing to say so."""
    direct = " with GPUDirect RDMA" if log.gdr else ""
    used = len(log.nics_used)
    said = [f"{used} NIC{'s' if used != 1 else ''}{direct}"]
    if log.channels is not None:
        said.append(f"{log.channels} channel{'s' if log.channels != 1 else ''}")
    if log.ranks is not None:
        said.append(f"{log.ranks:,} rank{'s' if log.ranks != 1 else ''}")
    text = f"NCCL {next(iter(log.versions), '')}".rstrip() + f" uses {', '.join(said)}"
    missing = _missing(log, found)
    evidence = {
        "nics_used": list(log.nics_used[:64]),
        "channels": log.channels,
        "ranks": log.ranks,
        "missing": missing,
    }
    if not missing:
        return Finding("network-healthy", "note", "network", f"{text}: healthy.", evidence)
    return Finding(
        "network-seen",
        "note",
        "network",
        f"{text}. These lines show nothing wrong, but too little to call it healthy. Missing: "
        f"{'; '.join(missing)}.",
        evidence,
    )


def _missing(log: NcclLog, found: Sequence[Finding]) -> list[str]:
    unknown = (
        ("NCCL's version", bool(log.versions)),
        ("the number of channels", log.channels is not None),
        ("the number of ranks", log.ranks is not None),
    )
    said = {finding.rule for finding in found}
    return [name for name, known in unknown if not known] + [
        text for rule, text in _DOUBTS.items() if rule in said
    ]
