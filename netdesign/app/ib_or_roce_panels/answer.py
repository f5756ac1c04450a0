"""Everything that the page shows of one request, computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netdesign.app.ib_or_roce_panels.request import Request
from netdesign.comparison import Comparison, compare_transports
from netdesign.comparison.crossover import (
    BALANCES,
    DISCOUNTS,
    GPU_COUNTS,
    MESSAGES,
    BalanceMap,
    ExposureCase,
    ExposureLine,
    MessageCurve,
    balance_map,
    exposure_case,
    exposure_lines,
    message_curves,
)
from netdesign.comparison.verdict import Verdict, names_of, verdict


@dataclass(frozen=True)
class Answer:
    """A comparison and its cross-overs."""

    request: Request
    comparison: Comparison
    verdict: Verdict
    names: tuple[str, str]
    map: BalanceMap
    curves: tuple[MessageCurve, ...]
    lines: tuple[ExposureLine, ...]
    case: ExposureCase


def answer(request: Request) -> Answer:
    """Compare and find the cross-overs.

    Raises
    ------
    DesignError     where the design cannot be evaluated
    """
    overrides, pricing = request.overrides, request.pricing
    found = compare_transports(
        request.design,
        request.transports,
        overrides=overrides,
        pricing=pricing,
        switches=request.switches,
    )
    return Answer(
        request=request,
        comparison=found,
        verdict=verdict(found),
        names=names_of(found),
        map=balance_map(
            request.base,
            request.transports,
            gpus=GPU_COUNTS,
            balance=np.array(BALANCES),
            overrides=overrides,
            pricing=pricing,
            switches=request.switches,
        ),
        curves=message_curves(found.first, found.second, np.array(MESSAGES)),
        lines=exposure_lines(found, np.array(DISCOUNTS)),
        case=exposure_case(found, request.exposed),
    )
