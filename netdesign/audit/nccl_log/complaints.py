"""NCCL's warnings, grouped, and what each of them means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from netdesign.audit.nccl_log.content import Complaint, NcclLog
from netdesign.audit.report import Finding, Severity

_MOST_SHOWN = 20


class _Meaning(NamedTuple):
    needles: tuple[str, ...]  # all of them, in lower case
    rule: str
    severity: Severity
    text: str


# status is enum ibv_wc_status: 12 is IBV_WC_RETRY_EXC_ERR, 13 RNR, 5 a flushed queue.
_MEANINGS = (
    _Meaning(
        ("completion", "status=12"),
        "sick-link",
        "error",
        "retries ran out: the peer's host or NIC is gone, or a cable, a switch port or the route "
        "between the two loses packets. Look at both ports' error counters, swap the cable, and "
        "bisect by pairs; on RoCE also check PFC and the GID index",
    ),
    _Meaning(
        ("completion", "retry_exc"),
        "sick-link",
        "error",
        "retries ran out: the peer or the path between the two is sick. Look at both ports' error "
        "counters, swap the cable, and bisect by pairs",
    ),
    _Meaning(
        ("completion with error 12",),
        "sick-link",
        "error",
        "retries ran out: the peer or the path between the two is sick. Look at both ports' error "
        "counters and bisect by pairs",
    ),
    _Meaning(
        ("completion", "status=13"),
        "receiver-not-ready",
        "error",
        "the receiver was not ready: its process hangs or died",
    ),
    _Meaning(
        ("completion", "status=5"),
        "queue-flushed",
        "error",
        "the queue pair was already broken: the first error stands before this one, or on the peer",
    ),
    _Meaning(
        ("net/ofi", "completed with error"),
        "sick-link",
        "error",
        "libfabric lost a transfer: the peer, its NIC or the path is sick, or the job was killed",
    ),
    _Meaning(
        ("completion", "error"), "completion-error", "error", "a transfer broke: see its status"
    ),
    _Meaning(("completion", "status"), "completion-error", "error", "a transfer broke"),
    _Meaning(
        ("port error",), "sick-link", "error", "a port went down while in use: cable or optics"
    ),
    _Meaning(
        ("async", "event"),
        "sick-link",
        "error",
        "the NIC reports an event: a port that went down, or a fatal device error",
    ),
    _Meaning(
        ("watchdog caught",),
        "collective-timeout",
        "error",
        "a collective did not finish: one rank never came (crash, other code path, slow data), or "
        "the network stalled. Find the rank that is missing or behind before blaming the fabric",
    ),
    _Meaning(
        ("modify_qp",),
        "connection-failed",
        "error",
        "a queue pair was refused: the peer cannot be reached with this GID index, MTU or subnet",
    ),
    _Meaning(
        ("reg_mr",),
        "memory-not-registered",
        "error",
        "memory could not be registered: ulimit -l is too low, or GPUDirect's module is missing",
    ),
    _Meaning(
        ("connection closed by remote",),
        "peer-died",
        "error",
        "the other process ended: look for the first failure on the peer, this one is a result",
    ),
    _Meaning(
        ("timed out",), "connection-failed", "error", "no answer: firewall, route, or a dead peer"
    ),
    _Meaning(
        ("connection refused",),
        "connection-failed",
        "error",
        "the peer's process is not there, or a firewall is in between",
    ),
    _Meaning(
        ("no route to host",),
        "connection-failed",
        "error",
        "the interface that was chosen does not reach the peer: see NCCL_SOCKET_IFNAME",
    ),
    _Meaning(
        ("no socket interface",),
        "connection-failed",
        "error",
        "no interface to start from: NCCL_SOCKET_IFNAME names none that exists",
    ),
    _Meaning(
        ("out of memory",), "out-of-memory", "error", "a GPU's memory is full: not a network fault"
    ),
    _Meaning(("cuda failure",), "cuda-failure", "error", "a GPU failed: not a network fault"),
    _Meaning(("duplicate gpu",), "duplicate-gpu", "error", "two ranks have the same GPU"),
    _Meaning(
        ("p2p is disabled",), "p2p-warning", "warning", "GPUs that are connected cannot use it"
    ),
    _Meaning(("mismatch",), "mismatch", "error", "ranks disagree: other versions or settings"),
    _Meaning(
        ("unhandled system error",),
        "system-error",
        "error",
        "a call to the system or the network failed: the NCCL WARN lines before it say which",
    ),
    _Meaning(
        ("ncclsystemerror",), "system-error", "error", "a call to the system or network failed"
    ),
    _Meaning(("ncclremoteerror",), "peer-died", "error", "another rank failed first: look there"),
    _Meaning(("test nccl failure",), "run-failed", "error", "the benchmark stopped"),
    _Meaning(("unhandled cuda error",), "cuda-failure", "error", "a GPU failed"),
    _Meaning(
        ("failed to open libibverbs",),
        "no-rdma-library",
        "note",
        "the RDMA library is not installed, or not in the container. Inside one host that does not "
        "matter; between hosts NCCL falls back to TCP",
    ),
    _Meaning(
        ("net/plugin", "failed to find"),
        "plugin-symbol",
        "note",
        "a network plugin of another version: NCCL tries the next one, see which network it uses",
    ),
    _Meaning(
        ("could not find real path",),
        "topology-hidden",
        "note",
        "a virtual machine or container hides where a device is on PCIe: NCCL guesses distances",
    ),
    _Meaning(("error",), "nccl-warning", "error", "NCCL reports an error"),
    _Meaning(("fail",), "nccl-warning", "error", "NCCL reports a failure"),
)
_OTHER = _Meaning((), "nccl-warning", "warning", "NCCL warns of this: see its troubleshooting page")


def complaint_findings(log: NcclLog) -> Iterator[Finding]:
    """One finding for each kind of warning, the most frequent first."""
    shown = sorted(log.complaints, key=lambda entry: -entry.count)
    for entry in shown[:_MOST_SHOWN]:
        yield _finding(entry)
    rest = shown[_MOST_SHOWN:]
    if rest:
        yield Finding(
            "more-warnings",
            "warning",
            f"line {rest[0].line}",
            f"{len(rest)} more kinds of warnings, {sum(entry.count for entry in rest):,} lines.",
            {"kinds": len(rest), "lines": sum(entry.count for entry in rest)},
        )


def _finding(entry: Complaint) -> Finding:
    low = entry.text.lower()
    meaning = next(
        (each for each in _MEANINGS if all(needle in low for needle in each.needles)), _OTHER
    )
    times = f" ({entry.count:,} times)" if entry.count > 1 else ""
    hosts = f" on {', '.join(entry.hosts[:3])}" if entry.hosts else ""
    ends = f" It names {', '.join(entry.ends[:4])}." if entry.ends and entry.count > 1 else ""
    who = "NCCL warns" if entry.is_nccl else "The log says"
    return Finding(
        meaning.rule,
        meaning.severity,
        f"line {entry.line}",
        f'{who}{hosts}: "{entry.text[:160]}"{times}: {meaning.text}.{ends}',
        {
            "count": entry.count,
            "first_line": entry.line,
            "hosts": list(entry.hosts),
            "names": list(entry.ends[:20]),
            "text": entry.text,
        },
    )
