"""What one measurement says of another: of a port, of one node, of many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.causes import with_host_causes
from netdesign.audit.nccl_tests.rates import spans_one_domain
from netdesign.audit.nccl_tests.results import is_invalid, is_single
from netdesign.audit.nccl_tests.tables import NcclTests, Table
from netdesign.audit.nccl_tests.wording import machine, place, rate_text
from netdesign.audit.perftest.content import PerftestRuns, Run
from netdesign.audit.report import FileReport, Finding, worst_first
from netdesign.units import bytes_per_second_to_gbps, bytes_to_gigabytes


def with_perftest(reports: tuple[FileReport, ...]) -> tuple[FileReport, ...]:
    """Reports of nccl-tests with a note where one port alone carries more than NCCL reaches."""
    port = max((rate for report in reports for rate in _rates(report)), default=None)
    if port is None:
        return reports
    return tuple(_noted(report, port) for report in reports)


def _rates(report: FileReport) -> Iterator[float]:
    """Averages, bytes/s, of one port in one direction with large messages."""
    runs = report.contents.get("perftest")
    for test in runs.tests if isinstance(runs, PerftestRuns) else ():
        best = test.best
        if best is not None and best.average is not None and _is_of_a_port(test, best.size):
            yield best.average


def _is_of_a_port(test: Run, size: int) -> bool:
    setup = test.setup
    apart = setup.bidirectional or setup.dual_port or setup.is_loopback
    return not apart and test.measure == "bw" and size >= limit("perftest-judged-size")


def _noted(report: FileReport, port: float) -> FileReport:
    content = report.contents.get("nccl-tests")
    tables = content.tables if isinstance(content, NcclTests) else ()
    findings = list(report.findings)
    for number, table in enumerate(tables, 1):
        where = place(table, number, len(tables))
        note = _note(table, port, where)
        if note is not None:
            findings = [_cleared(entry, where) for entry in findings] + [note]
    if len(findings) == len(report.findings):
        return report
    return replace(report, findings=worst_first(findings))


def _cleared(finding: Finding, where: str) -> Finding:
    """The finding; where it blames the fabric for this table, it blames the host instead."""
    if finding.rule != "below-line-rate" or not finding.where.startswith(f"{where}, "):
        return finding
    return with_host_causes(finding)


def _note(table: Table, port: float, where: str) -> Finding | None:
    if table.nodes is None or table.nodes < 2 or is_invalid(table):
        return None
    best = max((row.busbw for row in table.rows if row.busbw is not None), default=None)
    if best is None or best >= limit("worth-a-look") * port:
        return None
    reached, one = float(bytes_to_gigabytes(best)), float(bytes_to_gigabytes(port))
    return Finding(
        "fabric-carries-more",
        "note",
        where,
        f"perftest moves {one:.4g} GB/s ({float(bytes_per_second_to_gbps(port)):.4g} Gb/s) over "
        f"one port, and NCCL reaches {reached:.4g} GB/s with all of them: the fabric carries it, "
        "so do not blame cables. The time goes in the host: sockets instead of RDMA, GPUDirect "
        "off, few NICs or channels, small chunks, one busy processor. See NCCL_DEBUG=INFO.",
        {"port_gbs": one, "busbw_gbs": reached},
    )


def with_one_node(reports: tuple[FileReport, ...]) -> tuple[FileReport, ...]:
    """Reports of nccl-tests with a note where one node alone is faster than several."""
    alone: dict[str, float] = {}
    for table, _ in _all_tables(reports):
        if table.nodes == 1:
            name = table.operation or ""
            alone[name] = max(alone.get(name, 0.0), _highest(table))
    if not alone:
        return reports
    return tuple(_compared(report, alone) for report in reports)


def _compared(report: FileReport, alone: Mapping[str, float]) -> FileReport:
    fastest: dict[str, tuple[Table, str]] = {}
    for table, where in _all_tables((report,)):
        name = table.operation or ""
        several = (table.nodes or 0) > 1 and not spans_one_domain(table)
        if not several or _highest(table) >= alone.get(name, 0.0):
            continue
        if name not in fastest or _highest(table) > _highest(fastest[name][0]):
            fastest[name] = table, where
    notes = [_slower(table, alone[name], where) for name, (table, where) in fastest.items()]
    return replace(report, findings=worst_first((*report.findings, *notes))) if notes else report


def _all_tables(reports: tuple[FileReport, ...]) -> Iterator[tuple[Table, str]]:
    """Sound tables with a known operation, and where they stand."""
    for report in reports:
        content = report.contents.get("nccl-tests")
        tables = content.tables if isinstance(content, NcclTests) else ()
        for number, table in enumerate(tables, 1):
            sound = table.operation and not is_invalid(table) and not is_single(table)
            if sound and _highest(table) > 0:
                yield table, place(table, number, len(tables))


def _highest(table: Table) -> float:
    return max((row.busbw for row in table.rows if row.busbw is not None), default=0.0)


def _slower(table: Table, one: float, where: str) -> Finding:
    several = _highest(table)
    slots = ", ".join(
        f"Gen{generation} x16 {limit(f'pcie-{generation}-nic'):g} Gb/s" for generation in (3, 4, 5)
    )
    return Finding(
        "nics-below-nvlink",
        "note",
        where,
        f"{rate_text(several)} with {machine(table)}, where one node alone reaches "
        f"{rate_text(one)}: between nodes the NICs carry it, and they are far below NVLink (or "
        "its like), so slower than one node is normal. Judge it by the NICs (--line-rate, "
        f"--nics), and see that each NIC matches its PCIe slot: {slots}.",
        {
            "one_node_gbs": round(float(bytes_to_gigabytes(one)), 4),
            "busbw_gbs": round(float(bytes_to_gigabytes(several)), 4),
            "nodes": table.nodes,
        },
    )
