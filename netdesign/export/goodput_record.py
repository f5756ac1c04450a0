"""Failures, checkpoints and tails of an Evaluation as plain numbers with units in the names."""

from __future__ import annotations

from typing import Any

from netdesign.performance.goodput import Goodput
from netdesign.performance.tails import Tail
from netdesign.reliability import optimism


def goodput_record(found: Goodput) -> dict[str, Any]:
    """What is left of the time between failures and checkpoints."""
    return {
        "fleet": found.fleet,
        "failures_per_1000_node_days_count": 1000.0 * found.failures_per_node_day,
        "nodes_count": found.nodes,
        "mttf_s": found.mttf_s,
        "mttf_as_measured_s": found.mttf_as_measured_s,
        "optimistic": found.optimistic,
        "remark": optimism(found),
        "checkpoint_bytes": found.checkpoint_bytes,
        "write_bytes_per_s": found.write_bandwidth,
        "write_s": found.write_s,
        "interval_s": found.interval_s,
        "interval_is_best": found.interval_is_best,
        "restart_s": found.restart_s,
        "ettr_share": found.ettr,
        "stops_per_day_count": found.stops_per_day,
        "effective_training_days": found.effective_training_days,
        "effective_tokens_per_s": found.effective_tokens_per_s,
        "useful_usd_per_gpu_hour": found.usd_per_useful_gpu_hour,
        "lost_usd_per_day": found.lost_usd_per_day,
        "ingest_bytes_per_s": found.ingest_bandwidth,
    }


def tail_record(found: Tail) -> dict[str, Any]:
    """Barriers of a step and what jitter costs at them."""
    return {
        "participants_count": found.participants,
        "percentile_share": found.percentile,
        "barriers_count": found.barriers,
        "kinds": [
            {
                "parallelism": kind.parallelism,
                "calls_count": kind.calls,
                "exposed_count": kind.exposed,
                "participants_count": kind.participants,
                "percentile_share": kind.percentile,
            }
            for kind in found.kinds
        ],
        "jitter_s": found.jitter_s,
        "lateness_s": found.lateness_s,
        "overhead_share": found.overhead_share,
        "tolerated_jitter_s": found.tolerated_jitter_s,
    }
