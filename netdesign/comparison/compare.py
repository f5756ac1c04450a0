"""Two designs beside each other: every measure, and what decides between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from netdesign.arrays import as_float
from netdesign.catalog import PriceBook, load_catalog
from netdesign.comparison.counterpart import Counterpart, counterpart, named
from netdesign.comparison.figures import Overrides, check_used, figures_of
from netdesign.comparison.measures import Measure, measures_of
from netdesign.comparison.money import Money, Pricing, monies_of
from netdesign.comparison.sides import Side, side_of, with_figures
from netdesign.design import Design
from netdesign.economics.cost import breakeven_loss
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.order import parts_of


@dataclass(frozen=True)
class Comparison:
    """Two sides, their measures, and what decides between them."""

    first: Side
    second: Side
    first_money: Money
    second_money: Money
    shared_error: bool  # same job, plan and generation: the error of the step model is common
    counterparts: tuple[Counterpart, ...]  # of the first and second; none when two designs came
    measures: tuple[Measure, ...]
    loss: float  # p: end-to-end loss of the second, share of the throughput; below 0 a gain
    fabric_share: float  # s: of the first's purchase; nan without a price
    discount: float  # d: of the second's fabric on the first's; nan without a price
    breakeven_discount: float  # p / s: from which on the second gives more for the money

    @property
    def identical(self) -> bool:
        """Whether both sides are one and the same: design, figures and money."""
        return (
            self.first.design == self.second.design
            and self.first.figures == self.second.figures
            and self.first.step == self.second.step
            and not self.discount < 0
            and not self.discount > 0
        )

    def measure(self, name: str) -> Measure:
        return next(entry for entry in self.measures if entry.name == name)

    @property
    def affordable_loss(self) -> float:
        """s d: the loss at which both give as much for the money."""
        return as_float(breakeven_loss(self.fabric_share, self.discount))


def compare(
    first: Design,
    second: Design,
    *,
    overrides: Overrides | None = None,
    price_book: PriceBook | None = None,
) -> Comparison:
    """Two designs as they stand, each with its own plan, by its own price book.

    Raises
    ------
    DesignError     as ``evaluate`` does
    """
    check_used(overrides, [design.network.transport for design in (first, second)])
    sides = [side_of(design, overrides, price_book) for design in (first, second)]
    monies = monies_of(sides[0].evaluation, sides[1].evaluation, Pricing())
    return _compared(sides[0], sides[1], monies, ())


def compare_transports(
    design: Design,
    transports: Sequence[str],
    *,
    overrides: Overrides | None = None,
    pricing: Pricing | None = None,
    switches: Sequence[str] = (),
    price_book: PriceBook | None = None,
) -> Comparison:
    """One design on two transports: the job, the servers and the plan of the first on both.

    Parameters
    ----------
    design : Design
    transports : two keys of transports.csv
    overrides : mapping             the planner's figures in place of those of the data
    pricing : Pricing               a discount on the first fabric; the price book's if None
    switches : up to two keys       of the first and second side, "" for the counterpart
    price_book : PriceBook          the planner's prices over those of the design's book

    Raises
    ------
    DesignError     for unknown transports or switches, or as ``evaluate`` does
    """
    if len(transports) != 2:
        raise DesignError(
            "transports",
            ",".join(transports),
            "is not a pair",
            "give two: infiniband,roce-adaptive",
        )
    check_used(overrides, transports)
    wanted = (*switches, "", "")[:2]
    pricing = pricing or Pricing()
    one, other = (
        on_transport(design, transport, switch, price_book, by_book=pricing.by_book)
        for transport, switch in zip(transports, wanted, strict=True)
    )
    first = side_of(one[0], overrides, price_book)
    second = beside(first, evaluate(other[0], price_book), overrides)
    monies = monies_of(first.evaluation, second.evaluation, pricing)
    return _compared(first, second, monies, (one[1], other[1]))


def beside(first: Side, other: Evaluation, overrides: Overrides | None = None) -> Side:
    """Another fabric under the job and the plan of a side."""
    own = first.evaluation
    planned = replace(
        other, plan=own.plan, plan_label=own.plan_label, memory=own.memory, traffic=own.traffic
    )
    return with_figures(planned, figures_of(other.design.network.transport, overrides))


def on_transport(
    design: Design,
    transport: str,
    switch: str = "",
    price_book: PriceBook | None = None,
    *,
    by_book: bool = True,
) -> tuple[Design, Counterpart]:
    """A design on a transport, with the counterpart of its switch or a named one.

    Raises
    ------
    DesignError     for an unknown transport or switch, or one that does not carry the transport
    """
    if switch:
        row = load_catalog().switches.require(switch, "switch")
        if row.technology != load_catalog().transports.require(transport, "transports").technology:
            raise DesignError(
                "switch", switch, f"does not speak {transport}", "choose one of its technology"
            )
        found = named(parts_of(design, price_book), row)
    else:
        found = counterpart(design, transport, price_book, by_book=by_book)
    changes = {
        "network.transport": transport,
        "network.switch": found.switch.id,
        "network.in_network_reduction": design.network.in_network_reduction
        and load_catalog().transports[transport].in_network_reduction,
    }
    return design.with_values(changes), found


def _compared(
    first: Side,
    second: Side,
    monies: tuple[Money, Money],
    counterparts: tuple[Counterpart, ...],
) -> Comparison:
    shared = _shared(first, second)
    loss = 1 - as_float(second.step.tokens_per_s) / as_float(first.step.tokens_per_s)
    share = monies[0].share
    return Comparison(
        first=first,
        second=second,
        first_money=monies[0],
        second_money=monies[1],
        shared_error=shared,
        counterparts=counterparts,
        measures=measures_of(first, second, *monies, shared=shared),
        loss=loss,
        fabric_share=share,
        discount=1 - monies[1].network_usd / monies[0].network_usd,
        breakeven_discount=loss / share,
    )


def _shared(first: Side, second: Side) -> bool:
    """Whether the error of the step model is one and the same on both sides."""
    a, b = first.evaluation, second.evaluation
    return (
        a.architecture == b.architecture
        and a.plan == b.plan
        and a.machine.accelerator == b.machine.accelerator
        and a.design.training == b.design.training
        and a.design.cluster == b.design.cluster
    )
