"""Tests of one file held against each other."""

from __future__ import annotations

from collections.abc import Iterator
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
