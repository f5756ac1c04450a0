"""The leading parallel plans of a job as a table of text and as plain numbers."""

from __future__ import annotations

from typing import Any

from netdesign.ranking import Ranking, Standing, reason, verdict
from netdesign.units import bytes_to_gigabytes
from netdesign.workload.plan import shard_ranks


def ranking_record(ranking: Ranking, most: int) -> dict[str, Any]:
    """Nested dictionaries that are valid JSON, units in the names."""
    return {
        "valid_count": ranking.valid,
        "tried_count": ranking.tried,
        "fitting_count": ranking.fitting,
        "memory_limit_bytes": float(ranking.job.memory_limit),
        "sentences": list(verdict(ranking)),
        "own": _standing(ranking.own, ranking),
        "ranked": [_standing(standing, ranking) for standing in ranking.standings(most)],
    }


def _standing(standing: Standing, ranking: Ranking) -> dict[str, Any]:
    plan = standing.plan
    return {
        "rank": standing.rank,
        "label": standing.label,
        "tensor_ranks": int(plan.tensor),
        "pipeline_ranks": int(plan.pipeline),
        "context_ranks": int(plan.context),
        "expert_ranks": int(plan.expert),
        "data_ranks": int(plan.data),
        "micro_batch_sequences": int(plan.micro_batch),
        "virtual_stages_count": int(plan.virtual_stages),
        "zero_stage": int(plan.sharding),
        "shard_group_ranks": int(shard_ranks(plan)),
        "recompute_level": int(plan.recompute),
        "step_time_s": standing.step_time_s,
        "step_time_low_s": standing.step_time_low_s,
        "step_time_high_s": standing.step_time_high_s,
        "memory_bytes": standing.memory_bytes,
        "variants_count": standing.variants,
        "parts": {f"{name}_s": value for name, value in standing.parts.items()},
        "against_own": "" if standing.label == ranking.own.label else _against(standing, ranking),
    }


def _against(standing: Standing, ranking: Ranking) -> str:
    return reason(standing, ranking.own)


def ranking_text(ranking: Ranking, most: int) -> str:
    """A table of the best plan of each set of degrees, and why the design has its own."""
    lines = ["", "Plans, the fastest of each set of degrees"]
    if ranking.fitting:
        lines.append(f"  {'place':>7} {'step time':>11} {'memory':>9}  plan")
    for one in ranking.standings(most):
        memory = f"{bytes_to_gigabytes(one.memory_bytes):,.1f} GB"
        own = one.label == ranking.own.label
        lines.append(
            f"  {one.rank:>7,} {one.step_time_s:>9,.3f} s {memory:>9}  {one.label}"
            + (" (the design's)" if own else "")
        )
        if not own:
            lines.append(f"{'':>32}{_against(one, ranking)}")
    return "\n".join([*lines, *(f"  {sentence}" for sentence in verdict(ranking))])
