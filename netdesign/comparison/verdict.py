"""Who wins, and why: the one sentence that a comparison comes down to."""

from __future__ import annotations

import math
from dataclasses import dataclass

from netdesign.comparison.compare import Comparison
from netdesign.comparison.measures import Better

MINUS = "\u2212"
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


def loss_grade(comparison: Comparison) -> str:
    """Grade of the least sure figure behind the loss; the planner's own are named with it."""
    sides = (comparison.first.figures, comparison.second.figures)
    grades = {figure.grade for side in sides for figure in (side.framing, side.balance)}
    known = [grade for grade in _SUREST_FIRST if grade in grades]
    weakest = known[-1] if known else "yours"
    return f"{weakest}, with yours" if "yours" in grades and known else weakest


def _sentence(comparison: Comparison, better: Better, *, priced: bool) -> str:
    first, second = names_of(comparison)
    measure = comparison.measure("tokens_per_usd" if priced else "tokens_per_s")
    what = "tokens for a dollar" if priced else "throughput"
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
    return tuple(found)


def _of_the_loss(comparison: Comparison) -> str:
    _, second = names_of(comparison)
    difference = comparison.measure("tokens_per_s").difference
    verb = "loses" if comparison.loss >= 0 else "gains"
    low, high = sorted((abs(difference.low), abs(difference.high)))
    between = ""
    if difference.low < 0 < difference.high:
        between = f", {signed(difference.low)} to {signed(difference.high)}"
    elif percent(low) != percent(high):
        between = f", {percent(low)} to {percent(high)}"
    waiting = percent(comparison.first.exposed_share)
    return (
        f"{second} {verb} {percent(abs(comparison.loss))} of the throughput "
        f"({loss_grade(comparison)}{between}): the step waits {waiting} for its network."
    )


def _of_the_price(comparison: Comparison) -> str:
    _, second = names_of(comparison)
    share = f"The fabric is {percent(comparison.fabric_share)} of the purchase"
    need = _cheaper(comparison.breakeven_discount)
    if comparison.second_money.basis == "unknown":
        missing = comparison.measure("tokens_per_usd").reason
        return f"{share}; {missing}. {second} wins if its fabric is {need}."
    yours = "discount" in (comparison.first_money.basis, comparison.second_money.basis)
    book = comparison.first.evaluation.bom.price_book
    origin = "yours" if yours else f"price book {book}"
    afforded = percent(comparison.affordable_loss)
    return (
        f"{share}; that of {second} is {_cheaper(comparison.discount, exactly=True)} ({origin}), "
        f"which pays for a loss of {afforded} (p < s d, computed). It wins once it is {need}."
    )


def _cheaper(discount: float, *, exactly: bool = False) -> str:
    if exactly and abs(discount) < 5e-5:
        return "as dear"
    if exactly:
        return f"{percent(abs(discount))} {'cheaper' if discount > 0 else 'dearer'}"
    if discount < 0:
        return f"at most {percent(-discount)} dearer"
    return f"more than {percent(discount)} cheaper"


def percent(share: float) -> str:
    """A share as people read it: two digits where it is small."""
    number = 100 * share
    if 5e-4 < abs(number) < 0.095:
        return f"{number:.2g} %"
    return f"{number:.1f} %"


def signed(share: float) -> str:
    """A change with its sign."""
    return f"{'+' if share > 0 else MINUS if share < 0 else ''}{percent(abs(share))}"
