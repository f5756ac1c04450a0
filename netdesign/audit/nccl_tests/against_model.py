"""A table against the curve that the collective model expects of its machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from netdesign.acceptance.benchmarks import taper
from netdesign.acceptance.expected import (
    Curve,
    System,
    expected_curve,
    lacks,
    rate_per_gpu,
    system_of,
)
from netdesign.arrays import Array
from netdesign.audit.context import Context
from netdesign.audit.limits import limit
from netdesign.audit.nccl_tests.curve import peak_of
from netdesign.audit.nccl_tests.rates import is_saturated, spans_one_domain
from netdesign.audit.nccl_tests.tables import Row, Side, Table
from netdesign.audit.nccl_tests.wording import gbs, rate_text
from netdesign.audit.report import Finding
from netdesign.network.nccl.hardware import described
from netdesign.performance.collective_prediction import OPERATIONS
from netdesign.wording import binary_size
from netdesign.workload.plan import group_span

_LIBRARIES = {"Socket": "tcp", "AWS Libfabric": "EFA"}  # of NCCL's log


@dataclass(frozen=True, eq=False)
class Held:
    """A table beside its prediction; arrays in the order of ``sizes``."""

    table: Table
    system: System
    curve: Curve
    sizes: Array  # bytes
    measured: Array  # bytes/s of bus bandwidth, the better half of each row

    @property
    def ratio(self) -> Array:
        """Measured over expected bus bandwidth."""
        found: Array = self.measured / self.curve.busbw
        return found

    @property
    def large(self) -> Array:
        """Which sizes are large enough to show bandwidth."""
        found: Array = self.sizes >= limit("shows-bandwidth")
        return found


def held(table: Table, context: Context) -> Held | str:
    """A table beside the curve that the model expects; else what is missing for one.

    Parameters
    ----------
    table : Table
    context : Context       its design, or the rate and the number of its NICs
    """
    rows = [row for row in table.rows if row.size > 0 and (row.busbw or 0) > 0]
    if not rows:
        return "the table has no bandwidth"
    ranks, nodes = table.communicator, table.nodes
    if table.operation is None or table.operation not in OPERATIONS:
        return "the operation is not known"
    if ranks is None:
        return "the number of GPUs is not known"
    if nodes is None:
        return "the number of nodes is not known"
    found = _system(table, context)
    if isinstance(found, str):
        return found
    if not found.fabric and nodes > 1 and not spans_one_domain(table):
        return "the file does not say which network it is; give the design"
    missing = lacks(found, table.operation, ranks, nodes)
    if missing:
        return missing
    curve = expected_curve(found, table.operation, ranks, nodes, [row.size for row in rows])
    return Held(
        table=table,
        system=found,
        curve=_tapered(curve, table, context),
        sizes=np.array([row.size for row in rows], dtype=float),
        measured=np.array([_best(row).busbw for row in rows]),
    )


def model_findings(table: Table, context: Context, where: str) -> Iterator[Finding]:
    """What the prediction says of a table; nothing where none is asked for or possible."""
    found = held(table, context)
    if isinstance(found, str):
        if context.evaluation is not None:
            yield Finding("no-prediction", "note", where, f"Not held against the model: {found}.")
        return
    if not found.large.any():
        yield from _of_small(found, where)
        return
    place = int(np.argmax(np.where(found.large, found.measured, -1.0)))
    yield _verdict(found, place, context, where)


def _verdict(found: Held, place: int, context: Context, where: str) -> Finding:
    size, measured = float(found.sizes[place]), float(found.measured[place])
    expected = float(found.curve.busbw[place])
    low, high = float(found.curve.low[place]), float(found.curve.high[place])
    evidence = _evidence(found, place)
    at = f"{where}, {binary_size(size)}"
    band = f"{rate_text(expected)} (four in five: {rate_text(low)} to {rate_text(high)})"
    said = f"{rate_text(measured)} where the model expects {band}"
    regime = found.curve.regimes[place]
    if measured < low:
        full = is_saturated(found.table, peak_of(found.table), context)
        return Finding(
            "below-model",
            "note" if full else "warning",
            at,
            f"{said}: slower than measured systems of this kind. The model spends the time on "
            f"{regime}; look there first.",
            evidence,
        )
    if measured > high:
        return Finding(
            "above-model",
            "note",
            at,
            f"{said}: faster than measured systems of this kind. Fine, unless machine, ranks or "
            "operation are not what they are taken for.",
            evidence,
        )
    return Finding("as-predicted", "note", at, f"As predicted: {said}.", evidence)


def _of_small(found: Held, where: str) -> Iterator[Finding]:
    place = int(np.argmax(found.measured))
    low, high = found.curve.low[place], found.curve.high[place]
    word = "within" if low <= found.measured[place] <= high else "outside"
    yield Finding(
        "small-messages-only",
        "note",
        where,
        f"All messages are small; the largest is {word} the model's band "
        f"({rate_text(float(low))} to {rate_text(float(high))}), which is wide there. Run to "
        "gigabytes to judge bandwidth.",
        _evidence(found, place),
    )


def _evidence(found: Held, place: int) -> dict[str, object]:
    return {
        "size_bytes": int(found.sizes[place]),
        "measured_gbs": gbs(float(found.measured[place])),
        "expected_gbs": gbs(float(found.curve.busbw[place])),
        "low_gbs": gbs(float(found.curve.low[place])),
        "high_gbs": gbs(float(found.curve.high[place])),
        "share_of_expected": round(float(found.ratio[place]), 4),
        "median_share_large": round(float(np.median(found.ratio[found.large])), 4)
        if found.large.any()
        else None,
        "regime": found.curve.regimes[place],
    }


def _best(row: Row) -> Side:
    return max(row.sides, key=lambda side: side.busbw)


def _system(table: Table, context: Context) -> System | str:
    """The machines of a table: the design's where there is one, else what the file says."""
    device = table.devices[0] if table.devices else ""
    if context.evaluation is not None:
        system = system_of(context.evaluation)
        told = described(device, "", "").generation if device else ""
        own = system.hardware.generation
        if told and own and told != own:
            return f"its GPU is {device}, and the design has {system.accelerator}"
        return replace(system, accelerator=device if told else system.accelerator)
    if not device:
        return "neither the file nor a design says which GPU it is"
    return System(
        accelerator=device,
        fabric="" if spans_one_domain(table) else _fabric(table),
        nic_gbps_per_gpu=_rate(table, context),
    )


def _fabric(table: Table) -> str:
    for word in table.network.transports:
        if word in _LIBRARIES:
            return _LIBRARIES[word]
        if word == "IB":  # InfiniBand and RoCE look alike to NCCL
            return "InfiniBand"
    return ""


def _rate(table: Table, context: Context) -> float | None:
    """Gb/s of NICs for each GPU that takes part."""
    per_node = table.ranks_per_node
    if context.node_rate is None or context.port_rate is None or not per_node:
        return None
    ports = context.ports_per_node or 1
    if per_node < min(ports, limit("full-node")):  # each GPU uses the NIC near it
        return rate_per_gpu(context.port_rate, 1)
    return rate_per_gpu(context.node_rate, per_node)


def _tapered(curve: Curve, table: Table, context: Context) -> Curve:
    """The curve behind the design's taper."""
    if context.evaluation is None or table.communicator is None:
        return curve
    span = group_span(table.communicator, 1, context.evaluation.machine.domain_gpus)
    slow = taper(context.evaluation, curve.operation, span)
    if slow <= 1:
        return curve
    return replace(
        curve,
        time=curve.time * slow,
        busbw=curve.busbw / slow,
        low=curve.low / slow,
        high=curve.high / slow,
    )
