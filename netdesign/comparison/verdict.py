"""Who wins, and why: the one sentence that a comparison comes down to."""

from __future__ import annotations

import math
from dataclasses import dataclass

from netdesign.comparison.compare import Comparison
from netdesign.comparison.measures import Better

MINUS = "\u2212"
_SHOWN = 5e-5  # a smaller share is said as 0 %
_SUREST_FIRST = ("verified", "computed", "secondary", "recalled", "assumed")


@dataclass(frozen=True)
class Verdict:
    """The winner in tokens for a dollar, or in step time where prices are missing."""

    winner: Better
    sentence: str  # who wins
    reasons: tuple[str, ...]  # why, each number with its grade


def verdict(comparison: Comparison) -> Verdict:
    """What a comparison comes down to."""
    tokens = comparison.measure("tokens_per_usd")
    speed = comparison.measure("tokens_per_s")
    deciding = tokens if tokens.better != "unknown" else speed
    return Verdict(
        winner=deciding.better,
        sentence=_sentence(comparison, deciding.better, priced=deciding is tokens),
        reasons=_reasons(comparison),
    )


def names_of(comparison: Comparison) -> tuple[str, str]:
    """What the two sides are called: their transports, or their designs."""
    first, second = comparison.first, comparison.second
    if comparison.counterparts or first.figures.id != second.figures.id:
        return first.figures.name, second.figures.name
    return first.design.name, second.design.name


def _called(comparison: Comparison) -> tuple[str, str]:
    """The names in a sentence: A and B where both are called the same."""
    names = names_of(comparison)
    return names if names[0] != names[1] else ("A", "B")


def loss_grade(comparison: Comparison) -> str:
    """Grade of the least sure figure behind the loss; the planner's own are named with it."""
    sides = (comparison.first.figures, comparison.second.figures)
    grades = {figure.grade for side in sides for figure in (side.framing, side.balance)}
    known = [grade for grade in _SUREST_FIRST if grade in grades]
    weakest = known[-1] if known else "yours"
    return f"{weakest}, with yours" if "yours" in grades and known else weakest


def _sentence(comparison: Comparison, better: Better, *, priced: bool) -> str:
    first, second = _called(comparison)
    measure = comparison.measure("tokens_per_usd" if priced else "tokens_per_s")
    what = "tokens for a dollar" if priced else "throughput"
    if comparison.identical:
        return "Both sides are the same: one design on one fabric, so there is nothing to choose."
    if better == "same" and measure.difference.value == 0:
        return f"{first} and {second} are equal in {what}."
    if better == "same":
        return f"{first} and {second} are not to be told apart in {what}: {measure.reason}."
    if better == "unknown":
        return f"{first} and {second} cannot be compared: {measure.reason}."
    winner, loser = (second, first) if better == "second" else (first, second)
    share = abs(measure.difference.value)
    more = percent(share if better == "second" else 1 / (1 - share) - 1)
    if priced:
        return f"{winner} wins: {more} more tokens for a dollar than {loser}."
    return f"{winner} trains {more} faster than {loser}; without prices money cannot decide."


def _reasons(comparison: Comparison) -> tuple[str, ...]:
    if comparison.identical:
        return ("Choose another transport, switch or price for one side to compare it.",)
    found = [_of_the_loss(comparison)]
    if not comparison.shared_error:
        found.append(
            "Job, plan or machines differ: the errors of both predictions count, and a saving on "
            "the fabric alone does not decide."
        )
    elif math.isfinite(comparison.fabric_share):
        found.append(_of_the_price(comparison))
    else:
        missing = comparison.measure("capex_usd").reason
        found.append(f"The share of the fabric in the purchase is unknown: {missing}.")
    if comparison.counterparts:
        found += _of_the_tiers(comparison)
    return tuple(found)


def _of_the_tiers(comparison: Comparison) -> list[str]:
    """What of the difference is the switch and not the transport."""
    first, second = (
        int(side.evaluation.fabric.tiers) for side in (comparison.first, comparison.second)
    )
    if first == second:
        return []
    return [
        f"With these switches A has {_levels(first)} and B {_levels(second)}: a part of the "
        "difference in price and speed is the switch, not the transport."
    ]


def _levels(tiers: int) -> str:
    return "1 tier" if tiers == 1 else f"{tiers} tiers"


def _of_the_loss(comparison: Comparison) -> str:
    first, second = _called(comparison)
    difference = comparison.measure("tokens_per_s").difference
    waiting = f"{percent(comparison.first.exposed_share)} of the step waits for the network"
    ends = tuple(sorted((abs(difference.low), abs(difference.high))))
    if difference.low < 0 < difference.high:
        ends = (difference.low, difference.high)
    digits = decimals(comparison.loss)
    low, high = (percent(end, digits, sign=ends[0] < 0) for end in ends)
    between = f", {low} to {high}" if low != high else ""
    sure = f"({loss_grade(comparison)}{between})"
    if _nothing(comparison.loss):
        return f"{second} is as fast as {first} {sure}: {waiting}."
    verb = "loses" if comparison.loss > 0 else "gains"
    return f"{second} {verb} {percent(abs(comparison.loss))} of the throughput {sure}: {waiting}."


def _of_the_price(comparison: Comparison) -> str:
    _, second = _called(comparison)
    share = f"The fabric is {percent(comparison.fabric_share)} of the purchase"
    need = condition(comparison.breakeven_discount)
    if comparison.second_money.basis == "unknown":
        missing = comparison.measure("tokens_per_usd").reason
        return f"{share}; {missing}. {second} wins if its fabric {need}."
    yours = "discount" in (comparison.first_money.basis, comparison.second_money.basis)
    book = comparison.first.evaluation.bom.price_book
    origin = "yours" if yours else f"price book {book}"
    return (
        f"{share}; that of {second} {_priced(comparison.discount)} ({origin}), "
        f"{_paid(comparison)} (p < s d, computed). It wins if it {need}."
    )


def _priced(discount: float) -> str:
    if _nothing(discount):
        return "costs the same"
    return f"is {percent(abs(discount))} {'cheaper' if discount > 0 else 'dearer'}"


def _paid(comparison: Comparison) -> str:
    """The loss that the price of the second pays for, or the gain that it asks for."""
    saved = comparison.affordable_loss
    if _nothing(saved):
        return "which pays for no loss"
    if saved > 0:
        return f"which pays for a loss of up to {percent(saved)}"
    return f"so it must gain more than {percent(-saved)} to win"


def condition(discount: float) -> str:
    """The price at which the second wins: "is more than 4.3 % cheaper"."""
    if _nothing(discount):
        return "is cheaper at all"
    if discount < 0:
        return f"is less than {percent(-discount)} dearer"
    return f"is more than {percent(discount)} cheaper"


def _nothing(share: float) -> bool:
    """Whether a share is shown as nothing."""
    return abs(share) < _SHOWN


def decimals(share: float) -> int:
    """Digits after the point of a share in per cent: two below 1 %, else one."""
    return 2 if abs(100 * share) < 0.995 else 1


def percent(share: float, digits: int | None = None, *, sign: bool = False) -> str:
    """A share as people read it; the ends of a band take the ``digits`` of their value."""
    number = f"{abs(100 * share):.{decimals(share) if digits is None else digits}f}"
    zero = not float(number)
    before = "" if zero else MINUS if share < 0 else "+" if sign else ""
    return f"{before}{'0' if zero and digits is None else number} %"


def signed(share: float, digits: int | None = None) -> str:
    """A change with its sign."""
    return percent(share, digits, sign=True)
