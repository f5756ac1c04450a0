"""What floor 3 says to a request, kept as long as it is asked for again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy.typing as npt

from netdesign.app.choices import plan_values
from netdesign.app.congestion_panels.request import WORST, Request
from netdesign.congestion import (
    CollectiveCongestion,
    Conditions,
    Congestion,
    Spread,
    congestion,
    spread,
)
from netdesign.congestion.members import has_rings
from netdesign.congestion.sweep import (
    Crossing,
    TaperCurve,
    crossing_of,
    job_pods,
    taper_curves,
    telling,
)
from netdesign.congestion.table import CollectiveRow, collective_rows
from netdesign.design import Design
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.failures import Outcome, Stage, broken, outcome, stage_of
from netdesign.failures.by_seed import spread_while_broken
from netdesign.failures.by_size import phase_while_broken, step_while_broken
from netdesign.lossless import LosslessChoice, LosslessPlan, lossless_plan
from netdesign.topology.built import Fabric

TAPERS = tuple(1.0 + 0.25 * step for step in range(61))


@dataclass(frozen=True, eq=False)
class Answer:
    """One request answered."""

    request: Request
    design: Design
    evaluation: Evaluation
    found: Congestion
    outcome: Outcome | None
    problem: DesignError | None  # with what is broken
    broken_step_s: float | None
    load: npt.NDArray  # type: ignore[type-arg]
    curves: tuple[TaperCurve, ...]
    crossing: Crossing | None  # of the collective that says most
    rows: tuple[CollectiveRow, ...]

    @property
    def fabric(self) -> Fabric:
        return self.found.scene.fabric

    @property
    def worst(self) -> CollectiveCongestion | None:
        return self.found.worst

    @property
    def hashed(self) -> bool:
        return self.found.scene.policy == "ecmp"

    @property
    def three_tiers(self) -> bool:
        """Whether there are switches above the spines."""
        return bool(self.fabric.tier.max(initial=0) > 1)

    @property
    def tapers(self) -> bool:
        """Whether there are switches above the leaves: else a taper is asked for, not built."""
        return bool(self.fabric.tier.max(initial=0) > 0)

    @property
    def several_pods(self) -> bool:
        """Whether a data-parallel ring could be spread over pods in another way."""
        return has_rings(self.found.scene.plan) and job_pods(self.found) > 1

    @property
    def broken_links(self) -> npt.NDArray | None:  # type: ignore[type-arg]
        if self.outcome is None:
            return None
        return self.outcome.broken | self.outcome.scenario.slowed


def answer(request: Request) -> Answer:
    """Answer a request.

    Raises
    ------
    DesignError     for a design that cannot be evaluated or built
    """
    best = plan_values(_evaluated(request.sized)) if request.steers_plan else {}
    design, conditions = request.planned(best), request.conditions
    found = congested(design, conditions)
    worst, said = found.worst, telling(found)
    whole = request.value("shown") != WORST or worst is None
    load = found.load if whole or worst is None else worst.phase.load
    outcome_found, problem, step = None, None, None
    if request.broken:
        try:
            outcome_found = _outcome(design, conditions, request.broken)
        except DesignError as error:
            problem = error
        else:
            step = step_while_broken(found, outcome_found)
            load = outcome_found.load
            if not whole and worst is not None:
                stage = _stage(design, conditions)
                load = phase_while_broken(stage, outcome_found.scenario, worst.pattern).load
    return Answer(
        request=request,
        design=design,
        evaluation=found.evaluation,
        found=found,
        outcome=outcome_found,
        problem=problem,
        broken_step_s=step,
        load=load,
        curves=taper_curves(found, TAPERS),
        crossing=None if said is None else crossing_of(found, said),
        rows=collective_rows(found),
    )


def pinned(found: Answer) -> Design:
    """The design with the plan that is shown, so that another taper does not choose another."""
    values = plan_values(found.evaluation)
    return found.design.with_values({**values, "plan.mode": "manual"})


@lru_cache(maxsize=16)
def _evaluated(design: Design) -> Evaluation:
    return evaluate(design)


@lru_cache(maxsize=16)
def congested(design: Design, conditions: Conditions) -> Congestion:
    """The traffic of a design's plan over its built fabric."""
    return congestion(_evaluated(design), conditions)


@lru_cache(maxsize=8)
def _stage(design: Design, conditions: Conditions) -> Stage:
    return stage_of(_evaluated(design), conditions)


@lru_cache(maxsize=8)
def _outcome(design: Design, conditions: Conditions, word: str) -> Outcome:
    stage = _stage(design, conditions)
    return outcome(stage, broken(stage.fabric, word, nic_ports=stage.nic_ports))


def stage_for(found: Answer) -> Stage:
    """The job of an answer, for breaking things."""
    return _stage(found.design, found.request.conditions)


@lru_cache(maxsize=16)
def headroom(design: Design, choice: LosslessChoice) -> LosslessPlan | DesignError:
    """The lossless plan, or why there is none."""
    try:
        return lossless_plan(_evaluated(design), choice)
    except DesignError as error:
        return error


def seeds_of(found: Answer, seed: int) -> Spread:
    """The outcome with another seed, of the fabric as it is shown: with what is broken."""
    conditions = with_seed(found.request.conditions, seed)
    if found.outcome is None:
        return spread(found.evaluation, conditions, seeds=1)
    return spread_while_broken(found.evaluation, conditions, found.request.broken, seeds=1)


def with_seed(conditions: Conditions, seed: int) -> Conditions:
    """The same with another seed."""
    return replace(conditions, seed=seed)
