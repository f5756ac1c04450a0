"""Whether latencies are those of the fabric, and how long their tail is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from netdesign.acceptance.benchmarks import Benchmark, between_ports
from netdesign.audit.context import Context
from netdesign.audit.limits import limit
from netdesign.audit.perftest.content import LatencyRow, Run
from netdesign.audit.perftest.summary import us
from netdesign.audit.report import Finding
from netdesign.units import microseconds_to_seconds


def planned_latency(tests: Sequence[Run], context: Context) -> Benchmark | None:
    """What a design expects of the latency between two ports; None without one."""
    if context.evaluation is None or not any(test.latency for test in tests):
        return None
    checks = between_ports(context.evaluation)
    return next((check for check in checks if check.quantity == "latency"), None)


def latency_findings(test: Run, where: str, planned: Benchmark | None = None) -> Iterator[Finding]:
    """Verdicts on one latency test, by its smallest message, against a design if there is one."""
    row = min(test.latency, key=lambda row: row.size)
    typical = row.typical if row.typical is not None else row.average
    if typical is None:
        yield Finding(
            "unit-unknown", "note", where, "The times are in processor cycles: run without -C."
        )
        return
    if row.size <= limit("perftest-latency-size"):
        if planned is None:
            yield _level(test, where, row, typical)
        else:
            yield _against_plan(test, where, row, planned)
    yield from _tail(where, row, typical)


def _level(test: Run, where: str, row: LatencyRow, typical: float) -> Finding:
    rounds = test.verb in ("read", "atomic")
    factor = 2 if rounds else 1
    path = "a full round trip" if rounds else "half a round trip"
    fabric = {"IB": "InfiniBand", "Ethernet": "RoCE"}.get(
        test.setup.link_type or "", "InfiniBand or RoCE"
    )
    evidence = {
        "typical_us": us(typical),
        "average_us": us(row.average),
        "size_bytes": row.size,
        "round_trip": rounds,
    }
    text = f"{us(typical):.4g} us for {row.size} bytes ({path})"
    ethernet = test.setup.link_type == "Ethernet"
    bound = limit("perftest-latency-high-ethernet") if ethernet else limit("perftest-latency-high")
    high = microseconds_to_seconds(bound)
    very_high = microseconds_to_seconds(limit("perftest-latency-very-high"))
    if typical > factor * very_high:
        return Finding(
            "latency-high",
            "warning",
            where,
            f"{text} is far above {fabric} in one fabric: a software path (Soft-RoCE, a proxy), "
            "power saving (C-states), or a congested or long route. Compare with another pair.",
            evidence,
        )
    if typical > factor * high:
        return Finding(
            "latency-high",
            "note",
            where,
            f"{text} is high for {fabric} on bare metal: usual in a cloud's virtual machine or "
            "across several tiers. It matters for small messages only.",
            evidence,
        )
    return Finding("latency", "note", where, f"{text}: as {fabric} should be.", evidence)


def _against_plan(test: Run, where: str, row: LatencyRow, planned: Benchmark) -> Finding:
    """By the average, as the plan of benchmarks judges it."""
    rounds = test.verb in ("read", "atomic")
    factor = 2 if rounds else 1
    measured = (row.average if row.average is not None else row.typical) or 0.0
    expected, most = factor * planned.expected, factor * planned.limit
    evidence = {
        "typical_us": us(row.typical),
        "average_us": us(row.average),
        "expected_us": us(expected),
        "limit_us": us(most),
        "size_bytes": row.size,
        "round_trip": rounds,
    }
    path = "a full round trip" if rounds else "half a round trip"
    said = (
        f"{us(measured):.4g} us for {row.size} bytes ({path}), where the design expects "
        f"{us(expected):.4g} us and allows {us(most):.4g} us"
    )
    if measured <= most:
        return Finding("latency", "note", where, f"{said}: as designed.", evidence)
    return Finding(
        "latency-high",
        "warning",
        where,
        f"{said}: this port answers late. It climbs a tier more than planned, waits behind PCIe, "
        "saves power (C-states), or shares its path. Compare with another pair.",
        evidence,
    )


def _tail(where: str, row: LatencyRow, typical: float) -> Iterator[Finding]:
    tail, name = (row.p999, "99.9 %") if row.p999 is not None else (row.p99, "99 %")
    if tail is None or typical <= 0:
        return
    times = tail / typical
    evidence = {
        "typical_us": us(typical),
        "p99_us": us(row.p99),
        "p999_us": us(row.p999),
        "max_us": us(row.maximum),
        "times_typical": round(times, 2),
        "iterations": row.iterations,
    }
    few = row.iterations is not None and row.iterations <= 1000  # 99.9 % of 1000 is the maximum
    text = f"The {name} percentile is {us(tail):.4g} us, {times:.3g} times the typical value"
    if times > limit("perftest-tail-long"):
        yield Finding(
            "latency-tail",
            "warning",
            where,
            f"{text}: interrupts, power saving, or other traffic on the path. Pin the process, fix "
            "the CPU frequency, and run with -n 100000 to see whether it stays.",
            evidence,
        )
    elif times > limit("perftest-tail"):
        sample = " With so few iterations it is a single sample." if few else ""
        yield Finding("latency-tail", "note", where, f"{text}.{sample}", evidence)
