"""An Evaluation as plain numbers with the unit in every name: what ``--json`` prints."""

from __future__ import annotations

import math
from typing import Any

from netdesign.bands import MEANING, SHARE, Band, bands
from netdesign.charts.own_words import own_measurements
from netdesign.economics.bom import BillOfMaterials
from netdesign.evaluate import Evaluation
from netdesign.export.goodput_record import goodput_record, tail_record
from netdesign.performance.step import CommunicationTime
from netdesign.units import bytes_per_second_to_gbps
from netdesign.workload.plan import shard_ranks
from netdesign.workload.traffic import Collective


def to_record(evaluation: Evaluation) -> dict[str, Any]:
    """Nested dictionaries that are valid JSON: an unbounded number becomes ``None``."""
    record = {
        "name": evaluation.design.name,
        "design": evaluation.design.model_dump(),
        "model": _model(evaluation),
        "plan": _plan(evaluation),
        "requirement": _requirement(evaluation),
        "memory": _memory(evaluation),
        "traffic": [_collective(entry) for entry in evaluation.traffic if entry.calls > 0],
        "step": _step(evaluation),
        "fabric": _fabric(evaluation),
        "bom": _bom(evaluation.bom),
        "order": _bom(evaluation.order),
        "cost": _cost(evaluation),
        "tail": tail_record(evaluation.tail),
        "goodput": goodput_record(evaluation.goodput),
        "band": {"runs_share": SHARE, "meaning": MEANING},
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "sentence": finding.sentence,
                "fix": finding.fix,
                "field": finding.field,
                "suggestion": finding.suggestion,
            }
            for finding in evaluation.findings
        ],
    }
    own = own_measurements(evaluation.design)
    if own:
        record["collectives"] = f"use {own}"
    return {key: _plain(value) for key, value in record.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _model(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "architecture": evaluation.architecture.name,
        "parameters_count": evaluation.parameters,
        "active_parameters_count": evaluation.active_parameters,
        "tokens_per_step_count": evaluation.tokens_per_step,
    }


def _plan(evaluation: Evaluation) -> dict[str, Any]:
    plan = evaluation.plan
    return {
        "label": evaluation.plan_label,
        "tensor_ranks": plan.tensor,
        "pipeline_ranks": plan.pipeline,
        "context_ranks": plan.context,
        "expert_ranks": plan.expert,
        "data_ranks": plan.data,
        "micro_batch_sequences": plan.micro_batch,
        "micro_batches_count": plan.micro_batches,
        "virtual_stages_count": plan.virtual_stages,
        "zero_stage": plan.sharding,
        "shard_group_ranks": shard_ranks(plan),
        "recompute_level": plan.recompute,
        "sequence_parallel": plan.sequence_parallel,
    }


def _requirement(evaluation: Evaluation) -> dict[str, Any]:
    need = evaluation.requirement
    return {
        "communication_share": need.communication_share,
        "bandwidth_per_gpu_gbps": bytes_per_second_to_gbps(need.bandwidth_per_gpu),
        "bandwidth_per_server_gbps": bytes_per_second_to_gbps(need.bandwidth_per_server),
        "latency_tolerated_s": need.latency_tolerated_s,
        "reached_share": need.share_reached,
        "floor_share": need.share_floor,
        "given_bandwidth_per_gpu_gbps": bytes_per_second_to_gbps(
            evaluation.machine.network_bandwidth
        ),
    }


def _memory(evaluation: Evaluation) -> dict[str, Any]:
    memory = evaluation.memory
    return {
        "weights_bytes": memory.weights,
        "gradients_bytes": memory.gradients,
        "optimizer_bytes": memory.optimizer,
        "activations_bytes": memory.activations,
        "workspace_bytes": memory.workspace,
        "total_bytes": memory.total,
        "limit_bytes": evaluation.memory_limit,
        "fits": bool(memory.total <= evaluation.memory_limit),
    }


def _collective(entry: Collective) -> dict[str, Any]:
    return {
        "parallelism": entry.parallelism,
        "operation": entry.operation,
        "group_ranks": entry.span.ranks,
        "group_local_ranks": entry.span.local,
        "message_bytes": entry.size,
        "calls_per_step_count": entry.calls,
        "per_gpu_per_step_bytes": entry.bytes_per_gpu,
        "network_per_gpu_per_step_bytes": entry.network_bytes_per_gpu,
    }


def _communication(part: CommunicationTime) -> dict[str, Any]:
    return {
        "parallelism": part.parallelism,
        "total_s": part.total_s,
        "exposed_s": part.exposed_s,
        "network_exposed_s": part.network_exposed_s,
    }


def _banded(name: str, unit: str, band: Band) -> dict[str, float]:
    """A number and the ends of its range; the unit stays last in the names, and whole."""
    stem = f"{name}_" if name else ""
    return {
        f"{stem}{unit}": band.value,
        f"{stem}low_{unit}": band.low,
        f"{stem}high_{unit}": band.high,
    }


def _step(evaluation: Evaluation) -> dict[str, Any]:
    step, found = evaluation.step, bands(evaluation)
    return {
        **_banded("step_time", "s", found.step_time_s),
        "compute_s": step.compute_s,
        "bubble_s": step.bubble_s,
        "communication": [_communication(part) for part in step.communication if part.total_s > 0],
        "communication_exposed_s": step.exposed_s,
        "optimizer_s": step.optimizer_s,
        "overhead_s": step.overhead_s,
        "bubble_share": step.bubble_share,
        "model_flops": step.model_flops,
        **_banded("", "tokens_per_s", found.tokens_per_s),
        **_banded("", "tokens_per_s_per_gpu", found.tokens_per_s_per_gpu),
        **_banded("mfu", "share", found.mfu),
    }


def _fabric(evaluation: Evaluation) -> dict[str, Any]:
    fabric = evaluation.fabric
    return {
        "family": fabric.family,
        "endpoints_count": fabric.endpoints,
        "radix_count": fabric.radix,
        "tiers_count": fabric.tiers,
        "leaves_count": fabric.leaves,
        "spines_count": fabric.spines,
        "cores_count": fabric.cores,
        "switches_count": fabric.switches,
        "access_links_count": fabric.access_links,
        "leaf_spine_links_count": fabric.leaf_spine_links,
        "spine_core_links_count": fabric.spine_core_links,
        "oversubscription_ratio": fabric.oversubscription,
        "core_oversubscription_ratio": fabric.core_oversubscription,
        "pod_gpus": fabric.pod_gpus,
        "stranded_ports_count": fabric.stranded_ports,
        "largest_endpoints_count": fabric.largest,
        "independent_fabrics_count": fabric.independent_fabrics,
        "buildable": bool(fabric.buildable),
        "reason": fabric.reason,
    }


def _bom(bom: BillOfMaterials) -> dict[str, Any]:
    return {
        "price_book": bom.price_book,
        "rows": [
            {
                "part_id": row.part_id,
                "name": row.name,
                "kind": row.kind,
                "place": row.place,
                "quantity_count": row.quantity,
                "unit_price_usd": row.unit_price_usd,
                "total_usd": row.total_usd,
                "price_source": row.price_source,
                "price_date": row.price_date,
                "unit_power_w": row.power_w,
                "network": row.network,
                "of_network": row.of_network,
            }
            for row in bom.rows
        ],
        "total_usd": bom.total_usd,
        "network_usd": bom.network_usd,
        "total_power_w": bom.total_power_w,
        "network_power_w": bom.network_power_w,
        "unpriced": list(bom.unpriced),
        "unmetered": list(bom.unmetered),
    }


def _cost(evaluation: Evaluation) -> dict[str, Any]:
    cost, found = evaluation.cost, bands(evaluation)
    return {
        "capex_usd": cost.capex_usd,
        "network_capex_usd": cost.network_capex_usd,
        "network_share": cost.network_share,
        "power_w": cost.power_w,
        "energy_usd_per_year": cost.energy_usd_per_year,
        "usd_per_gpu_hour": cost.usd_per_gpu_hour,
        **_banded("", "usd_per_step", found.usd_per_step),
        **_banded("", "usd_per_million_tokens", found.usd_per_million_tokens),
        **_banded("training", "usd", found.training_usd),
        **_banded("training", "days", found.training_days),
        **_banded("training", "gpu_hours", found.training_gpu_hours),
        **_banded("network_wait", "usd_per_day", found.network_wait_usd_per_day),
        "complete": cost.complete,
    }
