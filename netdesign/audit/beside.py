"""What perftest says of the port that nccl-tests was slow over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.results import is_invalid
from netdesign.audit.nccl_tests.tables import NcclTests, Table
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
    notes = [note for table in tables if (note := _note(table, port)) is not None]
    if not notes:
        return report
    return replace(report, findings=worst_first((*report.findings, *notes)))


def _note(table: Table, port: float) -> Finding | None:
    if table.nodes is None or table.nodes < 2 or is_invalid(table):
        return None
    best = max((row.busbw for row in table.rows if row.busbw is not None), default=None)
    if best is None or best >= limit("worth-a-look") * port:
        return None
    reached, one = float(bytes_to_gigabytes(best)), float(bytes_to_gigabytes(port))
    return Finding(
        "fabric-carries-more",
        "note",
        f"{table.operation or 'table'}, lines {table.first_line} to {table.last_line}",
        f"perftest moves {one:.4g} GB/s ({float(bytes_per_second_to_gbps(port)):.4g} Gb/s) over "
        f"one port, and NCCL reaches {reached:.4g} GB/s with all of them: the fabric carries it, "
        "so do not blame cables. The time goes in the host: sockets instead of RDMA, GPUDirect "
        "off, few NICs or channels, small chunks, one busy processor. See NCCL_DEBUG=INFO.",
        {"port_gbs": one, "busbw_gbs": reached},
    )
