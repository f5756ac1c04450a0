"""Whether perftest's figures are those of a healthy port."""

from __future__ import annotations

from collections.abc import Iterator

from netdesign.audit.context import Context
from netdesign.audit.limits import limit
from netdesign.audit.perftest.complaints import complaints
from netdesign.audit.perftest.content import BandwidthRow, PerftestRuns, Run
from netdesign.audit.perftest.json_reader import MOST_TESTS
from netdesign.audit.perftest.judge_compared import compared, with_reads
from netdesign.audit.perftest.judge_latency import latency_findings, planned_latency
from netdesign.audit.perftest.summary import capacity, gbps, informed
from netdesign.audit.report import Finding
from netdesign.units import bytes_to_kibibytes, bytes_to_mebibytes

_MOST_JUDGED = 1_000  # tests; a file with more of them is a monitor's log


def judge(runs: PerftestRuns, context: Context) -> list[Finding]:
    """Every verdict on a file of perftest."""
    rate = informed(runs, context).port_rate
    found = list(complaints(runs))
    tests = runs.tests[:_MOST_JUDGED]
    planned = planned_latency(tests, context)
    for number, test in enumerate(tests, 1):
        where = f"test {number} ({test.name}, line {test.line})"
        if test.measure == "lat" and test.latency:
            found += latency_findings(test, where, None if test.setup.is_loopback else planned)
        found += _findings(test, where, runs, rate)
    found = with_reads(found, tuple(compared(tests)))
    found += _proved(tests)
    found += _no_peak(tests)
    if rate is None and any(test.best for test in tests):
        found.append(_unknown_rate(tests))
    if len(runs.tests) >= MOST_TESTS:
        found.append(
            Finding(
                "tests-left-out",
                "note",
                "file",
                f"Only the first {MOST_TESTS:,} tests were read: give the file in parts.",
                {"tests": len(runs.tests)},
            )
        )
    if len(runs.tests) > _MOST_JUDGED:
        more = len(runs.tests) - _MOST_JUDGED
        found.append(
            Finding(
                "not-judged",
                "note",
                "file",
                f"{more:,} tests beyond the first {_MOST_JUDGED} are read but not judged: "
                "give them in files of their own.",
                {"tests": len(runs.tests)},
            )
        )
    return found


def _findings(test: Run, where: str, runs: PerftestRuns, rate: float | None) -> Iterator[Finding]:
    if not test.bandwidth and not test.latency:
        yield _incomplete(test, where, runs)
        return
    if test.setup.is_loopback:
        yield Finding(
            "loopback",
            "note",
            where,
            "Both ends are the same port: this measures the host and the NIC, not the network.",
        )
    if test.setup.device and test.setup.device.startswith(("rxe", "siw")):
        yield Finding(
            "software-rdma",
            "note",
            where,
            f"{test.setup.device} is RDMA in software (Soft-RoCE, Soft-iWARP): the figures are "
            "those of the processor, not of a NIC.",
            {"device": test.setup.device},
        )
    if test.measure == "lat":
        return
    yield from _units(test, where)
    best = test.best
    if rate is not None and best is not None and best.average is not None:
        yield _against_line(test, best, best.average, where, rate)
    else:
        yield from _packets(test, where)
        yield from _bonded(test, where)
    yield from _shape(test, where)


def _incomplete(test: Run, where: str, runs: PerftestRuns) -> Finding:
    other = any(
        entry.name == test.name and (entry.bandwidth or entry.latency) for entry in runs.tests
    )
    if test.setup.is_server and (other or not test.has_table):
        return Finding(
            "server-side",
            "note",
            where,
            "This is the server's side, which printed no result: the figures stand on the client.",
        )
    what = "a table without a row" if test.has_table else "no table"
    return Finding(
        "incomplete",
        "error",
        where,
        f"The test ends with {what}: it was stopped, its peer went away, or the connection never "
        "came up. Nothing can be said of this link; run it again and keep both sides' output.",
    )


def _units(test: Run, where: str) -> Iterator[Finding]:
    mixed = test.unit_seen and {test.unit_seen, test.unit} != {"MB/sec", "MiB/sec"}
    if mixed and test.unit_seen != test.unit:
        yield Finding(
            "unit-mismatch",
            "warning",
            where,
            f"The header says {test.unit or 'no known unit'}, but message rate times message "
            f"size fits {test.unit_seen}: the table was edited or two outputs were mixed. "
            "Do not use these figures.",
            {"header": test.unit, "fits": test.unit_seen},
        )
    if test.best is None:
        yield Finding(
            "unit-unknown",
            "note",
            where,
            "No unit of bandwidth can be told: JSON of perftest names none, and the message rate "
            "is too small to prove one. Give the text output, or use --report_gbits and say so.",
        )


def _proved(tests: tuple[Run, ...]) -> Iterator[Finding]:
    meant = [test for test in tests if test.unit == "MB/sec"]
    proved = [test for test in meant if test.unit_seen in ("MB/sec", "MiB/sec")]
    if proved:
        yield Finding(
            "unit-proved",
            "note",
            "file",
            "The header says MB/sec and means 2^20 bytes: message rate times message size gives "
            f"the same figure ({len(proved)} of {len(meant)} tables). Converted accordingly.",
            {"bytes": 2**20, "tables": len(proved)},
        )


def _no_peak(tests: tuple[Run, ...]) -> Iterator[Finding]:
    rows = [row for test in tests for row in test.bandwidth]
    without = [row for row in rows if row.peak is None and row.average is not None]
    if without:
        yield Finding(
            "peak-not-measured",
            "note",
            "file",
            f"The peak of {len(without):,} of {len(rows):,} rows reads 0.00 or is not given: "
            "perftest does not measure it in a run for a time (-D), with --noPeak or with many "
            "iterations. It is no fault; the average is what counts.",
            {"rows": len(without), "of": len(rows)},
        )


def _packets(test: Run, where: str) -> Iterator[Finding]:
    mtu, best = test.setup.mtu, test.best
    if test.setup.connection != "UD" or mtu is None or best is None:
        return
    if mtu < limit("perftest-full-mtu"):
        yield Finding(
            "small-mtu",
            "note",
            where,
            f"{gbps(best.average):.5g} Gb/s with an MTU of {mtu:,} bytes: a UD message is one "
            "packet, so the MTU and the rate of packets set it, not the line. Judge the port by "
            "an RC write with large messages.",
            {"mtu_bytes": mtu, "average_gbps": gbps(best.average)},
        )


def _unknown_rate(tests: tuple[Run, ...]) -> Finding:
    best = [gbps(test.best.average) for test in tests if test.best is not None]
    return Finding(
        "line-rate-unknown",
        "note",
        "file",
        "Line rate unknown: give it with --line-rate (400G) or --design, and the share of the "
        f"line is judged. Best average here: {max(value or 0 for value in best):.5g} Gb/s.",
        {"best_gbps": best},
    )


def _bonded(test: Run, where: str) -> Iterator[Finding]:
    setup = test.setup
    if setup.device and "bond" in setup.device and setup.queue_pairs == 1:
        yield Finding(
            "bonded-one-queue-pair",
            "note",
            where,
            f"One queue pair on the bonded NIC {setup.device} uses one of its ports: expect half. "
            "Use -q 2 or more to load both.",
            {"device": setup.device, "queue_pairs": 1},
        )
    if setup.dual_port and test.best is not None:
        yield Finding(
            "two-ports-one-slot",
            "note",
            where,
            f"{gbps(test.best.average):.5g} Gb/s over both ports of {setup.device or 'the NIC'}: "
            "they share one PCIe slot, and two ports can give the rate of one where the slot "
            "carries no more (lspci -vv, LnkSta). Give the rate of a port to have it judged.",
            {"average_gbps": gbps(test.best.average), "device": setup.device},
        )


def _against_line(
    test: Run, best: BandwidthRow, average: float, where: str, rate: float
) -> Finding:
    full = capacity(test, rate)
    share = average / full
    evidence = {
        "average_gbps": gbps(average),
        "line_gbps": gbps(full),
        "share": round(share, 4),
        "size_bytes": best.size,
    }
    directions = " in both directions together" if test.setup.bidirectional else ""
    ports = "two ports" if test.setup.dual_port else "the port"
    reached = (
        f"{gbps(average):.5g} Gb/s at {size(best.size)}{directions} is {share:.0%} of "
        f"{ports} ({gbps(full):.5g} Gb/s)"
    )
    if share > limit("perftest-above-line"):
        return Finding(
            "above-line",
            "warning",
            where,
            f"{reached}: more than a line can carry. The line rate given is not this port's, or "
            "the test ran both ways or inside one host.",
            evidence,
        )
    if share >= limit("worth-a-look"):
        return Finding("line-rate", "note", where, f"{reached}: healthy.", evidence)
    return _below(test, best, where, reached, evidence)


def _below(
    test: Run, best: BandwidthRow, where: str, reached: str, evidence: dict[str, float | None]
) -> Finding:
    setup = test.setup
    if setup.connection == "UD":
        mtu = f" of {setup.mtu:,} bytes" if setup.mtu else ""
        return Finding(
            "small-mtu",
            "note",
            where,
            f"{reached}. A UD message is one packet, so the MTU{mtu} and the rate of packets set "
            "it, not the line: judge the port by an RC write with large messages.",
            evidence | {"mtu_bytes": setup.mtu},
        )
    if best.size < limit("perftest-judged-size"):
        return Finding(
            "small-messages",
            "note",
            where,
            f"{reached}, but no larger message was tried: too small to judge a line. "
            "Run with -s 65536 or -a.",
            evidence,
        )
    rule, reason = _reason(test, evidence["share"] or 0.0)
    return Finding(rule, "warning", where, f"{reached}. {reason}", evidence)


def _reason(test: Run, share: float) -> tuple[str, str]:
    setup = test.setup
    one_pair = setup.queue_pairs in (None, 1)
    if setup.dual_port and share < limit("perftest-half"):
        return "two-ports-one-slot", (
            "Two ports give about the rate of one: both share one PCIe slot. Check its width and "
            "generation (lspci -vv, LnkSta)."
        )
    if setup.device and "bond" in setup.device and one_pair and share < limit("perftest-half"):
        return "bonded-one-queue-pair", (
            "One queue pair of a bonded NIC uses one of its ports: use -q 2 or more (and "
            "NCCL_IB_QPS_PER_CONNECTION of 2 or more), or do not bond."
        )
    if setup.gpu_memory:
        return "gpu-memory-slow", (
            "The buffers are in GPU memory: ACS is on, GPUDirect is off, or GPU and NIC are not "
            "under one PCIe switch. Compare with host memory; see nvidia-smi topo -m."
        )
    if test.verb == "read":
        reads = setup.outstanding_reads
        limited = f" ({reads} here)" if reads else ""
        return "read-deficit", (
            f"Reads are limited by the outstanding reads of a queue pair{limited}, not by a cable: "
            "compare with ib_write_bw, and use -q 4, before touching the link."
        )
    return "below-line", (
        "Likely: a link that trained slower (ibstat, mlxlink), a PCIe slot too narrow or too old "
        "(LnkSta), a NIC on the other socket (numactl), or a congested path. Try -q 4, then swap "
        "the peer."
    )


def _shape(test: Run, where: str) -> Iterator[Finding]:
    apart = [
        row
        for row in test.bandwidth
        if row.size >= limit("perftest-jitter-size")
        and row.peak
        and row.average is not None
        and row.average < limit("perftest-peak-gap") * row.peak
    ]
    if apart:
        worst = min(apart, key=lambda row: (row.average or 0) / (row.peak or 1))
        held = all(  # where a message is large enough to fill a line
            (row.average or 0) >= limit("worth-a-look") * (row.peak or 0)
            for row in apart
            if row.size >= limit("perftest-judged-size")
        )
        yield Finding(
            "jitter",
            "note" if held else "warning",
            where,
            f"Peak and average are apart at {_span([row.size for row in apart])}, most at "
            f"{size(worst.size)}: {gbps(worst.peak):.5g} against {gbps(worst.average):.5g} Gb/s. "
            "The path reaches its rate but does not hold it: jitter (CPU frequency, other traffic, "
            "pauses), not the line rate. The average is what counts.",
            {
                "sizes_bytes": [row.size for row in apart],
                "worst_size_bytes": worst.size,
                "peak_gbps": gbps(worst.peak),
                "average_gbps": gbps(worst.average),
            },
        )
    yield from _falling(test, where)


def _falling(test: Run, where: str) -> Iterator[Finding]:
    best = test.best
    if best is None or best.average is None:
        return
    after = [row for row in test.bandwidth if row.size > best.size and row.average is not None]
    last = max(after, key=lambda row: row.size, default=None)
    if last is None or last.average is None or best.size < limit("perftest-jitter-size"):
        return
    if last.average < limit("perftest-falling-end") * best.average:
        yield Finding(
            "falling-end",
            "warning",
            where,
            f"{gbps(best.average):.5g} Gb/s at {size(best.size)} falls to "
            f"{gbps(last.average):.5g} Gb/s at {size(last.size)}: larger buffers miss the "
            "translation tables or the cache, or the network drops or pauses under load. Use huge "
            "pages, and look at the port's counters.",
            {
                "best_gbps": gbps(best.average),
                "best_size_bytes": best.size,
                "last_gbps": gbps(last.average),
                "last_size_bytes": last.size,
            },
        )


def _span(sizes: list[int]) -> str:
    if len(sizes) == 1:
        return size(sizes[0])
    return f"{size(min(sizes))} to {size(max(sizes))}"


def size(count: int) -> str:
    """64 KiB, 8 MiB, 1000 bytes."""
    for unit, convert in (("MiB", bytes_to_mebibytes), ("KiB", bytes_to_kibibytes)):
        value = convert(float(count))
        if value >= 1 and value == int(value):
            return f"{int(value):,} {unit}"
    return f"{count:,} byte{'s' if count != 1 else ''}"
