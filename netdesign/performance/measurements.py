"""Published training runs: what was trained, on what, and how long a step took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from netdesign import units
from netdesign.arrays import Array, Numeric
from netdesign.catalog import Accelerator, Table, Transport, data_directory, load_catalog
from netdesign.catalog.tables import Count, CountOrZero, Name, Positive, Row, read_table
from netdesign.performance.calibration import Calibration
from netdesign.performance.compute import EIGHT_BIT, operand_bytes
from netdesign.performance.machine import Machine, Training
from netdesign.performance.step import StepTime, step_time
from netdesign.workload.memory import memory_per_gpu
from netdesign.workload.plan import RECOMPUTE, SHARDING, Plan
from netdesign.workload.transformer import Architecture

ARCHITECTURE_NUMBERS = (
    "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn_hidden", "vocab", "experts",
    "experts_per_token", "shared_experts", "expert_ffn_hidden", "dense_layers", "query_rank",
    "kv_rank", "nope_dim", "rope_dim", "value_dim",
)  # fmt: skip
_RECOMPUTE = {**RECOMPUTE, "half": 1.5}  # of the layers, as Plan.recompute counts
_PLAN_NUMBERS = ("tensor", "pipeline", "context", "expert", "data", "micro_batch")


class MeasuredRun(Row):
    """A training run as its source reports it; a blank cell is what the source does not say.

    ``network_stated`` is false where the rate of the network is that of the accelerator's usual
    server. ``document_length`` is the mean length of the documents that a sequence packs, where
    attention keeps to them. ``recompute`` is ``half`` where every other layer, or every other
    product, is computed again. ``left_out`` names the rule that keeps a run out of fits and scores.
    """

    id: Name
    software: Name
    year: Count
    model: Name
    layers: Count
    hidden: Count
    ffn_hidden: CountOrZero
    heads: Count
    kv_heads: Count
    head_dim: Count
    vocab: Count
    gated_ffn: bool
    experts: CountOrZero
    experts_per_token: CountOrZero
    shared_experts: CountOrZero
    expert_ffn_hidden: CountOrZero
    dense_layers: CountOrZero
    query_rank: CountOrZero
    kv_rank: CountOrZero
    nope_dim: CountOrZero
    rope_dim: CountOrZero
    value_dim: CountOrZero
    norm: Literal["rms", "layer"]
    sequence_length: Count
    accelerator: Name
    gpus: Count
    domain_gpus: Count
    network_gbps_per_gpu: Positive
    network_stated: bool
    transport: Name
    tensor: Count
    pipeline: Count
    context: Count
    expert: Count
    data: Count
    virtual_stages: Count | None = None
    sharding: Literal["ddp", "zero-1", "zero-2", "zero-3", "fsdp", "hsdp"] | None = None
    shard_group: CountOrZero = 0
    micro_batch: Count
    global_batch: Count
    sequence_parallel: bool
    precision: Literal["bf16", "fp16", "fp8", "mxfp8", "nvfp4"]
    gradient_bytes: Count
    recompute: Literal["none", "selective", "half", "full", "custom"] | None = None
    flash_attention: bool
    overlap: bool
    document_length: Count | None = None
    step_time_s: Positive
    left_out: str = ""


@dataclass(frozen=True)
class RunBatch:
    """Runs that differ in numbers only, as arrays: one evaluation of the model for all."""

    runs: tuple[MeasuredRun, ...]
    architecture: Architecture
    plan: Plan
    training: Training
    machine: Machine
    gradient_bytes: Numeric
    measured: Array  # s

    def step(self, calibration: Calibration) -> StepTime:
        """The model's step times, one for each run."""
        return step_time(
            self.architecture,
            self.plan,
            self.training,
            replace(self.machine, domain_latency=calibration.domain_latency_s),
            calibration,
            gradient_bytes=self.gradient_bytes,
        )

    def memory_bytes(self, calibration: Calibration) -> Numeric:
        """The model's memory need of a GPU."""
        return memory_per_gpu(
            self.architecture,
            self.plan,
            self.training.sequence_length,
            workspace=calibration.workspace_bytes,
            gradient_bytes=self.gradient_bytes,
            flash_attention=self.training.flash_attention,
            operand_bytes=operand_bytes(self.training.precision),
        ).total

    def least_memory_bytes(self, calibration: Calibration) -> Numeric:
        """The memory need under the most saving recomputation that the source leaves open."""
        unsaid = np.array([run.recompute not in _RECOMPUTE for run in self.runs])
        saving = np.where(unsaid, RECOMPUTE["full"], self.plan.recompute)
        other = replace(self, plan=replace(self.plan, recompute=saving)).memory_bytes(calibration)
        return np.minimum(other, self.memory_bytes(calibration))


@cache
def measured_runs() -> Table[MeasuredRun]:
    """The runs of ``data/measurements/training.csv`` by id."""
    return read_runs(data_directory() / "measurements" / "training.csv")


def read_runs(path: Path) -> Table[MeasuredRun]:
    """Read a table of runs.

    Raises
    ------
    DesignError     naming file, row and column of the first thing that is wrong
    """
    return read_table(path, MeasuredRun, "measured run")


@cache
def measured_accelerators() -> Mapping[str, Accelerator]:
    """Accelerators of the catalogue, and older ones that occur only in measured runs."""
    older = data_directory() / "measurements" / "accelerators.csv"
    return {**load_catalog().accelerators, **read_table(older, Accelerator, "accelerator")}


def generation_of(run: MeasuredRun) -> str:
    """Generation of the accelerator of a run."""
    return measured_accelerators()[run.accelerator].generation


def scope_of(run: MeasuredRun) -> str:
    """Scope of the constants that suit a run: its generation, or an era of software on it."""
    era = f"{generation_of(run)}/{run.software}"
    return era if ("matrix_efficiency", era) in load_catalog().calibrations else generation_of(run)


def run_batches(runs: Iterable[MeasuredRun], calibration: Calibration) -> list[RunBatch]:
    """Sort runs into batches that one call of the model can evaluate.

    Where a source does not say what is recomputed, the least that fits in memory is taken: none,
    selective, or as many layers in full as must be; where it does not say how
    states are sharded, the optimizer's are; where it names no virtual stages, there is one.

    Parameters
    ----------
    runs : iterable of MeasuredRun
    calibration : Calibration           its memory constants decide what fits
    """
    groups: dict[tuple[object, ...], list[MeasuredRun]] = {}
    for run in runs:
        key = (
            run.gated_ffn, run.norm, run.sequence_parallel, run.flash_attention,
            run.overlap, run.precision in EIGHT_BIT, run.transport, run.experts > 0,
            run.kv_rank > 0,
        )  # fmt: skip
        groups.setdefault(key, []).append(run)
    return [_with_recompute(_batch(tuple(group)), calibration) for group in groups.values()]


def _batch(runs: tuple[MeasuredRun, ...]) -> RunBatch:
    first = runs[0]
    precision = "fp8" if first.precision in EIGHT_BIT else "bf16"
    numbers: dict[str, Any] = {name: _column(runs, name) for name in ARCHITECTURE_NUMBERS}
    architecture = Architecture(
        name=first.model, gated_ffn=first.gated_ffn, norm=first.norm, **numbers
    )
    batch = _column(runs, "global_batch")
    degrees: dict[str, Any] = {name: _column(runs, name) for name in _PLAN_NUMBERS}
    plan = Plan(
        **degrees,
        micro_batches=batch // (_column(runs, "data") * _column(runs, "micro_batch")),
        virtual_stages=np.array([run.virtual_stages or 1 for run in runs]),
        sharding=np.array([SHARDING[run.sharding or "zero-1"] for run in runs]),
        shard_group=_column(runs, "shard_group"),
        recompute=np.array([_RECOMPUTE.get(run.recompute or "", -1) for run in runs]),
        sequence_parallel=first.sequence_parallel,
    )
    training = Training(
        sequence_length=_column(runs, "sequence_length"),
        global_batch=batch,
        precision=precision,
        document_length=np.array([run.document_length or run.sequence_length for run in runs]),
        flash_attention=first.flash_attention,
        overlap=first.overlap,
    )
    return RunBatch(
        runs=runs,
        architecture=architecture,
        plan=plan,
        training=training,
        machine=_machine(runs, precision),
        gradient_bytes=_column(runs, "gradient_bytes"),
        measured=_column(runs, "step_time_s"),
    )


def _machine(runs: tuple[MeasuredRun, ...], precision: str) -> Machine:
    """The machine of each run, on a fabric without tapers."""
    parts = [measured_accelerators()[run.accelerator] for run in runs]
    transport: Transport = load_catalog().transports[runs[0].transport]
    gpus = _column(runs, "gpus")
    return Machine(
        accelerator="",
        generation=parts[0].generation,
        peak_flops=np.array([part.peak_flops(precision) for part in parts]),
        power_w=np.array([part.power_w or np.nan for part in parts]),
        peak_flops_16bit=np.array([part.peak_flops() for part in parts]),
        exponential_rate=np.array([part.exponential_rate for part in parts]),
        memory_bytes=np.array([part.memory_bytes for part in parts]),
        memory_bandwidth=np.array([part.memory_bandwidth for part in parts]),
        domain_gpus=_column(runs, "domain_gpus"),
        domain_bandwidth=np.array([part.scaleup_bandwidth for part in parts]),
        domain_latency=0.0,
        network_bandwidth=units.gbps_to_bytes_per_second(_column(runs, "network_gbps_per_gpu")),
        framing_efficiency=transport.framing_efficiency,
        balance_efficiency=transport.balance_efficiency,
        network_latency=transport.latency(2),
        pod_gpus=gpus,
        oversubscription=1.0,
    )


def _with_recompute(batch: RunBatch, calibration: Calibration) -> RunBatch:
    """Fill in what a source does not say: the least recomputation that fits."""
    card = batch.machine.memory_bytes * calibration.usable_memory_share

    def need(code: float) -> Numeric:
        plan = replace(batch.plan, recompute=np.full(len(batch.runs), float(code)))
        return replace(batch, plan=plan).memory_bytes(calibration)

    least, most = need(RECOMPUTE["selective"] + 1e-9), need(RECOMPUTE["full"])
    share = np.clip((least - card) / np.maximum(least - most, 1.0), 0.0, 1.0)
    chosen = np.where(need(RECOMPUTE["selective"]) <= card, RECOMPUTE["selective"], 1.0 + share)
    chosen = np.where(need(RECOMPUTE["none"]) <= card, RECOMPUTE["none"], chosen)
    stated = batch.plan.recompute
    return replace(batch, plan=replace(batch.plan, recompute=np.where(stated >= 0, stated, chosen)))


def _column(runs: Sequence[MeasuredRun], name: str) -> Array:
    return np.array([getattr(run, name) for run in runs])
