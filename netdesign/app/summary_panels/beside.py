"""What stands beside the design: two alternatives, or, where it does not work, what cures it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from netdesign.app.html import Head, Markup, join, table, tag
from netdesign.app.summary_panels.plain import owning_known, priced, usd
from netdesign.charts.format import NOTHING, SPACE, days, digits, percent, power, seconds
from netdesign.design import design_to_query, renamed
from netdesign.errors import DesignError

if TYPE_CHECKING:
    from netdesign.design import Design
    from netdesign.evaluate import Evaluation
    from netdesign.explore import Alternative
    from netdesign.findings import Finding

SAME = 5e-4  # a smaller relative difference is none
PAGE = "executive_summary.ipynb"
NONE = "No alternative could be computed for this design."


class Measure(NamedTuple):
    """A number of the table; ``judged``: less of it is better; ``money``: the bill makes it."""

    label: str
    value: Callable[[Evaluation], Any]
    said: Callable[[Any], Any]
    judged: bool = True
    money: bool = False


def _owning(value: Callable[[Evaluation], Any]) -> Callable[[Evaluation], Any]:
    """A number that follows from the price of the whole cluster."""
    return lambda evaluation: value(evaluation) if owning_known(evaluation) else math.nan


def _bought(value: Callable[[Evaluation], Any]) -> Callable[[Evaluation], Any]:
    """A sum of prices: none where no part has one, or where nothing can be built."""
    return lambda evaluation: (
        value(evaluation) if priced(evaluation) and evaluation.fabric.buildable else math.nan
    )


MEASURES = (
    Measure("To buy", _bought(lambda e: e.cost.capex_usd), usd, money=True),
    Measure("Network", _bought(lambda e: e.cost.network_capex_usd), usd, money=True),
    Measure("Network share", _owning(lambda e: e.cost.network_share), percent, judged=False),
    Measure("Power", lambda e: e.cost.power_w, power),
    Measure("Step time", lambda e: e.step.step_time_s, seconds),
    Measure("Days to train", lambda e: e.cost.training_days, days),
    Measure("The run costs", _owning(lambda e: e.cost.training_usd), usd, money=True),
    Measure(
        "Per million tokens",
        _owning(lambda e: e.cost.usd_per_million_tokens),
        usd,
        money=True,
    ),
    Measure("Lost to the network a day", lambda e: e.cost.network_wait_usd_per_day, usd),
)


def section(evaluation: Evaluation, others: Sequence[Alternative]) -> Markup:
    """The design and its alternatives; the cure of one that does not work."""
    errors = [finding for finding in evaluation.findings if finding.severity == "error"]
    if errors:
        return _part("What would put it right", _cures(evaluation.design, errors))
    if not others:
        return _part("Two alternatives", tag("p", NONE, class_="nd-quiet"))
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
            _link(other.design, "Open its summary"),
        )
        for other in others
    )
    return _part(
        "Two alternatives",
        table("The design and two alternatives", heads, rows, class_="nd-beside"),
        tag("ul", verdicts, class_="nd-verdicts"),
    )


def _part(title: str, *content: Markup) -> Markup:
    return tag("section", tag("h2", title), *content, class_="nd-part")


def _link(design: Design, text: str) -> Markup:
    return tag("a", text, href=f"{PAGE}?{design_to_query(design)}", class_="nd-page-only")


def _cures(design: Design, errors: Sequence[Finding]) -> Markup:
    """What the rules suggest, each with a link to the design that has it."""
    return tag("ul", join(_cure(design, finding) for finding in errors), class_="nd-verdicts")


def _cure(design: Design, finding: Finding) -> Markup:
    cured = _cured(design, finding)
    link = _link(cured, "Open the summary with this change") if cured else ""
    return tag("li", tag("strong", finding.fix), f" {finding.sentence} ", link)


def _cured(design: Design, finding: Finding) -> Design | None:
    """The design with what a rule suggests, where it suggests a value that can be set."""
    if not finding.field or finding.suggestion is None:
        return None
    try:
        return renamed(design.with_values({finding.field: finding.suggestion}))
    except DesignError:
        return None


def _row(measure: Measure, evaluation: Evaluation, others: Sequence[Alternative]) -> list[Any]:
    cells = [_cell(measure, evaluation, other.evaluation) for other in others]
    return [measure.label, _said(measure, evaluation), *cells]


def _said(measure: Measure, evaluation: Evaluation) -> str:
    """The number; with a gap in the bill money is a lower bound."""
    value = float(measure.value(evaluation))
    if math.isnan(value):
        return NOTHING
    gap = measure.money and not evaluation.cost.complete
    return f"at least {measure.said(value)}" if gap else str(measure.said(value))


def _cell(measure: Measure, evaluation: Evaluation, other: Evaluation) -> Markup:
    difference, kind = _difference(measure, evaluation, other)
    shown = tag("span", difference, class_=f"nd-difference nd-{kind}")
    return join((_said(measure, other), shown))


def _difference(measure: Measure, evaluation: Evaluation, other: Evaluation) -> tuple[str, str]:
    """How the alternative differs and whether that is better; nothing from half a bill."""
    own, theirs = float(measure.value(evaluation)), float(measure.value(other))
    share = measure.label == "Network share"
    if (measure.money or share) and not comparable(evaluation, other):
        return "", "same"
    change = relative(own, theirs)
    if change is None and own != theirs:
        return "", "same"
    if change is None or abs(change) < SAME:
        return "same", "same"
    sign = "+" if change > 0 else "−"
    if share:
        points = f"{100 * abs(theirs - own):.1f}"
        return ("same" if points == "0.0" else f"{sign}{points}{SPACE}points"), "same"
    kind = "same" if not measure.judged else "worse" if change > 0 else "better"
    return f"{sign}{percent(abs(change))}", kind


def comparable(evaluation: Evaluation, other: Evaluation) -> bool:
    """Whether the bills of both are whole, so that their difference means something."""
    return all(each.cost.complete and owning_known(each) for each in (evaluation, other))


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
    time = _time(float(evaluation.cost.training_days), float(other.cost.training_days))
    if not comparable(evaluation, other):
        gap = "Some parts have no price" if priced(evaluation) else "There are no prices"
        return f"It takes {time or 'the same time'} to train. {gap}: the costs cannot be compared."
    buy = _money(float(evaluation.cost.capex_usd), float(other.cost.capex_usd))
    run = _money(float(evaluation.cost.training_usd), float(other.cost.training_usd))
    joint = "but" if _opposite(buy, time) else "and"
    return (
        f"It costs {buy or 'the same'} to buy {joint} takes {time or 'the same time'} to train; "
        f"the run comes to {run or 'the same'}."
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
