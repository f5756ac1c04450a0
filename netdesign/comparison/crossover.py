"""Where does the better fabric change? By GPUs and balance, message size, discount and exposure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from netdesign.arrays import Array, as_float
from netdesign.catalog import data_directory
from netdesign.catalog.tables import Count, Fraction, Name, Row, keyed_rows
from netdesign.comparison.compare import Comparison, beside, on_transport
from netdesign.comparison.figures import Overrides, figures_of
from netdesign.comparison.measures import Better, limit
from netdesign.comparison.money import Pricing, monies_of
from netdesign.comparison.sides import Side, side_of, stepped
from netdesign.design import Design
from netdesign.economics.cost import breakeven_loss
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation, evaluate
from netdesign.network.collectives import collective_time
from netdesign.performance.calibration import calibration_for
from netdesign.performance.overlap import links_of
from netdesign.workload.plan import GroupSpan
from netdesign.workload.traffic import Collective

OPERATIONS = ("all-reduce", "all-gather", "all-to-all")
GPU_COUNTS = tuple(2**power for power in range(5, 16))
BALANCES: tuple[float, ...] = tuple(np.linspace(0.3, 1.0, 29).round(6).tolist())
MESSAGES: tuple[float, ...] = tuple(2.0 ** (power / 2) for power in range(20, 69))
DISCOUNTS: tuple[float, ...] = tuple(np.linspace(0.0, 0.6, 121).round(6).tolist())


class FabricShareRow(Row):
    """Share of the fabric in the purchase, by tiers, of published bills."""

    tiers: Count
    low: Fraction
    high: Fraction
    grade: Name


@dataclass(frozen=True)
class BalanceMap:
    """Tokens for a dollar of the second fabric over the first, by GPUs and its balance."""

    gpus: Array  # [G]
    balance: Array  # [B], rising
    ratio: Array  # [G, B]; above 1 the second wins; nan where a price or a plan is missing
    line: Array  # [G], balance at which p = s d; 0 where the second wins at any, nan at none
    affordable: Array  # [G], s d
    problems: tuple[str, ...]  # of each GPU count; empty where there is none


@dataclass(frozen=True)
class MessageCurve:
    """Time of one collective over all GPUs, by message size."""

    operation: str
    size: Array  # [S], bytes
    first_s: Array  # [S]
    second_s: Array  # [S]

    @property
    def ratio(self) -> Array:
        """Time on the first fabric over that on the second: below 1 the first is faster."""
        return np.asarray(self.first_s / self.second_s)


@dataclass(frozen=True)
class ExposureLine:
    """Exposed share at which both fabrics give as much for the money, by discount.

    Where the second loses it wins below the line; where it gains, above it: right of it in both.
    """

    name: str
    share: float  # s
    discount: Array  # [D]; below 0, dearer, where the second gains
    exposed: Array  # [D]; nan where the second is as fast and wins whenever it is cheaper


@dataclass(frozen=True)
class ExposureCase:
    """What would be if this share of the step waited for the network."""

    exposed: float  # share of the first's step
    asked: bool  # a planner's; else that of the design
    loss: float  # p, share of the throughput
    affordable: float  # s d; nan without a price
    winner: Better  # "same": the loss and the saving are closer than runs scatter


@cache
def fabric_shares() -> tuple[FabricShareRow, ...]:
    """Rows of fabric_shares.csv."""
    path = data_directory() / "fabric_shares.csv"
    return tuple(keyed_rows(path, FabricShareRow, ("tiers",)).values())


def balance_map(
    design: Design,
    transports: Sequence[str],
    *,
    gpus: Sequence[int],
    balance: Array,
    overrides: Overrides | None = None,
    pricing: Pricing | None = None,
    switches: Sequence[str] = (),
) -> BalanceMap:
    """Which fabric gives more tokens for a dollar, by GPU count and balance of the second.

    Parameters
    ----------
    design : Design                 its GPU count is replaced; its plan is found anew at each
    transports : two keys of transports.csv
    gpus : sequence of int          counts to evaluate
    balance : array, 0 to 1, rising of the second transport; its queue pairs are in it
    overrides, pricing, switches    as ``compare_transports`` takes them

    Returns
    -------
    BalanceMap
    """
    pricing = pricing or Pricing()
    sides = tuple(zip(transports, (*switches, "", "")[:2], strict=True))
    rows = [_balance_row(design, sides, count, balance, overrides, pricing) for count in gpus]
    return BalanceMap(
        gpus=np.array(gpus),
        balance=balance,
        ratio=np.array([row[0] for row in rows]),
        line=np.array([row[1] for row in rows]),
        affordable=np.array([row[2] for row in rows]),
        problems=tuple(row[3] for row in rows),
    )


def _balance_row(
    design: Design,
    sides: tuple[tuple[str, str], ...],
    gpus: int,
    balance: Array,
    overrides: Overrides | None,
    pricing: Pricing,
) -> tuple[Array, float, float, str]:
    nothing = np.full(balance.shape, math.nan)
    both, problem = _both(design, sides, gpus, pricing.by_book)
    if both is None:
        return nothing, math.nan, math.nan, problem
    one, other = both
    first = figures_of(sides[0][0], overrides)
    second = figures_of(sides[1][0], overrides)
    tiers = one.fabric.tiers
    base = stepped(
        one,
        framing=first.framing.value,
        balance=first.balance.value,
        latency=as_float(first.latency(tiers)),
    )
    swept = stepped(
        other,
        framing=second.framing.value,
        balance=balance,
        latency=as_float(second.latency(other.fabric.tiers)),
    )
    monies = monies_of(one, other, pricing)
    slower = np.broadcast_to(swept.step_time_s, balance.shape) / as_float(base.step_time_s)
    ratio = monies[0].usd_per_hour / (monies[1].usd_per_hour * slower)
    share = monies[0].share
    discount = 1 - monies[1].network_usd / monies[0].network_usd
    affordable = as_float(breakeven_loss(share, discount))
    return ratio, _line(balance, 1 - 1 / slower, affordable), affordable, ""


def _line(balance: Array, loss: Array, affordable: float) -> float:
    """The balance at which the loss is what the saving affords; the loss falls with balance."""
    if not math.isfinite(affordable) or loss[-1] > affordable:
        return math.nan
    if loss[0] <= affordable:
        return 0.0
    return as_float(np.interp(-affordable, -loss, balance))


@lru_cache(maxsize=512)
def _both(
    design: Design, sides: tuple[tuple[str, str], ...], gpus: int, by_book: bool
) -> tuple[tuple[Evaluation, Evaluation] | None, str]:
    """Evaluations of both sides at a GPU count, the plan of the first on both.

    A side is a transport and a switch, "" for the counterpart.
    """
    try:
        grown = design.with_values({"cluster.gpus": gpus})
        first = side_of(on_transport(grown, *sides[0], by_book=by_book)[0])
        if first.evaluation.gpus_that_fit is not None:
            return None, "no plan fits in memory"
        if not first.evaluation.fabric.buildable:
            return None, first.evaluation.fabric.reason
        other = on_transport(grown, *sides[1], by_book=by_book)[0]
        second = beside(first, evaluate(other))
    except DesignError as error:
        return None, str(error)
    if not second.evaluation.fabric.buildable:
        return None, second.evaluation.fabric.reason
    return (first.evaluation, second.evaluation), ""


def forget() -> None:
    """Drop the evaluations that are kept for the map; for measurements."""
    _both.cache_clear()


def message_curves(first: Side, second: Side, size: Array) -> tuple[MessageCurve, ...]:
    """Time of a collective over all GPUs on both fabrics, by message size.

    Parameters
    ----------
    first, second : Side
    size : array, bytes     as nccl-tests counts it
    """
    return tuple(
        MessageCurve(
            operation, size, _over_all(first, operation, size), _over_all(second, operation, size)
        )
        for operation in OPERATIONS
    )


def _over_all(side: Side, operation: str, size: Array) -> Array:
    machine, gpus = side.machine, side.design.cluster.gpus
    local = min(as_float(machine.domain_gpus), gpus)
    span = GroupSpan(ranks=gpus, stride=1, local=local, domains=gpus / local)
    call = Collective("data", operation, span, size, 1, size, size)
    links = links_of(call, machine, calibration_for(machine.generation))
    return np.broadcast_to(collective_time(operation, size, span, links), size.shape)


def exposure_lines(comparison: Comparison, discount: Array) -> tuple[ExposureLine, ...]:
    """The winner line in discount and exposed share: of this design, and by tiers of bills.

    The loss is p = c (1/eta - 1), so that p = s d is a straight line: c = s d / (1/eta - 1). What
    the second fabric loses for each exposed second, 1/eta - 1, is that of the two sides. One that
    gains may be dearer: its line is that of discounts below 0.

    Parameters
    ----------
    comparison : Comparison
    discount : array, 0 to 1    or as much dearer, where the second gains
    """
    lost = slowdown_of_exposed(comparison)
    discount = -discount if lost < 0 else discount
    shares = [(f"{row.tiers} tiers" if row.tiers > 1 else "1 tier", row) for row in fabric_shares()]
    lines = [("this design", comparison.fabric_share)]
    lines += [(name, (row.low + row.high) / 2) for name, row in shares]
    return tuple(
        ExposureLine(name, share, discount, _affordable_exposure(share, discount, lost))
        for name, share in lines
        if math.isfinite(share)
    )


def slowdown_of_exposed(comparison: Comparison) -> float:
    """1/eta - 1: seconds the second loses for each second that the first waits for its network."""
    waited = as_float(comparison.first.step.network_exposed_s)
    more = comparison.second.step_time_s - comparison.first.step_time_s
    return more / waited if waited else 0.0


def _affordable_exposure(share: float, discount: Array, lost: float) -> Array:
    if not lost:
        return np.full(discount.shape, math.nan)
    return np.asarray(breakeven_loss(share, discount)) / lost


def exposure_case(comparison: Comparison, exposed: float | None = None) -> ExposureCase:
    """The break-even at an exposed share, that of the design if None."""
    share = comparison.first.exposed_share if exposed is None else exposed
    loss = share * slowdown_of_exposed(comparison)
    affordable = comparison.affordable_loss
    winner: Better = "second" if loss < affordable else "first"
    if abs(affordable - loss) < limit("smallest-difference"):
        winner = "same"
    if not math.isfinite(affordable):
        winner = "unknown"
    return ExposureCase(share, exposed is not None, loss, affordable, winner)
