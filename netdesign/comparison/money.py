"""What each side costs: by the price book, or at a discount of one fabric on the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from netdesign.arrays import Numeric, as_float
from netdesign.economics.bom import BillOfMaterials
from netdesign.economics.cost import energy_usd_per_year, owning_usd_per_hour
from netdesign.errors import DesignError
from netdesign.evaluate import Evaluation
from netdesign.units import SECONDS_PER_HOUR

Basis = Literal["book", "discount", "unknown"]
DISCOUNTS = (-2.0, 0.95)  # below 0: dearer, three times as dear at most


@dataclass(frozen=True)
class Pricing:
    """How the second fabric is priced.

    Without a discount it is the price book's, where it has every part; else unknown.
    """

    discount: float | None = None  # of the whole fabric of the first; below 0 dearer

    def __post_init__(self) -> None:
        lowest, highest = DISCOUNTS
        if self.discount is not None and not lowest <= self.discount <= highest:
            raise DesignError(
                "discount",
                self.discount,
                "is out of range",
                f"a share of the fabric's price from {lowest:g} to {highest:g}",
            )

    @property
    def by_book(self) -> bool:
        """Whether the price book prices both fabrics."""
        return self.discount is None


@dataclass(frozen=True)
class Money:
    """Purchase and cost of owning of one side; not a number where a price is missing."""

    basis: Basis
    capex_usd: float
    network_usd: float
    power_w: float
    network_power_w: float
    usd_per_hour: float  # of owning
    unpriced: tuple[str, ...]
    unmetered: tuple[str, ...]

    @property
    def share(self) -> float:
        """Share of the fabric in the purchase."""
        return self.network_usd / self.capex_usd

    def usd_per_million_tokens(self, tokens_per_s: float) -> float:
        return self.usd_per_hour / (tokens_per_s * SECONDS_PER_HOUR) * 1e6

    def tokens_per_usd(self, tokens_per_s: float) -> float:
        return tokens_per_s * SECONDS_PER_HOUR / self.usd_per_hour


def monies_of(first: Evaluation, second: Evaluation, pricing: Pricing) -> tuple[Money, Money]:
    """Both sides; with a discount the second fabric is so much cheaper than the first.

    Where only the second has prices the first follows from them, so that the discount holds.
    """
    by_book = (money_of(first), money_of(second))
    if pricing.discount is None:
        return by_book
    if by_book[0].basis == "unknown" and by_book[1].basis == "book":
        network = by_book[1].network_usd / (1 - pricing.discount)
        capex = by_book[1].capex_usd - by_book[1].network_usd + network
        power = drawn_power(second, first)
        return _money(first, "discount", capex, network, power), by_book[1]
    after = after_discount(by_book[0], pricing.discount)
    power = drawn_power(first, second)
    return by_book[0], _money(second, "discount", as_float(after[0]), as_float(after[1]), power)


def money_of(evaluation: Evaluation) -> Money:
    """A side by the price book of its design."""
    bom = evaluation.bom
    known = not bom.unpriced
    capex = bom.total_usd if known else math.nan
    network = bom.network_usd if _network_priced(bom) else math.nan
    basis: Basis = "book" if known else "unknown"
    return _money(evaluation, basis, capex, network, bom.total_power_w)


def after_discount(first: Money, discount: Numeric) -> tuple[Numeric, Numeric]:
    """Purchase and fabric of the second side, USD, at a discount on the fabric of the first."""
    saved = discount * first.network_usd
    return first.capex_usd - saved, first.network_usd - saved


def owning(evaluation: Evaluation, capex_usd: Numeric, power_w: Numeric) -> Numeric:
    """Cost of owning at the terms of a design, USD/h."""
    money = evaluation.design.economics
    energy = energy_usd_per_year(power_w, money.pue, money.usd_per_kwh)
    return owning_usd_per_hour(
        capex_usd,
        energy,
        money.interest_rate,
        money.amortisation_years,
        money.operations_share,
    )


def drawn_power(first: Evaluation, second: Evaluation) -> float:
    """Power of the second, W; that of the first where a switch of the second has no figure.

    The fabrics have like ports and optics: a missing figure must not count as nothing.
    """
    if set(second.bom.unmetered) <= set(first.bom.unmetered):
        return second.bom.total_power_w
    return first.bom.total_power_w


def _money(
    evaluation: Evaluation, basis: Basis, capex: float, network: float, power_w: float
) -> Money:
    bom = evaluation.bom
    return Money(
        basis=basis,
        capex_usd=capex,
        network_usd=network,
        power_w=bom.total_power_w if not bom.unmetered else math.nan,
        network_power_w=bom.network_power_w if not bom.unmetered else math.nan,
        usd_per_hour=as_float(owning(evaluation, np.float64(capex), power_w)),
        unpriced=bom.unpriced,
        unmetered=bom.unmetered,
    )


def _network_priced(bom: BillOfMaterials) -> bool:
    return all(row.unit_price_usd is not None for row in bom.rows if row.network)
