"""All rules in one list, and the order in which they speak."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from netdesign.findings import compatibility, fabric, growth, job, money, reliability
from netdesign.findings.finding import SEVERITIES, Finding

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation

Rule = Callable[["Evaluation"], Finding | None]

RULES: tuple[Rule, ...] = (
    job.memory_does_not_fit,
    fabric.too_large_for_the_family,
    compatibility.wrong_switch,
    compatibility.wrong_technology,
    compatibility.switch_of_the_transport,
    compatibility.srd_is_not_chosen,
    fabric.single_switch_is_full,
    job.tensor_leaves_the_domain,
    job.idle_gpus,
    job.communication_over_budget,
    fabric.sharded_over_a_taper,
    fabric.taper_slows_the_step,
    fabric.leaf_pairs_share_less,
    fabric.pod_pairs_share_less,
    fabric.hashed_paths,
    money.run_outlives_the_hardware,
    compatibility.slow_links,
    reliability.ettr_is_low,
    reliability.checkpoint_write_is_slow,
    job.bubble_is_large,
    job.memory_is_tight,
    job.batch_does_not_divide,
    job.uneven_stages,
    job.longer_than_the_model_was_made_for,
    fabric.reduction_has_no_effect,
    fabric.one_switch_would_do,
    fabric.stranded_ports,
    fabric.partly_filled_server,
    reliability.storage_shares_the_compute_fabric,
    reliability.single_homed_stops,
    growth.cables_move_when_it_doubles,
    money.network_share_is_low,
    money.network_share_is_high,
    money.prices_missing,
    money.power_missing,
)


def find(evaluation: Evaluation) -> tuple[Finding, ...]:
    """Every finding of an evaluation, worst first; equals keep the order of ``RULES``."""
    found = [finding for rule in RULES if (finding := rule(evaluation)) is not None]
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))
