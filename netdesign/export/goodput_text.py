"""Failures, checkpoints and tails of an Evaluation as lines for a shell: label and value."""

from __future__ import annotations

from netdesign.evaluate import Evaluation
from netdesign.reliability import optimism
from netdesign.units import (
    SECONDS_PER_MINUTE,
    bytes_to_gigabytes,
    seconds_to_hours,
    seconds_to_microseconds,
)


def goodput_lines(evaluation: Evaluation) -> list[tuple[str, str]]:
    """What failures and tails leave of the time."""
    found, tail = evaluation.goodput, evaluation.tail
    best = "best" if found.interval_is_best else "given"
    return [
        (
            "stops",
            f"every {seconds_to_hours(found.mttf_s):,.3g} h "
            f"({optimism(found) or 'as in ' + found.fleet})",
        ),
        (
            "checkpoint",
            f"{bytes_to_gigabytes(found.checkpoint_bytes):,.0f} GB in {found.write_s:,.3g} s, "
            f"every {found.interval_s / SECONDS_PER_MINUTE:,.3g} min ({best})",
        ),
        (
            "time that counts",
            f"{found.ettr:.1%} (ETTR): {found.effective_training_days:,.1f} days with failures, "
            f"${found.usd_per_useful_gpu_hour:,.2f} per useful GPU-hour",
        ),
        (
            "tail",
            f"{tail.barriers:,.0f} exposed barriers a step; p{100 * tail.percentile:.6g} of a GPU "
            f"matters; jitter of {seconds_to_microseconds(tail.jitter_s):,.3g} us costs "
            f"{tail.overhead_share:.2%}",
        ),
    ]
