"""One side of a comparison: a design evaluated with the figures of its transport."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from netdesign.arrays import Numeric, as_float
from netdesign.catalog import PriceBook, load_catalog
from netdesign.catalog.transport_facts import ReductionRow, reduction_rows
from netdesign.comparison.figures import Overrides, TransportFigures, figures_of
from netdesign.design import Design
from netdesign.evaluate import Evaluation, evaluate
from netdesign.network.transport import reduction_gain
from netdesign.performance.calibration import calibration_for
from netdesign.performance.machine import Machine
from netdesign.performance.step import StepTime, step_time
from netdesign.performance.tails import Tail, tail_of


@dataclass(frozen=True)
class Reduction:
    """What switches that add could give to a design; off unless it asks for it."""

    row: ReductionRow
    gain: float  # of an all-reduce between the servers, at most
    all_reduce_share: float  # of the bytes on the network; the rest gains nothing


@dataclass(frozen=True)
class Side:
    """A design on its fabric; the evaluation's step is that with ``figures``."""

    evaluation: Evaluation
    figures: TransportFigures
    step: StepTime
    ratio_low: float  # step time with the best figures, over that with the figures
    ratio_high: float  # and with the worst

    @property
    def design(self) -> Design:
        return self.evaluation.design

    @property
    def machine(self) -> Machine:
        """The machine with the figures of the transport."""
        return replace(
            self.evaluation.machine,
            framing_efficiency=self.figures.framing.value,
            balance_efficiency=self.figures.balance.value,
            network_latency=self.figures.latency(self.evaluation.fabric.tiers),
        )

    @property
    def step_time_s(self) -> float:
        return as_float(self.step.step_time_s)

    @property
    def exposed_share(self) -> float:
        """Share of the step that waits for the scale-out network."""
        return as_float(self.step.network_exposed_s / self.step.step_time_s)

    @property
    def latency_s(self) -> float:
        """End to end across all tiers of the fabric."""
        return as_float(self.figures.latency(self.evaluation.fabric.tiers))

    @property
    def tail(self) -> Tail:
        """Exposed barriers of the step; without jitter of their own."""
        return tail_of(
            self.evaluation.traffic,
            self.step.communication,
            gpus=self.design.cluster.gpus,
            jitter_s=0.0,
            step_time_s=self.step_time_s,
        )

    @property
    def reduction(self) -> Reduction | None:
        """What switches that add could give; None where the transport has none."""
        return _reduction(self.evaluation, self.figures)


def side_of(
    design: Design, overrides: Overrides | None = None, price_book: PriceBook | None = None
) -> Side:
    """Evaluate a design and lay the figures of its transport in.

    Raises
    ------
    DesignError     as ``evaluate`` does
    """
    return with_figures(
        evaluate(design, price_book), figures_of(design.network.transport, overrides)
    )


def with_figures(evaluation: Evaluation, figures: TransportFigures) -> Side:
    """The side that an evaluation makes with these figures of its transport."""
    tiers = evaluation.fabric.tiers
    balance, base, extra = figures.balance, figures.base_latency, figures.extra_latency
    framing = figures.framing.value
    ends = stepped(
        evaluation,
        framing=framing,
        balance=np.array([balance.high, balance.low]),
        latency=np.array(
            [base.low + (tiers - 1) * extra.low, base.high + (tiers - 1) * extra.high]
        ),
    )
    step = stepped(
        evaluation,
        framing=framing,
        balance=balance.value,
        latency=as_float(figures.latency(tiers)),
    )
    low, high = (np.broadcast_to(ends.step_time_s, (2,)) / as_float(step.step_time_s)).tolist()
    return Side(evaluation, figures, step, min(low, 1.0), max(high, 1.0))


def _reduction(evaluation: Evaluation, figures: TransportFigures) -> Reduction | None:
    switch = load_catalog().switches[evaluation.design.network.switch]
    row = reduction_rows().get(switch.generation)
    if not figures.transport.in_network_reduction or row is None:
        return None
    sent = {"all-reduce": 0.0, "": 0.0}
    for entry in evaluation.traffic:
        key = entry.operation if entry.operation == row.operations else ""
        sent[key] += as_float(entry.network_bytes_per_gpu)
    total = sum(sent.values())
    gain = reduction_gain(evaluation.servers, row.efficiency, row.largest_gain)
    return Reduction(row, as_float(gain), sent["all-reduce"] / total if total else 0.0)


def stepped(
    evaluation: Evaluation, *, framing: Numeric, balance: Numeric, latency: Numeric
) -> StepTime:
    """The step of an evaluation on a network of other efficiency and latency.

    Parameters
    ----------
    evaluation : Evaluation         gives architecture, plan, machine and training
    framing, balance : float or array, 0 to 1
    latency : float or array, s     end to end

    Returns
    -------
    StepTime                        broadcast shape of the three
    """
    return step_on(
        evaluation,
        replace(
            evaluation.machine,
            framing_efficiency=framing,
            balance_efficiency=balance,
            network_latency=latency,
        ),
    )


def step_on(evaluation: Evaluation, machine: Machine) -> StepTime:
    """The step of an evaluation's job and plan on another machine."""
    return step_time(
        evaluation.architecture,
        evaluation.plan,
        evaluation.training,
        machine,
        calibration_for(machine.generation),
        gradient_bytes=evaluation.design.training.gradient_bytes,
    )
