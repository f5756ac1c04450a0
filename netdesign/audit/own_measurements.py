"""Logs of nccl-tests as measurements of own machines, without those that would mislead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from netdesign.acceptance.benchmarks import taper
from netdesign.acceptance.expected import lacks, system_of
from netdesign.acceptance.own_machines import LeftOut, OwnFit, OwnPoint, fit
from netdesign.audit.context import Context
from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.curve import peak_of
from netdesign.audit.nccl_tests.doubts import doubt_findings
from netdesign.audit.nccl_tests.rates import rate_findings
from netdesign.audit.nccl_tests.results import result_findings
from netdesign.audit.nccl_tests.tables import Row, Side, Table
from netdesign.audit.nccl_tests.wording import place, rate_text
from netdesign.audit.report import FileReport
from netdesign.design import Design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.network.nccl.hardware import described
from netdesign.network.own_speeds import AS_SHIPPED
from netdesign.order import parts_of
from netdesign.performance.collective_prediction import OPERATIONS, bus_factor
from netdesign.workload.plan import group_span

# Rules of the audit that make every number of a table worthless as a measure of sound machines.
_WORTHLESS = {
    "wrong-results": "wrong results",
    "incomplete-run": "the run stops before its largest size",
    "test-failed": "the run reports a failure",
    "single-rank": "every rank ran alone",
    "mislabelled": "the operation is not the one that the file names",
}
_TOO_FAST = ("above-line-rate", "above-scale-up")
_SICK = {
    "tcp-fallback": "TCP instead of RDMA",
    "one-nic": "about the rate of one NIC",
    "few-nics": "fewer NICs than the node has",
    "gpudirect-off": "GPUDirect RDMA off",
    "bond": "one port of a bond",
    "lossy-fabric": "RoCE that loses packets",
}


@dataclass(frozen=True)
class Gathered:
    """Measured calls of logs, and what was left out of them."""

    points: tuple[OwnPoint, ...]
    left_out: tuple[LeftOut, ...]


def calibrate(reports: Sequence[FileReport], design: Design) -> OwnFit:
    """Fit own machines on logs; what the design has measured before does not count.

    Raises
    ------
    DesignError     when no log can be used, saying why of each
    """
    evaluation = evaluate(design.with_values({"measured.logs": 0}))
    gathered = gather(reports, evaluation)
    return fit(gathered.points, system_of(evaluation), gathered.left_out)


def gather(reports: Sequence[FileReport], evaluation: Evaluation) -> Gathered:
    """The rows of logs that tell of the machines of a design.

    Parameters
    ----------
    reports : sequence of FileReport
    evaluation : Evaluation             of the design on whose machines they were taken
    """
    points: list[OwnPoint] = []
    left_out: list[LeftOut] = []
    for report in reports:
        content = report.contents.get("nccl-tests")
        if content is None:
            left_out.append(LeftOut(report.name, 0, f"is {report.kind}, not nccl-tests"))
            continue
        many = len(content.tables)
        for number, table in enumerate(content.tables, 1):
            log = report.name if many == 1 else f"{report.name}, table {number}"
            reason = _refusal(table, evaluation, place(table, number, many))
            if reason:
                left_out.append(LeftOut(log, len(table.rows), reason))
            else:
                rows = list(_points(table, evaluation, log))
                points += rows
                if len(rows) < len(table.rows):
                    left_out.append(LeftOut(log, len(table.rows) - len(rows), "no size or no time"))
    return Gathered(tuple(points), tuple(left_out))


def _refusal(table: Table, evaluation: Evaluation, where: str) -> str:
    """Why a table does not count; blank if it does."""
    return _unknown(table, evaluation) or _worthless(table, evaluation, where)


def _unknown(table: Table, evaluation: Evaluation) -> str:
    """What is not known, or is of another machine."""
    if not table.rows:
        return "it has no rows"
    missing = [
        name
        for name, value in (
            ("the operation", table.operation),
            ("the number of GPUs", table.communicator),
            ("the number of nodes", table.nodes),
        )
        if value is None
    ]
    if missing:
        return f"it does not tell {' and '.join(missing)}"
    operation, ranks, nodes = table.operation or "", table.communicator or 0, table.nodes or 0
    if operation not in OPERATIONS:
        return f"the model does not know {operation}"
    system = replace(system_of(evaluation), own=AS_SHIPPED)
    own = replace(system.hardware, fabric="")
    for device in table.devices:
        told = described(device, "", "")
        if told.generation and told != own:
            return f"its GPU is {device}, and the design has {system.accelerator}"
    gpus = parts_of(evaluation.design).server.gpus
    if ranks > nodes * gpus:
        return f"{ranks} GPUs on {nodes} nodes are more than the {gpus} of a server of the design"
    return lacks(system, operation, ranks, nodes)


def _worthless(table: Table, evaluation: Evaluation, where: str) -> str:
    """What is wrong with a run whose machines are known."""
    for finding in (*result_findings(table, where), *doubt_findings(table, where, "")):
        if finding.rule in _WORTHLESS and finding.severity != "note":
            return _WORTHLESS[finding.rule]
    if table.splices or table.jobs > 1:
        return "it is put together from several runs"
    if table.network.sockets and system_of(evaluation).hardware.fabric != "tcp":
        return "it ran over TCP (NET/Socket in its NCCL log): mend it first"
    if table.network.gpudirect_off and not table.network.gpudirect_on:
        return "GPUDirect RDMA was off: mend it first"
    if not _fits_together(table):
        return "size, time and bandwidth do not fit one another (sizes of an early version?)"
    peak = peak_of(table)
    if peak is None or peak.busbw <= 0:
        return "it has no bandwidth"
    for finding in rate_findings(table, peak, Context(evaluation=evaluation), where):
        causes = finding.evidence.get("causes", ())
        sick = [_SICK[cause] for cause in causes if cause in _SICK]
        if finding.rule == "below-line-rate" and sick:
            return f"its bandwidth is that of {sick[0]}: mend it first"
        if finding.rule in _TOO_FAST:
            return f"{rate_text(peak.busbw)} is more than these machines carry: it is of others"
    return ""


def _points(table: Table, evaluation: Evaluation, log: str) -> Iterator[OwnPoint]:
    """The better half of each row, as the design's taper slows it."""
    ranks, nodes = table.communicator or 0, table.nodes or 0
    operation = OPERATIONS[table.operation or ""]
    span = group_span(ranks, 1, evaluation.machine.domain_gpus)
    slow = taper(evaluation, operation, span)
    for row in table.rows:
        side = _best(row)
        if row.size > 0 and side is not None:
            yield OwnPoint(log, operation, ranks, nodes, float(row.size), side.time, slow)


def _best(row: Row) -> Side | None:
    return min(
        (side for side in row.sides if side.time > 0), key=lambda side: side.time, default=None
    )


def _fits_together(table: Table) -> bool:
    """Whether size, time and bus bandwidth of the largest row say the same."""
    row = max(table.rows, key=lambda row: row.size)
    side = _best(row)
    if side is None or side.busbw <= 0:
        return False
    factor = float(bus_factor(OPERATIONS[table.operation or ""], np.array(table.communicator)))
    told = factor * row.size / side.time
    return abs(told / side.busbw - 1) <= limit("own-sizes-fit") + side.resolution / side.busbw
