"""Two alternatives beside the design: a table with differences and a plain sentence for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.summary_panels.plain import priced, usd
from netdesign.charts.format import SPACE, days, digits, percent, power, seconds
from netdesign.design import design_to_query

if TYPE_CHECKING:
    from netdesign.evaluate import Evaluation
    from netdesign.explore import Alternative

SAME = 5e-4  # a smaller relative difference is none
PAGE = "executive_summary.ipynb"


class Measure(NamedTuple):
    """A number of the table; ``judged``: less of it is better."""

    label: str
    value: Callable[[Evaluation], Any]
    said: Callable[[Any], Any]
    judged: bool = True


def _cost(value: Callable[[Evaluation], Any]) -> Callable[[Evaluation], Any]:
    """A number that needs prices: none where no part has one."""
    return lambda evaluation: value(evaluation) if priced(evaluation) else math.nan


MEASURES = (
    Measure("To buy", _cost(lambda e: e.cost.capex_usd), usd),
    Measure("Network", _cost(lambda e: e.cost.network_capex_usd), usd),
    Measure("Network share", _cost(lambda e: e.cost.network_share), percent, judged=False),
    Measure("Power", lambda e: e.cost.power_w, power),
    Measure("Step time", lambda e: e.step.step_time_s, seconds),
    Measure("Days to train", lambda e: e.cost.training_days, days),
    Measure("The run costs", _cost(lambda e: e.cost.training_usd), usd),
    Measure(
        "Per million tokens",
        _cost(lambda e: e.cost.usd_per_million_tokens),
        usd,
    ),
    Measure("Lost to the network a day", lambda e: e.cost.network_wait_usd_per_day, usd),
)


def section(evaluation: Evaluation, others: Sequence[Alternative]) -> Markup:
    """The design and its alternatives."""
    if not others:
        return tag(
            "section",
            tag("h2", "Two alternatives"),
            tag("p", "No alternative could be computed for this design.", class_="nd-quiet"),
            class_="nd-part",
        )
    heads = (
        Head(""),
        Head("This design", number=True),
        *(Head(other.title, number=True) for other in others),
    )
    rows = [_row(measure, evaluation, others) for measure in MEASURES]
    verdicts = join(
        tag(
            "li",
            tag("strong", f"{other.title}. "),
            f"{other.reason} {sentence(evaluation, other.evaluation)} ",
            tag("a", "Open its summary", href=f"{PAGE}?{design_to_query(other.design)}"),
        )
        for other in others
    )
    return tag(
        "section",
        tag("h2", "Two alternatives"),
        table("The design and two alternatives", heads, rows, class_="nd-beside"),
        tag("ul", verdicts, class_="nd-verdicts"),
        class_="nd-part",
    )


def _row(measure: Measure, evaluation: Evaluation, others: Sequence[Alternative]) -> list[Any]:
    own = float(measure.value(evaluation))
    cells = [_cell(measure, own, float(measure.value(other.evaluation))) for other in others]
    return [measure.label, measure.said(own), *cells]


def _cell(measure: Measure, own: float, other: float) -> Markup:
    change = relative(own, other)
    if change is None and own != other:
        said, kind = "", "same"
    elif change is None or abs(change) < SAME:
        said, kind = "same", "same"
    else:
        said = f"{'+' if change > 0 else '−'}{percent(abs(change))}"
        kind = "same" if not measure.judged else "worse" if change > 0 else "better"
    return join((measure.said(other), tag("span", said, class_=f"nd-difference nd-{kind}")))


def relative(own: float, other: float) -> float | None:
    """The difference as a share of the own value; None where there is no such share."""
    if not (math.isfinite(own) and math.isfinite(other)) or own == 0:
        return None
    return (other - own) / own


def sentence(evaluation: Evaluation, other: Evaluation) -> str:
    """What the alternative changes, in one plain sentence."""
    problem = next((f for f in other.findings if f.severity == "error"), None)
    if problem is not None:
        return f"It does not work: {problem.sentence}"
    buy = _money(float(evaluation.cost.capex_usd), float(other.cost.capex_usd))
    time = _time(float(evaluation.cost.training_days), float(other.cost.training_days))
    run = _money(float(evaluation.cost.training_usd), float(other.cost.training_usd))
    joint = "but" if _opposite(buy, time) else "and"
    if not (priced(evaluation) and priced(other)):
        return f"It takes {time or 'the same time'} to train. Without prices no more can be said."
    partly = not (evaluation.cost.complete and other.cost.complete)
    bound = " Parts without a price are left out of this." if partly else ""
    return (
        f"It costs {buy or 'the same'} to buy {joint} takes {time or 'the same time'} to train; "
        f"the run comes to {run or 'the same'}.{bound}"
    )


def _money(own: float, other: float) -> str:
    change = relative(own, other)
    if change is None or abs(change) < SAME:
        return ""
    return f"{usd(abs(other - own))} {'more' if other > own else 'less'}"


def _time(own: float, other: float) -> str:
    change = relative(own, other)
    if change is None or abs(change) < SAME:
        return ""
    apart = days(abs(other - own))
    number = digits(float(apart.number.replace(",", "")), 2)
    return f"{number}{SPACE}{apart.unit} {'longer' if other > own else 'less'}"


def _opposite(buy: str, time: str) -> bool:
    return bool(buy and time) and buy.endswith("less") != time.endswith("less")
