"""Which input moves the result most? Each moved down and up alone, all cases in one set of arrays.

The parallel plan of the design is kept; where GPUs or batch change, data ranks and micro-batches
follow. How far each input is moved stands in ``data/sensitivity.csv``: one step of
``data/parameters.csv`` (half and double on a scale of powers of two) or a factor.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from netdesign.arrays import Array, as_float
from netdesign.catalog import PriceBook, data_directory, load_catalog
from netdesign.catalog.tables import Name, Positive, Row, keyed_rows
from netdesign.economics.cost import energy_usd_per_year, owning_usd_per_hour
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation
from netdesign.order import bill_of, parts_of
from netdesign.performance.calibration import calibration_for
from netdesign.performance.compute import operand_bytes
from netdesign.performance.machine import Machine
from netdesign.performance.step import step_time
from netdesign.topology.sizing import size_fabric
from netdesign.topology.spec import SPINE_RULES
from netdesign.units import SECONDS_PER_HOUR, seconds_to_days
from netdesign.workload.memory import memory_per_gpu
from netdesign.workload.plan import SHARDING, Plan, micro_batches
from netdesign.workload.transformer import Architecture, parameter_count

MEASURES = ("step_time_s", "usd_per_million_tokens", "training_days")
_FABRIC = ("cluster.gpus", "network.oversubscription")
_MACHINE = ("peak_flops", "memory_bandwidth", "domain_bandwidth", "network_bandwidth")
_MONEY = ("usd_per_kwh", "pue", "amortisation_years", "interest_rate", "operations_share")


class InputRow(Row):
    """One input and how far it is moved."""

    path: Name  # of the design, of the machine, or price.servers, price.network, model.size
    label: Name
    move: Literal["step", "factor"]
    down: Positive | None = None
    up: Positive | None = None


@dataclass(frozen=True)
class Move:
    """An input moved to one side."""

    said: str  # "half", "+10 %", "+0.25"; empty if it cannot go there
    ratio: float  # the moved value over the design's
    change: Mapping[str, float]  # of each measure, of its value in the design; 0.1 is 10 % more
    problem: str = ""  # why there is no result, or what is wrong with the moved design


@dataclass(frozen=True)
class Swing:
    """What one input does to the measures."""

    path: str
    label: str
    down: Move
    up: Move

    def size(self, measure: str) -> float:
        """The larger of the two changes, without its sign."""
        return max(abs(move.change.get(measure, 0.0)) for move in (self.down, self.up))

    def elasticity(self, measure: str) -> float:
        """Per cent that the measure moves for one per cent of the input, over the whole move."""
        sides = [side for side in (self.down, self.up) if measure in side.change]
        ends = [(side.ratio, 1 + side.change[measure]) for side in sides]
        ends += [(1.0, 1.0)] * (len(ends) == 1)
        if len(ends) < 2:
            return math.nan
        (x0, y0), (x1, y1) = ends
        return math.log(y1 / y0) / math.log(x1 / x0)


@dataclass(frozen=True)
class Sensitivity:
    """The swings of all inputs about one design."""

    base: Mapping[str, float]  # the measures of the design; nan where servers have no price
    swings: tuple[Swing, ...]  # in the order of data/sensitivity.csv

    def ranked(self, measure: str) -> tuple[Swing, ...]:
        """The swings that move a measure, the largest first."""
        moving = [swing for swing in self.swings if swing.size(measure) > 0]
        return tuple(sorted(moving, key=lambda swing: -swing.size(measure)))


def servers_priced(evaluation: Evaluation) -> bool:
    """Whether the cost of owning is known: without a price of the servers it is not."""
    return all(
        row.unit_price_usd is not None for row in evaluation.bom.rows if row.kind == "server"
    )


@cache
def input_rows() -> Mapping[str, InputRow]:
    """The inputs that are moved, by path.

    Raises
    ------
    DesignError     naming row and column of ``data/sensitivity.csv``
    """
    rows = keyed_rows(data_directory() / "sensitivity.csv", InputRow, ("path",))
    parameters = load_catalog().parameters
    for path, row in rows.items():
        step = parameters.get(path)
        if row.move == "step" and (step is None or (step.step is None and step.scale != "log2")):
            raise DesignError(
                f"sensitivity.csv, row {path}, column move",
                row.move,
                "has no step in parameters.csv",
                "give factors",
            )
        if row.move == "factor" and (row.down is None or row.up is None):
            raise DesignError(
                f"sensitivity.csv, row {path}, column down", "", "is blank", "give two factors"
            )
    return rows


def sensitivity(evaluation: Evaluation, price_book: PriceBook | None = None) -> Sensitivity:
    """How far each input, moved alone, moves step time, cost per token and training days.

    Parameters
    ----------
    evaluation : Evaluation
    price_book : PriceBook      the planner's own prices that it was evaluated with

    Returns
    -------
    Sensitivity
    """
    base = _base_of(evaluation)
    moves = [
        (path, _moved(row, base, up=up))
        for path, row in input_rows().items()
        for up in (False, True)
    ]
    cases = [dict(base)]
    problems = [""]
    for path, (_, value) in moves:
        case, problem = _case(evaluation, base, path, value, price_book)
        cases.append(case)
        problems.append(problem)
    columns = {name: np.array([case[name] for case in cases]) for name in base}
    results, fits = _results(evaluation, columns)
    found = []
    for i, (path, (said, value)) in enumerate(moves, start=1):
        works = bool(said) and not problems[i]
        change = {m: as_float(results[m][i] / results[m][0]) - 1 for m in MEASURES}
        finite = {m: c for m, c in change.items() if math.isfinite(c)}
        problem = problems[i] or ("" if fits[i] or not works else "does not fit in memory")
        ratio = value / base[path]
        found.append((path, Move(said, ratio, finite if works else {}, problem)))
    swings = tuple(
        Swing(path, input_rows()[path].label, down, up)
        for (path, down), (_, up) in zip(found[::2], found[1::2], strict=True)
    )
    return Sensitivity({m: as_float(results[m][0]) for m in MEASURES}, swings)


def _base_of(evaluation: Evaluation) -> dict[str, float]:
    """Every quantity that a case may change, by name."""
    design, machine, bom = evaluation.design, evaluation.machine, evaluation.bom
    servers = sum(row.total_usd or 0.0 for row in bom.rows if row.kind == "server")
    base = {
        "cluster.gpus": design.cluster.gpus,
        "network.oversubscription": design.network.oversubscription,
        "training.global_batch": design.training.global_batch,
        "training.sequence_length": design.training.sequence_length,
        "training.token_budget_trillion": design.training.token_budget_trillion,
        "model.size": 1.0,
        "price.servers": 1.0,
        "price.network": 1.0,
        "servers_usd": servers,
        "network_usd": bom.network_usd,
        "total_usd": bom.total_usd,
        "power_w": bom.total_power_w,
        "machine.network_latency": machine.network_latency,
        "pod_gpus": machine.pod_gpus,
        "taper": machine.oversubscription,
    }
    base |= {f"machine.{name}": getattr(machine, name) for name in _MACHINE}
    base |= {f"economics.{name}": getattr(design.economics, name) for name in _MONEY}
    return {name: as_float(value) for name, value in base.items()}


def _moved(row: InputRow, base: Mapping[str, float], *, up: bool) -> tuple[str, float]:
    """What the move is called and the value it leads to; an empty name if it leads nowhere."""
    value, parameter = base[row.path], load_catalog().parameters.get(row.path)
    if row.move == "factor":
        factor = as_float((row.up if up else row.down) or 1.0)
        said, moved = f"{factor - 1:+.0%}", value * factor
    elif parameter is not None and parameter.scale == "log2":
        said, moved = ("double", value * 2) if up else ("half", value / 2)
    else:
        step = as_float(parameter.step or 0.0) if parameter is not None else 0.0
        unit = parameter.unit if parameter is not None and parameter.unit != ": 1" else ""
        said, moved = f"{step if up else -step:+g} {unit}".strip(), value + (step if up else -step)
    if parameter is not None and parameter.lowest is not None and parameter.highest is not None:
        whole = parameter.kind != "integer" or moved == int(moved)
        if not (parameter.lowest <= moved <= parameter.highest and whole):
            return "", value
    if moved == value:
        return "", value
    return said.replace("-", "\u2212").replace("%", "\u00a0%").replace(" ", "\u00a0"), moved


def _case(
    evaluation: Evaluation,
    base: Mapping[str, float],
    path: str,
    value: float,
    price_book: PriceBook | None,
) -> tuple[dict[str, float], str]:
    """The quantities of a moved design, and what is wrong with it."""
    case = {**base, path: value}
    if path in _FABRIC and value != base[path]:
        case, problem = _with_fabric(evaluation, case, price_book)
        if problem:
            return dict(base), problem
    return case, _plan_problem(evaluation.plan, case)


def _with_fabric(
    evaluation: Evaluation, case: dict[str, float], price_book: PriceBook | None
) -> tuple[dict[str, float], str]:
    """A case with the fabric and the bill of its GPUs and taper."""
    design, parts = evaluation.design, parts_of(evaluation.design, price_book)
    servers = math.ceil(case["cluster.gpus"] / parts.server.gpus)
    fabric = size_fabric(
        design.network.family,
        servers=servers,
        ports_per_server=parts.server.network_ports,
        gpus_per_server=parts.server.gpus,
        radix=parts.switch.radix(parts.link_gbps),
        oversubscription=case["network.oversubscription"],
        core_oversubscription=design.network.core_oversubscription,
        even_spread=SPINE_RULES[design.network.spines],
    )
    if not fabric.buildable:
        return case, f"cannot be built: {fabric.reason}"
    bill = bill_of(design, parts, servers, fabric)
    return {
        **case,
        "servers_usd": sum(row.total_usd or 0.0 for row in bill.rows if row.kind == "server"),
        "network_usd": bill.network_usd,
        "total_usd": bill.total_usd,
        "power_w": bill.total_power_w,
        "machine.network_latency": as_float(parts.transport.latency(fabric.tiers)),
        "pod_gpus": as_float(fabric.pod_gpus),
        "taper": as_float(fabric.oversubscription * fabric.core_oversubscription),
    }, ""


def _plan_problem(plan: Plan, case: Mapping[str, float]) -> str:
    """Why the plan cannot run these GPUs and this batch."""
    ranks = int(plan.tensor * plan.pipeline * plan.context)
    data = int(case["cluster.gpus"]) // ranks
    if data < 1:
        return f"the plan needs {ranks} GPUs"
    if data % int(plan.expert):
        return f"{int(plan.expert)} expert ranks do not divide {data} data ranks"
    if data > case["training.global_batch"]:
        return f"fewer sequences than the {data} data ranks"
    return ""


def _results(evaluation: Evaluation, case: Mapping[str, Array]) -> tuple[dict[str, Array], Array]:
    """The measures of all cases, and whether each fits in memory."""
    arch = _architecture(evaluation.architecture, case["model.size"])
    machine = _machine(evaluation.machine, case)
    calibration = calibration_for(evaluation.machine.generation)
    plan = _plan(evaluation.plan, case)
    training = replace(
        evaluation.training,
        sequence_length=case["training.sequence_length"],
        global_batch=case["training.global_batch"],
    )
    gradient = evaluation.design.training.gradient_bytes
    step = step_time(arch, plan, training, machine, calibration, gradient_bytes=gradient)
    held = memory_per_gpu(
        arch,
        plan,
        training.sequence_length,
        gradient_bytes=gradient,
        workspace=calibration.workspace_bytes,
        operand_bytes=operand_bytes(training.precision),
    ).total
    tokens = case["training.global_batch"] * case["training.sequence_length"]
    budget = case["training.token_budget_trillion"] * 1e12
    per_step = _usd_per_hour(case) * step.step_time_s / SECONDS_PER_HOUR
    if not servers_priced(evaluation):
        per_step = per_step * math.nan
    results = {
        "step_time_s": step.step_time_s,
        "usd_per_million_tokens": per_step / tokens * 1e6,
        "training_days": seconds_to_days(budget / tokens * step.step_time_s),
    }
    shape = tokens.shape
    fits = np.broadcast_to(held <= evaluation.memory_limit, shape)
    return {name: np.broadcast_to(values, shape) for name, values in results.items()}, fits


def _usd_per_hour(case: Mapping[str, Array]) -> Array:
    """Cost of owning the cluster, USD/h."""
    capex = (
        case["total_usd"]
        + (case["price.servers"] - 1) * case["servers_usd"]
        + (case["price.network"] - 1) * case["network_usd"]
    )
    energy = energy_usd_per_year(
        case["power_w"], case["economics.pue"], case["economics.usd_per_kwh"]
    )
    return np.asarray(
        owning_usd_per_hour(
            capex,
            energy,
            case["economics.interest_rate"],
            case["economics.amortisation_years"],
            case["economics.operations_share"],
        )
    )


def _machine(machine: Machine, case: Mapping[str, Array]) -> Machine:
    faster = case["machine.peak_flops"] / as_float(machine.peak_flops)
    speeds: dict[str, Any] = {name: case[f"machine.{name}"] for name in _MACHINE}
    return replace(
        machine,
        **speeds,
        peak_flops_16bit=machine.attention_peak_flops * faster,
        network_latency=case["machine.network_latency"],
        pod_gpus=case["pod_gpus"],
        oversubscription=case["taper"],
    )


def _plan(plan: Plan, case: Mapping[str, Array]) -> Plan:
    """The plan on the GPUs of every case; the data ranks take up what is left."""
    data = np.maximum(case["cluster.gpus"] // (plan.tensor * plan.pipeline * plan.context), 1)
    data[0] = plan.data
    whole = int(plan.shard_group) in (0, int(plan.data * plan.context))
    hybrid = plan.sharding == SHARDING["hsdp"] and not whole
    replicas = data * plan.context
    return replace(
        plan,
        data=data,
        micro_batches=micro_batches(case["training.global_batch"], data, plan.micro_batch),
        shard_group=np.minimum(plan.shard_group, replicas) if hybrid else replicas,
    )


def _architecture(arch: Architecture, size: Array) -> Architecture:
    """Architectures of so many times the parameters: width grows, depth and vocabulary stay."""
    widths = ("hidden", "heads", "kv_heads", "ffn_hidden", "expert_ffn_hidden")
    scale = np.sqrt(size)
    for _ in range(3):
        wider = replace(arch, **{name: getattr(arch, name) * scale for name in widths})
        scale = scale * np.sqrt(size * parameter_count(arch) / parameter_count(wider))
    return replace(arch, **{name: getattr(arch, name) * scale for name in widths})
