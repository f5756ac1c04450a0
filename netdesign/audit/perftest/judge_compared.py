"""Tests of one file held against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from netdesign.audit.limits import limit
from netdesign.audit.perftest.content import Run
from netdesign.audit.perftest.summary import gbps
from netdesign.audit.report import Finding


def compared(tests: tuple[Run, ...]) -> Iterator[Finding]:
    """Verdicts that need no line rate: reads and writes, GPU and host memory, like tests."""
    yield from _pairs(tests)
    yield from _peers(tests)
    yield from _apart(tests)


def with_reads(found: Sequence[Finding], others: Sequence[Finding]) -> list[Finding]:
    """All findings; what a read reaches of its line and of a write is told in one of them."""
    deficits = {entry.where: entry for entry in others if entry.rule == "read-deficit"}
    all_: list[Finding] = []
    for entry in found:
        deficit = None
        if entry.rule in ("line-rate", "read-deficit"):
            deficit = deficits.pop(entry.where, None)
        all_.append(entry if deficit is None else _joined(entry, deficit))
    left = [entry for entry in others if entry.rule != "read-deficit" or entry.where in deficits]
    return all_ + left


def _joined(line: Finding, deficit: Finding) -> Finding:
    evidence = {**line.evidence, **deficit.evidence}
    reached = line.message.removesuffix(": healthy.")
    if line.rule == "line-rate":
        return replace(deficit, message=f"{reached}. {deficit.message}", evidence=evidence)
    fastest = f"{deficit.evidence['write_gbps']:.5g} Gb/s"
    return replace(
        line,
        message=f"{line.message} Writes or sends reach {fastest} over the same port.",
        evidence=evidence,
    )


def _pairs(tests: tuple[Run, ...]) -> Iterator[Finding]:
    measured = [(number, test) for number, test in enumerate(tests, 1) if test.best is not None]
    for number, test in measured:
        others = [other for _, other in measured if _same_port(test, other)]
        where = f"test {number} ({test.name}, line {test.line})"
        average = _average(test)
        writes = [other for other in others if other.verb in ("write", "send")]
        fastest = max((_average(other) for other in writes), default=0.0)
        if test.verb == "read" and average < limit("perftest-read-deficit") * fastest:
            reads = test.setup.outstanding_reads
            yield Finding(
                "read-deficit",
                "note",
                where,
                f"Reads reach {gbps(average):.5g} Gb/s where writes or sends reach "
                f"{gbps(fastest):.5g} Gb/s over the same port: a queue pair may have only "
                f"{reads or 'a few'} reads outstanding. It is not a cable.",
                {
                    "read_gbps": gbps(average),
                    "write_gbps": gbps(fastest),
                    "outstanding_reads": reads,
                },
            )
        if test.setup.gpu_memory:
            yield from _against_host(test, where, average, others)


def _peers(tests: tuple[Run, ...]) -> Iterator[Finding]:
    """Like tests against each other: a sick link shows without any line rate."""
    groups: dict[tuple[object, ...], list[tuple[int, Run]]] = {}
    for number, test in enumerate(tests, 1):
        if test.best is not None:
            key = (test.name, test.best.size, replace(test.setup, device=None, gid_index=None))
            groups.setdefault(key, []).append((number, test))
    for group in groups.values():
        usual = median(_average(test) for _, test in group)
        slow = [each for each in group if _average(each[1]) < limit("perftest-peers") * usual]
        if len(group) < limit("perftest-peers-least") or not slow:
            continue
        for number, test in slow[:20]:
            yield Finding(
                "slower-than-peers",
                "warning",
                f"test {number} ({test.name}, line {test.line})",
                f"{test.setup.device or 'This port'} reaches {gbps(_average(test)):.5g} Gb/s where "
                f"{len(group)} like tests have {gbps(usual):.5g} Gb/s in the middle: a sick or "
                "slower link, slot or path. Look at its speed, width and error counters first.",
                {
                    "average_gbps": gbps(_average(test)),
                    "usual_gbps": gbps(usual),
                    "tests": len(group),
                    "device": test.setup.device,
                },
            )


def _apart(tests: tuple[Run, ...]) -> Iterator[Finding]:
    """The same test of the same port twice: one with a setting that costs most of the rate."""
    measured = [(number, test) for number, test in enumerate(tests, 1) if test.best is not None]
    for number, test in measured:
        like = [other for _, other in measured if _same_test(test, other)]
        if not like or len(like) + 1 >= limit("perftest-peers-least"):  # judged as peers
            continue
        best = max(like, key=_average)
        if _average(test) >= limit("perftest-half") * _average(best):
            continue
        by_cm = test.setup.rdma_cm and not best.setup.rdma_cm
        yield Finding(
            "like-tests-apart",
            "warning",
            f"test {number} ({test.name}, line {test.line})",
            f"{gbps(_average(test)):.5g} Gb/s where the same test over the same port reaches "
            f"{gbps(_average(best)):.5g} Gb/s on line {best.line}"
            + (
                ": this one was set up by rdma_cm, which chooses device, GID index and traffic "
                "class by the IP route. See which port and class it took (-T, ip route, show_gids)."
                if by_cm
                else ": the line carries it, so look at what differs (GID index, traffic class, "
                "other load, the peer)."
            ),
            {
                "average_gbps": gbps(_average(test)),
                "other_gbps": gbps(_average(best)),
                "other_line": best.line,
                "rdma_cm": test.setup.rdma_cm,
            },
        )


def _same_test(test: Run, other: Run) -> bool:
    if test is other or test.best is None or other.best is None:
        return False
    a, b = test.setup, other.setup
    return (
        test.name == other.name
        and test.best.size == other.best.size >= limit("perftest-judged-size")
        and (a.queue_pairs, a.mtu, a.gpu_memory) == (b.queue_pairs, b.mtu, b.gpu_memory)
        and _same_port(test, other)
    )


def _against_host(test: Run, where: str, average: float, others: list[Run]) -> Iterator[Finding]:
    host = [
        _average(other)
        for other in others
        if other.name == test.name and not other.setup.gpu_memory
    ]
    if host and average < limit("perftest-gpu-share") * max(host):
        yield Finding(
            "gpu-memory-slow",
            "warning",
            where,
            f"GPU memory reaches {gbps(average):.5g} Gb/s, host memory {gbps(max(host)):.5g} Gb/s "
            "over the same port: ACS is on, GPUDirect is off, or the NIC is behind the host "
            "bridge. Turn ACS off (or use ATS), load nvidia_peermem or use dma-buf, and pair each "
            "GPU with the NIC under its own switch.",
            {"gpu_gbps": gbps(average), "host_gbps": gbps(max(host))},
        )


def _same_port(test: Run, other: Run) -> bool:
    a, b = test.setup, other.setup
    devices = {device for device in (a.device, b.device) if device}
    return (
        len(devices) < 2
        and a.bidirectional == b.bidirectional
        and a.dual_port == b.dual_port
        and "UD" not in (a.connection, b.connection)
    )


def _average(test: Run) -> float:
    return 0.0 if test.best is None or test.best.average is None else test.best.average
