"""Which benchmarks does a design have to pass, at which sizes, and with which numbers?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from netdesign.acceptance.expected import expected_curve, lacks, system_of
from netdesign.arrays import as_float
from netdesign.catalog.library import data_directory
from netdesign.catalog.tables import Name, Positive, Row, keyed_rows
from netdesign.evaluate import Evaluation
from netdesign.network.congestion import crossing_slowdown
from netdesign.network.nccl.constants import Constants
from netdesign.order import parts_of
from netdesign.units import gbps_to_bytes_per_second, seconds_to_hours
from netdesign.workload.plan import GroupSpan, group_span, members_within
from netdesign.workload.traffic import Collective

Quantity = Literal["busbw", "bandwidth", "latency"]
PROGRAMS = {
    "all-reduce": "all_reduce",
    "all-gather": "all_gather",
    "reduce-scatter": "reduce_scatter",
    "all-to-all": "alltoall",
    "send": "sendrecv",
}
_SWEPT = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
_WITHOUT_VERBS = ("srd", "slingshot")  # transports that perftest's verbs do not measure


class PreflightRow(Row):
    """A number of the plan of benchmarks."""

    name: Name
    value: Positive
    unit: Name


@dataclass(frozen=True)
class Benchmark:
    """One run of nccl-tests or perftest with the number that it must reach."""

    id: str  # stable: data-reduce-scatter, one-node-all-reduce, pairs-bandwidth
    title: str
    why: str  # what a bad number would mean
    quantity: Quantity
    operation: str  # as the tool names it: all_reduce, write_bw, write_lat
    ranks: int  # GPUs that run it
    group_ranks: int  # GPUs of one communicator
    group_domains: int
    nodes: int
    split: str  # NCCL_TESTS_SPLIT, blank where one communicator holds all
    size: float  # bytes at which it is judged
    sweep: bool  # over all sizes; else this one only
    expected: float  # bytes/s, or s of a latency
    low: float
    high: float
    limit: float  # good down to it, or up to it for a latency
    remark: str = ""
    runs: int = 1  # logs that it takes: one a server, or one a port of every pair of servers

    @property
    def more_is_better(self) -> bool:
        return self.quantity != "latency"

    def passes(self, measured: float) -> bool:
        """Whether a measured number, in SI, is good."""
        return measured >= self.limit if self.more_is_better else measured <= self.limit


@cache
def preflight_rows() -> dict[str, PreflightRow]:
    """Rows of preflight.csv by name."""
    return keyed_rows(data_directory() / "preflight.csv", PreflightRow, ("name",))


def setting(name: str) -> float:
    """One number of the plan."""
    return preflight_rows()[name].value


def benchmarks(evaluation: Evaluation, constants: Constants | None = None) -> tuple[Benchmark, ...]:
    """Every benchmark of a design, in the order in which they are run.

    Ports before pairs of servers, one server before all, sweeps before the job's own messages: what
    fails first is the cause of what fails later.

    Parameters
    ----------
    evaluation : Evaluation
    constants : Constants       of the collective model; the shipped ones if None
    """
    return (
        *between_ports(evaluation),
        *_sweeps(evaluation, constants),
        *_of_the_job(evaluation, constants),
    )


def hours_of(found: tuple[Benchmark, ...], evaluation: Evaluation) -> float:
    """Roughly how long the tests between pairs of ports run, hours; collectives take minutes."""
    ports = parts_of(evaluation.design).server.network_ports
    each = sum(setting("pair-seconds") for entry in found if entry.quantity != "busbw")
    return float(seconds_to_hours(each * ports))


def between_ports(evaluation: Evaluation) -> Iterator[Benchmark]:
    """Bandwidth and latency of two ports; none where perftest does not measure the transport."""
    parts = parts_of(evaluation.design)
    transport = parts.transport
    if transport.id in _WITHOUT_VERBS:
        return
    line = float(gbps_to_bytes_per_second(parts.link_gbps))
    full = line * transport.framing_efficiency
    ports = -(-evaluation.servers // 2) * parts.server.network_ports  # of every pair of servers
    yield Benchmark(
        id="pairs-bandwidth",
        title="Every NIC port against the same port of the next server",
        why="A port below the rest is a bad cable, a dirty optic or a NIC behind the wrong PCIe "
        "switch; find it before any collective hides it.",
        quantity="bandwidth",
        operation="write_bw",
        split="",
        size=setting("pair-size"),
        sweep=False,
        expected=full,
        low=line * setting("pair-pass"),
        high=line,
        limit=line * setting("pair-pass"),
        ranks=2,
        group_ranks=2,
        group_domains=2,
        nodes=2,
        runs=ports,
    )
    latency = float(transport.latency(1))
    highest = float(transport.latency(as_float(evaluation.fabric.tiers)))
    yield Benchmark(
        id="pairs-latency",
        title="Latency of every NIC port to the next server",
        why="A port that answers late climbs a tier too many, waits behind PCIe or is not in "
        "polling mode.",
        quantity="latency",
        operation="write_lat",
        split="",
        size=setting("latency-size"),
        sweep=False,
        expected=latency,
        low=0.0,
        high=highest,
        limit=highest * setting("latency-pass"),
        remark="high is the path over the top of the fabric",
        ranks=2,
        group_ranks=2,
        group_domains=2,
        nodes=2,
        runs=ports,
    )


def _sweeps(evaluation: Evaluation, constants: Constants | None) -> Iterator[Benchmark]:
    server = parts_of(evaluation.design).server
    gpus = evaluation.design.cluster.gpus
    whole = gpus - gpus % server.gpus
    node = min(server.gpus, gpus)
    size = _sweep_end(evaluation)
    if node > 1:
        found = _collective(evaluation, "all-reduce", GroupSpan(node, 1, node, 1), size, constants)
        if found is not None:
            yield _named(
                replace(found, runs=evaluation.servers),
                "one-node-all-reduce",
                "All-reduce inside every server",
                "A server below the rest has a GPU or a scale-up link that is sick; its network is "
                "not in this number.",
                sweep=True,
            )
    if whole <= node:
        return
    for operation in _SWEPT:
        span = group_span(whole, 1, evaluation.machine.domain_gpus)
        found = _collective(evaluation, operation, span, size, constants)
        if found is not None:
            yield _named(
                found,
                f"all-{PROGRAMS[operation].replace('_', '-')}",
                f"{operation.capitalize()} over the whole cluster",
                "The curve of the fabric: start-up at small sizes, bandwidth at large ones. A dent "
                "or a falling end is routing or congestion.",
                sweep=True,
            )


def _of_the_job(evaluation: Evaluation, constants: Constants | None) -> Iterator[Benchmark]:
    seen: set[str] = set()
    runs: set[tuple[object, ...]] = set()
    for entry in evaluation.traffic:
        if as_float(entry.calls) <= 0 or as_float(entry.span.ranks) < 2:
            continue
        size = as_float(entry.size)
        found = _collective(evaluation, entry.operation, entry.span, size, constants)
        if found is None or _run_of(found) in runs:
            continue
        runs.add(_run_of(found))
        name = _id_of(entry, seen)
        seen.add(name)
        content = f" of {entry.content}" if entry.content else ""
        yield _named(
            found,
            name,
            f"The job's own {entry.operation}{content}",
            f"{entry.parallelism.capitalize()} parallelism runs this {as_float(entry.calls):,.0f} "
            "times a step; the step time rests on it.",
            sweep=False,
        )


def _run_of(found: Benchmark) -> tuple[object, ...]:
    return found.operation, found.ranks, found.split, found.size


def _id_of(entry: Collective, seen: set[str]) -> str:
    name = f"{entry.parallelism}-{PROGRAMS[entry.operation].replace('_', '-')}"
    number = 2
    while name in seen:
        name = f"{name.rstrip('0123456789').rstrip('-')}-{number}"
        number += 1
    return name


def _named(found: Benchmark, name: str, title: str, why: str, *, sweep: bool) -> Benchmark:
    return replace(found, id=name, title=title, why=why, sweep=sweep)


def _collective(
    evaluation: Evaluation,
    operation: str,
    span: GroupSpan,
    size: float,
    constants: Constants | None,
) -> Benchmark | None:
    """The run of one collective over the GPUs of one group and its neighbours."""
    ranks, domains = round(as_float(span.ranks)), max(1, round(as_float(span.domains)))
    stride = round(as_float(span.stride))
    system = system_of(evaluation)
    if operation not in PROGRAMS or size <= 0 or lacks(system, operation, ranks, domains):
        return None
    curve = expected_curve(system, operation, ranks, domains, [size], constants=constants)
    slow = taper(evaluation, operation, span)
    expected, low, high = (float(each[0]) / slow for each in (curve.busbw, curve.low, curve.high))
    together = ranks * stride
    server = parts_of(evaluation.design).server
    return Benchmark(
        id="",
        title="",
        why="",
        quantity="busbw",
        operation=PROGRAMS[operation],
        ranks=together,
        group_ranks=ranks,
        group_domains=domains,
        nodes=max(1, math.ceil(together / server.gpus)),
        split=f"MOD {stride}" if stride > 1 else "",
        size=size,
        sweep=False,
        expected=expected,
        low=low,
        high=high,
        limit=low,
        remark=f"{curve.regimes[0]}" + (f"; taper x {slow:.3g}" if slow > 1 else ""),
    )


def taper(evaluation: Evaluation, operation: str, span: GroupSpan) -> float:
    """How much slower a collective is because of an oversubscribed tier: 1 without one."""
    machine = evaluation.machine
    pod = members_within(span, machine.pod_gpus)
    inside = max(1.0, as_float(pod) / as_float(span.local))
    ordered = operation != "all-to-all"
    found = crossing_slowdown(machine.oversubscription, inside, span.domains, ordered=ordered)
    return as_float(found) if as_float(span.domains) > inside else 1.0


def _sweep_end(evaluation: Evaluation) -> float:
    """The largest size of a sweep: half of the card must hold both buffers."""
    size, most = setting("sweep-end"), evaluation.memory_limit / 4
    return size if size <= most else float(2 ** math.floor(math.log2(most)))
