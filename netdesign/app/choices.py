"""What a person reads for each choice, and which values follow from one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from netdesign.catalog import load_catalog
from netdesign.charts.words import FAMILIES
from netdesign.design import NOT_MEASURED, Design, automatic_name, is_named
from netdesign.workload.plan import RECOMPUTE, shard_ranks

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

BY_SIZE = "by-size"
BEST, MANUAL = "best", "manual"
GIVEN = "given"
WITH_ANY_PLAN = ("plan.mode", "plan.schedule")  # what a best plan leaves to the planner

_WORDS: dict[str, Mapping[Any, str]] = {
    "training.precision": {"bf16": "BF16", "fp8": "FP8"},
    "training.dispatch_precision": {"bf16": "BF16", "fp8": "FP8"},
    "training.gradient_bytes": {2: "2 bytes (BF16)", 4: "4 bytes (FP32)"},
    "plan.mode": {BEST: "best that fits", MANUAL: "set by hand"},
    "plan.sharding": {
        "ddp": "none (DDP)",
        "zero-1": "ZeRO-1: optimizer states",
        "zero-2": "ZeRO-2: and gradients",
        "zero-3": "ZeRO-3: and weights",
        "fsdp": "FSDP",
        "hsdp": "HSDP: within shard groups",
    },
    "plan.schedule": {
        "1f1b": "1F1B",
        "zero-bubble": "zero-bubble",
        "dualpipe": "DualPipe",
    },
    "plan.recompute": {
        "none": "none",
        "selective": "selective",
        "full": "full",
    },
    "network.family": FAMILIES,
    "network.spines": {
        "auto": "so that leaves share all uplinks",
        "even": "a number that divides the uplinks",
        "fewest": "the fewest that have the ports",
    },
    "reliability.fleet": {
        "llama-3": "Llama 3, 16,384 H100",
        "rsc-1": "Meta RSC-1, A100",
        "rsc-2": "Meta RSC-2, A100",
        GIVEN: "given below",
    },
    "reliability.checkpoint_network": {
        "own": "a storage network",
        "compute": "the compute fabric",
    },
}


def names(path: str) -> dict[Any, str]:
    """Name of each value that a choice parameter may have, in the order of the data files."""
    catalog = load_catalog()
    words = _WORDS.get(path)
    if path == "training.gradient_bytes" and words:
        return dict(words)
    found: dict[Any, str] = {}
    for token in catalog.parameters[path].choices:
        if token.startswith("@"):
            table = getattr(catalog, token[1:])
            found.update({key: getattr(row, "name", key) for key, row in table.items()})
        else:
            found[token] = (words or {}).get(token, token)
    if BY_SIZE in found:
        found[BY_SIZE] = "any size (use the slider)"
    return found


def said(path: str, value: Any) -> str:
    """A value of a parameter as a person reads it."""
    parameter = load_catalog().parameters.get(path)
    if parameter is None:
        return str(value)
    if parameter.kind == "choice":
        return names(path).get(value, str(value))
    if parameter.kind == "flag":
        return "on" if value else "off"
    return f"{value:,.10g}"


def label(path: str) -> str:
    """What a parameter is called."""
    parameter = load_catalog().parameters.get(path)
    return parameter.label if parameter else path


def plan_values(evaluation: Evaluation) -> dict[str, Any]:
    """The plan of an Evaluation as values of the manual controls."""
    plan = evaluation.plan
    recompute = {code: name for name, code in RECOMPUTE.items()}
    return {
        "plan.tensor": int(plan.tensor),
        "plan.pipeline": int(plan.pipeline),
        "plan.context": int(plan.context),
        "plan.expert": int(plan.expert),
        "plan.micro_batch": int(plan.micro_batch),
        "plan.virtual_stages": int(plan.virtual_stages),
        "plan.sharding": _sharding(evaluation),
        "plan.shard_group": max(1, int(plan.shard_group)),
        "plan.recompute": recompute[int(plan.recompute)],
        "plan.sequence_parallel": bool(plan.sequence_parallel),
    }


def _sharding(evaluation: Evaluation) -> str:
    plan = evaluation.plan
    stage = int(plan.sharding)
    if stage < 3:
        return ("ddp", "zero-1", "zero-2")[stage]
    return "fsdp" if int(shard_ranks(plan)) >= int(plan.data) * int(plan.context) else "hsdp"


def what_follows(
    design: Design, changes: Mapping[str, Any], evaluation: Evaluation | None
) -> dict[str, Any]:
    """The changes, and what they bring with them.

    Dragging the size leaves the preset; choosing a preset moves the size; taking the plan into
    one's own hands starts from the plan that was found; other servers, or another transport, are
    not those that own logs measured; a name that nobody chose follows the values.
    """
    all_changes = dict(changes)
    if "model.parameters_billion" in changes:
        all_changes.setdefault("model.preset", BY_SIZE)
    preset = load_catalog().models.get(changes.get("model.preset", BY_SIZE))
    if preset is not None and "model.parameters_billion" not in changes:
        all_changes["model.parameters_billion"] = float(f"{preset.published_parameters / 1e9:.4g}")
    by_hand = changes.get("plan.mode") == MANUAL and design.plan.mode == BEST
    if by_hand and evaluation is not None and evaluation.design == design:
        all_changes = {**plan_values(evaluation), **all_changes}
    all_changes = {**_no_longer_measured(design, changes), **all_changes}
    if "name" not in changes and not is_named(design):
        all_changes["name"] = automatic_name(design.with_values(all_changes))
    return all_changes


def _no_longer_measured(design: Design, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Factors of own logs that do not hold for the machines or the network that are chosen."""
    if not design.measured.logs:
        return {}

    def other(path: str) -> bool:
        return bool(changes.get(path, design.value(path)) != design.value(path))

    if other("cluster.server"):
        return dict(NOT_MEASURED)
    if other("network.transport"):
        return {path: value for path, value in NOT_MEASURED.items() if ".network_" in path}
    return {}
